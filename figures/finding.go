package figures

import (
	"fmt"
	"slices"
	"strings"

	"stampede/measure"
	"stampede/plots"
)

// finding is what a figure of lines shows, in a sentence, where the results decide it: the place from which
// the metric is no longer told apart from its best, if it is the same for every line. Empty means that they
// do not.
func (d *Drawing) finding(f *plots.Lines, labels []string) string {
	m := measure.Metrics()[measure.Index(d.Y)]
	if m.Better == measure.Neither || d.c.Manifest.Sample != "" || len(f.Series) == 0 {
		return ""
	}
	at, flat := -1, true
	for _, s := range f.Series {
		points := slices.DeleteFunc(slices.Clone(s.Points), func(q plots.Point) bool { return q.Y != q.Y })
		slices.SortStableFunc(points, func(a, b plots.Point) int {
			if a.X < b.X {
				return -1
			}
			return 1
		})
		if len(points) != len(labels) || len(points) < 2 {
			return ""
		}
		best := points[0]
		for _, q := range points {
			if (q.Y-best.Y)*float64(m.Better) > 0 {
				best = q
			}
		}
		as := func(q plots.Point) bool { return q.Low <= best.High && best.Low <= q.High }
		first := slices.IndexFunc(points, as)
		if at >= 0 && first != at {
			return ""
		}
		at = first
		for _, q := range points[first:] {
			flat = flat && as(q)
		}
	}
	if at == 0 && flat {
		return fmt.Sprintf("%s: no difference in %s beyond the intervals", capital(short(d.c.Axes, d.xAxis)),
			metricWords(m))
	}
	place := short(d.c.Axes, d.xAxis) + " " + d.placeLabel(f, labels, at)
	switch {
	case at == len(labels)-1:
		return ""
	case m.Name == "answered" && (f.Names != nil || !flat):
		return fmt.Sprintf("The most calls are answered at %s", place)
	case f.Names != nil || !flat:
		return fmt.Sprintf("%s is best at %s", capital(metricWords(m)), place)
	case m.Name == "answered":
		return fmt.Sprintf("Beyond %s no more is answered", place)
	}
	return fmt.Sprintf("Beyond %s %s does not improve", place, metricWords(m))
}

// narrowed adds to a finding what is held fixed, since it holds only there; beyond two axes the subtitle says it.
func (d *Drawing) narrowed(finding, fixed string) (title, rest string) {
	others := len(d.c.Axes)
	for _, axis := range []int{d.xAxis, d.byAxis} {
		if axis >= 0 {
			others--
		}
	}
	if others == 0 || others > 2 || d.c.Manifest.Sample != "" {
		return finding, fixed
	}
	return finding + ", " + fixed, ""
}

// placeLabel is the label of the place with that rank along the axis.
func (d *Drawing) placeLabel(f *plots.Lines, labels []string, rank int) string {
	if f.Names != nil {
		return labels[rank]
	}
	type place struct {
		x     float64
		label string
	}
	var places []place
	for _, s := range f.Series[:1] {
		for i, q := range s.Points {
			if i < len(labels) {
				places = append(places, place{q.X, ""})
			}
		}
	}
	for i, l := range labels {
		if i < len(places) {
			places[i].label = l
		}
	}
	slices.SortStableFunc(places, func(a, b place) int {
		if a.x < b.x {
			return -1
		}
		return 1
	})
	return places[rank].label
}

// metricWords is a metric in a sentence.
func metricWords(m measure.Metric) string {
	text := strings.ReplaceAll(strings.TrimSuffix(m.Name, "_s"), "_", " ")
	return strings.ReplaceAll(text, "usd", "the cost")
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// frontierFinding is what all points of the frontier share and others do not.
func (d *Drawing) frontierFinding() string {
	var parts []string
	for k := range d.c.Axes {
		label, shared, differs := "", true, false
		for i := range d.c.Points {
			p := &d.c.Points[i]
			if !slices.Contains(d.c.Frontier, p.Point) {
				continue
			}
			if label == "" {
				label = p.Labels[k]
			}
			shared = shared && p.Labels[k] == label
		}
		for i := range d.c.Points {
			differs = differs || d.c.Points[i].Labels[k] != label
		}
		if shared && differs && label != "" {
			parts = append(parts, short(d.c.Axes, k)+" "+label)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "Every point of the frontier has " + strings.Join(parts, " and ")
}

// wasteFinding is the largest share of the cost that is waste, of the bars that are drawn.
func wasteFinding(f *plots.Bars) string {
	most := 0.0
	for i := range f.Names {
		waste := 0.0
		for _, part := range f.Parts[1:] {
			waste += part.Values[i]
		}
		if whole := f.Whole[i].Y; whole > 0 {
			most = max(most, waste/whole)
		}
	}
	if most < 0.0005 {
		return "Nothing is wasted"
	}
	return fmt.Sprintf("Up to %.2g %% of the cost is waste", 100*most)
}
