package scenario

// Cache is a prompt cache that calls share.
type Cache struct {
	Prefix   Count      `yaml:"prefix" zero:"no"`
	Lifetime Span       `yaml:"lifetime" unlimited:"it never expires" zero:"no" default:"5m"`
	Minimum  Count      `yaml:"minimum" none:"every beginning is cached" zero:"no"`
	Write    bool       `yaml:"write"`
	Scope    CacheScope `yaml:"scope"`
}
