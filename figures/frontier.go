package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"stampede/internal/format"
	"stampede/plots"
	"stampede/report"
)

func (d *Drawing) frontier() (plots.Figure, error) {
	if len(d.c.Points) < 2 {
		return nil, nil
	}
	f := &plots.Scatter{
		Title:      d.title("cost, latency and success"),
		Subtitle:   d.subtitle(""),
		X:          label("usd_per_1000_answers"),
		Y:          label("latency_p95_s"),
		ShadeName:  "success ratio",
		BestName:   "on the Pareto frontier",
		HollowName: "under 99 % answered",
		RulesX:     d.goalRules("usd_per_1000_answers"),
		RulesY:     d.goalRules("latency_p95_s"),
	}
	named, merged := map[[3]float64]bool{}, false
	for i := range d.c.Points {
		p := &d.c.Points[i]
		s := plots.Spot{
			X:      d.at(p, "usd_per_1000_answers"),
			Y:      d.at(p, "latency_p95_s"),
			Shade:  d.at(p, "success_ratio").Y,
			Name:   d.frontierName(p),
			Values: d.frontierValues(p),
			Hollow: p.Few,
		}
		if math.IsNaN(s.X.Y + s.Y.Y + s.Shade) {
			continue
		}
		place := [3]float64{s.X.Y, s.Y.Y, s.Shade}
		best := slices.Contains(d.c.Frontier, p.Point)
		s.Best = best && !named[place]
		merged = merged || best && named[place]
		named[place] = true
		f.Spots = append(f.Spots, s)
	}
	if len(f.Spots) == 0 {
		return nil, nil
	}
	if merged {
		f.Subtitle += "; equal points shown once"
	}
	if finding := d.frontierFinding(); finding != "" {
		f.Title, f.Subtitle = finding, behind(f.Title, f.Subtitle)
	}
	return f, nil
}

// frontierName names a point of the frontier by what tells those points apart.
func (d *Drawing) frontierName(p *report.PointResult) string {
	var frontier []*report.PointResult
	for i := range d.c.Points {
		if slices.Contains(d.c.Frontier, d.c.Points[i].Point) {
			frontier = append(frontier, &d.c.Points[i])
		}
	}
	names := endNames(d.c.Axes)
	var parts []string
	for k, l := range p.Labels {
		if varies(k, frontier) {
			parts = append(parts, names[k]+" "+l)
		}
	}
	if len(parts) == 0 {
		return d.pointName(p, []*report.PointResult{p})
	}
	return strings.Join(parts, ", ")
}

// frontierValues is what a point gives.
func (d *Drawing) frontierValues(p *report.PointResult) string {
	return fmt.Sprintf("%s USD per 1,000, p95 %s s, %.4g %% answered",
		format.Number(d.at(p, "usd_per_1000_answers").Y), format.Number(d.at(p, "latency_p95_s").Y),
		100*d.at(p, "success_ratio").Y)
}
