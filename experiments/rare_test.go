package experiments

import (
	"context"
	"fmt"
	"math"
	"slices"
	"stampede/internal/testkit"
	"strings"
	"testing"

	"stampede/scenario"
)

var (
	aCount = Metric{Name: "terminal_error", Unit: "calls"}
	aShare = Metric{Name: "collapsed", Unit: "share"}
)

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

// Bounds by hand: 1 - 0.05^(1/30) = 0.0950, 1 - 0.05^(1/10) = 0.2589. Clopper and Pearson of 1 of
// 30 are 0.00084 and 0.1722 (of 3 of 10, the usual table, 0.0667 and 0.6525).
func TestNeverSeenIsNotNever(t *testing.T) {
	same := func(v float64, n int) []float64 { return slices.Repeat([]float64{v}, n) }
	once := append(same(0, 29), 1)
	for _, c := range []struct {
		what              string
		e                 Estimate
		low, high, unseen float64
		text              string
	}{
		{"no event in 30", aCount.Estimate(same(0, 30), true, 0.95), 0, 0.0950, 0.0950, "0 of 30, at most 9.5 % (95 %)"},
		{"no event in 10", aCount.Estimate(same(0, 10), true, 0.95), 0, 0.2589, 0.2589, "0 of 10, at most 26 % (95 %)"},
		{"a share never", aShare.Estimate(same(0, 30), true, 0.95), 0, 0.0950, 0.0950, "0 of 30, at most 9.5 % (95 %)"},
		{"a share always", aShare.Estimate(same(1, 30), true, 0.95), 0.9050, 1, 0.0950, "30 of 30, at least 90.5 % (95 %)"},
		{"no dollars in 30", Metric{Unit: "USD"}.Estimate(same(0, 30), true, 0.95), 0, 0, 0.0950, "0 of 30, at most 9.5 % (95 %)"},
		{"seven each time", aCount.Estimate(same(7, 30), true, 0.95), 6.9050, 7.0950, 0.0950, "[=]"},
		{"without chance", aCount.Estimate(same(0, 30), false, 0.95), 0, 0, 0, ""},
		{"of the scenario", Metric{Name: "attempts_most", Unit: "attempts"}.Estimate(same(3, 30), true, 0.95), 3, 3, 0, ""},
		{"a share once in 30", aShare.Estimate(once, true, 0.95), 0.00084, 0.1722, 0, "[0.0008436, 0.1722]"},
		{"a count once in 30: with Student's t -0.0348..0.1015", aCount.Estimate(once, true, 0.95), 0, 0.1722, 0, "[0, 0.1722]"},
		{"one has no interval", aCount.Estimate(same(0, 1), true, 0.95), 0, math.Inf(1), 0, "[?]"},
		{"0 of 30 against 0 of 30", aCount.Difference(same(0, 30), true, 0.95), -0.0950, 0.0950, 0.0950, "0 of 30, at most 9.5 % (95 %)"},
		{"never against always", aShare.Difference(same(-1, 30), true, 0.95), -1.0950, -0.9050, 0.0950, "[=]"},
	} {
		near := func(a, b float64) bool { return a == b || math.Abs(a-b) < 5e-5 }
		if !near(c.e.Low, c.low) || !near(c.e.High, c.high) || !near(c.e.Unseen, c.unseen) || interval(c.e, true) != c.text {
			t.Errorf("%s: %+v %q, want %v..%v, unseen %v, %q", c.what, c.e, interval(c.e, true), c.low, c.high, c.unseen, c.text)
		}
	}
	if low, high := clopperPearson(3, 10, 0.95); math.Abs(low-0.0667) > 5e-5 || math.Abs(high-0.6525) > 5e-5 {
		t.Errorf("3 of 10: %v..%v", low, high)
	}
	if got := interval(aCount.Estimate(same(0, 30), false, 0.95), false); got != "[=]" {
		t.Errorf("a scenario without chance: %q", got)
	}
}

