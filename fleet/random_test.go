package fleet

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stampede/cost"
	"stampede/internal/draw"
	"stampede/law"
	"stampede/policy"
	"stampede/provider"
	"stampede/sim"
	"stampede/wire"
)

// randomFleet draws a fleet with everything in it that a scenario can have.
func randomFleet(t *rapid.T) Fleet {
	sometimes := func(name string) bool { return rapid.Bool().Draw(t, name) }
	f := Fleet{
		Instances: rapid.IntRange(1, 3).Draw(t, "instances"),
		Workers:   rapid.IntRange(1, 4).Draw(t, "workers"),
		Workload: Workload{
			Calls:  uint64(rapid.IntRange(1, 60).Draw(t, "calls")),
			Stream: sometimes("stream"),
		},
		Client: policy.Client{
			Retry: policy.Retry{Attempts: rapid.IntRange(1, 6).Draw(t, "attempts"), Classify: everything,
				Backoff: policy.Backoff{
					Base:   rapid.SampledFrom([]time.Duration{0, 100 * ms}).Draw(t, "base"),
					Factor: 2,
					Cap:    5 * s,
					Jitter: policy.Jitter(rapid.IntRange(0, 4).Draw(t, "jitter")),
					Share:  0.25,
				},
				RetryAfter: policy.RetryAfter{
					Obey:   policy.Obedience(rapid.IntRange(0, 2).Draw(t, "obey")),
					Limit:  3 * s,
					Beyond: policy.Beyond(rapid.IntRange(0, 2).Draw(t, "beyond")),
					Reads:  wire.Reads{Body: true},
				}},
		},
		Price: cost.PerMillion("m", 0.15, 0.075, 0.6),
	}
	f.Client.Retry.Classify.Streams = sometimes("retries streams")
	f.Client.Retry.Broken = policy.Broken(rapid.IntRange(0, 2).Draw(t, "broken"))
	f.Workload.Acts, f.Client.IdempotencyKey = sometimes("acts"), sometimes("key")
	f.Client.Gate = policy.Gate{
		Scope: policy.Scope(rapid.IntRange(0, 1).Draw(t, "gate scope")),
		Order: policy.Order(rapid.IntRange(0, 1).Draw(t, "gate order")),
		Room:  rapid.IntRange(0, 3).Draw(t, "gate room"),
		Held:  policy.Held(rapid.IntRange(0, 1).Draw(t, "gate held")),
	}
	if f.Client.Gate.Retriable = sometimes("gate wait retries"); f.Client.Gate.Retriable || sometimes("gate wait") {
		f.Client.Gate.Wait = draw.Span(t, "gate wait", 5*s)
	}
	switch rapid.IntRange(0, 3).Draw(t, "gate") {
	case 1:
		f.Client.Gate.Semaphore = rapid.IntRange(1, 3).Draw(t, "semaphore")
	case 2:
		f.Client.Gate.AIMD = policy.AIMD{Start: 2, Min: 1, Max: 4, Factor: 0.5, Slow: s,
			Cooldown: draw.Span(t, "gate cooldown", 5*s), GrowAfter: rapid.IntRange(0, 3).Draw(t, "grow after"),
			SlowStart: sometimes("slow start")}
	case 3:
		f.Client.Gate.Gradient = policy.Gradient{
			Start:     2,
			Min:       1,
			Max:       4,
			Queue:     1,
			Smoothing: 0.5,
			Tolerance: 1.5,
			Window:    10,
		}
	}
	switch rapid.IntRange(0, 5).Draw(t, "pacer") {
	case 4:
		f.Client.Pacer.Tokens = policy.PaceTokens{
			Rate: 100, Burst: 500, Estimate: policy.Estimate(rapid.IntRange(0, 2).Draw(t, "estimate")),
			Settle: sometimes("settle"),
		}
		if sometimes("paces requests") {
			f.Client.Pacer.Bucket = policy.PaceBucket{Rate: 3, Burst: 2}
		}
	case 5:
		f.Client.Pacer.Bucket = policy.PaceBucket{Rate: 3, Burst: 2}
		f.Client.Pacer.AIMD = policy.PaceAIMD{Min: 0.5, Max: 10, Add: 1, Every: s, Cut: 0.5, Cooldown: s}
	case 1:
		f.Client.Pacer.Bucket = policy.PaceBucket{Rate: 3, Burst: 2}
	case 2:
		f.Client.Pacer.Headers = policy.PaceHeaders{On: true, Reserve: 0.1}
	case 3:
		f.Client.Pacer.Cubic = true
	}
	f.Client.Pacer.Scope = policy.Scope(rapid.IntRange(0, 1).Draw(t, "pacer scope"))
	if sometimes("pacer wait") {
		f.Client.Pacer.Wait = draw.Span(t, "pacer wait", 10*s)
	}
	if sometimes("breaker") {
		f.Client.Breaker = policy.Breaker{
			InARow:   rapid.IntRange(0, 3).Draw(t, "in a row"),
			Ratio:    0.5,
			Count:    4,
			Minimum:  2,
			Open:     draw.Span(t, "open", 5*s),
			Probes:   rapid.IntRange(0, 2).Draw(t, "probes"),
			WhenOpen: policy.WhenOpen(rapid.IntRange(0, 2).Draw(t, "when open")),
			Stops:    policy.Stops(rapid.IntRange(0, 1).Draw(t, "stops")),
		}
	}
	if sometimes("throttle") {
		f.Client.Throttle = policy.Throttle{K: 1.5, Window: 10 * s}
	}
	if sometimes("budget") {
		f.Client.Budget = policy.Budget{
			Tokens: policy.Tokens{Max: 5, PerCall: 0.1, PerSuccess: 1, Cost: 1, Refund: true},
			Share: policy.Share{
				Ratio:   0.5,
				Window:  rapid.SampledFrom([]time.Duration{0, 5 * s}).Draw(t, "share window"),
				Reserve: 1,
			},
		}
	}
	if sometimes("hedge") {
		f.Client.Hedge = policy.Hedge{
			After:  draw.Span(t, "hedged", 3*s),
			Max:    rapid.IntRange(0, 3).Draw(t, "hedges"),
			Cancel: sometimes("cancels"),
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "layers") {
		f.Client.Outer = append(
			f.Client.Outer,
			policy.Layer{
				Name:    "outer",
				Timeout: rapid.SampledFrom([]time.Duration{0, 2 * s, 10 * s}).Draw(t, "layer timeout"),
				Retry: policy.Retry{
					Attempts: rapid.IntRange(1, 3).Draw(t, "outer attempts"),
					Classify: everything,
					Broken:   policy.Replay,
					Backoff:  policy.Backoff{Base: 300 * ms, Factor: 2, Jitter: policy.Full},
				},
			},
		)
	}
	if sometimes("pool") {
		f.Client.MaxConnections = rapid.IntRange(1, 3).Draw(t, "connections")
	}
	sizes := Drawn{
		Prompt:      draw.Law(t, "prompt", 100),
		Output:      draw.Law(t, "output", 50),
		CachedShare: 0.3,
		MaxTokens:   80,
	}
	if sometimes("reasoning") {
		sizes.Reasoning = draw.Law(t, "thoughts", 20)
	}
	f.Workload.Sizes = sizes
	if sometimes("cache") {
		f.Workload.Cache = Cache{Lifetime: draw.Span(t, "lifetime", 10*s), Writes: sometimes("writes")}
		f.Workload.Cache.Scope = CacheScope(rapid.IntRange(0, 3).Draw(t, "cache scope"))
	}
	if sometimes("deadline") {
		f.Client.Retry.Deadline = draw.Span(t, "deadline span", 30*s)
	}
	if sometimes("timeouts") {
		f.Client.Timeouts = policy.Timeouts{
			Connect:   draw.Span(t, "connect", 5*s),
			Write:     rapid.SampledFrom([]time.Duration{0, 3 * s}).Draw(t, "write"),
			Pool:      rapid.SampledFrom([]time.Duration{0, 2 * s}).Draw(t, "pool timeout"),
			OS:        rapid.SampledFrom([]time.Duration{0, 9 * s}).Draw(t, "os"),
			FirstByte: draw.Span(t, "first byte", 5*s),
			Gap:       draw.Span(t, "gap", 2*s),
			Attempt:   []time.Duration{draw.Span(t, "attempt", 5*s), 0},
			Call:      rapid.SampledFrom([]time.Duration{0, 4 * s, 20 * s}).Draw(t, "whole call"),
		}
		if rapid.IntRange(0, 2).Draw(t, "deadline") == 2 {
			f.Client.Deadline = policy.Deadline{
				After: draw.Span(t, "deadline after", 20*s),
				From:  policy.Origin(rapid.IntRange(0, 1).Draw(t, "deadline from")),
			}
		}
	}
	if sometimes("patience") {
		f.Workload.Patience = draw.Law(t, "patience span", 5)
	}
	if sometimes("redelivery") {
		f.Workload.Redelivery = Redelivery{
			Deliveries: rapid.IntRange(1, 3).Draw(t, "deliveries"),
			After:      draw.Span(t, "after", 3*s),
		}
		if f.Workload.Patience == nil && sometimes("while working") {
			f.Workload.Redelivery.Visible = 1 + draw.Span(t, "visible", 3*s)
			f.Workload.Redelivery.WhileWorking = true
		}
	}
	switch rapid.IntRange(0, 5).Draw(t, "arrivals") {
	case 1:
		f.Workload.Arrivals = Burst{}
	case 2:
		f.Workload.Arrivals = Renewal{Gap: law.Exponential{Beta: 1}, Rate: Profile{{0, 1, 5}, {10 * s, 2, 2}}}
	case 3:
		f.Workload.Think = draw.Law(t, "think", 2)
	case 4:
		f.Workload.Every = draw.Law(t, "every", 2)
	case 5:
		f.Workload.Arrivals = Bursts{3, draw.Span(t, "from burst to burst", 10*s)}
	}
	if f.Workload.Arrivals != nil && sometimes("own workers") {
		f.Workers, f.Workload.Redelivery = 0, Redelivery{}
	}
	switch start := rapid.IntRange(0, f.Workers).Draw(t, "workers at the start"); {
	case f.Workers == 0:
	case sometimes("schedule"):
		first := draw.Span(t, "first step", 5*s)
		f.Scaling.Steps = []WorkerStep{{0, start}, {first, f.Workers - start}, {first + s, f.Workers}}
	case sometimes("autoscaler"):
		f.Scaling.Auto = Autoscaler{Min: start, Max: f.Workers, PerQueued: rapid.IntRange(1, 3).Draw(t, "per queued"),
			Every: s/10 + draw.Span(t, "decisions", 3*s), Delay: draw.Span(t, "starts", 5*s),
			Stabilization: draw.Span(t, "stabilization", 10*s)}
	}
	if f.Workload.Arrivals != nil && sometimes("sessions") {
		if sometimes("users") {
			f.Workload.Arrivals = Users(rapid.IntRange(1, 4).Draw(t, "users in sessions"))
			f.Workload.Think = draw.Law(t, "thinks", 2)
		}
		f.Workload.Sessions = &Sessions{
			Count:         f.Workload.Calls,
			Turns:         draw.Law(t, "turns", 3),
			Grows:         draw.Law(t, "grows", 20),
			Context:       rapid.SampledFrom([]int32{0, 200, 400}).Draw(t, "context"),
			EndsOnFailure: sometimes("ends on failure"),
		}
		f.Workload.Calls, f.Workload.Redelivery.WhileWorking = 0, false
		if f.Workload.Cache.Scope != OfCall && sometimes("conversation") {
			f.Workload.Cache.Scope = OfSession
			f.Workload.Cache.Prefix = rapid.SampledFrom([]int32{0, 120}).Draw(t, "prefix")
			f.Workload.Cache.Minimum = rapid.SampledFrom([]int32{0, 110}).Draw(t, "minimum")
		}
	}
	if f.Workload.Sessions == nil && f.Workload.Cache.Scope == OfSession {
		f.Workload.Cache.Scope = OfFleet
	}
	f.PerRequest = rapid.SampledFrom([]time.Duration{0, 0, ms, 300 * ms}).Draw(t, "per request")
	f.Dealt = Dealing(rapid.IntRange(0, 1).Draw(t, "dealt"))
	if f.Workload.Arrivals != nil && f.Workers > 0 {
		f.Queue = Queueing(rapid.IntRange(0, 1).Draw(t, "queue"))
	}
	if f.Workload.Sessions == nil && sometimes("kinds") {
		share, other := rapid.Float64Range(0, 1).Draw(t, "share"), sizes
		other.Prompt = draw.Law(t, "other prompt", 300)
		kinds := []Kind{{Share: share, Sizes: sizes}, {Share: 1 - share, Sizes: other, Patience: f.Workload.Patience}}
		for i := range kinds {
			kinds[i].Client = f.Client
			kinds[i].Client.Timeouts.Attempt = []time.Duration{draw.Span(t, "attempt of a kind", 5*s)}
		}
		f.Workload.Kinds, f.Workload.Sizes, f.Workload.Patience = kinds, nil, nil
	}
	return f
}

// randomModel draws fleets and a provider with everything in it.
func randomModel(t *rapid.T) Model {
	sometimes := func(name string) bool { return rapid.Bool().Draw(t, name) }
	m := Model{
		Fleet:  randomFleet(t),
		Budget: 1_000_000,
	}
	tenants := []provider.Tenant{{Key: "main"}}
	if sometimes("beside") {
		m.Beside = []Fleet{randomFleet(t)}
		tenants = append(tenants, provider.Tenant{Key: "other", Priority: rapid.IntRange(-1, 1).Draw(t, "priority")})
	}
	m.Provider = draw.Provider(t, tenants)
	if sometimes("fallback") {
		m.Client.Fallback = policy.Fallback{On: true, Cooldown: draw.Span(t, "cooldown", 10*s)}
		if sometimes("cached cooldowns") {
			m.Client.Fallback.SeenEvery = draw.Span(t, "cycle", 5*s)
		}
		other := provider.Config{
			Tenants:   m.Provider.Tenants,
			Latency:   provider.Latency{FirstToken: law.Exponential{Beta: 1}},
			RoundTrip: 20 * ms,
			Limits:    []provider.Limit{{Resource: provider.Requests, Amount: 60, Period: 60 * s, Burst: 2}},
		}
		m.Others = []provider.Config{other, other}
		m.Fallbacks = []Target{
			{Provider: 1, Price: cost.PerMillion("dear", 1, 1, 5)},
			{Provider: 2, Price: cost.PerMillion("dearer", 2, 2, 9)},
		}
	}
	if sometimes("deployments") {
		randomRoute(t, &m)
	}
	if sometimes("horizon") {
		m.Horizon = draw.Span(t, "horizon span", 30*s)
	}
	return m
}

// randomRoute adds a second key, a deployment of other limits, and a route to them.
func randomRoute(t *rapid.T, m *Model) {
	other := provider.Config{
		Tenants: m.Provider.Tenants, RoundTrip: 20 * ms,
		Latency: provider.Latency{FirstToken: law.Exponential{Beta: 1}},
		Limits:  []provider.Limit{{Resource: provider.Requests, Amount: 30, Period: 60 * s, Burst: 2}},
		Faults: []provider.Fault{
			{At: s, For: 3 * s, Share: 1, Effect: provider.Reject{Reply: wire.Reply{Status: 500}}},
		},
	}
	m.Others = append([]provider.Config{m.Provider, other}, m.Others...)
	m.Deployed, m.SameLuck = 2, 1
	for i := range m.Fallbacks {
		m.Fallbacks[i].Provider += 2
	}
	for _, f := range m.Fleets() {
		f.Deployments = []Target{{Provider: 1, Price: f.Price, Weight: 1}, {Provider: 2, Price: f.Price, Weight: 2.5}}
		f.Client.Route = policy.Route{
			By: policy.RouteBy(rapid.IntRange(0, 5).Draw(t, "by")),
			Cooldown: policy.Cooldown{
				Failures: rapid.IntRange(0, 2).Draw(t, "failures"), Share: rapid.Float64Range(0, 1).Draw(t, "share"),
				Over: 10 * s, For: draw.Span(t, "away", 4*s), Hinted: rapid.Bool().Draw(t, "hinted"),
			},
			AllAway:     policy.AllAway(rapid.IntRange(0, 2).Draw(t, "all away")),
			Retry:       policy.RetryRoute(rapid.IntRange(0, 2).Draw(t, "switch")),
			RetryAtOnce: rapid.Bool().Draw(t, "at once"),
			Scope:       policy.Scope(rapid.IntRange(0, 1).Draw(t, "route scope")),
		}
	}
}

// concurrency is the limit on requests at once; 0 means none.
func concurrency(m *Model) int {
	for _, l := range m.Provider.Limits {
		if l.Resource == provider.Concurrency {
			return int(l.Amount)
		}
	}
	return 0
}

// auditor checks each record by itself, and order and causality between them.
type auditor struct {
	t        *rapid.T
	m        *Model
	attempts map[uint64][]Attempt // by call, and fleet in the last bit
	waits    map[uint64]*waited   // likewise
	calls    []Call
	ended    time.Duration
}

// waited is what an auditor was told of the waits of a call.
type waited struct {
	sum [Waits]time.Duration
	to  sim.Time
}

func (a *auditor) Wait(c *Call, kind Wait, from, to sim.Time) {
	w := a.waits[c.ID<<1|uint64(c.Fleet)]
	if w == nil {
		w = &waited{to: c.Arrived}
		a.waits[c.ID<<1|uint64(c.Fleet)] = w
	}
	overlaps := a.m.Fleets()[c.Fleet].Workload.Redelivery.WhileWorking
	if from < w.to && !overlaps || to <= from {
		a.t.Fatalf("call %d waits for %v from %v to %v, after a wait until %v", c.ID, kind, from, to, w.to)
	}
	w.sum[kind] += to - from
	w.to = to
}

// late reports whether an attempt was sent once the deadline of its call was there.
func (a *auditor) late(r *Attempt) bool {
	d := a.m.Fleets()[r.Fleet].Client.Deadline
	return d.After > 0 && d.From == policy.FromArrival && r.Sent >= r.Arrived+d.After
}

func (a *auditor) Attempt(r *Attempt) {
	switch {
	case r.Ended < a.ended:
		a.t.Fatalf("records out of order: %v after %v", r.Ended, a.ended)
	case r.Sent > r.Ended || (r.Received >= 0 && r.Received < r.Sent) ||
		(r.First >= 0 && (r.First > r.Ended || r.First < r.Received)):
		a.t.Fatalf("effect before cause: %+v", *r)
	case r.Class() == wire.OK && r.Bill == 0 && !(r.Number > 1 &&
		a.m.Providers()[a.m.Fleets()[r.Fleet].target(uint8(r.Target)).Provider].ReplaysKeys),
		r.Class() == wire.Throttled && r.Bill != 0 && a.m.Provider.Gateway.Retries == 0,
		r.Usage.Written+r.Usage.Cached > r.Usage.Prompt,
		r.Usage.Reasoning > r.Usage.Output:
		a.t.Fatalf("wrong bill: %+v", *r)
	case a.late(r):
		a.t.Fatalf("sent at or after the deadline of its call: %+v", *r)
	case r.Cut == policy.PatienceTimer && r.Sent == r.Ended:
		a.t.Fatalf("sent at the instant at which its caller left: %+v", *r)
	case r.Charged != r.Settled+r.Refunded || r.Settled < 0:
		a.t.Fatalf("charges do not settle: %+v", *r)
	case r.Tenth > r.Ordinal, (r.Received >= 0) != (r.Tenth > 0):
		a.t.Fatalf("the %dth of its second and the %dth of its tenth, received at %v", r.Ordinal, r.Tenth, r.Received)
	case r.Target == 0 && concurrency(a.m) > 0 && r.InFlight > concurrency(a.m):
		a.t.Fatalf("%d in flight, limit %d", r.InFlight, concurrency(a.m))
	}
	a.ended = r.Ended
	key := r.Call<<1 | uint64(r.Fleet)
	a.attempts[key] = append(a.attempts[key], *r)
}

func (a *auditor) Call(c *Call) {
	a.calls = append(a.calls, *c)
	f := a.m.Fleets()[c.Fleet]
	beside := f.Client.Hedge.On() || f.Workload.Redelivery.WhileWorking // attempts of one call at once
	list := a.attempts[c.ID<<1|uint64(c.Fleet)]
	delete(a.attempts, c.ID<<1|uint64(c.Fleet))
	if len(list) != int(c.Attempts) {
		a.t.Fatalf("call %d has %d attempts, %d were recorded", c.ID, c.Attempts, len(list))
	}
	told := a.waits[c.ID<<1|uint64(c.Fleet)]
	delete(a.waits, c.ID<<1|uint64(c.Fleet))
	if told == nil {
		told = &waited{}
	}
	if told.sum != c.Waits {
		a.t.Fatalf("call %d waited %v, told were %v", c.ID, c.Waits, told.sum)
	}
	var busy, waits time.Duration
	var billed cost.Money
	for i, r := range list {
		if r.Arrived != c.Arrived {
			a.t.Fatalf("call %d arrived at %v, its attempt %d says %v", c.ID, c.Arrived, i+1, r.Arrived)
		}
		if r.Number != i+1 && !beside {
			a.t.Fatalf("call %d: attempt %d is numbered %d", c.ID, i+1, r.Number)
		}
		if i > 0 && r.Sent < list[i-1].Ended && !beside {
			a.t.Fatalf("call %d: attempt %d begins before the last one ended", c.ID, i+1)
		}
		busy += r.Ended - r.Sent
		billed += r.Bill
	}
	for _, w := range c.Waits {
		if w < 0 {
			a.t.Fatalf("call %d: negative wait %v", c.ID, c.Waits)
		}
		waits += w
	}
	switch {
	case busy+waits != c.Latency() && !beside:
		a.t.Fatalf("call %d: latency %v is not attempts %v plus waits %v", c.ID, c.Latency(), busy, waits)
	case billed != c.Useful+c.Waste.Total():
		a.t.Fatalf("call %d: attempts billed %d, call %d", c.ID, billed, c.Useful+c.Waste.Total())
	case (c.Outcome == policy.Answered) != (c.Useful > 0) &&
		!(c.Outcome == policy.Answered && a.m.Providers()[f.target(uint8(c.Target)).Provider].ReplaysKeys):
		a.t.Fatalf("call %d: %v with %v of use", c.ID, c.Outcome, c.Useful)
	case f.MaxAttempts() > 0 && int(c.Attempts) > f.MaxAttempts():
		a.t.Fatalf("call %d made %d attempts, of at most %d", c.ID, c.Attempts, f.MaxAttempts())
	case a.m.Horizon > 0 && c.Arrived >= a.m.Horizon:
		a.t.Fatalf("call %d came at %v, at or after the horizon", c.ID, c.Arrived)
	case f.Client.IdempotencyKey && int(c.Acts) > f.Targets(), c.Acts > c.Attempts:
		a.t.Fatalf("call %d acted %d times", c.ID, c.Acts)
	case c.Outcome == policy.GaveUpAttempts && !beside && !f.Client.Fallback.On &&
		len(f.Client.Outer) == 0 && int(c.Attempts)%f.Client.Retry.Attempts != 0 &&
		f.Workload.Redelivery.Deliveries < 2 && !f.Client.Gate.Retriable:
		a.t.Fatalf("call %d gave up after %d attempts of %d", c.ID, c.Attempts, f.Client.Retry.Attempts)
	}
}

// On random models every law of conservation holds (Run balances its books),
// each call's latency is exactly its attempts and its waits, of which each was told, no effect comes
// before its cause, and a second run with the same seed gives the same records.
func TestInvariantsOnRandomModels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := randomModel(t)
		seed := rapid.Uint64().Draw(t, "seed")
		var runs [2]*auditor
		for i := range runs {
			runs[i] = &auditor{t: t, m: &m, attempts: map[uint64][]Attempt{}, waits: map[uint64]*waited{}}
			if _, err := m.Run(seed, 0, runs[i]); err != nil {
				t.Fatal(err)
			}
			if len(runs[i].attempts) != 0 {
				t.Fatalf("attempts of calls without a record: %v", runs[i].attempts)
			}
		}
		if !slices.Equal(runs[0].calls, runs[1].calls) {
			t.Fatal("the same seed gave other records")
		}
	})
}

