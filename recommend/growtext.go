package recommend

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"stampede/internal/format"
	"stampede/measure"
)

// Grown is how much of something the goals of a task need, for people and for programs.
type Grown struct {
	*Task
	*Capacity
	Ladder *Ladder
	Held   Point // the policy that was recommended before
	Width  int
}

// Grow finds how much of something the goals need, given the answer at the size that the scenario has.
func (t *Task) Grow(ctx context.Context, a *Answer, what string) (*Grown, error) {
	g, err := NewGrowth(t.Player, t.Question, what, a.Finalists)
	if err != nil {
		return nil, err
	}
	c, err := Grow(ctx, g)
	if c == nil {
		return nil, err
	}
	return &Grown{Task: t, Capacity: c, Ladder: g.Ladder, Held: a.Pick}, err
}

// DefaultGrowth is what to grow where nothing is named: the tier where the provider has several, else all limits, else
// the slots; nil where the scenario has none of these, or the space sets them.
func (t *Task) DefaultGrowth() []string {
	for _, what := range []string{"tier", "limits", "slots"} {
		if _, err := NewLadder(t.Player, what); err == nil && len(t.Question.Constraints) > 0 {
			return []string{what}
		}
	}
	return nil
}

// Write writes the answer first, then the sizes that were tried, and what is proven.
func (g *Grown) Write(w io.Writer) error {
	out := &sheet{w: w, width: g.Width}
	out.line("")
	out.line("How much would do: " + g.What)
	if g.Hopeless {
		g.hopeless(out)
		return out.err
	}
	g.found(out)
	g.sizes(out)
	g.proof(out)
	return out.err
}

// hopeless says that neither policy nor quota helps.
func (g *Grown) hopeless(out *sheet) {
	var misses []string
	for _, j := range g.Relaxed.Misses {
		c := g.Question.Constraints[j]
		misses = append(misses, fmt.Sprintf("%s is %s, not %s", measure.Metrics()[c.Goal.Metric].Name,
			estimateText(c.Goal.Metric, g.Relaxed.Goals[j].Estimate), c.Goal))
	}
	out.say(2, "Neither policy nor quota helps. Without any limit, fault or queue, and with one attempt a call, %s.",
		strings.Join(misses, "; "))
	if p := g.Relaxed.Policy; p != nil {
		out.say(2, "There, no setting of the space meets the goals either: of %s each misses one, with %s "+
			"confidence.", format.Plural(p.Raced, "finalist"), g.confidence())
	}
	out.say(2, "It is the calls themselves: the speed or the price of the model, the lengths of prompts and answers, "+
		"or how long callers wait.")
}

// found names the size, and the policy there.
func (g *Grown) found(out *sheet) {
	label := g.Ladder.Label
	switch {
	case g.Found == g.Start:
		out.say(2, "%s, what the scenario has, is the smallest %s that meets the goals.", label(g.Found), g.Unit)
	case g.Found >= 0:
		out.say(2, "%s is the smallest %s that meets the goals; the scenario has %s.", label(g.Found), g.Unit,
			label(g.Start))
	case g.Verdict == measure.Undecided:
		out.say(2, "Undecided: no %s is known to meet the goals, and not all are known to miss one.", g.Unit)
	default:
		text := fmt.Sprintf("No %s meets the goals: up to %s each misses one", g.Unit, label(g.largest()))
		if g.Level {
			text += ", and a larger one changes nothing"
		}
		out.say(2, "%s. Something else binds: search it too, with --vary.", text)
	}
	if g.Found < 0 {
		return
	}
	if g.Found != g.Start {
		out.say(2, "Set: %s", strings.Join(g.Ladder.Settings(g.Found), ", "))
	}
	p := g.pick()
	set := strings.Join(g.Task.Settings(p), ", ")
	switch {
	case set == "":
		set = "as in the scenario"
	case slices.Equal(p, g.Held):
		set = "as recommended above"
	}
	if g.Policy != nil && g.PolicyAt == g.Found && g.Policy.Feasible == measure.Met {
		out.say(2, "Best settings there: %s.", set)
	} else {
		out.say(2, "Settings that meet the goals there: %s.", set)
	}
}

func (g *Grown) confidence() string { return fmt.Sprintf("%g %%", 100*g.Confidence) }

// pick is the policy at the size that was found.
func (g *Grown) pick() Point {
	if g.Policy != nil && g.PolicyAt == g.Found && g.Policy.Feasible == measure.Met {
		return g.Policy.Pick
	}
	i := slices.IndexFunc(g.Steps, func(s Step) bool { return s.Size == g.Found })
	return g.Steps[i].Point
}

func (g *Grown) largest() int { return g.Steps[len(g.Steps)-1].Size }

// sizes is the table of what was tried.
func (g *Grown) sizes(out *sheet) {
	price := measure.Index("usd_per_1000_answers")
	head := []string{g.What, "goals"}
	var metrics []int
	for _, goal := range g.Aims.Goals {
		if !slices.Contains(metrics, goal.Metric) {
			metrics = append(metrics, goal.Metric)
		}
	}
	if slices.Contains(metrics, price) || g.Templates[0].Base.Model.Price.Charges() {
		metrics = append(slices.DeleteFunc(metrics, func(m int) bool { return m == price }), price)
	}
	for _, m := range metrics {
		head = append(head, columnName(m))
	}
	rows := [][]string{head}
	for _, s := range g.told() {
		row := []string{g.Ladder.Label(s.Size), s.Verdict.String()}
		for _, m := range metrics {
			row = append(row, quantity(m, g.estimateOf(&s, m).Mean))
		}
		rows = append(rows, row)
	}
	out.line("")
	if width := tableWidth(rows) + 2; width <= max(g.Width, 30) {
		out.table(2, rows)
		return
	}
	for _, row := range rows[1:] {
		text := row[0] + ": " + row[1]
		for i, cell := range row[2:] {
			text += ", " + head[2+i] + " " + cell
		}
		out.say(2, "%s", text)
	}
}

