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
