package fleet

import (
	"math"
	"slices"
	"testing"

	"stampede/law"
	"stampede/sim"
)

// arrivalsOf are the instants at which the calls of a workload arrive in one replication.
func arrivalsOf(t *testing.T, m Model, replication int) (at []sim.Time) {
	t.Helper()
	if _, err := m.Run(1, replication, each{call: func(c *Call) { at = append(at, c.Arrived) }}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(at)
	return at
}

// Two calls each minute until the horizon: at 0, 1 and 2 min; that of 3 min does not start. Three bursts
// end by themselves.
func TestBursts(t *testing.T) {
	want := []sim.Time{0, 0, 60 * s, 60 * s, 120 * s, 120 * s}
	m := model()
	m.Workers, m.Workload.Arrivals, m.Workload.Calls, m.Horizon = 0, Bursts{2, 60 * s}, 0, 180*s
	if at := arrivalsOf(t, m, 0); !slices.Equal(at, want) {
		t.Errorf("arrivals %v, want %v", at, want)
	}
	m.Workload.Calls, m.Horizon = 6, 0
	if at := arrivalsOf(t, m, 0); !slices.Equal(at, want) {
		t.Errorf("arrivals %v, want %v", at, want)
	}
	for at, want := range map[sim.Time]float64{0: 0, 1: 2, 60 * s: 2, 60*s + 1: 4, 130 * s: 6} {
		if n := (Bursts{2, 60 * s}).Before(at); n != want {
			t.Errorf("%v calls before %v, want %v", n, at, want)
		}
	}
}

// Arrival k of N at random instants of [0, 1] is the k-th order statistic, of the beta law with
//
//	mean k / (N + 1), variance k (N - k + 1) / ((N + 1)^2 (N + 2))
//
// n = 20,000 replications: means within four standard errors, variances within 5 %, which is five
// standard errors of the variance of a normal variable, sqrt(2 / n) = 1 %.
func TestUniformArrivalsAreOrderStatistics(t *testing.T) {
	const N, n = 9, 20_000
	m := model()
	m.Workers, m.Workload.Arrivals, m.Workload.Calls = 0, Uniform{N, 20 * s}, N
	var sum, squares [N]float64
	for replication := range n {
		at := arrivalsOf(t, m, replication)
		if len(at) != N || at[N-1] > 20*s {
			t.Fatalf("%d arrivals, the last at %v; want %d within 20 s", len(at), at[len(at)-1], N)
		}
		for k, x := range at {
			x := x.Seconds() / 20
			sum[k] += x
			squares[k] += x * x
		}
	}
	for i := range N {
		k := float64(i + 1)
		mean, variance := k/(N+1), k*(N-k+1)/((N+1)*(N+1)*(N+2))
		got := sum[i] / n
		if spread := math.Sqrt(variance / n); math.Abs(got-mean) > 4*spread {
			t.Errorf("arrival %d: mean %.4f, want %.4f +- %.4f", i+1, got, mean, 4*spread)
		}
		if v := squares[i]/n - got*got; math.Abs(v/variance-1) > 0.05 {
			t.Errorf("arrival %d: variance %.5f, want %.5f", i+1, v, variance)
		}
	}
}

// Answers take 1, 5, 1 and 1 s in turn. A call each 3 s, from start to start:
//
//	call 0 starts at 0; 1 at 3 and takes until 8, so 2 starts at once, at 8; 3 at 11
//
// and a horizon of 14 s lets none start then.
func TestCallsPacedFromStartToStart(t *testing.T) {
	m := model()
	m.Workload.Calls, m.Horizon = 0, 14*s
	m.Workload.Every = law.Constant(3)
	m.Provider.Latency.FirstToken = &inTurn{1, 5, 1, 1}
	l, _ := play(t, m)
	l.expect(t, "0.1 0s-1s ok; 1.1 3s-8s ok; 2.1 8s-9s ok; 3.1 11s-12s ok",
		"0 0s-1s answered x1; 1 3s-8s answered x1; 2 8s-9s answered x1; 3 11s-12s answered x1")
}

// A day of 24 s: nothing for 6 s, 2/s for 6 s, from 2/s to 6/s in 6 s, then 6/s: 0 + 12 + 24 + 36 = 72 a
// day. The run begins at 9 s, from where 6 + 24 + 36 = 66 are left of the first day.
func TestCycle(t *testing.T) {
	c := Cycle{Of: Profile{{0, 0, 0}, {6 * s, 2, 2}, {12 * s, 2, 6}, {18 * s, 6, 6}}, Period: 24 * s, Start: 9 * s}
	for _, k := range []struct {
		from sim.Time
		want float64
		at   sim.Time
	}{
		{0, 6, 3 * s},
		{0, 6 + 24, 9 * s},
		{3 * s, 9, 6 * s}, // from 2/s to 4/s in 3 s
		{0, 66 - 6, 14 * s},
		{14 * s, 6 + 2, 22 * s}, // the rest of the day, six seconds of nothing, one of 2/s
		{0, 66 + 1000*72 + 12, (15 + 24_000 + 12) * s},
		{22 * s, 66 + 8, 47 * s}, // 7 s into the day 70 are left of its 17 s, then 4 of 2/s after 6 s
	} {
		if at, ok := c.After(k.from, k.want); !ok || (at-k.at).Abs() > 10 {
			t.Errorf("%g arrivals after %v: %v, want %v", k.want, k.from, at, k.at)
		}
		if n := c.Expected(k.at) - c.Expected(k.from); math.Abs(n-k.want) > 1e-6 {
			t.Errorf("%g arrivals expected from %v to %v, want %g", n, k.from, k.at, k.want)
		}
	}
	if rate := c.At(30 * s); rate != 4 { // 39 s is 15 s into the second day
		t.Errorf("rate %v, want 4", rate)
	}
	if at, peak := c.Changes(10 * s); !slices.Equal(at, []sim.Time{0, 3 * s, 9 * s}) || peak != 6 {
		t.Errorf("changes %v up to %v, want 0, 3 s and 9 s up to 6", at, peak)
	}
	if _, ok := (Cycle{Of: Constant(0), Period: s}).After(0, 1); ok {
		t.Error("a rate of 0 forever brings no arrivals")
	}
	if at, ok := c.After(0, 1e300); !ok || at != sim.End {
		t.Errorf("%v, %v; want the end of time", at, ok)
	}
}

// The calls of a Poisson process in a stretch of each of n = 2,000 days have a Poisson law whose mean is
// n times the integral of the rate: within four standard deviations, and none at night.
func TestArrivalsOfACycle(t *testing.T) {
	const n = 2000
	m := model()
	m.Workers, m.Workload.Calls, m.Horizon = 0, 0, n*24*s
	m.Workload.Arrivals = Renewal{law.Exponential{Beta: 1},
		Cycle{Of: Profile{{0, 0, 0}, {6 * s, 2, 2}, {12 * s, 2, 6}, {18 * s, 6, 6}}, Period: 24 * s, Start: 20 * s}}
	var counts [4]float64
	for _, at := range arrivalsOf(t, m, 0) {
		counts[(at+20*s)%(24*s)/(6*s)]++
	}
	for i, each := range []float64{0, 12, 24, 36} {
		if want := each * n; math.Abs(counts[i]-want) > 4*math.Sqrt(want) {
			t.Errorf("%v calls in stretch %d of %d days, want %v +- %.0f", counts[i], i, n, want, 4*math.Sqrt(want))
		}
	}
}
