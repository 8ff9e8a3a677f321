package experiments

import (
	"math"
	"time"

	"stampede/cost"
	"stampede/fleet"
	"stampede/policy"
	"stampede/sim"
	"stampede/wire"
)

// Tally sums up the records of one run. It is a fleet.Listener; its size does
// not depend on the length of the run. The zero Tally is empty.
type Tally struct {
	calls, billed   uint64
	outcomes        [policy.Outcomes]uint64
	classes         [wire.Classes]uint64
	latencyAnswered latencies
	latencyAll      latencies
	waits           [fleet.Waits]time.Duration
	useful          cost.Money
	waste           cost.Waste
	end             sim.Time
	peakInFlight    int
	peakPerSecond   int
}

type latencies struct {
	moments   sim.Moments
	quantiles sim.Quantiles
}

func (l *latencies) add(d time.Duration) {
	l.moments.Add(d.Seconds())
	l.quantiles.Add(d)
}

func (l *latencies) quantile(p float64) float64 {
	if l.quantiles.Count() == 0 {
		return math.NaN()
	}
	return seconds(l.quantiles.Quantile(p))
}

// Attempt implements fleet.Listener.
func (t *Tally) Attempt(a *fleet.Attempt) {
	t.classes[a.Class()]++
	if a.Bill > 0 {
		t.billed++
	}
	t.peakInFlight = max(t.peakInFlight, a.InFlight)
	t.peakPerSecond = max(t.peakPerSecond, a.Ordinal)
}

// Call implements fleet.Listener.
func (t *Tally) Call(c *fleet.Call) {
	t.calls++
	t.outcomes[c.Outcome]++
	t.latencyAll.add(c.Latency())
	if c.Outcome == policy.Answered {
		t.latencyAnswered.add(c.Latency())
	}
	for w, d := range c.Waits {
		t.waits[w] += d
	}
	t.useful += c.Useful
	for i, m := range c.Waste {
		t.waste[i] += m
	}
	t.end = max(t.end, c.Ended)
}

func (t *Tally) answered() uint64 { return t.outcomes[policy.Answered] }

func (t *Tally) attempts() (sum uint64) {
	for _, n := range t.classes {
		sum += n
	}
	return sum
}

// Values gives one value for each metric of the registry, in its order.
func (t *Tally) Values() []float64 {
	values := make([]float64, len(registry))
	for i := range registry {
		values[i] = registry[i].of(t)
	}
	return values
}
