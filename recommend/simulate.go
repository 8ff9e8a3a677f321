package recommend

import (
	"context"
	"fmt"
	"math"
	"sync"

	"stampede/measure"
	"stampede/scenario"
	"stampede/sim"
)

// Simulator is the player of points of scenarios. What cannot be built or run gives NaN and is not an error:
// a space may have corners that make no sense.
type Simulator struct {
	Templates   []*scenario.Template
	Axes        []scenario.Axis // of all templates
	Objective   measure.Objective
	Constraints []Constraint
	Weights     []float64 // of the scenarios in the objective; nil weighs all alike
	Show        []int     // further metrics to estimate, of the first scenario
	Jobs        int       // replications at a time; 0 means one for each core

	// Draw, when set, gives settings of the form PATH=VALUE to a replication of a scenario: inputs that are not known,
	// the same for all points. Axes lie over them.
	Draw func(scenario, replication int) []string
	// Done, when set, is called after replications of each scenario, in the order in which they were asked for.
	Done func(Played)

	jobs  []measure.Replicator // one of each worker, which remembers what it drew
	mu    sync.Mutex
	built map[builtKey]*built
	order []builtKey // of the built, the oldest first
}

// Played is a replication of a scenario at a point.
type Played struct {
	Ask
	Scenario int
	Values   []float64 // by the registry; nil after an error
	Limits   []string  // names of the limits
	Err      error
}

// NewPlayer is a simulator of what the question asks.
func NewPlayer(templates []*scenario.Template, axes []scenario.Axis, q *Question, jobs int) *Simulator {
	return &Simulator{
		Templates:   templates,
		Axes:        axes,
		Objective:   q.Objective,
		Constraints: q.Constraints,
		Show:        q.Show,
		Jobs:        jobs,
	}
}

// AxesOf are axes as a question has them. Those whose values are numbers that rise or fall are in order; a
// word such as none or unlimited may stand behind them.
func AxesOf(axes []scenario.Axis) (out []Axis) {
	for _, a := range axes {
		axis := Axis{Path: a.Path}
		var numbers []float64
		for _, v := range a.Values {
			axis.Values = append(axis.Values, v.Label)
			if x, ok := scenario.NumberOf(v.Label); ok {
				numbers = append(numbers, x)
			} else if v.Label == "none" || v.Label == "unlimited" {
				numbers = append(numbers, math.Inf(1))
			}
		}
		axis.Ordered = len(numbers) == len(a.Values) && monotone(numbers)
		out = append(out, axis)
	}
	return out
}

func monotone(numbers []float64) bool {
	up, down := true, true
	for i := 1; i < len(numbers); i++ {
		up = up && numbers[i] > numbers[i-1]
		down = down && numbers[i] < numbers[i-1]
	}
	return up || down
}

const (
	maxBuilt  = 256  // scenarios that are kept for further replications
	maxAtOnce = 2048 // replications whose values are held
)

// Play implements [Player].
func (p *Simulator) Play(ctx context.Context, asks []Ask) (rows []Row, err error) {
	for len(asks) > 0 {
		n := min(len(asks), max(1, maxAtOnce/len(p.Templates)))
		played, err := p.playAll(ctx, asks[:n])
		if err != nil {
			for _, one := range played {
				if p.Done != nil && one.Values != nil { // it was finished
					p.Done(one)
				}
			}
			return nil, err
		}
		for i := range n {
			of := played[i*len(p.Templates) : (i+1)*len(p.Templates)]
			rows = append(rows, p.row(of))
			for _, one := range of {
				if p.Done != nil {
					p.Done(one)
				}
			}
		}
		asks = asks[n:]
	}
	return rows, nil
}

