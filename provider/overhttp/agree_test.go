package overhttp_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"stampede/backend"
	"stampede/cost"
	"stampede/fleet"
	"stampede/internal/draw"
	"stampede/policy"
	"stampede/provider"
	"stampede/provider/overhttp"
	"stampede/sim"
	"stampede/wire"
)

// client is a script: calls of given sizes at given instants, each tried again some time after an
// attempt that failed: after the waits that its simulation drew, so that two attempts that fail
// together do not return together.
type client struct {
	key, model  string
	at          []sim.Time
	sizes       []fleet.Size
	attempts    int
	wait        time.Duration            // at least
	waits       map[[2]int]time.Duration // drawn, by call and attempt that is tried again
	timeout     time.Duration            // of an attempt; 0 means none
	deadline    time.Duration            // of a call, from its arrival; 0 means none
	stream      bool
	idempotency bool
	cache       fleet.Cache
	price       cost.Price
}

// Size implements fleet.Sizes.
func (c *client) Size(k uint64, _ fleet.Luck) fleet.Size { return c.sizes[k] }

// Next implements fleet.Process.
func (c *client) Next(k uint64, _ sim.Time, _ float64) (sim.Time, bool) { return c.at[k], true }

func (c *client) Describe() string { return "as scripted" }

// scenario is two clients, which are two tenants, and a provider.
type scenario struct {
	seed     uint64
	clients  [2]client
	provider provider.Config
}

// drawScenario draws one. To all instants and spans of the clients up to half a second is added, evenly
// spread over the nanoseconds, so that no two things that could happen in either order happen at one instant.
func drawScenario(t *rapid.T) *scenario {
	sometimes := func(name string) bool { return rapid.Bool().Draw(t, name) }
	sc := &scenario{seed: rapid.Uint64().Draw(t, "seed")}
	spread, spans := sim.NewKey(sc.seed, 1), uint64(0)
	span := func(name string, longest time.Duration) time.Duration {
		spans++
		return draw.Span(t, name, longest) + sim.Seconds(0.5*spread.Uniform(spans, 0))
	}
	tenants := []provider.Tenant{{Key: "main", Model: "m"}, {Key: "other", Model: "m"}}
	tenants[1].Priority = rapid.IntRange(-1, 1).Draw(t, "priority")
	sc.provider = draw.Provider(t, tenants)
	silent := slices.ContainsFunc(sc.provider.Faults, func(f provider.Fault) bool {
		breaks, ok := f.Effect.(provider.Break)
		return f.Effect == provider.Hang{} || f.Effect == provider.NoConnection{As: provider.Unreachable} ||
			ok && breaks.Silent
	})
	for i := range sc.clients {
		c := &sc.clients[i]
		c.key, c.model = tenants[i].Key, tenants[i].Model
		c.attempts = rapid.IntRange(1, 4).Draw(t, "attempts")
		c.wait = span("wait", 3*time.Second)
		if silent || sometimes("timeout") {
			c.timeout = span("timeout span", 8*time.Second)
		}
		if rapid.IntRange(0, 3).Draw(t, "deadline") == 3 {
			c.deadline = span("deadline span", 10*time.Second)
		}
		c.stream, c.idempotency = sometimes("stream"), sometimes("idempotency key")
		if sometimes("cache") {
			c.cache = fleet.Cache{Lifetime: draw.Span(t, "lifetime", 10*time.Second), Writes: sometimes("writes")}
		}
		c.price = cost.PerMillion("m", 0.15, 0.075, 0.6*float64(i+1))
		for range rapid.IntRange(1, 12).Draw(t, "calls") {
			c.at = append(c.at, span("call", 20*time.Second))
			size := fleet.Size{
				Prompt:    rapid.Int32Range(1, 300).Draw(t, "prompt"),
				Output:    rapid.Int32Range(1, 120).Draw(t, "output"),
				MaxTokens: rapid.SampledFrom([]int32{0, 120, 200}).Draw(t, "max tokens"),
			}
			size.Cached = rapid.Int32Range(0, size.Prompt).Draw(t, "cached")
			if sometimes("reasoning") {
				size.Reasoning = rapid.Int32Range(0, size.Output).Draw(t, "thoughts")
			}
			c.sizes = append(c.sizes, size)
		}
		slices.Sort(c.at)
	}
	return sc
}

