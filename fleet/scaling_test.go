package fleet

import (
	"strings"
	"testing"
	"time"

	"stampede/law"
	"stampede/provider"
	"stampede/sim"
)

// Answers take 4 s; a call comes at 0, 1, 2, ... 7 s. One worker until 5 s, three until 9 s, then none.
//
//	worker 0: call 0 from 0 to 4, call 1 from 4 to 8, call 4 from 8 to 12, and goes
//	worker 1: starts at 5 and takes call 2 until 9, and goes
//	worker 2: starts at 5 and takes call 3 until 9, and goes
//
// Calls 5 to 7 find nobody: they are not finished when the run ends.
func TestWorkersBySchedule(t *testing.T) {
	m := model()
	m.Workers, m.Scaling.Steps = 3, []WorkerStep{{0, 1}, {5 * s, 3}, {9 * s, 0}}
	m.Provider.Latency.FirstToken = law.Constant(4)
	m.Workload.Calls, m.Workload.Arrivals = 8, &Trace{At: []sim.Time{0, s, 2 * s, 3 * s, 4 * s, 5 * s, 6 * s, 7 * s}}
	l, _ := play(t, m)
	l.expect(t, "0.1 0s-4s ok; 1.1 4s-8s ok; 2.1 5s-9s ok; 3.1 5s-9s ok; 4.1 8s-12s ok",
		"0 0s-4s answered x1; 1 1s-8s answered x1; 2 2s-9s answered x1; 3 3s-9s answered x1; "+
			"4 4s-12s answered x1; 5 5s-12s unfinished x0; 6 6s-12s unfinished x0; 7 7s-12s unfinished x0")
}

// Of a batch of six calls of 4 s: one worker, two more from 2 s, one from 5 s on. Worker 0 goes on; the
// others end their call at 6 s and go.
func TestWorkersOfABatchBySchedule(t *testing.T) {
	m := model()
	m.Workers, m.Scaling.Steps = 3, []WorkerStep{{0, 1}, {2 * s, 3}, {5 * s, 1}}
	m.Provider.Latency.FirstToken = law.Constant(4)
	m.Workload.Calls = 6
	l, _ := play(t, m)
	l.expect(t, "0.1 0s-4s ok; 1.1 2s-6s ok; 2.1 2s-6s ok; 3.1 4s-8s ok; 4.1 8s-12s ok; 5.1 12s-16s ok",
		"0 0s-4s answered x1; 1 2s-6s answered x1; 2 2s-6s answered x1; 3 4s-8s answered x1; "+
			"4 8s-12s answered x1; 5 12s-16s answered x1")
}

// A worker who was to go and is wanted again before its call ends stays; an idle one who goes and comes
// back takes the next call.
func TestWorkersWantedAgain(t *testing.T) {
	m := model()
	m.Workers, m.Scaling.Steps = 1, []WorkerStep{{0, 1}, {s, 0}, {2 * s, 1}, {5 * s, 0}, {7 * s, 1}}
	m.Provider.Latency.FirstToken = law.Constant(3)
	m.Workload.Calls, m.Workload.Arrivals = 2, &Trace{At: []sim.Time{0, 6 * s}}
	l, _ := play(t, m)
	l.expect(t, "0.1 0s-3s ok; 1.1 7s-10s ok", "0 0s-3s answered x1; 1 6s-10s answered x1")
}

// One worker for each 5 calls in the queue or in progress, rounded up, within bounds.
func TestAutoscalerWants(t *testing.T) {
	a := Autoscaler{Min: 1, Max: 4, PerQueued: 5}
	for calls, want := range map[float64]int{0: 1, 1: 1, 5: 1, 5.5: 2, 6: 2, 10: 2, 11: 3, 20: 4, 1e300: 4} {
		if n := a.wants(calls); n != want {
			t.Errorf("%v calls: %d workers, want %d", calls, n, want)
		}
	}
}

