package experiments

import (
	"context"

	"stampede/fleet"
	"stampede/measure"
	"stampede/scenario"
	"stampede/sim"
)

// lab plays the arms of an experiment.
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

// play plays all replications of an arm; listen may be nil.
func (l *lab) play(arm string, listen func(replication int) fleet.Listener, set ...string) (outcome, error) {
	s, err := l.arm(arm, set...)
	if err != nil {
		return nil, err
	}
	return l.run(s, listen)
}

func (l *lab) run(s *scenario.Scenario, listen func(replication int) fleet.Listener) (outcome, error) {
	runs, err := measure.Replicator{Jobs: l.jobs, Listen: listen}.Play(l.ctx, s, 0, s.Replications)
	return outcome(runs), err
}

// watch plays all replications of an arm, each before an eye of its own.
func watch[T fleet.Listener](l *lab, arm string, open func() T, set ...string) ([]T, error) {
	s, err := l.arm(arm, set...)
	if err != nil {
		return nil, err
	}
	eyes := make([]T, s.Replications)
	if _, err := l.run(s, func(replication int) fleet.Listener {
		eyes[replication] = open()
		return eyes[replication]
	}); err != nil {
		return nil, err // some eyes have seen nothing
	}
	return eyes, nil
}

// counter is an eye for one number.
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

// bins is an eye for numbers over time.
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

// count plays an arm and counts in each replication.
func (l *lab) count(arm string, c counter) (Sample, error) {
	eyes, err := watch(l, arm, func() *counter { one := c; return &one })
	var out Sample
	for _, eye := range eyes {
		out.Values = append(out.Values, eye.n)
	}
	return out, err
}

// playAll plays the arms one after the other.
func (l *lab) playAll() (map[string]outcome, error) {
	out := map[string]outcome{}
	for _, arm := range l.experiment.Arms {
		runs, err := l.play(arm.Name, nil)
		if err != nil {
			return nil, err
		}
		out[arm.Name] = runs
	}
	return out, nil
}

// outcome is the runs of one arm.
type outcome []measure.Run

// metric is a metric of the registry by replication.
func (o outcome) metric(name string) Sample {
	i := measure.Index(name)
	if i < 0 {
		panic("experiments: no metric " + name)
	}
	return Sample{Values: measure.Column(o, i)}
}

// beyond is a metric less that of another arm on the same seeds.
func (o outcome) beyond(other outcome, name string) Sample {
	a, b := o.metric(name).Values, other.metric(name).Values
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] - b[i]
	}
	return Sample{Values: out}
}

// over is a metric over that of another arm on the same seeds.
func (o outcome) over(other outcome, name string) Sample {
	a, b := o.metric(name).Values, other.metric(name).Values
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] / b[i]
	}
	return Sample{Values: out}
}

// ratio is one metric over another, times a factor.
func (o outcome) ratio(above, below string, factor float64) Sample {
	a, b := o.metric(above).Values, o.metric(below).Values
	out := make([]float64, len(a))
	for i := range a {
		out[i] = factor * a[i] / b[i]
	}
	return Sample{Values: out}
}

// read measures the findings that are metrics of arms.
func (l *lab) read() (map[string]Sample, error) {
	arms, err := l.playAll()
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