// What no replication shows is not known to any precision; a value that all share is, as far as
// they can tell.
func TestPrecisionOfWhatDoesNotVary(t *testing.T) {
	same := func(v float64, n int) []float64 { return slices.Repeat([]float64{v}, n) }
	for _, c := range []struct {
		metric string
		values []float64
		random bool
		want   bool
	}{
		{"terminal_error", same(0, 500), true, false},
		{"terminal_error", same(0, 10), false, true},
		{"usd_wasted", same(0, 500), true, false},
		{"collapsed", same(0, 500), true, false},
		{"success_ratio", same(1, 28), true, false}, // 1 - 0.05^(1/28) = 0.1015
		{"success_ratio", same(1, 29), true, true},  // 0.0981
		{"answered", same(2000, 10), true, true},    // 0.26 calls of 2,000
		{"answered", same(1, 10), true, false},      // 0.26 of one
		{"makespan_s", same(60, 28), true, false},
		{"makespan_s", same(60, 29), true, true},
		{"attempts_most", same(3, 10), true, true},
		{"makespan_s", []float64{60}, false, false},
	} {
		if got := (Precision{c.metric, 0.1, 1000}).reached(c.values, c.random); got != c.want {
			t.Errorf("%s, %d times %v, random %v: %v, want %v", c.metric, len(c.values), c.values[0], c.random, got, c.want)
		}
	}
}

// Errors of one attempt in 100,000 are mostly in no replication of 60 calls: a sweep for their
// number goes on to the most replications, and does not end at "0, known to 10 %". A point
// without chance needs no more than it begins with.
func TestPrecisionGoesOnForRareEvents(t *testing.T) {
	constant := strings.NewReplacer("{exponential: {mean: 500}}", "500", "{exponential: {mean: 100}}", "100", "{exponential: {mean: 500ms}}", "500ms").Replace(testkit.Small)
	constant = constant[:strings.Index(constant, "policy:")] + "policy: {retry: {attempts: 2}}\nprice: gpt-4o-mini\n"
	dir := t.TempDir() + "/s"
	_, err := sweepInto(t, dir, func(s *Sweep) {
		axis, err := scenario.ParseAxis("provider.faults.0.share=0,0.001%")
		if err != nil {
			t.Fatal(err)
		}
		s.Plan = &Plan{Template: testkit.Template(t, constant, "provider.faults=[{share: 0, status: 400}]"), Reps: 10,
			Metric: "terminal_error", Precision: Precision{Metric: "terminal_error", Rel: 0.1, MaxReps: 40}}
		s.Plan.Template.Sweep.Axes = []scenario.Axis{axis}
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := Compare(dir, CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	never, rare := c.Points[0], c.Points[1]
	if e := never.Estimates[c.Objective]; never.N != 10 || e.High != 0 || e.Unseen != 0 {
		t.Errorf("without chance: %d replications, %+v; want 10 and 0 for certain", never.N, e)
	}
	if e := rare.Estimates[c.Objective]; rare.N != 40 || e.Mean != 0 || math.Abs(e.High-0.0722) > 5e-5 { // 1 - 0.05^(1/40)
		t.Errorf("a rare event: %d replications, %+v; want 40 and at most 0.0722", rare.N, e)
	}
	if d := rare.Diffs[c.Objective]; d.Verdict != Undecided || !(d.Low < 0 && d.High > 0) {
		t.Errorf("0 of 10 against 0 of 10: %+v", d)
	}
}

// The forms of intervals that a report has are explained below it.
func TestFormsHaveALegend(t *testing.T) {
	for _, c := range []struct {
		reps int
		set  string
		want []string
	}{
		{1, "seed=1", []string{"[?] one replication gives no interval"}},
		{30, "seed=1", []string{"[=] the same in all 30 replications; with 95 % confidence at most 9.5 % of others differ",
			"0 of 30, at most 9.5 %: no replication has any", "metrics not listed are 0 in all 30 replications"}},
	} {
		s := testkit.Embedded(t, fmt.Sprintf("replications=%d", c.reps), "workload.batch.calls=50", c.set)
		runs, err := Replicator{}.Play(context.Background(), s, 0, s.Replications)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := NewReport(s, runs).WriteText(&text); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%d replications: no legend %q in\n%s", c.reps, want, &text)
			}
		}
	}
}