// Twelve calls of 10 s at 0; one worker for each 4 of those that are left, 1 to 3, decided every 5 s and
// ready 2 s later. A reply of an instant is there before the decision.
//
//	 5, 10, 15 s  12, 11, 11 calls: 3 workers, two of whom start at 7 s
//	20, 25 s      8 calls: 2 workers; worker 2 ends call 5 at 27 s and goes
//	30, 35 s      5 calls: 2 workers
//	40 s          3 calls: 1 worker; worker 1 ends call 9 at 47 s and goes
//
// Where fewer are wanted only if no more were in the last 20 s, 3 stay until 40 s, when from 20 s on 2
// were wanted: worker 2 goes with its last call.
func TestAutoscaler(t *testing.T) {
	const same = "0.1 0s-10s ok; 1.1 7s-17s ok; 2.1 7s-17s ok; 3.1 10s-20s ok; 4.1 17s-27s ok; 5.1 17s-27s ok; " +
		"6.1 20s-30s ok; 7.1 27s-37s ok; "
	for stabilization, want := range map[time.Duration]string{
		0:      "8.1 30s-40s ok; 9.1 37s-47s ok; 10.1 40s-50s ok; 11.1 50s-1m0s ok",
		20 * s: "8.1 27s-37s ok; 9.1 30s-40s ok; 10.1 37s-47s ok; 11.1 37s-47s ok",
	} {
		m := model()
		m.Workers = 3
		m.Scaling.Auto = Autoscaler{Min: 1, Max: 3, PerQueued: 4, Every: 5 * s, Delay: 2 * s,
			Stabilization: stabilization}
		m.Provider.Latency.FirstToken = law.Constant(10)
		m.Workload.Calls = 12
		for _, arrivals := range []Process{Burst{}, nil} { // a batch is a queue as well
			m.Workload.Arrivals = arrivals
			l, _ := play(t, m)
			if got := strings.Join(l.attempts, "; "); got != same+want {
				t.Errorf("stabilization %v, arrivals %v\n got  %s\n want %s", stabilization, arrivals, got, same+want)
			}
		}
	}
}

// From none, of a queue for each instance: the first call waits for the decision at 5 s. And where
// all calls hang, two autoscalers do not keep a run alive.
func TestAutoscalersFromNoneAndOfARunThatHangs(t *testing.T) {
	m := model()
	m.Workers, m.Instances, m.Queue, m.Dealt = 2, 2, PerInstance, InTurn
	m.Scaling.Auto = Autoscaler{Max: 2, PerQueued: 1, Every: 5 * s}
	m.Workload.Calls, m.Workload.Arrivals = 3, Burst{}
	l, _ := play(t, m) // calls 0 and 2 at instance 0
	l.expect(t, "0.1 5s-6s ok; 2.1 5s-6s ok; 1.1 5s-6s ok",
		"0 0s-6s answered x1; 2 0s-6s answered x1; 1 0s-6s answered x1")
	// Nor does it decide while nothing changes: a second call a day later costs no decisions meanwhile.
	m.Workload.Arrivals, m.Workload.Calls = &Trace{At: []sim.Time{0, 24 * 3600 * s}}, 2
	if l, summary := play(t, m); len(l.calls) != 2 || summary.Events > 50 {
		t.Errorf("%d calls in %d events; want 2 in a few", len(l.calls), summary.Events)
	}
	m.Beside = []Fleet{m.Fleet}
	m.Provider.Tenants = []provider.Tenant{{}, {}}
	m.Provider.Faults = []provider.Fault{{Share: 1, Effect: provider.Hang{}}}
	if _, summary := play(t, m); summary.Events > 100 {
		t.Errorf("%d events; want an end", summary.Events)
	}
	// A batch of six before one worker for each 2 of those left, all of whom hang: three begin.
	m.Beside, m.Provider.Tenants = nil, nil
	m.Instances, m.Workers, m.Queue = 1, 3, Shared
	m.Workload, m.Scaling.Auto = Workload{Calls: 6, Sizes: m.Workload.Sizes}, Autoscaler{Max: 3, PerQueued: 2, Every: s}
	if l, _ := play(t, m); len(l.calls) != 3 {
		t.Errorf("%d calls, want 3", len(l.calls))
	}
}
