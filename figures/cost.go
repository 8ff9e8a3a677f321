package figures

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"stampede/measure"
	"stampede/plots"
	"stampede/report"
)

// costPart is a part of the cost, with its metric; that of what is useful is the rest.
type costPart struct{ name, metric string }

// costParts are what was useful, and what was wasted by each cause.
func costParts() []costPart {
	parts := []costPart{{"useful", ""}}
	for _, metric := range measure.MetricNames() {
		if cause, ok := strings.CutPrefix(metric, "usd_wasted_"); ok {
			parts = append(parts, costPart{"wasted: " + cause, metric})
		}
	}
	return parts
}

// cost shows the axes that move the waste, where there is any.
func (d *Drawing) cost() (plots.Figure, error) {
	if d.X == "" && d.By == "" && slices.ContainsFunc(d.c.Sensitivity, func(s report.Sensitivity) bool {
		return s.Metric == d.metric("usd_wasted") && s.Highest > s.Lowest
	}) {
		y, x, by := d.Y, d.xAxis, d.byAxis
		defer func() { d.Y, d.xAxis, d.byAxis = y, x, by }()
		d.Y, d.xAxis, d.byAxis = "usd_wasted", -1, -1
		if err := d.pickAxes(); err != nil {
			return nil, err
		}
	}
	points, fixed, left := d.chosen()
	slices.SortStableFunc(points, func(a, b *report.PointResult) int {
		return cmp.Compare(d.at(a, "usd_per_1000_answers").Y, d.at(b, "usd_per_1000_answers").Y)
	})
	f := &plots.Bars{
		Title:    d.title("cost of 1,000 answers"),
		Subtitle: d.subtitle(fixed),
		X:        "cost per 1,000 answers, USD",
		Rules:    d.goalRules("usd_per_1000_answers"),
	}
	parts := costParts()
	stacks := make([]plots.Part, len(parts))
	for i, part := range parts {
		stacks[i].Name = part.name
	}
	for _, p := range points {
		whole, total := d.at(p, "usd_per_1000_answers"), d.at(p, "usd_total").Y
		if math.IsNaN(whole.Y) || total == 0 {
			continue
		}
		rest := whole.Y
		for i, part := range parts[1:] {
			v := whole.Y * d.at(p, part.metric).Y / total
			stacks[i+1].Values = append(stacks[i+1].Values, v)
			rest -= v
		}
		stacks[0].Values = append(stacks[0].Values, rest)
		f.Names = append(f.Names, d.markFew(p, points))
		f.Whole = append(f.Whole, whole)
	}
	for i, s := range stacks {
		if i == 0 || slices.ContainsFunc(s.Values, func(v float64) bool { return v > 0 }) {
			f.Parts = append(f.Parts, s)
		}
	}
	if len(f.Names) == 0 {
		return nil, nil
	}
	f.Title, f.Subtitle = wasteFinding(f), behind(f.Title, explainMark(leftOut(f.Subtitle, left), points))
	return f, nil
}

// latencyQuantiles are those that metrics have.
var latencyQuantiles = []struct {
	p    float64
	name string
}{{0.25, "p25"}, {0.5, "p50"}, {0.75, "p75"}, {0.9, "p90"}, {0.95, "p95"}, {0.99, "p99"}, {0.999, "p999"}}

func (d *Drawing) latency() (plots.Figure, error) {
	points, fixed, left := d.chosen()
	f := &plots.Quantiles{
		Title:    d.title("latency of answered calls"),
		Subtitle: explainMark(leftOut(d.subtitle(fixed), left), points),
		Y:        "latency, s",
	}
	for _, p := range points {
		s := plots.Series{Name: d.markFew(p, points)}
		for _, q := range latencyQuantiles {
			point := d.at(p, "latency_"+q.name+"_s")
			point.X = q.p
			s.Points = append(s.Points, point)
		}
		f.Series = append(f.Series, s)
	}
	for _, q := range latencyQuantiles {
		for _, r := range d.goalRules("latency_" + q.name + "_s") {
			r.Place = q.p
			f.Rules = append(f.Rules, r)
		}
	}
	if len(f.Series) == 0 {
		return nil, nil
	}
	return f, nil
}
