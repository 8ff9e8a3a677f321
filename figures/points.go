package figures

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"stampede/measure"
	"stampede/plots"
	"stampede/report"
	"stampede/sweep"
)

func (d *Drawing) metric(name string) int { return slices.Index(d.c.Metrics, measure.Index(name)) }

func (d *Drawing) metricName(i int) string { return measure.Metrics()[d.c.Metrics[i]].Name }

// at is the value of a metric at a point, with its interval. A share of calls that all replications have the
// same has none: how many replications may differ is known, not by how many of their calls. "collapsed" is a
// share of the replications themselves.
func (d *Drawing) at(p *report.PointResult, metric string) plots.Point {
	e := p.Estimates[d.metric(metric)]
	if e.Unseen > 0 && measure.Metrics()[measure.Index(metric)].Kind() == measure.Share && metric != "collapsed" {
		return plots.Point{Y: e.Mean, Low: e.Mean, High: e.Mean}
	}
	return plots.Point{Y: e.Mean, Low: e.Low, High: e.High}
}

// slice is the points at which all axes but those shown have the base's values.
func (d *Drawing) slice() (points []*report.PointResult, fixed string) {
	var base *report.PointResult
	for i := range d.c.Points {
		if d.c.Points[i].Point == d.c.Base {
			base = &d.c.Points[i]
		}
	}
	if d.c.Manifest.Sample != "" { // a sample has no two points on a line
		for i := range d.c.Points {
			points = append(points, &d.c.Points[i])
		}
		return points, "all points of the sample"
	}
	short := sweep.ShortNames(d.c.Axes)
	var parts []string
	for k := range d.c.Axes {
		if k != d.xAxis && k != d.byAxis {
			parts = append(parts, short[k]+" "+base.Labels[k])
		}
	}
	for i := range d.c.Points {
		p := &d.c.Points[i]
		same := true
		for k := range d.c.Axes {
			same = same && (k == d.xAxis || k == d.byAxis || p.Labels[k] == base.Labels[k])
		}
		if same && p.Reason == "" {
			points = append(points, p)
		}
	}
	if len(parts) > 0 {
		fixed = "at " + strings.Join(parts, ", ")
	}
	return points, fixed
}

// chosen are at most twelve points for figures with one item a point, those
// with the best metric, in the order of the sweep.
func (d *Drawing) chosen() (points []*report.PointResult, fixed string, left int) {
	points, fixed = d.slice()
	points = slices.DeleteFunc(points, func(p *report.PointResult) bool { return math.IsNaN(d.at(p, d.Y).Y) })
	if len(points) > plots.MostSeries {
		better := float64(measure.Metrics()[measure.Index(d.Y)].Better)
		slices.SortStableFunc(points, func(a, b *report.PointResult) int {
			return cmp.Compare(-better*d.at(a, d.Y).Y, -better*d.at(b, d.Y).Y)
		})
		left = len(points) - plots.MostSeries
		points = points[:plots.MostSeries]
		slices.SortFunc(points, func(a, b *report.PointResult) int { return cmp.Compare(a.Point, b.Point) })
	}
	if len(points) < 2 {
		return points, fixed, left
	}
	for _, axis := range []int{d.xAxis, d.byAxis} { // the names of the points leave out what all have
		if axis >= 0 && !varies(axis, points) {
			fixed = strings.TrimPrefix(fixed+", all at "+short(d.c.Axes, axis)+" "+points[0].Labels[axis], ", ")
		}
	}
	return points, fixed, left
}
