package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"stampede/internal/format"
	"stampede/measure"
	"stampede/sweep"
)

// WriteConclusion writes the conclusion for people.
func (c *Comparison) WriteConclusion(w io.Writer, l Layout) {
	width := 0
	for _, line := range c.Conclusion.Lines {
		width = max(width, len(line.Label))
	}
	for _, line := range c.Conclusion.Lines {
		l.wrapped(w, fmt.Sprintf("%-*s  ", width, line.Label), line.Text)
	}
}

// write puts the conclusion in words: a point and the points that it is tied with.
func (c *Comparison) write(p *PointResult, tied []*PointResult) {
	out := c.Conclusion
	add := func(label, text string) {
		if text != "" {
			out.Lines = append(out.Lines, LabeledText{label, text})
		}
	}
	goals := c.goalsInWords()
	switch out.Answer {
	case ShipPoint:
		add("ship", c.settingInWords(p)+c.partInWords())
		add("why", c.whyInWords(p, tied))
	case MayMeet:
		add("ship", fmt.Sprintf("undecided: none of %s is known to meet %s, %d may; --reps or --precision decides",
			format.Plural(out.Among, "point"), goals, len(tied)))
		add("near", c.settingInWords(p)+p.shortfall())
	case NoneMeets:
		add("ship", fmt.Sprintf("none: each of %s misses %s", format.Plural(out.Among, "point"), goals))
		add("near", c.settingInWords(p)+p.shortfall())
	case NoAnswers:
		add("ship", fmt.Sprintf("none: no call is answered at any of %s", format.Plural(out.Among, "point")))
	case NothingToAsk:
		if !c.single() {
			add("ship", "nothing to choose: one point has results in the scenario's conditions, "+c.settingInWords(p))
		}
	}
	if out.Answer != NoAnswers {
		add("gives", c.givesInWords(p))
	}
	if goal := c.bindingGoal(p); out.Answer == ShipPoint && goal != "" {
		add("binds", goal)
	} else {
		add("limit", limitInWords(p))
	}
	if out.Answer == ShipPoint {
		add("axes", c.axesInWords())
	}
}

// settingInWords names a point by what it changes in the scenario.
func (c *Comparison) settingInWords(p *PointResult) string {
	if len(c.Axes) == 0 {
		return "the scenario"
	}
	names, own := c.lastNames(), c.scenarioLabels()
	var all, changed, held, deciding []string
	for k, label := range p.Labels {
		text := names[k] + " " + label
		switch {
		case c.Axes[k] == sweep.TriggerAxis: // with it, always
			continue
		case slices.Contains(c.conditions(), k):
			held = append(held, text)
			continue
		case label != own[k]:
			changed = append(changed, text+" (now "+own[k]+")")
		}
		all = append(all, text)
		if c.decides(k) {
			deciding = append(deciding, text)
		}
	}
	if len(deciding) > 0 {
		all = deciding
	}
	var parts []string // what the point sets, and what holds there
	if len(all) > 0 {
		parts = append(parts, strings.Join(all, ", "))
	}
	if len(changed) > 0 && c.ownKnown {
		parts = []string{"the scenario with " + strings.Join(changed, ", ")}
	}
	if len(held) > 0 {
		parts = append(parts, "where "+strings.Join(held, ", "))
	}
	text := strings.Join(parts, "; ")
	switch {
	case !c.ownKnown:
		return fmt.Sprintf("point %d: %s", p.Point, text)
	case len(changed) == 0:
		return fmt.Sprintf("the scenario as it is (point %d): %s", p.Point, text)
	}
	return fmt.Sprintf("point %d, %s", p.Point, text)
}

// partInWords says that there is more to come.
func (c *Comparison) partInWords() string {
	switch {
	case c.Manifest.Shard != nil:
		return "; of this part of the sweep"
	case c.lacks.Replications > 0:
		return "; so far, the sweep is not complete"
	}
	return ""
}

