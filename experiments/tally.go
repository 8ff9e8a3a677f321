package experiments

import (
	"math"
	"time"

	"stampede/cost"
	"stampede/fleet"
	"stampede/policy"
	"stampede/provider"
	"stampede/scenario"
	"stampede/sim"
	"stampede/wire"
)

// Tally sums up the records of one run. It is a fleet.Listener. What came
// before the warm-up is left out. Its size does not depend on the number of
// calls; a scenario with a trigger adds four bytes for each second.
type Tally struct {
	model  *fleet.Model
	warmup sim.Time

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
	byInstance      []float64 // answered calls
	answers         answers
	recovery        *recovery // nil without a trigger
}

// answers are what the answered calls needed, whatever the policy did besides.
type answers struct {
	counted []int64       // in the end, by limit of the provider
	service time.Duration // at the provider
	busy    time.Duration // of a worker, in the attempt that answered
	longest time.Duration
}

// NewTally makes an empty tally for a run of the scenario.
func NewTally(s *scenario.Scenario, warmup sim.Time) *Tally {
	t := &Tally{model: &s.Model, warmup: warmup, byInstance: make([]float64, s.Model.Instances),
		answers: answers{counted: make([]int64, len(s.Model.Provider.Limits))}}
	if w, ok := s.Trigger(); ok {
		t.recovery = &recovery{trigger: w, warmup: warmup}
	}
	return t
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
	return l.quantiles.Quantile(p).Seconds()
}

// Attempt implements fleet.Listener.
func (t *Tally) Attempt(a *fleet.Attempt) {
	t.peakInFlight = max(t.peakInFlight, a.InFlight)
	t.peakPerSecond = max(t.peakPerSecond, a.Ordinal)
	if a.Sent < t.warmup {
		return
	}
	class := a.Class()
	t.classes[class]++
	if a.Bill > 0 {
		t.billed++
	}
	if class == wire.OK {
		busy := a.Ended - a.Sent
		t.answers.busy += busy
		t.answers.longest = max(t.answers.longest, busy)
		t.answers.service += busy - t.model.Provider.RoundTrip
	}
}

// Call implements fleet.Listener.
func (t *Tally) Call(c *fleet.Call) {
	t.end = max(t.end, c.Ended)
	if t.recovery != nil {
		t.recovery.add(c)
	}
	if c.Arrived < t.warmup {
		return
	}
	t.calls++
	t.outcomes[c.Outcome]++
	t.latencyAll.add(c.Latency())
	if c.Outcome == policy.Answered {
		t.latencyAnswered.add(c.Latency())
		t.byInstance[c.Instance]++
		r := provider.Request{Prompt: int(c.Size.Prompt), Cached: int(c.Size.Cached), MaxTokens: int(c.Size.MaxTokens)}
		for i, l := range t.model.Provider.Limits {
			t.answers.counted[i] += l.Ends(r, int(c.Size.Output))
		}
	}
	for w, d := range c.Waits {
		t.waits[w] += d
	}
	t.useful += c.Useful
	for i, m := range c.Waste {
		t.waste[i] += m
	}
}

func (t *Tally) answered() uint64 { return t.outcomes[policy.Answered] }

func (t *Tally) attempts() (sum uint64) {
	for _, n := range t.classes {
		sum += n
	}
	return sum
}

// span is the time that is measured.
func (t *Tally) span() time.Duration { return t.end - t.warmup }

// offers is the highest rate, per second, and burst that a limit has during the
// run, changes by faults included; no rate for a ramp, which grows.
func (t *Tally) offers(l provider.Limit) (rate, burst float64) {
	if l.Kind == provider.RampLimit {
		return math.Inf(1), 0
	}
	take := func(l provider.Limit) {
		rate, burst = max(rate, float64(l.Amount)/l.Period.Seconds()), max(burst, float64(l.Most()))
	}
	take(l)
	for _, f := range t.model.Provider.Faults {
		if to, ok := f.Effect.(provider.ChangeLimit); ok && to.Resource == l.Resource {
			l.Amount, l.Period, l.Burst = to.Amount, to.Period, to.Burst
			take(l)
		}
	}
	return rate, burst
}

// bound is the least time, in seconds, in which these answers can be had, when
// all calls are there from the start; else NaN. Each part of the system gives
// one: a limit what it must refill beyond its burst, the slots of the provider
// and the workers their share of the work that ended in answers, and the
// longest of those attempts itself.
func (t *Tally) bound() float64 {
	m := t.model
	_, burst := m.Workload.Arrivals.(fleet.Burst)
	batch := m.Workload.Arrivals == nil && m.Workload.Think == nil
	if (!burst && !batch) || t.warmup > 0 || t.answered() == 0 {
		return math.NaN()
	}
	least := t.answers.longest.Seconds()
	for i, l := range m.Provider.Limits {
		rate, burst := t.offers(l)
		least = max(least, (float64(t.answers.counted[i])-burst)/rate)
	}
	if c := m.Provider.Concurrency; c > 0 {
		least = max(least, t.answers.service.Seconds()/float64(c))
	}
	if m.Workers > 0 {
		least = max(least, t.answers.busy.Seconds()/float64(m.Workers*m.Instances))
	}
	return least
}

// quotaUsed is the largest part of any limit that went into answers.
func (t *Tally) quotaUsed() float64 {
	used := math.NaN()
	for i, l := range t.model.Provider.Limits {
		rate, burst := t.offers(l)
		if part := float64(t.answers.counted[i]) / (burst + rate*t.span().Seconds()); !(used >= part) {
			used = part
		}
	}
	return used
}

// fairness is Jain's index of the answers of the instances, (sum x)^2 /
// (n sum x^2); NaN for one instance.
func (t *Tally) fairness() float64 {
	sum, squares := 0.0, 0.0
	for _, x := range t.byInstance {
		sum += x
		squares += x * x
	}
	if len(t.byInstance) < 2 || squares == 0 {
		return math.NaN()
	}
	return sum * sum / (float64(len(t.byInstance)) * squares)
}

// Values gives one value for each metric of the registry, in its order.
func (t *Tally) Values() []float64 {
	values := make([]float64, len(registry))
	for i := range registry {
		values[i] = registry[i].of(t)
	}
	return values
}
