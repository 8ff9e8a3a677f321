// Package law holds probability laws as functions of one uniform number.
//
// Sample maps a number from (0, 1) to a value: the quantile function for every
// simple law, so that a larger number never gives a smaller value and two runs
// with common numbers stay coupled. Parameters are in the notation of the
// literature; the unit is the caller's (seconds, tokens).
package law

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mathext"

	"stampede/internal/format"
)

// Law is a distribution of non-negative numbers.
type Law interface {
	// Sample is the value at the uniform number u, 0 < u < 1.
	Sample(u float64) float64
	// Mean is the expectation.
	Mean() float64
	// String names the law with its parameters.
	String() string
}

// Range is the support of a law: every draw lies in [low, high].
func Range(l Law) (low, high float64) {
	switch l := l.(type) {
	case Mixture:
		low = math.Inf(1)
		for _, p := range l {
			a, b := Range(p.Law)
			low, high = min(low, a), max(high, b)
		}
		return low, high
	case Empirical:
		return l.sorted[0], l.sorted[len(l.sorted)-1]
	case Times:
		low, high = Range(l.Law)
		return low * l.N, high * l.N
	}
	return l.Sample(0), l.Sample(1)
}

// Constant always gives its value.
type Constant float64

func (c Constant) Sample(float64) float64 { return float64(c) }
func (c Constant) Mean() float64          { return float64(c) }
func (c Constant) String() string         { return fmt.Sprintf("%g", float64(c)) }

// Uniform lies between Min and Max.
type Uniform struct{ Min, Max float64 }

func (d Uniform) Sample(u float64) float64 { return d.Min + (d.Max-d.Min)*u }
func (d Uniform) Mean() float64            { return (d.Min + d.Max) / 2 }
func (d Uniform) String() string {
	return "uniform(" + format.Number(d.Min) + ".." + format.Number(d.Max) + ")"
}

// Times is N times a draw from a law.
type Times struct {
	N   float64
	Law Law
}

func (d Times) Sample(u float64) float64 { return d.N * d.Law.Sample(u) }
func (d Times) Mean() float64            { return d.N * d.Law.Mean() }
func (d Times) String() string           { return fmt.Sprintf("%g x %v", d.N, d.Law) }

// Exponential has the mean Beta: P(X > x) = exp(-x/Beta).
type Exponential struct{ Beta float64 }

func (d Exponential) Sample(u float64) float64 { return -d.Beta * math.Log1p(-u) }
func (d Exponential) Mean() float64            { return d.Beta }
func (d Exponential) String() string           { return "exponential(mean " + format.Number(d.Beta) + ")" }

// Lognormal is exp of a normal with mean Mu and standard deviation Sigma.
type Lognormal struct{ Mu, Sigma float64 }

// LognormalFromQuantiles has the median p50 and the 95 % quantile p95,
// 0 < p50 <= p95: sigma = ln(p95/p50)/z(0.95).
func LognormalFromQuantiles(p50, p95 float64) Lognormal {
	return Lognormal{math.Log(p50), math.Log(p95/p50) / normalQuantile(0.95)}
}

// LognormalFromMean has the given mean and coefficient of variation:
// sigma^2 = ln(1+cv^2), mu = ln(mean) - sigma^2/2.
func LognormalFromMean(mean, cv float64) Lognormal {
	s2 := math.Log1p(cv * cv)
	return Lognormal{math.Log(mean) - s2/2, math.Sqrt(s2)}
}

func (d Lognormal) Sample(u float64) float64 { return math.Exp(d.Mu + d.Sigma*normalQuantile(u)) }
func (d Lognormal) Mean() float64            { return math.Exp(d.Mu + d.Sigma*d.Sigma/2) }
func (d Lognormal) String() string {
	return fmt.Sprintf("lognormal(p50 %s, p95 %s)", format.Number(d.Sample(0.5)), format.Number(d.Sample(0.95)))
}

// Gamma has the shape Alpha and the scale Theta: mean Alpha Theta, coefficient
// of variation 1/sqrt(Alpha).
type Gamma struct{ Alpha, Theta float64 }

// GammaFromMean has the given mean and coefficient of variation.
func GammaFromMean(mean, cv float64) Gamma { return Gamma{1 / (cv * cv), mean * cv * cv} }

