package measure

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"stampede/fleet"
	"stampede/scenario"
	"stampede/sim"
)

// Run is one replication and what it gave.
type Run struct {
	Replication int
	Values      []float64 // by the registry
	Summary     fleet.Summary
}

// Replicator runs replications of a scenario.
type Replicator struct {
	Jobs int // replications at a time; 0 means one for each core
	// Listen, when set, gives a further listener to a replication. It is called
	// from the goroutine that runs it.
	Listen func(replication int) fleet.Listener
	// Done, when set, is called after each replication, one call at a time, in
	// the order in which they finish.
	Done func(Run)

	drawn *fleet.DrawnSizes
}

// Remembering is a replicator for replications of many scenarios that are run one at a time, by
// One: it draws the sizes of calls once for all that have them in common.
func (r Replicator) Remembering() Replicator {
	r.drawn = new(fleet.DrawnSizes)
	return r
}

// Run runs the replications from (included) to (excluded) and returns them in
// order. Each depends on the seed and its number alone, so the result does not
// depend on Jobs. When the context ends, those that finished are returned with
// its error.
func (r Replicator) Run(ctx context.Context, s *scenario.Scenario, from, to int) ([]Run, error) {
	r.drawn = nil // replications of one scenario have no sizes in common
	warmup, err := guardedWarmup(ctx, s)
	if err != nil {
		return nil, err
	}
	return r.span(ctx, s, warmup, from, to)
}

// span runs replications of a scenario whose warm-up is known.
func (r Replicator) span(ctx context.Context, s *scenario.Scenario, warmup sim.Time, from, to int) ([]Run, error) {
	var (
		mu    sync.Mutex
		next  = from
		runs  = make([]*Run, to-from)
		first error
		group sync.WaitGroup
	)
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next >= to || first != nil || ctx.Err() != nil {
			return 0, false
		}
		next++
		return next - 1, true
	}
	for range JobsFor(r.Jobs, to-from) {
		group.Go(func() {
			for {
				replication, ok := take()
				if !ok {
					return
				}
				run, err := r.One(s, warmup, replication)
				mu.Lock()
				if err != nil && first == nil {
					first = fmt.Errorf("replication %d: %w", replication, err)
				}
				if err == nil {
					runs[replication-from] = &run
					if r.Done != nil {
						r.Done(run)
					}
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	var finished []Run
	for _, run := range runs {
		if run != nil {
			finished = append(finished, *run)
		}
	}
	if first != nil {
		return finished, first
	}
	if len(finished) < to-from {
		return finished, ctx.Err()
	}
	return finished, nil
}

// WarmupOf is the warm-up that the scenario states, or that is found from its data.
func WarmupOf(ctx context.Context, s *scenario.Scenario) (sim.Time, error) {
	if s.Warmup.Auto {
		return FindWarmup(ctx, s)
	}
	return sim.Time(s.Warmup.Span), nil
}

// One runs a replication; its panic is its error.
func (r Replicator) One(s *scenario.Scenario, warmup sim.Time, replication int) (run Run, err error) {
	err = Guard(func() (err error) {
		tally := NewTally(s, warmup)
		var to fleet.Listener = tally
		if r.Listen != nil {
			to = fleet.Listeners{tally, r.Listen(replication)}
		}
		run.Replication = replication
		model := s.Model
		model.Warmup, model.Drawn = warmup, r.drawn
		run.Summary, err = model.Run(s.Seed, replication, to)
		if err != nil {
			return err
		}
		tally.finish(&run.Summary)
		run.Values = tally.Values()
		return nil
	})
	return run, err
}

// MaxJobs is how many replications run at a time at most; more than there are cores gain nothing.
const MaxJobs = 1024

// JobsFor is how many replications of so many to run at a time; 0 means one for each core.
func JobsFor(jobs, replications int) int {
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	return max(1, min(jobs, replications, MaxJobs))
}

// Column is the values of one metric over runs.
func Column(runs []Run, metric int) []float64 {
	out := make([]float64, len(runs))
	for i, run := range runs {
		out[i] = run.Values[metric]
	}
	return out
}
