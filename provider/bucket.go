package provider

import (
	"math/bits"
	"time"

	"stampede/sim"
)

// Bucket is a token bucket in exact integers. It holds at most Burst tokens,
// starts full and refills continuously with Amount tokens a Period:
//
//	level(t) = min(Burst, level(s) + Amount (t-s)/Period)
//
// so that over any span at most Burst + Amount (t-s)/Period tokens leave it,
// plus what was given back. Fractions of a token are kept as a remainder over
// Period, in nanoseconds, and never rounded: asking again after exactly the
// [Bucket.Wait] of an untouched bucket succeeds, and a nanosecond earlier fails.
//
// It is not a window: nothing resets at any instant.
type Bucket struct {
	amount, period, burst uint64
	perToken, perPart     float64 // nanoseconds for one token, and for one 1/period of it
	whole                 int64   // tokens; negative when in debt
	part                  uint64  // further tokens, in 1/period
	at                    sim.Time
}

// NewBucket makes a full bucket at time 0. All parameters must be positive.
func NewBucket(amount int64, period time.Duration, burst int64) Bucket {
	b := Bucket{whole: burst}
	b.set(amount, period, burst)
	return b
}

func (b *Bucket) set(amount int64, period time.Duration, burst int64) {
	if amount <= 0 || period <= 0 || burst <= 0 {
		panic("provider: a bucket needs a positive amount, period and burst")
	}
	b.amount, b.period, b.burst = uint64(amount), uint64(period), uint64(burst)
	b.perToken, b.perPart = float64(period)/float64(amount), 1/float64(amount)
}

// Advance refills the bucket up to now, which must not run backwards.
func (b *Bucket) Advance(now sim.Time) {
	elapsed := uint64(now - b.at)
	b.at = now
	if elapsed == 0 || b.whole >= int64(b.burst) {
		return
	}
	hi, lo := bits.Mul64(elapsed, b.amount)
	lo, carry := bits.Add64(lo, b.part, 0)
	var tokens, part uint64
	switch hi += carry; {
	case hi == 0: // nearly always, and a division of 64 bits is the faster one
		tokens, part = lo/b.period, lo%b.period
	case hi >= b.period: // more than 2^64 tokens
		b.fill()
		return
	default:
		tokens, part = bits.Div64(hi, lo, b.period)
	}
	if tokens >= b.burst-uint64(b.whole) { // also right in debt, by wrap-around
		b.fill()
		return
	}
	b.whole += int64(tokens)
	b.part = part
}

func (b *Bucket) fill() { b.whole, b.part = int64(b.burst), 0 }

// Has reports whether n tokens are there.
func (b *Bucket) Has(n int64) bool { return b.whole >= n }

// Take removes n tokens, into debt if they are not there.
func (b *Bucket) Take(n int64) { b.whole -= n }

// Drain removes n tokens, but not below a level of floor: what would go below
// leaves exactly floor, the fraction of a token gone with it. It returns how many
// whole tokens went.
func (b *Bucket) Drain(n, floor int64) int64 {
	before := b.whole
	switch {
	case b.whole-n >= floor:
		b.whole -= n
	case b.whole >= floor:
		b.whole, b.part = floor, 0
	}
	return before - b.whole
}

// Give puts n tokens back, whenever they were taken; above the burst they are lost.
func (b *Bucket) Give(n int64, _ sim.Time) {
	if b.whole += n; b.whole >= int64(b.burst) {
		b.fill()
	}
}

// Wait is the least span after which Has(n) will hold if nothing is taken
// meanwhile: the deficit over the rate, rounded up to a nanosecond. It is
// sim.Never for more than the bucket can hold.
func (b *Bucket) Wait(n int64) time.Duration {
	if b.Has(n) {
		return 0
	}
	if n > int64(b.burst) {
		return sim.Never
	}
	hi, lo := bits.Mul64(uint64(n-b.whole), b.period)
	lo, borrow := bits.Sub64(lo, b.part, 0)
	hi -= borrow
	if hi >= b.amount {
		return sim.Never
	}
	var wait, rest uint64
	if hi == 0 {
		wait, rest = lo/b.amount, lo%b.amount
	} else {
		wait, rest = bits.Div64(hi, lo, b.amount)
	}
	if rest > 0 {
		wait++
	}
	if wait >= uint64(sim.Never) {
		return sim.Never
	}
	return time.Duration(wait)
}

// Full is the span until the bucket is full if nothing is taken meanwhile, to the
// precision of a float64: what a header says, not what a wait rests on.
func (b *Bucket) Full() time.Duration {
	ns := float64(int64(b.burst)-b.whole)*b.perToken - float64(b.part)*b.perPart
	return sim.Nanoseconds(ns + 0.5)
}

// Level is the number of whole tokens there.
func (b *Bucket) Level() int64 { return b.whole }

// Reshape gives the bucket another rate and burst from now on. What is in it
// stays, up to the new burst.
func (b *Bucket) Reshape(amount int64, period time.Duration, burst int64) {
	old := b.period
	b.set(amount, period, burst)
	if b.part > 0 { // the same fraction over the new period, rounded down
		hi, lo := bits.Mul64(b.part, b.period)
		b.part, _ = bits.Div64(hi, lo, old)
	}
	if b.whole >= burst {
		b.fill()
	}
}

// continuous is the counting of buckets: Burst + Amount T/Period over a span T.
type continuous struct{}

func (continuous) meter(l *Limit) meter {
	b := NewBucket(l.Amount, l.Period, l.burst())
	return &b
}

func (continuous) within(l *Limit, from, to sim.Time, used, slack int64, _ traffic) int64 {
	return plus(l.burst()-used+slack, share(l.Amount, to-from, l.Period))
}

func (continuous) refilled(l *limiter, at sim.Time) float64 {
	return float64(l.Amount) * (at - l.since).Seconds() / l.Period.Seconds()
}