// playAll plays asks, each in all scenarios, on all workers.
func (p *Simulator) playAll(ctx context.Context, asks []Ask) ([]Played, error) {
	var (
		mu     sync.Mutex
		next   int
		group  sync.WaitGroup
		played = make([]Played, len(asks)*len(p.Templates))
	)
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next == len(played) || ctx.Err() != nil {
			return 0, false
		}
		next++
		return next - 1, true
	}
	workers := measure.JobsFor(p.Jobs, len(played))
	for len(p.jobs) < workers {
		p.jobs = append(p.jobs, measure.Replicator{}.Remembering())
	}
	for w := range workers {
		group.Go(func() {
			for i, ok := take(); ok; i, ok = take() {
				played[i] = p.one(ctx, p.jobs[w], asks[i/len(p.Templates)], i%len(p.Templates))
			}
		})
	}
	group.Wait()
	return played, ctx.Err()
}

// one plays an ask in a scenario.
func (p *Simulator) one(ctx context.Context, r measure.Replicator, a Ask, number int) Played {
	out := Played{Ask: a, Scenario: number}
	b := p.build(ctx, a.Point, number)
	s := b.scenario
	if out.Err = b.err; out.Err == nil && p.Draw != nil {
		out.Err = measure.Guard(func() (err error) {
			s, err = p.with(a.Point, number, p.Draw(number, a.Replication))
			return err
		})
	}
	if out.Err != nil {
		return out
	}
	out.Limits = b.limits
	var run measure.Run
	if run, out.Err = r.One(s, b.warmup, a.Replication); out.Err == nil {
		out.Values = run.Values
	}
	return out
}

// row is what a replication of all scenarios gives.
func (p *Simulator) row(of []Played) Row {
	value := func(scenario, metric int) float64 {
		if of[scenario].Values == nil {
			return math.NaN()
		}
		return of[scenario].Values[metric]
	}
	var sum, weights float64
	for i := range of {
		w := 1.0
		if p.Weights != nil {
			w = p.Weights[i]
		}
		if w > 0 {
			sum, weights = sum+w*value(i, p.Objective.Metric), weights+w
		}
	}
	row := Row{sum / weights}
	for _, c := range p.Constraints {
		row = append(row, value(c.Scenario, c.Goal.Metric))
	}
	for _, m := range p.Show {
		row = append(row, value(0, m))
	}
	return row
}

// builtKey is a point of a scenario.
type builtKey struct {
	point    string
	scenario int
}

// built is a scenario at a point, ready to run.
type built struct {
	once     sync.Once
	scenario *scenario.Scenario
	warmup   sim.Time
	limits   []string
	err      error
}

// build makes the scenario of a point, or has it. Which ones are kept does not affect results.
func (p *Simulator) build(ctx context.Context, point Point, number int) *built {
	key := builtKey{point.key(), number}
	p.mu.Lock()
	b, ok := p.built[key]
	if !ok {
		if p.built == nil {
			p.built = map[builtKey]*built{}
		}
		if len(p.order) == maxBuilt {
			delete(p.built, p.order[0])
			p.order = p.order[1:]
		}
		b = &built{}
		p.built[key] = b
		p.order = append(p.order, key)
	}
	p.mu.Unlock()
	b.once.Do(func() {
		b.err = measure.Guard(func() (err error) {
			if b.scenario, err = p.with(point, number, nil); err != nil {
				return err
			}
			b.limits = measure.LimitNames(&b.scenario.Model)
			b.warmup, err = measure.WarmupOf(context.WithoutCancel(ctx), b.scenario)
			return err
		})
	})
	return b
}

// with makes the scenario of a point over settings.
func (p *Simulator) with(point Point, number int, settings []string) (*scenario.Scenario, error) {
	var axes []scenario.Axis
	var values []scenario.Value
	for _, text := range settings {
		axis, err := scenario.ParseAxis(text)
		if err != nil {
			return nil, err
		}
		if len(axis.Values) != 1 {
			return nil, fmt.Errorf("found %q; want PATH=VALUE", text)
		}
		axes, values = append(axes, axis), append(values, axis.Values[0])
	}
	for k, v := range point {
		axes, values = append(axes, p.Axes[k]), append(values, p.Axes[k].Values[v])
	}
	return p.Templates[number].With(axes, values)
}