// Little's law on every path: the time average of the number of calls in the
// system is their rate times their mean latency, and likewise for attempts, and
// for calls in a backoff.
func TestLittle(t *testing.T) {
	m := herd(500)
	m.Workload.Arrivals = Renewal{Gap: law.Exponential{Beta: 1}, Rate: Constant(6)}
	m.Client.Gate.Semaphore = 3
	type step struct {
		at time.Duration
		d  float64
	}
	var steps []step
	var total, end time.Duration
	n := 0
	if _, err := m.Run(1, 0, each{call: func(c *Call) {
		steps = append(steps, step{c.Arrived, 1}, step{c.Ended, -1})
		total += c.Latency()
		n++
		end = max(end, c.Ended)
	}}); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(steps, func(a, b step) int { return int(a.at - b.at) })
	var level sim.Level
	for _, st := range steps {
		level.Set(st.at, level.Value()+st.d)
	}
	rate, mean := float64(n)/end.Seconds(), total.Seconds()/float64(n)
	if l := level.Mean(end); math.Abs(l-rate*mean) > 1e-9*l {
		t.Errorf("L = %v, lambda W = %v", l, rate*mean)
	}
}

// A fleet of one instance before one slot with an unbounded gate is M/M/1: the
// whole path of a call, from arrival through gate and provider to reply, gives
// W = 1/(mu-lambda) = 0.5 s at lambda 8, mu 10. 30 replications, 99 % interval.
func TestFleetAsMM1(t *testing.T) {
	if testing.Short() {
		t.Skip("its tolerance needs all of its calls")
	}
	m := model()
	m.Workers = 0
	m.Workload = Workload{
		Calls:    40_000,
		Sizes:    sized{Prompt: 1, Output: 1},
		Arrivals: Renewal{Gap: law.Exponential{Beta: 1}, Rate: Constant(8)},
	}
	m.Provider.Latency.FirstToken = law.Exponential{Beta: 0.1}
	m.Client.Gate.Semaphore = 1
	const replications, t995 = 30, 2.756
	var means sim.Moments
	for r := range replications {
		var w sim.Moments
		if _, err := m.Run(3, r, each{call: func(c *Call) {
			if c.ID >= 4000 {
				w.Add(c.Latency().Seconds())
			}
		}}); err != nil {
			t.Fatal(err)
		}
		means.Add(w.Mean())
	}
	half := t995 * means.StdDev() / math.Sqrt(replications)
	if math.Abs(means.Mean()-0.5) > half || half > 0.02 {
		t.Errorf("W = %.4f +- %.4f, want 0.5", means.Mean(), half)
	}
}

