package experiments

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
// arrival. When there is no such second, it has collapsed. It speaks of answers
// per second alone: a spike that only makes callers wait shows in the latencies.
type recovery struct {
	trigger scenario.Window
	warmup  sim.Time
	bins    []uint32 // answers by second
	last    sim.Time // arrival
}

const recovered = 0.9

func (r *recovery) add(c *fleet.Call) {
	r.last = max(r.last, c.Arrived)
	if c.Outcome != policy.Answered {
		return
	}
	bin := int(c.Ended / time.Second)
	for len(r.bins) <= bin {
		r.bins = append(r.bins, 0)
	}
	r.bins[bin]++
}

// rate is the mean number of answers per second in the bins from..to.
func (r *recovery) rate(from, to int) float64 {
	sum := 0.0
	for i := from; i < to && i < len(r.bins); i++ {
		sum += float64(r.bins[i])
	}
	return sum / float64(to-from)
}

// after is the time from the end of the trigger to the recovery, and 1 with NaN
// for a collapse; both are NaN where there is no level before to come back to.
func (r *recovery) after() (seconds, collapsed float64) {
	start, end := int(r.trigger.Start/time.Second), int((r.trigger.End+time.Second-1)/time.Second)
	from := int(r.warmup / time.Second)
	from += (start - from) / 2
	last := int(r.last/time.Second) + 1
	if start <= from || end >= last {
		return math.NaN(), math.NaN()
	}
	before := r.rate(from, start)
	if before == 0 {
		return math.NaN(), math.NaN()
	}
	window := max(5, int(math.Ceil(50/before)))
	for t := end; t+window <= last; t++ {
		if r.rate(t, t+window) >= recovered*before && r.rate(t, last) >= recovered*before {
			return (time.Duration(t)*time.Second - r.trigger.End).Seconds(), 0
		}
	}
	return math.NaN(), 1
}
