package fleet

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"stampede/cost"
	"stampede/law"
	"stampede/policy"
	"stampede/provider"
	"stampede/sim"
	"stampede/wire"
)

const s, ms = time.Second, time.Millisecond

// log writes records as words, to be compared with what is expected.
type log struct{ attempts, calls []string }

func (l *log) Attempt(a *Attempt) {
	l.attempts = append(l.attempts, fmt.Sprintf("%d.%d %v-%v %v", a.Call, a.Number, a.Sent, a.Ended, a.Class()))
}

func (l *log) Call(c *Call) {
	l.calls = append(l.calls, fmt.Sprintf("%d %v-%v %v x%d", c.ID, c.Arrived, c.Ended, c.Outcome, c.Attempts))
}

func (l *log) expect(t *testing.T, attempts, calls string) {
	t.Helper()
	if got := strings.Join(l.attempts, "; "); got != attempts {
		t.Errorf("attempts\n got  %s\n want %s", got, attempts)
	}
	if got := strings.Join(l.calls, "; "); got != calls {
		t.Errorf("calls\n got  %s\n want %s", got, calls)
	}
}

// sized gives every call the same size.
type sized Size

func (z sized) Size(uint64, Luck) Size { return Size(z) }

// model is one worker, one call of 100 + 10 tokens, 1 s to answer, no retry.
func model() Model {
	return Model{
		Fleet: Fleet{
			Instances: 1, Workers: 1,
			Workload: Workload{Calls: 1, Sizes: sized{Prompt: 100, Output: 10}},
			Client:   policy.Client{Retry: policy.Retry{Attempts: 1, Classify: everything}},
			Price:    cost.PerMillion("test", 10, 10, 100), // 2,000,000 nano-dollars a call
		},
		Provider: provider.Config{Latency: provider.Latency{FirstToken: law.Constant(1)}},
	}
}

// atOnce is a limit on requests at once.
func atOnce(n int64) []provider.Limit {
	return []provider.Limit{{Resource: provider.Concurrency, Amount: n}}
}

var everything = policy.Classifier{
	Statuses: []policy.Statuses{{From: 400, To: 599}}, Timeouts: true, Connections: true, ShouldRetry: true,
}

func play(t *testing.T, m Model) (*log, Summary) {
	t.Helper()
	l := &log{}
	summary, err := m.Run(1, 0, l)
	if err != nil {
		t.Fatal(err)
	}
	return l, summary
}

func retries(attempts int, wait time.Duration) policy.Retry {
	return policy.Retry{Attempts: attempts, Classify: everything, Backoff: policy.Backoff{Base: wait, Factor: 1}}
}

func TestOneCall(t *testing.T) {
	m := model()
	m.Provider.RoundTrip = 100 * ms
	l, _ := play(t, m)
	l.expect(t, "0.1 0s-1.1s ok", "0 0s-1.1s answered x1")
}

func TestWorkersTakeCallsAsTheyGetFree(t *testing.T) {
	m := model()
	m.Workers, m.Workload.Calls = 2, 3
	l, _ := play(t, m)
	l.expect(t, "0.1 0s-1s ok; 1.1 0s-1s ok; 2.1 1s-2s ok",
		"0 0s-1s answered x1; 1 0s-1s answered x1; 2 1s-2s answered x1")
}

// Trap 4: the order of a timeout and a completion at one instant is defined.
func TestReplyBeatsTheTimeoutOfTheSameInstant(t *testing.T) {
	m := model()
	m.Client.Timeouts.Attempt = []time.Duration{s}
	l, _ := play(t, m)
	l.expect(t, "0.1 0s-1s ok", "0 0s-1s answered x1")
	m.Client.Timeouts.Attempt = []time.Duration{s - 1}
	l, _ = play(t, m)
	l.expect(t, "0.1 0s-999.999999ms timeout", "0 0s-999.999999ms terminal_error x1")
}

func TestReplyBeatsThePatienceOfTheSameInstant(t *testing.T) {
	m := model()
	m.Workload.Patience = law.Constant(1)
	l, _ := play(t, m)
	l.expect(t, "0.1 0s-1s ok", "0 0s-1s answered x1")
	m.Provider.Faults = []provider.Fault{{Share: 1, Effect: provider.Reject{Reply: wire.Reply{Status: 500}, After: s}}}
	m.Client.Retry = retries(5, s)
	l, _ = play(t, m)
	l.expect(t, "0.1 0s-1s server_error", "0 0s-1s abandoned x1")
}

// The call of 1.5 s waits for the only worker, which the reply to the first frees at 2 s, the
// very instant at which its caller's patience of 500 ms ends. That reply left the provider at
// 1.4 s, before the second call came, so that it is handled first: the worker takes the call
// up, and sends nothing.
func TestCallerWhoLeavesSendsNothingAtThatInstant(t *testing.T) {
	m := model()
	m.Provider.RoundTrip = 1200 * ms
	m.Provider.Latency.FirstToken = law.Constant(0.8)
	m.Workers = 1
	m.Workload.Arrivals, m.Workload.Calls = &Trace{At: []sim.Time{0, 1500 * ms}}, 2
	m.Workload.Patience = &inTurn{9, 0.5}
	l, _ := play(t, m)
	l.expect(t, "0.1 0s-2s ok", "0 0s-2s answered x1; 1 1.5s-2s abandoned x0")
	// Nor does one whose patience is nothing, or ends with a wait before a retry.
	m = model()
	m.Workload.Patience = law.Constant(0)
	l, _ = play(t, m)
	l.expect(t, "", "0 0s-0s abandoned x0")
	m = model()
	m.Workload.Patience = law.Constant(3)
	m.Provider.Faults = failing(500)
	m.Client.Retry = retries(5, 3*s)
	l, _ = play(t, m)
	l.expect(t, "0.1 0s-0s server_error", "0 0s-3s abandoned x1")
}

