package fleet

import (
	"math"
	"testing"
	"time"

	"stampede/law"
	"stampede/policy"
	"stampede/provider"
)

// A fleet that paces 300 tokens a second with a burst of 1,000, by calls of 100 + 50 of which each
// uses 110, sends floor((1000 + 300 T)/150) of them in T seconds: in a minute 126. Two instances send twice
// as many, unless they share the pacer.
func TestTokenPacerAgainstItsBound(t *testing.T) {
	m := model()
	m.Workers = 0
	m.Workload = Workload{Calls: 400, Sizes: sized{Prompt: 100, Output: 10, MaxTokens: 50}, Arrivals: Burst{}}
	m.Client.Pacer.Tokens = policy.PaceTokens{Rate: 300, Burst: 1000}
	for _, c := range []struct {
		instances, pacers int
		scope             policy.Scope
	}{{1, 1, policy.PerInstance}, {2, 2, policy.PerInstance}, {2, 1, policy.ForAll}} {
		m.Instances, m.Dealt, m.Client.Pacer.Scope = c.instances, InTurn, c.scope
		var at []time.Duration
		if _, err := m.Run(1, 0, each{attempt: func(a *Attempt) { at = append(at, a.Sent) }}); err != nil {
			t.Fatal(err)
		}
		for _, after := range []time.Duration{0, s, 7 * s, 60 * s} {
			sent := 0
			for _, at := range at {
				if at <= after {
					sent++
				}
			}
			if want := c.pacers * int(math.Floor((1000+300*after.Seconds())/150)); sent != want {
				t.Errorf("%+v: %d calls sent in %v, want %d", c, sent, after, want)
			}
		}
	}
}

// One worker, calls of 60 + 40 that use 70, 50 tokens a second and 100 at once; an answer takes 1 s. After
// the first, the next has 50 + 30 that came back, and waits 0.4 s for the other 20: a period of
// 1.4 s = 70/50. Without settlement it has 50 and waits 1 s: 2 s = 100/50. A retry takes as much again: one
// that follows 1 s after a refusal at once, which gives back all, finds 100.
func TestSettledTokens(t *testing.T) {
	m := model()
	m.Workload = Workload{Calls: 3, Sizes: sized{Prompt: 60, Output: 10, MaxTokens: 40}}
	m.Client.Pacer.Tokens = policy.PaceTokens{Rate: 50, Burst: 100, Settle: true}
	expectCalls(t, m, "0 0s-1s answered x1", "1 1s-2.4s answered x1", "2 2.4s-3.8s answered x1")
	m.Client.Pacer.Tokens.Settle = false
	expectCalls(t, m, "0 0s-1s answered x1", "1 1s-3s answered x1", "2 3s-5s answered x1")

	m.Workload.Calls = 1
	m.Client.Retry = retries(2, s)
	m.Provider.Faults = failing(429)
	m.Provider.Faults[0].For = s
	expectCalls(t, m, "0 0s-3s answered x2") // 50 at 1 s, the other 50 at 2 s
	m.Client.Pacer.Tokens.Settle = true
	expectCalls(t, m, "0 0s-2s answered x2")
}

// Four calls of 100 tokens at once before 100 at once and 10 a second. The callers leave after 5 s, while
// three wait: they took nothing, so that a call at 10 s finds a bucket that is full. One of 40 tokens behind
// one of 90 that leaves at 5 s goes at once, for by then there are 50.
func TestThoseWhoLeaveTheLine(t *testing.T) {
	m := model()
	m.Workers = 0
	at := &Trace{At: []time.Duration{0, 0, 0, 0, 10 * s}}
	m.Workload = Workload{Calls: 5, Sizes: sized{Prompt: 100, Output: 1}, Patience: law.Constant(5), Arrivals: at}
	m.Client.Pacer.Tokens = policy.PaceTokens{Rate: 10, Burst: 100}
	gone := []string{"0 0s-1s answered x1", "1 0s-5s abandoned x0", "2 0s-5s abandoned x0", "3 0s-5s abandoned x0"}
	expectCalls(t, m, append(gone, "4 10s-11s answered x1")...)

	at.At, at.Prompt, at.Output = []time.Duration{0, 0, s}, []int32{100, 90, 40}, []int32{1, 1, 1}
	m.Workload.Calls, m.Workload.Sizes = 3, at
	expectCalls(t, m, "0 0s-1s answered x1", "1 0s-5s abandoned x0", "2 1s-6s answered x1")

	// One request a second and callers that leave after 1.5 s: those whose turn was at 2, 3 and 4 s have left
	// theirs to the one that comes at 4 s.
	at.At, at.Prompt, at.Output = []time.Duration{0, 0, 0, 0, 0, 4 * s}, nil, nil
	m.Workload.Calls, m.Workload.Sizes, m.Workload.Patience = 6, sized{Prompt: 1, Output: 1}, law.Constant(1.5)
	m.Client.Pacer = policy.Pacer{Bucket: policy.PaceBucket{Rate: 1, Burst: 1}}
	expectCalls(t, m, "0 0s-1s answered x1", "1 0s-1.5s abandoned x1", "2 0s-1.5s abandoned x0",
		"3 0s-1.5s abandoned x0", "4 0s-1.5s abandoned x0", "5 4s-5s answered x1")
}

