package sim

import (
	"math"
	"math/bits"
	"testing"
)

func TestUniformStaysInsideTheOpenInterval(t *testing.T) {
	if u := unit(0); u != 0x1p-53 {
		t.Errorf("least value %g, want 2^-53", u)
	}
	if u := unit(^uint64(0)); u != 1-0x1p-53 {
		t.Errorf("largest value %g, want 1-2^-53", u)
	}
}

// The finaliser is a bijection: each of its steps is undone in turn, for ids
// whose halves are alike as well.
func TestMixLosesNothing(t *testing.T) {
	unshift := func(x uint64, n int) uint64 {
		y := x
		for range 64 / n {
			y = x ^ y>>n
		}
		return y
	}
	inverse := func(odd uint64) uint64 { // Newton's iteration modulo 2^64
		y := odd
		for range 6 {
			y *= 2 - odd*y
		}
		return y
	}
	for i := range uint64(10_000) {
		for _, x := range []uint64{i, i << 32, i<<32 | i, ^i} {
			y := unshift(mix(x), 31) * inverse(0x94d049bb133111eb)
			y = unshift(y, 27) * inverse(0xbf58476d1ce4e5b9)
			if y = unshift(y, 30); y != x {
				t.Fatalf("%#x comes back as %#x", x, y)
			}
		}
	}
}

// A million draws of 64 bits for a million ids are all different (a repeat has
// the probability 3e-8), and so are those for ids in the upper half.
func TestDrawsDiffer(t *testing.T) {
	for name, draw := range map[string]func(i uint64) uint64{
		"ids":         func(i uint64) uint64 { return NewKey(1, 0).For(1).Bits(i, 1) },
		"high ids":    func(i uint64) uint64 { return NewKey(1, 0).For(1).Bits(i<<32, 1) },
		"second ids":  func(i uint64) uint64 { return NewKey(1, 0).For(1).Bits(1, i) },
		"purposes":    func(i uint64) uint64 { return uint64(NewKey(1, 0).For(i)) },
		"seeds":       func(i uint64) uint64 { return uint64(NewKey(i, 0)) },
		"replication": func(i uint64) uint64 { return uint64(NewKey(1, int(i))) },
	} {
		seen := make(map[uint64]bool, 1<<20)
		for i := range uint64(1 << 20) {
			seen[draw(i)] = true
		}
		if len(seen) != 1<<20 {
			t.Errorf("%s: %d of %d draws differ", name, len(seen), 1<<20)
		}
	}
}

// Neighbouring ids, purposes, replications and seeds give uniform, unrelated
// numbers: mean 1/2, variance 1/12, correlation 0 with each neighbour, each
// within 4 standard errors for n = 200,000.
func TestNeighbouringKeysAreIndependent(t *testing.T) {
	const n = 200_000
	base := NewKey(1, 0).For(1)
	for name, draw := range map[string]func(i uint64) float64{
		"first id":    func(i uint64) float64 { return base.Uniform(i, 1) },
		"second id":   func(i uint64) float64 { return base.Uniform(1, i) },
		"both ids":    func(i uint64) float64 { return base.Uniform(i, i) },
		"purpose":     func(i uint64) float64 { return NewKey(1, 0).For(i).Uniform(1, 1) },
		"replication": func(i uint64) float64 { return NewKey(1, int(i)).For(1).Uniform(1, 1) },
		"seed":        func(i uint64) float64 { return NewKey(i, 0).For(1).Uniform(1, 1) },
	} {
		var m, lag Moments
		for i := range uint64(n) {
			u := draw(i)
			m.Add(u)
			lag.Add((u - 0.5) * (draw(i+1) - 0.5) * 12)
		}
		if d := math.Abs(m.Mean() - 0.5); d > 4*math.Sqrt(1.0/12/n) {
			t.Errorf("%s: mean is off by %g", name, d)
		}
		if d := math.Abs(m.Variance()*12 - 1); d > 4*math.Sqrt(0.8/n) {
			t.Errorf("%s: variance is off by the factor %g", name, d)
		}
		if d := math.Abs(lag.Mean()); d > 4/math.Sqrt(n) {
			t.Errorf("%s: correlation of neighbours %g", name, d)
		}
	}
}

// Flipping one bit of an id flips each bit of the result with probability 1/2:
// every flip count lies within 6 standard errors for n = 4,000.
func TestAvalanche(t *testing.T) {
	const n = 4000
	k := NewKey(1, 0)
	for bit := range 64 {
		flips := 0
		for i := range uint64(n) {
			flips += bits.OnesCount64(k.Bits(i, 7) ^ k.Bits(i^1<<bit, 7))
		}
		if d := math.Abs(float64(flips)/n - 32); d > 6*4/math.Sqrt(n) {
			t.Errorf("bit %d: %g of 64 bits flip, want 32", bit, float64(flips)/n)
		}
	}
}
