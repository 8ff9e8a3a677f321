package policy

import (
	"fmt"
	"math"
	"time"

	"stampede/internal/format"
	"stampede/sim"
)

// Backoff is the client's own wait before a retry. The zero Backoff does not
// wait at all.
//
// The ceiling before retry i (0 before the first) grows, from Base, by a factor or
// by a power, is held at Cap, and is then spread by Jitter:
//
//	grown    Base Factor^i + Offset, or Base i^Power + Offset where Power is set
//	m        min(Cap, grown), at least 0
//
//	none           m
//	equal          m/2 + U m/2
//	full           Least + U (m - Least), at least Least
//	minus share j  m (1 - j U)
//	around share j m (1 - j + 2 j U)
//	stretch j      min(Cap, grown (1 + j U))
//	plus span p    min(Cap, grown + p U)
//	beyond span p  m + p U
//	growing span p m + p (i+1) U
//	decorrelated   min(Cap, Base + U (3 last - Base)), last = Base before the first
//	smooth         min(Cap, Base (f(i+U) - f(i-1+U'))/1.4), f(t) = 2^t tanh(sqrt(4 t)), f of
//	               what is before the first 0
//
// with U uniform on (0, 1) and last the wait before. Equal, full and
// decorrelated are those of M. Brooker, "Exponential backoff and jitter", AWS
// architecture blog, 2015; minus share is that of the OpenAI and Anthropic SDKs; smooth
// is Polly's DecorrelatedJitterV2, whose U' is the U of the wait before: it is
// recovered from last, see previous.
type Backoff struct {
	Base   time.Duration
	Factor float64       // at least 1; 1 is a constant wait
	Power  float64       // in place of Factor; 0 means that it is not set
	Offset time.Duration // may be negative
	Cap    time.Duration // 0 means none
	Least  time.Duration // of Full
	// Window, in place of all of these, gives one attempt in each window of this length,
	// at a uniform instant of it: the wait is until the next window and into it. Windows
	// are counted from the instant from which Facts.Now counts.
	Window time.Duration
	Jitter Jitter
	Share  float64       // of MinusShare, Around and Stretch, from 0
	Plus   time.Duration // of PlusSpan, Beyond and Growing: the most that is added
}

// Jitter spreads a wait so that clients that failed together do not come back
// together.
type Jitter uint8

const (
	NoJitter Jitter = iota
	Equal
	Full
	MinusShare
	Decorrelated
	PlusSpan
	Around
	Stretch
	PlusBeyond
	PlusGrowing
	Smooth
)

// Wait is the backoff before retry i, counted from 0, after a wait of last, at
// the uniform number u. It is never negative and at most [sim.End].
func (b Backoff) Wait(i int, last time.Duration, u float64) time.Duration {
	if b.Base <= 0 {
		return 0
	}
	switch b.Jitter {
	case Decorrelated:
		if last < b.Base {
			last = b.Base
		}
		return b.capped(float64(b.Base) + u*(3*float64(last)-float64(b.Base)))
	case Smooth:
		before := 0.0
		if i > 0 {
			before = b.previous(i, last)
		}
		return b.capped(max(0, float64(b.Base)/smoothScale*(smooth(float64(i)+u)-before)))
	}
	grown := b.grown(i)
	m := b.capped(grown)
	switch b.Jitter {
	case Equal:
		return m/2 + scale(m-m/2, u)
	case Full:
		return max(b.Least, b.Least+scale(m-b.Least, u))
	case MinusShare:
		return scale(m, 1-b.Share*u)
	case Around:
		return scale(m, 1-b.Share+2*b.Share*u)
	case Stretch:
		return b.capped(grown * (1 + b.Share*u))
	case PlusSpan:
		return b.capped(grown + u*float64(b.Plus))
	case PlusBeyond:
		return sim.Plus(m, scale(b.Plus, u))
	case PlusGrowing:
		return sim.Plus(m, scale(b.Plus, u*float64(i+1)))
	}
	return m
}

// inWindow is the wait at now until a uniform instant of the next window.
func (b Backoff) inWindow(now time.Duration, u float64) time.Duration {
	return b.Window - now%b.Window + scale(b.Window, u)
}