func TestFirstTokenBeatsItsTimeout(t *testing.T) {
	m := model()
	m.Workload.Stream = true
	m.Provider.Latency.TokensPerSecond = law.Constant(10) // the last token at 2 s
	m.Client.Timeouts.FirstByte = s
	l, _ := play(t, m)
	l.expect(t, "0.1 0s-2s ok", "0 0s-2s answered x1")
	m.Client.Timeouts.FirstByte = s - 1
	l, _ = play(t, m)
	l.expect(t, "0.1 0s-999.999999ms timeout", "0 0s-999.999999ms terminal_error x1")
}

// A stream of a token each 100 ms outlives a gap timeout of 1 s, an answer in
// one piece does not; a total timeout cuts both. Where there is a timer for the first
// byte, the gap counts from that byte on.
func TestGapTimeout(t *testing.T) {
	for _, c := range []struct {
		stream   bool
		timeouts policy.Timeouts
		want     string
	}{
		{true, policy.Timeouts{Gap: s}, "0.1 0s-2s ok"},
		{false, policy.Timeouts{Gap: s}, "0.1 0s-1s timeout"},
		{true, policy.Timeouts{Gap: s, Attempt: []time.Duration{1500 * ms}}, "0.1 0s-1.5s timeout"},
		{true, policy.Timeouts{Gap: 999 * ms}, "0.1 0s-999ms timeout"}, // a read timeout alone counts from sending
		{true, policy.Timeouts{FirstByte: s, Gap: 999 * ms}, "0.1 0s-2s ok"},
		{true, policy.Timeouts{FirstByte: s, Gap: 99 * ms}, "0.1 0s-1.099s timeout"},
		{false, policy.Timeouts{FirstByte: 2 * s, Gap: s}, "0.1 0s-2s ok"}, // one piece has no gap after its first byte
	} {
		m := model()
		m.Workload.Stream = c.stream
		m.Provider.Latency.TokensPerSecond = law.Constant(10)
		m.Client.Timeouts = c.timeouts
		if l, _ := play(t, m); l.attempts[0] != c.want {
			t.Errorf("stream %v, %v: %s, want %s", c.stream, c.timeouts.Describe(), l.attempts[0], c.want)
		}
	}
	// Between tokens: the first at 50 ms, then one each 111 ms against 99 ms.
	m := model()
	m.Workload.Stream = true
	m.Provider.Latency = provider.Latency{FirstToken: law.Constant(0.05), TokensPerSecond: law.Constant(9)}
	m.Client.Timeouts.Gap = 99 * ms
	l, _ := play(t, m)
	l.expect(t, "0.1 0s-149ms timeout", "0 0s-149ms stream_broken x1")
}

func TestAtTheHorizonNoCallStartsAndWhatIsInFlightDrains(t *testing.T) {
	m := model()
	m.Workload = Workload{Arrivals: Renewal{law.Constant(1), Constant(1)}, Sizes: sized{Prompt: 1, Output: 1}}
	m.Workers = 0
	m.Horizon = 3 * s // arrivals at 1 s and 2 s; that of 3 s does not start
	m.Provider.Latency.FirstToken = law.Constant(5)
	l, _ := play(t, m)
	l.expect(t, "0.1 1s-6s ok; 1.1 2s-7s ok", "0 1s-6s answered x1; 1 2s-7s answered x1")

	m = model()
	m.Workload.Calls, m.Horizon = 10, 2*s // fetched at 0 s and 1 s; at 2 s no more
	l, summary := play(t, m)
	if len(l.calls) != 2 || summary.NotStarted[0] != 8 {
		t.Errorf("%d calls, %d not started; want 2 and 8", len(l.calls), summary.NotStarted[0])
	}
}

// At the instant at which a slot frees, a request that arrives gets it, whether
// the service took longer or shorter than the way.
func TestCompletionComesBeforeArrival(t *testing.T) {
	for _, trip := range []time.Duration{0, 1 * s, 4 * s} {
		m := model()
		m.Workers = 0
		m.Workload = Workload{
			Arrivals: Renewal{law.Constant(1), Constant(1)},
			Calls:    3,
			Sizes:    sized{Prompt: 1, Output: 1},
		}
		m.Provider.RoundTrip = trip
		m.Provider.Limits = atOnce(1) // served in 1 s, asked each second
		l, _ := play(t, m)
		for _, a := range l.attempts {
			if !strings.HasSuffix(a, " ok") {
				t.Errorf("round trip %v: %s", trip, a)
			}
		}
	}
}

// The timer of the whole call ends it in the middle of an attempt, and no wait
// outlasts it.
func TestCallTimeout(t *testing.T) {
	m := model()
	m.Provider.Faults = []provider.Fault{
		{For: s, Share: 1, Effect: provider.Reject{Reply: wire.Reply{Status: 500}, After: 400 * ms}},
	}
	m.Client.Retry = retries(9, s)
	m.Client.Timeouts.Call = 1500 * ms
	l, _ := play(t, m)
	l.expect(t, "0.1 0s-400ms server_error; 0.2 1.4s-1.5s timeout", "0 0s-1.5s gave_up_deadline x2")
}

func TestSpentBudgetFails(t *testing.T) {
	m := model()
	m.Workload.Calls, m.Budget = 1000, 100
	_, err := m.Run(1, 0, &log{})
	if err == nil || !strings.Contains(err.Error(), "event budget spent: 100 events") {
		t.Errorf("got %v, want the spent budget", err)
	}
}

