package figures

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

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

func short(axes []string, i int) string {
	return strings.ReplaceAll(sweep.ShortNames(axes)[i], "_", " ")
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

// varies reports whether points differ on an axis.
func varies(axis int, points []*report.PointResult) bool {
	return slices.ContainsFunc(points, func(p *report.PointResult) bool {
		return p.Labels[axis] != points[0].Labels[axis]
	})
}