// A provider with one slot and no queue, whose callers try again after exponential waits until they are
// served, is the M/M/1/1 retrial queue (G. Falin and J. Templeton, Retrial Queues, 1997, chapter 1): calls come
// at lambda, an answer takes 1/mu, each of the n calls that wait tries again at the rate nu. Write rho for lambda/mu,
// and sum over n the balance of the states (idle, n), (lambda + n nu) p0(n) = mu p1(n), and of the cut between n
// and n+1, lambda p1(n) = (n+1) nu p0(n+1):
//
//	busy      sum p1 = rho, as every call is served
//	idle      N0 = sum n p0(n) = (mu rho - lambda (1-rho))/nu = lambda rho/nu
//	times n   lambda N0 + nu M0 = mu N1, with M0 = sum n^2 p0(n) and N1 = sum n p1(n)
//	cut       lambda (N1 + rho) = nu M0
//	so        N1 = rho (N0 + rho)/(1-rho), and N = N0 + N1 = (lambda rho/nu + rho^2)/(1-rho)
//
// A call waits N/lambda and tries nu times a second meanwhile: attempts per call are
//
//	1 + nu N/lambda = 1 + rho (1 + nu/mu)/(1-rho)
//
// which is 3 at lambda = 1/2, mu = nu = 1; with nu = 3 it is 5. 30 replications, 99 % interval.
func TestFleetAsRetrialQueue(t *testing.T) {
	if testing.Short() {
		t.Skip("its tolerance needs all of its calls")
	}
	for nu, want := range map[float64]float64{1: 3, 3: 5} {
		m := model()
		m.Workers = 0
		m.Workload = Workload{
			Calls:    20_000,
			Sizes:    sized{Prompt: 1, Output: 1},
			Arrivals: Renewal{Gap: law.Exponential{Beta: 1}, Rate: Constant(0.5)},
		}
		m.Provider.Latency.FirstToken = law.Exponential{Beta: 1}
		m.Provider.Limits = atOnce(1)
		m.Client.Retry = policy.Retry{Classify: everything, Backoff: policy.Backoff{Law: law.Exponential{Beta: 1 / nu}}}
		const replications, t995 = 30, 2.756
		var means sim.Moments
		for r := range replications {
			var attempts sim.Moments
			if _, err := m.Run(6, r, each{call: func(c *Call) {
				if c.ID >= 1000 {
					attempts.Add(float64(c.Attempts))
				}
			}}); err != nil {
				t.Fatal(err)
			}
			means.Add(attempts.Mean())
		}
		half := t995 * means.StdDev() / math.Sqrt(replications)
		if math.Abs(means.Mean()-want) > half || half > 0.04*want {
			t.Errorf("nu = %g: %.4f +- %.4f attempts per call, want %g", nu, means.Mean(), half, want)
		}
	}
}