func (d Gamma) Sample(u float64) float64 { return d.Theta * mathext.GammaIncRegInv(d.Alpha, u) }
func (d Gamma) Mean() float64            { return d.Alpha * d.Theta }
func (d Gamma) String() string {
	return fmt.Sprintf("gamma(mean %s, cv %s)", format.Number(d.Mean()), format.Number(1/math.Sqrt(d.Alpha)))
}

// Weibull has the shape K and the scale Lambda: P(X > x) = exp(-(x/Lambda)^K).
type Weibull struct{ K, Lambda float64 }

// WeibullFromMean has the given mean and coefficient of variation, which must
// lie in 0.05..50. The shape solves Gamma(1+2/k)/Gamma(1+1/k)^2 = 1 + cv^2.
func WeibullFromMean(mean, cv float64) Weibull {
	excess := func(k float64) float64 {
		a, _ := math.Lgamma(1 + 2/k)
		b, _ := math.Lgamma(1 + 1/k)
		return a - 2*b - math.Log1p(cv*cv)
	}
	low, high := 0.05, 50.0 // excess falls in k
	for range 200 {
		if mid := math.Sqrt(low * high); excess(mid) > 0 {
			low = mid
		} else {
			high = mid
		}
	}
	return Weibull{low, mean / math.Gamma(1+1/low)}
}

func (d Weibull) Sample(u float64) float64 { return d.Lambda * math.Pow(-math.Log1p(-u), 1/d.K) }
func (d Weibull) Mean() float64            { return d.Lambda * math.Gamma(1+1/d.K) }
func (d Weibull) String() string {
	return fmt.Sprintf("weibull(shape %s, scale %s)", format.Number(d.K), format.Number(d.Lambda))
}

// Empirical gives each of its values with equal probability.
type Empirical struct{ sorted []float64 }

// NewEmpirical is the law of a sample, which must not be empty.
func NewEmpirical(sample []float64) Empirical { return Empirical{slices.Sorted(slices.Values(sample))} }

func (d Empirical) Sample(u float64) float64 { return d.sorted[int(u*float64(len(d.sorted)))] }
func (d Empirical) Mean() float64 {
	sum := 0.0
	for _, x := range d.sorted {
		sum += x
	}
	return sum / float64(len(d.sorted))
}
func (d Empirical) String() string { return fmt.Sprintf("empirical(%d values)", len(d.sorted)) }

// Mixture draws from each part with a probability in proportion to its weight.
// The uniform number picks the part and, stretched again to (0, 1), the value
// within it, so a mixture needs one number like every other law; its Sample is
// not monotone across parts.
type Mixture []Part

// Part is one law of a mixture.
type Part struct {
	Weight float64 // above 0
	Law    Law
}

func (d Mixture) total() (sum float64) {
	for _, p := range d {
		sum += p.Weight
	}
	return sum
}

func (d Mixture) Sample(u float64) float64 {
	at := u * d.total()
	last := len(d) - 1
	for _, p := range d[:last] {
		if at < p.Weight {
			return p.Law.Sample(inside(at / p.Weight))
		}
		at -= p.Weight
	}
	return d[last].Law.Sample(inside(at / d[last].Weight))
}

func (d Mixture) Mean() float64 {
	sum := 0.0
	for _, p := range d {
		sum += p.Weight * p.Law.Mean()
	}
	return sum / d.total()
}

func (d Mixture) String() string {
	var parts []string
	for _, p := range d {
		parts = append(parts, fmt.Sprintf("%s x %v", format.Number(p.Weight/d.total()), p.Law))
	}
	return strings.Join(parts, " + ")
}

// inside keeps a number that rounding pushed to an end within (0, 1).
func inside(u float64) float64 { return min(max(u, 0x1p-53), 1-0x1p-53) }

// normalQuantile is the standard normal quantile function.
func normalQuantile(u float64) float64 { return math.Sqrt2 * math.Erfinv(2*u-1) }

// Blend correlates two uniform numbers: its result is uniform again and shares
// the part rho of its variance, on the normal scale, with common (a Gaussian
// copula). rho 0 gives own, rho 1 gives common.
func Blend(common, own, rho float64) float64 {
	switch rho {
	case 0:
		return own
	case 1:
		return common
	}
	z := math.Sqrt(rho)*normalQuantile(common) + math.Sqrt(1-rho)*normalQuantile(own)
	return inside(0.5 * math.Erfc(-z/math.Sqrt2))
}
