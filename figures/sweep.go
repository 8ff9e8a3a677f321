package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"stampede/internal/format"
	"stampede/measure"
	"stampede/plots"
	"stampede/report"
	"stampede/scenario"
	"stampede/sweep"
)

// pickAxes finds the axes of the figures: those asked for, else those whose
// values move the metric most.
func (d *Drawing) pickAxes() error {
	d.xAxis, d.byAxis = -1, -1
	find := func(flag, name string) (int, error) {
		if len(d.c.Axes) == 0 {
			return -1, optionErrorf("%s: found %q; the folder holds one scenario without axes", flag, name)
		}
		i, err := sweep.FindAxis(d.c.Axes, name)
		if err != nil {
			return -1, optionErrorf("%s: %v", flag, err)
		}
		return i, nil
	}
	var err error
	if d.X != "" {
		if d.xAxis, err = find("--x", d.X); err != nil {
			return err
		}
	}
	if d.By != "" {
		if d.byAxis, err = find("--by", d.By); err != nil {
			return err
		}
		if d.byAxis == d.xAxis {
			return optionErrorf("--by: found %q for both axes; want another", d.By)
		}
	}
	shares := make([]float64, len(d.c.Axes))
	for _, s := range d.c.Sensitivity {
		if s.Metric == d.metric(d.Y) {
			shares[slices.Index(d.c.Axes, s.Axis)] = s.Share
		}
	}
	order := make([]int, len(d.c.Axes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(shares[b], shares[a]) })
	for _, i := range order {
		switch {
		case d.c.Axes[i] == sweep.TriggerAxis: // shown when asked for
		case d.xAxis < 0 && i != d.byAxis:
			d.xAxis = i
		case d.byAxis < 0 && i != d.xAxis:
			d.byAxis = i
		}
	}
	if d.X == "" && d.By == "" && d.xAxis >= 0 && d.byAxis >= 0 {
		_, x := d.values(d.xAxis)
		_, by := d.values(d.byAxis)
		if by && !x { // a series for each name, numbers along the axis
			d.xAxis, d.byAxis = d.byAxis, d.xAxis
		}
	}
	return nil
}

func (d *Drawing) metric(name string) int { return slices.Index(d.c.Metrics, measure.Index(name)) }

func (d *Drawing) metricName(i int) string { return measure.Metrics()[d.c.Metrics[i]].Name }

// label writes a metric with its unit for an axis.
func label(name string) string {
	m := measure.Metrics()[measure.Index(name)]
	text := strings.ReplaceAll(strings.TrimSuffix(m.Name, "_s"), "_", " ")
	text = strings.ReplaceAll(text, "usd", "cost")
	return text + ", " + m.Unit
}

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

// behind is a title that a finding has taken the place of, before the subtitle.
func behind(title, subtitle string) string {
	return title + "; " + strings.ToLower(subtitle[:1]) + subtitle[1:]
}

// values lists the values of an axis in the order of the manifest, and whether
// they are numbers.
func (d *Drawing) values(axis int) (labels []string, numeric bool) {
	labels = d.c.Manifest.Axes[axis].Values
	if len(labels) == 0 {
		seen := map[string]bool{}
		for _, p := range d.c.Points {
			if l := p.Labels[axis]; !seen[l] {
				seen[l] = true
				labels = append(labels, l)
			}
		}
		slices.SortFunc(labels, func(a, b string) int {
			x, _ := scenario.NumberOf(a)
			y, _ := scenario.NumberOf(b)
			return cmp.Compare(x, y)
		})
	}
	numeric = len(labels) > 2
	for _, l := range labels {
		if _, ok := scenario.NumberOf(l); !ok {
			numeric = false
		}
	}
	return labels, numeric
}

