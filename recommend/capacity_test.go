package recommend

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"stampede/internal/testkit"
	"stampede/measure"
	"stampede/scenario"
)

// sized is a ladder of round numbers over worlds whose means follow from the size.
func sized(start float64, seed int, common, own float64, means func(value float64, p Point) []float64) *Ladder {
	l := numbers(start)
	l.What = "test"
	l.Label = func(size int) string { return fmt.Sprint(roundNumber(size)) }
	l.Player = func(size int) (Player, error) {
		return &world{seed: seed, common: common, own: own, means: func(p Point) []float64 {
			return means(roundNumber(size), p)
		}}, nil
	}
	return &l
}

func grow(t testing.TB, g Growth) *Capacity {
	t.Helper()
	c, err := Grow(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// onePolicy is a question with a space of one point.
func onePolicy(t testing.TB, goals ...string) Question {
	q := Question{Axes: []Axis{line("policy", 1, false)}, Start: Point{0}, Objective: objective("usd_total")}
	for _, text := range goals {
		q.Constraints = append(q.Constraints, goal(t, text))
	}
	return q
}

// Round numbers have two digits that count, each once and in order; any number is rounded up to the next of them.
func TestRoundNumbers(t *testing.T) {
	for i, want := range map[int]float64{0: 1, 8: 9, 9: 10, 98: 99, 99: 100, 100: 110, 188: 990, 189: 1000, 190: 1100} {
		if got := roundNumber(i); got != want {
			t.Errorf("the %dth is %g; want %g", i, got, want)
		}
	}
	for x, want := range map[float64]float64{0.3: 1, 7: 7, 99.5: 100, 101: 110, 41_667: 42_000, 410_000: 410_000} {
		if got := roundNumber(roundedUp(x)); got != want {
			t.Errorf("%g is rounded to %g; want %g", x, got, want)
		}
	}
}

// The smallest of known sizes is found from below and from above, exactly where nothing is random, and in few steps:
// the doublings from 150 to 410k (12) and the bisection of the 27 or 28 sizes between the last two (5), one start.
func TestSmallestSize(t *testing.T) {
	for _, start := range []float64{150, 150_000, 410_000, 9_000_000} {
		l := sized(start, 1, 0, 0, func(value float64, _ Point) []float64 { return []float64{1, 20 * 405_000 / value} })
		c := grow(t, Growth{
			Question: onePolicy(t, "latency_p95_s<=20"), Policies: []Point{{0}}, Ladder: l,
		})
		if c.Found < 0 || l.Label(c.Found) != "410000" || c.Verdict != measure.Met {
			t.Errorf("from %g: %v, size %d; want 410k", start, c.Verdict, c.Found)
		}
		if len(c.Steps) > 18 {
			t.Errorf("from %g: %d sizes were tried; want at most 18", start, len(c.Steps))
		}
	}
}

// Of 50 seeds at least 48 find the size within one step of the true one. The mean is 20 x truth / value, so the bound
// of 20 is met exactly from the truth on, in steps of 1 to 10 % there; a replication has a deviation of 5 %.
func TestSmallestSizeUnderNoise(t *testing.T) {
	const seeds = 50
	wrong, total := 0, 0
	for seed := range seeds {
		truth := roundNumber(120 + 7*seed)
		l := sized(truth*[]float64{0.1, 1, 3, 40}[seed%4], seed, 0.7, 0.7, func(value float64, p Point) []float64 {
			return []float64{30, 20 * truth / value * (1 + 0.3*float64(p[0]))}
		})
		q := onePolicy(t, "latency_p95_s<=20s")
		q.Axes = []Axis{line("policy", 3, false)}
		c := grow(t, Growth{Question: q, Policies: []Point{{1}, {0}, {2}}, Ladder: l})
		total += c.Replications
		if off := c.Found - roundedUp(truth); off < -1 || off > 1 {
			wrong++
			t.Logf("seed %d: %s; want %g", seed, l.Label(c.Found), truth)
		}
	}
	t.Logf("%d of %d wrong; %d replications on average", wrong, seeds, total/seeds)
	if wrong > seeds/20 {
		t.Errorf("%d of %d are off by more than a step; want at most 2", wrong, seeds)
	}
}

// Where no size meets the goals the ladder ends as soon as a size that is 64 times as large gives the same.
func TestNoSize(t *testing.T) {
	l := sized(100, 1, 0.1, 0.1, func(value float64, _ Point) []float64 {
		return []float64{1, 21 + 100/min(value, 800)}
	})
	c := grow(t, Growth{Question: onePolicy(t, "latency_p95_s<=20s"), Policies: []Point{{0}}, Ladder: l})
	if c.Verdict != measure.Missed || c.Found != -1 || !c.Level {
		t.Errorf("%v, size %d, level %v; want none", c.Verdict, c.Found, c.Level)
	}
	if c.Policy == nil || c.Policy.Feasible != measure.Missed {
		t.Errorf("policy at the largest size: %+v; want none", c.Policy)
	}
}

// A policy that is not held may need less: it is chosen at the size that was found, and tried at smaller ones.
func TestPolicyIsChosenAgain(t *testing.T) {
	l := sized(100, 1, 0.1, 0.1, func(value float64, p Point) []float64 {
		needs := []float64{6400, 1000, 2000}[p[0]]
		return []float64{[]float64{3, 1, 2}[p[0]], 20 * needs / value}
	})
	q := onePolicy(t, "latency_p95_s<=20s")
	q.Axes = []Axis{line("policy", 3, false)}
	c := grow(t, Growth{Question: q, Policies: []Point{{0}}, Ladder: l})
	if off := c.Found - roundedUp(1000); off < -1 || off > 1 {
		t.Errorf("size %s; want 1000, within a step", l.Label(c.Found))
	}
	if c.Policy == nil || c.Policy.Pick[0] != 1 {
		t.Errorf("policy %+v; want the second", c.Policy)
	}
}

// Calls that are too slow with nothing in their way need no larger quota, unless a policy of the space is faster
// than one that waits. A goal that asks for the worse values of its metric says nothing.
func TestRelaxation(t *testing.T) {
	small := sized(100, 1, 0.1, 0.1, func(float64, Point) []float64 { return []float64{1, 40} })
	alone := &world{common: 0.1, means: func(Point) []float64 { return []float64{1, 25} }}
	for _, c := range []struct {
		name     string
		goal     string
		free     float64
		misses   int
		hopeless bool
	}{
		{"too slow", "latency_p95_s<=20s", 24, 1, true},
		{"a hedge is faster", "latency_p95_s<=20s", 15, 1, false},
		{"fast enough", "latency_p95_s<=30s", 24, 0, false},
		{"no bound from below", "latency_p95_s>=30s", 24, 0, false},
	} {
		got := grow(t, Growth{
			Question: onePolicy(t, c.goal), Policies: []Point{{0}}, Ladder: small, Alone: alone,
			Free: &world{common: 0.1, means: func(Point) []float64 { return []float64{1, c.free} }},
		})
		if r := got.Relaxed; len(r.Misses) != c.misses || got.Hopeless != c.hopeless {
			t.Errorf("%s: %d goals missed, hopeless %v", c.name, len(r.Misses), got.Hopeless)
		}
		if c.hopeless && (len(got.Steps) != 1 || got.Verdict != measure.Missed) {
			t.Errorf("%s: %v after %d steps; want missed after one", c.name, got.Verdict, len(got.Steps))
		}
	}
}

// Refusals that leave only fast calls meet a latency that all calls together miss: that is not hopeless.
func TestRefusedCallsCountForNoLatency(t *testing.T) {
	small := sized(100, 1, 0, 0, func(value float64, _ Point) []float64 { return []float64{1, 10 + value/10} })
	slow := &world{means: func(Point) []float64 { return []float64{1, 25} }}
	c := grow(t, Growth{
		Question: onePolicy(t, "latency_p95_s<=20s"), Policies: []Point{{0}}, Ladder: small, Alone: slow, Free: slow,
	})
	if c.Hopeless || c.Verdict != measure.Met || c.Found < 0 {
		t.Errorf("hopeless %v, %v at %d; want a size", c.Hopeless, c.Verdict, c.Found)
	}
}

// When the context ends, what is known until then is the answer, whenever that is.
func TestInterruptedCapacity(t *testing.T) {
	for _, after := range []int{0, 5, 100, 200} {
		ctx, cancel := context.WithCancel(t.Context())
		count := 0
		spoil := func(Ask, Row) {
			if count++; count >= after {
				cancel()
			}
		}
		l := sized(100, 1, 0, 0, nil)
		l.Player = func(size int) (Player, error) {
			return &world{common: 0.1, own: 0.1, spoil: spoil, means: func(Point) []float64 {
				return []float64{1, 20 * 800 / roundNumber(size)}
			}}, nil
		}
		q := onePolicy(t, "latency_p95_s<=20s")
		if after == 0 {
			cancel()
		}
		c, err := Grow(ctx, Growth{Question: q, Policies: []Point{{0}}, Ladder: l})
		if !errors.Is(err, context.Canceled) || c == nil || c.Found < 0 && c.Verdict != measure.Undecided {
			t.Errorf("after %d replications: %v, %+v", after, err, c)
			continue
		}
		g := Grown{Task: &Task{Question: q, Aims: measure.Aims{Goals: []measure.Goal{q.Constraints[0].Goal}},
			Templates: []*scenario.Template{testkit.Template(t, testkit.Small)}, Player: &Simulator{}},
			Capacity: c, Ladder: l, Width: 80}
		if err := g.Write(io.Discard); err != nil {
			t.Error(err)
		}
		cancel()
	}
}

// growOf answers a capacity question on a scenario, with its own policy and no other.
func growOf(t testing.TB, what, text string, jobs int, goals ...string) (*Capacity, *Ladder) {
	t.Helper()
	template := testkit.Template(t, text)
	q := Question{Start: Point{}, Objective: objective("latency_mean_s")}
	for _, g := range goals {
		q.Constraints = append(q.Constraints, goal(t, g))
	}
	g, err := NewGrowth(NewPlayer([]*scenario.Template{template}, nil, &q, jobs), q, what, nil)
	if err != nil {
		t.Fatal(err)
	}
	return grow(t, g), g.Ladder
}

// twoASecond are 600 calls, two a second, of 100 tokens each, that are tried once.
const twoASecond = `
replications: 4
workload:
  open: {rate: 2/s, calls: 600, gaps: {constant: {}}}
  prompt_tokens: 90
  output_tokens: 10
  max_tokens: 10
provider:
  limits: [{resource: tokens, limit: %s, burst: 100, charge: prompt + max_tokens, settle: none}]
  latency: {first_token: 500ms}
policy: no-retry
`

// A bucket of L tokens a minute whose burst is a second of them, L/60, has all calls answered when it has the tokens
// of the k-th call at k/2 seconds: 100 (k+1) <= L/60 + L/60 k/2. For the last, k = 599, that is
// L >= 60 x 60,000 / 300.5 = 11,980, and 12k when rounded up: 2/s x 100 x 60.
func TestSmallestQuotaOfBucket(t *testing.T) {
	for _, what := range []string{"provider.limits.0", "provider.limits.0.limit"} {
		c, l := growOf(t, what, fmt.Sprintf(twoASecond, "6000/min"), 2, "success_ratio>=100%")
		if c.Found < 0 || l.Label(c.Found) != "12k/min" {
			t.Errorf("%s: %v, %d; want 12k/min", what, c.Verdict, c.Found)
		}
	}
	c, l := growOf(t, "limits", fmt.Sprintf(twoASecond, "6000/min"), 2, "success_ratio>=100%")
	if want := []string{"provider.limits.0.limit=12k/min", "provider.limits.0.burst=200"}; c.Found < 0 ||
		!reflect.DeepEqual(l.Settings(c.Found), want) || l.Label(c.Found) != "x1.9" && l.Label(c.Found) != "x2" {
		t.Errorf("limits: %v, %d; want a factor that makes 12k/min of 6000", c.Verdict, c.Found)
	}
}

// Keys multiply the quota: of 5000 tokens a minute each, 12k a minute need 3. Two would have 10k, and their bursts of
// one call do not last for 300 s.
func TestSmallestNumberOfKeys(t *testing.T) {
	const inTurn = "{preset: no-retry, route: {by: round_robin}}"
	text := strings.Replace(fmt.Sprintf(twoASecond, "5000/min"), "no-retry", inTurn, 1)
	c, l := growOf(t, "keys", text, 2, "success_ratio>=100%")
	if c.Found < 0 || l.Label(c.Found) != "3" {
		t.Errorf("%v, size %d; want 3 keys", c.Verdict, c.Found)
	}
}

// sojournP95 is the 95th percentile of the time in M/M/c: with C of Erlang's formula, theta = c mu - lambda,
//
//	P(T > t) = (1 - C) e^(-mu t) + C (theta e^(-mu t) - mu e^(-theta t)) / (theta - mu)
func sojournP95(lambda, mu float64, c int) float64 {
	load, b := lambda/mu, 1.0
	for k := 1; k <= c; k++ { // Erlang B
		b = load * b / (float64(k) + load*b)
	}
	waits := b / (1 - load/float64(c)*(1-b))
	theta := float64(c)*mu - lambda
	over := func(t float64) float64 {
		return (1-waits)*math.Exp(-mu*t) + waits*(theta*math.Exp(-mu*t)-mu*math.Exp(-theta*t))/(theta-mu)
	}
	low, high := 0.0, 1000/mu
	for range 100 {
		if t := (low + high) / 2; over(t) > 0.05 {
			low = t
		} else {
			high = t
		}
	}
	return low
}

// The smallest number of servers that keeps a p95 is that of Erlang's formula: between 3.10 s with 11 servers and
// 3.29 s with 10, for calls of a second that arrive 7.9 times a second.
func TestSmallestNumberOfServers(t *testing.T) {
	with, less := sojournP95(7.9, 1, 11), sojournP95(7.9, 1, 10)
	bound := (with + less) / 2
	c, l := growOf(t, "slots", `
workload: {open: {rate: 7.9/s, calls: 4000}, prompt_tokens: 1, output_tokens: 1}
warmup: 40s
provider:
  capacity: {slots: 64, queue: unlimited}
  latency: {first_token: {exponential: {mean: 1s}}}
policy: no-retry
`, 2, fmt.Sprintf("latency_p95_s<=%.3fs", bound))
	if c.Found < 0 || l.Label(c.Found) != "11" {
		t.Errorf("%v, size %d; want 11 servers, p95 %.2f s; 10 have %.2f s", c.Verdict, c.Found, with, less)
	}
}

// A model that takes 25 s for an answer has no p95 of 20 s with any quota.
func TestModelTooSlow(t *testing.T) {
	text := strings.Replace(fmt.Sprintf(twoASecond, "6000/min"), "500ms", "25s", 1)
	c, _ := growOf(t, "limits", text, 2, "success_ratio>=99%", "latency_p95_s<=20s")
	if r := c.Relaxed; c.Verdict != measure.Missed || r == nil || !c.Hopeless {
		t.Errorf("%v, relaxed %+v; want that neither policy nor quota helps", c.Verdict, r)
	} else if !reflect.DeepEqual(r.Misses, []int{1}) || r.Goals[0].Mean != 1 || r.Goals[1].Mean != 25 {
		t.Errorf("missed %v, goals %+v; want the second, by 25 s", r.Misses, r.Goals)
	}
}

// Of 1.2M tokens a minute of gpt-4o, Build's 450k refuse most, Launch's 2M and Grow's 30M none: each tier is judged,
// and what else the scenario says of the provider stays.
func TestSmallestTier(t *testing.T) {
	c, l := growOf(t, "tier", `
workload:
  open: {rate: 20/s, calls: 4000, gaps: {constant: {}}}
  prompt_tokens: 900
  output_tokens: 100
  max_tokens: 1000
provider: {preset: openai-build-gpt-4o, round_trip: 20ms}
policy: no-retry
price: gpt-4o
`, 2, "success_ratio>=99%")
	if c.Found < 0 || l.Label(c.Found) != "openai-launch-gpt-4o" || len(c.Steps) != 3 {
		t.Fatalf("%v, size %d, %d steps; want Launch of three", c.Verdict, c.Found, len(c.Steps))
	}
	for i, want := range []measure.Verdict{measure.Missed, measure.Met, measure.Met} {
		if c.Steps[i].Verdict != want {
			t.Errorf("%s: %v; want %v", l.Label(i), c.Steps[i].Verdict, want)
		}
	}
	player, err := l.Player(2)
	if err != nil {
		t.Fatal(err)
	}
	p := player.(*Simulator).Templates[0].Base.Provider
	if p.RoundTrip.String() != "20ms" || p.Limits[1].Limit.Amount != 30_000_000 {
		t.Errorf("round trip %v, limits %v; want 20 ms and those of Grow", p.RoundTrip, p.Limits)
	}
}

// Of 50 seeds of a random scenario at least 48 find the smallest quota within a step of the true one, which 1,500
// replications of another seed tell at each size.
func TestSmallestQuotaOfRandomScenario(t *testing.T) {
	if testing.Short() {
		t.Skip("its 50 searches take seconds")
	}
	const text = `
workload: {open: {rate: 2/s, calls: 120}, prompt_tokens: 10, output_tokens: 10}
provider: {limits: [{resource: requests, limit: 40/min, burst: 2}], latency: {first_token: 1s}}
policy: no-retry
`
	const goalText = "success_ratio>=90%"
	bound := goal(t, goalText).Goal
	truth := 0.0
	for l := 100.0; truth == 0; l += 10 {
		s := testkit.Template(t, text, "seed=1000", fmt.Sprintf("provider.limits.0.limit=%g/min", l),
			fmt.Sprintf("provider.limits.0.burst=%g", math.Ceil(2*l/40))).Base
		runs, err := measure.Replicator{}.Run(t.Context(), s, 0, 1500)
		if err != nil {
			t.Fatal(err)
		}
		mean := 0.0
		for _, r := range runs {
			mean += r.Values[bound.Metric] / float64(len(runs))
		}
		t.Logf("%g/min: %.4f", l, mean)
		if mean >= bound.Bound {
			truth = l
		}
	}
	const seeds = 50
	wrong, total := 0, 0
	for seed := range seeds {
		c, l := growOf(t, "provider.limits.0", fmt.Sprintf("seed: %d\n%s", seed+1, text), 2, goalText)
		total += c.Replications
		if off := c.Found - roundedUp(truth); off < -1 || off > 1 {
			wrong++
			t.Logf("seed %d: %v at %d, %s; want %g/min", seed, c.Verdict, c.Found, l.Label(max(0, c.Found)), truth)
		}
	}
	t.Logf("%d of %d wrong; %d replications on average", wrong, seeds, total/seeds)
	if wrong > seeds/20 {
		t.Errorf("%d of %d are off by more than a step; want at most 2", wrong, seeds)
	}
}

// The answer has the same bytes for any number of jobs.
func TestJobsDoNotChangeCapacity(t *testing.T) {
	var first string
	for _, jobs := range []int{1, 2} {
		template := testkit.Template(t, testkit.Small)
		q := asked(t, template, "latency_p95_s", "success_ratio>=95%", "latency_p95_s<=9s")
		p := NewPlayer([]*scenario.Template{template}, template.Sweep.Axes, &q, jobs)
		g, err := NewGrowth(p, q, "slots", []Point{{1, 1}})
		if err != nil {
			t.Fatal(err)
		}
		c := grow(t, g)
		policy, relaxed := *c.Policy, *c.Relaxed
		c.Policy, c.Relaxed = nil, nil
		got := fmt.Sprintf("%+v\n%+v\n%+v", *c, policy, relaxed)
		if first == "" {
			first = got
			t.Logf("%v at %d, %d steps, %d replications", c.Verdict, c.Found, len(c.Steps), c.Replications)
		} else if got != first {
			t.Errorf("with %d jobs:\n%s\nwith 1:\n%s", jobs, got, first)
		}
	}
}

// A gate of 1 lets no number of keys help, and 128 keys are more than a scenario may have: the policy is chosen again
// at as many as there can be. Without a gate, calls of 2.8 s that start each half second and take keys in turn have
// 1.87 in flight on each of 3 keys, which have two slots; on each of 2 keys they would have 2.8.
func TestKeysBeyondAGate(t *testing.T) {
	text := strings.Replace(fmt.Sprintf(twoASecond, "5000/min"), "no-retry",
		"{preset: no-retry, gate: {semaphore: 1}, route: {by: round_robin}}\n"+
			"sweep: {policy.gate.semaphore: [1, none]}", 1)
	text = strings.Replace(text, "first_token: 500ms", "first_token: 2.8s", 1)
	text = regexp.MustCompile(`limits: .*`).ReplaceAllString(text, "limits: [{resource: concurrency, limit: 2}]")
	template := testkit.Template(t, text)
	q := asked(t, template, "latency_mean_s", "success_ratio>=95%", "latency_p95_s<=5s")
	p := NewPlayer([]*scenario.Template{template}, template.Sweep.Axes, &q, 1)
	g, err := NewGrowth(p, q, "keys", nil)
	if err != nil {
		t.Fatal(err)
	}
	g.Policies = []Point{{0}}
	if c := grow(t, g); c.Found < 0 || g.Ladder.Label(c.Found) != "3" {
		t.Errorf("%v at %d; want 3 keys", c.Verdict, c.Found)
	}
}

// What cannot be grown is refused in words.
func TestWhatCannotBeGrown(t *testing.T) {
	template := testkit.Template(t, testkit.Small+"  provider.limits.0.limit: [100/min, 200/min]\n")
	q := asked(t, template, "latency_p95_s", "success_ratio>=95%")
	p := NewPlayer([]*scenario.Template{template}, template.Sweep.Axes, &q, 1)
	for what, want := range map[string]string{
		"keyz":              "keys",
		"tier":              "provider.preset of small is none",
		"provider.limits.2": "the provider has 2 limits, counted from 0",
		"provider.limits.0": "the space has the axis provider.limits.0.limit",
		"deployments.0":     "found",
	} {
		if _, err := NewLadder(p, what); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", what, err, want)
		}
	}
}
