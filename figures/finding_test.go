package figures

import (
	"slices"
	"testing"

	"stampede/measure"
	"stampede/plots"
	"stampede/report"
	"stampede/sweep"
)

// A title says what the lines show where the intervals decide it: the first place whose interval meets that
// of the best, when it is the same for all lines.
func TestFinding(t *testing.T) {
	at := func(values ...float64) (points []plots.Point) { // each ±1
		for i, y := range values {
			points = append(points, plots.Point{X: float64(i), Y: y, Low: y - 1, High: y + 1})
		}
		return points
	}
	for _, c := range []struct {
		metric string
		names  bool
		series [][]plots.Point
		want   string
	}{
		{"answered", false, [][]plots.Point{at(10, 50, 100, 100)}, "Beyond fleet.workers 4 no more is answered"},
		{"answered", false, [][]plots.Point{at(10, 100, 50, 20)}, "The most calls are answered at fleet.workers 2"},
		{"answered", true, [][]plots.Point{at(10, 100, 99, 100)}, "The most calls are answered at fleet.workers 2"},
		{"answered", false, [][]plots.Point{at(10, 20, 30, 40)}, ""},
		{"answered", false, [][]plots.Point{at(10, 100, 100, 100), at(10, 50, 100, 100)}, ""},
		{
			"latency_p95_s", false, [][]plots.Point{at(90, 20, 20, 20)},
			"Beyond fleet.workers 2 latency p95 does not improve",
		},
		{"latency_p95_s", false, [][]plots.Point{at(90, 20, 40, 60)}, "Latency p95 is best at fleet.workers 2"},
		{"answered", false, [][]plots.Point{at(10, 10.5, 10, 10)},
			"Fleet.workers: no difference in answered beyond the intervals"},
		{"calls", false, [][]plots.Point{at(10, 100, 100, 100)}, ""},
	} {
		d := Drawing{Y: c.metric, c: &report.Comparison{Manifest: &sweep.Manifest{}, Axes: []string{"fleet.workers"}}}
		f := &plots.Lines{}
		labels := []string{"1", "2", "4", "8"}
		if c.names {
			f.Names = labels
		}
		for _, points := range c.series {
			f.Series = append(f.Series, plots.Series{Points: points})
		}
		if got := d.finding(f, labels); got != c.want {
			t.Errorf("%s %v: %q, want %q", c.metric, c.series, got, c.want)
		}
	}
	if measure.Metrics()[measure.Index("calls")].Better != measure.Neither {
		t.Error("a number of calls is neither better nor worse")
	}
}

// The herd is zoomed to the first trigger that begins after the start and ends: as long before it as it
// lasts, and four times as long after it.
func TestZoomToTheTrigger(t *testing.T) {
	for _, c := range []struct {
		spans    []plots.Span
		from, to float64
	}{
		{[]plots.Span{{Name: "outage", Start: 60, End: 80}}, 40, 160},
		{[]plots.Span{{Name: "outage", Start: 10, End: 80}}, 0, 360},
		{[]plots.Span{{Name: "always", Start: 0, End: 0}, {Name: "spike", Start: 20, End: 25}}, 15, 45},
		{[]plots.Span{{Name: "without end", Start: 30, End: 0}}, 0, 0},
		{nil, 0, 0},
	} {
		from, to, ok := (&Drawing{}).zoom(c.spans)
		if from != c.from || to != c.to || ok != (c.to > 0) {
			t.Errorf("%v: %g..%g %v, want %g..%g", c.spans, from, to, ok, c.from, c.to)
		}
		if _, _, ok := (&Drawing{Whole: true}).zoom(c.spans); ok {
			t.Error("the whole run is not zoomed")
		}
	}
}