// decides reports whether an axis decides at the named point.
func (c *Comparison) decides(axis int) bool {
	return slices.Contains(c.Conclusion.Axes, AxisRole{Axis: c.Axes[axis], Role: Decides})
}

// whyInWords says what makes the point the best, with how many it is tied, and why it is named of them.
func (c *Comparison) whyInWords(p *PointResult, tied []*PointResult) string {
	out := c.Conclusion
	best := "of " + format.Plural(out.Among, "point")
	met := 0
	if len(c.Aims.Goals) > 0 {
		met = c.countMet()
		best = fmt.Sprintf("of the %d of %s that meet %s", met, format.Plural(out.Among, "point"), c.goalsInWords())
		if met == 1 {
			return "the only one " + strings.TrimPrefix(best, "of the 1 ")
		}
	} else if !countsEveryCall(nameOfMetric(c.aim.Metric)) {
		best += " that answer 99 % of calls, or as many as any"
	}
	if c.lacking > 0 {
		best += fmt.Sprintf(", %d of which lack it in a replication", c.lacking)
	}
	best = out.Objective + " " + best
	if len(tied) < 2 {
		return best + " (95 % confidence)"
	}
	if p.N < 2 {
		return "one replication tells no points apart; this one has the " + out.Objective
	}
	return fmt.Sprintf("%s, tied with %s; %s", best, format.Plural(len(tied)-1, "other"), c.ruleInWords(p, tied))
}

func (c *Comparison) countMet() (n int) {
	for _, p := range c.settings() {
		if *p.Verdict == measure.Met {
			n++
		}
	}
	return n
}

// ruleInWords says why a point is named of those that it is tied with.
func (c *Comparison) ruleInWords(p *PointResult, tied []*PointResult) string {
	near := c.near(tied)
	if simplest := slices.MinFunc(near, c.compareSimple); simplest != p {
		var in []string
		for _, name := range c.compared() {
			if better, _ := c.clearly(p, simplest, name, len(tied)); better {
				in = append(in, name)
			}
		}
		return strings.TrimSuffix(fmt.Sprintf("simpler point %d is worse in %s", simplest.Point, conjoin(in)), " in ")
	}
	alone := func(size func(*PointResult) float64) bool { // p alone has the least
		return !slices.ContainsFunc(near, func(q *PointResult) bool { return q != p && size(q) <= size(p) })
	}
	changes := func(q *PointResult) float64 { return float64(c.changes(q)) }
	switch {
	case len(near) == 1:
		return "the others are more than 1 % worse on average"
	case changes(p) == 0 && c.ownKnown:
		return "it changes nothing"
	case alone(changes):
		return "it differs least from the scenario"
	case alone(func(q *PointResult) float64 { return 1e6*changes(q) + min(c.attemptsOf(q), 1e5) }):
		return "it differs least from the scenario and allows the fewest attempts"
	}
	return "it is the first of those that differ least from the scenario"
}

// givesInWords is success, latency, cost and waste.
func (c *Comparison) givesInWords(p *PointResult) string {
	answered := c.estimate(p, "success_ratio")
	text := scaled(answered, 100) + " % answered"
	if p.Few {
		text = "only " + text
	}
	if p95 := c.estimate(p, "latency_p95_s"); p95.N > 0 {
		text += ", p95 " + scaled(p95, 1) + " s"
	}
	if slices.Contains(c.compared(), "makespan_s") {
		text += ", done in " + scaled(c.estimate(p, "makespan_s"), 1) + " s"
	}
	cost := c.estimate(p, "usd_per_1000_answers")
	if cost.N == 0 || cost.Mean == 0 {
		return text
	}
	text += ", $" + scaled(cost, 1) + " per 1,000 answers"
	switch part := p.facts.means["usd_wasted"] / p.facts.means["usd_total"]; {
	case p.facts.means["usd_wasted"] == 0:
		return text + ", no waste"
	case part < 0.0005:
		return text + ", under 0.1 % waste"
	default:
		return text + fmt.Sprintf(", %.2g %% waste", 100*part)
	}
}

