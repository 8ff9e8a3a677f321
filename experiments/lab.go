package experiments

import (
	"context"

	"stampede/fleet"
	"stampede/measure"
	"stampede/scenario"
	"stampede/sim"
)

// lab runs the arms of an experiment.
type lab struct {
	ctx        context.Context
	experiment *Experiment
	jobs       int
	seed       uint64
	divisor    int // of the replications of each arm; 0 means 1
}

// arm is the scenario of one arm with the seed of the lab, and with further settings.
func (l *lab) arm(name string, set ...string) (*scenario.Scenario, error) {
	s, err := l.experiment.Arm(name, set...)
	if err == nil {
		s.Seed = l.seed
		if l.divisor > 1 {
			s.Replications = max(min(5, s.Replications), s.Replications/l.divisor)
		}
	}
	return s, err
}

// run runs all replications of an arm; listen may be nil.
func (l *lab) run(arm string, listen func(replication int) fleet.Listener, set ...string) (armRuns, error) {
	s, err := l.arm(arm, set...)
	if err != nil {
		return nil, err
	}
	return l.replicate(s, listen)
}

func (l *lab) replicate(s *scenario.Scenario, listen func(replication int) fleet.Listener) (armRuns, error) {
	runs, err := measure.Replicator{Jobs: l.jobs, Listen: listen}.Run(l.ctx, s, 0, s.Replications)
	return armRuns(runs), err
}

// watch runs all replications of an arm, each with its own observer.
func watch[T fleet.Listener](l *lab, arm string, open func() T, set ...string) ([]T, error) {
	s, err := l.arm(arm, set...)
	if err != nil {
		return nil, err
	}
	observers := make([]T, s.Replications)
	if _, err := l.replicate(s, func(replication int) fleet.Listener {
		observers[replication] = open()
		return observers[replication]
	}); err != nil {
		return nil, err // some observers have seen nothing
	}
	return observers, nil
}

// counter is an observer of one number.
type counter struct {
	attempt func(*counter, *fleet.Attempt)
	call    func(*counter, *fleet.Call)
	n       float64
}

// Attempt implements fleet.Listener.
func (c *counter) Attempt(a *fleet.Attempt) {
	if c.attempt != nil {
		c.attempt(c, a)
	}
}

// Call implements fleet.Listener.
func (c *counter) Call(of *fleet.Call) {
	if c.call != nil {
		c.call(c, of)
	}
}

// bins is an observer of numbers over time.
type bins struct {
	width   sim.Time
	attempt func(*bins, *fleet.Attempt)
	Values  []float64 // of each bin from time 0
}

// Attempt implements fleet.Listener.
func (b *bins) Attempt(a *fleet.Attempt) { b.attempt(b, a) }

// Call implements fleet.Listener.
func (b *bins) Call(*fleet.Call) {}

// add adds to the bin of an instant.
func (b *bins) add(at sim.Time, x float64) {
	i := int(at / b.width)
	for len(b.Values) <= i {
		b.Values = append(b.Values, 0)
	}
	b.Values[i] += x
}

// count runs an arm and counts in each replication.
func (l *lab) count(arm string, c counter) (Sample, error) {
	observers, err := watch(l, arm, func() *counter { one := c; return &one })
	var out Sample
	for _, observer := range observers {
		out.Values = append(out.Values, observer.n)
	}
	return out, err
}

// runAll runs the arms one after the other.
func (l *lab) runAll() (map[string]armRuns, error) {
	out := map[string]armRuns{}
	for _, arm := range l.experiment.Arms {
		runs, err := l.run(arm.Name, nil)
		if err != nil {
			return nil, err
		}
		out[arm.Name] = runs
	}
	return out, nil
}

// armRuns are the runs of one arm.
type armRuns []measure.Run

// metric is a metric of the registry by replication.
func (o armRuns) metric(name string) Sample {
	i := measure.Index(name)
	if i < 0 {
		panic("experiments: no metric " + name)
	}
	return Sample{Values: measure.Column(o, i)}
}

// beyond is a metric less that of another arm on the same seeds.
func (o armRuns) beyond(other armRuns, name string) Sample {
	a, b := o.metric(name).Values, other.metric(name).Values
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] - b[i]
	}
	return Sample{Values: out}
}

// over is a metric over that of another arm on the same seeds.
func (o armRuns) over(other armRuns, name string) Sample {
	a, b := o.metric(name).Values, other.metric(name).Values
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] / b[i]
	}
	return Sample{Values: out}
}

// ratio is one metric over another, times a factor.
func (o armRuns) ratio(above, below string, factor float64) Sample {
	a, b := o.metric(above).Values, o.metric(below).Values
	out := make([]float64, len(a))
	for i := range a {
		out[i] = factor * a[i] / b[i]
	}
	return Sample{Values: out}
}

// read measures the findings that are metrics of arms.
func (l *lab) read() (map[string]Sample, error) {
	arms, err := l.runAll()
	if err != nil {
		return nil, err
	}
	out := map[string]Sample{}
	for _, r := range l.experiment.References {
		sample := arms[r.arm].metric(r.metric)
		for i := range sample.Values {
			if r.factor != 0 {
				sample.Values[i] *= r.factor
			}
		}
		out[r.Key] = sample
	}
	return out, nil
}
