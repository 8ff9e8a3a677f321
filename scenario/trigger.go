package scenario

import (
	"fmt"
	"slices"

	"stampede/sim"
)

// Window is a span of time; it holds Start and not End.
type Window struct{ Start, End sim.Time }

// Words says in short what a fault does.
func (f Fault) Words() string {
	switch {
	case f.Status != 0:
		return fmt.Sprintf("status %d", f.Status)
	case f.Hang:
		return "hang"
	case f.losesReply():
		return "replies lost"
	case f.StallAt != nil:
		return "stalled at " + f.StallAt.String()
	case f.CutAt != nil:
		return "cut at " + f.CutAt.String()
	case f.Slow != 0:
		return fmt.Sprintf("latency x%v", f.Slow)
	case f.Limit != nil:
		return fmt.Sprintf("%s %v", f.Limit.Resource, f.Limit.Limit)
	}
	return "connection " + string(f.Connection.Kind)
}

// Trigger is the span from the first to the last disturbance that begins and
// ends within the run: faults and changes of the rate of arrivals that last for
// a time. It reports false when there is none.
func (s *Scenario) Trigger() (w Window, ok bool) {
	add := func(at, length Span) {
		if length == 0 {
			return
		}
		start, end := sim.Time(at), sim.Time(at+length)
		if !ok {
			w, ok = Window{start, end}, true
			return
		}
		w = Window{min(w.Start, start), max(w.End, end)}
	}
	for _, f := range s.Provider.Faults {
		add(f.At, f.For)
	}
	for _, workload := range s.workloads() {
		if o := workload.Open; o != nil {
			for _, step := range o.Profile {
				add(step.At, step.For)
			}
		}
	}
	return w, ok
}

// WithoutTrigger is the scenario without those disturbances: the control that
// tells what they cause from what happens anyway.
func (t *Template) WithoutTrigger(s *Scenario) (*Scenario, error) {
	f := s.File
	f.Provider.Faults = nil
	for _, fault := range s.Provider.Faults {
		if fault.For == 0 {
			f.Provider.Faults = append(f.Provider.Faults, fault)
		}
	}
	f.Workload.Open = calm(f.Workload.Open)
	f.OtherFleets = slices.Clone(f.OtherFleets)
	for i := range f.OtherFleets {
		f.OtherFleets[i].Workload.Open = calm(f.OtherFleets[i].Workload.Open)
	}
	b := builder{d: newDecoder(), options: t.options}
	out := &Scenario{File: f}
	var err error
	out.Model, err = b.build(&out.File)
	out.warnings = b.warnings
	return out, err
}

// calm is the arrivals without the changes that last for a time.
func calm(o *Open) *Open {
	if o == nil {
		return nil
	}
	out := *o
	out.Profile = nil
	for _, step := range o.Profile {
		if step.For == 0 {
			out.Profile = append(out.Profile, step)
		}
	}
	return &out
}

// workloads are those of all fleets, the main one first.
func (f *File) workloads() []*Workload {
	out := []*Workload{&f.Workload}
	for i := range f.OtherFleets {
		out = append(out, &f.OtherFleets[i].Workload)
	}
	return out
}
