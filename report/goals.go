package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

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
	return json.Marshal(out)
}

// table has a row for each goal.
func (g Goals) table(of string) *table {
	t := &table{head: []string{"goal" + of, "verdict", "mean", "95 % interval"}, left: 2}
	for _, r := range g.Results {
		interval := measure.Interval(r.Estimate, g.random)
		if r.Lacking > 0 {
			interval = fmt.Sprintf("no value in %d of %d", r.Lacking, r.Lacking+r.Estimate.N)
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

// conclude counts the points by their verdict and finds the best of those that meet all goals.
func (c *Comparison) conclude() {
	if !c.judged() {
		return
	}
	var meet []BestCandidate
	for i := range c.Points {
		p := &c.Points[i]
		if p.Reason != "" || c.isControl(*p) {
			continue
		}
		verdict := measure.Together(p.Goals.Results)
		p.Verdict = &verdict
		c.verdicts[verdict]++
		if verdict == measure.Met {
			meet = append(meet, p.aimed)
		}
	}
	c.Pick = BestSet(meet, c.Aims.Objective.Largest, 0.95)
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

// nearest is the point whose means break the goals least, by the worst of them in units of its tolerance.
func (c *Comparison) nearest() (best *PointResult) {
	least := math.Inf(1)
	for i := range c.Points {
		p := &c.Points[i]
		if p.Verdict == nil {
			continue
		}
		worst := math.Inf(-1)
		for _, r := range p.Goals.Results {
			if worst = max(worst, r.Goal.Excess(r.Estimate.Mean)/r.Goal.Tolerance()); r.Lacking > 0 {
				worst = math.Inf(1)
			}
		}
		if best == nil || worst < least {
			best, least = p, worst
		}
	}
	return best
}

// named is the point whose goals are shown: the best that meets all, else the nearest to it.
func (c *Comparison) named() *PointResult {
	if len(c.Pick) > 0 {
		i := slices.IndexFunc(c.Points, func(p PointResult) bool { return p.Point == c.Pick[0] })
		return &c.Points[i]
	}
	return c.nearest()
}

// conclusion says how many points meet the goals and which one is the best of them.
func (c *Comparison) conclusion() (lines []string) {
	if c.single() {
		return nil
	}
	met, open := c.verdicts[measure.Met], c.verdicts[measure.Undecided]
	if len(c.Aims.Goals) > 0 {
		lines = append(lines, fmt.Sprintf("goals: met at %d of %s (%s), undecided at %d (%s), missed at %d", met,
			format.Plural(met+open+c.verdicts[measure.Missed], "point"), markMet, open, markOpen,
			c.verdicts[measure.Missed]))
	}
	objective := c.Aims.Objective
	name := measure.Metrics()[objective.Metric].Name
	p := c.named()
	switch {
	case p == nil:
	case len(c.Pick) == 0 && met > 0:
		lines = append(lines, fmt.Sprintf("none of them has a value of %s", name))
	case len(c.Pick) == 0:
		lines = append(lines, fmt.Sprintf("nearest to all goals: %s", c.name(p)))
	default:
		text := fmt.Sprintf("%v: %s, %s", objective, c.name(p),
			meanCell(measure.Metrics()[objective.Metric].Estimate(p.aimed.Values, p.Goals.random, 0.95)))
		lines = append(lines, text+c.tied())
	}
	return lines
}

// tied names the points that cannot be told from the best.
func (c *Comparison) tied() string {
	others := slices.Clone(c.Pick[1:])
	if len(others) == 0 {
		return ""
	}
	slices.Sort(others)
	const most = 8
	var names []string
	for _, point := range others[:min(len(others), most)] {
		names = append(names, strconv.Itoa(point))
	}
	text := "; not told apart from it (paired by seed, 95 %): point " + strings.Join(names, ", ")
	if left := len(others) - most; left > 0 {
		text += fmt.Sprintf(" and %d more", left)
	}
	return text
}

// name is the number of a point with its values.
func (c *Comparison) name(p *PointResult) string {
	var parts []string
	for k, axis := range c.shortAxes() {
		parts = append(parts, axis+" "+p.Labels[k])
	}
	return fmt.Sprintf("point %d (%s)", p.Point, strings.Join(parts, ", "))
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

// verdictWord is the verdict on all goals, empty of a point that is no candidate.
func (p *PointResult) verdictWord() string {
	if p.Verdict == nil {
		return ""
	}
	return p.Verdict.String()
}

// writeGoals writes the conclusion about the goals and each goal at the point it names.
func (c *Comparison) writeGoals(w io.Writer, l Layout) {
	if !c.judged() {
		return
	}
	for _, line := range c.conclusion() {
		l.wrapped(w, "", line)
	}
	if p := c.named(); p != nil && len(p.Goals.Results) > 0 {
		fmt.Fprintln(w)
		c.goalTable(p).text(w, l)
		fmt.Fprintln(w)
	}
}

func (c *Comparison) goalTable(p *PointResult) *table {
	if c.single() {
		return p.Goals.table("")
	}
	return p.Goals.table(fmt.Sprintf(" at point %d", p.Point))
}

// markdownGoals is writeGoals for a document.
func (c *Comparison) markdownGoals(w io.Writer) {
	if !c.judged() {
		return
	}
	for _, line := range c.conclusion() {
		fmt.Fprintf(w, "- %s\n", format.Markdown(line))
	}
	if p := c.named(); p != nil && len(p.Goals.Results) > 0 {
		fmt.Fprintln(w)
		c.goalTable(p).markdown(w)
	}
	fmt.Fprintln(w)
}

// goalsOf judges the goals at a point and keeps its values of the objective.
func (c *Comparison) goalsOf(p *PointResult, g *group) {
	if !c.judged() {
		return
	}
	values := func(metric int) []float64 { return g.values[slices.Index(c.columns, metric)] }
	p.Goals = &Goals{random: c.random(g)}
	for _, goal := range c.Aims.Goals {
		p.Goals.Results = append(p.Goals.Results, goal.Of(values(goal.Metric), p.Goals.random))
	}
	p.aimed = BestCandidate{g.point, g.replications, values(c.Aims.Objective.Metric)}
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
