package measure

import (
	"math"

	"stampede/fleet"
)

// lowerBound is the least time, in seconds, in which any policy can have these answers, when
// all calls are there from the start; else, or when nothing bounds it, NaN.
func (t *Tally) lowerBound() float64 {
	m := t.model
	_, burst := m.Workload.Arrivals.(fleet.Burst)
	batch := m.Workload.Arrivals == nil && m.Workload.Think == nil
	if len(m.Beside) > 0 || (!burst && !batch) || t.warmup > 0 || t.Answered() == 0 {
		return math.NaN()
	}
	if least := t.bound.Makespan(); least > 0 {
		return least.Seconds()
	}
	return math.NaN()
}

// regret is how much longer than that the run took, relative to it.
func (t *Tally) regret() float64 { return t.end.Seconds()/t.lowerBound() - 1 }