// Calls that take exponential times of rate mu, each delivery its own, and are visible again V after each delivery,
// before idle workers: there is delivery n+1 where none of those before has answered by nV. They began at 0, V, ...,
// (n-1)V, so that the probability is the product of exp(-mu j V) over j = 1..n, and with q = exp(-mu V)
//
//	deliveries per call  sum over n >= 0 of q^(n(n+1)/2)
//
// which is 1.42019 at mu V = 1. All of them answer in the end, and are billed. 40,000 calls; four standard errors.
func TestDeliveriesOfExponentialWork(t *testing.T) {
	if testing.Short() {
		t.Skip("its tolerance needs all of its calls")
	}
	m := model()
	m.Workers = 500
	m.Workload = Workload{
		Calls:      40_000,
		Sizes:      sized{Prompt: 1, Output: 1},
		Arrivals:   Renewal{Gap: law.Exponential{Beta: 1}, Rate: Constant(20)},
		Redelivery: Redelivery{Deliveries: -1, Visible: s, WhileWorking: true},
	}
	m.Provider.Latency.FirstToken = law.Exponential{Beta: 1}
	var deliveries sim.Moments
	answers := 0
	if _, err := m.Run(7, 0, each{
		call:    func(c *Call) { deliveries.Add(float64(c.Deliveries)) },
		attempt: func(*Attempt) { answers++ },
	}); err != nil {
		t.Fatal(err)
	}
	want, q := 0.0, math.Exp(-1)
	for n := range 20 {
		want += math.Pow(q, float64(n*(n+1)/2))
	}
	if four := 4 * deliveries.StdDev() / 200; math.Abs(deliveries.Mean()-want) > four || four > 0.02 {
		t.Errorf("%.4f +- %.4f deliveries per call, want %.4f", deliveries.Mean(), four, want)
	}
	if got := float64(answers) / 40_000; math.Abs(got-deliveries.Mean()) > 1e-9 {
		t.Errorf("%g answers per call, want one for each of its %g deliveries", got, deliveries.Mean())
	}
}

