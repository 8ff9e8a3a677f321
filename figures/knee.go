package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"stampede/plots"
	"stampede/report"
	"stampede/scenario"
)

// kneeMetrics are those of the panels, with the names of their axes.
var kneeMetrics = []struct{ name, label string }{
	{"goodput_per_min", "answers per minute"},
	{"success_ratio", "share of calls answered"},
	{"latency_p95_s", "p95 latency, s"},
	{"usd_per_1000_answers", "USD per 1,000 answers"},
}

// ofSurvivors are those that cover the calls answered, so that a point with few of them compares badly.
var ofSurvivors = []string{"latency_p95_s", "usd_per_1000_answers"}

// knee is a capacity planner's chart: goodput, success, latency and cost over workers or load, with a line for
// each tier and its knee. See [report.Knee] for what that is.
func (d *Drawing) knee() (plots.Figure, error) {
	metrics := []string{"usd_total", "usd_wasted"}
	for _, m := range kneeMetrics {
		metrics = append(metrics, m.name)
	}
	byGoodput, err := report.Compare(d.Dir, report.CompareOptions{
		Metrics:   metrics,
		Objective: "goodput_per_min", Base: d.Base, Aims: &d.c.Aims,
	})
	if err != nil {
		return nil, err
	}
	c, y, x, by := d.c, d.Y, d.xAxis, d.byAxis
	defer func() { d.c, d.Y, d.xAxis, d.byAxis = c, y, x, by }()
	d.c, d.Y = byGoodput, "goodput_per_min"
	if !d.pickKneeAxes() {
		return nil, nil
	}
	labels, _ := d.values(d.xAxis)
	points, fixed := d.slice()
	f := &plots.Panels{
		Title:    d.title("the knee of goodput over " + short(d.c.Axes, d.xAxis)),
		X:        d.axisLabel(d.xAxis),
		PartName: "wasted part of the cost",
		RingName: "under 99 % of calls answered",
	}
	if low, high := numberOf(labels[0]), numberOf(labels[len(labels)-1]); low > 0 {
		f.LogX = high/low >= 16
	}
	for _, m := range kneeMetrics {
		f.Panels = append(f.Panels, plots.LinePanel{Y: m.label, Rules: d.goalRules(m.name)})
	}
	series := []string{""}
	if d.byAxis >= 0 {
		series, _ = d.values(d.byAxis)
	}
	var knees []string
	for _, name := range series {
		line := slices.DeleteFunc(slices.Clone(points), func(p *report.PointResult) bool {
			return d.byAxis >= 0 && p.Labels[d.byAxis] != name || math.IsNaN(d.at(p, d.Y).Y)
		})
		if len(line) < 2 {
			continue
		}
		slices.SortStableFunc(line, func(a, b *report.PointResult) int {
			return cmp.Compare(numberOf(a.Labels[d.xAxis]), numberOf(b.Labels[d.xAxis]))
		})
		var at []float64
		for _, p := range line {
			at = append(at, numberOf(p.Labels[d.xAxis]))
		}
		knee := report.KneeOf(line, at)
		place := func(i int) string { return line[i].Labels[d.xAxis] }
		text, found := "no knee up to "+place(len(line)-1), ""
		if knee.Reached {
			found = place(knee.At)
			text = "knee at " + found
			f.Marks = append(f.Marks, plots.Mark{Series: len(f.Series), X: at[knee.At]})
		}
		if knees = append(knees, found); knee.From < knee.To {
			text += fmt.Sprintf(" (%s to %s)", place(knee.From), place(knee.To))
		}
		f.Series = append(f.Series, strings.TrimPrefix(name+": "+text, ": "))
		d.addKneeLine(f, line)
	}
	if len(f.Series) == 0 {
		return nil, nil
	}
	if cost := f.Panels[len(f.Panels)-1]; !slices.ContainsFunc(slices.Concat(cost.Series...), plots.Point.Positive) {
		f.Panels = f.Panels[:len(f.Panels)-1] // tokens have no price
	}
	if same := slices.Compact(slices.Clone(knees)); len(same) == 1 && same[0] != "" {
		f.Title = d.title(fmt.Sprintf("the knee of goodput is at %s %s", short(d.c.Axes, d.xAxis), same[0]))
	}
	parts := []string{
		"Knee (dotted): beyond it goodput rises less than half as fast as " + short(d.c.Axes, d.xAxis) +
			"; in brackets where it may be (95 %). Bands are 95 % intervals. Cost counts what failed calls cost; " +
			"where few are answered (ringed), cost and latency are of fewer, often smaller calls",
		"policy: " + d.c.Manifest.Policy,
	}
	if fixed != "" {
		parts = append(parts, fixed)
	}
	f.Subtitle = strings.Join(parts, "; ")
	return f, nil
}

// addKneeLine adds the points of a line to each panel.
func (d *Drawing) addKneeLine(f *plots.Panels, line []*report.PointResult) {
	for k, m := range kneeMetrics {
		panel := &f.Panels[k]
		var values, wasted []plots.Point
		var ringed []bool
		for _, p := range line {
			q := d.at(p, m.name)
			q.X = numberOf(p.Labels[d.xAxis])
			values = append(values, q)
			ringed = append(ringed, p.Few)
			part := d.at(p, "usd_wasted").Y / d.at(p, "usd_total").Y
			wasted = append(wasted, plots.Point{X: q.X, Y: q.Y * part})
		}
		panel.Series = append(panel.Series, values)
		if slices.Contains(ofSurvivors, m.name) {
			panel.Ringed = append(panel.Ringed, ringed)
		}
		if m.name == "usd_per_1000_answers" {
			panel.Parts = append(panel.Parts, wasted)
		}
	}
}

// pickKneeAxes finds the axis of the load, numbers of which there are three or more, and that of the tiers:
// those asked for, else first workers, instances and rates, and for the tiers the other axis.
func (d *Drawing) pickKneeAxes() bool {
	x, by := d.xAxis, d.byAxis
	if d.X == "" {
		load := func(k int) int { // how much like a load an axis is; 0 is not at all
			_, numeric := d.values(k)
			switch path := d.c.Axes[k]; {
			case !numeric || d.By != "" && k == by:
				return 0
			case strings.Contains(path, "workers"), strings.Contains(path, "instances"):
				return 4
			case strings.Contains(path, "rate"):
				return 3
			case strings.HasPrefix(path, "workload"), strings.HasPrefix(path, "fleet"):
				return 2
			}
			return 1
		}
		x = -1
		for k := range d.c.Axes {
			if l := load(k); l > 0 && (x < 0 || l > load(x)) {
				x = k
			}
		}
	}
	if x < 0 || d.c.Manifest.Sample != "" {
		return false
	}
	if _, numeric := d.values(x); !numeric {
		return false
	}
	if d.By == "" {
		if by == x {
			by = d.xAxis
		}
		if by == x || len(d.c.Axes) == 1 {
			by = -1
		}
	}
	d.xAxis, d.byAxis = x, by
	return true
}

// numberOf is the number of a label.
func numberOf(text string) float64 {
	x, _ := scenario.NumberOf(text)
	return x
}