// Asking again after exactly the Retry-After of an untouched bucket succeeds.
func TestExactRetryAfterIsEnough(t *testing.T) {
	m := model()
	m.Workload.Calls, m.Workers = 2, 2
	m.Provider.Limits = []provider.Limit{{Resource: provider.Requests, Amount: 7, Period: 60 * s, Burst: 1}}
	m.Client.Retry = retries(2, 0)
	m.Client.Retry.RetryAfter.Obey = policy.InFull
	l, _ := play(t, m)
	l.expect(t, "1.1 0s-0s throttled; 0.1 0s-1s ok; 1.2 8.571428572s-9.571428572s ok",
		"0 0s-1s answered x1; 1 0s-9.571428572s answered x2")
}

// With eight slots for 40 workers, at most eight are in flight, nothing is
// refused, and the five rounds take 5 x 296 ms.
func TestSemaphore(t *testing.T) {
	m := model()
	m.Workload.Calls, m.Workers = 40, 40
	m.Provider.Limits = atOnce(8)
	m.Provider.Latency.FirstToken = law.Constant(0.296)
	m.Client.Gate.Semaphore = 8
	l, summary := play(t, m)
	if len(l.attempts) != 40 || summary.End != 1480*ms {
		t.Errorf("%d attempts, ended at %v; want 40 and 1.48s", len(l.attempts), summary.End)
	}
}

// Each cancel rule: what a timeout at 1.5 s leaves to be generated and billed of
// an answer whose first token comes at 1 s and whose tenth and last at 2 s.
func TestAbandonedAttemptLivesOn(t *testing.T) {
	type bill struct {
		output int
		money  cost.Money
	}
	for _, c := range []struct {
		name    string
		rule    provider.CancelRule
		timeout time.Duration
		trip    time.Duration
		want    bill
	}{
		{"keeps generating", provider.Keeps, 1500 * ms, 0, bill{10, 2_000_000}},
		{"stops", provider.Stops, 1500 * ms, 0, bill{5, 1_500_000}},
		{"stops when the disconnect arrives", provider.Stops, 1500 * ms, 200 * ms, bill{5, 1_500_000}},
		{"streams stop", provider.StopsStreams, 1500 * ms, 0, bill{5, 1_500_000}},
		{"stops before the first token", provider.Stops, 500 * ms, 0, bill{0, 1_000_000}},
		{"reply under way", provider.Stops, 2500 * ms, s + 200*ms, bill{10, 2_000_000}},
	} {
		m := model()
		m.Workload.Stream = true
		m.Provider.RoundTrip = c.trip
		m.Provider.Cancel = c.rule
		m.Provider.Latency.TokensPerSecond = law.Constant(10)
		m.Client.Timeouts.Attempt = []time.Duration{c.timeout}
		var got bill
		var cause cost.Cause
		if _, err := m.Run(1, 0, each{attempt: func(a *Attempt) {
			got, cause = bill{a.Usage.Output, a.Bill},
				a.Cause
		}}); err != nil {
			t.Fatal(err)
		}
		if got != c.want || cause != cost.ByTimeout {
			t.Errorf("%s: %+v by %v, want %+v by timeout", c.name, got, cause, c.want)
		}
	}
}

type each struct {
	attempt func(*Attempt)
	call    func(*Call)
}

func (e each) Attempt(a *Attempt) {
	if e.attempt != nil {
		e.attempt(a)
	}
}

func (e each) Call(c *Call) {
	if e.call != nil {
		e.call(c)
	}
}

// The slot of an abandoned attempt is held to the end under one rule and freed
// by the disconnect under the other. Trap 4: a late reply is not free.
func TestAbandonedAttemptHoldsItsSlot(t *testing.T) {
	for rule, want := range map[provider.CancelRule]string{
		provider.Keeps: "0.1 0s-500ms timeout; 0.2 500ms-500ms throttled",
		provider.Stops: "0.1 0s-500ms timeout; 0.2 500ms-1s timeout",
	} {
		m := model()
		m.Provider.Limits = atOnce(1)
		m.Provider.Cancel = rule
		m.Client.Retry = retries(2, 0)
		m.Client.Timeouts.Attempt = []time.Duration{500 * ms}
		l, _ := play(t, m)
		if got := strings.Join(l.attempts, "; "); got != want {
			t.Errorf("%v: %s, want %s", rule, got, want)
		}
	}
}

// A call that nothing can end is counted and named, and so are those behind it. Trap 5: no
// timeout of ours ends it.
func TestHangWithoutTimeoutIsUnfinished(t *testing.T) {
	m := model()
	m.Provider.Faults = []provider.Fault{{Share: 1, Effect: provider.Hang{}}}
	m.Workload.Calls = 2
	l, summary := play(t, m)
	l.expect(t, "0.1 0s-0s timeout", "0 0s-0s unfinished x1")
	if summary.NotStarted[0] != 1 {
		t.Errorf("%d not started, want 1", summary.NotStarted[0])
	}
	m.Client.Timeouts.Gap = 10 * s
	l, _ = play(t, m)
	l.expect(t, "0.1 0s-10s timeout; 1.1 10s-20s timeout", "0 0s-10s terminal_error x1; 1 10s-20s terminal_error x1")
}