// A concurrency limit that answers 429, without retries, loses B(10, 8) =
// 0.12166 of Poisson calls, whatever the law of the service time.
func TestFleetAsErlangB(t *testing.T) {
	if testing.Short() {
		t.Skip("its tolerance needs all of its calls")
	}
	for name, given := range map[string]law.Law{"exponential": law.Exponential{Beta: 1}, "constant": law.Constant(1),
		"lognormal": law.LognormalFromMean(1, 2)} {
		m := model()
		m.Workers = 0
		m.Workload = Workload{
			Calls:    20_000,
			Sizes:    sized{Prompt: 1, Output: 1},
			Arrivals: Renewal{Gap: law.Exponential{Beta: 1}, Rate: Constant(8)},
		}
		m.Provider.Latency.FirstToken = given
		m.Provider.Limits = atOnce(10)
		const replications, t995 = 30, 2.756
		var lost sim.Moments
		for r := range replications {
			refused, n := 0, 0
			if _, err := m.Run(4, r, each{attempt: func(a *Attempt) {
				if a.Call >= 1000 {
					n++
					if a.Class() == wire.Throttled {
						refused++
					}
				}
			}}); err != nil {
				t.Fatal(err)
			}
			lost.Add(float64(refused) / float64(n))
		}
		half := t995 * lost.StdDev() / math.Sqrt(replications)
		if math.Abs(lost.Mean()-0.12166) > half || half > 0.005 {
			t.Errorf("%s: %.5f +- %.5f refused, want 0.12166", name, lost.Mean(), half)
		}
	}
}

