package measure

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stampede/backend"
	"stampede/fleet"
	"stampede/internal/testkit"
	"stampede/policy"
	"stampede/provider"
	"stampede/sim"
	"stampede/wire"
)

// valuesOf runs a scenario and gives the values of some metrics, by replication.
func valuesOf(t testing.TB, text string, set []string, metrics ...string) [][]float64 {
	t.Helper()
	s := testkit.Template(t, text, set...).Base
	runs, err := Replicator{}.Run(t.Context(), s, 0, s.Replications)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]float64
	for _, name := range metrics {
		out = append(out, Column(runs, Index(name)))
	}
	return out
}

// Thirty-two slots that are never free, of one second each, answer 1,920 a minute after any
// warm-up, whatever waits before them.
const saturated = `
name: saturated
replications: 1
horizon: 120s
workload: {closed: {think: 0s}, prompt_tokens: 1, output_tokens: 1}
fleet: {workers: 1024}
provider:
  capacity: {slots: 32, queue: unlimited}
  latency: {first_token: 1s}
`

// Six calls a second, each answered after 20 s.
const delayed = `
name: delayed
replications: 1
horizon: 300s
workload: {open: {rate: 6/s, gaps: constant}, prompt_tokens: 1, output_tokens: 1}
provider: {latency: {first_token: 20s}}
`

// Twelve calls a second, one attempt each, before a gate that lets ten through: those that
// arrive after 150 s wait for 600 - 500 s x 1/s = 30 s and more of earlier ones.
const gated = `
name: gated
replications: 1
horizon: 200s
workload: {open: {rate: 12/s, gaps: constant}, prompt_tokens: 1, output_tokens: 1}
provider: {latency: {first_token: 1s}}
policy: {gate: {semaphore: 10}}
`

// A batch of 100 calls under ten workers, two seconds each: 20 s.
const given = `
name: given
replications: 1
workload: {batch: {calls: 100}, prompt_tokens: 1, output_tokens: 1}
fleet: {workers: 10}
provider: {latency: {first_token: 2s}}
`

// company is a call a second from another fleet, at 1 s the first, each answered after 2 s: those
// of 1 to 598 s by 10 min, and the one of 599 s not.
const company = "other_fleets=[{workload: {open: {rate: 1/s, gaps: constant}, prompt_tokens: 1, output_tokens: 1}}]"

const byHour = "price={input: 1, output: 2, per_hour: 98}"

// fallback serves calls of [given] at a quality while the provider fails, as fast as that.
func fallback(quality string) []string {
	return []string{"provider.faults=[{for: 10s, status: 503}]", "policy.fallback.on=true",
		"fallbacks=[{provider: {latency: {first_token: 2s}}, quality: " + quality + "}]"}
}

// tokens makes each call cost a thousandth of a cent for its prompt and two for its answer.
const tokens = "workload={batch: {calls: 100}, prompt_tokens: 1000, output_tokens: 1000}"