// Of five calls at once, one a second, those that would wait more than 2 s are shed at 2 s, whether each
// has its turn as soon as it asks or waits in line.
func TestLongestWaitAtThePacer(t *testing.T) {
	m := model()
	m.Workers = 0
	m.Workload = Workload{Calls: 5, Sizes: sized{Prompt: 1, Output: 1}, Arrivals: Burst{}}
	m.Client.Pacer = policy.Pacer{Bucket: policy.PaceBucket{Rate: 1, Burst: 1}, Wait: 2 * s}
	want := []string{"0 0s-1s answered x1", "1 0s-2s answered x1", "2 0s-3s answered x1", "3 0s-2s shed x0",
		"4 0s-2s shed x0"}
	expectCalls(t, m, want...)
	m.Client.Pacer.Tokens = policy.PaceTokens{Rate: 1000, Burst: 1000}
	expectCalls(t, m, want...)
	// A timeout of the call that comes first ends it.
	m.Client.Timeouts.Call = s
	expectCalls(t, m, "0 0s-1s answered x1", "1 0s-1s gave_up_deadline x0", "2 0s-1s gave_up_deadline x0",
		"3 0s-1s gave_up_deadline x0", "4 0s-1s gave_up_deadline x0")
}

// A provider takes 4 requests a second and none more. The client's rate r rises by 0.1/s at the first answer
// after a second, and falls to a half when one is refused, which is as soon as it is above 4/s: a sawtooth
// of about 2.05, 2.15, .. 3.95, 4.05/s. Answers come 1/r apart, so that each step takes ceil(r) of them and
// ceil(r)/r seconds. The ten steps below 3 have 30 answers in 30 ln(3/2) = 12.2 s, the ten below 4 have 40 in
// 40 ln(4/3) = 11.5 s: 70/23.7 = 2.96 a second. 600 s, 2 %.
func TestPaceAIMDFindsTheRate(t *testing.T) {
	m := model()
	m.Workers, m.Horizon = 200, 700*s
	m.Workload = Workload{Sizes: sized{Prompt: 1, Output: 1}}
	m.Provider.Limits = []provider.Limit{{Resource: provider.Requests, Amount: 4, Period: s, Burst: 1}}
	m.Client.Retry = retries(0, s)
	m.Client.Pacer = policy.Pacer{Bucket: policy.PaceBucket{Rate: 1, Burst: 1}, AIMD: policy.PaceAIMD{
		Min: 0.5, Max: 100, Add: 0.1, Every: s, Cut: 0.5, Cooldown: 2 * s}}
	sent := 0
	if _, err := m.Run(1, 0, each{attempt: func(a *Attempt) {
		if 100*s <= a.Sent && a.Sent < 700*s {
			sent++
		}
	}}); err != nil {
		t.Fatal(err)
	}
	if got := float64(sent) / 600; math.Abs(got-2.96) > 0.02*2.96 {
		t.Errorf("%.3f sent a second, want 2.96", got)
	}
}

