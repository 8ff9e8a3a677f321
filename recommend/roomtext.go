package recommend

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"stampede/measure"
)

// room says how far each setting can move.
func (t *Text) room(out *sheet) {
	if len(t.Moves) == 0 || t.Feasible == measure.Missed { // where none meets the goals, each move misses one
		return
	}
	out.line("")
	out.line("How far each setting can move")
	short := t.shortNames()
	for k, a := range t.Question.Axes {
		groups, order := map[string][]string{}, []string{}
		for _, m := range t.movesOf(k) {
			what, value := t.effect(m)
			if _, ok := groups[what]; !ok {
				order = append(order, what)
			}
			text := a.Values[m.Value]
			if value != "" {
				text += " (" + value + ")"
			}
			groups[what] = append(groups[what], text)
		}
		if len(order) == 0 {
			continue
		}
		out.line("  " + short[k] + " " + a.Values[t.Pick[k]])
		for _, what := range order {
			out.say(4, "%s: %s", what, strings.Join(groups[what], ", "))
		}
	}
}

// effect is what a move does, and the number behind it.
func (t *Text) effect(m Move) (what, value string) {
	if m.Same {
		return "the same", ""
	}
	worst, at := m.worst()
	switch worst {
	case measure.Missed:
		return "misses " + t.goalText(at), quantity(t.Question.Constraints[at].Goal.Metric, m.Goals[at].Mean)
	case measure.Undecided:
		g := m.Goals[at]
		metric := t.Question.Constraints[at].Goal.Metric
		return "undecided for " + t.goalText(at), quantity(metric, g.Mean) + " ± " + bare(metric, g.Half())
	}
	d, metric := m.Difference, t.Aims.Objective.Metric
	if d.Low <= 0 && d.High >= 0 {
		return "as good", ""
	}
	sign := "+"
	if d.Mean < 0 {
		sign = "-"
	}
	if (d.Mean < 0) == t.Aims.Objective.Largest {
		return "worse", sign + quantity(metric, math.Abs(d.Mean))
	}
	return "better by less than is proven", sign + quantity(metric, math.Abs(d.Mean))
}

// sameLuck compares the scenario as it stands and the presets with the pick.
func (t *Text) sameLuck(out *sheet) {
	if len(t.Presets) == 0 {
		return
	}
	metric := t.Aims.Objective.Metric
	rows := [][]string{{"", columnName(metric), "change", "goal missed"}}
	if len(t.Aims.Goals) == 0 {
		rows[0] = rows[0][:3]
	}
	marks := map[string]string{}
	add := func(name string, c Comparison) {
		difference := differenceText(c)
		marks[difference] = name
		row := []string{name, quantity(metric, c.Objective.Mean), difference, t.goalsOf(c)}
		rows = append(rows, row[:len(rows[0])])
	}
	for i, p := range t.Presets {
		name := p.Name
		if i == 0 && t.Feasible != measure.Met {
			name = "the closest"
		}
		add(name, p.Comparison)
	}
	out.line("")
	out.line(fmt.Sprintf("Compared on the same random numbers (%d replications)", t.Presets[0].Replications))
	out.table(2, rows)
	legend := "= the same numbers"
	if marks["~"] != "" {
		legend += ", ~ not significant"
	}
	out.say(2, "%s", legend)
	if rest := t.rest(t.Pick); len(rest) > 0 {
		out.say(2, "The policies below the scenario as it stands have %s.", strings.Join(rest, " and "))
	}
	for _, p := range t.Presets[2:] {
		c := p.Comparison
		if p.Name == presentPolicy || c.Verdict() != measure.Met {
			continue
		}
		if t.Feasible != measure.Met && len(t.Aims.Goals) > 0 {
			out.say(2, "%s is outside this space and meets the goals: --vary policy=as_above,%s adds it.",
				p.Name, p.Name)
		}
		if t.Feasible == measure.Met && t.better(c) {
			out.say(2, "%s is outside this space, meets the goals and is better: --vary policy=as_above,%s adds it.",
				p.Name, p.Name)
		}
	}
}

// better reports whether a point is surely better than the pick.
func (t *Text) better(c Comparison) bool {
	if t.Aims.Objective.Largest {
		return c.Difference.Low > 0
	}
	return c.Difference.High < 0
}

// goalsOf names the first goal that is not met, by its metric and value.
func (t *Text) goalsOf(c Comparison) string {
	worst, at := c.worst()
	if worst == measure.Met {
		return "none"
	}
	metric := t.Question.Constraints[at].Goal.Metric
	text := measure.Metrics()[metric].Name + " " + quantity(metric, c.Goals[at].Mean)
	if worst == measure.Undecided {
		text = "perhaps " + text
	}
	return text
}

// worst is the verdict of all goals, and the first that has it.
func (c *Comparison) worst() (worst measure.Verdict, at int) {
	worst = c.Verdict()
	return worst, slices.IndexFunc(c.Goals, func(g Result) bool { return g.Verdict == worst })
}

func differenceText(c Comparison) string {
	d := c.Difference
	switch {
	case c.Same:
		return "="
	case math.IsNaN(d.Mean) || d.N == 0:
		return "n/a"
	case d.Low <= 0 && d.High >= 0:
		return "~"
	}
	return fmt.Sprintf("%+.3g", d.Mean)
}

// open says what could not be decided.
func (t *Text) open(out *sheet) {
	const most = 5
	open := slices.DeleteFunc(slices.Clone(t.Open), func(o Open) bool { return o.Better <= t.Question.Within })
	if len(open) == 0 || t.Feasible != measure.Met {
		return
	}
	out.line("")
	out.line("What could not be decided")
	for _, o := range open[:min(most, len(open))] {
		text := fmt.Sprintf("%s would be %s better by its mean", t.pointText(o.Point), percent(o.Better))
		if o.Constraint >= 0 {
			metric := t.Question.Constraints[o.Constraint].Goal.Metric
			text += fmt.Sprintf("; whether it meets %s is open (%s)", t.goalText(o.Constraint),
				estimateText(metric, o.Result.Estimate))
		}
		out.say(2, "%s.", text)
	}
	if more := len(open) - most; more > 0 {
		out.say(2, "And %d more; a larger --budget decides.", more)
	}
}

// notes say what is probably a mistake in the scenario with the settings of the pick.
func (t *Text) notes(out *sheet) {
	notes := t.Notes()
	if len(notes) == 0 {
		return
	}
	out.line("")
	out.line("Notes on the scenario")
	for _, note := range notes {
		out.say(2, "%s", note)
	}
}

// Notes are the warnings of the scenario with the settings of the pick.
func (t *Text) Notes() []string {
	if t.Pick == nil {
		return nil
	}
	s, err := t.Scenario(t.Pick)
	if err != nil {
		return nil // it was played
	}
	return s.Warnings()
}