// Rates are of what happens in the measured time, ratios of the calls that arrive in it.
func TestMeasuredTime(t *testing.T) {
	for _, c := range []struct {
		name, text string
		set        []string
		metric     string
		want       float64
	}{
		{"saturated from the start", saturated, nil, "goodput_per_min", 1920},
		{"after 30 s", saturated, []string{"warmup=30s"}, "goodput_per_min", 1920},
		{"after 60 s", saturated, []string{"warmup=60s"}, "goodput_per_min", 1920},
		{"after 90 s", saturated, []string{"warmup=90s"}, "goodput_per_min", 1920},
		{"nothing is left to measure", saturated, []string{"warmup=120s"}, "goodput_per_min", math.NaN()},

		// The first answer is that of 20 s: 6 x 280 s answers in 5 min. The drain from 300 to
		// 320 s neither adds answers nor time.
		{"open, started empty", delayed, nil, "goodput_per_min", 336},
		{"open, once it is full", delayed, []string{"warmup=20s"}, "goodput_per_min", 360},
		{"open, later", delayed, []string{"warmup=100s"}, "goodput_per_min", 360},
		{"open, calls of the cohort", delayed, []string{"warmup=100s"}, "calls", 1200},
		{"open, all of them are answered", delayed, []string{"warmup=100s"}, "answered", 1200},
		{"open, sent", delayed, []string{"warmup=100s"}, "attempts_per_s", 6},

		{"attempts of the cohort alone", gated, []string{"warmup=150s"}, "attempts_per_call", 1},
		{"attempts of 50 s of arrivals", gated, []string{"warmup=150s"}, "attempts", 600},
		{"what the gate lets through", gated, []string{"warmup=150s"}, "attempts_per_s", 10},
		{"and is answered", gated, []string{"warmup=150s"}, "goodput_per_min", 600},

		{"a given number", given, nil, "goodput_per_min", 300},
		{"with time to spare", given, []string{"horizon=1h"}, "goodput_per_min", 300},
		// Fifty started before 10 s and forty of them are answered by then, the others at 10 s.
		{"cut off", given, []string{"horizon=10s"}, "goodput_per_min", 300},
		// At 9 s fifty have started; the last ten are answered at 10 s, after the end.
		{"cut off in the middle", given, []string{"horizon=9s"}, "goodput_per_min", 40 / 9.0 * 60},
		{"beside calls that go on", given, []string{"horizon=10m", "measure=main", company}, "goodput_per_min", 300},
		{"and with these", given, []string{"horizon=10m", "measure=all", company}, "goodput_per_min",
			(100 + 598) / 10.0},

		// Five answers a second share $98 an hour: 98 x 1,000 / (5 x 3,600) for a thousand (Little: ten workers
		// of two seconds). The tokens of each cost 1,000 x $1 + 1,000 x $2 per million, $3 for a thousand.
		{"capacity by the hour", given, []string{"price={per_hour: 98}"}, "usd_per_1000_answers", 98.0 / 18},
		{"besides tokens", given, []string{byHour, tokens}, "usd_per_1000_answers", 98.0/18 + 3},
		{"its part", given, []string{byHour, tokens}, "usd_capacity_per_1000_answers", 98.0 / 18},
		{"20 s of it", given, []string{byHour, tokens}, "usd_capacity", 98.0 / 180},
		{"20 s of it and 100 answers", given, []string{byHour, tokens}, "usd_total", 98.0/180 + 0.3},
		{"an hour of both", given, []string{byHour, tokens}, "usd_per_hour", 98 + 3*18},
		// In the 20 s of its last answer the other fleet has 18, those of 1 to 18 s.
		{"the share of a fleet of 100 answers in 118", given,
			[]string{"horizon=10m", "measure=main", company, "price={per_hour: 98}"}, "usd_capacity",
			98.0 / 180 * 100 / 118},
		{"each answer pays alike", given, []string{"horizon=10m", "measure=main", company, "price={per_hour: 98}"},
			"usd_per_1000_answers", 98.0 / 180 / 0.118},
		{"after a warm-up", delayed, []string{"warmup=100s", "price={per_hour: 21.6}"}, "usd_per_1000_answers",
			1}, // 6 answers a second
		{"three servers, each paid by the hour", given, []string{byHour, "deployments=[{copies: 2}]"}, "usd_capacity",
			3 * 98.0 / 180},
		{"one server under three keys", given, []string{byHour, "keys=3"}, "usd_capacity", 98.0 / 180},
		{"a fallback at the price of the first", given, []string{byHour, "policy.fallback.on=true",
			"fallbacks=[{provider: {}}]"}, "usd_capacity", 98.0 / 180},
		{"a fallback with a server of its own", given, []string{byHour, "policy.fallback.on=true",
			"fallbacks=[{provider: {}, price: {per_hour: 49}}]"}, "usd_capacity", 1.5 * 98.0 / 180},
		{"none by the hour", given, nil, "usd_per_hour", math.NaN()},
		// The provider fails until 10 s: of the hundred the fifty that start by then go to the fallback.
		{"half from a fallback", given, fallback("80%"), "quality_mean", 0.9},
		{"300 a minute at 0.9", given, fallback("80%"), "quality_goodput_per_min", 270},
		{"all of its answers by 10 s", given, append(fallback("80%"), "horizon=10s"), "quality_goodput_per_min", 240},
		{"the second half", given, append(fallback("80%"), "warmup=10s"), "quality_mean", 1},
		{"a fallback that is worth nothing", given, fallback("none"), "quality_goodput_per_min", 150},
		{"a fallback as good", given, fallback("null"), "quality_mean", 1},
		{"in turn", given, []string{"deployments=[{quality: 50%}]", "policy.route.by=round_robin"},
			"quality_mean", 0.75},
		{"another key", given, []string{"keys=2", "policy.route.by=round_robin"}, "quality_mean", 1},
		{"the provider alone", given, nil, "quality_goodput_per_min", 300},
		{"no answer", given, []string{"provider.faults=[{status: 500}]"}, "quality_mean", math.NaN()},
		{"cut off, its last end", given, []string{"horizon=9s"}, "makespan_s", 10},
	} {
		got := valuesOf(t, c.text, c.set, c.metric)[0][0]
		if math.Abs(got-c.want) > 1e-9*math.Abs(c.want) || math.IsNaN(got) != math.IsNaN(c.want) {
			t.Errorf("%s: %s is %v, want %v", c.name, c.metric, got, c.want)
		}
	}
}