// A gate of one, held for 8 s by the first call. The second waits 3 s at most:
//
//	shed           at 3 s
//	retriable      fails at 3 s as if it had timed out, waits 1 s, fails at 7 s, and so does not
//	               retry again as the second of 2 tries; as one of 3 it asks at 8 s, when the place is free
//	retriable, of a policy that retries no timeout: its error at 3 s
//	longer than    the timeout of the call, 2 s, which comes first
//
// It sends nothing before it has its place.
func TestWaitAtTheGate(t *testing.T) {
	first := "0 0s-8s answered x1"
	for _, c := range []struct {
		name string
		set  func(*policy.Client)
		want []string
	}{
		{"shed", func(*policy.Client) {}, []string{first, "1 0s-3s shed x0"}},
		{"the last of two tries", func(c *policy.Client) { c.Gate.Retriable = true; c.Retry = retries(2, s) },
			[]string{first, "1 0s-7s gave_up_attempts x0"}},
		{"three tries", func(c *policy.Client) { c.Gate.Retriable = true; c.Retry = retries(3, s) },
			[]string{first, "1 0s-16s answered x1"}},
		{"no retry of timeouts", func(c *policy.Client) {
			c.Gate.Retriable = true
			c.Retry = retries(3, s)
			c.Retry.Classify.Timeouts = false
		}, []string{first, "1 0s-3s terminal_error x0"}},
		{"the call's own timeout first", func(c *policy.Client) {
			c.Timeouts.Call = 2 * s
		}, []string{"0 0s-2s gave_up_deadline x1", "1 0s-2s gave_up_deadline x0"}},
		{"long enough", func(c *policy.Client) { c.Gate.Wait = 9 * s }, []string{first, "1 0s-16s answered x1"}},
	} {
		m := model()
		m.Workers = 0
		m.Workload = Workload{Calls: 2, Sizes: sized{Prompt: 1, Output: 1}, Arrivals: Burst{}}
		m.Provider.Latency.FirstToken = law.Constant(8)
		m.Client.Gate = policy.Gate{Semaphore: 1, Wait: 3 * s}
		c.set(&m.Client)
		t.Run(c.name, func(t *testing.T) { expectCalls(t, m, c.want...) })
	}
}

// Two calls before a gate of one, and a provider that fails what comes in the first second at once. A call
// waits 5 s to retry.
//
//	held by the attempt    both fail at 0 s, and both retry at 5 s, one after the other
//	held by the call       the second is sent when the first is answered, at 6 s, and does not fail
//	                       the first gives up after its one try at 0 s: its place is free at once
//
// With a hedge at 0.5 s, the second attempt of a call has a place of its own, which it gives back: a gate of
// two lets the two calls go, each with one attempt, and a hedge of neither.
func TestWhoHoldsThePlace(t *testing.T) {
	m := model()
	m.Workers = 0
	m.Workload = Workload{Calls: 2, Sizes: sized{Prompt: 1, Output: 1}, Arrivals: Burst{}}
	m.Provider.Faults = failing(500)
	m.Provider.Faults[0].For = s
	m.Client.Retry = retries(2, 5*s)
	m.Client.Gate = policy.Gate{Semaphore: 1}
	expectCalls(t, m, "0 0s-6s answered x2", "1 0s-7s answered x2")
	m.Client.Gate.Held = policy.ByCall
	expectCalls(t, m, "0 0s-6s answered x2", "1 0s-7s answered x1")
	m.Client.Retry = retries(1, s)
	expectCalls(t, m, "0 0s-0s terminal_error x1", "1 0s-0s terminal_error x1")

	m.Provider.Faults = nil
	m.Client.Gate.Semaphore = 2
	m.Client.Hedge = policy.Hedge{After: 500 * ms, Cancel: true}
	expectCalls(t, m, "0 0s-1s answered x1", "1 0s-1s answered x1")
	m.Client.Gate.Semaphore = 3 // a place for one hedge
	expectCalls(t, m, "0 0s-1s answered x2", "1 0s-1s answered x1")
}

// A call that goes back to its queue gives its place back, whoever holds it: two calls that fail at once, and
// again 3 s later, each twice.
func TestPlaceOfARedeliveredCall(t *testing.T) {
	m := model()
	m.Workload.Calls, m.Workers = 2, 2
	m.Workload.Redelivery = Redelivery{Deliveries: 2, After: 3 * s}
	m.Provider.Faults = failing(500)
	m.Client.Gate = policy.Gate{Semaphore: 1, Held: policy.ByCall}
	expectCalls(t, m, "0 0s-3s terminal_error x2", "1 0s-3s terminal_error x2")
}
