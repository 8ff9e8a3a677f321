package fleet

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"stampede/cost"
	"stampede/law"
	"stampede/policy"
	"stampede/provider"
	"stampede/sim"
	"stampede/wire"
)

// talks is a model of two sessions of three turns, at 0 and 3.5 s: each answer of 10 tokens takes 1 s, the tool
// after it 2 s, and 5 tokens come back from it. Prompts have 100, 115 and 130 tokens.
func talks(t *testing.T) Model {
	t.Helper()
	input, cached, written, output := 10.0, 1.0, 12.5, 20.0
	rates, err := cost.Quote{Input: &input, Cached: &cached, Written: &written, Output: &output}.Rates()
	if err != nil {
		t.Fatal(err)
	}
	m := model()
	m.Workers = 0
	m.Price = cost.Price{Rates: rates}
	m.Workload = Workload{
		Arrivals: &Trace{At: []sim.Time{0, 3500 * ms}},
		Think:    law.Constant(2),
		Sizes:    Drawn{Prompt: law.Constant(100), Output: law.Constant(10)},
		Sessions: &Sessions{Count: 2, Turns: law.Constant(3), Grows: law.Constant(5)},
	}
	return m
}

// turnsOf runs a model and writes each turn: session.turn, instants, prompt; cached and written tokens; its bill in
// thousands of nano-dollars where there is a cache; how its call and its session ended.
func turnsOf(t *testing.T, m Model) string {
	t.Helper()
	var out []string
	last := Attempt{}
	if _, err := m.Run(1, 0, each{attempt: func(a *Attempt) { last = *a }, call: func(c *Call) {
		text := fmt.Sprintf("%d.%d %v-%v %d", c.Session, c.Turn, c.Arrived, c.Ended, c.Size.Prompt)
		if m.Workload.Cache.Scope != OfCall {
			text += fmt.Sprintf(" (%d %d) %d", last.Usage.Cached, last.Usage.Written, c.Useful/1000)
		}
		if outcome := c.Outcome.String(); outcome != "answered" {
			text += " " + outcome
		}
		if c.SessionEnd != GoesOn {
			text += " " + c.SessionEnd.String()
		}
		out = append(out, text)
	}}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, "; ")
}

