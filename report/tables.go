package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stampede/internal/format"
	"stampede/measure"
	"stampede/sweep"
)

// summaryMetrics are the columns of a table that fits a terminal, besides the difference to the
// base. Those of a trigger or a collapse stand there only where the sweep has them.
var summaryMetrics = []string{"success_ratio", "latency_p95_s", "usd_per_1000_answers", "collapsed", "recovery_s",
	"collapse_level"}

// columnsOf are the places in c.Metrics that a layout shows.
func (c *Comparison) columnsOf(l Layout) (places []int) {
	for i, m := range c.Metrics {
		if l.Wide || c.chosen || slices.Contains(summaryMetrics, measure.Metrics()[m].Name) ||
			c.judged() && slices.Contains(aimMetrics(c.Aims), m) {
			places = append(places, i)
		}
	}
	return places
}

// spreads says where a table has half-widths beside the means.
type spreads struct{ cells, differences bool }

// pointTable has a row for each point, the best mean of the objective first: axes, the metrics
// in those places, and the difference to the base. Without the spread of cells or of differences these are
// means alone.
func (c *Comparison) pointTable(places []int, spread spreads, limits bool) *table {
	axes := c.shortAxes()
	t := &table{head: append([]string{"", "#"}, axes...), left: 2 + len(axes)}
	for _, i := range places {
		t.head = append(t.head, measure.Metrics()[c.Metrics[i]].Name)
	}
	limits = limits && slices.ContainsFunc(c.Points, func(p PointResult) bool { return mostRefused(p.Limits) != nil })
	if limits {
		t.head = append(t.head, "refused most by")
	}
	t.head = append(t.head, measure.Metrics()[c.Metrics[c.Objective]].Name+" vs base")
	points := c.order()
	points = points[:min(len(points), shown)]
	for _, p := range points {
		cells := append([]string{c.mark(p), strconv.Itoa(p.Point)}, p.Labels...)
		for _, i := range places {
			cells = append(cells, c.cell(p, i, spread.cells))
		}
		if limits {
			cells = append(cells, refusedMost(p.Limits))
		}
		t.add(append(cells, c.versusBase(p, spread.differences))...)
	}
	t.code = func(column, row int) string {
		if column < len(t.head)-1 {
			return ""
		}
		return map[Verdict]string{IsBetter: green, IsWorse: red}[points[row].Diffs[c.Objective].Verdict]
	}
	return t
}

// mark says what a point is: * not ruled out as the best, f on the frontier, ! few answered.
func (c *Comparison) mark(p *PointResult) (mark string) {
	if slices.Contains(c.Best, p.Point) {
		mark += "*"
	}
	if slices.Contains(c.Frontier, p.Point) {
		mark += "f"
	}
	if p.Few {
		mark += markFew
	}
	mark += p.goalMark()
	return mark
}

// cell is the mean of a metric at a point.
func (c *Comparison) cell(p *PointResult, i int, spread bool) string {
	e := p.Estimates[i]
	collapsed := slices.Index(c.Metrics, measure.Index("collapsed"))
	switch {
	case c.Metrics[i] == measure.Index("recovery_s") && e.N == 0 && !c.isControl(*p) && collapsed >= 0 &&
		p.Estimates[collapsed].Mean == 1:
		return "never"
	case spread:
		return meanCell(e)
	case e.N == 0:
		return "n/a"
	}
	return format.Number(e.Mean)
}

// versusBase is the difference of the objective to the base with its verdict; the base shows its mean.
func (c *Comparison) versusBase(p *PointResult, spread bool) string {
	d := p.Diffs[c.Objective]
	switch {
	case d.Verdict == IsBase:
		return format.Number(p.Estimates[c.Objective].Mean) + " base"
	case d.N > 1:
		sign := ""
		if d.Mean > 0 {
			sign = "+"
		}
		if !spread {
			return sign + format.Number(d.Mean) + " " + string(d.Verdict)
		}
		return sign + plusMinus(d.Estimate) + " " + string(d.Verdict)
	case p.N == 0:
		return ""
	}
	return string(d.Verdict)
}

// fitted is the table of points within the width of a layout, and the metrics that have no place
// in it. It gives up, in this order: the spreads of cells and the ends of labels, the spreads of
// differences, metrics from the last on.
func (c *Comparison) fitted(l Layout) (t *table, left []string) {
	places := c.columnsOf(l)
	t = c.pointTable(places, spreads{true, true}, l.Wide)
	if l.Wide || c.chosen || l.Width == 0 {
		return t, nil
	}
	if t.foldHead(); t.total() <= l.Width {
		return t, nil
	}
	narrow := func(spread spreads) {
		t = c.pointTable(places, spread, false)
		t.name(2, c.lastNames())
		t.foldHead()
		t.cut(2, len(c.Axes), l.Width)
	}
	if narrow(spreads{differences: true}); t.total() <= l.Width {
		return t, nil
	}
	for narrow(spreads{}); t.total() > l.Width && len(places) > 0; narrow(spreads{}) {
		last := len(places) - 1
		left = append(left, measure.Metrics()[c.Metrics[places[last]]].Name)
		places = places[:last]
	}
	slices.Reverse(left)
	return t, left
}

// lastNames names axes by the last part of their paths, where that tells them apart.
func (c *Comparison) lastNames() (names []string) {
	for _, a := range c.Axes {
		name := a[strings.LastIndex(a, ".")+1:]
		if slices.Contains(names, name) {
			return c.shortAxes()
		}
		names = append(names, name)
	}
	return names
}

// shortAxes names axes by the last parts that tell them apart.
func (c *Comparison) shortAxes() []string { return sweep.ShortNames(c.Axes) }

// sensitivityTable says how much of the variance of a metric each axis explains. A summary has the
// objective alone, and no axis that explains less than a hundredth of it.
func (c *Comparison) sensitivityTable(summary bool) *table {
	t := &table{head: []string{"axis", "metric", "share", "lowest mean", "highest mean"}, left: 2}
	sorted := slices.Clone(c.Sensitivity)
	slices.SortStableFunc(sorted, func(a, b Sensitivity) int {
		return cmp.Or(cmp.Compare(a.Metric, b.Metric), cmp.Compare(b.Share, a.Share))
	})
	short := c.shortAxes()
	for _, s := range sorted {
		if s.Lowest == s.Highest || summary && (s.Metric != c.Objective || s.Share < 0.01) {
			continue
		}
		t.add(short[slices.Index(c.Axes, s.Axis)], measure.Metrics()[c.Metrics[s.Metric]].Name,
			fmt.Sprintf("%.0f %%", 100*s.Share), fmt.Sprintf("%s (%s)", format.Number(s.Lowest), s.LowestAt),
			fmt.Sprintf("%s (%s)", format.Number(s.Highest), s.HighestAt))
	}
	return t
}
