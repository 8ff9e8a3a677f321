package fleet

import (
	"fmt"
	"maps"
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

// outcomes runs a model and counts how its calls end.
func outcomes(t *testing.T, m Model) map[string]int {
	t.Helper()
	out := map[string]int{}
	if _, err := m.Run(1, 0, each{call: func(c *Call) { out[c.Outcome.String()]++ }}); err != nil {
		t.Fatal(err)
	}
	return out
}

// failing answers every attempt with a status.
func failing(status int) []provider.Fault {
	return []provider.Fault{{Share: 1, Effect: provider.Reject{Reply: wire.Reply{Status: status}}}}
}

// Hedging at the 95 % quantile of exponential times of mean 1 s on independent servers
// sends 5 % more attempts; the time is the lesser of T and q + T', so that its mean is 1
// - 0.05/2 = 0.975 s, and its 99 % and 99.9 % quantiles are 3.800 and 4.952 s. 200,000 calls; four
// standard errors.
func TestHedge(t *testing.T) {
	m := model()
	m.Workers = 0
	m.Workload = Workload{
		Calls:    200_000,
		Sizes:    sized{Prompt: 1, Output: 1},
		Arrivals: Renewal{Gap: law.Exponential{Beta: 1}, Rate: Constant(10)},
	}
	m.Provider.Latency.FirstToken = law.Exponential{Beta: 1}
	q := time.Duration(2.995732 * 1e9)
	for _, c := range []struct {
		hedge  policy.Hedge
		within float64 // of the share of hedges
	}{{policy.Hedge{After: q, Cancel: true}, 0.002}, {policy.Hedge{Quantile: 0.95}, 0.005}} {
		m.Client.Hedge = c.hedge
		var times []float64
		attempts, cancelled := 0.0, 0.0
		var latency sim.Moments
		if _, err := m.Run(1, 0, each{
			attempt: func(a *Attempt) {
				attempts++
				if a.Class() == wire.Cancelled {
					cancelled++
				}
			},
			call: func(c *Call) { latency.Add(c.Latency().Seconds()); times = append(times, c.Latency().Seconds()) },
		}); err != nil {
			t.Fatal(err)
		}
		slices.Sort(times)
		n := float64(len(times))
		if got := attempts/n - 1; math.Abs(got-0.05) > c.within {
			t.Errorf("%v: %.4f more attempts, want 0.05", c.hedge.Describe(), got)
		}
		if cancelled != attempts-n {
			t.Errorf("%v: %g losers of %g hedges", c.hedge.Describe(), cancelled, attempts-n)
		}
		for _, q := range []struct{ got, want, within float64 }{
			{latency.Mean(), 0.975, 4 * latency.StdDev() / math.Sqrt(n)}, {times[int(0.99*n)], 3.800,
				0.04}, {times[int(0.999*n)], 4.952, 0.15},
		} {
			if math.Abs(q.got-q.want) > q.within+c.within {
				t.Errorf("%v: %.4f s, want %.4f", c.hedge.Describe(), q.got, q.want)
			}
		}
	}
}

// A hedge sent after 1 s of 3 wins at 2 s, when the second attempt takes 1 s: the loser is
// billed for all of its answer unless it is cancelled and the provider stops.
func TestHedgeBills(t *testing.T) {
	for _, c := range []struct {
		cancel bool
		rule   provider.CancelRule
		want   string
	}{
		{false, provider.Stops, "2 hedged ok $0.002000; 1 cancelled by hedge $0.002000 wasted by hedge"},
		{true, provider.Keeps, "2 hedged ok $0.002000; 1 cancelled by hedge $0.002000 wasted by hedge"},
		{true, provider.Stops, "2 hedged ok $0.002000; 1 cancelled by hedge $0.001000 wasted by hedge"},
	} {
		m := model()
		m.Provider.Latency.FirstToken = law.Constant(1)
		m.Provider.Cancel = c.rule
		m.Provider.Faults = []provider.Fault{{For: s, Share: 1, Effect: provider.Slow{Factor: 3}}}
		m.Client.Hedge = policy.Hedge{After: s, Cancel: c.cancel}
		var got []string
		if _, err := m.Run(1, 0, each{attempt: func(a *Attempt) {
			text := fmt.Sprint(a.Number)
			if a.Hedge {
				text += " hedged"
			}
			text += " " + a.Class().String()
			if a.Cut != policy.NoTimer {
				text += " by " + a.Cut.String()
			}
			text += " " + a.Bill.String()
			if a.Waste {
				text += " wasted by " + a.Cause.String()
			}
			got = append(got, text)
		}}); err != nil {
			t.Fatal(err)
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("cancel %v, %v: %s, want %s", c.cancel, c.rule, s, c.want)
		}
	}
}

// Five calls at once. The first provider takes one, the second two and refuses the others
// for the second of its limits, the third has a place for one. What refused is told with
// each attempt by the name it has there. In the 1 s until the last call ends each bucket
// of n holds n and gets n/60.
func TestAttemptsSayWhichLimitRefused(t *testing.T) {
	requests := func(name string, n int64) provider.Limit {
		return provider.Limit{Name: name, Resource: provider.Requests, Amount: n, Period: time.Minute}
	}
	m := model()
	m.Workload = Workload{Calls: 5, Sizes: sized{Prompt: 100, Output: 10}, Arrivals: Burst{}}
	m.Workers = 0
	m.Provider.Limits = []provider.Limit{requests("front", 1)}
	m.Others = []provider.Config{
		{Latency: m.Provider.Latency, Limits: []provider.Limit{requests("wide", 100), requests("narrow", 2)}},
		{Latency: m.Provider.Latency, Capacity: provider.Capacity{Slots: 1}},
	}
	m.Fallbacks = []Target{{Provider: 1}, {Provider: 2}}
	m.Client.Fallback = policy.Fallback{On: true}
	var got []string
	summary, err := m.Run(1, 0, each{attempt: func(a *Attempt) {
		if by := m.RefusedBy(a); by != "" {
			got = append(got, fmt.Sprintf("%d %s", a.Call, by))
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if want := "1 front; 2 front; 3 front; 4 front; 3 narrow; 4 narrow; 4 slots"; strings.Join(got, "; ") != want {
		t.Errorf("refused %s, want %s", strings.Join(got, "; "), want)
	}
	for i, want := range [][]float64{{1 / (1 + 1.0/60)}, {2 / (100 + 100.0/60), 2 / (2 + 2.0/60)}, {}} {
		for k := range want {
			if share := summary.Uses[i][k].Share(); math.Abs(share-want[k]) > 1e-9 {
				t.Errorf("limit %d of provider %d: %g used, want %g", k, i, share, want[k])
			}
		}
	}
}

// The first provider is down until 10 s. One call a second: each fails there and is
// answered by the second one, dearer, at once; with a cooldown of 4 s the next three go
// straight to the second. From 10 s on the first answers again.
func TestFallback(t *testing.T) {
	m := model()
	m.Workload = Workload{
		Calls:    12,
		Sizes:    sized{Prompt: 100, Output: 10},
		Arrivals: Renewal{Gap: law.Constant(1), Rate: Constant(1)},
	}
	m.Workers = 0
	m.Provider.Faults = []provider.Fault{
		{For: 10 * s, Share: 1, Effect: provider.Reject{Reply: wire.Reply{Status: 503}}},
	}
	m.Others = []provider.Config{{Latency: provider.Latency{FirstToken: law.Constant(2)}}}
	m.Fallbacks = []Target{{Provider: 1, Price: cost.PerMillion("dear", 20, 20, 200)}}
	for _, cooldown := range []time.Duration{0, 4 * s} {
		m.Client.Fallback = policy.Fallback{On: true, Cooldown: cooldown}
		sent := map[int]string{}
		answered, dear := 0, cost.Money(0)
		if _, err := m.Run(1, 0, each{
			attempt: func(a *Attempt) {
				sent[int(a.Sent/s)*10+a.Target] += fmt.Sprintf("%d%c ", a.Number, 'a'+a.Target)
				if a.Target == 1 {
					dear += a.Bill
				}
			},
			call: func(c *Call) {
				if c.Outcome == policy.Answered {
					answered++
				}
			},
		}); err != nil {
			t.Fatal(err)
		}
		if answered != 12 {
			t.Errorf("cooldown %v: %d answered, want all 12", cooldown, answered)
		}
		onFirst := 0
		for key := range sent {
			if key%10 == 0 {
				onFirst++
			}
		}
		// Without a cooldown all 12 try the first. With 4 s those at 1, 5 and 9 s do, and, since the
		// one at 9 s failed too, the next that may is that of 13 s.
		if want := map[time.Duration]int{0: 12, 4 * s: 3}[cooldown]; onFirst != want {
			t.Errorf("cooldown %v: %d calls tried the first provider, want %d", cooldown, onFirst, want)
		}
		if want := map[time.Duration]cost.Money{0: 9, 4 * s: 12}[cooldown] * 4_000_000; dear != want {
			t.Errorf("cooldown %v: %v paid to the second, want %v", cooldown, dear, want)
		}
	}
}

// A key is revoked from 50 to 150 s, 5 calls a second, a call each 200 ms. A breaker that looks
// at half of the last 10 s counts 401 only when told to: then it opens when 25 of the 50 results
// are failures, which is the 25th, and each 10 s later one probe fails: 9 of them until 150 s.
func TestBreakerCounts(t *testing.T) {
	for _, c := range []struct {
		counts policy.Classes
		want   int
	}{{0, 500}, {policy.ClassesOf(wire.Throttled, wire.Terminal), 25 + 9}, {policy.ClassesOf(wire.Throttled), 500}} {
		m := model()
		m.Workers = 0
		m.Workload = Workload{
			Calls:    1000,
			Sizes:    sized{Prompt: 1, Output: 1},
			Arrivals: Renewal{Gap: law.Constant(1), Rate: Constant(5)},
		}
		m.Provider.Latency = provider.Latency{}
		m.Provider.Faults = []provider.Fault{
			{At: 50 * s, For: 100 * s, Share: 1, Effect: provider.Reject{Reply: wire.Reply{Status: 401}}},
		}
		m.Client.Breaker = policy.Breaker{Ratio: 0.5, Window: 10 * s, Minimum: 10, Open: 10 * s, Counts: c.counts}
		refused := 0
		if _, err := m.Run(1, 0, each{attempt: func(a *Attempt) {
			if a.Class() == wire.Terminal {
				refused++
			}
		}}); err != nil {
			t.Fatal(err)
		}
		if refused != c.want {
			t.Errorf("counting %q: %d requests with the revoked key, want %d", c.counts.Describe(), refused, c.want)
		}
	}
}

// Twenty calls, one a second, before a provider that is down until 10 s. A breaker that opens at
// the third failure in a row for 5 s lets the calls of 1, 2, 3, 8 and 13 s through; the others
// fail at once, or wait until it lets them through.
func TestBreakerInAFleet(t *testing.T) {
	m := model()
	m.Workers = 0
	m.Workload = Workload{
		Calls:    20,
		Sizes:    sized{Prompt: 1, Output: 1},
		Arrivals: Renewal{Gap: law.Constant(1), Rate: Constant(1)},
	}
	m.Provider.Faults = []provider.Fault{
		{For: 10 * s, Share: 1, Effect: provider.Reject{Reply: wire.Reply{Status: 503}}},
	}
	m.Provider.Latency.FirstToken = law.Constant(0.5)
	m.Client.Breaker = policy.Breaker{InARow: 3, Open: 5 * s}
	var at []time.Duration
	l := each{attempt: func(a *Attempt) { at = append(at, a.Sent) }}
	if _, err := m.Run(1, 0, l); err != nil {
		t.Fatal(err)
	}
	// Open from 3 to 8 s, where the probe fails, and to 13 s, where it succeeds at 13.5 s.
	if want := []time.Duration{s, 2 * s, 3 * s, 8 * s, 13 * s, 14 * s}; !slices.Equal(at[:6], want) || len(at) != 5+7 {
		t.Errorf("sent at %v, want %v and each second from 14 s on", at, want)
	}
	if got := outcomes(t, m); got["breaker_open"] != 8 || got["terminal_error"] != 4 || got["answered"] != 8 {
		t.Errorf("%v, want 8 blocked, 4 failed, 8 answered", got)
	}
	m.Client.Breaker.WhenOpen = policy.HoldBack
	waits := time.Duration(0)
	if _, err := m.Run(1, 0, each{call: func(c *Call) { waits += c.Waits[BreakerWait] }}); err != nil {
		t.Fatal(err)
	}
	// The call of 4 s is the probe of 8 s and fails; those of 5 to 12 s wait until 13 s, where the
	// first is the probe and the others wait for its end at 13.5 s, as does that of 13 s.
	if want := 4*s + (8+7+6+5+4+3+2+1)*s + 7*s/2 + s/2; waits != want {
		t.Errorf("waited %v in all, want %v", waits, want)
	}
	if got := outcomes(t, m); got["answered"] != 16 {
		t.Errorf("%v, want 16 answered", got)
	}
}

// Four calls at once before a gate of one: first in, first out; last in, first out; with
// room for one, the other two are shed; one gate for two instances lets one at a time
// through.
func TestGateOrders(t *testing.T) {
	for _, c := range []struct {
		name      string
		gate      policy.Gate
		instances int
		want      string // calls by their end
	}{
		{"fifo", policy.Gate{Semaphore: 1}, 1, "0@1s 1@2s 2@3s 3@4s"},
		{"lifo", policy.Gate{Semaphore: 1, Order: policy.LastInFirstOut}, 1, "0@1s 3@2s 2@3s 1@4s"},
		{"room for one", policy.Gate{Semaphore: 1, Room: 1}, 1, "2@0s 3@0s 0@1s 1@2s"},
		{"one for each of two instances", policy.Gate{Semaphore: 1}, 2, "0@1s 1@1s 2@2s 3@2s"},
		{"one for both", policy.Gate{Semaphore: 1, Scope: policy.ForAll}, 2, "0@1s 1@2s 2@3s 3@4s"},
	} {
		m := model()
		m.Workers, m.Instances, m.Dealt = 0, c.instances, InTurn
		m.Workload = Workload{Calls: 4, Sizes: sized{Prompt: 1, Output: 1}, Arrivals: Burst{}}
		m.Client.Gate = c.gate
		var got []string
		if _, err := m.Run(1, 0, each{call: func(c *Call) {
			got = append(got, fmt.Sprintf("%d@%v", c.ID, c.Ended))
		}}); err != nil {
			t.Fatal(err)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
}

// A client that reads the remaining and reset headers uses the quota and meets no
// refusal; one that does not meets many.
func TestPacedByHeaders(t *testing.T) {
	m := model()
	m.Workers = 20
	m.Workload = Workload{Calls: 400, Sizes: sized{Prompt: 100, Output: 10}}
	m.Provider.Limits = []provider.Limit{{Resource: provider.Requests, Amount: 60, Period: 60 * s, Burst: 60}}
	m.Client.Retry = retries(0, 500*ms)
	m.Client.Pacer.Headers.On = true
	throttled := 0
	summary, err := m.Run(1, 0, each{attempt: func(a *Attempt) {
		if a.Class() == wire.Throttled {
			throttled++
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	// 60 at once and 340 more at one a second: 340 s and the last answer.
	if used := 400 / (60 + summary.End.Seconds()); throttled != 0 || used < 0.95 {
		t.Errorf("%d refused, %.3f of the quota used; want 0 and at least 0.95", throttled, used)
	}
}

// Whatever kind of limit of 600 a minute it paces itself before, a client of 60 workers
// gets 1,500 calls through in about the time that the limit needs, and meets few refusals:
// those that were sent before the first reply, and a few of a slice's turn. A bucket of 600
// needs 90 s, one of 10 or slices of a second 149 s, a window 120 s, slices of 10 s 140 s;
// later by an answer's 2 s or so in each period, of 60 s or of 10 s.
func TestPacedByHeadersOfAnyKind(t *testing.T) {
	type limit = provider.Limit
	for _, c := range []struct {
		name    string
		limit   limit
		seconds float64 // with answers at once
		later   float64 // at most, with answers after 2 s
	}{
		{"a bucket", limit{}, 90, 6},
		{"a small bucket", limit{Burst: 10}, 149, 6},
		{"a bucket in slices", limit{Quantum: s}, 149, 6},
		{"a fixed window", limit{Kind: provider.FixedWindow}, 120, 12},
		{"a fixed window in slices", limit{Kind: provider.FixedWindow, Quantum: s}, 149, 6},
		{"a sliding window", limit{Kind: provider.SlidingWindow}, 120, 14},
		{"a sliding window in slices", limit{Kind: provider.SlidingWindow, Quantum: s}, 149, 6},
		{"a sliding window in long slices", limit{Kind: provider.SlidingWindow, Quantum: 10 * s}, 140, 45},
	} {
		for _, slow := range []bool{false, true} {
			m := model()
			m.Workers = 60
			m.Workload = Workload{Calls: 1500, Sizes: sized{Prompt: 100, Output: 10}}
			c.limit.Resource, c.limit.Amount, c.limit.Period = provider.Requests, 600, 60*s
			m.Provider.Limits = []provider.Limit{c.limit}
			m.Provider.Latency = provider.Latency{}
			most := c.seconds
			if slow {
				m.Provider.Latency.FirstToken = law.Constant(2)
				most += c.later
			}
			m.Client.Retry = retries(0, s)
			m.Client.Retry.RetryAfter.Obey = policy.InFull
			m.Client.Pacer.Headers.On = true
			refused := 0
			summary, err := m.Run(1, 0, each{attempt: func(a *Attempt) {
				if a.Class() == wire.Throttled {
					refused++
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			if end := summary.End.Seconds(); end < c.seconds || end > most || refused > 99 {
				t.Errorf("%s, slow %v: %d refused of 1,500, %.1f s; want some tens, %g..%g s", c.name, slow, refused,
					end, c.seconds, most)
			}
		}
	}
}

// Both providers are down. One call a second, with a cooldown of 3 s: the first fails at
// both, those at 1 and 2 s find both in cooldown and fail at once, unsent; a cooldown that
// the second alone has ended would be tried there. At 3 s both are asked again.
func TestAllTargetsInCooldown(t *testing.T) {
	m := model()
	m.Workload = Workload{
		Calls:    7,
		Sizes:    sized{Prompt: 1, Output: 1},
		Arrivals: Renewal{Gap: law.Constant(1), Rate: Constant(1)},
	}
	m.Workers = 0
	m.Provider.Faults = failing(503)
	m.Others = []provider.Config{{Faults: failing(503)}}
	m.Fallbacks = []Target{{Provider: 1, Price: m.Price}}
	m.Client.Fallback = policy.Fallback{On: true, Cooldown: 3 * s}
	var got []string
	if _, err := m.Run(1, 0, each{call: func(c *Call) {
		got = append(got, fmt.Sprintf("%v %s %d", c.Arrived, c.Outcome, c.Attempts))
	}}); err != nil {
		t.Fatal(err)
	}
	want := []string{"1s terminal_error 2", "2s shed 0", "3s shed 0", "4s terminal_error 2", "5s shed 0", "6s shed 0",
		"7s terminal_error 2"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A stream of 100 tokens is cut after 40. Never after the first token: the call ends. Blind
// replay: 40 tokens are shown twice and 1.4 answers are billed. Regenerate: nothing is shown
// twice, and as much is billed.
func TestBrokenStreams(t *testing.T) {
	for broken, want := range map[policy.Broken]string{
		policy.NoReplay:   "stream_broken, 0 repeated, 40 tokens billed",
		policy.Replay:     "answered, 40 repeated, 140 tokens billed",
		policy.Regenerate: "answered, 0 repeated, 140 tokens billed",
	} {
		m := model()
		m.Workload.Stream = true
		m.Workload.Sizes = sized{Prompt: 100, Output: 100}
		m.Provider.Latency.TokensPerSecond = law.Constant(10)
		m.Provider.Faults = []provider.Fault{{For: s, Share: 1, Effect: provider.Break{Part: 0.4}}}
		m.Client.Retry = retries(3, s)
		m.Client.Retry.Broken = broken
		var call Call
		tokens := 0
		if _, err := m.Run(1, 0, each{attempt: func(a *Attempt) { tokens += a.Usage.Output },
			call: func(c *Call) { call = *c }}); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%v, %d repeated, %d tokens billed", call.Outcome, call.Repeated, tokens); got != want {
			t.Errorf("%v: %s, want %s", broken, got, want)
		}
	}
}

// A stream that is cut before its first token, or while it reasons unseen, has shown nothing:
// the connection failed, and is tried again.
func TestStreamsCutBeforeTheFirstToken(t *testing.T) {
	for _, c := range []struct {
		part      float64
		reasoning int32
		want      string
	}{
		{0, 0, "0.1 0s-1s connection; 0.2 2s-13s ok"},
		{0, 50, "0.1 0s-1s connection; 0.2 2s-13s ok"},
		{0.4, 50, "0.1 0s-5s connection; 0.2 6s-17s ok"},
		{0.6, 50, "0.1 0s-7s connection"},
	} {
		m := model()
		m.Workload.Stream = true
		m.Workload.Sizes = sized{Prompt: 100, Output: 100, Reasoning: c.reasoning}
		m.Provider.Latency.TokensPerSecond = law.Constant(10)
		m.Provider.Faults = []provider.Fault{{For: s, Share: 1, Effect: provider.Break{Part: c.part}}}
		m.Client.Retry = retries(3, s)
		l, _ := play(t, m)
		if got := strings.Join(l.attempts, "; "); got != c.want {
			t.Errorf("cut at %g of an answer with %d tokens of reasoning: %s, want %s", c.part, c.reasoning, got,
				c.want)
		}
	}
}

// One reply in ten is lost after the work was done, and asked for again: without a key one call
// in ten acts a second time, with a key none. 10,000 calls, four standard errors.
func TestSideEffects(t *testing.T) {
	m := model()
	m.Workload.Calls = 10_000
	m.Workload.Acts = true
	m.Client.Retry = retries(2, 0)
	m.Provider.Faults = []provider.Fault{{Share: 0.1, Effect: provider.Break{Part: 1}}}
	for key, want := range map[bool]float64{false: 1000, true: 0} {
		m.Client.IdempotencyKey = key
		duplicates := 0.0
		if _, err := m.Run(1, 0, each{call: func(c *Call) { duplicates += float64(c.Acts - 1) }}); err != nil {
			t.Fatal(err)
		}
		if math.Abs(duplicates-want) > 4*math.Sqrt(want*0.9) {
			t.Errorf("key %v: %g duplicates in 10,000 calls, want %g", key, duplicates, want)
		}
	}
}

// A provider that replays keys bills a call whose replies are lost once: at 10 % losses and one
// retry 1,000 of 10,000 calls are asked again, and these answers come at once. Without a key, or
// from a provider that does not, each is generated and billed again.
func TestReplaysOfKeys(t *testing.T) {
	for _, batching := range []*provider.Batching{nil, {Step: 100 * ms}} {
		for _, c := range []struct {
			key, replays bool
			again        float64
		}{{true, true, 0}, {true, false, 1000}, {false, true, 1000}} {
			m := model()
			m.Workload.Calls = 10_000
			m.Provider.Capacity = provider.Capacity{Slots: 1, Queue: -1, Batching: batching}
			m.Client.Retry, m.Client.IdempotencyKey, m.Provider.ReplaysKeys = retries(2, 0), c.key, c.replays
			m.Provider.Faults = []provider.Fault{{Share: 0.1, Effect: provider.Break{Part: 1}}}
			billed, atOnce := -10_000.0, 0.0
			if _, err := m.Run(1, 0, each{attempt: func(a *Attempt) {
				if a.Bill > 0 {
					billed++
				}
				if a.Ended == a.Sent {
					atOnce++
				}
			}}); err != nil {
				t.Fatal(err)
			}
			if math.Abs(billed-c.again) > 4*math.Sqrt(c.again*0.9) || math.Abs(atOnce-(1000-c.again)) > 120 {
				t.Errorf("key %v, replays %v: %g answers billed again, %g at once; want %g", c.key, c.replays, billed,
					atOnce, c.again)
			}
		}
	}
}

// Where every attempt fails, layers multiply: 5 retries over an SDK's 2 make 18
// requests, three layers of three 27, three of four 64, and five of three 243; one owner
// makes 6. A framework that gives each of its tries 3 s cuts an SDK off that would wait
// 5 s, in its wait or in its attempt.
func TestLayersInAFleet(t *testing.T) {
	layers := func(tries ...int) policy.Client {
		c := policy.Client{Retry: retries(tries[0], s)}
		for _, n := range tries[1:] {
			c.Outer = append(c.Outer, policy.Layer{Name: "outer", Retry: retries(n, 2*s)})
		}
		return c
	}
	for _, c := range []struct {
		tries []int
		want  int32
	}{{[]int{3, 6}, 18}, {[]int{3, 3, 3}, 27}, {[]int{4, 4, 4}, 64}, {[]int{3, 3, 3, 3, 3}, 243}, {[]int{6},
		6}, {[]int{3, 3, 5}, 45}} {
		m := model()
		m.Provider.Faults = failing(500)
		m.Client = layers(c.tries...)
		var call Call
		if _, err := m.Run(1, 0, each{call: func(c *Call) { call = *c }}); err != nil {
			t.Fatal(err)
		}
		if call.Attempts != c.want || call.Outcome != policy.GaveUpAttempts {
			t.Errorf("%v: %d requests, %v; want %d", c.tries, call.Attempts, call.Outcome, c.want)
		}
	}
	// With all that multiplies: 3 x 5 tries, each with a hedge, at two targets, in four deliveries.
	m := model()
	m.Provider.Faults = failing(500)
	m.Client = layers(3, 5)
	for _, c := range []struct {
		set  func()
		want int
	}{
		{func() {}, 15},
		{func() { m.Workload.Redelivery.Deliveries = 4 }, 60},
		{func() {
			m.Client.Fallback.On, m.Others = true, []provider.Config{{Faults: failing(500)}}
			m.Fallbacks = []Target{{Provider: 1, Price: m.Price}}
		}, 120},
		{func() { m.Client.Hedge.After = s }, 240},
	} {
		c.set()
		if got := m.MaxAttempts(); got != c.want {
			t.Errorf("at most %d attempts, want %d", got, c.want)
		}
		made := 0
		if _, err := m.Run(1, 0, each{call: func(c *Call) { made = int(c.Attempts) }}); err != nil {
			t.Fatal(err)
		}
		if !m.Client.Hedge.On() && made != c.want {
			t.Errorf("%d attempts were made, want %d", made, c.want)
		}
	}
	m.Workload.Redelivery.Deliveries = -1
	if got := m.MaxAttempts(); got != 0 {
		t.Errorf("without a bound on deliveries: at most %d attempts, want no bound", got)
	}
	m = model()
	m.Provider.Faults = failing(500)
	m.Client = layers(2, 2)
	m.Client.Retry.Backoff.Base = 5 * s
	m.Client.Outer[0].Timeout = 3 * s
	l, _ := play(t, m)
	l.expect(t, "0.1 0s-0s server_error; 0.2 5s-5s server_error", "0 0s-8s gave_up_attempts x2")
	m.Provider.Faults = []provider.Fault{{Share: 1, Effect: provider.Hang{}}}
	l, _ = play(t, m)
	l.expect(t, "0.1 0s-3s timeout; 0.2 5s-8s timeout", "0 0s-8s gave_up_attempts x2")
}

// A deadline counts from the arrival of a call. It cuts off what is in flight and what waits, nothing is sent after it,
// and no layer sleeps when the sleep would not end before it.
func TestDeadline(t *testing.T) {
	burst := func(calls uint64, workers int) func(*Model) {
		return func(m *Model) { m.Workload.Calls, m.Workers, m.Workload.Arrivals = calls, workers, Burst{} }
	}
	fails := func(m *Model) { m.Provider.Faults, m.Client.Retry = failing(500), retries(0, s) }
	for _, c := range []struct {
		name            string
		deadline        policy.Deadline
		change          []func(*Model)
		attempts, calls string
	}{
		{"an answer at the deadline is in time; who gets its worker then is late", policy.Deadline{After: s},
			[]func(*Model){burst(2, 1)}, "0.1 0s-1s ok", "0 0s-1s answered x1; 1 0s-1s gave_up_deadline x0"},
		{"what is left after 1 s of waiting for a worker", policy.Deadline{After: 1500 * ms},
			[]func(*Model){burst(2, 1)}, "0.1 0s-1s ok; 1.1 1s-1.5s timeout",
			"0 0s-1s answered x1; 1 0s-1.5s gave_up_deadline x1"},
		{"from the start of the work the wait does not count",
			policy.Deadline{After: 1500 * ms, From: policy.FromStart}, []func(*Model){burst(2, 1)},
			"0.1 0s-1s ok; 1.1 1s-2s ok", "0 0s-1s answered x1; 1 0s-2s answered x1"},
		{"at the gate", policy.Deadline{After: 900 * ms},
			[]func(*Model){burst(2, 2), func(m *Model) { m.Client.Gate.Semaphore = 1 }}, "0.1 0s-900ms timeout",
			"1 0s-900ms gave_up_deadline x0; 0 0s-900ms gave_up_deadline x1"},
		{"at 3 s the fifth attempt would come at 4 s", policy.Deadline{After: 3500 * ms}, []func(*Model){fails},
			"0.1 0s-0s server_error; 0.2 1s-1s server_error; 0.3 2s-2s server_error; 0.4 3s-3s server_error",
			"0 0s-3s gave_up_deadline x4"},
		{"at 2 s the fourth would come at the deadline", policy.Deadline{After: 3 * s}, []func(*Model){fails},
			"0.1 0s-0s server_error; 0.2 1s-1s server_error; 0.3 2s-2s server_error", "0 0s-2s gave_up_deadline x3"},
		{"the outer layer hands on what is left: its second try is at 2 s, and neither waits until 3 s",
			policy.Deadline{After: 2500 * ms}, []func(*Model){fails, func(m *Model) {
				m.Client.Retry.Attempts = 2
				m.Client.Outer = []policy.Layer{{Name: "outer", Retry: retries(9, s)}}
			}}, "0.1 0s-0s server_error; 0.2 1s-1s server_error; 0.3 2s-2s server_error",
			"0 0s-2s gave_up_deadline x3"},
		{"a breaker that opens at 1 s for 30 s is known to outlast it", policy.Deadline{After: 5 * s},
			[]func(*Model){fails, func(m *Model) {
				m.Client.Breaker = policy.Breaker{InARow: 2, Open: 30 * s, Probes: 1, WhenOpen: policy.HoldBack}
			}}, "0.1 0s-0s server_error; 0.2 1s-1s server_error", "0 0s-2s gave_up_deadline x2"},
		{"a call that is late is not tried elsewhere, nor delivered again", policy.Deadline{After: 500 * ms},
			[]func(*Model){func(m *Model) {
				m.Client.Fallback.On, m.Others = true, []provider.Config{{}}
				m.Fallbacks = []Target{{Provider: 1, Price: m.Price}}
				m.Workload.Redelivery.Deliveries = 4
			}}, "0.1 0s-500ms timeout", "0 0s-500ms gave_up_deadline x1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := model()
			m.Client.Deadline = c.deadline
			for _, change := range c.change {
				change(&m)
			}
			l, _ := play(t, m)
			l.expect(t, c.attempts, c.calls)
		})
	}
}

// Retries are paid from the instance's account: with three tokens three of a hundred failed
// calls try again, and the others give up for want of budget.
func TestBudgetInAFleet(t *testing.T) {
	m := model()
	m.Workload.Calls = 100
	m.Provider.Faults = failing(503)
	m.Client.Retry = retries(2, s)
	m.Client.Budget = policy.Budget{Tokens: policy.Tokens{Max: 3, Cost: 1}}
	if got := outcomes(t, m); got["gave_up_attempts"] != 3 || got["gave_up_budget"] != 97 {
		t.Errorf("%v, want 3 and 97", got)
	}
}

// One call a second, from 1 s; the provider fails until 4.5 s, and the first failure opens the breaker until 11 s.
// One that stops everything refuses the calls of 2 to 10 s. One that stops retries lets each of them try once: those
// of 1 to 4 s end when they would try again, a second later, and the others are answered.
func TestBreakerThatStopsRetries(t *testing.T) {
	for stops, want := range map[policy.Stops]map[string]int{
		policy.EveryAttempt: {"breaker_open": 10, "answered": 2},
		policy.OnlyRetries:  {"breaker_open": 4, "answered": 8},
	} {
		m := model()
		m.Workers, m.Workload.Calls = 0, 12
		m.Workload.Arrivals = Renewal{Gap: law.Constant(1), Rate: Constant(1)}
		m.Provider.Latency.FirstToken = law.Constant(0.1)
		m.Provider.Faults = failing(503)
		m.Provider.Faults[0].For = 4500 * ms
		m.Client.Retry = retries(3, s)
		m.Client.Breaker = policy.Breaker{InARow: 1, Open: 10 * s, Stops: stops}
		if got := outcomes(t, m); !maps.Equal(got, want) {
			t.Errorf("%v: %v, want %v", stops, got, want)
		}
	}
}

// Adding a policy to a comparison does not change what another meets: the luck of
// calls does not depend on what breakers, pacers and throttles draw.
func TestPoliciesMeetTheSameLuck(t *testing.T) {
	m := model()
	m.Workers = 0
	m.Workload = Workload{
		Calls:    100,
		Sizes:    Drawn{Prompt: law.Exponential{Beta: 100}, Output: law.Exponential{Beta: 10}},
		Arrivals: Renewal{Gap: law.Exponential{Beta: 1}, Rate: Constant(1)},
	}
	m.Provider.Latency.FirstToken = law.Exponential{Beta: 1}
	record := func(m Model) (sizes []Size, arrivals []time.Duration) {
		if _, err := m.Run(1, 0, each{call: func(c *Call) {
			sizes = append(sizes, c.Size)
			arrivals = append(arrivals, c.Arrived)
		}}); err != nil {
			t.Fatal(err)
		}
		slices.Sort(arrivals)
		slices.SortFunc(sizes, func(a, b Size) int { return int(a.Prompt-b.Prompt)*10_000 + int(a.Output-b.Output) })
		return sizes, arrivals
	}
	sizes, arrivals := record(m)
	m.Client.Throttle = policy.Throttle{K: 1.1, Window: 10 * s}
	m.Client.Hedge = policy.Hedge{After: 500 * ms}
	m.Client.Pacer.Bucket = policy.PaceBucket{Rate: 2, Burst: 1}
	moreSizes, moreArrivals := record(m)
	if !slices.Equal(arrivals, moreArrivals) || !slices.Equal(sizes, moreSizes) {
		t.Error("another policy met other calls")
	}
}
