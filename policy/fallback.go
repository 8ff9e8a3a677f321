package policy

import (
	"fmt"
	"time"
)

// Fallback leads a call that failed at one target to the next. The zero Fallback
// does not.
type Fallback struct {
	On       bool
	Cooldown time.Duration // for which calls of the instance keep away from a target that failed
	// SeenEvery is the cycle in which the client learns of cooldowns: it acts on what stood
	// there at the last multiple of this, as a router does that reads them from a cache, or an
	// outlier detection that works in sweeps. 0 means that it knows at once.
	SeenEvery time.Duration
}

// Describe says how long a target that failed is avoided.
func (f Fallback) Describe() string {
	if f.SeenEvery > 0 {
		return fmt.Sprintf("fallback, cooldown %v seen every %v", f.Cooldown, f.SeenEvery)
	}
	return fmt.Sprintf("fallback, cooldown %v", f.Cooldown)
}

// CooldownState is what an instance remembers of a target that failed. The zero value is a
// target that did not.
type CooldownState struct {
	until time.Duration // of the last failure's cooldown
	cycle int64         // in which it was set
	seen  time.Duration // what stood in its place when that cycle began
}

// Fail notes a failure.
func (c *CooldownState) Fail(f *Fallback, now time.Duration) {
	if f.SeenEvery > 0 {
		if cycle := int64(now / f.SeenEvery); cycle != c.cycle {
			c.cycle, c.seen = cycle, c.until
		}
	}
	c.until = now + f.Cooldown
}

// Away is whether calls keep away from the target.
func (c *CooldownState) Away(f *Fallback, now time.Duration) bool {
	if f.SeenEvery == 0 {
		return c.until > now
	}
	cycle := int64(now / f.SeenEvery)
	if cycle == c.cycle {
		return c.seen > time.Duration(cycle)*f.SeenEvery
	}
	return c.until > time.Duration(cycle)*f.SeenEvery
}
