package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"stampede/internal/format"
	"stampede/measure"
)

// Goals are goals with what replications say of each.
type Goals struct {
	Results []measure.GoalResult
	random  bool
}

// MarshalJSON implements json.Marshaler.
func (g Goals) MarshalJSON() ([]byte, error) {
	type goal struct {
		Goal    string          `json:"goal"`
		Metric  string          `json:"metric"`
		Mean    *float64        `json:"mean"`
		CI95    [2]*float64     `json:"ci95"`
		N       int             `json:"n"`
		Lacking int             `json:"without_value,omitempty"`
		Verdict measure.Verdict `json:"verdict"`
	}
	out := []goal{}
	for _, r := range g.Results {
		e := r.Estimate
		out = append(out, goal{r.Goal.String(), measure.Metrics()[r.Goal.Metric].Name, format.Finite(e.Mean),
			[2]*float64{format.Finite(e.Low), format.Finite(e.High)}, e.N, r.Lacking, r.Verdict})
	}
	return format.JSON(out)
}

// table has a row for each goal.
func (g Goals) table(of string) *table {
	t := &table{head: []string{"goal" + of, "verdict", "mean", "95 % interval"}, left: 2}
	for _, r := range g.Results {
		interval := measure.Interval(r.Estimate, g.random)
		switch e := r.Estimate; {
		case r.Lacking > 0:
			interval = fmt.Sprintf("no value in %d of %d", r.Lacking, r.Lacking+e.N)
		case e.Unseen > 0 && !measure.Metrics()[r.Goal.Metric].Indicator:
			// That value decides; a bound on the share of replications would read as one on the goal.
			interval = fmt.Sprintf("the same in all %d", e.N)
		}
		t.add(r.Goal.String(), r.Verdict.String(), format.Number(r.Estimate.Mean), interval)
	}
	t.code = func(column, row int) string {
		if column != 1 {
			return ""
		}
		return map[measure.Verdict]string{measure.Met: green, measure.Missed: red}[g.Results[row].Verdict]
	}
	return t
}

// goalRule says what a verdict rests on.
const goalRule = "a goal is met when its whole interval keeps the bound, missed when none of it does, or when a " +
	"replication has no value; where all replications have the same value, that value decides"

// SetGoals judges goals by the finished replications of the report.
func (r *Report) SetGoals(aims measure.Aims, runs []measure.Run) {
	if len(aims.Goals) == 0 {
		return
	}
	results := aims.Judge(runs, r.random)
	verdict := measure.Together(results)
	r.Goals, r.Verdict = &Goals{results, r.random}, &verdict
}

// judgePoints judges each point and counts them by verdict.
func (c *Comparison) judgePoints() {
	if !c.judged() {
		return
	}
	for i := range c.Points {
		p := &c.Points[i]
		if p.Reason != "" || c.isControl(*p) {
			continue
		}
		verdict := measure.Together(p.Goals.Results)
		p.Verdict = &verdict
		c.verdicts[verdict]++
	}
}

// judged reports whether anything is asked of the points.
func (c *Comparison) judged() bool { return len(c.Aims.Goals) > 0 || c.Aims.Stated }

// Verdict is met when a point meets all goals, undecided when one may, and else missed.
func (c *Comparison) Verdict() measure.Verdict {
	switch {
	case c.verdicts[measure.Met] > 0:
		return measure.Met
	case c.verdicts[measure.Undecided] > 0:
		return measure.Undecided
	}
	return measure.Missed
}

// goalCounts says how many points meet the goals; empty without goals and of one point.
func (c *Comparison) goalCounts() string {
	met, open, missed := c.verdicts[measure.Met], c.verdicts[measure.Undecided], c.verdicts[measure.Missed]
	if c.single() || len(c.Aims.Goals) == 0 {
		return ""
	}
	return fmt.Sprintf("goals: met at %d of %s (%s), undecided at %d (%s), missed at %d", met,
		format.Plural(met+open+missed, "point"), markMet, open, markOpen, missed)
}

// Marks of points by their verdict.
const (
	markMet  = "g"
	markOpen = "?"
)

// goalMark says whether a point meets all goals.
func (p *PointResult) goalMark() string {
	if p.Verdict == nil || len(p.Goals.Results) == 0 {
		return ""
	}
	return map[measure.Verdict]string{measure.Met: markMet, measure.Undecided: markOpen}[*p.Verdict]
}

// rank orders points by their verdict on all goals.
func (p *PointResult) rank() int {
	switch p.goalMark() {
	case markMet:
		return -2
	case markOpen:
		return -1
	}
	return 0
}

// verdictWord is the verdict on all goals, empty of a point that is no candidate.
func (p *PointResult) verdictWord() string {
	if p.Verdict == nil {
		return ""
	}
	return p.Verdict.String()
}

// writeGoals writes how many points meet the goals, and each goal at the point that the conclusion names.
func (c *Comparison) writeGoals(w io.Writer, l Layout) {
	if counts := c.goalCounts(); counts != "" {
		l.wrapped(w, "", counts)
	}
	if p := c.named(); p != nil {
		fmt.Fprintln(w)
		c.goalTable(p).text(w, l)
		fmt.Fprintln(w)
	}
}

// named is the point that the conclusion names, nil without goals.
func (c *Comparison) named() *PointResult {
	if c.Conclusion.Point == nil || len(c.Aims.Goals) == 0 {
		return nil
	}
	return &c.Points[slices.IndexFunc(c.Points, func(p PointResult) bool { return p.Point == *c.Conclusion.Point })]
}

func (c *Comparison) goalTable(p *PointResult) *table {
	if c.single() {
		return p.Goals.table("")
	}
	return p.Goals.table(fmt.Sprintf(" at point %d", p.Point))
}

// markdownGoals is writeGoals for a document.
func (c *Comparison) markdownGoals(w io.Writer) {
	if counts := c.goalCounts(); counts != "" {
		fmt.Fprintf(w, "- %s\n", format.Markdown(counts))
	}
	if p := c.named(); p != nil {
		fmt.Fprintln(w)
		c.goalTable(p).markdown(w)
	}
}

// goalsOf judges the goals at a point.
func (c *Comparison) goalsOf(p *PointResult, g *group) {
	if !c.judged() {
		return
	}
	values := func(metric int) []float64 { return g.values[slices.Index(c.columns, metric)] }
	p.Goals = &Goals{random: c.random(g)}
	for _, goal := range c.Aims.Goals {
		p.Goals.Results = append(p.Goals.Results, goal.Of(values(goal.Metric), p.Goals.random))
	}
}

// aimMetrics are the metrics of the goals and of the objective.
func aimMetrics(a measure.Aims) (metrics []int) {
	for _, g := range a.Goals {
		metrics = append(metrics, g.Metric)
	}
	metrics = append(metrics, a.Objective.Metric)
	slices.SortFunc(metrics, cmp.Compare[int])
	return slices.Compact(metrics)
}
