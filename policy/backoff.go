package policy

import (
	"fmt"
	"math"
	"time"

	"stampede/law"
	"stampede/sim"
)

// Backoff is the client's own wait before a retry. The zero Backoff does not
// wait at all.
//
// The ceiling before retry i (0 before the first) grows, from Base, as Growth says, is held at
// Cap, and is then spread by Jitter:
//
//	exponential  grown = Base Factor^i + Offset
//	power        grown = Base i^Exponent + Offset
//	list         grown = List[i] + Offset, the last one for all later retries
//	             m     = min(Cap, grown), at least 0
//
//	none           m
//	equal          m/2 + U m/2
//	full           Min + U (m - Min), at least Min
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
	Growth Growth
	Factor float64 // of Exponential: at least 1; 1 is a constant wait
	// Exponent is that of PowerLaw.
	Exponent float64
	List     []time.Duration // of Listed
	Offset   time.Duration   // may be negative
	Cap      time.Duration   // 0 means none
	Min      time.Duration   // of Full
	// Window, in place of all of these, gives one attempt in each window of this length,
	// at a uniform instant of it: the wait is until the next window and into it. Windows
	// are counted from the instant from which Facts.Now counts.
	Window time.Duration
	// Law, in place of all of these, gives each wait in seconds, drawn anew.
	Law    law.Law
	Jitter Jitter
	Share  float64       // of MinusShare, Around and Stretch, from 0
	Plus   time.Duration // of PlusSpan, Beyond and Growing: the maximum that is added
}

// Wait is the backoff before retry i, counted from 0, after a wait of last, at
// the uniform number u. It is never negative and at most [sim.End].
func (b *Backoff) Wait(i int, last time.Duration, u float64) time.Duration {
	switch {
	case b.Law != nil:
		return sim.Seconds(b.Law.Sample(u))
	case b.Base <= 0 && b.Growth != Listed:
		return 0
	}
	return jitters[b.Jitter].wait(b, i, last, u)
}

// inWindow is the wait at now until a uniform instant of the next window.
func (b *Backoff) inWindow(now time.Duration, u float64) time.Duration {
	return b.Window - now%b.Window + scale(b.Window, u)
}

// grown is the ceiling of retry i before the cap, in nanoseconds.
func (b *Backoff) grown(i int) float64 {
	return max(0, growths[b.Growth].wait(b, i)+float64(b.Offset))
}

// ceiling is that of retry i under the cap.
func (b *Backoff) ceiling(i int) time.Duration { return b.capped(b.grown(i)) }

func (b *Backoff) capped(wait float64) time.Duration {
	held := sim.Nanoseconds(wait)
	if b.Cap > 0 {
		return min(held, b.Cap)
	}
	return held
}

func scale(d time.Duration, by float64) time.Duration { return sim.Nanoseconds(float64(d) * by) }

// Range is the shortest and the longest wait before retry i; for decorrelated
// jitter, over all waits that can have come before.
func (b *Backoff) Range(i int) (shortest, longest time.Duration) {
	switch {
	case b.Window > 0:
		return 0, 2 * b.Window
	case b.Law != nil:
		low, high := law.Range(b.Law)
		return sim.Seconds(low), sim.Seconds(high)
	}
	j := &jitters[b.Jitter]
	switch {
	case j.bounds != nil && b.Base > 0:
		return j.bounds(b, i)
	case j.falls:
		return b.Wait(i, 0, 1), b.Wait(i, 0, 0)
	}
	return b.Wait(i, 0, 0), b.Wait(i, 0, 1)
}

// settled reports whether the longest waits from retry i on are all the same, given that and the one before.
func (b *Backoff) settled(i int, before, longest time.Duration) bool {
	switch {
	case b.Law != nil:
		return true
	case b.Growth == Listed:
		return i >= len(b.List)-1 && b.Jitter != PlusGrowing
	}
	return longest == before && longest == b.Cap
}

// On reports whether it waits at all.
func (b *Backoff) On() bool { return b.Base > 0 || b.Window > 0 || b.Law != nil || b.Growth == Listed }

// bounded reports whether a wait has a longest.
func (b *Backoff) bounded() bool {
	if b.Law == nil {
		return true
	}
	_, high := law.Range(b.Law)
	return !math.IsInf(high, 1)
}

// Describe names the backoff with its parameters.
func (b Backoff) Describe() string {
	if b.Window > 0 {
		return fmt.Sprintf("once in each %v", b.Window)
	}
	if b.Law != nil {
		return fmt.Sprintf("waits in seconds drawn from %v", b.Law)
	}
	if !b.On() {
		return "no wait"
	}
	s := growths[b.Growth].text(&b)
	if b.Offset != 0 {
		sign := ""
		if b.Offset > 0 {
			sign = "+"
		}
		s += fmt.Sprintf(" %s%v", sign, b.Offset)
	}
	if b.Cap > 0 && !b.constant() {
		s += fmt.Sprintf(" cap %v", b.Cap)
	}
	return s + jitters[b.Jitter].text(&b)
}
