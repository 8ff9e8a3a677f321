package policy

import (
	"math"
	"testing"
	"time"

	"stampede/law"
)

// The horizon of a client, by hand.
func TestHorizon(t *testing.T) {
	exponential := func(base, most time.Duration, jitter Jitter) Backoff {
		return Backoff{Base: base, Factor: 2, Cap: most, Jitter: jitter}
	}
	slow := exponential(s, 0, Full)
	for _, c := range []struct {
		name string
		r    Retry
		want time.Duration
	}{
		{"1 + 2 + 4 s", Retry{Attempts: 4, Backoff: exponential(s, 0, Full)}, 7 * s},
		{"1 + 2 and then 98 times 3 s", Retry{Attempts: 101, Backoff: exponential(s, 3*s, Full)}, 297 * s},
		{"after a 429 it waits longer: 1 + 2 s", Retry{Attempts: 3, Backoff: exponential(50*ms, 0, Full),
			Throttled: &slow}, 3 * s},
		// Up to three times the last wait: 3, 9, 20 and 20 s, capped.
		{"decorrelated", Retry{Attempts: 5, Backoff: Backoff{Base: s, Cap: 20 * s, Jitter: Decorrelated}}, 52 * s},
		{"decorrelated, a million", Retry{Attempts: 1_000_001,
			Backoff: Backoff{Base: s, Cap: 3 * s, Jitter: Decorrelated}}, 3_000_000 * s},
		{"a list, whose last repeats: 4 + 8 + 3 x 16 s", Retry{Attempts: 6,
			Backoff: Backoff{Growth: Listed, List: listed}}, 60 * s},
		{"a list that begins with no wait: 0 + 2 x 5 s", Retry{Attempts: 4,
			Backoff: Backoff{Growth: Listed, List: []time.Duration{0, 5 * s}}}, 10 * s},
		// 1 + 1, 1 + 2, 1 + 3 s.
		{"a list with a growing jitter", Retry{Attempts: 4, Backoff: Backoff{Growth: Listed, List: []time.Duration{s},
			Jitter: PlusGrowing, Plus: s}}, 9 * s},
		{"a law: 3 times up to 3 s", Retry{Attempts: 4, Backoff: Backoff{Law: law.Uniform{Min: 1, Max: 3}}}, 9 * s},
		{"a law without a longest wait, before a deadline", Retry{Attempts: 4, Deadline: 10 * s,
			Backoff: Backoff{Law: law.Exponential{Beta: 1}}}, 10 * s},
	} {
		c1 := Client{Retry: c.r}
		if got, ok := c1.MaxDuration(0); !ok || got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	endless := Client{Retry: Retry{Attempts: 4, Backoff: Backoff{Law: law.Exponential{Beta: 1}}}}
	if got, ok := endless.MaxDuration(0); ok {
		t.Errorf("exponential waits last at most %v, want no bound", got)
	}
	layers := Client{Retry: Retry{Attempts: 3000}}
	for range 6 {
		layers.Outer = append(layers.Outer, Layer{Retry: Retry{Attempts: 3000}})
	}
	if n := layers.Attempts(); n != math.MaxInt {
		t.Errorf("3000^7 attempts are %d, want the largest number there is", n)
	}
}
