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
// second after the trigger from which the rate over a window is at least 90 % of
// that level; the window is 5 s, or so long that 50 answers are expected in it.
// When no window up to the last arrival is, it has collapsed.
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

// after is the time from the end of the trigger to the recovery; NaN when there
// is no level before, or none is reached again, which is a collapse.
func (r *recovery) after() (seconds float64, collapsed bool) {
	start, end := int(r.trigger.Start/time.Second), int((r.trigger.End+time.Second-1)/time.Second)
	from := int(r.warmup / time.Second)
	from += (start - from) / 2
	if start <= from {
		return math.NaN(), false
	}
	before := r.rate(from, start)
	if before == 0 {
		return math.NaN(), false
	}
	window := max(5, int(math.Ceil(50/before)))
	for t := end; t+window <= int(r.last/time.Second)+1; t++ {
		if r.rate(t, t+window) >= recovered*before {
			return (time.Duration(t)*time.Second - r.trigger.End).Seconds(), false
		}
	}
	return math.NaN(), true
}