// The provider's own queue: c slots and places to wait are M/M/c/K. Erlang C:
// c=10, a=8, Wq = 0.2046 s behind an unbounded queue; M/M/1/K, K=10, rho=0.9:
// 0.05081 refused with the status of a full queue. 30 replications, 99 %
// interval.
func TestProviderQueue(t *testing.T) {
	if testing.Short() {
		t.Skip("its tolerance needs all of its calls")
	}
	for _, c := range []struct {
		name       string
		capacity   provider.Capacity
		rate, mean float64
		want       float64
		of         func(*Attempt) (float64, bool)
	}{
		{"Erlang C", provider.Capacity{Slots: 10, Queue: -1, Full: 503}, 8, 1, 1.2046,
			func(a *Attempt) (float64, bool) { return (a.Ended - a.Sent).Seconds(), true }},
		{"M/M/1/K", provider.Capacity{Slots: 1, Queue: 9, Full: 529}, 0.9, 1, 0.05081,
			func(a *Attempt) (float64, bool) {
				if a.Reply.Status == 529 {
					return 1, true
				}
				return 0, true
			}},
	} {
		m := model()
		m.Workers = 0
		m.Workload = Workload{
			Calls:    100_000,
			Sizes:    sized{Prompt: 1, Output: 1},
			Arrivals: Renewal{Gap: law.Exponential{Beta: 1}, Rate: Constant(c.rate)},
		}
		m.Provider.Latency.FirstToken = law.Exponential{Beta: c.mean}
		m.Provider.Capacity = c.capacity
		const replications, t995 = 30, 2.756
		var means sim.Moments
		for r := range replications {
			var one sim.Moments
			if _, err := m.Run(6, r, each{attempt: func(a *Attempt) {
				if x, ok := c.of(a); ok && a.Call >= 4000 {
					one.Add(x)
				}
			}}); err != nil {
				t.Fatal(err)
			}
			means.Add(one.Mean())
		}
		half := t995 * means.StdDev() / math.Sqrt(replications)
		if math.Abs(means.Mean()-c.want) > half || half > 0.05*c.want {
			t.Errorf("%s: %.5f +- %.5f, want %.5f", c.name, means.Mean(), half, c.want)
		}
	}
}

