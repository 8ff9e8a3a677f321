package law

import (
	"fmt"
	"math"
	"testing"
)

func near(a, b, relative float64) bool { return math.Abs(a-b) <= relative*math.Abs(b) }

// The mean and the coefficient of variation of each law by the midpoint rule on
// 200,000 cells of (0, 1), against the textbook's.
func TestMomentsMatchTheTextbook(t *testing.T) {
	if testing.Short() {
		t.Skip("its tolerance needs all of its calls")
	}
	const n = 200_000
	for _, c := range []struct {
		law      Law
		mean, cv float64
	}{
		{Constant(3), 3, 0},
		{Uniform{1, 3}, 2, 1 / math.Sqrt(12)},
		{Exponential{2}, 2, 1},
		{LognormalFromMean(2, 0.5), 2, 0.5},
		{LognormalFromQuantiles(1, math.Exp(1.6448536)), math.Exp(0.5), math.Sqrt(math.E - 1)},
		{GammaFromMean(2, 0.5), 2, 0.5},
		{GammaFromMean(3, 2), 3, 2},
		{WeibullFromMean(2, 0.5), 2, 0.5},
		{WeibullFromMean(1, 2), 1, 2},
		{Weibull{1, 2}, 2, 1},
		{NewEmpirical([]float64{4, 1, 1, 2}), 2, math.Sqrt(1.5) / 2},
		{Mixture{{0.9, Constant(1)}, {0.1, Constant(11)}}, 2, 1.5},
	} {
		var sum, sq float64
		for i := range n {
			x := c.law.Sample((float64(i) + 0.5) / n)
			sum += x
			sq += x * x
		}
		mean := sum / n
		cv := math.Sqrt(max(0, sq/n-mean*mean)) / mean
		if !near(mean, c.mean, 0.002) || !near(c.law.Mean(), c.mean, 1e-6) {
			t.Errorf("%v: mean %g, states %g, want %g", c.law, mean, c.law.Mean(), c.mean)
		}
		if math.Abs(cv-c.cv) > 0.02*c.cv+1e-6 {
			t.Errorf("%v: cv %g, want %g", c.law, cv, c.cv)
		}
	}
}

func TestQuantilesAreThoseAskedFor(t *testing.T) {
	d := LognormalFromQuantiles(400, 1500)
	if !near(d.Sample(0.5), 400, 1e-9) || !near(d.Sample(0.95), 1500, 1e-9) {
		t.Errorf("p50 %g p95 %g, want 400 and 1500", d.Sample(0.5), d.Sample(0.95))
	}
}

func TestSamplesAreFiniteAtTheEnds(t *testing.T) {
	for _, law := range []Law{
		Constant(1), Uniform{1, 2}, Exponential{1}, Lognormal{0, 1}, GammaFromMean(1, 3), WeibullFromMean(1, 3),
		NewEmpirical([]float64{1, 2}), Mixture{{1, Exponential{1}}, {1, Exponential{2}}},
	} {
		for _, u := range []float64{0x1p-53, 1 - 0x1p-53} {
			if x := law.Sample(u); x < 0 || math.IsInf(x, 0) || math.IsNaN(x) {
				t.Errorf("%v at %g: %g", law, u, x)
			}
		}
	}
}

func TestRange(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		law       Law
		low, high float64
	}{
		{Constant(3), 3, 3},
		{Uniform{2, 5}, 2, 5},
		{Exponential{7}, 0, inf},
		{LognormalFromMean(10, 2), 0, inf},
		{GammaFromMean(10, 2), 0, inf},
		{WeibullFromMean(10, 2), 0, inf},
		{NewEmpirical([]float64{4, 2, 9}), 2, 9},
		// neither end is that of the first part
		{Mixture{{1, Constant(6)}, {2, Uniform{2, 5}}, {1, Constant(3)}}, 2, 6},
	} {
		if low, high := Range(c.law); low != c.low || high != c.high {
			t.Errorf("%v: %g..%g, want %g..%g", c.law, low, high, c.low, c.high)
		}
	}
}

func TestBlend(t *testing.T) {
	if Blend(0.2, 0.9, 0) != 0.9 || Blend(0.2, 0.9, 1) != 0.2 {
		t.Error("rho 0 is the own number, rho 1 the common one")
	}
	// Uniform again, and correlated by rho on the normal scale: the correlation
	// of uniforms under a Gaussian copula is 6/pi asin(r/2), where r = sqrt(rho)
	// is the correlation with the common number.
	const n = 1000
	var mean, with float64
	for i := range n {
		for j := range n {
			common, own := (float64(i)+0.5)/n, (float64(j)+0.5)/n
			u := Blend(common, own, 0.25)
			mean += u
			with += (u - 0.5) * (common - 0.5) * 12
		}
	}
	if got := mean / n / n; !near(got, 0.5, 1e-3) {
		t.Errorf("mean %g, want 0.5", got)
	}
	if got, want := with/n/n, 6/math.Pi*math.Asin(0.25); !near(got, want, 5e-3) {
		t.Errorf("correlation %g, want %g", got, want)
	}
}

// Texts of laws have four digits and no exponent where a number has few.
func TestTextsOfLaws(t *testing.T) {
	for want, law := range map[string]Law{
		"lognormal(p50 3000, p95 12000)": LognormalFromQuantiles(3000, 12000),
		"uniform(0..20000)":              Uniform{Min: 0, Max: 20000},
		"exponential(mean 0.25)":         Exponential{Beta: 0.25},
	} {
		if got := law.(fmt.Stringer).String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
