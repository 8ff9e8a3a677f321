package policy

import (
	"math"
	"testing"
	"time"
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
	} {
		c1 := Client{Retry: c.r}
		if got, ok := c1.MaxDuration(0); !ok || got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	layers := Client{Retry: Retry{Attempts: 3000}}
	for range 6 {
		layers.Outer = append(layers.Outer, Layer{Retry: Retry{Attempts: 3000}})
	}
	if n := layers.Attempts(); n != math.MaxInt {
		t.Errorf("3000^7 attempts are %d, want the largest number there is", n)
	}
}
