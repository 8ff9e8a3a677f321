package figures

import (
	"math"
	"slices"
	"strings"

	"stampede/measure"
	"stampede/plots"
	"stampede/report"
	"stampede/scenario"
	"stampede/sweep"
)

func (d *Drawing) lines() (plots.Figure, error) {
	if d.xAxis < 0 {
		return nil, nil
	}
	labels, numeric := d.values(d.xAxis)
	points, fixed := d.slice()
	f := &plots.Lines{
		Title:    d.title(strings.SplitN(label(d.Y), ",", 2)[0] + " over " + short(d.c.Axes, d.xAxis)),
		Subtitle: d.subtitle(fixed),
		X:        d.axisLabel(d.xAxis),
		Y:        label(d.Y),
	}
	if !numeric {
		f.Names = labels
	} else if low, _ := scenario.NumberOf(labels[0]); low > 0 {
		high, _ := scenario.NumberOf(labels[len(labels)-1])
		f.LogX = high/low >= 16
	}
	series := []string{""}
	if d.byAxis >= 0 && d.c.Manifest.Sample == "" {
		series, _ = d.values(d.byAxis)
		f.Heading = strings.ReplaceAll(sweep.ShortNames(d.c.Axes)[d.byAxis], "_", " ")
	}
	for _, name := range series {
		s := plots.Series{Name: name}
		for _, p := range points {
			if len(series) > 1 && p.Labels[d.byAxis] != name {
				continue
			}
			q := d.at(p, d.Y)
			if q.X = float64(slices.Index(labels, p.Labels[d.xAxis])); numeric {
				q.X, _ = scenario.NumberOf(p.Labels[d.xAxis])
			}
			s.Points = append(s.Points, q)
		}
		f.Series = append(f.Series, s)
	}
	if d.Y == "makespan_s" && d.sameAnswers(points) {
		d.bound(f, points, labels, numeric)
	}
	if len(f.Series) == 1 {
		f.Series[0].Name = "mean, 95 % interval"
	}
	f.Dots = d.c.Manifest.Sample != ""
	f.Rules = append(slices.Clone(d.Rules), d.goalRules(d.Y)...)
	f.WholeY = slices.Contains([]string{"calls", "attempts", "requests", "effects", "sessions"},
		measure.Metrics()[measure.Index(d.Y)].Unit)
	if finding := d.finding(f, labels); finding != "" {
		finding, fixed = d.narrowed(finding, fixed)
		f.Title, f.Subtitle = finding, behind(f.Title, d.subtitle(fixed))
	}
	return f, nil
}

// sameAnswers reports whether the points answer as many calls, within 1 %, so
// that one bound holds for all.
func (d *Drawing) sameAnswers(points []*report.PointResult) bool {
	least, most := math.Inf(1), 0.0
	for _, p := range points {
		n := d.at(p, "answered").Y
		least, most = min(least, n), max(most, n)
	}
	return least >= 0.99*most
}

// bound adds the line below which no policy can bring the makespan: at each
// place the least bound of the points there.
func (d *Drawing) bound(f *plots.Lines, points []*report.PointResult, labels []string, numeric bool) {
	for i, l := range labels {
		least := math.Inf(1)
		for _, p := range points {
			if q := d.at(p, "makespan_lower_bound_s"); p.Labels[d.xAxis] == l && q.Y < least {
				least = q.Y
			}
		}
		x := float64(i)
		if numeric {
			x, _ = scenario.NumberOf(l)
		}
		if !math.IsInf(least, 0) {
			f.Bound = append(f.Bound, plots.Point{X: x, Y: least})
		}
	}
	f.BoundName = "bound for these answers"
}