// record is what is compared of an attempt.
type record struct {
	client, call, number int
	sent, ended          sim.Time
	result               backend.Result
}

// sort brings records into one order, and leaves out what the simulated provider writes only for
// clients that read it.
func sort(records []record) []record {
	for i := range records {
		records[i].result.Reply.Quotas = wire.Quotas{}
	}
	slices.SortFunc(records, func(a, b record) int {
		return cmp.Or(a.client-b.client, a.call-b.call, a.number-b.number)
	})
	return records
}

// recorder listens to a simulation.
type recorder struct {
	*scenario
	records []record
}

func (r *recorder) Attempt(a *fleet.Attempt) {
	if a.Decision.Again {
		r.clients[a.Fleet].waits[[2]int{int(a.Call), a.Number}] = a.Decision.Wait
	}
	r.records = append(r.records, record{a.Fleet, int(a.Call), a.Number, a.Sent, a.Ended, a.Result})
}

func (r *recorder) Call(*fleet.Call) {}

// simulate runs the scenario on the virtual clock of a fleet.
func (sc *scenario) simulate() ([]record, error) {
	var fleets []fleet.Fleet
	for i := range sc.clients {
		c := &sc.clients[i]
		c.waits = map[[2]int]time.Duration{}
		fleets = append(fleets, fleet.Fleet{
			Instances: 1,
			Workload: fleet.Workload{
				Arrivals: c, Calls: uint64(len(c.at)), Sizes: c, Stream: c.stream, Cache: c.cache,
			},
			Client: policy.Client{
				Retry: policy.Retry{
					Attempts: c.attempts,
					Broken:   policy.Replay,
					Backoff: policy.Backoff{
						Base: c.wait, Factor: 1, Jitter: policy.PlusSpan, Plus: time.Second,
					},
					Classify: policy.Classifier{
						Statuses: []policy.Statuses{{From: 300, To: 599}},
						Timeouts: true, Connections: true, Streams: true,
					},
				},
				Timeouts:       policy.Timeouts{Attempt: []time.Duration{c.timeout}},
				Deadline:       policy.Deadline{After: c.deadline},
				IdempotencyKey: c.idempotency,
			},
			Price: c.price,
		})
	}
	m := fleet.Model{Fleet: fleets[0], Beside: fleets[1:], Provider: sc.provider}
	to := recorder{scenario: sc}
	_, err := m.Run(sc.seed, 0, &to)
	return sort(to.records), err
}

// number is that of a call at the provider.
func number(client, call int) uint64 { return uint64(client)<<56 | uint64(call) }

// play plays it on the clock of a bubble, over HTTP.
func (sc *scenario) play(t *testing.T) (records []record) {
	synctest.Test(t, func(t *testing.T) {
		api, err := overhttp.New(sc.provider, sc.seed)
		if err != nil {
			t.Fatal(err)
		}
		api.Size = func(r *backend.Request) {
			c := &sc.clients[r.Tenant]
			size := c.sizes[uint32(r.Call)]
			r.Prompt, r.Cached = int(size.Prompt), int(size.Cached)
			r.Output, r.Reasoning = size.Output, size.Reasoning
			r.Terms.Price, r.Terms.Lifetime, r.Terms.Writes = c.price, c.cache.Lifetime, c.cache.Writes
		}
		api.Seen = func(x overhttp.Exchange) {
			records = append(records, record{
				x.Request.Tenant, int(uint32(x.Request.Call)), x.Request.Attempt, x.Sent, x.Ended, x.Result,
			})
		}
		var calls sync.WaitGroup
		for i := range sc.clients {
			c := &sc.clients[i]
			for k, at := range c.at {
				calls.Go(func() {
					time.Sleep(at)
					ctx, cancel := context.WithCancel(t.Context())
					if c.deadline > 0 {
						ctx, cancel = context.WithTimeout(t.Context(), c.deadline)
					}
					defer cancel()
					for n := 1; n <= c.attempts && !c.ask(ctx, api, number(i, k), c.sizes[k].MaxTokens, n); n++ {
						wait, again := c.waits[[2]int{k, n}]
						if !again {
							break
						}
						time.Sleep(wait)
					}
				})
			}
		}
		calls.Wait()
	})
	return sort(records)
}