// Trap 6: a server that idles while its queue holds work. Three slots serve Poisson arrivals of
// three priorities: as long as n requests are there, min(n, 3) are served, so that the integral
// of min(n, 3) is the sum of the service times, but for the rounding of each to a nanosecond.
func TestNoServerIdlesWhileItsQueueHoldsWork(t *testing.T) {
	const slots = 3
	m := model()
	m.Workers = 0
	m.Workload = Workload{
		Calls:    5_000,
		Sizes:    Drawn{Prompt: law.Constant(1), Output: law.Exponential{Beta: 100}},
		Arrivals: Renewal{Gap: law.Exponential{Beta: 1}, Rate: Constant(0.95)},
	}
	m.Provider.Latency = provider.Latency{TokensPerSecond: law.Constant(100)}
	m.Provider.Capacity = provider.Capacity{Slots: slots, Queue: -1}
	m.Beside = []Fleet{m.Fleet, m.Fleet}
	m.Provider.Tenants = []provider.Tenant{{Priority: 0}, {Priority: 1}, {Priority: 2}}
	type change struct {
		at sim.Time
		by int
	}
	var changes []change
	var service, served time.Duration
	waited := 0
	if _, err := m.Run(3, 0, each{attempt: func(a *Attempt) {
		took := time.Duration(a.Usage.Output) * 10 * ms
		service += took
		changes = append(changes, change{a.Received, 1}, change{a.Ended, -1})
		if a.Ended-a.Received > took+1 {
			waited++
		}
	}}); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(changes, func(a, b change) int { return int(a.at - b.at) })
	n, last := 0, sim.Time(0)
	for _, c := range changes {
		served += time.Duration(min(n, slots)) * (c.at - last)
		n, last = n+c.by, c.at
	}
	if (served-service).Abs() > 3*5_000 || waited < 5_000 {
		t.Errorf("%v of service while min(n, 3) were there for %v; %d waited", service, served, waited)
	}
}

