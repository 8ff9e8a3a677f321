package measure

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

// Tally sums up the records of one run, of the fleet that is measured or of all, over
// the time that is measured. It is a fleet.Listener. Its size does not depend on the
// number of calls; a scenario with a trigger adds four bytes for each second.
type Tally struct {
	model  *fleet.Model
	only   int // the fleet that is measured; negative means all
	warmup sim.Time
	early  happened // before the end of the warm-up, not measured
	inTime happened // up to the horizon
	drain  happened // after it
	calm   sim.Time // the end of the trigger; never without one
	to     sim.Time // the end of the measured time

	calls, billed   uint64
	notStarted      uint64
	outcomes        [policy.Outcomes]uint64
	ends            [fleet.SessionEnds]uint64
	classes         [wire.Classes]uint64
	refused         [provider.Refusals]uint64
	connections     [provider.Reachabilities]uint64 // that failed
	unreachable     [provider.Reachabilities]bool   // whether a fault makes them fail so
	latencyAnswered latencies
	latencyAll      latencies // its quantiles are those of the other calls until the run has ended
	firstToken      latencies
	sizes           sizes
	repeated        uint64
	duplicated      uint64
	elsewhere       uint64
	providers       []*provider.Config
	qualities       [][]float64 // by fleet and target
	quality         float64     // of the answers, their sum
	hedges          uint64
	prompts, cached uint64 // billed tokens
	deadLetters     uint64
	acts, hedged    bool                 // whether any measured fleet does
	shares          bool                 // a prompt cache, likewise
	sessions        bool                 // likewise
	streams         []bool               // by fleet
	queues          []fleet.Redelivery   // by fleet
	waits           [fleet.Waits]float64 // nanoseconds
	useful          cost.Money
	waste           cost.Waste
	hourly          cost.Hourly  // of capacity; 0 where none is paid by the hour
	end             sim.Time     // of the last call
	servedByEnd     uint64       // answers to calls of all fleets by then
	byInstance      []float64    // answered calls
	first           []int        // by fleet: its first instance among those
	bound           *fleet.Bound // of the answers; nil where they bound nothing
	minMakespan     float64      // its seconds, when the run has ended
	limits          limitTally
	deployments     []deploymentTally // none where there is one only
	kinds           kindsTally
	adapted         [fleet.Adapteds]*adaptedTally
	recovery        *recovery // nil without a trigger
	collapse        *collapse // nil unless the scenario defines a collapse
}

