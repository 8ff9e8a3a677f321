package experiments

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"stampede/fleet"
	"stampede/measure"
	"stampede/wire"
)

// Picture is a figure of an experiment, where looking beats reading. It is data: who draws it
// asks for its content.
type Picture struct {
	Name     string // of the file, without ending
	Title    string
	Subtitle string   // the limiter and the policy
	X, Y     string   // labels with units; no X where the places have names
	Settings []string // over those of the arms that are drawn

	content func(*lab, *Result) (Content, error)
}

// Content is what a picture shows: [Curves], [Histograms] or [Herds].
type Content interface{ content() }

// Curves are lines over an axis of numbers, or dots over places that have names.
type Curves struct {
	Heading  string   // of the legend
	Places   []string // instead of numbers
	LogY     bool
	Curves   []Curve
	Expected string  // what the expected values rest on
	Bound    []Point // what a limit allows
	BoundBy  string
	Shaded   []Span
}

// Curve is one line, or one kind of dots.
type Curve struct {
	Name     string
	Points   []Point
	Expected []Point // by theory, where there is one
}

// Span is a stretch of time, in seconds.
type Span struct {
	Name       string
	Start, End float64
}

// Point is a value with its 95 % interval at a place.
type Point struct {
	X float64
	measure.Estimate
}

// Histograms are numbers over equal bins of time, a panel for each arm.
type Histograms struct {
	Width  time.Duration // of a bin
	Panels []Histogram
}

// Histogram is one of them, mean over replications.
type Histogram struct {
	Name   string
	Values []float64
}

// Herds are the attempts of many calls in one replication, a panel for each arm.
type Herds struct {
	Panels []Herd
}

// Herd is the attempts of one arm by the number of their call.
type Herd struct {
	Name              string
	Refused, Answered [][2]float64 // seconds, call
}

func (Curves) content()     {}
func (Histograms) content() {}
func (Herds) content()      {}

// Content measures what a picture of the experiment shows beyond the findings.
func (r *Result) Content(ctx context.Context, jobs int, p Picture) (Content, error) {
	content, err := p.content(&lab{ctx: ctx, experiment: r.Experiment, jobs: jobs, seed: r.Seed}, r)
	if err != nil {
		return nil, fmt.Errorf("%s, figure %s: %w", r.Experiment.Name, p.Name, err)
	}
	return content, nil
}

// measured are findings at places.
func (r *Result) measured(at []float64, keys ...string) (out []Point) {
	for i, key := range keys {
		out = append(out, Point{at[i], r.finding(key).Estimate})
	}
	return out
}

func (r *Result) finding(key string) Finding {
	for _, f := range r.Findings {
		if f.Key == key {
			return f
		}
	}
	panic(fmt.Sprintf("experiments: %s has no finding %s to draw", r.Experiment.Name, key))
}

// certain is a point without error.
func certain(x, y float64) Point { return Point{x, measure.Estimate{N: 1, Mean: y, Low: y, High: y}} }

// beside are dots for what was measured and for what was published, over names.
func beside(places []string, keys ...string) func(*lab, *Result) (Content, error) {
	return func(_ *lab, r *Result) (Content, error) {
		measured, published := Curve{Name: "measured"}, Curve{Name: "published"}
		for i, key := range keys {
			f := r.finding(key)
			measured.Points = append(measured.Points, Point{float64(i), f.Estimate})
			published.Points = append(published.Points, certain(float64(i), f.Expected))
		}
		return Curves{Places: places, Curves: []Curve{measured, published}}, nil
	}
}

// vary runs the arm at each value of a setting, for which it has a format.
func (l *lab) vary(arm, setting string, at []float64, set ...string) (out []armRuns, err error) {
	for _, x := range at {
		runs, err := l.run(arm, nil, append(slices.Clone(set), fmt.Sprintf(setting, x))...)
		if err != nil {
			return nil, err
		}
		out = append(out, runs)
	}
	return out, nil
}

// over is a metric of outcomes at their places.
func over(at []float64, outcomes []armRuns, metric string) (out []Point) {
	for i, runs := range outcomes {
		out = append(out, Point{at[i], measure.EstimateOf(runs.metric(metric).Values, 0.95)})
	}
	return out
}

// overTime is the mean over replications of what observers counted in each bin up to an end, at the
// middle of the bin.
func overTime(observers []*bins, end time.Duration) (out []Point) {
	width := observers[0].width
	for b := range int(end / width) {
		values := make([]float64, len(observers))
		for i, observer := range observers {
			if b < len(observer.Values) {
				values[i] = observer.Values[b]
			}
		}
		out = append(
			out,
			Point{
				(time.Duration(b)*width + width/2).Seconds(),
				measure.EstimateOf(values, 0.95).Within(0, math.Inf(1)),
			},
		)
	}
	return out
}

// answers counts answers by the bin in which they come.
func answers(width time.Duration) func() *bins {
	return func() *bins {
		return &bins{width: width, attempt: func(b *bins, a *fleet.Attempt) {
			if a.Class() == wire.OK {
				b.add(a.Ended, 1)
			}
		}}
	}
}

// timed is an arm that is drawn over time, with further settings.
type timed struct {
	title, arm string
	set        []string
}

// answersOverTime are curves of the answers per second.
func (l *lab) answersOverTime(end time.Duration, arms ...timed) (out []Curve, err error) {
	for _, arm := range arms {
		observers, err := watch(l, arm.arm, answers(time.Second), arm.set...)
		if err != nil {
			return nil, err
		}
		out = append(out, Curve{Name: arm.title, Points: overTime(observers, end)})
	}
	return out, nil
}

// herdObserver is an observer of the attempts of a herd.
type herdObserver struct{ Herd }

// Attempt implements fleet.Listener.
func (d *herdObserver) Attempt(a *fleet.Attempt) {
	dot := [2]float64{a.Sent.Seconds(), float64(a.Call)}
	if a.Class() == wire.OK {
		d.Answered = append(d.Answered, dot)
	} else {
		d.Refused = append(d.Refused, dot)
	}
}

// Call implements fleet.Listener.
func (*herdObserver) Call(*fleet.Call) {}

// herds are the first replication of arms.
func (l *lab) herds(names map[string]string, arms ...string) (Content, error) {
	var out Herds
	for _, arm := range arms {
		open := func() *herdObserver { return &herdObserver{Herd{Name: names[arm]}} }
		observers, err := watch(l, arm, open, "replications=1")
		if err != nil {
			return nil, err
		}
		out.Panels = append(out.Panels, observers[0].Herd)
	}
	return out, nil
}
