package measure

import (
	"math"
	"time"

	"stampede/fleet"
	"stampede/policy"
	"stampede/scenario"
	"stampede/sim"
)

// recovery follows the rate of answers around a trigger, in bins of a second.
//
// The level before is the mean rate of answers over the second half of the time
// from the warm-up to the trigger. The system has recovered at the first whole
// second after the trigger from which both the rate over a window and the mean
// rate of all that is left are at least 90 % of that level; the window is 5 s, or
// so long that 50 answers are expected in it, and what is left ends with the last
// arrival. When there is no such second, it has collapsed. It looks at answers
// per second alone: a spike that only makes callers wait shows in the latencies.
//
// A run in which fewer than half of the calls that ended in that time before the
// trigger were answered was down already. To come back to that level is no
// recovery: such a run has collapsed.
type recovery struct {
	trigger scenario.Window
	warmup  sim.Time
	bins    []uint32 // answers by second
	ended   uint64   // calls, in the time before the trigger
	last    sim.Time // arrival
	sums    []uint64 // answers before each second, once all are there
}

// maxBins bounds the memory of a very long run: four months. Of one that goes on longer nothing is
// said.
const maxBins = 10_000_000

const (
	recovered = 0.9
	down      = 0.5
)

// before are the whole seconds of the time before the trigger.
func (r *recovery) before() (from, to int) {
	from, to = int(r.warmup/time.Second), int(r.trigger.Start/time.Second)
	return from + (to-from)/2, to
}

func (r *recovery) add(c *fleet.Call) {
	r.last = max(r.last, c.Arrived)
	bin := int(c.Ended / time.Second)
	if from, to := r.before(); from <= bin && bin < to {
		r.ended++
	}
	if c.Outcome != policy.Answered {
		return
	}
	if bin >= maxBins {
		return
	}
	for len(r.bins) <= bin {
		r.bins = append(r.bins, 0)
	}
	r.bins[bin]++
}

// rate is the mean number of answers per second in the bins from..to.
func (r *recovery) rate(from, to int) float64 {
	n := len(r.bins)
	return float64(r.sums[min(to, n)]-r.sums[min(from, n)]) / float64(to-from)
}

// after is the time from the end of the trigger to the recovery, and 1 with NaN
// for a collapse; both are NaN where there is no level before to come back to.
func (r *recovery) after() (seconds, collapsed float64) {
	from, start := r.before()
	end := int((r.trigger.End + time.Second - 1) / time.Second)
	last := int(r.last/time.Second) + 1
	if start <= from || end >= last || last > maxBins || r.ended == 0 {
		return math.NaN(), math.NaN()
	}
	r.sums = make([]uint64, len(r.bins)+1)
	for i, answers := range r.bins {
		r.sums[i+1] = r.sums[i] + uint64(answers)
	}
	before := r.rate(from, start)
	if before*float64(start-from) < down*float64(r.ended) {
		return math.NaN(), 1
	}
	window := max(5, int(math.Ceil(50/before)))
	for t := end; t+window <= last; t++ {
		if r.rate(t, t+window) >= recovered*before && r.rate(t, last) >= recovered*before {
			return (time.Duration(t)*time.Second - r.trigger.End).Seconds(), 0
		}
	}
	return math.NaN(), 1
}

// collapse compares what is answered in a window with what is offered in it. It
// needs no trigger, so that it has a value in every arm of a sweep.
type collapse struct {
	window            Measured
	below             float64 // of what is offered
	offered, answered uint64
	stuck             bool // a call lasts all through the window
}

func (k *collapse) add(c *fleet.Call) {
	if k.window.Starts(c.Arrived) {
		k.offered++
	}
	if c.Outcome == policy.Answered && k.window.Ends(c.Ended) {
		k.answered++
	}
	k.stuck = k.stuck || c.Arrived < k.window.From && c.Ended > k.window.To
}

// level is answers per arrival. Where all callers are stuck and ask for nothing
// more it is 0; where nobody is there it is NaN.
func (k *collapse) level() float64 {
	switch {
	case k.offered > 0:
		return float64(k.answered) / float64(k.offered)
	case k.stuck && k.answered == 0:
		return 0
	}
	return math.NaN()
}

func (k *collapse) collapsed() float64 {
	level := k.level()
	if math.IsNaN(level) {
		return level
	}
	return Indicator(level < k.below)
}

// recoveryAfter is the time to recovery and whether there was a collapse, as 0
// or 1; both NaN without a trigger.
func (t *Tally) recoveryAfter() (seconds, collapsed float64) {
	if t.recovery == nil {
		return math.NaN(), math.NaN()
	}
	return t.recovery.after()
}

// collapsed is 1 for a run that has collapsed: by the level that the scenario states, or
// without one when it never recovers from its trigger.
func (t *Tally) collapsed() float64 {
	if t.collapse != nil {
		return t.collapse.collapsed()
	}
	_, c := t.recoveryAfter()
	return c
}
