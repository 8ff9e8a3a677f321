package recommend

import (
	"stampede/internal/format"
	"stampede/measure"
)

// MarshalJSON implements json.Marshaler.
func (t *Text) MarshalJSON() ([]byte, error) {
	type axis struct {
		Path  string         `json:"path"`
		Value string         `json:"value"`
		Was   string         `json:"was"`
		Moves []jsonRelative `json:"moves,omitempty"`
	}
	type binding struct {
		Goal   string  `json:"goal"`
		Points int     `json:"points_that_miss_it"`
		Gain   float64 `json:"gain_without_it"`
	}
	type open struct {
		Settings []string `json:"settings"`
		Better   float64  `json:"better"`
		Goal     string   `json:"goal,omitempty"`
	}
	out := struct {
		Scenarios    []string        `json:"scenarios"`
		Seed         uint64          `json:"seed"`
		Objective    string          `json:"objective"`
		Goals        []string        `json:"goals"`
		Verdict      measure.Verdict `json:"verdict"`
		Client       string          `json:"client,omitempty"`
		Settings     []axis          `json:"settings"`
		Metrics      []jsonMetric    `json:"metrics"`
		GoalResults  []jsonGoal      `json:"goal_results"`
		MeetAll      int             `json:"replications_that_meet_all_goals"`
		Of           int             `json:"of_replications"`
		Confidence   float64         `json:"confidence"`
		Within       float64         `json:"none_is_better_by_more_than"`
		Points       float64         `json:"points"`
		Raced        int             `json:"raced"`
		Replications int             `json:"replications"`
		Further      int             `json:"replications_to_explain"`
		Stopped      string          `json:"stopped_by"`
		Ties         int             `json:"ties"`
		Twins        int             `json:"twins"`
		Binding      []binding       `json:"binding"`
		Start        *jsonRelative   `json:"as_it_stands,omitempty"`
		Presets      []jsonRelative  `json:"presets,omitempty"`
		Own          *jsonRelative   `json:"own_loop,omitempty"`
		OwnSettings  []string        `json:"own_loop_settings,omitempty"`
		Open         []open          `json:"undecided"`
		Code         string          `json:"code,omitempty"`
		Notes        []string        `json:"notes,omitempty"`
		Grown        []*Grown        `json:"grown,omitempty"`
	}{
		Seed: t.Templates[0].Base.Seed, Objective: t.Aims.Objective.String(), Goals: []string{}, Verdict: t.Feasible,
		Client: t.Client, Confidence: t.Confidence, Within: t.Delta, Points: t.Space, Raced: t.Raced,
		Replications: t.Replications, Further: t.Further, Stopped: t.Stopped.String(), Ties: len(t.Ties),
		Twins: len(t.Twins), Binding: []binding{}, Open: []open{}, Code: t.Code,
		Grown: t.Grown, Notes: t.Notes(),
	}
	for _, s := range t.Templates {
		out.Scenarios = append(out.Scenarios, s.Base.Name)
	}
	for _, g := range t.Aims.Goals {
		out.Goals = append(out.Goals, g.String())
	}
	out.MeetAll, out.Of = t.KeepGoals(t.Answer)
	if t.Pick == nil {
		return format.JSON(out)
	}
	for k, a := range t.Question.Axes {
		row := axis{Path: a.Path, Value: a.Values[t.Pick[k]], Was: a.Values[t.Question.Start[k]]}
		for _, m := range t.movesOf(k) {
			row.Moves = append(row.Moves, t.relative(a.Values[m.Value], m.Comparison))
		}
		out.Settings = append(out.Settings, row)
	}
	out.Metrics = append(out.Metrics, jsonMetricOf(t.Aims.Objective.Metric, t.Estimates[0]))
	for _, name := range shown {
		if i := measure.Index(name); i != t.Aims.Objective.Metric {
			out.Metrics = append(out.Metrics, jsonMetricOf(i, t.Shown(t.Answer, name)))
		}
	}
	out.GoalResults = t.jsonGoals(t.Goals)
	for _, b := range t.Binding {
		out.Binding = append(out.Binding, binding{t.goalText(b.Constraint), b.Points, b.Gain})
	}
	if t.Start.Replications > 0 {
		start := t.relative("as_it_stands", t.Start)
		out.Start = &start
	}
	for _, p := range t.Presets {
		out.Presets = append(out.Presets, t.relative(p.Name, p.Comparison))
	}
	if o := t.Own; o != nil && o.Pick != nil {
		own := t.relative("own_loop", o.Comparison)
		out.Own, out.OwnSettings = &own, o.Settings(o.Pick)
	}
	for _, o := range t.Open {
		row := open{Settings: t.Settings(o.Point), Better: o.Better}
		if o.Constraint >= 0 {
			row.Goal = t.goalText(o.Constraint)
		}
		out.Open = append(out.Open, row)
	}
	return format.JSON(out)
}

// jsonMetric is a mean with its interval.
type jsonMetric struct {
	Metric string      `json:"metric"`
	Mean   *float64    `json:"mean"`
	CI95   [2]*float64 `json:"ci95"`
	N      int         `json:"n"`
}

func jsonMetricOf(metric int, e measure.Estimate) jsonMetric {
	return jsonMetric{measure.Metrics()[metric].Name, format.Finite(e.Mean),
		[2]*float64{format.Finite(e.Low), format.Finite(e.High)}, e.N}
}

// jsonGoal is how a point does by a goal.
type jsonGoal struct {
	Goal string `json:"goal"`
	jsonMetric
	Verdict measure.Verdict `json:"verdict"`
}

func (t *Text) jsonGoals(results []Result) (out []jsonGoal) {
	for j, g := range results {
		metric := t.Question.Constraints[j].Goal.Metric
		out = append(out, jsonGoal{t.goalText(j), jsonMetricOf(metric, g.Estimate), g.Verdict})
	}
	return out
}

// jsonRelative is a point held against the pick.
type jsonRelative struct {
	Name       string          `json:"name"`
	Same       bool            `json:"same"`
	Objective  jsonMetric      `json:"objective"`
	Difference jsonMetric      `json:"difference"`
	Verdict    measure.Verdict `json:"verdict"`
	Goals      []jsonGoal      `json:"goals,omitempty"`
}

func (t *Text) relative(name string, c Comparison) jsonRelative {
	metric := t.Aims.Objective.Metric
	return jsonRelative{
		Name: name, Same: c.Same, Objective: jsonMetricOf(metric, c.Objective),
		Difference: jsonMetricOf(metric, c.Difference), Verdict: c.Verdict(), Goals: t.jsonGoals(c.Goals),
	}
}
