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

// deployed gives a model further deployments like its provider, n in all.
func deployed(m *Model, n int) {
	for i := 1; i < n; i++ {
		m.Others = append(m.Others, m.Provider)
		m.Deployments = append(m.Deployments, Target{Provider: i, Price: m.Price, Weight: 1})
	}
	m.Deployed = n - 1
}

// joinShortest is the mean time in the system of two exponential servers of rate 1 each, with Poisson
// arrivals of rate 2 rho that join the shorter queue, one of both at equal lengths. It solves the
// balance equations of the numbers (i, j) at the servers (F. A. Haight, Two queues in parallel,
// Biometrika 45, 1958) on 0..size by Gauss-Seidel and divides by the rate (Little).
func joinShortest(rho float64) float64 {
	const size = 60 // at rho 0.8 the total exceeds it with a probability near 0.8^60, 2e-6
	rate := 2 * rho
	var p [size + 2][size + 2]float64 // p[i+1][j+1], a border of zeros around
	p[1][1] = 1
	joins := func(i, j int) float64 { // from (i, j) to (i+1, j)
		switch {
		case i < 0 || j < 0:
			return 0
		case i < j:
			return rate
		case i == j:
			return rate / 2
		}
		return 0
	}
	for range 3000 {
		sum := 0.0
		for i := range size {
			for j := range size {
				in := joins(i-1, j)*p[i][j+1] + joins(j-1, i)*p[i+1][j]
				in += p[i+2][j+1] + p[i+1][j+2] // an end at either
				out := rate
				if i > 0 {
					out++
				}
				if j > 0 {
					out++
				}
				p[i+1][j+1] = in / out
				sum += in / out
			}
		}
		for i := range p {
			for j := range p[i] {
				p[i][j] /= sum
			}
		}
	}
	mean := 0.0
	for i := range size {
		for j := range size {
			mean += float64(i+j) * p[i+1][j+1]
		}
	}
	return mean / rate
}

// turns is the mean time in a queue to which every n-th of Poisson arrivals goes, with an exponential
// server of rate 1 that they use to rho: GI/M/1 with gaps of law Erlang(n), so that
//
//	1/(1 - x),  x = (n rho / (n rho + 1 - x))^n
func turns(n int, rho float64) float64 {
	x := rho
	for range 1000 {
		x = math.Pow(float64(n)*rho/(float64(n)*rho+1-x), float64(n))
	}
	return 1 / (1 - x)
}

// Mean times of Poisson calls at deployments of one slot each, a queue before it and exponential
// service of mean 1 s, used to rho. At random they are M/M/1 each: 1/(1-rho). In turn each sees every
// n-th call. To the shortest queue: the solution for two; for four, better than at random and not
// better than one queue before all, M/M/4: 1 + C(4, 3.2)/(4 - 3.2) = 1 + 0.5964/0.8 = 1.7455 s.
// 400,000 calls each; times of calls that follow each other are alike over some 1/(1-rho)^2 calls a
// queue, for which 3 % are more than four standard errors.
func TestRoutesAsQueues(t *testing.T) {
	if testing.Short() {
		t.Skip("its tolerance needs all of its calls")
	}
	for _, c := range []struct {
		n         int
		by        policy.RouteBy
		rho       float64
		low, high float64
	}{
		{4, policy.RouteRandom, 0.7, 1 / 0.3, 1 / 0.3},
		{2, policy.RouteRandom, 0.5, 2, 2},
		{4, policy.RouteRoundRobin, 0.7, turns(4, 0.7), turns(4, 0.7)},
		{2, policy.RouteRoundRobin, 0.8, turns(2, 0.8), turns(2, 0.8)},
		{4, policy.RouteWeighted, 0.7, turns(4, 0.7), turns(4, 0.7)},
		{2, policy.RouteLeastBusy, 0.5, joinShortest(0.5), joinShortest(0.5)},
		{2, policy.RouteLeastBusy, 0.8, joinShortest(0.8), joinShortest(0.8)},
		{4, policy.RouteLeastBusy, 0.8, 1.7455, 3},
	} {
		m := model()
		m.Workers = 0
		m.Workload = Workload{Calls: 400_000, Sizes: sized{Prompt: 1, Output: 1},
			Arrivals: Renewal{Gap: law.Exponential{Beta: 1}, Rate: Constant(float64(c.n) * c.rho)}}
		m.Provider.Latency = provider.Latency{FirstToken: law.Exponential{Beta: 1}}
		m.Provider.Capacity = provider.Capacity{Slots: 1, Queue: -1}
		deployed(&m, c.n)
		m.Client.Route.By = c.by
		var latency sim.Moments
		sent := make([]int, c.n)
		if _, err := m.Run(1, 0, each{
			attempt: func(a *Attempt) { sent[a.Target]++ },
			call:    func(call *Call) { latency.Add(call.Latency().Seconds()) },
		}); err != nil {
			t.Fatal(err)
		}
		if got := latency.Mean(); got < c.low*0.97 || got > c.high*1.03 {
			t.Errorf("%d deployments by %v at %g: %.4f s, want %.4f to %.4f", c.n, c.by, c.rho, got, c.low, c.high)
		}
		for i, got := range sent {
			if share := float64(got) * float64(c.n) / 400_000; math.Abs(share-1) > 0.02 {
				t.Errorf("%d deployments by %v: deployment %d got %d", c.n, c.by, i, got)
			}
		}
	}
}

