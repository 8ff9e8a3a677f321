package report

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stampede/measure"
	"stampede/sweep"
)

// made is a point of a folder made by hand: what it gives in each replication.
type made struct {
	labels                             []string
	success, p95, cost, wasted, rounds []float64 // rounds: attempts per call
	reason                             string
}

// four are values of four replications around x, which another metric shares.
func four(x float64) []float64 { return []float64{x - 0.02, x + 0.01, x - 0.01, x + 0.02} }

func same(x float64) []float64 { return []float64{x, x, x, x} }

// folder writes a folder of points and compares them. Each replication has 1,000 calls.
func folder(t *testing.T, axes []string, points []made, change func(*sweep.Manifest)) *Comparison {
	t.Helper()
	dir := t.TempDir()
	m := &sweep.Manifest{Format: 1, Name: "made", Replications: 4, Points: len(points), Objective: "answered",
		Scenario: []byte("{}"), Policy: "p", Provider: "q"}
	for k, path := range axes {
		axis := sweep.ManifestAxis{Path: path}
		for _, p := range points {
			if !slices.Contains(axis.Values, p.labels[k]) {
				axis.Values = append(axis.Values, p.labels[k])
			}
		}
		m.Axes = append(m.Axes, axis)
	}
	if change != nil {
		change(m)
	}
	text, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, sweep.ManifestName), text, 0o644); err != nil {
		t.Fatal(err)
	}
	rows := sweep.Header(axes)
	for i, p := range points {
		if p.reason != "" {
			row := sweep.Row{Point: i, Replication: -1, Labels: p.labels, Reason: p.reason}
			rows = row.Append(rows)
			continue
		}
		for r := range p.success {
			values := make([]float64, len(measure.Metrics()))
			for k := range values {
				values[k] = math.NaN()
			}
			for name, x := range map[string]float64{
				"success_ratio": p.success[r], "answered": 1000 * p.success[r], "calls": 1000,
				"latency_p95_s": p.p95[r], "latency_mean_s": p.p95[r] / 2, "makespan_s": 600,
				"usd_per_1000_answers": p.cost[r], "usd_total": p.cost[r] * p.success[r],
				"usd_wasted": p.wasted[r] * p.success[r], "attempts": 1000 * p.rounds[r],
				"attempts_per_call": p.rounds[r], "gave_up_deadline": 5, "attempts_timeout": 7, "random": 1,
			} {
				values[measure.Index(name)] = x
			}
			row := sweep.Row{Point: i, Replication: r, Labels: p.labels, Values: values}
			rows = row.Append(rows)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, sweep.ResultsName), rows, 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := Compare(dir, CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func concluded(c *Comparison) string {
	var out strings.Builder
	for _, l := range c.Conclusion.Lines {
		out.WriteString(l.Label + ": " + l.Text + "\n")
	}
	return out.String()
}

// said fails for each text that a conclusion lacks, and for more than five lines.
func said(t *testing.T, c *Comparison, answer Answer, point int, want ...string) {
	t.Helper()
	got := concluded(c)
	if c.Conclusion.Answer != answer || point >= 0 && (c.Conclusion.Point == nil || *c.Conclusion.Point != point) {
		t.Errorf("answer %s, point %v; want %s, %d", c.Conclusion.Answer, c.Conclusion.Point, answer, point)
	}
	if len(c.Conclusion.Lines) > 5 {
		t.Errorf("%d lines, want 5 at most", len(c.Conclusion.Lines))
	}
	for _, text := range want {
		if !strings.Contains(got, text) {
			t.Errorf("lacks %q:\n%s", text, got)
		}
	}
}

const (
	gate   = "policy.gate.semaphore"
	jitter = "policy.retry.backoff.exponential.jitter"
	tries  = "policy.retry.attempts"
)

// The gate of 8 answers 99 %, that of 16 answers 50 %; the jitter changes no value in any replication, since no
// call makes a second attempt. Of the two tied points the scenario's own is named: its jitter is full. Half of
// the money is wasted.
func TestConclusionOfAnAxisThatNeverMatters(t *testing.T) {
	point := func(g, j string, success float64) made {
		return made{labels: []string{g, j}, success: four(success), p95: four(20), cost: same(0.4), wasted: same(0.2),
			rounds: same(1)}
	}
	c := folder(t, []string{gate, jitter}, []made{
		point("8", "none", 0.97), point("8", "full", 0.97), point("16", "none", 0.5), point("16", "full", 0.5),
	}, func(m *sweep.Manifest) { m.Base = 1 })
	said(t, c, ShipPoint, 1,
		"ship: the scenario as it is (point 1): semaphore 8\n",
		"why: highest answered of 4 points, tied with 1 other; it changes nothing\n",
		"gives: only 97 ±3 % answered, p95 20.00 ±0.03 s", // t(3) s/sqrt(4) = 3.182 x 0.01826 / 2 = 0.029
		"$0.4 per 1,000 answers, 50 % waste",
		"axes: decide: semaphore; no effect anywhere: jitter (no call needed a second attempt)\n")
	if want := []int{0, 1}; !slices.Equal(c.Conclusion.Tied, want) {
		t.Errorf("tied %v, want %v", c.Conclusion.Tied, want)
	}
}

// Two attempts, as in the scenario, lose half of the calls. With 4 and with 8 a call more or less is answered:
// not to be told apart. Both differ in one setting from the scenario, so that the fewer attempts are named.
func TestConclusionAmongTiedPoints(t *testing.T) {
	point := func(attempts string, success []float64) made {
		return made{labels: []string{attempts}, success: success, p95: same(20), cost: same(0), wasted: same(0),
			rounds: same(2)}
	}
	c := folder(t, []string{tries}, []made{
		point("8", []float64{0.996, 0.994, 0.996, 0.995}), point("2", same(0.5)),
		point("4", []float64{0.995, 0.996, 0.994, 0.995}),
	}, func(m *sweep.Manifest) { m.Base = 1 })
	said(t, c, ShipPoint, 2,
		"ship: point 2, the scenario with attempts 4 (now 2)\n",
		"why: highest answered of 3 points, tied with 1 other; it differs least from the scenario and allows the ",
		"gives: 99.50 ±0.13 % answered, p95 20 s, done in 600 s\n", // without a price no cost
		"axes: decide: attempts\n")
}

// A gate of 4, the scenario's, answers as many calls as one of 8, each of them later. It costs nothing to say
// so: the simplest of the tied points is not named where another is clearly better in something and worse in
// nothing.
func TestConclusionPrefersTheFasterOfTiedPoints(t *testing.T) {
	point := func(gate string, p95 float64) made {
		return made{labels: []string{gate}, success: four(0.97), p95: four(p95), cost: same(0.4), wasted: same(0),
			rounds: same(1)}
	}
	c := folder(t, []string{gate}, []made{point("4", 76), point("8", 42), point("9", 41.9)},
		func(m *sweep.Manifest) { m.Scenario = []byte(`{"policy": {"gate": {"semaphore": "4"}}}`) })
	said(t, c, ShipPoint, 1, // 41.9 is not 1 % less than 42
		"ship: point 1, the scenario with semaphore 8 (now 4)\n",
		"tied with 2 others; simpler point 0 is worse in latency_p95_s\n",
		"no waste", "axes: decide: semaphore\n")
}

// The lowest cost of answers is that of the survivors where most calls fail: such a point is not named.
func TestConclusionOfCostsLooksAtSurvivors(t *testing.T) {
	point := func(gate string, success, cost float64) made {
		return made{labels: []string{gate}, success: same(success), p95: four(20), cost: four(cost), wasted: same(0),
			rounds: same(1)}
	}
	c := folder(t, []string{gate}, []made{point("4", 0.2, 1), point("8", 0.995, 4), point("16", 0.999, 5)},
		func(m *sweep.Manifest) { m.Objective = "usd_per_1000_answers" })
	said(t, c, ShipPoint, 1,
		"why: lowest usd_per_1000_answers of 3 points that answer 99 % of calls, or as many as any (95 % confidence)")
}

// The rate of the calls is nothing to ship: points are compared at that of the scenario.
func TestConclusionHoldsConditions(t *testing.T) {
	point := func(rate, gate string, success float64) made {
		return made{labels: []string{rate, gate}, success: four(success), p95: same(20), cost: same(0.4),
			wasted: same(0), rounds: same(1)}
	}
	axes := []string{"workload.open.rate", gate}
	points := []made{
		point("1/s", "4", 0.97), point("1/s", "8", 0.9), point("9/s", "4", 0.5), point("9/s", "8", 0.7),
	}
	c := folder(t, axes, points, func(m *sweep.Manifest) { m.Base = 2 })
	said(t, c, ShipPoint, 3, "ship: point 3, the scenario with semaphore 8 (now 4); where rate 9/s\n",
		"of 2 points (95 % confidence)")
	of := func(rate string) made {
		return made{labels: []string{rate}, success: same(1), p95: same(1), cost: same(0), wasted: same(0),
			rounds: same(1)}
	}
	c = folder(t, axes[:1], []made{of("1/s"), of("2/s")}, func(m *sweep.Manifest) { m.Base = 1 })
	said(t, c, NothingToAsk, 1, "ship: nothing to choose: one point has results in the scenario's conditions, "+
		"the scenario as it is (point 1): where rate 2/s\n")
}

// A point that answers 60 % in one replication and all calls in the others is tied with those that answer all:
// s = 0.2, and t(3, 97.5 % one-sided) x 0.2 / 2 = 0.32 exceeds the difference of 0.1. That makes it no equal: it
// is not named, though it is the scenario itself.
func TestConclusionDoesNotTakeTiesForEquals(t *testing.T) {
	point := func(gate string, success []float64) made {
		return made{labels: []string{gate}, success: success, p95: same(20), cost: same(0.4), wasted: same(0),
			rounds: same(1)}
	}
	c := folder(t, []string{gate}, []made{
		point("4", []float64{1, 1, 0.6, 1}), point("8", same(1)), point("16", same(0.1)),
	}, func(m *sweep.Manifest) { m.Scenario = []byte(`{"policy": {"gate": {"semaphore": "4"}}}`) })
	said(t, c, ShipPoint, 1, "tied with 1 other; the others are more than 1 % worse on average",
		"axes: decide: semaphore")
}

// A metric that is neither better nor worse ranks nothing; a sample has no two points that differ in one axis
// alone; and the control of a point, without its trigger, is no candidate.
func TestConclusionOfOtherSweeps(t *testing.T) {
	point := func(success float64, labels ...string) made {
		return made{labels: labels, success: four(success), p95: same(20), cost: same(0.4), wasted: same(0),
			rounds: same(1)}
	}
	c := folder(t, []string{gate}, []made{point(0.9, "4"), point(0.97, "8")}, func(m *sweep.Manifest) {
		m.Objective = "calls"
	})
	said(t, c, NothingToAsk, -1, "ship: nothing to conclude: no point has a value of goodput_per_min\n")
	lacking := point(0.97, "4")
	lacking.p95 = []float64{1, math.NaN(), 1, 1}
	c = folder(t, []string{gate}, []made{lacking, point(0.97, "8"), point(0.97, "9")}, func(m *sweep.Manifest) {
		m.Minimize = "latency_p95_s"
	})
	said(t, c, ShipPoint, 1, "why: lowest latency_p95_s of 3 points that answer 99 % of calls, or as many as any, 1 "+
		"of which lack it in a replication, tied with 1 other; it is the first")
	c = folder(t, []string{gate, tries}, []made{point(0.5, "4", "3"), point(0.97, "8", "2")},
		func(m *sweep.Manifest) { m.Sample = "halton" })
	said(t, c, ShipPoint, 1,
		"axes: semaphore explains most of the variance (100 %); no two points of a sample differ")
	c = folder(t, []string{gate, sweep.TriggerAxis}, []made{point(0.5, "4", "on"), point(0.99, "4", "off"),
		point(0.8, "8", "on"), point(0.97, "8", "off")}, nil)
	said(t, c, ShipPoint, 2, "ship: point 2: semaphore 8\n", "of 2 points", "axes: decide: semaphore\n")
}

// Where there is nothing to ship, the conclusion says so: no call is answered, one point was run, no point
// is complete.
func TestConclusionWithoutAChoice(t *testing.T) {
	point := func(gate string, success float64) made {
		return made{labels: []string{gate}, success: same(success), p95: same(math.NaN()), cost: same(math.NaN()),
			wasted: same(0), rounds: same(3)}
	}
	c := folder(t, []string{gate}, []made{point("4", 0), point("8", 0)}, nil)
	said(t, c, NoAnswers, -1, "ship: none: no call is answered at any of 2 points\n")

	c = folder(t, nil, []made{{success: four(0.97), p95: same(20), cost: same(0.4), wasted: same(0), rounds: same(1)}},
		nil)
	said(t, c, NothingToAsk, 0, "gives: only 97 ±3 % answered")
	if got := concluded(c); strings.Contains(got, "ship") || strings.Contains(got, "axes") {
		t.Errorf("a run has nothing to choose:\n%s", got)
	}

	c = folder(t, []string{gate}, []made{point("8", 0.97), {labels: []string{"x"}, reason: "no such gate"}}, nil)
	said(t, c, NothingToAsk, 0, "ship: nothing to choose")
}

// One replication tells no two points apart, and a sweep with replications to come says so.
func TestConclusionOfTooLittle(t *testing.T) {
	point := func(gate string, success float64) made {
		return made{labels: []string{gate}, success: []float64{success}, p95: []float64{20}, cost: []float64{0.4},
			wasted: []float64{0}, rounds: []float64{1}}
	}
	c := folder(t, []string{gate}, []made{point("4", 0.9), point("8", 0.3)}, nil)
	said(t, c, ShipPoint, 0, "why: one replication tells no points apart; this one has the highest answered",
		"so far, the sweep is not complete",
		"gives: only 90 ±? % answered")
}

// Of the points that meet a goal the cheapest is named, the goal binds that keeps out a cheaper one, and a cheaper
// one that may meet it is no candidate: with t(3, 0.975) = 3.182, 99.1 % +- 0.3 % may be 99 %. The second of
// those that meet it costs the same to the cent and differs from the scenario, so that it is not named.
func TestConclusionWithGoals(t *testing.T) {
	point := func(gate string, success, p95, cost float64) made {
		around := []float64{success - 0.002, success + 0.001, success - 0.001, success + 0.002}
		return made{labels: []string{gate}, success: around, p95: four(p95), cost: four(cost), wasted: same(0),
			rounds: same(2)}
	}
	points := []made{
		point("2", 0.8, 5, 1), point("4", 0.991, 15, 2), point("8", 0.996, 18, 3), point("9", 0.996, 18, 3),
		point("16", 0.997, 40, 2.5), point("32", 0.997, 19, 5),
	}
	with := func(goals ...string) *Comparison {
		t.Helper()
		return folder(t, []string{gate}, points, func(m *sweep.Manifest) {
			m.Base, m.Goals, m.Minimize = 3, goals, "usd_per_1000_answers"
		})
	}
	said(t, with("success_ratio>=99%", "latency_p95_s<=20s"), ShipPoint, 3,
		"ship: the scenario as it is (point 3): semaphore 9\n",
		"why: lowest usd_per_1000_answers of the 3 of 6 points that meet success_ratio>=99% and latency_p95_s<=20s, "+
			"tied with 1 other; it changes nothing\n",
		"gives: 99.6 ±0.3 % answered, p95 18.00 ±0.03 s",
		"binds: success_ratio>=99% (99.6 ±0.3 % here): it keeps out 2 of 3 points with a better mean of "+
			"usd_per_1000_answers\n",
		"axes: decide: semaphore")
	said(t, with("success_ratio>=99.68%"), MayMeet, 4, // 99.6 and 99.7 may be it, 99.7 +- 0.3 is above it on average
		"ship: undecided: none of 6 points is known to meet success_ratio>=99.68%, 4 may;",
		"near: point 4, the scenario with semaphore 16 (now 9); success_ratio>=99.68% is undecided (99.7 ±0.3 %)")
	said(t, with("latency_p95_s<=4s"), NoneMeets, 0,
		"ship: none: each of 6 points misses latency_p95_s<=4s\n",
		"near: point 0, the scenario with semaphore 2 (now 9); latency_p95_s<=4s is missed (5.00 ±0.03 s)")
}

// A label of an axis is found in the resolved scenario in each form that it has there.
func TestSaysValue(t *testing.T) {
	var file any
	text := `{"provider": {"name": "tier-1", "limits": [{"limit": "30000/min"}]}, "fleet": {"instances": 12,
		"workers": {"count": "16", "every": "30s"}},
		"policy": {"jitter": {"full": {}}, "timeouts": {"attempt": "1m0s"}}}`
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, label string
		want        bool
	}{
		{"provider.preset", "tier-1", true}, {"provider.preset", "tier-2", false},
		{"provider.limits.0.limit", "30k/min", true}, {"provider.limits.0.limit", "500/s", true},
		{"provider.limits.1.limit", "30k/min", false}, {"fleet.workers", "16", true}, {"fleet.workers", "30s", false},
		{"fleet.instances", "12", true}, {"policy.jitter", "full", true}, {"policy.jitter", "none", false},
		{"policy.timeouts.attempt", "60s", true}, {"policy.gate.semaphore", "none", true},
		{"policy.gate.semaphore", "8", false},
	} {
		if got := saysValue(file, c.path, c.label); got != c.want {
			t.Errorf("%s says %s: %v, want %v", c.path, c.label, got, c.want)
		}
	}
}
