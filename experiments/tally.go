package experiments

import (
	"math"
	"slices"
	"time"

	"stampede/cost"
	"stampede/fleet"
	"stampede/policy"
	"stampede/provider"
	"stampede/scenario"
	"stampede/sim"
	"stampede/wire"
)

// Tally sums up the records of one run, of the fleet that is measured or of all. It
// is a fleet.Listener. What came before the warm-up is left out. Its size does not depend on the number of
// calls; a scenario with a trigger adds four bytes for each second.
type Tally struct {
	model  *fleet.Model
	only   int // the fleet that is measured; negative means all
	warmup sim.Time

	calls, billed   uint64
	neverCame       uint64
	outcomes        [policy.Outcomes]uint64
	classes         [wire.Classes]uint64
	latencyAnswered latencies
	latencyAll      latencies
	firstToken      latencies
	repeated        uint64
	duplicated      uint64
	elsewhere       uint64
	hedges          uint64
	acts, hedged    bool                 // whether any measured fleet does
	streams         []bool               // by fleet
	waits           [fleet.Waits]float64 // nanoseconds
	useful          cost.Money
	waste           cost.Waste
	end             sim.Time
	peakInFlight    int
	peakPerSecond   int
	byInstance      []float64 // answered calls
	first           []int     // by fleet: its first instance among those
	counted         []int64   // by the provider's limits in the end, for answered calls
	recovery        *recovery // nil without a trigger
}

// NewTally makes an empty tally for a run of the scenario.
func NewTally(s *scenario.Scenario, warmup sim.Time) *Tally {
	t := &Tally{model: &s.Model, only: s.Measured(), warmup: warmup, counted: make([]int64, len(s.Model.Provider.Limits))}
	for i, f := range s.Model.Fleets() {
		t.first = append(t.first, len(t.byInstance))
		t.streams = append(t.streams, f.Workload.Stream)
		if t.counts(i) {
			t.acts, t.hedged = t.acts || f.Workload.Acts, t.hedged || f.Client.Hedge.On()
			t.byInstance = append(t.byInstance, make([]float64, f.Instances)...)
		}
	}
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

// fleet is the one that is measured, or the main one.
func (t *Tally) fleet() *fleet.Fleet { return t.model.Fleets()[max(0, t.only)] }

// counts reports whether a fleet is measured.
func (t *Tally) counts(fleet int) bool { return t.only < 0 || t.only == fleet }

// Attempt implements fleet.Listener.
func (t *Tally) Attempt(a *fleet.Attempt) {
	t.peakInFlight = max(t.peakInFlight, a.InFlight)
	t.peakPerSecond = max(t.peakPerSecond, a.Ordinal)
	if a.Sent < t.warmup || !t.counts(a.Fleet) {
		return
	}
	t.classes[a.Class()]++
	if a.Class() == wire.OK && t.streams[a.Fleet] {
		t.firstToken.add(a.First - a.Sent)
	}
	if a.Bill > 0 {
		t.billed++
	}
	if a.Hedge {
		t.hedges++
	}
}

// Call implements fleet.Listener.
func (t *Tally) Call(c *fleet.Call) {
	if !t.counts(int(c.Fleet)) {
		return
	}
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
	t.repeated += uint64(c.Repeated)
	t.duplicated += uint64(max(0, c.Acts-1))
	if c.Outcome == policy.Answered {
		t.latencyAnswered.add(c.Latency())
		if c.Target > 0 {
			t.elsewhere++
		}
		t.byInstance[t.first[c.Fleet]+int(c.Instance)]++
		r := provider.Request{Prompt: int(c.Size.Prompt), Cached: int(c.Size.Cached), MaxTokens: int(c.Size.MaxTokens)}
		used := provider.Used{Output: int(c.Size.Output), Nano: int64(c.Useful)}
		for i, l := range t.model.Provider.Limits {
			if c.Target == 0 && l.Covers(t.model.Provider.Tenants[c.Fleet]) {
				t.counted[i] += min(l.Counts(r), l.Ends(r, used)) // what exceeds the charge may overshoot the limit
			}
		}
	}
	for w, d := range c.Waits {
		t.waits[w] += float64(d)
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
// run, changes by faults included; no rate for a ramp, which grows, for
// requests at once, and for what may be overshot: dollars and leaky buckets.
func (t *Tally) offers(l provider.Limit) (rate, burst float64) {
	if l.Kind == provider.RampLimit || l.Kind == provider.LeakyBucket || l.Resource == provider.Concurrency || l.Resource == provider.Dollars {
		return math.Inf(1), 0
	}
	take := func(l provider.Limit) {
		rate, burst = max(rate, float64(l.Amount)/l.Period.Seconds()), max(burst, float64(l.Most()))
	}
	take(l)
	for _, f := range t.model.Provider.Faults {
		if to, ok := f.Effect.(provider.ChangeLimit); ok && to.Resource == l.Resource && slices.Equal(to.Keys, l.Keys) && slices.Equal(to.Models, l.Models) {
			l.Amount, l.Period, l.Burst = to.Amount, to.Period, to.Burst
			take(l)
		}
	}
	return rate, burst
}

// bound is the least time, in seconds, in which the limits let these answers
// through, when all calls are there from the start; else, or without limits, NaN.
// What a limit counts for the answers beyond its burst must be refilled:
//
//	T >= (counted - burst) / rate
//
// The time that the provider takes is no part of it, since a policy may have
// better luck with it.
func (t *Tally) bound() float64 {
	m := t.model
	_, burst := m.Workload.Arrivals.(fleet.Burst)
	batch := m.Workload.Arrivals == nil && m.Workload.Think == nil
	if len(m.Beside) > 0 || (!burst && !batch) || t.warmup > 0 || t.answered() == 0 {
		return math.NaN()
	}
	least := math.NaN()
	for i, l := range m.Provider.Limits {
		if rate, burst := t.offers(l); !math.IsInf(rate, 0) {
			early := 0.0
			if l.Kind == provider.FixedWindow { // a part of the first one has passed
				early = (l.Offset % l.Period).Seconds()
			}
			if span := max(0, (float64(t.counted[i])-burst)/rate-early); !(least >= span) {
				least = span
			}
		}
	}
	return least
}

// quotaUsed is the largest part of any limit that went into answers.
func (t *Tally) quotaUsed() float64 {
	used := math.NaN()
	for i, l := range t.model.Provider.Limits {
		rate, burst := t.offers(l)
		if part := float64(t.counted[i]) / (burst + rate*t.span().Seconds()); !math.IsInf(rate, 0) && !(used >= part) {
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