// A share of calls that is 1 in all of 10 replications has no band: 0.74 = 0.05^(1/10) bounds the share of the
// replications that have it, which is what "collapsed" is about, and nothing is known of the others' calls.
func TestNoBandWithoutVariation(t *testing.T) {
	lows := map[string]float64{"success_ratio": 1, "throttled_ratio": 1, "collapsed": 0.74, "answered": 0.74}
	for metric, low := range lows {
		e := measure.Estimate{N: 10, Mean: 1, Low: 0.74, High: 1, Unseen: 0.26}
		d := Drawing{c: &report.Comparison{Metrics: []int{measure.Index(metric)}}}
		got := d.at(&report.PointResult{Estimates: []measure.Estimate{e}}, metric)
		if want := (plots.Point{Y: 1, Low: low, High: 1}); got != want {
			t.Errorf("%s: %v, want %v", metric, got, want)
		}
		e.Unseen = 0
		if got := d.at(&report.PointResult{Estimates: []measure.Estimate{e}}, metric); got.Low != 0.74 {
			t.Errorf("%s: an interval of what varies stays: %v", metric, got)
		}
	}
}

// A name of a point leaves out what all points of the figure have, and has the last part of each axis unless
// two end alike or that part is an index.
func TestPointNames(t *testing.T) {
	axes := []string{"policy.gate.semaphore", "policy.retry.jitter", "policy.retry.deadline"}
	d := Drawing{xAxis: 1, byAxis: 0, c: &report.Comparison{Axes: axes, Manifest: &sweep.Manifest{}}}
	point := func(labels ...string) *report.PointResult { return &report.PointResult{Labels: labels} }
	for _, c := range []struct {
		points []*report.PointResult
		want   string // name of the first
	}{
		{[]*report.PointResult{point("4", "none", "45s"), point("8", "full", "45s")}, "jitter none, semaphore 4"},
		{[]*report.PointResult{point("4", "none", "45s"), point("8", "none", "90s")}, "semaphore 4, deadline 45s"},
		{[]*report.PointResult{point("4", "none", "45s")}, "jitter none, semaphore 4"},
	} {
		if got := d.pointName(c.points[0], c.points); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	got := endNames([]string{"gate.semaphore", "fleet.attempt_limit", "a.rate", "b.rate", "provider.limits.0"})
	want := []string{"semaphore", "attempt limit", "a.rate", "b.rate", "provider.limits.0"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A finding of a slice says what is held fixed, where that is short; else the subtitle does.
func TestFindingSaysWhatIsFixed(t *testing.T) {
	for axes, want := range map[int][2]string{
		2: {"F", "at a 1"}, 3: {"F, at a 1", ""}, 4: {"F, at a 1", ""}, 5: {"F", "at a 1"},
	} {
		c := &report.Comparison{Axes: make([]string, axes), Manifest: &sweep.Manifest{}}
		title, rest := (&Drawing{xAxis: 0, byAxis: 1, c: c}).narrowed("F", "at a 1")
		if title != want[0] || rest != want[1] {
			t.Errorf("%d axes: %q, %q; want %q", axes, title, rest, want)
		}
	}
}

// What is wasted by any cause is no part of what is useful.
func TestCostHasEachCauseOfWaste(t *testing.T) {
	var names []string
	for _, p := range costParts() {
		names = append(names, p.name)
	}
	want := []string{"useful", "wasted: timeout", "wasted: abandoned", "wasted: error", "wasted: hedge",
		"wasted: redelivery"}
	if !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

// The provider begins no sentence where the title stands before it.
func TestSubtitleBehindATitle(t *testing.T) {
	if got := behind("name: cost", "Provider: 8 at once"); got != "name: cost; provider: 8 at once" {
		t.Error(got)
	}
	if got := leftOut("Provider: x", 4); got != "Provider: x; twelve points, 4 left out" {
		t.Error(got)
	}
	for n, want := range map[float64]string{2: "nd", 3: "rd", 4: "th", 11: "th", 12: "th", 21: "st", 113: "th"} {
		if got := ordinal(n); got != want {
			t.Errorf("%g%s, want %s", n, got, want)
		}
	}
}