// paths runs a model and writes, for each call, where its attempts went and when, in seconds, and
// what became of it after how long.
func paths(t *testing.T, m Model) string {
	t.Helper()
	attempts := map[uint64]string{}
	var out []string
	if _, err := m.Run(1, 0, each{
		attempt: func(a *Attempt) {
			attempts[a.Call] += fmt.Sprintf("%c%g ", 'a'+a.Target, a.Sent.Seconds())
		},
		call: func(c *Call) {
			out = append(out, fmt.Sprintf("%s%v %g", attempts[c.ID], c.Outcome, c.Ended.Seconds()))
		},
	}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, "; ")
}

// Calls at 1, 2, 3, ... s, answered after half a second, in the order of their ends. Deployment a
// fails until 10 s; of one instant, an arrival comes before a retry, and both before the replies.
func TestRouteOfCalls(t *testing.T) {
	down := func(from, to time.Duration) []provider.Fault {
		return []provider.Fault{{At: from, For: to - from, Share: 1,
			Effect: provider.Reject{Reply: wire.Reply{Status: 503}, Wait: 4 * s}}}
	}
	rests := policy.Cooldown{Failures: 1, Over: time.Minute, For: 3 * s}
	for _, c := range []struct {
		name     string
		calls    uint64
		attempts int
		backoff  time.Duration
		route    policy.Route
		both     bool // b fails too
		want     string
	}{
		{"a retry goes by the rule, to the same", 2, 2, s, policy.Route{By: policy.RouteFirst}, false,
			"a1 a2 gave_up_attempts 2; a2 a3 gave_up_attempts 3"},
		{"a retry switches", 2, 2, s, policy.Route{By: policy.RouteFirst, Retry: policy.RetryOther}, false,
			"a1 b2 answered 2.5; a2 b3 answered 3.5"},
		{"a retry switches at once", 2, 2, s,
			policy.Route{By: policy.RouteFirst, Retry: policy.RetryOther, RetryAtOnce: true}, false,
			"a1 b1 answered 1.5; a2 b2 answered 2.5"},
		{"in cooldown for 3 s", 5, 2, s, policy.Route{By: policy.RouteFirst, Cooldown: rests}, false,
			"b2 answered 2.5; a1 b2 answered 2.5; b3 answered 3.5; b5 answered 5.5; a4 b5 answered 5.5"},
		{"in cooldown as Retry-After says, 4 s", 5, 1, 0, policy.Route{By: policy.RouteFirst,
			Cooldown: policy.Cooldown{Failures: 1, Over: time.Minute, For: s, Hinted: true}}, false,
			"a1 terminal_error 1; b2 answered 2.5; b3 answered 3.5; b4 answered 4.5; a5 terminal_error 5"},
		{"both away: calls fail", 4, 1, 0, policy.Route{By: policy.RouteFirst, Cooldown: rests}, true,
			"a1 terminal_error 1; b2 terminal_error 2; shed 3; a4 terminal_error 4"},
		{"both away: calls wait for the first, 1 s", 3, 1, 0,
			policy.Route{By: policy.RouteFirst, Cooldown: rests, AllAway: policy.AwayWaits}, true,
			"a1 terminal_error 1; b2 terminal_error 2; a4 terminal_error 4"},
		// That of 3 s extends the cooldown of a to 6 s.
		{"both away: calls go to the first", 4, 1, 0,
			policy.Route{By: policy.RouteFirst, Cooldown: rests, AllAway: policy.AwayFirst}, true,
			"a1 terminal_error 1; b2 terminal_error 2; a3 terminal_error 3; a4 terminal_error 4"},
	} {
		m := model()
		m.Workers = 0
		m.Workload = Workload{Calls: c.calls, Sizes: sized{Prompt: 1, Output: 1},
			Arrivals: Renewal{Gap: law.Constant(1), Rate: Constant(1)}}
		m.Provider = provider.Config{Latency: provider.Latency{FirstToken: law.Constant(0.5)}}
		deployed(&m, 2)
		m.Provider.Faults = down(0, 10*s)
		if c.both {
			m.Others[0].Faults = down(0, 10*s)
		}
		m.Client.Retry = policy.Retry{Attempts: c.attempts, Classify: everything,
			Backoff: policy.Backoff{Base: c.backoff, Factor: 1}}
		m.Client.Route = c.route
		if got := paths(t, m); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// A call that finds all deployments in cooldown goes on to the fallback at once, and one that fails at
// a deployment for the last time as well. Deployment a fails, then b, each for 3 s.
func TestRouteBeforeFallback(t *testing.T) {
	m := model()
	m.Workers = 0
	m.Workload = Workload{Calls: 3, Sizes: sized{Prompt: 1, Output: 1},
		Arrivals: Renewal{Gap: law.Constant(1), Rate: Constant(1)}}
	m.Provider = provider.Config{Latency: provider.Latency{FirstToken: law.Constant(0.5)}}
	m.Provider.Faults = failing(500)
	deployed(&m, 2)
	m.Others = append(m.Others, provider.Config{Latency: provider.Latency{FirstToken: law.Constant(0.25)}})
	m.Fallbacks = []Target{{Provider: 2, Price: m.Price}}
	m.Client.Fallback.On = true
	m.Client.Retry = policy.Retry{Attempts: 1, Classify: everything}
	m.Client.Route = policy.Route{By: policy.RouteFirst,
		Cooldown: policy.Cooldown{Failures: 1, Over: time.Minute, For: 3 * s}}
	want := "a1 c1 answered 1.25; b2 c2 answered 2.25; c3 answered 3.25"
	if got := paths(t, m); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// A provider under two keys has two quotas and one fate: an outage that comes and goes by chance is
// there under both keys, so that half of the calls fail under the first and then under the second,
// while two copies of a deployment fail on their own, one in four both. Some 2,000 outages; four
// standard errors of their total length are 0.03.
func TestKeysShareTheLuckOfTheirProvider(t *testing.T) {
	for _, same := range []int{0, 1} {
		m := model()
		m.Workers = 0
		m.Workload = Workload{Calls: 20_000, Sizes: sized{Prompt: 1, Output: 1},
			Arrivals: Renewal{Gap: law.Constant(1), Rate: Constant(1)}}
		m.Provider = provider.Config{Faults: []provider.Fault{{
			Gap: law.Exponential{Beta: 5}, Length: law.Exponential{Beta: 5}, Share: 1,
			Effect: provider.Reject{Reply: wire.Reply{Status: 500}},
		}}}
		deployed(&m, 2)
		m.SameLuck = same
		m.Client.Retry = policy.Retry{Attempts: 2, Classify: everything}
		m.Client.Route = policy.Route{By: policy.RouteRoundRobin, Retry: policy.RetryOther}
		want := []float64{0.75, 0.5}[same]
		if got := float64(outcomes(t, m)["answered"]) / 20_000; math.Abs(got-want) > 0.03 {
			t.Errorf("same luck %d: %.3f answered, want %g", same, got, want)
		}
	}
}

// Capacity is paid once for each deployment and fallback, and once for all keys of one provider:
// 10 + 10 + 3 dollars an hour for a provider under two keys, a deployment and a fallback.
func TestHourlyPriceOfDeployments(t *testing.T) {
	m := model()
	m.Price.Hourly = 10
	deployed(&m, 3)
	m.SameLuck = 1
	m.Fallbacks = []Target{{Provider: 3, Price: cost.Price{Hourly: 3}}}
	if got := m.Hourly(); got != 23 {
		t.Errorf("%v an hour, want 23", got)
	}
}

// A hedge goes where a retry would: of calls whose first attempt hangs at a, to b, or to a again.
func TestHedgesAreRouted(t *testing.T) {
	for retry, want := range map[policy.RetryRoute]string{
		policy.RetryOther: "a1 b2 answered 2.5", policy.RetryStays: "a1 a2 answered 11",
		policy.RetryAnew: "a1 a2 answered 11",
	} {
		m := model()
		m.Workers = 0
		m.Workload = Workload{Calls: 1, Sizes: sized{Prompt: 1, Output: 1},
			Arrivals: Renewal{Gap: law.Constant(1), Rate: Constant(1)}}
		m.Provider = provider.Config{Latency: provider.Latency{FirstToken: law.Constant(10)}}
		deployed(&m, 2)
		m.Others[0].Latency.FirstToken = law.Constant(0.5)
		m.Client.Hedge = policy.Hedge{After: s, Cancel: true}
		m.Client.Route = policy.Route{By: policy.RouteFirst, Retry: retry}
		attempts, answered := map[int]string{}, 0.0
		if _, err := m.Run(1, 0, each{
			attempt: func(a *Attempt) { attempts[a.Number] = fmt.Sprintf("%c%g ", 'a'+a.Target, a.Sent.Seconds()) },
			call:    func(c *Call) { answered = c.Ended.Seconds() },
		}); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%s%sanswered %g", attempts[1], attempts[2], answered); got != want {
			t.Errorf("%v: %s, want %s", retry, got, want)
		}
	}
}
