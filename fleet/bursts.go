package fleet

import (
	"fmt"
	"math"
	"time"

	"stampede/internal/format"
	"stampede/sim"
)

// Bursts is Calls calls at once, again and again: burst i comes at i times Every.
type Bursts struct {
	Calls uint64 // of each burst
	Every time.Duration
}

// Next implements Process.
func (b Bursts) Next(k uint64, last sim.Time, _ float64) (sim.Time, bool) {
	if k > 0 && k%b.Calls == 0 {
		return sim.Plus(last, b.Every), true
	}
	return last, true
}

// Before is how many calls come before an instant.
func (b Bursts) Before(t sim.Time) float64 {
	if t <= 0 {
		return 0
	}
	return float64(b.Calls) * float64((t-1)/b.Every+1)
}

func (b Bursts) Describe() string {
	return fmt.Sprintf("%d at once, every %s", b.Calls, format.Duration(b.Every))
}

// Uniform is Calls calls, each at an instant of its own that is equally likely anywhere in Over: a
// Poisson process of which the number of arrivals is known. In order of time, the first of the n that
// are left after an instant comes when a share X of what is left of the time has passed, with
//
//	P(X > x) = (1 - x)^n
//
// so that arrival k of N, from 1, has the beta law of mean k / (N + 1).
type Uniform struct {
	Calls uint64
	Over  time.Duration
}

// Next implements Process.
func (u Uniform) Next(k uint64, last sim.Time, lot float64) (sim.Time, bool) {
	if k >= u.Calls {
		return 0, false
	}
	share := -math.Expm1(math.Log1p(-lot) / float64(u.Calls-k))
	return min(u.Over, last+sim.Time(share*float64(u.Over-last))), true
}

// Expected is the number of arrivals expected until an instant.
func (u Uniform) Expected(t sim.Time) float64 {
	return float64(u.Calls) * float64(min(t, u.Over)) / float64(u.Over)
}

func (u Uniform) Describe() string { return "at random instants over " + format.Duration(u.Over) }