// A stream of 20 tokens, one each 100 ms from 1 s on, stalls after 8, at 1.8 s. What ends it is a timeout of the
// client: 5 s of silence since the last token, 3 s for the attempt or 4 s for the call. Of a reply that is lost in
// silence, and of a stalled answer in one piece, nothing comes.
func TestStalls(t *testing.T) {
	stall, lost := provider.Break{Part: 0.4, Silent: true}, provider.Break{Part: 1, Silent: true}
	for _, c := range []struct {
		effect   provider.Break
		stream   bool
		timeouts policy.Timeouts
		want     string
	}{
		{stall, true, policy.Timeouts{Gap: 5 * s}, "0.1 0s-6.8s timeout gap 8"},
		{stall, true, policy.Timeouts{FirstByte: 2 * s, Gap: 5 * s}, "0.1 0s-6.8s timeout gap 8"},
		{stall, true, policy.Timeouts{Gap: 5 * s, Attempt: []time.Duration{3 * s}}, "0.1 0s-3s timeout attempt 8"},
		{stall, true, policy.Timeouts{Gap: 5 * s, Call: 4 * s}, "0.1 0s-4s timeout call 8"},
		{stall, true, policy.Timeouts{FirstByte: 2 * s}, "0.1 0s-1.8s timeout end_of_run 8"},
		{stall, false, policy.Timeouts{Gap: 5 * s}, "0.1 0s-5s timeout gap 8"},
		{lost, true, policy.Timeouts{Gap: 5 * s}, "0.1 0s-8s timeout gap 20"},
		{lost, false, policy.Timeouts{Gap: 5 * s}, "0.1 0s-5s timeout gap 20"},
	} {
		m := model()
		m.Workload.Stream = c.stream
		m.Workload.Sizes = sized{Prompt: 1, Output: 20}
		m.Provider.Latency.TokensPerSecond = law.Constant(10)
		m.Provider.Faults = []provider.Fault{{Share: 1, Effect: c.effect}}
		m.Client.Timeouts = c.timeouts
		var got string
		if _, err := m.Run(1, 0, each{attempt: func(a *Attempt) {
			got = fmt.Sprintf("%d.%d %v-%v %v %v %d", a.Call, a.Number, a.Sent, a.Ended, a.Class(), a.Cut,
				a.Usage.Output)
		}}); err != nil || got != c.want {
			t.Errorf("%v, stream %v, %v: %s, want %s (%v)", c.effect.Describe(), c.stream,
				c.timeouts.Describe(), got, c.want, err)
		}
	}
}

func TestConnections(t *testing.T) {
	m := model()
	m.Provider.RoundTrip = 100 * ms
	m.Client.Retry = retries(2, s)
	m.Client.Timeouts.Connect = 5 * s
	m.Provider.Faults = []provider.Fault{{For: s, Share: 1, Effect: provider.NoConnection{As: provider.RefusedConn}}}
	l, _ := play(t, m)
	l.expect(t, "0.1 0s-100ms connection; 0.2 1.1s-2.2s ok", "0 0s-2.2s answered x2")
	m.Provider.Faults[0].Effect = provider.NoConnection{As: provider.Unreachable}
	l, _ = play(t, m)
	l.expect(t, "0.1 0s-5s timeout; 0.2 6s-7.1s ok", "0 0s-7.1s answered x2")
	// The timer for the connection ends a name lookup and a handshake, and does not run once the connection stands.
	for _, c := range []struct {
		as    provider.Reachability
		after law.Law
		want  string
	}{
		{provider.NoName, nil, "0s connection"},
		{provider.NoName, law.Constant(5), "5s connection"}, // at one instant the failure comes first
		{provider.NoName, law.Constant(10), "5s timeout"},
		{provider.NoTLS, nil, "200ms connection"},
		{provider.NoTLS, law.Constant(6), "5s timeout"},
		{provider.RefusedConn, law.Constant(3), "3s connection"},
		{provider.ResetConn, law.Constant(6), "6s connection"},
	} {
		m.Provider.Faults[0].Effect = provider.NoConnection{As: c.as, After: c.after}
		if l, _ := play(t, m); l.attempts[0] != "0.1 0s-"+c.want {
			t.Errorf("%v: %s, want it to end at %s", m.Provider.Faults[0].Effect.Describe(), l.attempts[0], c.want)
		}
	}
}

// The operating system ends a connection on which nothing is acknowledged, with a connection error. It
// does not end one to a provider that hangs: that call is unfinished when the run ends.
func TestOperatingSystemGivesUp(t *testing.T) {
	m := model()
	m.Client.Retry = retries(2, s)
	m.Client.Timeouts.OS = 15 * time.Minute
	m.Provider.Faults = []provider.Fault{{For: s, Share: 1, Effect: provider.NoConnection{As: provider.Unreachable}}}
	l, _ := play(t, m)
	l.expect(t, "0.1 0s-15m0s connection; 0.2 15m1s-15m2s ok", "0 0s-15m2s answered x2")
	m.Client.Retry.Classify.Connections = false
	l, _ = play(t, m)
	l.expect(t, "0.1 0s-15m0s connection", "0 0s-15m0s terminal_error x1")
	m.Provider.Faults[0].Effect = provider.Hang{}
	l, _ = play(t, m)
	if want := " unfinished x1"; len(l.calls) != 1 || !strings.HasSuffix(l.calls[0], want) {
		t.Errorf("a provider that hangs: %v, want%s", l.calls, want)
	}
}

// A request of 4,097 tokens at 4 bytes does not fit into a send buffer of 16 KiB, one of 4,096 does.
func TestWriteTimeout(t *testing.T) {
	for prompt, want := range map[int32]string{4096: "0.1 0s-20s timeout", 4097: "0.1 0s-10s timeout"} {
		m := model()
		m.Workload.Sizes = sized{Prompt: prompt, Output: 10}
		m.Client.Timeouts.Write, m.Client.Timeouts.Gap = 10*s, 20*s
		m.Provider.Faults = []provider.Fault{{Share: 1, Effect: provider.NoConnection{As: provider.Unreachable}}}
		if l, _ := play(t, m); l.attempts[0] != want {
			t.Errorf("%d tokens: %s, want %s", prompt, l.attempts[0], want)
		}
	}
}

