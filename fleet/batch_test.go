package fleet

import (
	"fmt"
	"math"
	"testing"
	"time"

	"stampede/law"
	"stampede/policy"
	"stampede/provider"
	"stampede/sim"
)

// batched is a model whose calls come at the given times and share a batch in which
// a step takes 10 ms and 5 ms more for each stream.
func batched(tokens int32, at ...time.Duration) Model {
	m := model()
	m.Workers = 0
	m.Workload = Workload{
		Calls:    uint64(len(at)),
		Sizes:    sized{Prompt: 250, Output: tokens},
		Stream:   true,
		Arrivals: &Trace{At: at},
	}
	m.Provider = provider.Config{
		Capacity: provider.Capacity{
			Slots:    2,
			Queue:    -1,
			Batching: &provider.Batching{Step: 10 * ms, PerStream: 5 * ms},
		},
	}
	return m
}

// firsts notes when each call got its first and its last token.
func firsts(t *testing.T, m Model) string {
	t.Helper()
	out := ""
	if _, err := m.Run(1, 0, each{attempt: func(a *Attempt) {
		out += fmt.Sprintf("%d: %v %v %d; ", a.Call, a.First, a.Ended, a.Usage.Output)
	}}); err != nil {
		t.Fatal(err)
	}
	return out
}

// The first stream alone makes 4 steps of 15 ms in 60 ms. With the second a step
// takes 20 ms: the first ends its 10 tokens after 6 more, at 180 ms, and the second
// makes its last 4 alone, until 240 ms. A third waits for a slot and then has the
// second beside it.
func TestBatchSlowsDown(t *testing.T) {
	for _, c := range []struct {
		name, want string
		m          Model
	}{
		{"alone", "0: 15ms 150ms 10; ", batched(10, 0)},
		{"two", "0: 15ms 180ms 10; 1: 80ms 240ms 10; ", batched(10, 0, 60*ms)},
		{"a third waits", "0: 15ms 180ms 10; 1: 80ms 260ms 10; 2: 200ms 350ms 10; ", batched(10, 0, 60*ms, 70*ms)},
	} {
		if got := firsts(t, c.m); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	prompts := batched(10, 0)
	prompts.Provider.Capacity.Batching.PerStep = 100 // two steps and a half for 250 tokens
	if got, want := firsts(t, prompts), "0: 52.5ms 187.5ms 10; "; got != want {
		t.Errorf("with the prompt: %s, want %s", got, want)
	}
	// Two at once read their prompts one after the other: 2.5 and 5 steps of 20 ms; the
	// first ends after 12.5 and the second makes its last 2.5 alone, of 15 ms.
	together := batched(10, 0, 0)
	together.Provider.Capacity.Batching.PerStep = 100
	if got, want := firsts(t, together), "0: 70ms 250ms 10; 1: 120ms 287.5ms 10; "; got != want {
		t.Errorf("two prompts: %s, want %s", got, want)
	}
	thinks := batched(10, 0)
	thinks.Workload.Sizes = sized{Prompt: 250, Output: 10, Reasoning: 4}
	if got, want := firsts(t, thinks), "0: 75ms 150ms 10; "; got != want {
		t.Errorf("with 4 tokens of reasoning: %s, want %s", got, want)
	}
}

// The second client leaves at 100 ms, when the streams have 6 and 2 tokens. Where the
// server stops, the first makes its last 4 alone, until 160 ms; where not, nothing
// changes for it.
// Trap 4: what goes on after its client has left is billed.
func TestBatchAfterAClientLeft(t *testing.T) {
	for rule, want := range map[provider.CancelRule]string{
		provider.Stops: "1: 80ms 100ms 2; 0: 15ms 160ms 10; ",
		provider.Keeps: "1: 80ms 100ms 10; 0: 15ms 180ms 10; ",
	} {
		m := batched(10, 0, 60*ms)
		m.Provider.Cancel = rule
		m.Workload.Patience = impatient{}
		if got := firsts(t, m); got != want {
			t.Errorf("%v: %s, want %s", rule, got, want)
		}
	}
}

// impatient is a patience of 40 ms for the second call of seed 1 and of ten seconds
// for the first.
type impatient struct{}

func (impatient) Sample(u float64) float64 {
	if u == sim.NewKey(1, 0).For(forPatience).Uniform(1, 0) {
		return 0.04
	}
	return 10
}
func (impatient) Mean() float64  { return 0.04 }
func (impatient) String() string { return "impatient" }

// The last token of the batch and the timeout fall on one instant: the answer comes
// first, as it does elsewhere.
// Trap 4: also in a batch.
func TestBatchReplyBeatsTheTimeoutOfTheSameInstant(t *testing.T) {
	for timeout, want := range map[time.Duration]string{150 * ms: "answered", 150*ms - 1: "stream_broken"} {
		m := batched(10, 0)
		m.Client.Timeouts = policy.Timeouts{Attempt: []time.Duration{timeout}}
		outcome := ""
		if _, err := m.Run(1, 0, each{call: func(c *Call) { outcome = c.Outcome.String() }}); err != nil {
			t.Fatal(err)
		}
		if outcome != want {
			t.Errorf("timeout %v: %s, want %s", timeout, outcome, want)
		}
	}
}

// A batch whose step grows with its streams alone is processor sharing: with Poisson
// arrivals the mean time is S/(1-rho), whatever the law of the answers. 8/s of answers
// that take 0.1 s alone: 0.5 s. 30 replications of 20,000 calls less a tenth of
// warm-up, 99 % interval.
func TestBatchIsProcessorSharing(t *testing.T) {
	if testing.Short() {
		t.Skip("its tolerance needs all of its calls")
	}
	for name, given := range map[string]law.Law{"exponential": law.Exponential{Beta: 1000},
		"constant": law.Constant(1000), "two kinds": law.Mixture{{Weight: 0.9, Law: law.Constant(500)},
			{Weight: 0.1, Law: law.Constant(5500)}}} {
		m := model()
		m.Workers = 0
		m.Workload = Workload{
			Calls:    20_000,
			Sizes:    Drawn{Prompt: law.Constant(1), Output: given},
			Arrivals: Renewal{Gap: law.Exponential{Beta: 1}, Rate: Constant(8)},
		}
		m.Provider = provider.Config{
			Capacity: provider.Capacity{
				Slots:    100_000,
				Batching: &provider.Batching{Step: 1, PerStream: 100 * time.Microsecond},
			},
		}
		const replications, t995 = 30, 2.756
		var means sim.Moments
		for r := range replications {
			var w sim.Moments
			if _, err := m.Run(5, r, each{call: func(c *Call) {
				if c.ID >= 2000 {
					w.Add(c.Latency().Seconds())
				}
			}}); err != nil {
				t.Fatal(err)
			}
			means.Add(w.Mean())
		}
		half := t995 * means.StdDev() / math.Sqrt(replications)
		if math.Abs(means.Mean()-0.5) > half {
			t.Errorf("%s: %.4f s +- %.4f, want 0.5", name, means.Mean(), half)
		}
		if half > 0.05 {
			t.Errorf("%s: an interval of %.4f s shows nothing", name, half)
		}
	}
}
