package fleet

import (
	"fmt"
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

// A fleet meets the same calls, sizes and luck whoever calls beside it.
func TestAFleetBesideChangesNoLuck(t *testing.T) {
	m := model()
	m.Workers = 0
	m.Workload = Workload{
		Calls:    200,
		Sizes:    Drawn{Prompt: law.Exponential{Beta: 100}, Output: law.Exponential{Beta: 50}},
		Arrivals: Renewal{Gap: law.Exponential{Beta: 1}, Rate: Constant(2)},
	}
	m.Provider.Latency = provider.Latency{
		FirstToken:      law.Exponential{Beta: 1},
		TokensPerSecond: law.Uniform{Min: 10, Max: 100},
	}
	record := func(m Model) (calls []Call) {
		if _, err := m.Run(1, 0, each{call: func(c *Call) {
			if c.Fleet == 0 {
				calls = append(calls, *c)
			}
		}}); err != nil {
			t.Fatal(err)
		}
		return calls
	}
	alone := record(m)
	m.Beside = []Fleet{m.Fleet}
	m.Provider.Tenants = make([]provider.Tenant, 2)
	if beside := record(m); !slices.Equal(alone, beside) {
		t.Error("with a fleet beside it the fleet met other calls or other luck")
	}
	// And the fleet beside has luck of its own.
	var latencies [2][]time.Duration
	if _, err := m.Run(1, 0, each{call: func(c *Call) {
		latencies[c.Fleet] = append(latencies[c.Fleet], c.Latency())
	}}); err != nil {
		t.Fatal(err)
	}
	if slices.Equal(latencies[0], latencies[1]) {
		t.Error("two fleets met the same luck")
	}
}

// Two classes before one server, the first served first but not interrupting: the
// waits are R/(1-rho1) and R/((1-rho1)(1-rho)) with R = lambda E[S^2]/2 (Cobham 1954).
// 4/s each, exponential service of mean 0.1 s: 0.1333 s and 0.6667 s; without priorities
// R/(1-rho) for both, 0.4 s (Pollaczek and Khinchine). The server is the provider's slot, a gate of one
// that the fleets share, or one of a fleet with two kinds of calls. 30 replications, 99 % interval.
func TestPriority(t *testing.T) {
	if testing.Short() {
		t.Skip("its tolerance needs all of its calls")
	}
	shared := func(order policy.Order) policy.Gate {
		return policy.Gate{Semaphore: 1, Scope: policy.ForFleets, Order: order}
	}
	for _, c := range []struct {
		name     string
		capacity provider.Capacity
		gate     policy.Gate
		kinds    bool       // of one fleet
		waits    [2]float64 // by fleet or kind
	}{
		{"slot", provider.Capacity{Slots: 1, Queue: -1}, policy.Gate{}, false, [2]float64{0.6667, 0.1333}},
		{"gate", provider.Capacity{}, shared(policy.ByPriority), false, [2]float64{0.6667, 0.1333}},
		{"gate without priorities", provider.Capacity{}, shared(policy.FirstInFirstOut), false, [2]float64{0.4, 0.4}},
		{"gate of kinds", provider.Capacity{}, policy.Gate{Semaphore: 1, Order: policy.ByPriority}, true,
			[2]float64{0.6667, 0.1333}},
	} {
		m := model()
		m.Workers = 0
		m.Workload = Workload{
			Calls:    20_000,
			Sizes:    sized{Prompt: 1, Output: 1},
			Arrivals: Renewal{Gap: law.Exponential{Beta: 1}, Rate: Constant(4)},
		}
		m.Provider = provider.Config{
			Latency:  provider.Latency{FirstToken: law.Exponential{Beta: 0.1}},
			Capacity: c.capacity,
			Tenants:  []provider.Tenant{{Priority: -3}, {Priority: 5}},
		}
		m.Client.Gate = c.gate
		if c.kinds {
			k := Kind{Share: 0.5, Sizes: m.Workload.Sizes, Priority: -3, Client: m.Client}
			first := k
			first.Priority = 5
			m.Workload.Kinds, m.Workload.Sizes, m.Workload.Calls = []Kind{k, first}, nil, 40_000
			m.Workload.Arrivals = Renewal{Gap: law.Exponential{Beta: 1}, Rate: Constant(8)}
			m.Provider.Tenants = m.Provider.Tenants[:1]
		} else {
			m.Beside = []Fleet{m.Fleet}
		}
		const replications, t995 = 30, 2.756
		var means [2]sim.Moments
		for r := range replications {
			var w [2]sim.Moments
			if _, err := m.Run(1, r, each{call: func(c *Call) {
				if c.ID >= 2000 {
					w[c.Fleet+c.Kind].Add(c.Latency().Seconds() - 0.1)
				}
			}}); err != nil {
				t.Fatal(err)
			}
			for i := range w {
				means[i].Add(w[i].Mean())
			}
		}
		for i, want := range c.waits {
			half := t995*means[i].StdDev()/math.Sqrt(replications) + 0.00005
			if math.Abs(means[i].Mean()-want) > half || half > want/5 {
				t.Errorf("%s, class %d: wait %.4f s +- %.4f, want %.4f", c.name, i, means[i].Mean(), half, want)
			}
		}
	}
}

// Three calls of a fleet at once and two of another a second apart, of 10 s each, before a gate of one.
func TestSharedGate(t *testing.T) {
	gate := policy.Gate{Semaphore: 1, Scope: policy.ForFleets, Order: policy.ByPriority}
	fifo, own, one := gate, gate, gate
	fifo.Order, own.Scope, own.Order = policy.FirstInFirstOut, policy.PerInstance, policy.FirstInFirstOut
	one.Room = 1
	for _, c := range []struct {
		name       string
		gate       policy.Gate
		priorities [2]int
		patience   law.Law // of the second fleet
		want       string  // fleet, call and end, by the end
	}{
		{"the second first", gate, [2]int{0, 1}, nil, "0.0@10s 1.0@20s 1.1@30s 0.1@40s 0.2@50s"},
		{"the first first", gate, [2]int{1, 0}, nil, "0.0@10s 0.1@20s 0.2@30s 1.0@40s 1.1@50s"},
		{"equals", gate, [2]int{3, 3}, nil, "0.0@10s 0.1@20s 0.2@30s 1.0@40s 1.1@50s"},
		{"fifo", fifo, [2]int{0, 1}, nil, "0.0@10s 0.1@20s 0.2@30s 1.0@40s 1.1@50s"},
		{"each its own", own, [2]int{0, 1}, nil, "0.0@10s 1.0@11s 0.1@20s 1.1@21s 0.2@30s"},
		{"room for one of all", one, [2]int{0, 1}, nil, "0.2@0s 1.0@1s 1.1@2s 0.0@10s 0.1@20s"},
		// Both callers of the second fleet leave after 15 s: 1.0 in its turn at 16 s, and 1.1, whose turn it is
		// then, a second later.
		{"callers who leave", gate, [2]int{0, 1}, law.Constant(15), "0.0@10s 1.0@16s 1.1@17s 0.1@27s 0.2@37s"},
	} {
		m := model()
		m.Workers = 0
		m.Workload = Workload{Calls: 3, Sizes: sized{Prompt: 1, Output: 1}, Arrivals: Burst{}}
		m.Client.Gate = c.gate
		second := m.Fleet
		second.Workload.Calls, second.Workload.Patience = 2, c.patience
		second.Workload.Arrivals = Renewal{Gap: law.Constant(1), Rate: Constant(1)}
		m.Beside = []Fleet{second}
		m.Provider = provider.Config{
			Latency: provider.Latency{FirstToken: law.Constant(10)}, Cancel: provider.Stops,
			Tenants: []provider.Tenant{{Priority: c.priorities[0]}, {Priority: c.priorities[1]}},
		}
		var got []string
		if _, err := m.Run(1, 0, each{call: func(c *Call) {
			got = append(got, fmt.Sprintf("%d.%d@%v", c.Fleet, c.ID, c.Ended))
		}}); err != nil {
			t.Fatal(err)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
	m := model()
	m.Client.Gate = gate
	m.Beside = []Fleet{m.Fleet}
	m.Beside[0].Name, m.Beside[0].Client.Gate.Semaphore = "other", 2
	m.Provider.Tenants = make([]provider.Tenant, 2)
	if err := m.Check(); err == nil || !strings.Contains(err.Error(), "share a gate and describe it differently: "+
		"gate 1 for all fleets, by priority and gate 2 for all fleets, by priority") {
		t.Errorf("two gates for one: %v", err)
	}
}

// Who bills what: one attempt of 100 tokens of prompt at 10 and 50 of answer at 100
// dollars a million; an abandoned one is cut off half-way where the provider stops.
func TestBillingByOutcome(t *testing.T) {
	always := func(e provider.Effect) []provider.Fault { return []provider.Fault{{Share: 1, Effect: e}} }
	const prompt, answer = 1_000_000, 5_000_000 // nano-dollars
	for _, c := range []struct {
		name    string
		faults  []provider.Fault
		cancel  provider.CancelRule
		timeout time.Duration
		billing provider.Billing
		want    cost.Money
	}{
		{"an answer", nil, provider.Keeps, 0, provider.Billing{}, prompt + answer},
		{"abandoned, keeps generating", nil, provider.Keeps, 1500 * ms, provider.Billing{}, prompt + answer},
		{"abandoned, stops half-way", nil, provider.Stops, 1500 * ms, provider.Billing{}, prompt + answer/2},
		{"abandoned, not billed", nil, provider.Keeps, 1500 * ms, provider.Billing{AbandonedFree: true}, 0},
		{"cut after 40 %", always(provider.Break{Part: 0.4}), provider.Keeps, 0, provider.Billing{},
			prompt + answer*4/10},
		{"cut, not billed", always(provider.Break{Part: 0.4}), provider.Keeps, 0, provider.Billing{CutFree: true}, 0},
		{"error in the stream after 40 %", always(provider.Break{Part: 0.4, Code: "overloaded_error"}), provider.Keeps,
			0, provider.Billing{}, prompt + answer*4/10},
		{"reply lost", always(provider.Break{Part: 1}), provider.Keeps, 0, provider.Billing{CutFree: true},
			prompt + answer},
		{"reply lost, not billed", always(provider.Break{Part: 1}), provider.Keeps, 0, provider.Billing{LostFree: true},
			0},
		{"429", always(provider.Reject{Reply: wire.Reply{Status: 429}}), provider.Keeps, 0,
			provider.Billing{TimeoutBilled: true, FilterBilled: true}, 0},
		{"408", always(provider.Reject{Reply: wire.Reply{Status: 408}}), provider.Keeps, 0, provider.Billing{}, 0},
		{"408, billed as Azure does", always(provider.Reject{Reply: wire.Reply{Status: 408}}), provider.Keeps, 0,
			provider.Billing{TimeoutBilled: true}, prompt + answer},
		{"content filter", always(provider.Reject{Reply: wire.Reply{Status: 400, Code: "content_filter"}}),
			provider.Keeps, 0, provider.Billing{}, 0},
		{"content filter, billed as Azure does", always(provider.Reject{Reply: wire.Reply{Status: 400,
			Code: "content_filter"}}), provider.Keeps, 0, provider.Billing{FilterBilled: true}, prompt},
		{"never answers", always(provider.Hang{}), provider.Keeps, 1500 * ms, provider.Billing{}, 0},
	} {
		m := model()
		m.Workload.Sizes = sized{Prompt: 100, Output: 50}
		m.Workload.Stream = true
		m.Provider = provider.Config{
			Latency: provider.Latency{FirstToken: law.Constant(1), TokensPerSecond: law.Constant(50)},
			Faults:  c.faults,
			Cancel:  c.cancel,
			Billing: c.billing,
		}
		if c.timeout > 0 {
			m.Client.Timeouts = policy.Timeouts{Attempt: []time.Duration{c.timeout}}
		}
		var got cost.Money
		if _, err := m.Run(1, 0, each{attempt: func(a *Attempt) { got += a.Bill }}); err != nil {
			t.Fatal(err)
		}
		if got != c.want {
			t.Errorf("%s: %d nano-dollars, want %d", c.name, got, c.want)
		}
	}
}

// A stream that is stopped while it still reasons is billed for what it has thought:
// 900 of 1,000 tokens, 9 s at 100/s after a first second.
func TestStoppedWhileItReasons(t *testing.T) {
	m := model()
	m.Workload.Stream = true
	m.Workload.Sizes = sized{Prompt: 100, Output: 1200, Reasoning: 1000}
	m.Provider = provider.Config{
		Latency: provider.Latency{FirstToken: law.Constant(1), TokensPerSecond: law.Constant(100)},
		Cancel:  provider.StopsStreams,
	}
	m.Client.Timeouts = policy.Timeouts{Attempt: []time.Duration{10 * s}}
	var got Attempt
	if _, err := m.Run(1, 0, each{attempt: func(a *Attempt) { got = *a }}); err != nil {
		t.Fatal(err)
	}
	if got.Usage != (cost.Usage{Prompt: 100, Output: 900, Reasoning: 900}) || got.First >= 0 {
		t.Errorf("%+v, first token %v; want 900 tokens of reasoning and none that was seen", got.Usage, got.First)
	}
}

// A gateway that tries three 408s again passes their bills on, and each of its tries
// has luck of its own: half of them fail, so four fail in one call of sixteen.
func TestGatewayPaysForItsTries(t *testing.T) {
	m := model()
	m.Provider.Gateway.Retries = 3
	m.Provider.Billing.TimeoutBilled = true
	m.Provider.Faults = []provider.Fault{
		{Share: 1, For: 10 * s, Effect: provider.Reject{Reply: wire.Reply{Status: 408}, After: 4 * s}},
	}
	m.Provider.Limits = []provider.Limit{{Resource: provider.Dollars, Amount: 1_000_000_000, Period: 3600 * s}}
	var got Attempt
	summary, err := m.Run(1, 0, each{attempt: func(a *Attempt) { got = *a }})
	if err != nil {
		t.Fatal(err)
	}
	if n := summary.Uses[0][0].Counted; n != 8_000_000 { // each bill once
		t.Errorf("the limit on dollars counted %g, want the four bills of 2,000,000", n)
	}
	if got.Bill != 8_000_000 || got.Class() != wire.OK { // at 0, 4 and 8 s; the answer from 12 s on
		t.Errorf("%v for %v, want four bills of 2,000,000", got.Bill, got.Class())
	}
	m = model()
	m.Workload.Calls = 8000
	m.Provider.Gateway.Retries = 3
	m.Provider.Faults = []provider.Fault{{Share: 0.5, Effect: provider.Reject{Reply: wire.Reply{Status: 500}}}}
	failed := 0.0
	if _, err := m.Run(1, 0, each{call: func(c *Call) {
		if c.Outcome != policy.Answered {
			failed++
		}
	}}); err != nil {
		t.Fatal(err)
	}
	if share := failed / 8000; math.Abs(share-1.0/16) > 4*math.Sqrt(1.0/16*15/16/8000) { // four standard errors
		t.Errorf("%.4f of the calls fail, want %.4f", share, 1.0/16)
	}
}

// An attempt that is stopped before its answer begins does not keep the cache alive.
func TestCacheIsNotRenewedByWhatNeverBegan(t *testing.T) {
	m := model()
	m.Workload.Sizes = sized{Prompt: 152, Cached: 150, Output: 8}
	m.Workload.Cache = Cache{Lifetime: 300 * s}
	m.Client.Retry = retries(3, 200*s)
	m.Provider.Latency = provider.Latency{FirstToken: law.Constant(150)}
	m.Provider.Cancel = provider.Stops
	m.Client.Timeouts = policy.Timeouts{Attempt: []time.Duration{10 * s, 10 * s, 0}}
	var cached []int
	if _, err := m.Run(1, 0, each{attempt: func(a *Attempt) { cached = append(cached, a.Usage.Cached) }}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(cached, []int{150, 150, 0}) { // at 0, 210 and 420 s
		t.Errorf("cached %v, want it lost at 420 s", cached)
	}
}

// An overload that comes inside the stream, after status 200, is a failure that a
// client which retries by status does not retry (case 9 of the field).
func TestErrorInsideTheStream(t *testing.T) {
	for streams, want := range map[bool]string{false: "terminal_error", true: "gave_up_attempts"} {
		m := model()
		m.Client.Retry = retries(3, 0)
		m.Client.Retry.Classify.Streams = streams
		m.Provider.Faults = []provider.Fault{{Share: 1, Effect: provider.Break{Part: 0.5, Code: "overloaded_error"}}}
		var last Attempt
		var call Call
		if _, err := m.Run(1, 0, each{attempt: func(a *Attempt) { last = *a },
			call: func(c *Call) { call = *c }}); err != nil {
			t.Fatal(err)
		}
		if call.Outcome.String() != want || last.Reply.Status != 200 || last.Class() != wire.ServerError ||
			last.Reply.Code != "overloaded_error" {
			t.Errorf("retries streams %v: %v after %+v, want %s", streams, call.Outcome, last.Reply, want)
		}
	}
}

// The cached part of a prompt, 150 of its 152 tokens, lives for 5 minutes from the start of
// the last request whose answer began. Two refusals with 529 lie between; a refused
// request does not keep the cache alive. The price of opus in pico-dollars a token.
func TestCacheLifetime(t *testing.T) {
	opus, err := cost.Builtin().Price("claude-opus-5", cost.Standard)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		wait time.Duration // before each of two retries
		want cost.Usage
	}{
		{"retries within its life", 149 * s, cost.Usage{Prompt: 152, Cached: 150, Written: 2, Output: 8}},
		{"a moment before its end", 150*s - 1, cost.Usage{Prompt: 152, Cached: 150, Written: 2, Output: 8}},
		{"at its end", 150 * s, cost.Usage{Prompt: 152, Written: 152, Output: 8}},
	} {
		m := model()
		m.Price = opus
		m.Workload.Sizes = sized{Prompt: 152, Cached: 150, Output: 8}
		m.Workload.Cache = Cache{Lifetime: 300 * s, Writes: true}
		m.Client.Retry = retries(3, c.wait)
		m.Provider.Faults = []provider.Fault{
			{For: c.wait + 1, Share: 1, Effect: provider.Reject{Reply: wire.Reply{Status: 529}}},
		}
		var last Attempt
		if _, err := m.Run(1, 0, each{attempt: func(a *Attempt) { last = *a }}); err != nil {
			t.Fatal(err)
		}
		if last.Number != 3 || last.Usage != c.want {
			t.Errorf("%s: attempt %d used %+v, want 3 and %+v", c.name, last.Number, last.Usage, c.want)
		}
	}
	// An attempt whose answer began, and which was then cut off, read the cache and
	// keeps it alive from its own start.
	m := model()
	m.Workload.Sizes = sized{Prompt: 152, Cached: 150, Output: 8}
	m.Workload.Stream = true
	m.Workload.Cache = Cache{Lifetime: 300 * s}
	m.Client.Retry = retries(3, 200*s)
	m.Client.Retry.Broken = policy.Regenerate
	m.Provider.Latency = provider.Latency{FirstToken: law.Constant(1), TokensPerSecond: law.Constant(1)}
	m.Client.Timeouts = policy.Timeouts{Attempt: []time.Duration{2 * s, 2 * s, 0}}
	var cached []int
	if _, err := m.Run(1, 0, each{attempt: func(a *Attempt) { cached = append(cached, a.Usage.Cached) }}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(cached, []int{150, 150, 150}) { // at 0, 202 and 404 s
		t.Errorf("cached %v, want it kept alive", cached)
	}
}

// Tokens of reasoning come first, are billed at their own price, and fall under
// max_tokens: an answer can be thought away.
func TestReasoning(t *testing.T) {
	sizes := Drawn{Prompt: law.Constant(10), Output: law.Constant(30), Reasoning: law.Constant(20), MaxTokens: 40}
	if got := sizes.Size(0, Luck{}); got != (Size{Prompt: 10, Output: 40, Reasoning: 20, MaxTokens: 40}) {
		t.Errorf("%+v", got)
	}
	sizes.MaxTokens = 15
	if got := sizes.Size(0, Luck{}); got != (Size{Prompt: 10, Output: 15, Reasoning: 15, MaxTokens: 15}) {
		t.Errorf("%+v", got)
	}
	m := model()
	m.Workload.Stream = true
	m.Workload.Sizes = sized{Prompt: 100, Output: 50, Reasoning: 20}
	m.Provider.Latency = provider.Latency{FirstToken: law.Constant(1), TokensPerSecond: law.Constant(10)}
	m.Price.Reasoning = 2 * m.Price.Output
	var got Attempt
	if _, err := m.Run(1, 0, each{attempt: func(a *Attempt) { got = *a }}); err != nil {
		t.Fatal(err)
	}
	// The first token after 1 s and 20 of reasoning at 10/s; 100 x 10 + 30 x 100 + 20 x 200 thousandths.
	if got.First != 3*s || got.Ended != 6*s || got.Bill != 8_000_000 {
		t.Errorf("first token %v, end %v, bill %d; want 3s, 6s, 8000000", got.First, got.Ended, got.Bill)
	}
}
