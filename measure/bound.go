package measure

import (
	"math"

	"stampede/fleet"
)

// bounded reports whether answers bound the makespan: all calls are there from the start, and all count.
func (t *Tally) bounded() bool {
	m := t.model
	_, burst := m.Workload.Arrivals.(fleet.Burst)
	batch := m.Workload.Arrivals == nil && m.Workload.Think == nil && m.Workload.Every == nil
	// Of several deployments another route might have sent the calls elsewhere.
	return len(m.Beside) == 0 && m.Deployed == 0 && (burst || batch) && t.warmup == 0
}

// lowerBound is the minimum time, in seconds, in which any policy can have these answers; NaN when
// nothing bounds it.
func (t *Tally) lowerBound() float64 {
	if t.bound == nil || t.Answered() == 0 {
		return math.NaN()
	}
	if makespan := t.bound.Makespan(); makespan > 0 {
		return makespan.Seconds()
	}
	return math.NaN()
}

// regret is how much longer than that the run took, relative to it.
func (t *Tally) regret() float64 { return t.end.Seconds()/t.minMakespan - 1 }