// A start at the beginning is inside and an end is not; at the end it is the other way round.
func TestEndsOfTheMeasuredTime(t *testing.T) {
	m, whole := Measured{10, 20}, Measured{0, 20}
	for at, want := range map[sim.Time][2]bool{9: {false, false}, 10: {true, false}, 11: {true, true},
		19: {true, true}, 20: {false, true}, 21: {false, false}} {
		if m.Starts(at) != want[0] || m.Ends(at) != want[1] {
			t.Errorf("at %d: starts inside %v, ends inside %v; want %v", at, m.Starts(at), m.Ends(at), want)
		}
	}
	if !whole.Starts(0) || !whole.Ends(0) || m.Length() != 10 || (Measured{20, 10}).Length() != 0 {
		t.Error("what ends at the start of the run is inside, and no length is negative")
	}
}

// In a closed model that is stationary, goodput does not depend on the warm-up: between two
// warm-ups it differs by no more than ten standard errors of the paired difference (with ten
// replications exceeded once in half a million) and what one round of all workers adds to the
// shorter time. Cohorts over drains were off by a quarter and more here.
func TestGoodputDoesNotDependOnTheWarmup(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		workers := rapid.IntRange(1, 60).Draw(rt, "workers")
		slots := rapid.IntRange(1, 20).Draw(rt, "slots")
		think := rapid.SampledFrom([]string{"0s", "500ms", "{exponential: {mean: 1s}}"}).Draw(rt, "think")
		service := rapid.SampledFrom([]string{"500ms", "{exponential: {mean: 500ms}}",
			"{lognormal: {mean: 500ms, cv: 1}}"}).
			Draw(rt, "service")
		text := fmt.Sprintf(`
name: stationary
replications: 10
seed: %d
horizon: 120s
workload: {closed: {think: %s}, prompt_tokens: 1, output_tokens: 1}
fleet: {workers: %d}
provider:
  capacity: {slots: %d, queue: unlimited}
  latency: {first_token: %s}
`, rapid.Uint64Range(1, 1<<40).Draw(rt, "seed"), think, workers, slots, service)
		early := valuesOf(t, text, []string{"warmup=" + rapid.SampledFrom([]string{"40s", "50s"}).Draw(rt, "early")},
			"goodput_per_min")[0]
		late := valuesOf(t, text, []string{"warmup=" + rapid.SampledFrom([]string{"80s", "90s"}).Draw(rt, "late")},
			"goodput_per_min")[0]
		var d sim.Moments
		for i := range early {
			d.Add(late[i] - early[i])
		}
		slack := 10*d.StdDev()/math.Sqrt(10) + float64(min(workers, 2*slots))/0.5
		if math.Abs(d.Mean()) > slack {
			rt.Errorf("goodput moves by %v from a warm-up to a later one, allowed are %v:\n%s", d.Mean(), slack, text)
		}
	})
}