// NewTally makes an empty tally for a run of the scenario.
func NewTally(s *scenario.Scenario, warmup sim.Time) *Tally {
	horizon := s.Model.Horizon
	if horizon == 0 {
		horizon = sim.Never
	}
	t := &Tally{model: &s.Model, only: s.Measured(), warmup: warmup, calm: sim.Never}
	t.limits, t.hourly, t.providers = newLimitTally(t.model), t.model.Hourly(), t.model.Providers()
	if n := t.model.Deployed; n > 0 {
		t.deployments = make([]deploymentTally, 1+n)
	}
	t.kinds = newKindsTally(t.model, t.counts)
	if t.bounded() {
		t.bound = fleet.NewBound(t.model)
	}
	t.inTime.Measured = Measured{warmup, horizon}
	t.drain.Measured = Measured{max(warmup, horizon), sim.Never}
	for i, f := range s.Model.Fleets() {
		t.first = append(t.first, len(t.byInstance))
		t.streams = append(t.streams, f.Workload.Stream)
		t.queues = append(t.queues, f.Workload.Redelivery)
		t.qualities = append(t.qualities, f.Qualities())
		if t.counts(i) {
			t.acts, t.hedged = t.acts || f.Workload.Acts, t.hedged || f.Client.Hedge.On()
			t.sessions = t.sessions || f.Workload.Sessions != nil
			t.shares = t.shares || f.Workload.Cache.Scope != fleet.OfCall
			t.byInstance = append(t.byInstance, make([]float64, f.Instances)...)
		}
	}
	for _, p := range t.providers {
		for _, f := range p.Faults {
			if e, ok := f.Effect.(provider.NoConnection); ok {
				t.unreachable[e.As] = true
			}
		}
	}
	for what := range t.adapted {
		t.adapted[what] = newAdaptedTally(t.model, fleet.Adapted(what), t.counts, t.inTime.Measured)
	}
	if w, ok := s.Trigger(); ok {
		t.recovery, t.calm = &recovery{trigger: w, warmup: warmup}, w.End
	}
	if c := s.Collapse; c != nil {
		t.collapse = &collapse{window: Measured{sim.Time(c.From), sim.Time(c.To)}, below: float64(c.Below)}
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

// sizes are the sizes of the calls, of all and of those that were answered.
type sizes struct{ prompt, output, promptAnswered, outputAnswered sim.Moments }

func (z *sizes) add(c *fleet.Call) {
	prompt, output := float64(c.Size.Prompt), float64(c.Size.Output)
	z.prompt.Add(prompt)
	z.output.Add(output)
	if c.Outcome == policy.Answered {
		z.promptAnswered.Add(prompt)
		z.outputAnswered.Add(output)
	}
}

// counts reports whether a fleet is measured.
func (t *Tally) counts(fleet int) bool { return t.only < 0 || t.only == fleet }

// startsIn is where what starts at an instant belongs; see [Measured.Starts].
func (t *Tally) startsIn(at sim.Time) *happened {
	switch {
	case at < t.warmup:
		return &t.early
	case at < t.inTime.To:
		return &t.inTime
	}
	return &t.drain
}

// endsIn is where what ends at an instant belongs; see [Measured.Ends].
func (t *Tally) endsIn(at sim.Time) *happened {
	switch {
	case at <= t.warmup && t.warmup > 0:
		return &t.early
	case at <= t.inTime.To:
		return &t.inTime
	}
	return &t.drain
}

// Attempt implements fleet.Listener.
func (t *Tally) Attempt(a *fleet.Attempt) {
	if a.Received >= 0 {
		t.reaches(a)
	}
	if a.Limit != provider.NoLimit && refusedAt(a) >= t.warmup {
		t.limits.add(a)
	}
	if !t.counts(a.Fleet) {
		return
	}
	class := a.Class()
	t.startsIn(a.Sent).attempts++
	if t.hourly > 0 {
		t.endsIn(a.Ended).billed += a.Bill
	}
	if class == wire.Throttled || class == wire.Overloaded {
		t.endsIn(a.Ended).refusals++
	}
	if a.Arrived < t.warmup {
		return
	}
	if class == wire.Disconnected && a.Received < 0 {
		if kind, ok := provider.ReachabilityWords.Parse(a.Reply.Code); ok {
			t.connections[kind]++
		}
	}
	if t.classes[class]++; class != wire.OK {
		of := t.providers[t.model.ProviderOf(a)]
		if r, ok := of.Means(&a.Reply, a.Limit, a.Never); ok {
			t.refused[r]++
		}
	}
	if a.Target < len(t.deployments) {
		t.deployments[a.Target].add(class)
	}
	if class == wire.OK && t.streams[a.Fleet] {
		t.firstToken.add(a.First - a.Sent)
	}
	if a.Bill > 0 {
		t.billed++
	}
	t.prompts += uint64(a.Usage.Prompt)
	t.cached += uint64(a.Usage.Cached)
	if a.Hedge {
		t.hedges++
	}
}

// reaches takes note of a request, of whichever fleet, at the instant at which it
// reaches the provider. Its place in a second or a tenth of one tells of the whole of
// it, so of those only what begins inside counts.
func (t *Tally) reaches(a *fleet.Attempt) {
	second, tenth := a.Received.Truncate(time.Second), a.Received.Truncate(time.Second/10)
	t.startsIn(a.Received).inFlight.see(a.InFlight, a.Received >= t.calm)
	t.startsIn(second).perSecond.see(a.Ordinal, second >= t.calm)
	t.startsIn(tenth).per100.see(a.Tenth, tenth >= t.calm)
}

// Call implements fleet.Listener.
func (t *Tally) Call(c *fleet.Call) {
	if t.hourly > 0 && c.Outcome == policy.Answered {
		if t.endsIn(c.Ended).served++; c.Ended == t.end {
			t.servedByEnd = t.inTime.served + t.drain.served
		}
	}
	if !t.counts(int(c.Fleet)) {
		return
	}
	if t.end = max(t.end, c.Ended); c.Ended == t.end {
		t.servedByEnd = t.inTime.served + t.drain.served
	}
	if t.recovery != nil {
		t.recovery.add(c)
	}
	if t.collapse != nil {
		t.collapse.add(c)
	}
	if c.Outcome == policy.Answered {
		at := t.endsIn(c.Ended)
		at.answers++
		at.quality += t.qualities[c.Fleet][c.Target]
	}
	if c.Arrived < t.warmup {
		return
	}
	t.calls++
	t.outcomes[c.Outcome]++
	if t.queues[c.Fleet].DeadLetter(c) {
		t.deadLetters++
	}
	t.ends[c.SessionEnd]++
	latency := c.Latency()
	if len(t.kinds.kinds) > 0 {
		t.kinds.add(t.model, c, latency)
	}
	t.latencyAll.moments.Add(latency.Seconds())
	t.sizes.add(c)
	t.repeated += uint64(c.Repeated)
	t.duplicated += uint64(max(0, c.Acts-1))
	if c.Outcome == policy.Answered {
		t.latencyAnswered.add(latency)
		t.quality += t.qualities[c.Fleet][c.Target]
		if int(c.Target) >= t.model.Fleets()[c.Fleet].Routed() {
			t.elsewhere++
		}
		if int(c.Target) < len(t.deployments) {
			t.deployments[c.Target].answered++
		}
		t.byInstance[t.first[c.Fleet]+int(c.Instance)]++
		if t.bound != nil {
			t.bound.Add(c)
		}
	} else {
		t.latencyAll.quantiles.Add(latency)
	}
	for w, d := range c.Waits {
		t.waits[w] += float64(d)
	}
	t.useful += c.Useful
	for i, m := range c.Waste {
		t.waste[i] += m
	}
}

// finish adds the summary of the run when it has ended.
func (t *Tally) finish(s *fleet.Summary) {
	for i, n := range s.NotStarted {
		if t.counts(i) {
			t.notStarted += n
		}
	}
	t.latencyAll.quantiles.Merge(&t.latencyAnswered.quantiles)
	t.to = t.model.MeasuredTo(s, t.only)
	t.limits.end(s)
	for _, a := range t.adapted {
		a.finish(t.to)
	}
	t.minMakespan = t.lowerBound()
}

// measured is the time that is measured, with what happened in it.
func (t *Tally) measured() happened {
	if t.to == t.inTime.To {
		return t.inTime
	}
	h := t.inTime.plus(t.drain)
	h.served = t.servedByEnd
	h.To = max(h.From, t.to)
	return h
}

func (t *Tally) Answered() uint64 { return t.outcomes[policy.Answered] }

func (t *Tally) attempts() (sum uint64) {
	for _, n := range t.classes {
		sum += n
	}
	return sum
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
		values[i] = registry[i].Value(t)
	}
	return values
}
