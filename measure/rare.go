package measure

import (
	"math"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mathext"
)

// Kind is what a metric can be, which says how far a replication that was not seen may lie from
// those that were.
type Kind int8

const (
	Quantity Kind = iota // seconds, dollars, rates: any distance
	Count                // events: at least one more
	Share                // 0..1, such as of calls or of replications
)

// Kind is that of the metric.
func (m Metric) Kind() Kind {
	switch m.Unit {
	case "share":
		return Share
	case "calls", "attempts", "requests", "effects", "tokens", "sessions":
		if !strings.Contains(m.Name, "_per_") {
			return Count
		}
	}
	return Quantity
}

// Estimate is the mean of the metric over replications with its interval at the level, such as
// 0.95. It is the one place where intervals of metrics come from.
//
// Student's t alone is right for what varies from replication to replication. Of an event that
// few replications show it is not: in 30 replications an event of probability 2 % is mostly
// unseen, and t then says 0 without a doubt. So, for n values of which k are not the most
// frequent one, v:
//
//   - k = 0, and randomness affects it: another value has at most the probability
//     q = 1 - (1-level)^(1/n), 9.5 % of 30 ("rule of three": about 3/n; Hanley and Lippman-Hand,
//     JAMA 249, 1983). The interval is v ± q for a count, whose least change is one event,
//     v ± q for a share at an end of its range, and v alone for others: a size of the change
//     is not known. Estimate.Unseen is q.
//   - a share that is 0 or 1 in each replication: the exact interval of Clopper and Pearson
//     (Biometrika 26, 1934) for the probability, from the quantiles of the beta law.
//   - k up to a quarter of n, of counts and shares: the hull of Student's t and of
//     v + d [low, high], with Clopper and Pearson's interval of k of n and the mean distance d
//     of those k values from v.
//
// What cannot be is cut off, which takes nothing from the coverage.
func (m Metric) Estimate(values []float64, random bool, level float64) Estimate {
	return estimate(m.Kind(), values, random && !m.Fixed, false, level).Within(0, m.max())
}

// Difference is Estimate for differences, paired by replication, of two sets of values.
func (m Metric) Difference(differences []float64, random bool, level float64) Estimate {
	return estimate(m.Kind(), differences, random && !m.Fixed, true, level)
}

func estimate(kind Kind, values []float64, random, difference bool, level float64) Estimate {
	e := EstimateOf(values, level)
	if e.N < 2 || !random {
		return e
	}
	mode, others, distance, ok := lump(values)
	if ok && others == 0 {
		e.Unseen = Unseen(e.N, level)
		if kind == Count || kind == Share && mode == math.Trunc(mode) {
			e.Low, e.High = mode-e.Unseen, mode+e.Unseen
		}
		return e
	}
	if kind == Share && !difference && indicator(values) {
		ones := int(math.Round(e.Mean * float64(e.N)))
		e.Low, e.High = ClopperPearson(ones, e.N, level)
		return e
	}
	if kind != Quantity && ok && 4*others <= e.N {
		low, high := ClopperPearson(others, e.N, level)
		a, b := mode+distance*low, mode+distance*high
		e.Low, e.High = min(e.Low, a, b), max(e.High, a, b)
	}
	return e
}

// Unseen is the largest probability of an event that none of n replications shows, at a level:
// (1-p)^n = 1 - level.
func Unseen(n int, level float64) float64 { return 1 - math.Pow(1-level, 1/float64(n)) }

// lump is the value that more than half of those there are have, how many are others, and their
// mean distance from it; ok is false where there is none. NaN is no value. The only candidate
// is what pairs of unlike values leave over (Boyer and Moore).
func lump(values []float64) (mode float64, others int, distance float64, ok bool) {
	left, n := 0, 0
	for _, v := range values {
		switch {
		case math.IsNaN(v):
			continue
		case left == 0:
			mode, left = v, 1
		case alike(v, mode):
			left++
		default:
			left--
		}
		n++
	}
	for _, v := range values {
		if !alike(v, mode) && !math.IsNaN(v) {
			others++
			distance += v - mode
		}
	}
	if others > 0 {
		distance /= float64(others)
	}
	return mode, others, distance, 2*others < n
}

// alike is equality but for the rounding of floats: 1000 x 0.00045 / 10 and 1000 x 0.000405 / 9.
func alike(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-12*math.Abs(b) }

func indicator(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v != 0 && v != 1 && !math.IsNaN(v) })
}

// ClopperPearson is the interval for a probability after k of n:
//
//	B(a/2; k, n-k+1) .. B(1-a/2; k+1, n-k)
//
// with the quantile B of the beta law and a = 1 - level. It holds the truth with at least the
// level for each n and each probability.
func ClopperPearson(k, n int, level float64) (low, high float64) {
	key := proportion{k, n, level}
	if both, ok := proportions.Load(key); ok {
		return both.([2]float64)[0], both.([2]float64)[1]
	}
	tail := (1 - level) / 2
	low, high = 0, 1
	if k > 0 {
		low = mathext.InvRegIncBeta(float64(k), float64(n-k+1), tail)
	}
	if k < n {
		high = mathext.InvRegIncBeta(float64(k+1), float64(n-k), 1-tail)
	}
	proportions.Store(key, [2]float64{low, high})
	return low, high
}

// proportions keeps intervals, as criticals keeps critical values.
var proportions sync.Map // of [2]float64 by proportion

type proportion struct {
	k, n  int
	level float64
}