func TestSessions(t *testing.T) {
	const first = "0.1 0s-1s 100; 0.2 3s-4s 115; "
	for _, c := range []struct {
		name   string
		change func(m *Model)
		want   string
	}{
		{"two of three turns each", func(m *Model) {},
			first + "1.1 3.5s-4.5s 100; 0.3 6s-7s 130 finished; 1.2 6.5s-7.5s 115; 1.3 9.5s-10.5s 130 finished"},
		{"at the horizon no turn begins", func(m *Model) { m.Horizon = 6 * s }, first + "1.1 3.5s-4.5s 100"},
		{"one session at most", func(m *Model) { m.Workload.Sessions.Count = 1 }, first + "0.3 6s-7s 130 finished"},
		{"reasoning is not said", func(m *Model) {
			m.Workload.Sessions.Count = 1
			m.Workload.Sizes = Drawn{Prompt: law.Constant(100), Output: law.Constant(10), Reasoning: law.Constant(90)}
		}, first + "0.3 6s-7s 130 finished"},
		{"130 tokens fit into a context of 130", func(m *Model) {
			m.Workload.Sessions.Count, m.Workload.Sessions.Context = 1, 130
		}, first + "0.3 6s-7s 130 finished"},
		{"but not into one of 129", func(m *Model) {
			m.Workload.Sessions.Count, m.Workload.Sessions.Context = 1, 129
		}, "0.1 0s-1s 100; 0.2 3s-4s 115 out_of_context"},
		{"nor with max_tokens of 20 into one of 149; a first prompt is cut", func(m *Model) {
			m.Workload.Sessions.Context = 149
			m.Workload.Sizes = Drawn{Prompt: law.Constant(100), Output: law.Constant(10), MaxTokens: 20}
			m.Beside = []Fleet{m.Fleet}
			m.Workload.Sessions = &Sessions{Count: 1, Turns: law.Constant(3), Context: 110, Grows: law.Constant(5)}
			m.Provider.Tenants = make([]provider.Tenant, 2)
		}, "0.1 0s-1s 90 out_of_context; 0.1 0s-1s 100; 0.2 3s-4s 115 out_of_context; 1.1 3.5s-4.5s 100; " +
			"1.2 6.5s-7.5s 115 out_of_context"},
		{"a turn that fails at 3 s: what it asked stays in the prompt, nothing was said", func(m *Model) {
			m.Workload.Sessions.Count = 1
			m.Provider.Faults = failing(400)
			m.Provider.Faults[0].At, m.Provider.Faults[0].For = 3*s, s
		}, "0.1 0s-1s 100; 0.2 3s-3s 115 terminal_error; 0.3 5s-6s 120 finished"},
		{"the same where it ends the session", func(m *Model) {
			m.Workload.Sessions.Count, m.Workload.Sessions.EndsOnFailure = 1, true
			m.Provider.Faults = failing(400)
			m.Provider.Faults[0].At, m.Provider.Faults[0].For = 3*s, s
		}, "0.1 0s-1s 100; 0.2 3s-3s 115 terminal_error failed"},
		{"two users think first, and begin the third and fourth session when their first ends", func(m *Model) {
			m.Workload.Arrivals, m.Workload.Sessions.Count, m.Workload.Sessions.Turns = Users(2), 0, law.Constant(2)
			m.Horizon = 10 * s
		}, "0.1 2s-3s 100; 1.1 2s-3s 100; 0.2 5s-6s 115 finished; 1.2 5s-6s 115 finished; " +
			"2.1 8s-9s 100; 3.1 8s-9s 100"},
		{"three sessions of two users", func(m *Model) {
			m.Workload.Arrivals, m.Workload.Sessions.Count, m.Workload.Sessions.Turns = Users(2), 3, law.Constant(1)
		}, "0.1 2s-3s 100 finished; 1.1 2s-3s 100 finished; 2.1 5s-6s 100 finished"},
		{"one worker for two users: a turn waits for it", func(m *Model) {
			m.Workers = 1
			m.Workload.Arrivals, m.Workload.Sessions.Turns = Users(2), law.Constant(2)
		}, "0.1 2s-3s 100; 1.1 2s-4s 100; 0.2 5s-6s 115 finished; 1.2 6s-7s 115 finished"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := talks(t)
			c.change(&m)
			if got := turnsOf(t, m); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// The measured time ends with the last call of the last session, at 10.5 s, unless the horizon cuts a session short or
// keeps one from starting, or there is no last one.
func TestSessionsAreMeasuredToTheirEnd(t *testing.T) {
	for _, c := range []struct {
		count         uint64
		horizon, want sim.Time
	}{
		{2, 0, 10500 * ms}, {2, 20 * s, 10500 * ms}, {2, 9 * s, 9 * s}, {3, 20 * s, 20 * s}, {0, 20 * s, 20 * s},
	} {
		m := talks(t)
		m.Workload.Sessions.Count, m.Horizon = c.count, c.horizon
		summary, err := m.Run(1, 0, Listeners{})
		if err != nil {
			t.Fatal(err)
		}
		if summary.MeasuredTo != c.want {
			t.Errorf("%d sessions, horizon %v: measured to %v, want %v", c.count, c.horizon, summary.MeasuredTo, c.want)
		}
	}
}

// A turn reads the prompt of the turn before, received 3 s earlier, and writes the rest. In thousands of
// nano-dollars a new token costs 10, a read one 1, a written one 12.5, one of the answer 20:
//
//	first   100 x 12.5 + 10 x 20          = 1450
//	second  100 x 1 + 15 x 12.5 + 10 x 20 = 487.5
//	third   115 x 1 + 15 x 12.5 + 10 x 20 = 502.5
func TestSessionsReadWhatTheyWrote(t *testing.T) {
	const hits = "0.1 0s-1s 100 (0 100) 1450; 0.2 3s-4s 115 (100 15) 487; 0.3 6s-7s 130 (115 15) 502 finished"
	for _, c := range []struct {
		name   string
		change func(m *Model)
		want   string
	}{
		{"within its life", func(m *Model) { m.Workload.Cache.Lifetime = 3*s + 1 }, hits},
		{"at its end, 3 s after the start of its last use", func(m *Model) { m.Workload.Cache.Lifetime = 3 * s },
			"0.1 0s-1s 100 (0 100) 1450; 0.2 3s-4s 115 (0 115) 1637; 0.3 6s-7s 130 (0 130) 1825 finished"},
		{"without end", func(m *Model) { m.Workload.Cache.Lifetime = 0 }, hits},
		{"writing costs nothing more: 1200, 450 and 465", func(m *Model) { m.Workload.Cache.Writes = false },
			"0.1 0s-1s 100 (0 0) 1200; 0.2 3s-4s 115 (100 0) 450; 0.3 6s-7s 130 (115 0) 465 finished"},
		{"a prefix of 80 of each session: 80 x 12.5 + 20 x 10 + 200, then 80 x 1 + 35 x 10 + 200 and 15 x 10 more",
			func(m *Model) {
				m.Workload.Cache.Prefix = 80
			}, "0.1 0s-1s 100 (0 80) 1400; 0.2 3s-4s 115 (80 0) 630; 0.3 6s-7s 130 (80 0) 780 finished"},
		{"a prefix of 110, more than the first prompt: 110 x 1 + 20 x 10 + 200 in the end", func(m *Model) {
			m.Workload.Cache.Prefix = 110
		}, "0.1 0s-1s 100 (0 100) 1450; 0.2 3s-4s 115 (100 10) 475; 0.3 6s-7s 130 (110 0) 510 finished"},
		{"a prefix of the fleet: the second session reads what the first wrote", func(m *Model) {
			m.Workload.Cache.Prefix, m.Workload.Cache.Scope = 80, OfFleet
			m.Workload.Sizes = Drawn{Prompt: law.Constant(100), Output: law.Constant(10), CachedPrefix: 80}
			m.Workload.Sessions.Count, m.Workload.Sessions.Turns = 2, law.Constant(1)
		}, "0.1 0s-1s 100 (0 80) 1400 finished; 1.1 3.5s-4.5s 100 (80 0) 480 finished"},
		{"nothing of less than 115 tokens: 1200, then 115 x 12.5 + 200, then 115 x 1 + 15 x 12.5 + 200",
			func(m *Model) { m.Workload.Cache.Minimum = 115 },
			"0.1 0s-1s 100 (0 0) 1200; 0.2 3s-4s 115 (0 115) 1637; 0.3 6s-7s 130 (115 15) 502 finished"},
		{"two deployments in turn have a cache each: the third turn finds the 100 tokens of the first", func(m *Model) {
			deployed(m, 2)
			m.Client.Route = policy.Route{By: policy.RouteRoundRobin}
		}, "0.1 0s-1s 100 (0 100) 1450; 0.2 3s-4s 115 (0 115) 1637; 0.3 6s-7s 130 (100 30) 675 finished"},
		{"a turn that fails before its answer begins writes nothing", func(m *Model) {
			m.Provider.Faults = []provider.Fault{{
				At: 3 * s, For: s, Share: 1, Effect: provider.Reject{Reply: wire.Reply{Status: 400}},
			}}
		}, "0.1 0s-1s 100 (0 100) 1450; 0.2 3s-3s 115 (0 0) 0 terminal_error; 0.3 5s-6s 120 (100 20) 550 finished"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := talks(t)
			m.Workload.Sessions.Count = 1
			m.Workload.Cache = Cache{Lifetime: 60 * s, Writes: true, Scope: OfSession}
			c.change(&m)
			if got := turnsOf(t, m); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// The turns of a session are the same whatever the provider does to them, and those of a sample of turns.
func TestSessionsKeepTheirLuck(t *testing.T) {
	type turn struct {
		session uint64
		turn    int32
	}
	run := func(latency float64) map[turn]Size {
		m := talks(t)
		m.Workload.Arrivals = Users(5)
		m.Workload.Think = law.Exponential{Beta: 2}
		m.Workload.Sizes = Drawn{Prompt: law.Exponential{Beta: 100}, Output: law.Exponential{Beta: 20}}
		m.Workload.Sessions = &Sessions{Count: 50, Turns: law.Exponential{Beta: 6}, Grows: law.Exponential{Beta: 9}}
		m.Provider.Latency.FirstToken = law.Constant(latency)
		out := map[turn]Size{}
		if _, err := m.Run(1, 0, each{call: func(c *Call) { out[turn{c.Session, c.Turn}] = c.Size }}); err != nil {
			t.Fatal(err)
		}
		return out
	}
	fast, slow := run(1), run(3)
	maps.DeleteFunc(fast, func(at turn, _ Size) bool { return slow[at] == Size{} }) // which users are last may differ
	maps.DeleteFunc(slow, func(at turn, _ Size) bool { return fast[at] == Size{} })
	if len(fast) < 100 || !maps.Equal(fast, slow) {
		t.Errorf("%d turns of fast answers and %d of slow ones differ", len(fast), len(slow))
	}
	w := talks(t).Workload
	sizes, sessions := w.SampleTurns(5)
	var prompts []int32
	for _, size := range sizes {
		prompts = append(prompts, size.Prompt)
	}
	if !slices.Equal(prompts, []int32{100, 115, 130, 100, 115, 130}) || sessions != 2 {
		t.Errorf("prompts %v of %d sessions", prompts, sessions)
	}
}

// A turn reads what the turn before wrote when the time from its request to that of the turn, D for the answer and an
// exponential pause of mean Z, is below the life L: 1 - exp(-(L - D) / Z). 100 sessions of 500 turns; four standard
// errors.
func TestSessionCacheFollowsThePauses(t *testing.T) {
	const life, answer, pause = 7, 1, 5.0
	m := talks(t)
	m.Workload.Arrivals = Users(100)
	m.Workload.Think = law.Exponential{Beta: pause}
	m.Workload.Sessions = &Sessions{Count: 100, Turns: law.Constant(500), Grows: law.Constant(5)}
	m.Workload.Cache = Cache{Lifetime: life * s, Scope: OfSession}
	n, hits := 0.0, 0.0
	before := map[uint64]int{}
	if _, err := m.Run(1, 0, each{attempt: func(a *Attempt) {
		n++
		if a.Usage.Cached > 0 {
			hits++
		}
	}, call: func(c *Call) {
		if last := before[c.Session]; c.Size.Cached != int32(last) {
			t.Errorf("turn %d.%d can read %d tokens, the one before had %d", c.Session, c.Turn, c.Size.Cached, last)
		}
		before[c.Session] = int(c.Size.Prompt)
	}}); err != nil {
		t.Fatal(err)
	}
	n -= 100 // first turns find nothing
	want := 1 - math.Exp(-(life-answer)/pause)
	if got, within := hits/n, 4*math.Sqrt(want*(1-want)/n); math.Abs(got-want) > within {
		t.Errorf("%.4f of %g turns read the turn before, want %.4f within %.4f", got, n, want, within)
	}
}
