package scenario

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"
)

// drawn counts the labels that a sample of one axis takes.
func drawn(t *testing.T, axis string, points int, sample Sample) map[string]int {
	t.Helper()
	a, err := ParseAxis(axis)
	if err != nil {
		t.Fatal(err)
	}
	s := Sweep{Axes: []Axis{a}, Points: Count(points), Sample: sample}
	count := map[string]int{}
	for i := range points {
		count[s.Point(i, 1)[0].Label]++
	}
	return count
}

// A stratified sample of N points has N/n of each of n equally likely values, exactly
// where n divides N: a Latin hypercube always, a Halton sequence of one axis (base 2)
// where N/n is a whole number and N a power of two.
func TestSamplesOfWholeNumbers(t *testing.T) {
	for _, c := range []struct {
		axis         string
		sample       Sample
		points, each int
		from, to     int
		unit         string
	}{
		{"a=1..4", "latin_hypercube", 400, 100, 1, 4, ""},
		{"a=1..10", "latin_hypercube", 10, 1, 1, 10, ""},
		{"a=10s..19s", "latin_hypercube", 30, 3, 10, 19, "s"},
		{"a=1..4", "halton", 256, 64, 1, 4, ""},
		{"a=0..7", "halton", 8, 1, 0, 7, ""},
	} {
		got := drawn(t, c.axis, c.points, c.sample)
		for x := c.from; x <= c.to; x++ {
			if label := strconv.Itoa(x) + c.unit; got[label] != c.each {
				t.Errorf("%s, %d points of a %s: %d of %s, want %d", c.axis, c.points, c.sample, got[label], label,
					c.each)
			}
		}
	}
	// On a logarithmic scale k has the part log((k+1/2)/(k-1/2)) / log(16.5/0.5): of 3,500
	// points 1,100 are 1 (log 3 / log 33 = 0.3142) and 63 are 16 (log(16.5/15.5) / log 33 = 0.01788).
	got := drawn(t, "a=1..16 log", 3500, "latin_hypercube")
	for label, want := range map[string]float64{"1": 3500 * math.Log(3) / math.Log(33),
		"16": 3500 * math.Log(16.5/15.5) / math.Log(33)} {
		if math.Abs(float64(got[label])-want) > 1 {
			t.Errorf("1..16 log: %d of %s, want %.1f", got[label], label, want)
		}
	}
}

// No two axes of a Halton sequence run together, not even those of large bases: the
// correlation of 64 independent pairs has the standard deviation 1/8, and of the 435
// pairs of 30 axes the largest is below 4/8 unless something is wrong.
func TestHaltonAxesAreApart(t *testing.T) {
	const axes, points = 30, 64
	s := Sweep{Points: points}
	for k := range axes {
		a, err := ParseAxis(fmt.Sprintf("a%d=0.0..1.0", k))
		if err != nil {
			t.Fatal(err)
		}
		s.Add(a)
	}
	var at [axes][points]float64
	for i := range points {
		for k, v := range s.Point(i, 1) {
			at[k][i], _ = strconv.ParseFloat(v.Label, 64)
		}
	}
	correlation := func(a, b [points]float64) float64 {
		var ma, mb, ab, aa, bb float64
		for i := range points {
			ma, mb = ma+a[i]/points, mb+b[i]/points
		}
		for i := range points {
			x, y := a[i]-ma, b[i]-mb
			ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
		}
		return ab / math.Sqrt(aa*bb)
	}
	for k := range axes {
		tenths := map[int]int{}
		for _, x := range at[k] {
			tenths[int(x*10)]++
		}
		if len(tenths) < 10 {
			t.Errorf("axis %d reaches %d tenths of its range", k, len(tenths))
		}
		for j := range k {
			if r := correlation(at[j], at[k]); math.Abs(r) > 0.5 {
				t.Errorf("axes %d and %d (bases %d and %d) correlate by %.2f", j, k, primes[j], primes[k], r)
			}
		}
	}
	if !slices.IsSorted(primes) || primes[0] != 2 || primes[29] != 113 || primes[12] != 41 {
		t.Errorf("the primes begin %v", primes[:30])
	}
}

// Commas split values, but not inside brackets, braces and quotes.
func TestSplitTop(t *testing.T) {
	for text, want := range map[string][]string{
		"a, b,c":                   {"a", "b", "c"},
		"{a: 1, b: [2, 3]}, none":  {"{a: 1, b: [2, 3]}", "none"},
		`"a,b", c`:                 {`"a,b"`, "c"},
		`"a\",b", c`:               {`"a\",b"`, "c"},
		`'it''s, so', c`:           {`'it''s, so'`, "c"},
		"it's, so":                 {"it's", "so"},
		`{key: "a}, b"}, c`:        {`{key: "a}, b"}`, "c"},
		`fleet.key="a,b",policy=x`: {`fleet.key="a,b"`, "policy=x"},
		`"never, closed`:           {`"never, closed`},
		"":                         {""},
	} {
		if got := SplitTop(text); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