// axisLabel names an axis with the unit of its values.
func (d *Drawing) axisLabel(axis int) string {
	name := strings.ReplaceAll(sweep.ShortNames(d.c.Axes)[axis], "_", " ")
	labels, numeric := d.values(axis)
	if !numeric {
		return name
	}
	switch l := labels[0]; {
	case strings.Contains(l, "/"):
		return name + ", per second"
	case strings.HasSuffix(l, "%"):
		return name + ", share"
	case strings.ContainsAny(l, "smh"):
		return name + ", s"
	}
	return name
}

func (d *Drawing) title(what string) string { return d.c.Manifest.Name + ": " + what }

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
	f.Rules = d.Rules
	f.WholeY = slices.Contains([]string{"calls", "attempts", "requests", "effects"},
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

func (d *Drawing) heat() (plots.Figure, error) {
	if d.byAxis < 0 || d.c.Manifest.Sample != "" {
		return nil, nil
	}
	x, _ := d.values(d.xAxis)
	y, _ := d.values(d.byAxis)
	if len(x) < 2 || len(y) < 2 || len(x)*len(y) > 400 {
		return nil, nil
	}
	points, fixed := d.slice()
	f := &plots.Heat{
		Title:    d.title(label(d.Y)),
		Value:    label(d.Y),
		Subtitle: d.subtitle(fixed),
		X:        short(d.c.Axes, d.xAxis),
		Y:        short(d.c.Axes, d.byAxis),
		NamesX:   x,
		NamesY:   y,
	}
	for range y {
		row := make([]plots.Point, len(x))
		for i := range row {
			row[i].Y = math.NaN()
		}
		f.Cells = append(f.Cells, row)
	}
	for _, p := range points {
		f.Cells[slices.Index(y, p.Labels[d.byAxis])][slices.Index(x, p.Labels[d.xAxis])] = d.at(p, d.Y)
	}
	return f, nil
}

func short(axes []string, i int) string {
	return strings.ReplaceAll(sweep.ShortNames(axes)[i], "_", " ")
}

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

// varies reports whether points differ on an axis.
func varies(axis int, points []*report.PointResult) bool {
	return slices.ContainsFunc(points, func(p *report.PointResult) bool {
		return p.Labels[axis] != points[0].Labels[axis]
	})
}

// endNames are the last parts of the axes' paths, and more of those that would be equal or are only an index.
func endNames(axes []string) []string {
	end := func(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }
	out := make([]string, len(axes))
	for i, path := range axes {
		same := 0
		for _, other := range axes {
			if end(other) == end(path) {
				same++
			}
		}
		out[i] = strings.ReplaceAll(end(path), "_", " ")
		if _, err := strconv.Atoi(end(path)); err == nil || same > 1 {
			out[i] = short(axes, i)
		}
	}
	return out
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
	}
	parts := []struct{ name, metric string }{
		{"useful", ""},
		{"wasted: timeout", "usd_wasted_timeout"},
		{"wasted: abandoned", "usd_wasted_abandoned"},
		{"wasted: error", "usd_wasted_error"},
	}
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

func leftOut(subtitle string, left int) string {
	if left == 0 {
		return subtitle
	}
	return subtitle + "; twelve points, " + strconv.Itoa(left) + " left out"
}

func (d *Drawing) latency() (plots.Figure, error) {
	points, fixed, left := d.chosen()
	f := &plots.Quantiles{
		Title:    d.title("latency of answered calls"),
		Subtitle: explainMark(leftOut(d.subtitle(fixed), left), points),
		Y:        "latency, s",
	}
	for _, p := range points {
		s := plots.Series{Name: d.markFew(p, points)}
		for _, q := range []struct {
			p    float64
			name string
		}{{0.25, "p25"}, {0.5, "p50"}, {0.75, "p75"}, {0.9, "p90"}, {0.95, "p95"}, {0.99, "p99"}, {0.999, "p999"}} {
			point := d.at(p, "latency_"+q.name+"_s")
			point.X = q.p
			s.Points = append(s.Points, point)
		}
		f.Series = append(f.Series, s)
	}
	if len(f.Series) == 0 {
		return nil, nil
	}
	return f, nil
}