// grown is the ceiling of retry i before the cap, in nanoseconds.
func (b Backoff) grown(i int) float64 {
	by := math.Pow(b.Factor, float64(i))
	if b.Power > 0 {
		by = math.Pow(float64(i), b.Power)
	}
	return max(0, float64(b.Base)*by+float64(b.Offset))
}

// smoothScale is 1/RpScalingFactor of Polly.
const smoothScale = 1.4

func smooth(t float64) float64 { return math.Exp2(t) * math.Tanh(math.Sqrt(4*t)) }

// previous is f(i-1+U') of the smooth jitter, from the wait that came of it. The wait
// before that one is not known, so U' of the wait at hand stands for its own: only the
// first of the two, f(U'), is exact; later ones are drawn from their mean, f(i-1/2).
func (b Backoff) previous(i int, last time.Duration) float64 {
	if i == 1 && last > 0 {
		return float64(last) / float64(b.Base) * smoothScale
	}
	return smooth(float64(i) - 0.5)
}

func (b Backoff) capped(wait float64) time.Duration {
	held := sim.Nanoseconds(wait)
	if b.Cap > 0 {
		return min(held, b.Cap)
	}
	return held
}

func scale(d time.Duration, by float64) time.Duration { return sim.Nanoseconds(float64(d) * by) }

// Range is the shortest and the longest wait before retry i; for decorrelated
// jitter, over all waits that can have come before.
func (b Backoff) Range(i int) (shortest, longest time.Duration) {
	if b.Window > 0 {
		return 0, 2 * b.Window
	}
	switch b.Jitter {
	case Decorrelated:
	case Smooth:
		return 0, b.capped(float64(b.Base) / smoothScale * smooth(float64(i)+1))
	default:
		return b.Wait(i, 0, b.atShortest()), b.Wait(i, 0, 1-b.atShortest())
	}
	longest = b.Base
	for range i + 1 {
		longest = b.Wait(i, longest, 1)
	}
	return b.Base, longest
}

func (b Backoff) atShortest() float64 {
	if b.Jitter == MinusShare {
		return 1
	}
	return 0
}

// String names the backoff with its parameters.
func (b Backoff) String() string {
	if b.Window > 0 {
		return fmt.Sprintf("once in each %v", b.Window)
	}
	if b.Base == 0 {
		return "no wait"
	}
	s := fmt.Sprintf("exponential %v x%g", b.Base, b.Factor)
	switch {
	case b.Power > 0:
		s = fmt.Sprintf("power %v i^%g", b.Base, b.Power)
	case b.Jitter == Decorrelated:
		s = fmt.Sprintf("decorrelated %v", b.Base)
	case b.Factor == 1:
		s = fmt.Sprintf("constant %v", b.Base)
	}
	if b.Offset != 0 {
		sign := ""
		if b.Offset > 0 {
			sign = "+"
		}
		s += fmt.Sprintf(" %s%v", sign, b.Offset)
	}
	if b.Cap > 0 && (b.Factor != 1 || b.Power > 0 || b.Jitter == Decorrelated) {
		s += fmt.Sprintf(" cap %v", b.Cap)
	}
	switch b.Jitter {
	case NoJitter:
		return s + " without jitter"
	case Equal:
		return s + " equal jitter"
	case Full:
		if b.Least > 0 {
			s += fmt.Sprintf(" from %v", b.Least)
		}
		return s + " full jitter"
	case Around:
		return s + fmt.Sprintf(" around by %s", format.Percent(b.Share))
	case Stretch:
		return s + fmt.Sprintf(" stretched by up to %s", format.Percent(b.Share))
	case PlusBeyond:
		return s + fmt.Sprintf(" plus up to %v beyond the cap", b.Plus)
	case PlusGrowing:
		return s + fmt.Sprintf(" plus up to %v times the retry", b.Plus)
	case Smooth:
		return s + " smooth jitter"
	case PlusSpan:
		return s + fmt.Sprintf(" plus up to %v", b.Plus)
	case MinusShare:
		return s + fmt.Sprintf(" minus up to %s", format.Percent(b.Share))
	}
	return s
}