// Without retries each call makes one attempt, whatever the warm-up, however long it waits for a
// worker or at the gate, and whether it fails or not.
func TestOneAttemptPerCallWithAnyWarmup(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		workload := rapid.SampledFrom([]string{"open: {rate: 12/s}", "closed: {think: 200ms}", "burst: {calls: 300}",
			"batch: {calls: 300}", "open: {rate: 20/s, calls: 300}"}).
			Draw(rt, "workload")
		text := fmt.Sprintf(
			`
name: once
replications: 1
seed: %d
horizon: 60s
warmup: %dms
workload: {%s, prompt_tokens: {uniform: {min: 1, max: 100}}, output_tokens: 1}
fleet: {workers: %d, instances: 2}
provider:
  capacity: {slots: %d, queue: unlimited}
  latency: {first_token: {exponential: {mean: 800ms}}}
  faults: [{at: 20s, for: 10s, share: 30%%, status: 503}]
policy: {retry: {attempts: 1}, gate: {semaphore: %d}}
`,
			rapid.Uint64Range(1, 1<<40).Draw(rt, "seed"),
			rapid.IntRange(0, 55_000).Draw(rt, "warmup"),
			workload,
			rapid.IntRange(1, 20).
				Draw(rt, "workers"),
			rapid.IntRange(1, 20).Draw(rt, "slots"),
			rapid.IntRange(1, 20).Draw(rt, "gate"),
		)
		v := valuesOf(t, text, nil, "attempts_per_call", "calls", "attempts", "measured_s")
		if calls := v[1][0]; v[2][0] != calls || (calls > 0 && v[0][0] != 1) || !(v[3][0] >= 0) {
			rt.Errorf("%v calls, %v attempts, %v per call, measured for %v s:\n%s", calls, v[2][0], v[0][0], v[3][0],
				text)
		}
	})
}