// Trap 6: a worker whose caller leaves takes the next call.
func TestCallerLeaves(t *testing.T) {
	for _, c := range []struct {
		name            string
		patience        law.Law
		change          func(*Model)
		attempts, calls string
	}{
		{"in flight", law.Constant(0.25), func(m *Model) {}, "0.1 0s-250ms timeout", "0 0s-250ms abandoned x1"},
		{"in a backoff", law.Constant(1), func(m *Model) {
			m.Provider.Faults = []provider.Fault{{Share: 1, Effect: provider.Reject{Reply: wire.Reply{Status: 500}}}}
			m.Client.Retry = retries(9, 3*s)
		}, "0.1 0s-0s server_error", "0 0s-1s abandoned x1"},
		{"at the gate", &inTurn{2, 0.75}, func(m *Model) {
			m.Workload.Calls, m.Workers, m.Client.Gate.Semaphore = 2, 2, 1
		}, "0.1 0s-1s ok", "1 0s-750ms abandoned x0; 0 0s-1s answered x1"},
		{"waiting for a worker", &inTurn{2, 0.75, 3}, func(m *Model) {
			m.Workload.Calls, m.Workload.Arrivals = 3, Burst{}
		}, "0.1 0s-1s ok; 2.1 1s-2s ok", "1 0s-750ms abandoned x0; 0 0s-1s answered x1; 2 0s-2s answered x1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := model()
			m.Workload.Patience = c.patience
			c.change(&m)
			l, _ := play(t, m)
			l.expect(t, c.attempts, c.calls)
		})
	}
}

// What becomes of an attempt whose client leaves while it waits at the provider:
// it keeps its place and is billed, or it gives it up and the next one moves up.
// Trap 4: what waits in a queue keeps its place there. Trap 6: and what is passed over starts the next.
func TestAbandonedInTheProvidersQueue(t *testing.T) {
	for rule, want := range map[provider.CancelRule]string{
		provider.Keeps: "1.1 0s-1.5s timeout 2000000; 0.1 0s-1s ok 2000000; 2.1 0s-3s ok 2000000",
		provider.Stops: "1.1 0s-1.5s timeout 0; 0.1 0s-1s ok 2000000; 2.1 0s-2s ok 2000000",
	} {
		m := model()
		m.Workload.Calls, m.Workers = 3, 3
		m.Provider.Capacity = provider.Capacity{Slots: 1, Queue: -1, Full: 503}
		m.Provider.Cancel = rule
		m.Workload.Patience = &inTurn{9, 0.5, 9} // call 1 leaves at 0.5 s, in the queue
		var got []string
		if _, err := m.Run(1, 0, each{attempt: func(a *Attempt) {
			got = append(got, fmt.Sprintf("%d.%d %v-%v %v %d", a.Call, a.Number, a.Sent, a.Ended, a.Class(), a.Bill))
		}}); err != nil {
			t.Fatal(err)
		}
		if s := strings.Join(got, "; "); s != strings.Replace(want, "1.5s", "500ms", 1) {
			t.Errorf("%v: %s, want %s", rule, s, want)
		}
	}
}

// A reply lost after the work is billed in full, a stream cut at 40 % for what
// came; both are seen as broken connections and retried.
func TestBrokenConnections(t *testing.T) {
	for part, want := range map[float64]string{
		1:   "0.1 0s-2s connection 2000000 error; 0.2 2s-4s ok 2000000 useful",
		0.4: "0.1 0s-1.4s connection 1400000 error; 0.2 1.4s-3.4s ok 2000000 useful",
	} {
		m := model()
		m.Workload.Stream = true
		m.Provider.Latency.TokensPerSecond = law.Constant(10)
		m.Provider.Faults = []provider.Fault{{For: s, Share: 1, Effect: provider.Break{Part: part}}}
		m.Client.Retry = retries(2, 0)
		m.Client.Retry.Broken = policy.Replay
		var got []string
		if _, err := m.Run(1, 0, each{attempt: func(a *Attempt) {
			use := "useful"
			if a.Waste {
				use = a.Cause.String()
			}
			got = append(got, fmt.Sprintf("%d.%d %v-%v %v %d %s", a.Call, a.Number, a.Sent, a.Ended, a.Class(), a.Bill,
				use))
		}}); err != nil {
			t.Fatal(err)
		}
		if s := strings.Join(got, "; "); s != want {
			t.Errorf("part %g: %s, want %s", part, s, want)
		}
	}
}

// A client that sleeps 60 s but gives up at 61 s asks 978 times when a proxy says
// 59 s in place of 16 h: at 0 s, 59 s, ..., 976 x 59 s = 57,584 s in vain, and at
// 57,643 s with success. The source counts the 976 retries in vain (teamclaude-rs,
// issue 313).
func TestProxyThatSaysAnotherWait(t *testing.T) {
	m := model()
	m.Provider.Faults = []provider.Fault{
		{
			Share: 1,
			For:   16 * time.Hour,
			Effect: provider.Reject{
				Reply: wire.Reply{
					Status:     429,
					RetryAfter: wire.After(16 * time.Hour),
					Millis:     wire.After(16 * time.Hour),
				},
			},
		},
	}
	m.Client.Retry = policy.Retry{
		Classify: everything,
		RetryAfter: policy.RetryAfter{
			Obey:   policy.UpTo,
			Limit:  60 * s,
			Beyond: policy.GiveUp,
			Reads:  wire.Reads{Millis: true},
		},
	}
	l, _ := play(t, m)
	l.expect(t, "0.1 0s-0s throttled", "0 0s-0s gave_up_retry_after x1")
	m.Provider.Gateway.RetryAfter = 59 * s
	l, _ = play(t, m)
	if got, want := l.calls[0], "0 0s-16h0m44s answered x978"; got != want {
		t.Errorf("behind the proxy: %s, want %s", got, want)
	}
}