// ask sends an attempt of a call and reports whether it was answered.
func (c *client) ask(
	of context.Context, api http.RoundTripper, call uint64, maxTokens int32, attempt int,
) bool {
	ctx, cancel := context.WithCancel(of)
	if c.timeout > 0 {
		ctx, cancel = context.WithTimeout(of, c.timeout)
	}
	defer cancel()
	body := fmt.Sprintf(`{"model": %q, "max_tokens": %d, "stream": %v}`, c.model, maxTokens, c.stream)
	const url = "https://api.example/v1/chat/completions"
	req, _ := http.NewRequestWithContext(ctx, "POST", url, strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("x-stampede-call", fmt.Sprint(call))
	req.Header.Set("x-stainless-retry-count", fmt.Sprint(attempt-1))
	if c.idempotency {
		req.Header.Set("Idempotency-Key", fmt.Sprint(call))
	}
	resp, err := api.RoundTrip(req)
	if err != nil {
		return false
	}
	data, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	return err == nil && resp.StatusCode == 200 && !strings.Contains(string(data), "error in the ")
}

// A scripted client sees the same provider in a simulation and over HTTP: what is recorded of each
// attempt is equal to the nanosecond, the token and the nano-dollar. The first scenarios are
// the same in every run, so that they are known to cover what a provider can do.
func TestFleetAndBackendAgree(t *testing.T) {
	covered := map[string]int{}
	scenarios := rapid.Custom(drawScenario)
	for seed := range 2000 {
		sc := scenarios.Example(seed)
		want, err := sc.simulate()
		if err != nil {
			t.Fatal(err)
		}
		if message := difference(want, sc.play(t)); message != "" {
			t.Fatalf("scenario %d: %s", seed, message)
		}
		sc.cover(want, covered)
	}
	for _, feature := range features {
		if n := covered[feature.name]; n == 0 {
			t.Errorf("no attempt covers: %s", feature.name)
		} else {
			t.Logf("%6d %s", n, feature.name)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		sc := scenarios.Draw(rt, "scenario")
		want, err := sc.simulate()
		if err != nil {
			rt.Fatal(err)
		}
		if message := difference(want, sc.play(t)); message != "" {
			rt.Fatal(message)
		}
	})
}

// difference describes the first one; empty for none.
func difference(want, got []record) string {
	for i := range want {
		if i == len(got) || got[i] != want[i] {
			other := "nothing"
			if i < len(got) {
				other = fmt.Sprintf("%+v", got[i])
			}
			return fmt.Sprintf("simulated\n%+v\nover HTTP\n%s", want[i], other)
		}
	}
	if len(got) != len(want) {
		return fmt.Sprintf("%d attempts, simulated %d", len(got), len(want))
	}
	return ""
}

// features are what the scenarios must cover, by attempts that show it.
var features = []struct {
	name  string
	shown func(sc *scenario, c *client, r *record) bool
}{
	{"answered in one piece", func(_ *scenario, c *client, r *record) bool { return !c.stream && r.ok() }},
	{"answered as a stream", func(_ *scenario, c *client, r *record) bool { return c.stream && r.ok() }},
	{"answered in a batch", func(sc *scenario, _ *client, r *record) bool {
		return sc.provider.Capacity.Batching != nil && r.ok()
	}},
	{"cut off in a batch", func(sc *scenario, _ *client, r *record) bool {
		return sc.provider.Capacity.Batching != nil && r.cut() && r.result.First >= 0
	}},
	{"answered after a queue", func(sc *scenario, _ *client, r *record) bool {
		slots := sc.provider.Capacity.Slots
		return slots > 0 && r.result.InFlight > slots && r.ok()
	}},
	{"left a queue", func(sc *scenario, _ *client, r *record) bool {
		slots := sc.provider.Capacity.Slots
		return slots > 0 && r.result.InFlight > slots && r.cut() && r.result.First < 0
	}},
	{"refused without a place", func(_ *scenario, _ *client, r *record) bool {
		return r.result.Limit == provider.NoSlot
	}},
	{"refused by a limit of the first tenant", func(sc *scenario, _ *client, r *record) bool {
		l := r.result.Limit
		return l >= 0 && len(sc.provider.Limits[l].Keys) > 0
	}},
	{"the second tenant, past such a limit", func(sc *scenario, _ *client, r *record) bool {
		return r.client == 1 && r.ok() && slices.ContainsFunc(sc.provider.Limits, func(l provider.Limit) bool {
			return len(l.Keys) > 0
		})
	}},
	{"refused by a limit on dollars", func(sc *scenario, _ *client, r *record) bool {
		l := r.result.Limit
		return l >= 0 && sc.provider.Limits[l].Resource == provider.Dollars
	}},
	{"a refusal that a gateway relays", func(sc *scenario, _ *client, r *record) bool {
		return sc.provider.Gateway.Retries > 0 && r.result.Received >= 0 && r.result.Reply.Status >= 300
	}},
	{"an error of a gateway's own", func(_ *scenario, _ *client, r *record) bool {
		return r.result.Limit == provider.OfGateway && r.result.Reply.Status == 502
	}},
	{"an answer after a gateway tried again", func(sc *scenario, _ *client, r *record) bool {
		there := sc.provider.RoundTrip/2 + sc.provider.Gateway.Latency/2
		return r.ok() && r.result.Received > r.sent+there+sc.provider.Gateway.Wait/2
	}},
	{"a prompt read from the cache", func(_ *scenario, c *client, r *record) bool {
		return c.cache.Lifetime > 0 && r.result.Usage.Cached > 0
	}},
	{"a prompt that had cooled down", func(_ *scenario, c *client, r *record) bool {
		return c.sizes[r.call].Cached > 0 && r.result.Usage.Prompt > 0 && r.result.Usage.Cached == 0
	}},
	{"a prompt written to the cache", func(_ *scenario, _ *client, r *record) bool {
		return r.result.Usage.Written > 0
	}},
	{"reasoning", func(_ *scenario, _ *client, r *record) bool { return r.result.Usage.Reasoning > 0 }},
	{"charges that were refunded", func(_ *scenario, _ *client, r *record) bool { return r.result.Refunded > 0 }},
	{"a refusal that was billed", func(_ *scenario, _ *client, r *record) bool {
		return r.result.Reply.Status >= 300 && r.result.Bill > 0
	}},
	{"an answer replayed under its key", func(sc *scenario, _ *client, r *record) bool {
		return sc.provider.ReplaysKeys && r.ok() && !r.result.Worked
	}},
	{"a stream that broke", func(_ *scenario, c *client, r *record) bool {
		return c.stream && r.result.Reply.Failure == wire.Connection && r.result.First >= 0
	}},
	{"an error inside a stream", func(_ *scenario, c *client, r *record) bool {
		return c.stream && r.result.Reply.Failure == wire.InStream
	}},
	{"an error in place of an answer", func(_ *scenario, c *client, r *record) bool {
		return !c.stream && r.result.Reply.Failure == wire.InStream
	}},
	{"an error among a call's first attempts", func(sc *scenario, _ *client, r *record) bool {
		return slices.ContainsFunc(sc.provider.Faults, func(f provider.Fault) bool {
			return f.First >= r.number && f.Of == provider.OfCall
		}) && r.result.Reply.Status >= 500
	}},
	{"an answer that was lost", func(_ *scenario, c *client, r *record) bool {
		return r.result.Reply.Failure == wire.Connection && r.result.Worked
	}},
	{"a stream that stalled", func(sc *scenario, c *client, r *record) bool {
		stall, billing := provider.Break{Part: 0.2, Silent: true}, sc.provider.Billing
		part := int(0.2 * float64(c.sizes[r.call].Output))
		if billing.CutFree && !billing.AbandonedFree {
			part = 0
		}
		return c.stream && r.cut() && r.result.First >= 0 && r.result.Usage.Output == part &&
			slices.ContainsFunc(sc.provider.Faults, func(f provider.Fault) bool { return f.Effect == stall })
	}},
	{"an answer that was lost in silence", func(sc *scenario, _ *client, r *record) bool {
		return r.cut() && r.result.Worked && sc.strikes(provider.Break{Part: 1, Silent: true}, r.result.Received)
	}},
	{"a connection that was refused", func(_ *scenario, _ *client, r *record) bool {
		return r.result.Reply.Failure == wire.Connection && r.result.Received < 0
	}},
	{"a name that was not found", fails(provider.NoName)},
	{"a TLS handshake that failed", fails(provider.NoTLS)},
	{"a connection that was reset", fails(provider.ResetConn)},
	{"no connection", func(sc *scenario, _ *client, r *record) bool {
		return r.cut() && r.result.Received < 0 && sc.strikes(provider.NoConnection{As: provider.Unreachable}, r.sent)
	}},
	{"a request that hung", func(sc *scenario, _ *client, r *record) bool {
		return r.cut() && sc.strikes(provider.Hang{}, r.result.Received)
	}},
	{"an answer slowed down", func(sc *scenario, _ *client, r *record) bool {
		return r.ok() && sc.strikes(provider.Slow{Factor: 5}, r.result.Received)
	}},
	{"cut off by the deadline of its call", func(_ *scenario, c *client, r *record) bool {
		return c.deadline > 0 && r.cut() && r.ended == c.at[r.call]+c.deadline
	}},
	{"left a provider that keeps generating", leaves(provider.Keeps)},
	{"left a provider that stops", leaves(provider.Stops)},
	{"left a provider that stops streams", leaves(provider.StopsStreams)},
}

// strikes reports whether a fault strikes all requests at an instant.
func (sc *scenario) strikes(effect provider.Effect, at sim.Time) bool {
	return slices.ContainsFunc(sc.provider.Faults, func(f provider.Fault) bool {
		return f.Effect == effect && f.Share == 1 && f.Gap == nil && f.At <= at && at < f.At+f.For
	})
}

func fails(as provider.Reachability) func(*scenario, *client, *record) bool {
	return func(_ *scenario, _ *client, r *record) bool { return r.result.Reply.Code == as.String() }
}

func leaves(rule provider.CancelRule) func(*scenario, *client, *record) bool {
	return func(sc *scenario, _ *client, r *record) bool {
		return sc.provider.Cancel == rule && r.cut() && r.result.Bill > 0
	}
}

func (r *record) ok() bool { return r.result.Reply.Class() == wire.OK }

func (r *record) cut() bool { return r.result.Reply.Failure == wire.Timeout }

// cover counts the features that the attempts show.
func (sc *scenario) cover(records []record, covered map[string]int) {
	for i := range records {
		r := &records[i]
		for _, f := range features {
			if f.shown(sc, &sc.clients[r.client], r) {
				covered[f.name]++
			}
		}
	}
}
