package provider

import (
	"fmt"
	"math"
	"math/bits"
	"time"

	"stampede/sim"
)

// Ramp limits how fast traffic may grow. It is a fixed window of Every, enforced in
// slices of Period (see sliced), whose amount follows what was used in the window
// before:
//
//	amount = max(From Every/Period, (1+Growth) used)
//
// rounded up, so that traffic of any size can grow. Above the threshold a slice holds a
// whole number: 1/s that grows by half passes 2 in 1.333 s. A window without traffic
// ends all growth.
type Ramp struct {
	From   int64 // per Period: the threshold
	Period time.Duration
	Growth int64 // in each Every, in millionths
	Every  time.Duration

	sliced
	whole, part Window // the window and its slices
	used        int64  // in the window before
	at          sim.Time
}

const million = 1_000_000

// NewRamp makes a ramp limit at time 0, after a window in which so much was used.
func NewRamp(from int64, period time.Duration, growth float64, every time.Duration, used int64) *Ramp {
	r := &Ramp{
		From: from, Period: period, Growth: int64(math.Round(growth * million)), Every: every,
		whole: NewWindow(0, every, 0), part: newWindowWithin(0, period, every, 0), used: used,
	}
	r.sliced = sliced{window: &r.whole, slice: &r.part}
	r.allow()
	return r
}

// allow sets the amounts of the window and its slices.
func (r *Ramp) allow() {
	r.whole.amount = mulDivUp(r.From, int64(r.Every), int64(r.Period))
	r.part.amount, r.part.period = r.From, r.Period
	grown := r.used + min(mulDivUp(r.used, r.Growth, million), math.MaxInt64-r.used)
	// Above the threshold: grown/Every > From/Period.
	gh, gl := bits.Mul64(uint64(grown), uint64(r.Period))
	fh, fl := bits.Mul64(uint64(r.From), uint64(r.Every))
	if gh > fh || gh == fh && gl > fl {
		r.whole.amount = grown
		r.part.amount, r.part.period = sliceOf(grown, r.Every, r.Period)
	}
}

// Advance implements meter.
func (r *Ramp) Advance(now sim.Time) {
	if last, next := r.whole.start(r.at), r.whole.start(now); next != last {
		r.used = r.whole.used
		if next-last > r.Every {
			r.used = 0 // a whole window without traffic lies between
		}
		r.allow()
	}
	r.sliced.Advance(now)
	r.at = now
}

// Reshape implements meter.
func (r *Ramp) Reshape(amount int64, period time.Duration, _ int64) {
	r.From, r.Period = amount, period
	r.allow()
}

// ramping is the counting of ramps.
type ramping struct{}

func (ramping) check(l *Limit) error {
	if l.Every < l.Period {
		return fmt.Errorf("the limit %s grows every %v; allowed is at least its period %v",
			l.label(), l.Every, l.Period)
	}
	return nil
}

func (ramping) meter(l *Limit) meter { return NewRamp(l.Amount, l.Period, l.Growth, l.Every, l.Before) }

// within is what its windows count if those before were used up, or as far as the traffic did.
func (ramping) within(l *Limit, from, to sim.Time, used, slack int64, asked traffic) int64 {
	const tooMany = 100_000
	if slack > 0 || l.Rejected == IntoDebt || to/l.Every > tooMany {
		return NoBound // what passes the ceiling makes the next one higher
	}
	r := NewRamp(l.Amount, l.Period, l.Growth, l.Every, l.Before)
	sum := int64(0)
	for begins := sim.Time(0); begins <= to && sum < NoBound; begins += l.Every {
		w := window{l.Every, r.whole.amount, r.part.period, r.part.amount}
		if ends := begins + l.Every - 1; from <= ends {
			sum = plus(sum, w.within(max(from-begins, 0), min(to, ends)-begins, used, 0))
			used = 0
		}
		r.used = w.amount
		if asked != nil {
			r.used = min(r.used, asked(begins, begins+l.Every))
		}
		r.allow()
	}
	return sum
}

// refilled has the ceiling of each slice that has begun.
func (ramping) refilled(l *limiter, at sim.Time) float64 {
	r := l.meter.(*Ramp)
	return float64((r.part.start(at-1)-l.slice)/r.part.period) * float64(l.ceiling)
}