// A gateway that hides the overload and the wish to wait, and one that tries
// again by itself until the provider is back.
func TestGateway(t *testing.T) {
	m := model()
	m.Provider.Faults = []provider.Fault{
		{For: 2 * s, Share: 1, Effect: provider.Reject{Reply: wire.Reply{Status: 529, RetryAfter: wire.After(5 * s)}}},
	}
	m.Client.Retry = retries(3, s)
	m.Client.Retry.RetryAfter.Obey = policy.InFull
	l, _ := play(t, m)
	l.expect(t, "0.1 0s-0s overloaded; 0.2 5s-6s ok", "0 0s-6s answered x2")
	m.Provider.Gateway = provider.Gateway{
		StripRetryAfter: true,
		Rewrite:         []provider.Rewrite{{From: 529, To: 500}},
		Latency:         200 * ms,
	}
	l, _ = play(t, m)
	l.expect(t, "0.1 0s-200ms server_error; 0.2 1.2s-1.4s server_error; 0.3 2.4s-3.6s ok", "0 0s-3.6s answered x3")
	m.Provider.Gateway = provider.Gateway{Retries: 3, Wait: s}
	l, _ = play(t, m)
	l.expect(t, "0.1 0s-3s ok", "0 0s-3s answered x1")
}

// inTurn is a law that gives its values one after the other.
type inTurn []float64

func (l *inTurn) Sample(float64) float64 {
	x := (*l)[0]
	*l = (*l)[1:]
	return x
}
func (*inTurn) Mean() float64  { return 0 }
func (*inTurn) String() string { return "in turn" }

// A failed item goes back to the queue behind the others and starts afresh.
func TestRedelivery(t *testing.T) {
	m := model()
	m.Workload.Calls = 2
	m.Workload.Redelivery = Redelivery{Deliveries: 3, After: 10 * s}
	m.Provider.Faults = []provider.Fault{
		{For: s, Share: 1, Effect: provider.Reject{Reply: wire.Reply{Status: 503}, After: 400 * ms}},
	}
	l, _ := play(t, m)
	l.expect(t, "0.1 0s-400ms overloaded; 1.1 400ms-800ms overloaded; 0.2 10.4s-11.4s ok; 1.2 11.4s-12.4s ok",
		"0 0s-11.4s answered x2; 1 400ms-12.4s answered x2")
	m.Provider.Faults[0].For = 0
	l, _ = play(t, m)
	// Deliveries of call 0 end at 0.4, 10.8 and 21.2 s.
	if l.calls[0] != "0 0s-21.2s terminal_error x3" {
		t.Errorf("three deliveries and no more: %v", l.calls)
	}
}

