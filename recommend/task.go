package recommend

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"

	"stampede/measure"
	"stampede/scenario"
	"stampede/sim"
	"stampede/sweep"
)

// Task is a question about scenarios: the first is the one that settings are recommended for, the others must meet the
// goals too.
type Task struct {
	Templates []*scenario.Template
	Aims      measure.Aims
	Axes      []scenario.Axis // of the space, each with the value that the first scenario has
	Question  Question
	Player    *Simulator
}

// shown are the metrics that a recommendation states besides the goals.
var shown = []string{
	"success_ratio", "latency_p95_s", "usd_per_1000_answers", "usd_total", "usd_wasted", "attempts_per_call",
	"goodput_per_min",
}

// NewTask asks for the best point of a space; without axes it is the default one.
func NewTask(templates []*scenario.Template, aims measure.Aims, axes []scenario.Axis) (*Task, error) {
	var err error
	if len(axes) == 0 {
		if axes, err = DefaultAxes(templates[0]); err != nil {
			return nil, err
		}
	}
	for k, a := range axes {
		if axes[k] = a.Rounded(); len(axes[k].Values) == 0 {
			return nil, fmt.Errorf("%s: no value", a.Path)
		}
	}
	t := &Task{Templates: templates, Aims: aims}
	var start Point
	if t.Axes, start, err = WithStart(templates[0], axes); err != nil {
		return nil, err
	}
	t.Question = Question{Axes: AxesOf(t.Axes), Start: start, Objective: aims.Objective,
		Within: DefaultWithin, Confidence: DefaultConfidence}
	for s := range templates {
		for _, g := range aims.Goals {
			t.Question.Constraints = append(t.Question.Constraints, Constraint{Goal: g, Scenario: s})
		}
	}
	t.Question.Less = t.simpler
	t.Player = NewPlayer(templates, t.Axes, &t.Question, 0)
	if err := t.draw(); err != nil {
		return nil, err
	}
	for _, name := range shown {
		t.Player.Show = append(t.Player.Show, measure.Index(name))
	}
	return t, nil
}

// uncertainty is the purpose of the random numbers that draw what is uncertain.
const uncertainty = 1 << 40

// draw lets each replication draw what its scenario is uncertain about: a field has the same luck in all scenarios and
// at all points.
func (t *Task) draw() error {
	part := func(seed uint64, replication int) func(string) float64 {
		key := sim.NewKey(seed, replication).For(uncertainty)
		return func(path string) float64 {
			h := fnv.New64a()
			io.WriteString(h, path)
			return key.Uniform(h.Sum64(), 0)
		}
	}
	uncertain := false
	for _, template := range t.Templates {
		uncertain = uncertain || len(template.Base.Uncertain) > 0
		settings, err := template.Base.Settings(func(string) float64 { return 0.5 })
		if err == nil && len(settings) > 0 {
			_, err = template.Over(settings...)
		}
		if err != nil {
			return err
		}
	}
	if uncertain {
		t.Player.Draw = func(number, replication int) []string {
			s := t.Templates[number].Base
			settings, err := s.Settings(part(s.Seed, replication))
			if err != nil { // it was possible above
				panic(err)
			}
			return settings
		}
	}
	return nil
}

// KeepGoals is how many of the pick's replications keep every goal, and of how many.
func (t *Task) KeepGoals(a *Answer) (keep, of int) {
	for _, row := range a.Rows {
		all := true
		for j, c := range t.Question.Constraints {
			all = all && c.Goal.Excess(row[1+j]) <= 0
		}
		if all {
			keep++
		}
	}
	return keep, len(a.Rows)
}

// simpler prefers fewer attempts, and then values that are listed before others.
func (t *Task) simpler(a, b Point) bool {
	k := slices.IndexFunc(t.Axes, func(x scenario.Axis) bool { return x.Path == "policy.retry.attempts" })
	if k >= 0 && a[k] != b[k] {
		x, ok := scenario.NumberOf(t.Axes[k].Values[a[k]].Label)
		y, alsoOK := scenario.NumberOf(t.Axes[k].Values[b[k]].Label)
		if ok && alsoOK {
			return x < y
		}
		return ok && !alsoOK // none is no bound
	}
	return slices.Compare(a, b) < 0
}

// Shown is the estimate of a metric of the pick in the first scenario.
func (t *Task) Shown(a *Answer, name string) (e measure.Estimate) {
	at := 1 + len(t.Question.Constraints) + slices.Index(shown, name)
	if at < len(a.Estimates) {
		e = a.Estimates[at]
	}
	return e
}

// Answer searches.
func (t *Task) Answer(ctx context.Context) (*Answer, error) { return Search(ctx, t.Question, t.Player) }

// Settings are the values of a point that differ from the scenario's, as PATH=VALUE.
func (t *Task) Settings(p Point) (out []string) {
	for k, a := range t.Axes {
		if p[k] != t.Question.Start[k] {
			out = append(out, a.Path+"="+a.Values[p[k]].Label)
		}
	}
	return out
}

// Record writes what is played from now on into a folder of results: the replications on which points are judged, not
// those of the climb, which picks points that were lucky. Finish with the answer ends it.
func (t *Task) Record(dir string) (finish func(*Answer) error, err error) {
	template := *t.Templates[0]
	template.Sweep = scenario.Sweep{Axes: t.Axes}
	plan := &sweep.Plan{
		Template: &template, Reps: waves[0], Aims: t.Aims, Metric: measure.Metrics()[t.Aims.Objective.Metric].Name,
	}
	if len(t.Templates) > 1 {
		var names []string
		for _, other := range t.Templates {
			names = append(names, other.Base.Name)
		}
		plan = plan.WithScenarios(names)
	}
	folder, err := sweep.NewSearchFolder(dir, plan)
	if err != nil {
		return nil, err
	}
	var failed error
	before := t.Player.Done
	written := map[string]int{} // replications by point and scenario
	t.Player.Done = func(p Played) {
		if before != nil {
			before(p)
		}
		key := fmt.Sprint(p.Scenario, " ", p.Point.key())
		if p.Replication < fresh || p.Replication < written[key] || failed != nil {
			return
		}
		written[key] = p.Replication + 1
		failed = folder.Add(t.labels(p.Point, p.Scenario), p.Replication, p.Values, p.Limits, p.Err)
	}
	return func(a *Answer) error {
		t.Player.Done = before
		var recommended []string
		if a != nil && a.Pick != nil && a.Feasible == measure.Met {
			recommended = t.labels(a.Pick, 0)
		}
		return errors.Join(failed, folder.Finish(t.labels(t.Question.Start, 0), recommended))
	}, nil
}

// labels are the values of a point, and the name of the scenario where there are several.
func (t *Task) labels(p Point, number int) (labels []string) {
	if len(t.Templates) > 1 {
		labels = append(labels, t.Templates[number].Base.Name)
	}
	for k, v := range p {
		labels = append(labels, t.Axes[k].Values[v].Label)
	}
	return labels
}
