package recommend

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"stampede/internal/testkit"
	"stampede/measure"
	"stampede/scenario"
)

// asked is a question on the sweep of a scenario, from the first values.
func asked(t testing.TB, template *scenario.Template, best string, goals ...string) Question {
	t.Helper()
	q := Question{Axes: AxesOf(template.Sweep.Axes), Objective: objective(best)}
	q.Start = make(Point, len(q.Axes))
	for _, g := range goals {
		q.Constraints = append(q.Constraints, goal(t, g))
	}
	return q
}

// A row is the metrics of a replication of the scenario at the point, the objective first; a point that makes
// no scenario has none.
func TestSimulatorRow(t *testing.T) {
	template := testkit.Template(t, testkit.Small)
	q := asked(t, template, "usd_per_1000_answers", "success_ratio>=90%")
	p := NewPlayer([]*scenario.Template{template}, template.Sweep.Axes, &q, 2)
	p.Show = []int{measure.Index("attempts")}
	rows, err := p.Play(t.Context(), []Ask{{Point{1, 2}, 7}, {Point{1, 3}, 7}, {Point{1, 2}, 8}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := template.With(template.Sweep.Axes, []scenario.Value{
		template.Sweep.Axes[0].Values[1],
		template.Sweep.Axes[1].Values[2],
	})
	if err != nil {
		t.Fatal(err)
	}
	runs, err := measure.Replicator{}.Run(t.Context(), s, 7, 9)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range []int{0, 2} {
		for k, name := range []string{"usd_per_1000_answers", "success_ratio", "attempts"} {
			if got, want := rows[row][k], runs[i].Values[measure.Index(name)]; got != want {
				t.Errorf("replication %d: %s is %v; want %v", 7+i, name, got, want)
			}
		}
	}
	if len(rows[1]) != 3 || !math.IsNaN(rows[1][0]) || !math.IsNaN(rows[1][1]) {
		t.Errorf("the gate named nonsense gives %v; want no values", rows[1])
	}
}

// The answer, and the order of what is told of the way there, has the same bytes for any number of jobs.
func TestJobsDoNotChangeAnswer(t *testing.T) {
	template := testkit.Template(t, testkit.Small)
	q := asked(t, template, "latency_p95_s", "success_ratio>=90%", "attempts_per_call<=4")
	q.Also = []Point{{1, 0}}
	var first string
	for _, jobs := range []int{1, 2, 5} {
		var told strings.Builder
		p := NewPlayer([]*scenario.Template{template}, template.Sweep.Axes, &q, jobs)
		p.Done = func(one Played) { fmt.Fprintln(&told, one.Point, one.Replication, one.Values, one.Err) }
		a := ask(t, q, p)
		text, err := json.Marshal(a.Pick)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%s\n%+v\n%s", text, *a, told.String()); first == "" {
			first = got
		} else if got != first {
			t.Errorf("%d jobs: another answer than with 1", jobs)
		}
		if len(a.Pick) != 2 || a.Pick[1] == 3 || a.Feasible != measure.Met {
			t.Errorf("picked %v, %v; the gate named nonsense cannot be", a.Pick, a.Feasible)
		}
	}
}

// Goals hold in each scenario, and the objective is the weighted mean over them.
func TestSeveralScenarios(t *testing.T) {
	template, slow := testkit.Template(t, testkit.Small), testkit.Template(t, testkit.Small,
		"provider.latency.tokens_per_second=50")
	q := asked(t, template, "latency_mean_s", "success_ratio>=90%", "success_ratio>=90%")
	q.Constraints[1].Scenario = 1
	at := []Ask{{Point{0, 0}, 0}}
	row := func(weights []float64, templates ...*scenario.Template) Row {
		p := NewPlayer(templates, template.Sweep.Axes, &q, 1)
		p.Weights = weights
		if len(templates) == 1 {
			p.Constraints = nil
		}
		rows, err := p.Play(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		return rows[0]
	}
	a, b := row(nil, template)[0], row(nil, slow)[0]
	if a >= b {
		t.Fatalf("latencies %g and %g; want the slow one to be longer", a, b)
	}
	if got := row(nil, template, slow); len(got) != 3 || math.Abs(got[0]-(a+b)/2) > 1e-12 {
		t.Errorf("objective %v; want the mean of %g and %g", got, a, b)
	}
	if got := row([]float64{3, 1}, template, slow); math.Abs(got[0]-(3*a+b)/4) > 1e-12 {
		t.Errorf("objective %v; want three parts %g and one %g", got, a, b)
	}
}

// Inputs that are drawn differ between replications and are those of the replication at every point.
func TestDrawnInputs(t *testing.T) {
	template := testkit.Template(t, testkit.Small)
	q := asked(t, template, "latency_mean_s")
	p := NewPlayer([]*scenario.Template{template}, template.Sweep.Axes, &q, 2)
	p.Show = []int{measure.Index("calls")}
	p.Draw = func(_, replication int) []string {
		return []string{fmt.Sprintf("workload.batch.calls=%d", 50+replication)}
	}
	rows, err := p.Play(t.Context(), []Ask{{Point{0, 0}, 1}, {Point{0, 0}, 2}, {Point{2, 1}, 2}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{51, 52, 52} {
		if rows[i][1] != want {
			t.Errorf("ask %d: %g calls; want %g", i, rows[i][1], want)
		}
	}
}

// Numbers that rise or fall are in order, with a word for no bound at the high end; policies are not.
func TestAxesOf(t *testing.T) {
	for text, want := range map[string]bool{
		"policy.gate.semaphore=4,8,none":                          true,
		"policy.gate.semaphore=none,4,8":                          false,
		"policy.retry.deadline=20s,45s,2m":                        true,
		"policy.retry.deadline=2m,45s,20s":                        true,
		"policy.retry.deadline=20s,2m,45s":                        false,
		"policy.retry.backoff.exponential.jitter=none,equal,full": false,
		"policy=own-the-loop,no-retry":                            false,
		"provider.limits.0.limit=500/min,10/s":                    true,
	} {
		axis, err := scenario.ParseAxis(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := AxesOf([]scenario.Axis{axis})[0]; got.Ordered != want || len(got.Values) != len(axis.Values) {
			t.Errorf("%s: %+v; want ordered %v", text, got, want)
		}
	}
}

// Building a point costs little beside a replication of it.
func BenchmarkBuild(b *testing.B) {
	text, _ := scenario.Embedded(scenario.Default)
	template, err := scenario.NewTemplate(text, scenario.Default, scenario.Options{})
	if err != nil {
		b.Fatal(err)
	}
	q := asked(b, template, "latency_p95_s")
	p := NewPlayer([]*scenario.Template{template}, template.Sweep.Axes, &q, 1)
	for b.Loop() {
		if _, err := p.with(q.Start, 0, nil); err != nil {
			b.Fatal(err)
		}
	}
}
