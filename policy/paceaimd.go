package policy

import (
	"fmt"
	"time"

	"stampede/internal/format"
	"stampede/wire"
)

// PaceAIMD changes the rate of a [PaceBucket], which is that at the start:
//
//	refused (429, 503, 529)    rate (1 - Cut), unless the last cut is more recent than Cooldown
//	answered                   rate + Add, unless the last change is more recent than Every
//
// held between Min and Max. With a provider that refuses above a rate C the rate is a sawtooth
// between C (1 - Cut) and C, of mean C (1 - Cut/2).
type PaceAIMD struct {
	Min, Max float64 // requests a second; a Max of 0 means none
	Add      float64 // requests a second; 0 means that the rate stays
	Every    time.Duration
	Cut      float64 // 0..1
	Cooldown time.Duration
}

// On reports whether the rate changes.
func (a PaceAIMD) On() bool { return a.Add > 0 }

// Describe names the rule with its parameters.
func (a PaceAIMD) Describe() string {
	s := fmt.Sprintf("AIMD from %.4g/s", a.Min)
	if a.Max > 0 {
		s += fmt.Sprintf(" to %.4g/s", a.Max)
	}
	s += fmt.Sprintf(": +%.4g/s every %v, -%s when refused", a.Add, a.Every, format.Percent(a.Cut))
	if a.Cooldown > 0 {
		s += fmt.Sprintf(" at most every %v", a.Cooldown)
	}
	return s
}

// paceAIMD is the rule at work.
type paceAIMD struct {
	changed time.Duration // the last time
	cut     time.Duration // the last time
	wasCut  bool
}

// next is the rate after a reply of that class.
func (s *paceAIMD) next(a *PaceAIMD, now time.Duration, rate float64, class wire.Class) float64 {
	switch {
	case class == wire.Throttled || class == wire.Overloaded:
		if s.wasCut && now-s.cut < a.Cooldown {
			return rate
		}
		s.changed, s.cut, s.wasCut = now, now, true
		return max(a.Min, rate*(1-a.Cut))
	case class == wire.OK && now-s.changed >= a.Every:
		s.changed = now
		rate += a.Add
		if a.Max > 0 {
			rate = min(rate, a.Max)
		}
	}
	return rate
}
