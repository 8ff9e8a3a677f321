package policy

import (
	"fmt"
	"math"
	"time"
)

// Backoff is the client's own wait before a retry. The zero Backoff does not
// wait at all.
//
// The ceiling before retry i (0 before the first) grows as Base Factor^i, is
// held at Cap, and is then spread by Jitter:
//
//	none           m
//	equal          m/2 + U m/2
//	full           U m
//	minus share j  m (1 - j U)
//	plus span p    min(Cap, m + p U), m here not yet held at Cap
//	decorrelated   min(Cap, Base + U (3 last - Base)), last = Base before the first
//
// with U uniform on (0, 1) and last the wait before. Equal, full and
// decorrelated are those of M. Brooker, "Exponential backoff and jitter", AWS
// architecture blog, 2015; minus share is that of the OpenAI and Anthropic SDKs.
type Backoff struct {
	Base   time.Duration
	Factor float64       // at least 1; 1 is a constant wait
	Cap    time.Duration // 0 means none
	Jitter Jitter
	Share  float64       // of MinusShare: the largest part taken off, 0..1
	Plus   time.Duration // of PlusSpan: the most that is added
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
)

// longest keeps instants within the range of durations: 73 years.
const longest = time.Duration(1 << 61)

// Wait is the backoff before retry i, counted from 0, after a wait of last, at
// the uniform number u. It is never negative and at most 73 years.
func (b Backoff) Wait(i int, last time.Duration, u float64) time.Duration {
	if b.Base <= 0 {
		return 0
	}
	if b.Jitter == Decorrelated {
		if last < b.Base {
			last = b.Base
		}
		return b.capped(float64(b.Base) + u*(3*float64(last)-float64(b.Base)))
	}
	grown := float64(b.Base) * math.Pow(b.Factor, float64(i))
	if b.Jitter == PlusSpan {
		return b.capped(grown + u*float64(b.Plus))
	}
	m := b.capped(grown)
	switch b.Jitter {
	case Equal:
		return m/2 + scale(m-m/2, u)
	case Full:
		return scale(m, u)
	case MinusShare:
		return scale(m, 1-b.Share*u)
	}
	return m
}

func (b Backoff) capped(wait float64) time.Duration {
	most := longest
	if b.Cap > 0 {
		most = min(most, b.Cap)
	}
	if !(wait < float64(most)) {
		return most
	}
	return time.Duration(wait)
}

func scale(d time.Duration, by float64) time.Duration { return time.Duration(float64(d) * by) }

// Range is the shortest and the longest wait before retry i; for decorrelated
// jitter, over all waits that can have come before.
func (b Backoff) Range(i int) (shortest, longest time.Duration) {
	if b.Jitter != Decorrelated {
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
	if b.Base == 0 {
		return "no wait"
	}
	s := fmt.Sprintf("exponential %v x%g", b.Base, b.Factor)
	switch {
	case b.Jitter == Decorrelated:
		s = fmt.Sprintf("decorrelated %v", b.Base)
	case b.Factor == 1:
		s = fmt.Sprintf("constant %v", b.Base)
	}
	if b.Cap > 0 && (b.Factor != 1 || b.Jitter == Decorrelated) {
		s += fmt.Sprintf(" cap %v", b.Cap)
	}
	switch b.Jitter {
	case NoJitter:
		return s + " without jitter"
	case Equal:
		return s + " equal jitter"
	case Full:
		return s + " full jitter"
	case PlusSpan:
		return s + fmt.Sprintf(" plus up to %v", b.Plus)
	case MinusShare:
		return s + fmt.Sprintf(" minus up to %g%%", 100*b.Share)
	}
	return s
}