// A visibility timeout of 30 s: a delivery that fails after a second is in the queue again 30 s
// after it was taken, one that takes 40 s at once.
func TestVisibilityTimeout(t *testing.T) {
	for first, want := range map[float64]string{1: "0.1 0s-1s server_error; 0.2 30s-31s server_error",
		40: "0.1 0s-40s server_error; 0.2 40s-1m20s server_error"} {
		m := model()
		m.Provider.Faults = []provider.Fault{
			{Share: 1, Effect: provider.Reject{Reply: wire.Reply{Status: 500}, After: time.Duration(first) * s}},
		}
		m.Workload.Redelivery = Redelivery{Deliveries: 2, Visible: 30 * s}
		l, _ := play(t, m)
		if got := strings.Join(l.attempts, "; "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// A call that takes 20 s and is visible again 8 s after each delivery, while it is worked on. The first answer, at
// 20 s, ends it; deliveries under way go on. Where workers are idle there are ceil(20/8) = 3 deliveries, at 0, 8 and
// 16 s: that of 24 s is called off. Each is billed ($0.002) and acts: one is useful, two are wasted.
func TestDeliveriesWhileWorking(t *testing.T) {
	const three = "0.1 0s-20s ok; 0.2 8s-28s ok; 0.3 16s-36s ok"
	slow := func(span time.Duration) []provider.Fault {
		return []provider.Fault{{For: span, Share: 1, Effect: provider.Reject{
			Reply: wire.Reply{Status: 500}, After: 10 * s,
		}}}
	}
	for _, c := range []struct {
		name           string
		change         func(m *Model)
		attempts, call string
	}{
		{"workers are idle", func(m *Model) { m.Workers = 9 }, three, "0 0s-20s answered x3"},
		{"one in each of three instances", func(m *Model) { m.Instances, m.Workers = 3, 1 }, three,
			"0 0s-20s answered x3"},
		{"two workers: the third delivery is called off at 20 s", func(m *Model) { m.Workers = 2 },
			"0.1 0s-20s ok; 0.2 8s-28s ok", "0 0s-20s answered x2"},
		{"one worker: the second waits for it until the call is answered", func(m *Model) { m.Workers = 1 },
			"0.1 0s-20s ok", "0 0s-20s answered x1"},
		{"two deliveries at most", func(m *Model) { m.Workload.Redelivery.Deliveries = 2 },
			"0.1 0s-20s ok; 0.2 8s-28s ok", "0 0s-20s answered x2"},
		{"24 s of work: the answer is there at the instant at which the call would be visible", func(m *Model) {
			m.Provider.Latency.FirstToken = law.Constant(24)
		}, "0.1 0s-24s ok; 0.2 8s-32s ok; 0.3 16s-40s ok", "0 0s-24s answered x3"},
		{"not while it is worked on", func(m *Model) { m.Workload.Redelivery.WhileWorking = false },
			"0.1 0s-20s ok", "0 0s-20s answered x1"},
		// The deliveries of 8, 16 and 24 s, 20 s each.
		{"the first fails at 10 s", func(m *Model) { m.Provider.Faults = slow(s) },
			"0.1 0s-10s server_error; 0.2 8s-28s ok; 0.3 16s-36s ok; 0.4 24s-44s ok", "0 0s-28s answered x4"},
		{"all fail, in three deliveries", func(m *Model) {
			m.Provider.Faults, m.Workload.Redelivery.Deliveries = slow(0), 3
		}, "0.1 0s-10s server_error; 0.2 8s-18s server_error; 0.3 16s-26s server_error", "0 0s-26s terminal_error x3"},
		{"all fail, and what failed is acknowledged", func(m *Model) {
			m.Provider.Faults, m.Workload.Redelivery.DropFailed = slow(0), true
		}, "0.1 0s-10s server_error; 0.2 8s-18s server_error", "0 0s-18s terminal_error x2"},
		{"one worker, all fail in two deliveries", func(m *Model) {
			m.Workers, m.Provider.Faults, m.Workload.Redelivery.Deliveries = 1, slow(0), 2
		}, "0.1 0s-10s server_error; 0.2 10s-20s server_error", "0 0s-20s terminal_error x2"},
		// The last event of the run is that the call is visible at 16 s, where no worker is idle.
		{"each hangs until the end of the run", func(m *Model) {
			m.Provider.Faults = []provider.Fault{{Share: 1, Effect: provider.Hang{}}}
			m.Workers, m.Workload.Redelivery.Deliveries = 2, 3
		}, "0.1 0s-16s timeout; 0.2 8s-16s timeout", "0 0s-16s unfinished x2"},
		{"no delivery begins at the horizon of 16 s, while others are under way",
			func(m *Model) { m.Horizon = 16 * s }, "0.1 0s-20s ok; 0.2 8s-28s ok", "0 0s-20s answered x2"},
		// Its next try at 10 s goes on beside the second delivery.
		{"a delivery that retries", func(m *Model) {
			m.Provider.Faults, m.Client.Retry = slow(s), retries(2, 0)
			m.Workload.Redelivery.Deliveries = 2
		}, "0.1 0s-10s server_error; 0.2 8s-28s ok; 0.3 10s-30s ok", "0 0s-28s answered x3"},
	} {
		m := model()
		m.Workers = 9
		m.Workload.Redelivery = Redelivery{Deliveries: -1, Visible: 8 * s, WhileWorking: true}
		m.Provider.Latency.FirstToken = law.Constant(20)
		c.change(&m)
		l, _ := play(t, m)
		got := strings.Join(l.attempts, "; ")
		if got != c.attempts || len(l.calls) != 1 || l.calls[0] != c.call {
			t.Errorf("%s: %s, %v; want %s, %s", c.name, got, l.calls, c.attempts, c.call)
		}
	}
}

// The bills, acts and waits of the first and the last but one of these schedules.
func TestBillsOfDeliveriesWhileWorking(t *testing.T) {
	m := model()
	m.Workers = 9
	m.Workload.Acts = true
	m.Workload.Redelivery = Redelivery{Deliveries: -1, Visible: 8 * s, WhileWorking: true}
	m.Provider.Latency.FirstToken = law.Constant(20)
	run := func() (call Call) {
		if _, err := m.Run(1, 0, each{call: func(c *Call) { call = *c }}); err != nil {
			t.Fatal(err)
		}
		return call
	}
	const bill = 2_000_000
	if c := run(); c.Useful != bill || c.Waste != (cost.Waste{cost.ByRedelivery: 2 * bill}) || c.Acts != 3 ||
		c.Deliveries != 3 {
		t.Errorf("useful %v, wasted %v, %d acts in %d deliveries; want 3 of each, and one that is useful", c.Useful,
			c.Waste, c.Acts, c.Deliveries)
	}
	m.Client.IdempotencyKey = true
	if c := run(); c.Acts != 1 {
		t.Errorf("with an idempotency key it acts %d times, want 1", c.Acts)
	}
	// Fails at 1, 9 and 17 s, with 7 s until it is visible again, and no overlap.
	m.Workload.Redelivery.Deliveries = 3
	failsAfter := func(d time.Duration) []provider.Fault {
		return []provider.Fault{{Share: 1, Effect: provider.Reject{Reply: wire.Reply{Status: 500}, After: d}}}
	}
	m.Provider.Faults = failsAfter(s)
	if c := run(); c.Waits != [Waits]time.Duration{RedeliveryWait: 14 * s} || c.Latency() != 17*s {
		t.Errorf("waits %v in %v, want 14s for the queue in 17s", c.Waits, c.Latency())
	}
	// One worker, and each delivery fails after 10 s: the next is visible at 8 s and waits for the worker for 2 s.
	m.Workers = 1
	m.Provider.Faults = failsAfter(10 * s)
	if c := run(); c.Waits != [Waits]time.Duration{WorkerWait: 4 * s} || c.Latency() != 30*s {
		t.Errorf("waits %v in %v, want 4s for a worker in 30s", c.Waits, c.Latency())
	}
}

// Trap 1: per-call state on a shared client. Eight concurrent calls each get
// exactly their own three attempts.
func TestConcurrentCallsDoNotShareAttempts(t *testing.T) {
	m := model()
	m.Workload.Calls, m.Workers = 8, 8
	m.Provider.Faults = []provider.Fault{{Share: 1, Effect: provider.Reject{Reply: wire.Reply{Status: 500}}}}
	m.Client.Retry = retries(3, s)
	l, _ := play(t, m)
	for _, c := range l.calls {
		if !strings.HasSuffix(c, "gave_up_attempts x3") {
			t.Errorf("%s, want three attempts", c)
		}
	}
}

// Trap 1: nor the waits and deadlines of others. Call 0 does what it does alone.
func TestACallRetriesAmongOthersAsAlone(t *testing.T) {
	var seen [2]string
	for i, n := range []uint64{1, 8} {
		m := model()
		m.Workers, m.Workload.Calls, m.Workload.Arrivals = 0, n, Renewal{Gap: law.Constant(1), Rate: Constant(2)}
		m.Provider.Faults = []provider.Fault{{Share: 1, Effect: provider.Reject{Reply: wire.Reply{Status: 500}}}}
		m.Client.Retry = policy.Retry{
			Classify: everything,
			Deadline: 60 * s,
			Backoff:  policy.Backoff{Base: s, Factor: 2, Cap: 20 * s, Jitter: policy.Decorrelated},
		}
		if _, err := m.Run(1, 0, each{attempt: func(a *Attempt) {
			if a.Call == 0 {
				seen[i] += fmt.Sprintln(a.Number, a.Sent, a.Decision)
			}
		}}); err != nil {
			t.Fatal(err)
		}
	}
	if seen[0] != seen[1] || strings.Count(seen[0], "\n") < 4 {
		t.Errorf("alone:\n%samong eight:\n%s", seen[0], seen[1])
	}
}

// Whatever number a law gives, a size is a number of tokens.
func TestSizesAreHeld(t *testing.T) {
	for x, want := range map[float64]int32{0: 1, 0.4: 1, 1.5: 2, -7: 1, 1e9: 1e9, 1e300: 1e9, math.Inf(1): 1e9,
		math.Inf(-1): 1, math.NaN(): 1e9} {
		if got := (Drawn{Prompt: law.Constant(x), Output: law.Constant(x)}).Size(0, Luck{}); got.Prompt != want ||
			got.Output != want {
			t.Errorf("%g tokens: %+v, want %d", x, got, want)
		}
	}
}

func TestThinkTime(t *testing.T) {
	m := model()
	m.Workload.Calls, m.Workload.Think = 2, law.Constant(2)
	l, _ := play(t, m)
	l.expect(t, "0.1 2s-3s ok; 1.1 5s-6s ok", "0 2s-3s answered x1; 1 5s-6s answered x1")
}

// Trap 12: what is charged at admission is what the request declares, not what is produced.
func TestLimitsOnTokensSettle(t *testing.T) {
	m := model()
	m.Workload.Sizes = sized{Prompt: 100, Output: 10, MaxTokens: 50}
	m.Provider.Limits = []provider.Limit{
		{
			Resource: provider.Tokens,
			Amount:   1000,
			Period:   60 * s,
			Charge:   provider.PromptPlusMax,
			Settle:   provider.Refund,
		},
		{Resource: provider.InputTokens, Amount: 1000, Period: 60 * s},
	}
	var got [3]int64
	_, err := m.Run(1, 0, each{attempt: func(a *Attempt) { got = [3]int64{a.Charged, a.Settled, a.Refunded} }})
	if want := [3]int64{250, 210, 40}; err != nil || got != want {
		t.Errorf("charged, settled, refunded %v, want %v (%v)", got, want, err)
	}
}

func TestProfile(t *testing.T) {
	p := Profile{{0, 1, 1}, {10 * s, 4, 2}, {20 * s, 0, 0}, {30 * s, 1, 1}}
	for _, c := range []struct {
		from sim.Time
		want float64
		at   sim.Time
	}{
		{0, 5, 5 * s},
		{0, 10, 10 * s},
		{5 * s, 5 + 30, 20 * s}, // the whole ramp holds (4+2)/2 x 10
		{10 * s, 17.5, 15 * s},  // (4+3)/2 x 5
		{20 * s, 1, 31 * s},     // nothing between 20 s and 30 s
		{10 * s, 30 + 2, 32 * s},
	} {
		if at, ok := p.After(c.from, c.want); !ok || (at-c.at).Abs() > 10 {
			t.Errorf("%g arrivals after %v: %v, want %v", c.want, c.from, at, c.at)
		}
		if n := p.Expected(c.at) - p.Expected(c.from); math.Abs(n-c.want) > 1e-6 {
			t.Errorf("%g arrivals expected from %v to %v, want %g", n, c.from, c.at, c.want)
		}
	}
	if n := p.Expected(25 * s); n != 40 || When(p, 41) != 31*s || When(Profile{{0, 1, 1}, {s, 0, 0}}, 2) != sim.Never {
		t.Errorf("%g arrivals by 25 s, 41 by %v; want 40 and 31 s", n, When(p, 41))
	}
	if _, ok := (Profile{{0, 1, 1}, {s, 0, 0}}).After(0, 2); ok {
		t.Error("a rate of 0 forever brings no more arrivals")
	}
}

// A call of 4e9 tokens at $10,000 a million costs $40M: 230 of them are $9.2e9, 231 more than
// 64 bits of nano-dollars hold ($9,223,372,036.85).
func TestMoneyDoesNotWrap(t *testing.T) {
	for calls, want := range map[uint64]string{230: "", 231: "more than $9223372036.85 was billed"} {
		m := model()
		m.Workload.Calls, m.Workload.Sizes = calls, sized{Prompt: 2_000_000_000, Output: 2_000_000_000}
		m.Price = cost.PerMillion("test", 10_000, 10_000, 10_000)
		_, err := m.Run(1, 0, &log{})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%d calls: %v, want %q", calls, err, want)
		}
	}
}
