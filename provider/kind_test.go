package provider

import (
	"testing"
	"time"

	"stampede/sim"
)

// Every kind has a word of its own, a meter and a bound: a client that sends whenever it may, one
// request after the other or as many as can pass at once, gets no more than the bound from the
// start to any instant, and at least the limit's amount in its first period.
func TestEveryKindHasAMeterAndABound(t *testing.T) {
	for k := range kinds {
		kind := Kind(k)
		if back, ok := KindWords.Parse(KindWords.Word(kind)); back != kind || !ok {
			t.Errorf("kind %d: its word %q reads as kind %d", k, KindWords.Word(kind), back)
		}
		for _, quantum := range []time.Duration{0, 10 * time.Second} {
			for _, n := range []int64{1, 5} {
				l := Limit{
					Kind:    kind,
					Amount:  60,
					Period:  time.Minute,
					Quantum: quantum,
					Growth:  0.5,
					Every:   time.Minute,
				}
				if kind == Balance {
					l.Resource = Dollars
				}
				if err := l.Check(); err != nil {
					t.Fatalf("%v: %v", kind, err)
				}
				c := Config{Limits: []Limit{l}}
				supply := c.Supply(0)
				made := newLimiter(l, c)
				passed, first := int64(0), int64(0)
				for now := sim.Time(0); now < 3*time.Minute; now += time.Second / 2 {
					for made.advance(now); made.admits(n); passed += n {
						made.take(n)
					}
					if bound := supply.Within(0, now, slackOf(&l, n)); passed > bound {
						t.Errorf("%v, %d at a time: %d by %v, above its bound of %d", l.Describe(), n, passed, now,
							bound)
						break
					}
					if now < time.Minute {
						first = passed
					}
				}
				if first < l.Amount {
					t.Errorf("%v, %d at a time: %d in the first period, want at least %d", l.Describe(), n, first,
						l.Amount)
				}
			}
		}
	}
}

// slackOf is what may pass beyond the definition: of a limit that overflows, the last request.
func slackOf(l *Limit, n int64) int64 {
	if l.Overflows() {
		return n
	}
	return 0
}
