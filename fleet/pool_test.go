package fleet

import (
	"testing"
	"time"

	"stampede/policy"
	"stampede/provider"
)

// Of three calls at once over two connections, the third waits for the second that the others take.
func TestConnectionPool(t *testing.T) {
	m := model()
	m.Workers, m.Workload.Calls, m.Client.MaxConnections = 3, 3, 2
	l, _ := play(t, m)
	l.expect(t, "0.1 0s-1s ok; 1.1 0s-1s ok; 2.1 1s-2s ok",
		"0 0s-1s answered x1; 1 0s-1s answered x1; 2 0s-2s answered x1")
	if calls := callsOf(t, m); calls[2].Waits[PoolWait] != s || calls[1].Waits[PoolWait] != 0 {
		t.Errorf("the third waits %v and the second %v, want 1s and 0s", calls[2].Waits[PoolWait],
			calls[1].Waits[PoolWait])
	}
	m.Instances, m.Workers = 3, 1 // a pool each
	l, _ = play(t, m)
	l.expect(t, "0.1 0s-1s ok; 1.1 0s-1s ok; 2.1 0s-1s ok",
		"0 0s-1s answered x1; 1 0s-1s answered x1; 2 0s-1s answered x1")
}

// Two calls over one connection to a provider that hangs, with a read timeout of 10 s, one of 4 s for the pool and
// three tries a second apart. The second waits from 0 to 4 s and from 5 to 9 s in vain, and gets the connection at
// 10 s. The first waits from 11 to 15 s, and gets it at 20 s: at the very instant at which its wait would end.
func TestPoolTimeout(t *testing.T) {
	m := model()
	m.Workers, m.Workload.Calls, m.Client.MaxConnections = 2, 2, 1
	m.Client.Retry = retries(3, s)
	m.Client.Timeouts = policy.Timeouts{Gap: 10 * s, Pool: 4 * s}
	m.Provider.Faults = []provider.Fault{{Share: 1, Effect: provider.Hang{}}}
	l, _ := play(t, m)
	l.expect(t, "0.1 0s-10s timeout; 1.1 10s-20s timeout; 0.2 20s-30s timeout",
		"1 0s-20s gave_up_attempts x1; 0 0s-30s gave_up_attempts x2")
	m.Client.Retry.Classify.Timeouts = false // then the first wait ends the call
	l, _ = play(t, m)
	l.expect(t, "0.1 0s-10s timeout", "1 0s-4s terminal_error x0; 0 0s-10s terminal_error x1")
}

// A caller, a deadline or a timeout of the call that ends while it waits for a connection takes none, and the next
// in line has its turn.
func TestLeavingThePool(t *testing.T) {
	m := model()
	m.Workers, m.Workload.Calls, m.Client.MaxConnections = 3, 3, 1
	m.Workload.Patience = &inTurn{3, 0.5, 3}
	l, _ := play(t, m)
	l.expect(t, "0.1 0s-1s ok; 2.1 1s-2s ok",
		"1 0s-500ms abandoned x0; 0 0s-1s answered x1; 2 0s-2s answered x1")
	m.Workload.Patience = nil
	m.Client.Timeouts.Call = 1500 * ms
	l, _ = play(t, m)
	l.expect(t, "0.1 0s-1s ok; 1.1 1s-1.5s timeout",
		"0 0s-1s answered x1; 2 0s-1.5s gave_up_deadline x0; 1 0s-1.5s gave_up_deadline x1")
}

// The place at the gate is held while a call waits for a connection, and freed when that wait is in vain.
func TestPoolBehindGate(t *testing.T) {
	m := model()
	m.Workers, m.Workload.Calls, m.Client.MaxConnections = 3, 3, 1
	m.Client.Gate.Semaphore = 2
	m.Client.Timeouts.Pool = 200 * time.Millisecond
	l, _ := play(t, m)
	l.expect(t, "0.1 0s-1s ok",
		"1 0s-200ms terminal_error x0; 2 0s-400ms terminal_error x0; 0 0s-1s answered x1")
}
