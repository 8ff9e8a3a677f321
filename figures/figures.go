// Package figures draws what a folder holds: of a sweep a metric over an axis, a heat map, the frontier,
// costs and latencies, and the knee of goodput; of a run a timeline and the herd, each attempt as a dot; and
// the pictures of experiments. It turns results into the figures of package plots and simulates nothing.
package figures

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"stampede/measure"
	"stampede/plots"
	"stampede/report"
)

// Folder draws all figures of a folder.
func Folder(dir, format string) ([]string, error) {
	return (&Drawing{Dir: dir, Format: format}).Draw()
}

// Drawing is figures of one folder to be drawn.
type Drawing struct {
	Dir, Out, Format string       // what is read, where figures go (empty: there too), and how they are written
	X, Y, By         string       // the axes and the metric; empty means the ones that matter most
	Base             *int         // the point at which the other axes stay; nil means the scenario itself
	Kinds            []string     // of figure; empty means all but the knee
	Whole            bool         // the herd of a run without its zoom to the trigger
	Rules            []plots.Rule // lines across the figure of the metric
	Options          plots.Options

	c             *report.Comparison
	xAxis, byAxis int // of the comparison; -1 for none
}

// kinds of figure, in the order in which they are drawn.
var kinds = []struct {
	name  string
	build func(*Drawing) (plots.Figure, error) // nil when the folder has nothing for it
	asked bool                                 // drawn only when it is asked for
	needs string
}{
	{"lines", (*Drawing).lines, false, "an axis"},
	{"heat", (*Drawing).heat, false, "a grid of two axes with two values or more, at most 400 cells"},
	{"frontier", (*Drawing).frontier, false, "two points with answers and a cost"},
	{"cost", (*Drawing).cost, false, "answers and a price"},
	{"latency", (*Drawing).latency, false, "answers"},
	{"timeline", (*Drawing).timeline, false, "the records of a run"},
	{"herd", (*Drawing).herd, false, "the records of a run"},
	{"room", (*Drawing).room, false, "the folder of a recommendation"},
	{"knee", (*Drawing).knee, true, "an axis of numbers, such as workers or load, with two values or more"},
}

func KindNames() (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// Draw reads the folder and writes the figures; it returns their names.
func (d *Drawing) Draw() (names []string, err error) {
	if d.Out == "" {
		d.Out = d.Dir
	}
	if err := os.MkdirAll(d.Out, 0o755); err != nil {
		return nil, err
	}
	metrics := append([]string{}, report.ReportMetrics...)
	for _, name := range measure.MetricNames() {
		if !slices.Contains(metrics, name) {
			metrics = append(metrics, name)
		}
	}
	o := report.CompareOptions{Metrics: metrics, Objective: d.Y, Base: d.Base}
	if d.c, err = report.Compare(d.Dir, o); err != nil {
		return nil, err
	}
	if d.Y == "" {
		d.Y = d.metricName(d.c.Objective)
	}
	if err := d.pickAxes(); err != nil {
		return nil, err
	}
	for _, k := range kinds {
		if len(d.Kinds) == 0 && k.asked || len(d.Kinds) > 0 && !slices.Contains(d.Kinds, k.name) {
			continue
		}
		figure, err := k.build(d)
		if err != nil {
			return names, err
		}
		if figure == nil {
			if len(d.Kinds) > 0 {
				return names, optionErrorf("the folder %s has nothing to draw as %s, which needs %s", d.Dir, k.name,
					k.needs)
			}
			continue
		}
		name := k.name + "." + d.Format
		if k.name == "lines" || k.name == "heat" {
			name = k.name + "-" + d.Y + "." + d.Format
		}
		if err := plots.Save(figure, filepath.Join(d.Out, name), d.Options); err != nil {
			return names, err
		}
		names = append(names, name)
	}
	return names, nil
}

// OptionError is an option that does not fit the folder.
type OptionError struct{ error }

func optionErrorf(format string, args ...any) error { return OptionError{fmt.Errorf(format, args...)} }
