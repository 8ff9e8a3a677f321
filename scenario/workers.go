package scenario

import (
	"reflect"
	"time"

	"stampede/fleet"
	"stampede/internal/strict"
)

// Workers is how many workers each instance has: one number, a schedule, or bounds between which an
// autoscaler decides.
type Workers struct {
	Count    Bound       `yaml:"count" none:"one worker per call" unlimited:"one worker per call"`
	Schedule []WorkersAt `yaml:"schedule" none:"no change"`

	Min           Count `yaml:"min" none:"no worker"`
	Max           Bound `yaml:"max"`
	PerQueued     Bound `yaml:"per_queued"`
	Every         Span  `yaml:"every" default:"30s"`
	Delay         Span  `yaml:"delay" none:"at once"`
	Stabilization Span  `yaml:"stabilization" none:"at once"`
}

// WorkersAt is how many there are from a time on.
type WorkersAt struct {
	At    Span  `yaml:"at"`
	Count Count `yaml:"count" none:"no worker"`
}

// UnmarshalNode implements strict.Unmarshaler: a number stands for a mapping with count, a list for
// one with schedule.
func (w *Workers) UnmarshalNode(d *strict.Decoder, n *strict.Node, path string) error {
	switch n.Kind {
	case strict.Scalar:
		strict.Reset(reflect.ValueOf(w).Elem())
		return d.Into(n, reflect.ValueOf(&w.Count).Elem(), path)
	case strict.Sequence:
		strict.Reset(reflect.ValueOf(w).Elem())
		return d.Into(n, reflect.ValueOf(&w.Schedule).Elem(), path)
	}
	return d.Plain(n, reflect.ValueOf(w).Elem(), path)
}

// auto reports whether an autoscaler is asked for.
func (w *Workers) auto() bool {
	return w.Min > 0 || w.Max > 0 || w.PerQueued > 0 || w.Delay > 0 || w.Stabilization > 0
}

// workers reads how many workers there are at most, and how their number changes.
func (b *builder) workers(w *Workers, instances int) (most int, out fleet.Scaling, err error) {
	const at = "fleet.workers"
	kinds := 0
	for _, set := range []bool{w.Count > 0, len(w.Schedule) > 0, w.auto()} {
		if set {
			kinds++
		}
	}
	switch {
	case kinds > 1:
		return 0, out, b.errorf(at, "found more than one of count, schedule and the bounds of an autoscaler; want one")
	case w.auto() && (w.Max == 0 || w.PerQueued == 0):
		return 0, out, b.errorf(at, "found a part of an autoscaler; want max and per_queued")
	case w.auto() && w.Min > Count(w.Max):
		return 0, out, b.errorf(at+".min", "found %d; want at most max, %d", w.Min, w.Max)
	case w.auto() && w.Every == 0:
		return 0, out, b.errorf(at+".every", "found 0; want the time from one decision to the next, such as 30s")
	case w.auto() && w.Stabilization/w.Every > Span(10_000_000/instances):
		return 0, out, b.errorf(at+".stabilization", "found %v; want at most %d times every", w.Stabilization,
			10_000_000/instances)
	case w.auto() && w.PerQueued > 1e9:
		return 0, out, b.errorf(at+".per_queued", "found %d; want 1 to 1G", w.PerQueued)
	case w.auto():
		out.Auto = fleet.Autoscaler{
			Min: int(w.Min), Max: int(w.Max), PerQueued: int(w.PerQueued), Every: time.Duration(w.Every),
			Delay: time.Duration(w.Delay), Stabilization: time.Duration(w.Stabilization),
		}
		return int(w.Max), out, nil
	case w.Schedule != nil && len(w.Schedule) == 0:
		return 0, out, b.errorf(at, "found an empty list; want {at: 0, count: N} as its first entry")
	case len(w.Schedule) == 0:
		return int(w.Count), out, nil
	case w.Schedule[0].At > 0:
		return 0, out, b.errorf(at+".schedule.0.at", "found %v; want 0, how many there are at the start",
			w.Schedule[0].At)
	}
	for i, step := range w.Schedule {
		if i > 0 && step.At <= w.Schedule[i-1].At {
			return 0, out, b.errorf(at+".schedule", "found %v after %v; want times that rise", step.At,
				w.Schedule[i-1].At)
		}
		out.Steps = append(out.Steps, fleet.WorkerStep{At: time.Duration(step.At), Count: int(min(step.Count, 1e8))})
		most = max(most, int(min(step.Count, 1e8)))
	}
	if most == 0 {
		return 0, out, b.errorf(at+".schedule", "found no worker at any time; want at least one")
	}
	return most, out, nil
}
