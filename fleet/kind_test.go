package fleet

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"stampede/law"
	"stampede/policy"
	"stampede/provider"
	"stampede/wire"
)

// twoKinds is the model with calls of two kinds: short answers that have 700 ms, and long ones that have two
// minutes, at 100 tokens a second after a first one at once.
func twoKinds(share float64) Model {
	m := model()
	m.Workload.Calls = 400
	m.Provider.Latency = provider.Latency{TokensPerSecond: law.Constant(100)}
	kind := func(name string, share float64, output int32, timeout time.Duration) Kind {
		k := Kind{Name: name, Share: share, Sizes: sized{Prompt: 100, Output: output}, Client: m.Client}
		k.Client.Timeouts.Attempt = []time.Duration{timeout}
		return k
	}
	m.Workload.Sizes = nil
	m.Workload.Kinds = []Kind{kind("classify", share, 50, 700*ms), kind("summarize", 1-share, 6000, 2*time.Minute)}
	return m
}

// kept keeps the records of calls.
type kept struct{ calls []Call }

func (*kept) Attempt(*Attempt) {}
func (k *kept) Call(c *Call)   { k.calls = append(k.calls, *c) }

func callsOf(t *testing.T, m Model) []Call {
	t.Helper()
	var k kept
	if _, err := m.Run(1, 0, &k); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(k.calls, func(a, b Call) int { return int(a.ID) - int(b.ID) })
	return k.calls
}

// 50 tokens take 0.5 s and 6,000 take 60 s: each is within the timeout of its kind. With a first token after 0.3 s
// the short ones take 0.8 s and are cut off at 0.7 s, and the long ones are answered as before.
func TestKindsHaveTheirOwnTimeouts(t *testing.T) {
	m := twoKinds(0.8)
	m.Workers = 4
	for _, first := range []float64{0, 0.3} {
		m.Provider.Latency.FirstToken = law.Constant(first)
		short := 0
		for _, c := range callsOf(t, m) {
			took, want := c.Ended-c.Arrived, policy.Answered
			longest := time.Duration(first*1e9) + time.Duration(c.Size.Output)*10*ms
			if c.Kind == 0 {
				if short++; first > 0 {
					longest, want = 700*ms, policy.TerminalError
				}
			}
			if c.Outcome != want || took != longest {
				t.Fatalf("kind %d, first token after %g s: %v after %v, want %v after %v", c.Kind, first, c.Outcome,
					took, want, longest)
			}
		}
		// 400 lots at 0.8: 320, and four deviations are 4 sqrt(400 x 0.8 x 0.2) = 32.
		if math.Abs(float64(short-320)) > 32 {
			t.Errorf("%d of 400 calls are of a kind with a share of 80%%, want 288 to 352", short)
		}
	}
}

// Streams that stall at 40 %: after 20 tokens, at 0.2 s, a short answer is given up after 1 s of silence, and after
// 2,400 tokens, at 24 s, a long one after 5 s.
func TestKindsTimeTheirOwnSilence(t *testing.T) {
	m := twoKinds(0.8)
	m.Workload.Stream = true
	m.Provider.Faults = []provider.Fault{{Share: 1, Effect: provider.Break{Part: 0.4, Silent: true}}}
	for i, gap := range []time.Duration{s, 5 * s} {
		m.Workload.Kinds[i].Client.Timeouts = policy.Timeouts{Gap: gap}
	}
	for _, c := range callsOf(t, m) {
		want := []time.Duration{200*ms + s, 24*s + 5*s}[c.Kind]
		if c.Ended-c.Arrived != want {
			t.Fatalf("kind %d: %v, want %v", c.Kind, c.Ended-c.Arrived, want)
		}
	}
}

// Of two workers, one that is busy with a long call leaves the short ones to the other: the workers are one pool.
// The timeout of the client's holds for no kind that has its own.
func TestKindsShareWorkers(t *testing.T) {
	m := twoKinds(0.5)
	m.Client.Timeouts.Attempt = []time.Duration{ms}
	m.Workload.Calls = 1000
	calls := callsOf(t, m)
	long := slices.IndexFunc(calls, func(c Call) bool { return c.Kind == 1 })
	if next := calls[long+1]; next.Began != calls[long].Ended {
		t.Errorf("one worker begins a call at %v, while a long one ends at %v", next.Began, calls[long].Ended)
	}
	if i := slices.IndexFunc(calls, func(c Call) bool { return c.Outcome != policy.Answered }); i >= 0 {
		t.Errorf("call %d: %v", i, calls[i].Outcome)
	}
}

// Kinds are keyed: another share moves calls from one kind to the other in one direction only, and leaves the
// others and their sizes as they were.
func TestKindsAreKeyed(t *testing.T) {
	drawn := Drawn{Prompt: law.Uniform{Min: 1, Max: 1000}, Output: law.Constant(10)}
	run := func(share float64) []Call {
		m := twoKinds(share)
		for i := range m.Workload.Kinds {
			m.Workload.Kinds[i].Sizes = drawn
		}
		return callsOf(t, m)
	}
	less, more := run(0.3), run(0.5)
	moved := 0
	for i, c := range less {
		if more[i].Size != c.Size {
			t.Fatalf("call %d: %v, and %v with another share", i, c.Size, more[i].Size)
		}
		switch {
		case c.Kind < more[i].Kind:
			t.Fatalf("call %d goes against the share", i)
		case c.Kind > more[i].Kind:
			moved++
		}
	}
	// 400 lots at 0.2: 80, and four deviations are 4 sqrt(400 x 0.2 x 0.8) = 32.
	if math.Abs(float64(moved-80)) > 32 {
		t.Errorf("%d of 400 calls move when the share grows by 20%%, want 48 to 112", moved)
	}
	for _, c := range []struct {
		u    float64
		want int
	}{{0.1, 0}, {0.29, 0}, {0.31, 1}, {0.999, 1}} {
		m := twoKinds(0.3)
		if got := m.Workload.KindOf(c.u); got != c.want {
			t.Errorf("the kind at %g is %d, want %d", c.u, got, c.want)
		}
	}
}

// A limit of the whole call of one kind ends it while it waits, and is not slept towards: a backoff of 5 s does not
// fit into 3 s, so the short call gives up at once, while the other retries.
func TestKindsHaveTheirOwnCallTimeout(t *testing.T) {
	m := twoKinds(0.5)
	m.Provider.Faults = []provider.Fault{{Share: 1, Effect: provider.Reject{Reply: wire.Reply{Status: 500}}}}
	for i := range m.Workload.Kinds {
		m.Workload.Kinds[i].Client.Retry = retries(2, 5*s)
	}
	k := &m.Workload.Kinds[0].Client
	k.Timeouts.Call, k.Retry.Deadline = 3*s, 3*s
	for _, c := range callsOf(t, m) {
		want := []string{"gave_up_deadline", "gave_up_attempts"}[c.Kind]
		if c.Outcome.String() != want || c.Ended-c.Arrived != []time.Duration{0, 5 * s}[c.Kind] {
			t.Fatalf("kind %d: %v after %v, want %s", c.Kind, c.Outcome, c.Ended-c.Arrived, want)
		}
	}
	if !m.HasKinds() || !m.Random() || strings.Contains(m.Workload.Kinds[1].Client.Timeouts.Describe(), "call") {
		t.Error("kinds are not seen, or share their timeouts")
	}
}
