package fleet

import (
	"math"
	"slices"
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

// What the calls of an instance share is given back whatever becomes of a call. Each table
// is reckoned by hand; [run.returned] holds it for every run, the random ones included.

// ended is a call of the log as far as these tests want it.
func ended(l *log) (out []string) {
	out = append(out, l.calls...)
	slices.Sort(out)
	return out
}

func expectCalls(t *testing.T, m Model, want ...string) {
	t.Helper()
	l, _ := play(t, m)
	if got := ended(l); !slices.Equal(got, want) {
		t.Errorf("calls %q,\n want %q", got, want)
	}
}

func expectAttempts(t *testing.T, m Model, want int) *log {
	t.Helper()
	l, _ := play(t, m)
	if len(l.attempts) != want {
		t.Errorf("%d attempts, want %d: %q", len(l.attempts), want, l.attempts)
	}
	return l
}

// A hedge has a place at the gate of its own and gives it back: four calls one after the
// other, each of 3 s and hedged after 1 s, take 12 s before a gate of two.
func TestHedgeGivesItsPlaceBack(t *testing.T) {
	m := model()
	m.Workload.Calls = 4
	m.Workers = 1
	m.Provider.Latency.FirstToken = law.Constant(3)
	m.Client.Gate = policy.Gate{Semaphore: 2}
	m.Client.Hedge = policy.Hedge{After: s, Cancel: true}
	expectAttempts(t, m, 8)
	expectCalls(t, m, "0 0s-3s answered x2", "1 3s-6s answered x2", "2 6s-9s answered x2", "3 9s-12s answered x2")
}

// The timeout of a call runs while it waits for gate, pacer or breaker, and the attempt that
// would start at its end is not sent.
func TestCallTimeoutBeforeAnAttempt(t *testing.T) {
	m := model()
	m.Workload.Calls = 3
	m.Workers = 3
	m.Provider.Latency.FirstToken = law.Constant(10)
	m.Client.Timeouts.Call = 12 * s
	for name, shape := range map[string]func(*policy.Client){
		// places at 0, 10 and (since the second left at 12) never
		"gate": func(c *policy.Client) { c.Gate.Semaphore = 1 },
		// sends at 0, 20 and 40 s
		"pacer": func(c *policy.Client) { c.Pacer.Bucket = policy.PaceBucket{Rate: 0.05, Burst: 1} },
	} {
		m.Client.Gate, m.Client.Pacer = policy.Gate{}, policy.Pacer{}
		shape(&m.Client)
		want, attempts := []string{"0 0s-10s answered x1", "1 0s-12s gave_up_deadline x1",
			"2 0s-12s gave_up_deadline x0"}, 2
		if name == "pacer" {
			want[1], attempts = "1 0s-12s gave_up_deadline x0", 1
		}
		expectCalls(t, m, want...)
		expectAttempts(t, m, attempts)
	}

	// A breaker that opens at the failure of the first call, at 0 s.
	m.Client.Pacer = policy.Pacer{}
	m.Client.Breaker = policy.Breaker{InARow: 1, Open: 60 * s, WhenOpen: policy.HoldBack}
	m.Provider.Faults = []provider.Fault{
		{For: s, Share: 1, Effect: provider.Reject{Reply: wire.Reply{Status: 503}, After: 500 * ms}},
	}
	m.Workers = 1
	m.Client.Timeouts.Call = 5 * s
	expectCalls(t, m, "0 0s-500ms terminal_error x1", "1 500ms-5.5s gave_up_deadline x0",
		"2 5.5s-10.5s gave_up_deadline x0")

	// Two attempts of 5 s use a call of 10 s up; a third would start at its end.
	m = model()
	m.Provider.Latency.FirstToken = law.Constant(100)
	m.Client.Retry = retries(9, 0)
	m.Client.Retry.Backoff = policy.Backoff{}
	m.Client.Timeouts = policy.Timeouts{Call: 10 * s, Attempt: []time.Duration{5 * s}}
	expectAttempts(t, m, 2)

	// In a backoff the call ends at its timeout as well: 429 at 0, a wait of 30 s.
	m = model()
	m.Provider.Faults = failing(429)
	m.Client.Retry = retries(3, 30*s)
	m.Client.Timeouts.Call = 10 * s
	expectCalls(t, m, "0 0s-10s gave_up_deadline x1")

	// A layer's timeout of 4 s at a gate of one: each of its two tries waits in vain while
	// the first call's attempt of 10 s is abandoned at 4 s and 8 s.
	m = model()
	m.Workers, m.Workload.Calls = 2, 2
	m.Provider.Latency.FirstToken = law.Constant(10)
	m.Client.Gate.Semaphore = 1
	m.Client.Outer = []policy.Layer{{Name: "framework", Retry: retries(2, 0), Timeout: 4 * s}}
	m.Client.Outer[0].Retry.Backoff = policy.Backoff{}
	l, _ := play(t, m)
	for _, c := range l.calls {
		if at := c[2:7]; at != "0s-8s" {
			t.Errorf("%s, want both calls to end at 8 s", c)
		}
	}
}

// A thousand calls fail together and wait a second: of those in flight and in their waits at
// most three are retries, as the text of Envoy's budget says.
func TestRetriesInWaitCountAsRetries(t *testing.T) {
	m := model()
	m.Workers, m.Workload.Calls, m.Workload.Arrivals = 0, 1000, Burst{}
	m.Provider.Faults = failing(503)
	m.Client.Retry = retries(2, s)
	m.Client.Budget.Share = policy.Share{Ratio: 1e-6, Reserve: 3}
	expectAttempts(t, m, 1003)
}

// A hedge that loses, a caller who leaves and a request that is wrong tell the budget nothing,
// and a hedge is no call that pays in. The account of ten pays for no retry once it is down to
// five.
func TestWhatABudgetIsTold(t *testing.T) {
	m := model()
	m.Workers, m.Workload.Calls = 1, 40
	m.Provider.Latency.FirstToken = law.Constant(3)
	m.Client.Retry = retries(2, s)
	m.Client.Budget.Tokens = policy.Tokens{Max: 10, PerFailure: 1, Floor: 5}
	m.Client.Hedge = policy.Hedge{After: s, Cancel: true}
	m.Provider.Faults = []provider.Fault{
		{At: 100 * s, For: 4 * s, Share: 1, Effect: provider.Reject{Reply: wire.Reply{Status: 503}}},
	}
	l, _ := play(t, m)
	for _, c := range l.calls {
		if strings.Contains(c, "gave_up_budget") {
			t.Errorf("%s, after nothing but losers", c)
		}
	}

	// Redelivered: each first attempt pays for the one retry of its delivery.
	m = model()
	m.Workload.Calls = 1
	m.Workload.Redelivery = Redelivery{Deliveries: 5}
	m.Provider.Faults = failing(503)
	m.Client.Retry = retries(3, s)
	m.Client.Budget.Tokens = policy.Tokens{Max: 10, Empty: true, PerCall: 1, Cost: 1}
	expectAttempts(t, m, 10)
}

// One token in 10 s: a call that is hedged after 1 s is not sent a second time then.
func TestHedgesArePaced(t *testing.T) {
	m := model()
	m.Provider.Latency.FirstToken = law.Constant(5)
	m.Client.Pacer.Bucket = policy.PaceBucket{Rate: 0.1, Burst: 1}
	m.Client.Hedge = policy.Hedge{After: s, Cancel: true, Max: 3}
	expectAttempts(t, m, 1)
}

// An open breaker ends a call or leads it on, as it is told.
func TestWhenABreakerIsOpen(t *testing.T) {
	m := model()
	m.Workers, m.Workload.Calls = 1, 3
	m.Provider.Faults = failing(503)
	m.Others = []provider.Config{{Latency: provider.Latency{FirstToken: law.Constant(1)}}}
	m.Fallbacks = []Target{{Provider: 1, Price: cost.PerMillion("dear", 20, 20, 200)}}
	m.Client.Fallback.On = true
	m.Client.Breaker = policy.Breaker{InARow: 1, Open: 100 * s, WhenOpen: policy.FailFast}
	expectCalls(t, m, "0 0s-1s answered x2", "1 1s-1s breaker_open x0", "2 1s-1s breaker_open x0")
	m.Client.Breaker.WhenOpen = policy.FallBack
	expectCalls(t, m, "0 0s-1s answered x2", "1 1s-2s answered x1", "2 2s-3s answered x1")
}

// A stream that broke before its reader's eyes is asked again only by a layer that says so,
// and never at another provider; what is shown again counts by that layer's rule.
func TestBrokenStreamOfAnOuterLayer(t *testing.T) {
	m := model()
	m.Workload.Stream = true
	m.Workload.Sizes = sized{Prompt: 100, Output: 100}
	m.Provider.Latency.TokensPerSecond = law.Constant(10)
	m.Provider.Faults = []provider.Fault{{For: s, Share: 1, Effect: provider.Break{Part: 0.4}}}
	m.Client.Outer = []policy.Layer{{Name: "outer", Retry: retries(3, s)}}
	m.Others = []provider.Config{{Latency: provider.Latency{FirstToken: law.Constant(1)}}}
	m.Fallbacks = []Target{{Provider: 1, Price: cost.PerMillion("dear", 20, 20, 200)}}
	m.Client.Fallback.On = true
	for _, c := range []struct {
		rule     policy.Broken
		outcome  policy.Outcome
		attempts int32
		repeated int64
	}{{policy.NoReplay, policy.StreamBroken, 1, 0}, {policy.Replay, policy.Answered, 2, 40}, {policy.Regenerate,
		policy.Answered, 2, 0}} {
		m.Client.Outer[0].Retry.Broken = c.rule
		var got Call
		if _, err := m.Run(1, 0, each{call: func(c *Call) { got = *c }}); err != nil {
			t.Fatal(err)
		}
		if got.Outcome != c.outcome || got.Attempts != c.attempts || got.Repeated != c.repeated {
			t.Errorf("%v: %v after %d attempts, %d tokens again; want %v, %d, %d", c.rule, got.Outcome, got.Attempts,
				got.Repeated, c.outcome, c.attempts, c.repeated)
		}
	}
}

// A key is known to the provider it was sent to: a call that fell back after a lost reply has
// acted at both.
func TestIdempotencyKeyIsKnownToOneProvider(t *testing.T) {
	m := model()
	m.Workload.Acts = true
	m.Provider.Faults = []provider.Fault{{Share: 1, Effect: provider.Break{Part: 1}}}
	m.Others = []provider.Config{{Latency: provider.Latency{FirstToken: law.Constant(1)}}}
	m.Fallbacks = []Target{{Provider: 1, Price: cost.PerMillion("dear", 20, 20, 200)}}
	m.Client.Fallback.On, m.Client.IdempotencyKey = true, true
	m.Client.Retry = retries(2, s)
	acts := int32(0)
	if _, err := m.Run(1, 0, each{call: func(c *Call) { acts = c.Acts }}); err != nil {
		t.Fatal(err)
	}
	if acts != 2 {
		t.Errorf("acted %d times, want 2: once at each provider", acts)
	}
}

// A million calls wait for ten workers before a breaker that has opened: they end in one
// instant, one after the other and not one within the other.
func TestBacklogThatEndsInOneInstant(t *testing.T) {
	m := model()
	m.Workers, m.Workload.Calls, m.Workload.Arrivals = 10, 1_000_000, Burst{}
	m.Provider.Faults = []provider.Fault{{Share: 1, Effect: provider.Reject{Reply: wire.Reply{Status: 503}, After: s}}}
	m.Client.Breaker = policy.Breaker{InARow: 5, Open: 30 * s}
	refused := 0
	if _, err := m.Run(1, 0, each{call: func(c *Call) {
		if c.Outcome == policy.BreakerOpen {
			refused++
		}
	}}); err != nil {
		t.Fatal(err)
	}
	if refused != 1_000_000-14 {
		t.Errorf(
			"%d calls met the open breaker, want all but 14: ten, and the four that followed "+
				"before the fifth failure in a row",
			refused,
		)
	}
}

// A probe that hangs forever keeps another call before the breaker forever, with its place at
// the gate and its granted retry; both end unfinished, and nothing stays taken.
func TestCallsBeforeABreakerAtTheEnd(t *testing.T) {
	m := model()
	m.Workers, m.Workload.Calls = 2, 2
	m.Provider.Faults = []provider.Fault{
		{For: s, Share: 1, Effect: provider.Reject{Reply: wire.Reply{Status: 503}}},
		{At: s, Share: 1, Effect: provider.Hang{}},
	}
	m.Client.Retry = retries(2, 0)
	m.Client.Retry.Backoff = policy.Backoff{}
	m.Client.Breaker = policy.Breaker{InARow: 1, Open: s, WhenOpen: policy.HoldBack}
	m.Client.Gate.Semaphore = 2
	m.Client.Budget.Share = policy.Share{Ratio: 1, Reserve: 5}
	l, _ := play(t, m)
	for _, c := range l.calls {
		if !strings.Contains(c, "unfinished") {
			t.Errorf("%s, want it unfinished", c)
		}
	}
}

// A throttle is asked of hedges as well: with no accepts counted, the second of two requests
// is refused with probability 1/2. Of 400 hedged calls 200 are sent twice, less or more
// four standard errors of 10.
// Trap 8: a hedge is counted when it is sent.
func TestHedgesAreThrottled(t *testing.T) {
	m := model()
	m.Provider.Latency.FirstToken = law.Constant(5)
	m.Client.Throttle = policy.Throttle{K: 1e-9, Window: time.Hour}
	m.Client.Hedge = policy.Hedge{After: s, Cancel: true}
	sent := 0
	for seed := range uint64(400) {
		if _, err := m.Run(seed, 0, each{attempt: func(*Attempt) { sent++ }}); err != nil {
			t.Fatal(err)
		}
	}
	if twice := sent - 400; twice < 160 || twice > 240 {
		t.Errorf("%d calls were sent twice, want 200", twice)
	}
}

// AIMD looks at what was in flight when an attempt was sent: of three sent at once with a limit
// of 3 those that saw 2 and 3 raise it, to 5, and so five are sent when they end. (By what is
// in flight at the end all three would, to 6.)
// Trap 6: a gate that opens by more than one place starts as many.
func TestAIMDCountsWhenSending(t *testing.T) {
	m := model()
	m.Workers, m.Workload.Calls, m.Workload.Arrivals = 8, 8, Burst{}
	m.Client.Gate.AIMD = policy.AIMD{Start: 3, Min: 1, Max: 100, Factor: 0.9}
	sent := map[time.Duration]int{}
	if _, err := m.Run(1, 0, each{attempt: func(a *Attempt) { sent[a.Sent]++ }}); err != nil {
		t.Fatal(err)
	}
	if sent[0] != 3 || sent[s] != 5 {
		t.Errorf("sent %v, want 3 at 0 s and 5 at 1 s", sent)
	}
}

// Ten instances serve 8 Poisson calls a second, each one at a time in exponential times of
// mean 1 s. The mean wait, by how the calls come to them:
//
//	at random       ten M/M/1 at 0.8:      0.8/(1 - 0.8) = 4.0 s
//	in turn         ten E10/M/1 at 0.8:    r/(1 - r), r = (8/(9 - r))^10, r = 0.657: 1.92 s
//	one queue       M/M/10 at 8:           C(10, 8)/(10 - 8) = 0.409/2 = 0.205 s
//
// whether they wait for a gate or for a worker. 12 replications of 6,000 s after 400 s;
// 99.9 % t-interval.
func TestHowCallsComeToInstances(t *testing.T) {
	if testing.Short() {
		t.Skip("its tolerance needs all of its calls")
	}
	fixed := 0.5
	for range 200 {
		fixed = math.Pow(8/(9-fixed), 10)
	}
	inTurn := fixed / (1 - fixed)
	for _, c := range []struct {
		name    string
		dealt   Dealing
		queue   Queueing
		workers int
		want    float64
	}{
		{"gates, at random", AtRandom, Shared, 0, 4},
		{"gates, in turn", InTurn, Shared, 0, inTurn},
		{"workers of their own, at random", AtRandom, PerInstance, 1, 4},
		{"workers of their own, in turn", InTurn, PerInstance, 1, inTurn},
		{"workers before one queue", AtRandom, Shared, 1, 0.2046},
	} {
		const replications, t9995 = 12, 4.437
		var mean sim.Moments
		for r := range replications {
			m := model()
			m.Instances, m.Workers, m.Dealt, m.Queue, m.Horizon = 10, c.workers, c.dealt, c.queue, 6400*s
			m.Workload = Workload{
				Arrivals: Renewal{law.Exponential{Beta: 1}, Constant(8)},
				Sizes:    sized{Prompt: 1, Output: 1},
			}
			m.Provider.Latency.FirstToken = law.Exponential{Beta: 1}
			if c.workers == 0 {
				m.Client.Gate.Semaphore = 1
			}
			var waits sim.Moments
			if _, err := m.Run(5, r, each{call: func(c *Call) {
				if c.Arrived > 400*s {
					waits.Add((c.Waits[GateWait] + c.Waits[WorkerWait]).Seconds())
				}
			}}); err != nil {
				t.Fatal(err)
			}
			mean.Add(waits.Mean())
		}
		half := t9995 * mean.StdDev() / math.Sqrt(replications)
		if math.Abs(mean.Mean()-c.want) > half || half > 0.15*c.want {
			t.Errorf("%s: waits %.3f +- %.3f s, want %.3f", c.name, mean.Mean(), half, c.want)
		}
	}
}