// Independent failures with probability p and R retries: success 1-p^(R+1),
// attempts (1-p^(R+1))/(1-p). p = 0.5, R = 3: 0.9375 and 1.875; n = 100,000,
// four standard errors.
func TestIndependentFailures(t *testing.T) {
	m := model()
	m.Workers = 0
	m.Workload = Workload{Calls: 100_000, Sizes: sized{Prompt: 1, Output: 1}, Arrivals: Burst{}}
	m.Provider.Faults = []provider.Fault{{Share: 0.5, Effect: provider.Reject{Reply: wire.Reply{Status: 500}}}}
	m.Client.Retry = retries(4, 0)
	var answered, attempts sim.Moments
	if _, err := m.Run(1, 0, each{call: func(c *Call) {
		ok := 0.0
		if c.Outcome == policy.Answered {
			ok = 1
		}
		answered.Add(ok)
		attempts.Add(float64(c.Attempts))
	}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		got  sim.Moments
		want float64
	}{{"success", answered, 0.9375}, {"attempts", attempts, 1.875}} {
		if se := c.got.StdDev() / math.Sqrt(100_000); math.Abs(c.got.Mean()-c.want) > 4*se {
			t.Errorf("%s %v +- %v, want %v", c.name, c.got.Mean(), se, c.want)
		}
	}
}

// Trap 2: the same jitter in every client, or in those of an instance. The waits of 20,000 clients
// in ten instances are uniform over a second: all but a few differ, by one over the root of 12.
func TestJitterSpreads(t *testing.T) {
	m := herd(20_000)
	m.Instances = 10
	m.Provider.Limits = nil
	m.Provider.Faults = []provider.Fault{{Share: 1, Effect: provider.Reject{Reply: wire.Reply{Status: 500}}}}
	m.Client.Retry.Attempts = 2
	var waits []float64
	var spread sim.Moments
	if _, err := m.Run(1, 0, each{attempt: func(a *Attempt) {
		if a.Number == 1 {
			waits = append(waits, a.Decision.Wait.Seconds())
			spread.Add(a.Decision.Wait.Seconds())
		}
	}}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(waits)
	if n := len(slices.Compact(waits)); math.Abs(spread.StdDev()-1/math.Sqrt(12)) > 0.01 || n < 19_900 {
		t.Errorf("standard deviation of the waits %v, want 0.289; %d of 20,000 differ", spread.StdDev(), n)
	}
}

// Trap 12: neither limits of any charge nor a client's pacer know an answer before it is there.
// Twenty requests whose answers have 10 tokens are charged and refused like twenty of 1,000.
func TestNoAnswerIsKnownBeforeItIsThere(t *testing.T) {
	var seen [2][]string
	for i, output := range []float64{10, 1000} {
		m := model()
		m.Workers = 0
		m.Workload = Workload{
			Calls:    20,
			Arrivals: Burst{},
			Sizes:    Drawn{Prompt: law.Constant(100), Output: law.Constant(output)},
		}
		for _, c := range []provider.Charge{provider.Prompt, provider.PromptPlusMax, provider.EstimatedPrompt,
			provider.MaxOrEstimate, provider.AsProduced} {
			m.Provider.Limits = append(
				m.Provider.Limits,
				provider.Limit{
					Resource: provider.Tokens,
					Amount:   1500,
					Period:   600 * s,
					Charge:   c,
					Settle:   provider.Refund,
				},
			)
		}
		if _, err := m.Run(1, 0, each{attempt: func(a *Attempt) {
			seen[i] = append(seen[i], fmt.Sprintln(a.Call, a.Sent, a.Received, a.Charged, a.Reply.Status))
		}}); err != nil {
			t.Fatal(err)
		}
		slices.Sort(seen[i])
	}
	if !slices.Equal(seen[0], seen[1]) {
		t.Errorf("answers of 10 tokens:\n%v\nof 1,000:\n%v", seen[0], seen[1])
	}
	if n := need(&call{size: Size{Prompt: 100, Output: 900, MaxTokens: 50}}); n != (policy.Need{1, 150,
		100, 50}) {
		t.Errorf("the client thinks it needs %v", n)
	}
}

// Trap 2: the same jitter in every client. The first waits of neighbouring calls
// are uncorrelated (n = 20,000, four standard errors), and another policy does
// not move arrivals or sizes.
func TestStreamsOfClientsAreIndependent(t *testing.T) {
	m := herd(20_000)
	m.Provider.Limits = nil
	m.Provider.Faults = []provider.Fault{{Share: 1, Effect: provider.Reject{Reply: wire.Reply{Status: 500}}}}
	m.Client.Retry.Attempts = 2
	waits := make([]float64, 20_000)
	if _, err := m.Run(1, 0, each{attempt: func(a *Attempt) {
		if a.Number == 1 {
			waits[a.Call] = a.Decision.Wait.Seconds()
		}
	}}); err != nil {
		t.Fatal(err)
	}
	var lag sim.Moments
	for i := range waits[1:] {
		lag.Add((waits[i] - 0.5) * (waits[i+1] - 0.5) * 12)
	}
	if math.Abs(lag.Mean()) > 4/math.Sqrt(20_000) {
		t.Errorf("correlation of neighbours' waits %v, want 0", lag.Mean())
	}

	var seen [2][]Call
	for i, jitter := range []policy.Jitter{policy.NoJitter, policy.Full} {
		m := herd(200)
		m.Workload.Arrivals = Renewal{Gap: law.Exponential{Beta: 1}, Rate: Constant(5)}
		m.Workload.Sizes = Drawn{Prompt: law.Exponential{Beta: 100}, Output: law.Exponential{Beta: 100}}
		m.Client.Retry.Backoff.Jitter = jitter
		if _, err := m.Run(1, 0, each{call: func(c *Call) {
			seen[i] = append(seen[i], Call{ID: c.ID, Arrived: c.Arrived, Size: c.Size})
		}}); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(seen[i], func(a, b Call) int { return int(a.ID) - int(b.ID) })
	}
	if !slices.Equal(seen[0], seen[1]) {
		t.Error("another policy moved arrivals or sizes")
	}
}