// columnName is the head of a column of a metric.
func columnName(metric int) string {
	if name := measure.Metrics()[metric].Name; name != "usd_per_1000_answers" {
		return name
	}
	return "$ per 1,000"
}

func tableWidth(rows [][]string) (width int) {
	for i := range rows[0] {
		widest := 0
		for _, row := range rows {
			widest = max(widest, len([]rune(row[i])))
		}
		width += widest + 2
	}
	return width - 2
}

// told are the steps that a reader needs: all of a few; else the ends, the scenario's, and those beside what was
// found.
func (g *Grown) told() (out []Step) {
	const few, beside = 10, 3
	at := slices.IndexFunc(g.Steps, func(s Step) bool { return s.Size == g.Found })
	for i, s := range g.Steps {
		near := at >= 0 && i >= at-beside && i <= at+beside
		if len(g.Steps) <= few || near || i == 0 || i == len(g.Steps)-1 || s.Size == g.Start {
			out = append(out, s)
		}
	}
	return out
}

// estimateOf is that of a metric of a step: of a goal in several scenarios, where it is worst.
func (g *Grown) estimateOf(s *Step, metric int) measure.Estimate {
	worst := -1
	for j, c := range g.Question.Constraints {
		if c.Goal.Metric == metric && (worst < 0 || s.Goals[j].Margin < s.Goals[worst].Margin) {
			worst = j
		}
	}
	switch {
	case worst >= 0:
		return s.Goals[worst].Estimate
	case metric == g.Question.Objective.Metric:
		return s.Objective
	}
	for i, m := range g.Player.Show {
		if m == metric && i < len(s.Shown) {
			return s.Shown[i]
		}
	}
	return measure.Estimate{Mean: math.NaN()}
}

// proof says what is known and how.
func (g *Grown) proof(out *sheet) {
	out.line("")
	text := "The best settings were held while the size changed"
	if g.Found >= 0 {
		text += ", and chosen again at the size that is named"
	}
	out.say(2, "With %s confidence all these verdicts hold, within the tolerance of each goal. %s. %s replications.",
		g.confidence(), text, format.Thousands(g.Replications))
	if r := g.Relaxed; r != nil && len(r.Misses) == 0 {
		var gives []string
		for j, c := range g.Question.Constraints {
			if nothingHelps(c.Goal) {
				gives = append(gives, measure.Metrics()[c.Goal.Metric].Name+" "+
					quantity(c.Goal.Metric, r.Goals[j].Mean))
			}
		}
		if len(gives) > 0 {
			out.say(2, "Without any limit, fault or queue, one attempt gives %s.", strings.Join(gives, ", "))
		}
	}
}

// MarshalJSON implements json.Marshaler.
func (g *Grown) MarshalJSON() ([]byte, error) {
	type goalJSON struct {
		Goal    string          `json:"goal"`
		Verdict measure.Verdict `json:"verdict"`
		Mean    *float64        `json:"mean"`
		Low     *float64        `json:"low"`
		High    *float64        `json:"high"`
	}
	goalsOf := func(results []Result) (out []goalJSON) {
		for j, r := range results {
			out = append(out, goalJSON{g.Question.Constraints[j].Goal.String(), r.Verdict, format.Finite(r.Mean),
				format.Finite(r.Low), format.Finite(r.High)})
		}
		return out
	}
	type stepJSON struct {
		Size         string          `json:"size"`
		Verdict      measure.Verdict `json:"verdict"`
		Settings     []string        `json:"settings"`
		Cost         *float64        `json:"usd_per_1000_answers"`
		Goals        []goalJSON      `json:"goals"`
		Replications int             `json:"replications"`
	}
	out := struct {
		Grow         string          `json:"grow"`
		Verdict      measure.Verdict `json:"verdict"`
		Scenario     string          `json:"scenario_has"`
		Found        string          `json:"smallest,omitempty"`
		Set          []string        `json:"set,omitempty"`
		Settings     []string        `json:"settings,omitempty"`
		Level        bool            `json:"larger_changes_nothing,omitempty"`
		Hopeless     bool            `json:"neither_policy_nor_quota_helps,omitempty"`
		Alone        []goalJSON      `json:"without_limits,omitempty"`
		Confidence   float64         `json:"confidence"`
		Replications int             `json:"replications"`
		Sizes        []stepJSON      `json:"sizes"`
	}{
		Grow: g.What, Verdict: g.Verdict, Scenario: g.Ladder.Label(g.Start), Level: g.Level,
		Confidence: g.Confidence, Replications: g.Replications, Sizes: []stepJSON{},
	}
	if g.Found >= 0 {
		out.Found, out.Set = g.Ladder.Label(g.Found), g.Ladder.Settings(g.Found)
		out.Settings = g.Task.Settings(g.pick())
	}
	if r := g.Relaxed; r != nil {
		out.Hopeless, out.Alone = g.Hopeless, goalsOf(r.Goals)
	}
	for _, s := range g.Steps {
		cost := g.estimateOf(&s, measure.Index("usd_per_1000_answers")).Mean
		out.Sizes = append(out.Sizes, stepJSON{g.Ladder.Label(s.Size), s.Verdict, g.Task.Settings(s.Point),
			format.Finite(cost), goalsOf(s.Goals), s.Rows})
	}
	return format.JSON(out)
}
