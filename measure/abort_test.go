package measure

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"stampede/internal/testkit"
)

// Of 30 replications it looks after 4, 8 and 16, each time with t(n-1, 1 - 0.05/6) for one goal: 4.857 for n = 4
// (Bonferroni's t for three intervals). Of 18, 19, 19, 20 s, with a standard deviation of 0.8165 s, the interval is
// 19 ± 1.983 s. For two goals it is t(3, 1 - 0.05/12) = 6.232, so ± 2.544 s.
func TestAbortLooks(t *testing.T) {
	nan := math.NaN()
	four := []float64{18, 19, 19, 20}
	for _, c := range []struct {
		goals  []string
		values []float64
		fixed  bool
		want   bool
	}{
		{[]string{"latency_p95_s<=17s"}, four, false, true},
		{[]string{"latency_p95_s<=17.05s"}, four, false, false},
		{[]string{"latency_p95_s>=21s"}, four, false, true},
		{[]string{"latency_p95_s<=17s", "latency_p95_s>=0"}, four, false, false},
		{[]string{"latency_p95_s<=16.45s", "latency_p95_s>=0"}, four, false, true},
		{[]string{"latency_p95_s<=16.47s", "latency_p95_s>=0"}, four, false, false},
		{[]string{"latency_p95_s<=1s"}, append(four, 19), false, false}, // 5 is no look
		{[]string{"recovery_s<=1h"}, []float64{1, nan, 1, 1}, false, true},
		{[]string{"latency_p95_s<=1s"}, []float64{2, 2, 2, 2}, false, false}, // how far others lie is unknown
		{[]string{"latency_p95_s<=1s"}, []float64{2, 2, 2, 2}, true, true},
		// None of 4: at most 1 - (0.05/3)^(1/4) = 64.1 % of the replications answer anything.
		{[]string{"success_ratio>=65%"}, []float64{0, 0, 0, 0}, false, true},
		{[]string{"success_ratio>=64%"}, []float64{0, 0, 0, 0}, false, false},
	} {
		var goals []Goal
		for _, text := range c.goals {
			goals = append(goals, goalOf(t, text))
		}
		a := NewAbort(goals, 30)
		if !slices.Equal(a.looks, []int{4, 8, 16}) {
			t.Fatalf("looks after %v; want 4, 8, 16", a.looks)
		}
		if _, got := a.Hopeless(func(int) []float64 { return c.values }, !c.fixed); got != c.want {
			t.Errorf("%v of %v: hopeless %v; want %v", c.goals, c.values, got, c.want)
		}
	}
	if a := NewAbort(nil, 4); len(a.looks) > 0 || a.Next(0, 4) != 4 {
		t.Errorf("of 4 replications it looks after %v; want none before the end", a.looks)
	}
}

// However often it looks, a mean that just keeps its bound is stopped in at most 2.5 % of 4,000 experiments of
// 100 normal replications (five looks), give or take three standard errors of 0.25 %; one that lies two standard
// deviations beyond is stopped in nearly all, most of them after 8 replications.
func TestAbortKeepsItsLevel(t *testing.T) {
	const n = 4000
	a := NewAbort([]Goal{goalOf(t, "latency_p95_s<=100s")}, 100)
	r := rand.New(rand.NewPCG(1, 2))
	stopped := func(mean float64) (wrong, early int) {
		for range n {
			values := make([]float64, 100)
			for i := range values {
				values[i] = mean + r.NormFloat64()
			}
			for _, look := range a.looks {
				if _, ok := a.Hopeless(func(int) []float64 { return values[:look] }, true); ok {
					wrong++
					early += int(Indicator(look <= 8))
					break
				}
			}
		}
		return wrong, early
	}
	if wrong, _ := stopped(100); float64(wrong) > (0.025+3*0.0025)*n {
		t.Errorf("stopped %d of %d that meet the goal; want at most 2.5 %%", wrong, n)
	}
	if right, early := stopped(102); right < n*99/100 || early < n*3/4 {
		t.Errorf("stopped %d of %d that miss it, %d after 8 replications; want nearly all", right, n, early)
	}
}

// It stops at a look, for any number of jobs, and the replications are those of a whole run.
func TestRunUntil(t *testing.T) {
	s := testkit.Template(t, testkit.Small).Base
	whole, err := Replicator{}.Run(context.Background(), s, 0, 20)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		goal string
		runs int
	}{{"latency_max_s<=1ms", 4}, {"latency_max_s<=1h", 20}} {
		for _, jobs := range []int{1, 8} {
			a := NewAbort([]Goal{goalOf(t, c.goal)}, 20)
			runs, missed, err := Replicator{Jobs: jobs}.RunUntil(context.Background(), s, 20, a)
			if err != nil || len(runs) != c.runs || (missed != nil) != (c.runs < 20) {
				t.Errorf("%s, %d jobs: %d runs, missed %v, %v; want %d runs", c.goal, jobs, len(runs), missed, err,
					c.runs)
			}
			if !reflect.DeepEqual(runs[3].Summary, whole[3].Summary) {
				t.Errorf("%s, %d jobs: replication 3 is another one", c.goal, jobs)
			}
		}
	}
}
