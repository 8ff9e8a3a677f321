package scenario

// CallKind is one of several kinds of calls.
type CallKind struct {
	Name         string       `yaml:"name"`
	Share        *Share       `yaml:"share"`
	PromptTokens Law[Count]   `yaml:"prompt_tokens"`
	OutputTokens Law[Count]   `yaml:"output_tokens"`
	MaxTokens    *Count       `yaml:"max_tokens" none:"not declared" own:"yes"`
	Reasoning    *Law[Count]  `yaml:"reasoning_tokens" none:"no reasoning" own:"yes"`
	CachedShare  *Share       `yaml:"cached_share" none:"nothing comes from the cache" own:"yes"`
	Patience     *Law[Span]   `yaml:"patience" none:"callers never leave" unlimited:"callers never leave" own:"yes"`
	Priority     *int         `yaml:"priority"`
	Timeouts     KindTimeouts `yaml:"timeouts"`
}

// KindTimeouts are the timers of one attempt at a call of a kind, as far as they differ from those of the policy.
type KindTimeouts struct {
	Connect   *Span        `yaml:"connect" none:"no timer" unlimited:"no timer" own:"yes"`
	Write     *Span        `yaml:"write" none:"no timer" unlimited:"no timer" own:"yes"`
	Pool      *Span        `yaml:"pool" none:"no timer" unlimited:"no timer" own:"yes"`
	FirstByte *Span        `yaml:"first_byte" none:"no timer" unlimited:"no timer" own:"yes"`
	Gap       *Span        `yaml:"gap" none:"no timer" unlimited:"no timer" own:"yes"`
	Call      *Span        `yaml:"call" none:"no timer" unlimited:"no timer" own:"yes"`
	Attempt   *EachTimeout `yaml:"attempt"`
	OS        *Span        `yaml:"os" none:"no timer" unlimited:"no timer" own:"yes"`
}

// over gives the timeouts of a policy with those of a kind in their place.
func (t *KindTimeouts) over(p Timeouts) Timeouts {
	for _, each := range []struct {
		own *Span
		to  *Span
	}{
		{t.Connect, &p.Connect}, {t.Write, &p.Write}, {t.Pool, &p.Pool}, {t.FirstByte, &p.FirstByte}, {t.Gap, &p.Gap},
		{t.Call, &p.Call}, {t.OS, &p.OS},
	} {
		if each.own != nil {
			*each.to = *each.own
		}
	}
	if t.Attempt != nil {
		p.Attempt = *t.Attempt
	}
	return p
}
