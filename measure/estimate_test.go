package measure

import (
	"context"
	"math"
	"testing"

	"stampede/internal/testkit"
)

var (
	aCount = Metric{Name: "terminal_error", Unit: "calls"}
	aShare = Metric{Name: "collapsed", Unit: "share"}
)

// 95 % of the area lies between the ends: t(9) = 2.262, t(29) = 2.045; the
// sample 1, 2, 3 has mean 2, s = 1 and half-width 4.303/sqrt(3).
// Trap 9: one value has no interval.
func TestEstimate(t *testing.T) {
	for n, want := range map[int]float64{9: 2.262, 29: 2.045} {
		if got := StudentT(n, 0.95); math.Abs(got-want) > 5e-4 {
			t.Errorf("t(%d) = %v, want %v", n, got, want)
		}
	}
	e := EstimateOf([]float64{1, math.NaN(), 2, 3}, 0.95)
	if e.N != 3 || e.Mean != 2 || math.Abs(e.Half()-4.303/math.Sqrt(3)) > 1e-3 {
		t.Errorf("%+v", e)
	}
	if e := EstimateOf([]float64{7}, 0.95); !math.IsInf(e.High, 1) {
		t.Errorf("one value has no interval, got %+v", e)
	}
}

// 95 % intervals hold the true mean in 93 to 97 % of 1,000 sweeps of an M/M/1
// queue: W = 1/(mu-lambda) = 0.2 s at lambda 5, mu 10, each sweep 10
// replications of 100 s after a warm-up of 20 s.
func TestIntervalsCover(t *testing.T) {
	if testing.Short() {
		t.Skip("coverage needs all of its repeats")
	}
	tpl := testkit.Template(t, `
name: mm1
horizon: 120s
warmup: 20s
workload: {open: {rate: 5/s}, prompt_tokens: 1, output_tokens: 1}
provider: {latency: {first_token: {exponential: {mean: 100ms}}}}
policy: {gate: {semaphore: 1}}
`)
	held := 0
	for seed := range uint64(1000) {
		s := *tpl.Base
		s.Seed = 1000 + seed
		runs, err := Replicator{}.Run(context.Background(), &s, 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		if e := EstimateOf(Column(runs, Index("latency_mean_s")), 0.95); e.Low <= 0.2 && 0.2 <= e.High {
			held++
		}
	}
	if held < 930 || held > 970 {
		t.Errorf("%d of 1,000 intervals hold the true mean, want 930 to 970", held)
	}
	t.Logf("%d of 1,000 intervals hold the true mean", held)
}

// Keyed streams: the interval of the difference between two policies, paired by
// seed, is at most a fifth of the one from independent seeds. Twelve workers
// without a bottleneck behind them, where the policies differ in their backoff
// alone and errors are rare.
func TestPairedIntervalIsAFifth(t *testing.T) {
	replicate := func(seed string, base string) []float64 {
		s := testkit.Embedded(t, "seed="+seed, "workload.batch.calls=500", "fleet.workers=12", "provider.limits=[]",
			"policy.gate.semaphore=none", "policy.retry.backoff.exponential.base="+base)
		runs, err := Replicator{}.Run(context.Background(), s, 0, 30)
		if err != nil {
			t.Fatal(err)
		}
		return Column(runs, Index("latency_mean_s"))
	}
	difference := func(a, b []float64) float64 {
		d := make([]float64, len(a))
		for i := range a {
			d[i] = a[i] - b[i]
		}
		return EstimateOf(d, 0.95).Half()
	}
	short := replicate("1", "500ms")
	paired, unpaired := difference(short, replicate("1", "2s")), difference(short, replicate("2", "2s"))
	if paired > unpaired/5 {
		t.Errorf("paired half-width %.4g s, unpaired %.4g s: want at most a fifth", paired, unpaired)
	}
	t.Logf("paired %.4g s, unpaired %.4g s: a factor of %.0f", paired, unpaired, unpaired/paired)
}

// binomial is the probability of k of n.
func binomial(n, k int, p float64) float64 {
	lgamma := func(x int) float64 { y, _ := math.Lgamma(float64(x) + 1); return y }
	return math.Exp(lgamma(n) - lgamma(k) - lgamma(n-k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
}

// coverage is the probability that the interval from n replications holds the mean, of an event
// that a replication shows with probability p, and then size times: the sum over k of those in
// which the interval from k of n does.
func coverage(p, size float64, n int, estimate func([]float64) Estimate) (sum float64) {
	for k := range n + 1 {
		values := make([]float64, n)
		for i := range k {
			values[i] = size
		}
		if e := estimate(values); e.Low <= p*size && p*size <= e.High {
			sum += binomial(n, k, p)
		}
	}
	return sum
}

// An event in 2 % and in 10 % of the replications, from 10 and from 30 of them: the interval holds
// the truth in at least 93 %. Student's t alone does in 46 % at 2 % from 30: when one replication
// or more shows the event, 1 - 0.98^30 = 0.4545, less the rarest counts. For other
// probabilities it is at least 95 % less the 2.5 % that the one-sided bound of an event that was
// not seen may take from it.
func TestIntervalsOfRareEventsCover(t *testing.T) {
	ofCount := func(v []float64) Estimate { return aCount.Estimate(v, true, 0.95) }
	ofShare := func(v []float64) Estimate { return aShare.Estimate(v, true, 0.95) }
	for _, n := range []int{10, 30} {
		for _, p := range []float64{0.02, 0.1} {
			for what, c := range map[string]float64{
				"share": coverage(p, 1, n, ofShare), "count": coverage(p, 1, n, ofCount),
				"share not": coverage(1-p, 1, n, ofShare),
			} {
				if c < 0.93 {
					t.Errorf("%s, an event in %g of %d: covered in %.3f, want 0.93", what, p, n, c)
				}
			}
		}
		for p := 0.005; p < 0.5; p += 0.005 {
			if c := coverage(p, 1, n, ofShare); c < 0.925 {
				t.Errorf("share, an event in %.3g of %d: covered in %.3f, want 0.925", p, n, c)
			}
		}
	}
	if c := coverage(0.02, 1, 30, func(v []float64) Estimate { return EstimateOf(v, 0.95) }); math.Abs(c-0.46) > 0.01 {
		t.Errorf("Student's t covers in %.3f, want 0.46", c)
	}
	// What is seen, five calls at a time, is covered as well as its replications.
	if c := coverage(0.1, 5, 30, ofCount); c < 0.93 {
		t.Errorf("five at a time: covered in %.3f, want 0.93 once it is seen", c)
	}
}
