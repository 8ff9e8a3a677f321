package figures

import (
	"slices"
	"strconv"
	"strings"

	"stampede/measure"
	"stampede/report"
)

// label writes a metric with its unit for an axis.
func label(name string) string {
	m := measure.Metrics()[measure.Index(name)]
	text := strings.ReplaceAll(strings.TrimSuffix(m.Name, "_s"), "_", " ")
	text = strings.ReplaceAll(text, "usd", "cost")
	return text + ", " + m.Unit
}

// behind is a title that a finding has taken the place of, before the subtitle.
func behind(title, subtitle string) string {
	return title + "; " + strings.ToLower(subtitle[:1]) + subtitle[1:]
}

// subtitle names the policy and the limiter, and what is held fixed.
func (d *Drawing) subtitle(fixed string) string {
	parts := []string{"Provider: " + d.c.Manifest.Provider}
	if slices.ContainsFunc(
		d.c.Axes,
		func(path string) bool { return path == "provider" || strings.HasPrefix(path, "provider.") },
	) {
		parts[0] = "Provider before the sweep: " + d.c.Manifest.Provider
	}
	switch {
	case len(d.c.Axes) == 0:
		parts = append(parts, "policy: "+d.c.Manifest.Policy)
	case !slices.Contains(d.c.Axes, "policy"):
		parts = append(parts, "policy before the sweep: "+d.c.Manifest.Policy)
	case slices.ContainsFunc(d.c.Points, func(p report.PointResult) bool {
		return slices.Contains(p.Labels, "as_above")
	}):
		parts = append(parts, "as_above: "+d.c.Manifest.Policy)
	}
	if fixed != "" {
		parts = append(parts, fixed)
	}
	return strings.Join(parts, "; ")
}

func (d *Drawing) title(what string) string { return d.c.Manifest.Name + ": " + what }

// pointName names one of the points of a figure by its values on the axes that tell them apart, the moving
// axes first.
func (d *Drawing) pointName(p *report.PointResult, points []*report.PointResult) string {
	if len(p.Labels) == 0 {
		return d.c.Manifest.Name
	}
	names := endNames(d.c.Axes)
	var parts []string
	for _, axis := range []int{d.xAxis, d.byAxis} {
		if axis >= 0 && (varies(axis, points) || len(points) == 1) {
			parts = append(parts, names[axis]+" "+p.Labels[axis])
		}
	}
	for k, l := range p.Labels {
		if k != d.xAxis && k != d.byAxis && len(p.Labels) <= 3 && varies(k, points) {
			parts = append(parts, names[k]+" "+l)
		}
	}
	return strings.Join(parts, ", ")
}

// fewMark marks points in figures of cost or latency where these are of survivors.
const fewMark = " !"

// markFew names a point of such a figure, and marks it where few calls are answered.
func (d *Drawing) markFew(p *report.PointResult, points []*report.PointResult) string {
	if p.Few {
		return d.pointName(p, points) + fewMark
	}
	return d.pointName(p, points)
}

// explainMark says what the mark means, where a point has it.
func explainMark(subtitle string, points []*report.PointResult) string {
	if slices.ContainsFunc(points, func(p *report.PointResult) bool { return p.Few }) {
		subtitle += ";" + fewMark + " under 99 % of calls are answered"
	}
	return subtitle
}

func leftOut(subtitle string, left int) string {
	if left == 0 {
		return subtitle
	}
	return subtitle + "; twelve points, " + strconv.Itoa(left) + " left out"
}