// What happened after the warm-up and after the trigger, by hand. Requests that reach the
// provider at 0 s, five; at 10.05 and 10.15 s, within the trigger from 10 to 20 s, one each;
// at 20.0 s two, of which the second is in the next tenth; at 25.9 s three.
func TestPeaks(t *testing.T) {
	tl := NewTally(testkit.Template(t, `
name: peaks
horizon: 30s
warmup: 5s
workload: {open: {rate: 1/s}, prompt_tokens: 1, output_tokens: 1}
provider: {faults: [{status: 503, at: 10s, for: 10s}]}
`).Base, 5*time.Second)
	var second, tenth fleet.Attempt
	seen := func(ms int, inFlight int) {
		at := sim.Time(ms) * time.Millisecond
		place := func(last *fleet.Attempt, width time.Duration, n int) int {
			if last.Received.Truncate(width) == at.Truncate(width) {
				return n + 1
			}
			return 1
		}
		a := fleet.Attempt{Sent: at, Ended: at, Result: backend.Result{
			Received: at,
			InFlight: inFlight,
			Limit:    provider.NoLimit,
			Reply:    wire.Reply{Status: 200},
			Ordinal:  place(&second, time.Second, second.Ordinal),
			Tenth:    place(&tenth, time.Second/10, tenth.Tenth),
		}}
		second, tenth = a, a
		tl.Attempt(&a)
	}
	for range 5 {
		seen(0, 9)
	}
	seen(10_050, 4)
	seen(10_150, 4)
	seen(20_050, 1)
	seen(20_150, 2)
	seen(25_900, 1)
	seen(25_910, 2)
	seen(25_920, 3)
	seen(31_000, 8) // after the horizon
	tl.finish(&fleet.Summary{NotStarted: []uint64{0}, SessionsCut: []uint64{0}, Last: []sim.Time{31 * time.Second}})
	values := tl.Values()
	for name, want := range map[string]float64{
		"peak_in_flight": 4, "peak_in_flight_after_trigger": 3,
		"peak_arrivals_per_s": 3, "peak_arrivals_after_trigger_per_s": 3,
		"peak_arrivals_per_100ms": 3, "peak_arrivals_after_trigger_per_100ms": 3,
		"attempts_per_s": 7.0 / 25, "goodput_per_min": 0,
	} {
		if got := values[Index(name)]; got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// A burst of 500 meets an outage of 20 s and comes back after waits of 4, 8 and 16 s, each
// around by 20 %. The sum of the first two is within 2.4 s of 12 s, so that the density of the
// last return is 500/6.4 = 78 a second from 27.2 to 28.8 s and falls off beside it. The fullest
// second is that of 28 s or the one before: 78 with a deviation of sqrt(500 x 0.156 x 0.844) = 8,
// the larger of two some 5 above. Of the whole run the fullest second is the first.
func TestHerdAfterAnOutage(t *testing.T) {
	const text = `
name: outage
replications: 30
workload: {burst: {calls: 500}, prompt_tokens: 1, output_tokens: 1}
provider: {faults: [{status: 503, at: 0s, for: 20s}]}
policy: {retry: {attempts: 6, backoff: {exponential: {base: 4s, factor: 2, jitter: {around: 20%}}}}}
`
	v := valuesOf(t, text, nil, "peak_arrivals_per_s", "peak_arrivals_after_trigger_per_s",
		"peak_arrivals_after_trigger_per_100ms")
	if e := EstimateOf(v[0], 0.95); e.Mean != 500 {
		t.Errorf("%v in the fullest second of the run, want all 500", e.Mean)
	}
	if e := EstimateOf(v[1], 0.95); e.Mean < 76 || e.Mean > 92 {
		t.Errorf("%v in the fullest second after the outage, want 76 to 92", e.Mean)
	}
	if e := EstimateOf(v[2], 0.95); e.Mean < 8 || e.Mean > 30 {
		t.Errorf("%v in the fullest tenth of a second, want more than the mean of 8 and far less than 76", e.Mean)
	}
}

// A call that waits all through a window in which nothing is asked tells that all are stuck.
func TestCollapseLevel(t *testing.T) {
	call := func(arrived, ended sim.Time, outcome policy.Outcome) *fleet.Call {
		return &fleet.Call{Arrived: arrived * time.Second, Ended: ended * time.Second, Outcome: outcome}
	}
	window := Measured{300 * time.Second, 400 * time.Second}
	for _, c := range []struct {
		name      string
		calls     []*fleet.Call
		level     float64
		collapsed float64
	}{
		{"half is not below half", []*fleet.Call{call(310, 320, policy.Answered), call(390, 410, policy.Answered)},
			0.5, 0},
		{"failed", []*fleet.Call{call(310, 320, policy.GaveUpAttempts), call(320, 330, policy.GaveUpAttempts),
			call(340, 350, policy.Answered)}, 1.0 / 3, 1},
		{"an answer to an earlier call", []*fleet.Call{call(290, 301, policy.Answered),
			call(399, 401, policy.Answered)}, 1, 0},
		{"stuck", []*fleet.Call{call(10, 500, policy.Answered)}, 0, 1},
		{"nobody there", []*fleet.Call{call(10, 20, policy.Answered)}, math.NaN(), math.NaN()},
	} {
		k := collapse{window: window, below: 0.5}
		for _, one := range c.calls {
			k.add(one)
		}
		level, collapsed := k.level(), k.collapsed()
		same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		if !same(level, c.level) || !same(collapsed, c.collapsed) {
			t.Errorf("%s: level %v, collapsed %v; want %v and %v", c.name, level, collapsed, c.level, c.collapsed)
		}
	}
}
