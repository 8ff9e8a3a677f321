package measure

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/mathext"

	"stampede/sim"
)

// Estimate is a mean over independent replications with its confidence
// interval.
type Estimate struct {
	Mean, Low, High float64
	N               int     // replications that had a value
	Unseen          float64 // where all have the same value, the largest share of others that may differ; else 0
}

// Half is half the width of the interval.
func (e Estimate) Half() float64 { return (e.High - e.Low) / 2 }

// Within clips the interval to the values that the quantity can have, which
// takes nothing from its coverage.
func (e Estimate) Within(least, most float64) Estimate {
	e.Low, e.High = max(e.Low, least), min(e.High, most)
	return e
}

// EstimateOf is the mean of independent values with its Student t interval at
// the level, such as 0.95: mean +- t(n-1, (1+level)/2) s/sqrt(n). NaN values are
// left out. With one value the interval is unbounded, with none all is NaN.
func EstimateOf(values []float64, level float64) Estimate {
	var m sim.Moments
	for _, v := range values {
		if !math.IsNaN(v) {
			m.Add(v)
		}
	}
	e := Estimate{Mean: m.Mean(), N: int(m.Count())}
	switch {
	case e.N == 0:
		e.Low, e.High = math.NaN(), math.NaN()
	case e.N == 1:
		e.Low, e.High = math.Inf(-1), math.Inf(1)
	default:
		half := StudentT(e.N-1, level) * m.StdDev() / math.Sqrt(float64(e.N))
		e.Low, e.High = e.Mean-half, e.Mean+half
	}
	return e
}

// StudentT is the two-sided critical value of Student's t with nu degrees of freedom at the level. With the regularised
// incomplete beta function I,
//
//	P(|T| > t) = I(x; nu/2, 1/2),  x = nu/(nu+t^2)
func StudentT(degrees int, level float64) float64 {
	key := critical{degrees, level}
	if t, ok := criticals.Load(key); ok {
		return t.(float64)
	}
	nu := float64(degrees)
	x := mathext.InvRegIncBeta(nu/2, 0.5, 2*(1-(1+level)/2))
	t := math.Sqrt(nu * (1 - x) / x)
	criticals.Store(key, t)
	return t
}

// criticals keeps critical values: they take microseconds to find, and reports
// ask for few of them a million times.
var criticals sync.Map // of float64 by critical

type critical struct {
	degrees int
	level   float64
}

// Indicator is 1 for true.
func Indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