// scaled is a mean with its half-width, in other units: the half-width with one significant digit, or two
// that begin with 1, and the mean as far as that. A value that all replications share has none.
func scaled(e measure.Estimate, by float64) string {
	mean, half := by*e.Mean, by*e.Half()
	switch {
	case e.N == 1:
		return format.Number(mean) + " ±?"
	case e.Unseen > 0 || !(half > 0):
		return format.Number(mean)
	}
	place := math.Floor(math.Log10(half))
	if half < 2*math.Pow(10, place) {
		place--
	}
	decimals := max(0, -int(place))
	return fmt.Sprintf("%.*f ±%.*f", decimals, mean, decimals, half)
}

// limitInWords names the limit that is used most, and the one that refuses most.
func limitInWords(p *PointResult) string {
	const full = 0.9 // used up, but for what fixed windows and pauses leave
	var used *LimitValue
	for i := range p.Limits {
		l := &p.Limits[i]
		if l.Used != nil && l.Used.N > 0 && (used == nil || l.Used.Mean > used.Used.Mean) {
			used = l
		}
	}
	refused := mostRefused(p.Limits)
	refuses := func(l *LimitValue) string {
		return fmt.Sprintf("refuses %.2g %% of the attempts", 100*l.Refused.Mean/p.facts.means["attempts"])
	}
	switch {
	case used == nil && refused == nil:
		return ""
	case used == nil || refused != nil && used.Used.Mean < full:
		return refused.Name + " " + refuses(refused)
	case refused == nil && used.Used.Mean < full:
		return fmt.Sprintf("no limit binds: nothing is refused; %s is used most (%.0f %%)", used.Name,
			100*used.Used.Mean)
	}
	text := fmt.Sprintf("%s is %.0f %% used", used.Name, 100*used.Used.Mean)
	switch {
	case refused == nil:
		return text + "; nothing is refused"
	case refused == used:
		return text + " and " + refuses(refused)
	}
	return text + "; " + refused.Name + " " + refuses(refused)
}

// axesInWords says which axes decide at the point and which do not.
func (c *Comparison) axesInWords() string {
	names := c.lastNames()
	of := func(role Role, reason string) string {
		var found []string
		for _, a := range c.Conclusion.Axes {
			if a.Role == role && a.Reason == reason {
				found = append(found, names[slices.Index(c.Axes, a.Axis)])
			}
		}
		return strings.Join(found, ", ")
	}
	var parts []string
	add := func(words, names, reason string) {
		if names != "" {
			parts = append(parts, words+": "+names+reason)
		}
	}
	add("decide", of(Decides, ""), "")
	add("tied", of(TiedAxis, ""), "")
	for _, reason := range append(reasons(), "") {
		because := ""
		if reason != "" {
			because = " (" + reason + ")"
		}
		add("no effect anywhere", of(SameAll, reason), because)
		add("no effect here", of(SameHere, reason), because)
	}
	if len(parts) == 0 && c.Manifest.Sample != "" {
		return c.sampleInWords()
	}
	return strings.Join(parts, "; ")
}

// sampleInWords names the axis that explains most of the objective in a sample, which has no two points that
// differ in one axis alone.
func (c *Comparison) sampleInWords() string {
	var most *Sensitivity
	for i := range c.Sensitivity {
		s := &c.Sensitivity[i]
		if c.Metrics[s.Metric] == c.aim.Metric && (most == nil || s.Share > most.Share) {
			most = s
		}
	}
	if most == nil {
		return ""
	}
	return fmt.Sprintf("%s explains most of the variance (%.0f %%); no two points of a sample differ in one axis alone",
		c.lastNames()[slices.Index(c.Axes, most.Axis)], 100*most.Share)
}

// conjoin lists names: a, b and c.
func conjoin(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
