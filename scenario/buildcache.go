package scenario

import (
	"fmt"
	"time"

	"stampede/fleet"
)

// cache reads a prompt cache that calls share, and how much of a prompt it can hold.
func (b *builder) cache(w *Workload, out *fleet.Cache) (prefix int32, err error) {
	c := w.Cache
	switch {
	case c == nil:
		return 0, nil
	case w.CachedShare > 0 || w.CacheLife > 0 || w.CacheWrites:
		return 0, b.errorf("workload.cache",
			"found cached_share, cache_lifetime or cache_writes beside it; these are for caches that are not shared")
	}
	scope := fleet.OfFleet
	if w.Sessions != nil {
		scope = fleet.OfSession
	}
	if c.Scope != "" {
		scope = valueOf(fleet.CacheScopeWords, c.Scope)
	}
	switch {
	case scope == fleet.OfSession && w.Sessions == nil:
		return 0, b.errorf("workload.cache.scope", "found session; it requires a workload of sessions")
	case c.Prefix > maxTokens || c.Prefix == 0 && scope != fleet.OfSession:
		return 0, b.errorf("workload.cache.prefix", "found %d; want the tokens that prompts share, 1 to 1G", c.Prefix)
	case c.Minimum > maxTokens || c.Prefix > 0 && c.Prefix < c.Minimum:
		return 0, b.errorf("workload.cache.minimum",
			"found %d with a prefix of %d; want at most the prefix, or nothing is cached", c.Minimum, c.Prefix)
	}
	*out = fleet.Cache{
		Lifetime: time.Duration(c.Lifetime),
		Writes:   c.Write,
		Scope:    scope,
		Prefix:   int32(c.Prefix),
		Minimum:  int32(c.Minimum),
	}
	if scope == fleet.OfSession {
		return 0, nil
	}
	return out.Prefix, nil
}

// cacheNote notes a prefix that prompts do not reach.
func cacheNote(f *fleet.Fleet, whose string) string {
	prefix := int(f.Workload.Cache.Prefix)
	if prefix == 0 || f.Workload.Cache.Scope == fleet.OfSession {
		return ""
	}
	if mean := meanRequest(sizesOf(&f.Workload)).Prompt; mean < prefix {
		return fmt.Sprintf("prompts%s have %d tokens on average and the cache a prefix of %d: "+
			"shorter prompts do not use it", whose, mean, prefix)
	}
	return ""
}

// explainCache says what is read from the provider's cache.
func (s *Scenario) explainCache() string {
	if c := s.Workload.Cache; c != nil {
		whose := map[fleet.CacheScope]string{
			fleet.OfFleet: "all calls of the fleet",
			fleet.OfKey:   "all calls under its key",
		}[s.Model.Workload.Cache.Scope]
		life := "without end"
		if c.Lifetime > 0 {
			life = fmt.Sprintf("for %v after its last use", c.Lifetime)
		}
		write := ""
		if c.Write {
			write = ", billed at the price for writing"
		}
		if s.Model.Workload.Cache.Scope == fleet.OfSession {
			begin, least := "", ""
			if c.Prefix > 0 {
				begin = fmt.Sprintf("the first %d tokens of ", c.Prefix)
			}
			if c.Minimum > 0 {
				least = fmt.Sprintf(" Prompts of less than %d tokens are not cached.", c.Minimum)
			}
			return fmt.Sprintf("Each turn reads %sthe prompt of the turn before from the provider's cache and writes "+
				"what it adds to it%s; kept %s.%s", begin, write, life, least)
		}
		return fmt.Sprintf("The first %d tokens of the prompts are shared by %s: the first writes them to the "+
			"provider's cache%s, others read them there, %s.", c.Prefix, whose, write, life)
	}
	if s.Workload.CachedShare == 0 {
		return ""
	}
	life := ""
	if s.Workload.CacheLife > 0 {
		life = fmt.Sprintf(", for %v after its last use", s.Workload.CacheLife)
	}
	return fmt.Sprintf("%v of each prompt comes from the provider's cache%s.", s.Workload.CachedShare, life)
}
