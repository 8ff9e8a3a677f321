package provider

import (
	"math"
	"math/bits"
	"time"

	"stampede/sim"
)

// sliced enforces a window in slices beside it: what passes must fit in both.
//
// A slice holds a whole number of requests or tokens. With a = Amount Quantum/Period,
//
//	n = ceil(a)                  at most n pass in a slice
//	s = n Period/Amount          which lasts so long, rounded up to a nanosecond
//
// so that slices pass Amount a Period and no more: s is Quantum where a is whole
// (60/min every second: 1 in 1 s), and longer where it is not (90/min: 2 in 1.333 s;
// 10/min: 1 in 6 s; 100/day: 1 in 864 s). The slices of a fixed window begin with it,
// those of a sliding window are any span of s.
type sliced struct {
	window, slice meter
	quantum       time.Duration
}

// sliceOf is how much may pass in a slice, and how long it lasts.
func sliceOf(amount int64, period, quantum time.Duration) (n int64, span time.Duration) {
	n = mulDivUp(amount, int64(quantum), int64(period))
	return n, time.Duration(mulDivUp(n, int64(period), amount))
}

// mulDivUp is a b/c, rounded up, for numbers that are not negative; at most the largest
// integer.
func mulDivUp(a, b, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi >= uint64(c) {
		return math.MaxInt64
	}
	q, rest := bits.Div64(hi, lo, uint64(c))
	if rest > 0 {
		q++
	}
	return int64(min(q, math.MaxInt64))
}

func newSlicedWindow(amount int64, period, offset, quantum time.Duration) *sliced {
	n, span := sliceOf(amount, period, quantum)
	whole, slice := NewWindow(amount, period, offset), newWindowWithin(n, span, period, offset)
	return &sliced{&whole, &slice, quantum}
}

func newSlicedSliding(amount int64, period, quantum time.Duration) *sliced {
	whole, slice := NewSliding(amount, period), NewSliding(sliceOf(amount, period, quantum))
	return &sliced{&whole, &slice, quantum}
}

func (s *sliced) Advance(now sim.Time)       { s.window.Advance(now); s.slice.Advance(now) }
func (s *sliced) Has(n int64) bool           { return s.window.Has(n) && s.slice.Has(n) }
func (s *sliced) Take(n int64)               { s.window.Take(n); s.slice.Take(n) }
func (s *sliced) Drain(n, floor int64) int64 { return drain(s, n, floor) }
func (s *sliced) Give(n int64, at sim.Time)  { s.window.Give(n, at); s.slice.Give(n, at) }
func (s *sliced) Wait(n int64) time.Duration { return max(s.window.Wait(n), s.slice.Wait(n)) }
func (s *sliced) Level() int64               { return min(s.window.Level(), s.slice.Level()) }

// Reshape implements meter.
func (s *sliced) Reshape(amount int64, period time.Duration, _ int64) {
	n, span := sliceOf(amount, period, s.quantum)
	s.window.Reshape(amount, period, 0)
	if w, ok := s.slice.(*Window); ok {
		w.within = period
	}
	s.slice.Reshape(n, span, 0)
}
