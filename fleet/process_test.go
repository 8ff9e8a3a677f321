package fleet

import (
	"math"
	"testing"
	"time"

	"stampede/law"
	"stampede/policy"
	"stampede/provider"
)

// Each send and each reply takes 10 ms of its process; answers take 1 s. Three workers send at 10, 20 and
// 30 ms. The replies come at 1.01, 1.02 and 1.03 s. The first is handled by 1.02, at which instant the
// second is there before worker 0 sends again: the second by 1.03, that send by 1.04, the third by 1.05.
// Of two instances each has a process.
func TestProcessSendsAndHandlesOneAtATime(t *testing.T) {
	m := model()
	m.Workers, m.Workload.Calls, m.PerRequest = 3, 4, 10*ms
	l, _ := play(t, m)
	l.expect(t, "0.1 0s-1.02s ok; 1.1 0s-1.03s ok; 2.1 0s-1.05s ok; 3.1 1.02s-2.05s ok",
		"0 0s-1.02s answered x1; 1 0s-1.03s answered x1; 2 0s-1.05s answered x1; 3 1.02s-2.05s answered x1")
	m.Instances, m.Workers, m.Workload.Calls = 2, 1, 2
	l, _ = play(t, m)
	l.expect(t, "0.1 0s-1.02s ok; 1.1 0s-1.02s ok", "0 0s-1.02s answered x1; 1 0s-1.02s answered x1")
}

// The timer of an attempt runs from its send. A reply that came in time, at 1.01 s, is taken, though the
// timer or the patience of the caller ends before it is handled; where it is no answer the caller leaves
// then. One that comes later is not. A caller who leaves before the send sends nothing.
func TestReplyThatWaitsForItsProcess(t *testing.T) {
	m := model()
	m.PerRequest = 10 * ms
	m.Client.Timeouts.Attempt = []time.Duration{s}
	l, _ := play(t, m)
	l.expect(t, "0.1 0s-1.02s ok", "0 0s-1.02s answered x1")
	m.Client.Timeouts.Attempt = []time.Duration{s - 1}
	l, _ = play(t, m)
	l.expect(t, "0.1 0s-1.009999999s timeout", "0 0s-1.009999999s terminal_error x1")

	m.Client.Timeouts.Attempt = nil
	m.Workload.Patience = law.Constant(1.015)
	l, _ = play(t, m)
	l.expect(t, "0.1 0s-1.02s ok", "0 0s-1.02s answered x1")
	m.Workload.Patience = law.Constant(1 + 1.0/128)
	l, _ = play(t, m)
	l.expect(t, "0.1 0s-1.0078125s timeout", "0 0s-1.0078125s abandoned x1")
	m.Workload.Patience = law.Constant(0.005)
	l, _ = play(t, m)
	l.expect(t, "0.1 0s-5ms timeout", "0 0s-5ms abandoned x1")
	m.Workload.Patience = law.Constant(0.025)
	m.Provider.Faults = failing(500)
	m.Client.Retry = retries(9, ms)
	l, _ = play(t, m) // refused at 10 ms, handled by 20; sent again by 31, refused then
	l.expect(t, "0.1 0s-20ms server_error; 0.2 21ms-25ms timeout", "0 0s-25ms abandoned x2")
}

// Poisson sends to a process with a constant service time D = 1 s are an M/D/1 queue. With a load of
// rho = 0.7 they wait (Pollaczek and Khinchine)
//
//	W = rho D / (2 (1 - rho)) = 1.1667 s
//
// and are sent D later. No reply comes back. n = 400,000: within 4 %, since the waits of neighbours are
// alike.
func TestProcessIsAnMD1Queue(t *testing.T) {
	const n, want = 400_000, 0.7 / 0.6
	m := model()
	m.Workers, m.PerRequest = 0, s
	m.Workload.Calls, m.Workload.Arrivals = n, Renewal{law.Exponential{Beta: 1}, Constant(0.7)}
	m.Provider.Faults = []provider.Fault{{Share: 1, Effect: provider.Hang{}}}
	m.Client.Timeouts = policy.Timeouts{Attempt: []time.Duration{ms}}
	sum := 0.0
	_, err := m.Run(1, 0, each{attempt: func(a *Attempt) { sum += (a.Received - a.Arrived - s).Seconds() }})
	if got := sum / n; err != nil || math.Abs(got/want-1) > 0.04 {
		t.Errorf("mean wait %.4f s, want %.4f (%v)", got, want, err)
	}
}
