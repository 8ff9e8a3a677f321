// Package fleet is who calls: workloads, instances, workers, and the life of
// one call. It joins sim, policy, provider and cost.
//
// A [Model] is a scenario ready to run. [Model.Run] runs one replication of it
// and streams one record for each attempt and each call to a [Listener]; it
// keeps no counters of its own.
//
// The life of a call is in these files, each in the order in which things
// happen: run.go has the loop and its events, call.go what is known of a call, workers.go how it gets to a
// worker, admit.go what it does with the answer of its instance ([policy.Instance.Admit]),
// send.go the start of an attempt, attempt.go its timers, conclude.go the
// decision, ending.go the end, message.go deliveries of one call that overlap. What the provider does
// meanwhile is the life of a request, in package backend.
//
// At one instant things happen in this order, each for a reason. A reply, or the
// first token of a stream, beats the timer that would have cut it off: it was
// there. A completion at the provider comes before an arrival: the slot is free.
// At the horizon no call starts. A caller whose patience ends sends nothing more,
// though a worker or a place gets free at that very instant: nobody waits for what it
// would send; but a reply that arrives then is taken, for it was there, and a call whose answer
// arrives then is not delivered again. Otherwise what was scheduled first comes first.
//
// Two simplifications. Connections are kept alive: a handshake is not paid for,
// it only fails when a round trip takes longer than the connect timeout. And an
// attempt that its client cuts off before it has reached the provider, within
// half a round trip of being sent, is dropped there unread and not billed.
package fleet

import (
	"fmt"
	"math"
	"slices"
	"time"

	"stampede/cost"
	"stampede/law"
	"stampede/policy"
	"stampede/provider"
	"stampede/sim"
)

// Model is everything about a run but its seed: a fleet, others beside it, and the
// provider that all of them call.
type Model struct {
	Fleet
	Beside   []Fleet
	Provider provider.Config // its tenants are the fleets, in this order
	// Others are further providers, with the same tenants. The first Deployed of them are deployments
	// beside the own one, of those the first SameLuck the own provider again, under other keys; to
	// the rest fleets fall back.
	Others   []provider.Config
	Deployed int
	SameLuck int
	Horizon  sim.Time    // from here on no call starts; 0 means none
	Budget   uint64      // of events; 0 means none
	Warmup   sim.Time    // what limits count before it is no part of Summary.Uses
	Drawn    *DrawnSizes // by earlier runs; nil remembers none
}

// Fleet is instances times workers and the workload they serve. A fleet meets the
// same calls and the same luck whoever calls beside it.
type Fleet struct {
	Name      string
	Workload  Workload
	Instances int     // client processes, at least 1; each has its own gate
	Workers   int     // per instance, at most; 0 means that each call brings its own
	Scaling   Scaling // of the workers over time
	// PerRequest is what a client process takes to send a request, and again to handle its reply: one
	// thing at a time. 0 means no time.
	PerRequest time.Duration
	Dealt      Dealing  // of calls that come by themselves, to instances
	Queue      Queueing // of such calls, before workers
	Client     policy.Client
	Price      cost.Price
	// Deployments serve the same calls as the model's own provider at Price: Client.Route chooses
	// among it and them.
	Deployments []Target
	Fallbacks   []Target // after those, in turn
}

// Target is a provider that a call may be sent to, by its number, and what its model
// costs there: 0 is the model's own provider, 1 and up are its others.
type Target struct {
	Provider int
	Price    cost.Price
	Weight   float64 // of a deployment, for the route; that of the own provider is 1
	Quality  float64 // of its answers, relative to those of the own provider, which is 1
}

// MaxTargets is how many targets a fleet may have.
const MaxTargets = 64

// Qualities are those of all targets.
func (f *Fleet) Qualities() (all []float64) {
	for i := range f.Targets() {
		all = append(all, f.target(uint8(i)).Quality)
	}
	return all
}

// Routed is the number of targets that a route chooses among: the first ones.
func (f *Fleet) Routed() int { return 1 + len(f.Deployments) }

// Targets is the number of all targets.
func (f *Fleet) Targets() int { return f.Routed() + len(f.Fallbacks) }

// target is where the calls of a fleet are sent: the own provider, the other deployments, the
// fallbacks.
func (f *Fleet) target(i uint8) Target {
	switch n := f.Routed(); {
	case i == 0:
		return Target{0, f.Price, 1, 1}
	case int(i) < n:
		return f.Deployments[i-1]
	default:
		return f.Fallbacks[int(i)-n]
	}
}

// provider is the number of a target's provider.
func (f *Fleet) provider(target int) int {
	switch n := f.Routed(); {
	case target == 0:
		return 0
	case target < n:
		return f.Deployments[target-1].Provider
	default:
		return f.Fallbacks[target-n].Provider
	}
}

// Hourly is what the capacity of all providers costs per hour: that behind the main fleet's price, for all
// keys of its provider, of each other deployment and of
// each fallback.
func (m *Model) Hourly() cost.Hourly {
	sum := m.Price.Hourly
	for _, t := range slices.Concat(m.Deployments[min(m.SameLuck, len(m.Deployments)):], m.Fallbacks) {
		sum += t.Price.Hourly
	}
	return sum
}

// MaxAttempts is the most attempts that one call can make: those of all retry layers, each
// with its hedges, at every target and in every delivery; 0 means no bound.
func (f *Fleet) MaxAttempts() int {
	n := f.Client.Attempts()
	times := func(k int) {
		if k > 0 && n > math.MaxInt/k {
			n = math.MaxInt
		} else {
			n *= k
		}
	}
	if f.Client.Hedge.On() {
		times(1 + f.Client.Hedge.MaxAttempts())
	}
	if f.Client.Fallback.On {
		times(1 + len(f.Fallbacks))
	}
	if d := f.Workload.Redelivery.Deliveries; d != 0 {
		times(max(0, d))
	}
	return n
}

// end is the horizon, or never.
func (m *Model) end() sim.Time {
	if m.Horizon > 0 {
		return m.Horizon
	}
	return sim.Never
}

// MeasuredTo is where the measured time of one fleet, or for a negative number of all, ends:
// at the horizon, or with its last call where all calls or sessions of a given number ended before.
func (m *Model) MeasuredTo(s *Summary, only int) (end sim.Time) {
	for i, f := range m.Fleets() {
		switch {
		case only >= 0 && only != i:
		case m.Horizon > 0 && (!f.Workload.Bounded() || s.NotStarted[i] > 0 || s.SessionsCut[i] > 0):
			return m.Horizon
		default:
			end = max(end, s.Last[i])
		}
	}
	return end
}

// ProviderOf is the number, among Providers, of the one that an attempt went to.
func (m *Model) ProviderOf(a *Attempt) int {
	f := &m.Fleet
	if a.Fleet > 0 {
		f = &m.Beside[a.Fleet-1]
	}
	return f.provider(a.Target)
}

// RefusedBy names the limit that refused an attempt, or the slots of the capacity; empty
// when neither did.
func (m *Model) RefusedBy(a *Attempt) string {
	if i := m.ProviderOf(a); i > 0 {
		return m.Others[i-1].RefusedBy(a.Limit)
	}
	return m.Provider.RefusedBy(a.Limit)
}

// Providers are all providers, the main one first.
func (m *Model) Providers() []*provider.Config {
	out := []*provider.Config{&m.Provider}
	for i := range m.Others {
		out = append(out, &m.Others[i])
	}
	return out
}

// Fleets are all fleets, the main one first.
func (m *Model) Fleets() []*Fleet {
	out := []*Fleet{&m.Fleet}
	for i := range m.Beside {
		out = append(out, &m.Beside[i])
	}
	return out
}

// Workload is when calls arrive, how large they are and what their callers do.
type Workload struct {
	// Arrivals are the instants at which calls come by themselves. Without it,
	// workers fetch calls: as soon as they are free, or after Think.
	Arrivals Process
	Think    law.Law // seconds a worker pauses before each call it fetches; nil means 0
	// Every is the seconds from the start of a worker's call to the start of its next one, which
	// starts at once where the first took longer; nil means none. It takes the place of Think.
	Every law.Law
	Calls uint64 // at most so many; 0 means no bound
	// Sessions makes what arrives the first turns of sessions; nil means single calls.
	Sessions *Sessions

	Sizes      Sizes  // of sessions a [Drawn]
	Kinds      []Kind // of calls, in place of Sizes and Patience; none means that all are alike
	Cache      Cache
	Acts       bool    // a call does something in the world, once for each time its work is done
	Stream     bool    // the answer arrives token by token, else all at once
	Patience   law.Law // seconds from arrival after which the caller leaves; nil means never
	Redelivery Redelivery
}

// Redelivery gives a call that ended without an answer back to the queue, as
// queues do with messages that were not acknowledged.
type Redelivery struct {
	Deliveries int           // at most so many, the first included; 0 and 1 mean no redelivery, negative no bound
	After      time.Duration // until the call is in the queue again
	// Visible is a visibility timeout: the call is in the queue again so long after it
	// was taken from it, or when its delivery failed if that is later. A delivery
	// that takes longer is not begun a second time meanwhile, unless WhileWorking is set.
	Visible time.Duration
	// WhileWorking delivers the call again so long after each delivery even while that is under way:
	// the call is then worked on several times at once, until the first answer.
	WhileWorking bool
	DropFailed   bool // a call whose delivery failed is not delivered again, nor is it a dead letter
}

// DeadLetter reports whether a call was given up because it failed in all deliveries that there may be.
func (r Redelivery) DeadLetter(c *Call) bool {
	switch c.Outcome {
	case policy.Answered, policy.Abandoned, policy.Unfinished:
		return false
	}
	return r.Deliveries > 0 && int(c.Deliveries) >= r.Deliveries && !r.DropFailed
}

func (r Redelivery) again(deliveries int32) bool {
	return r.Deliveries < 0 || int(deliveries) < r.Deliveries
}

// Size is how large a call is, in tokens.
type Size struct {
	Prompt    int32
	Cached    int32 // of the prompt, from a cache
	Output    int32 // all tokens that are generated, at most MaxTokens when that is set
	Reasoning int32 // of the output, generated first and seen by nobody
	MaxTokens int32 // declared; 0 when not set
}

// Sizes gives the size of call k from uniform numbers that belong to it.
type Sizes interface {
	Size(k uint64, luck Luck) Size
}

// Luck is the uniform numbers behind a size.
type Luck struct{ Prompt, Output, Reasoning float64 }

// Drawn draws sizes from laws, in tokens, rounded to the nearest and at least 1.
type Drawn struct {
	Prompt, Output law.Law
	Reasoning      law.Law // before the output; nil means none
	CachedShare    float64 // of the prompt
	CachedPrefix   int32   // of prompts that are as long
	MaxTokens      int32
}

// Size implements Sizes.
func (d Drawn) Size(_ uint64, luck Luck) Size {
	return d.complete(tokens(d.Prompt.Sample(luck.Prompt)), tokens(d.Output.Sample(luck.Output)), luck)
}

// complete is the size with such a prompt and such an answer after its reasoning.
// The answer is cut at max_tokens, reasoning included.
func (d Drawn) complete(prompt, answer int32, luck Luck) Size {
	s := Size{Prompt: prompt, Output: answer, MaxTokens: d.MaxTokens}
	s.Cached = d.Cached(prompt)
	if d.Reasoning != nil {
		s.Reasoning = whole(d.Reasoning.Sample(luck.Reasoning))
		s.Output += s.Reasoning
	}
	if s.MaxTokens > 0 {
		s.Output = min(s.Output, s.MaxTokens)
		s.Reasoning = min(s.Reasoning, s.Output)
	}
	return s
}

// Cached is how much of such a prompt can come from a cache.
func (d Drawn) Cached(prompt int32) int32 {
	if d.CachedPrefix > 0 && d.CachedPrefix <= prompt {
		return d.CachedPrefix
	}
	return int32(d.CachedShare * float64(prompt))
}

func tokens(x float64) int32 { return max(1, whole(x)) }

// whole rounds to the nearest whole number, held within 0 and 1e9; NaN is 1e9.
func whole(x float64) int32 {
	if x < 1e9 {
		return int32(max(0, x+0.5))
	}
	return 1e9
}

// Check reports what a run could not work with.
func (m *Model) Check() error {
	fleets := m.Fleets()
	for _, f := range fleets {
		switch {
		case f.Instances < 1:
			return fmt.Errorf("%d instances; at least 1 is needed", f.Instances)
		case f.Workload.Arrivals == nil && f.Workers < 1:
			return fmt.Errorf("calls that are fetched need at least one worker for each instance")
		case f.Queue == PerInstance && (f.Workload.Arrivals == nil || f.Workers < 1):
			return fmt.Errorf("a queue for each instance holds calls that come by themselves and wait for workers")
		case f.Workers < 1 && f.Workload.Redelivery.again(1):
			return fmt.Errorf("calls can only be delivered again where workers take them from a queue")
		case f.Targets() > MaxTargets:
			return fmt.Errorf("%d providers to call; want at most %d", f.Targets(), MaxTargets)
		case f.Scaling.On() && f.Workers < 1:
			return fmt.Errorf("the number of workers changes, but each call brings its own")
		case f.Scaling.Auto.PerQueued > 0 && f.Workload.Arrivals == nil && f.Workload.Calls == 0:
			return fmt.Errorf("an autoscaler needs a queue of calls")
		case f.Workload.Redelivery.WhileWorking && f.Workload.Redelivery.Visible <= 0:
			return fmt.Errorf("calls that are worked on are delivered again after a visibility timeout; found none")
		case f.Workload.Redelivery.WhileWorking && f.Workload.Leaves():
			return fmt.Errorf("calls that are delivered while they are worked on have no caller who could leave")
		case f.Workload.Sessions != nil && (f.Workload.Arrivals == nil || f.Workload.Calls > 0):
			return fmt.Errorf("sessions begin by themselves and bound their number, not that of calls")
		case f.Workload.Sessions != nil && !f.Workload.drawn():
			return fmt.Errorf("the prompts of sessions are drawn, not recorded")
		case f.Workload.Sessions != nil && f.Workload.Redelivery.WhileWorking:
			return fmt.Errorf("the turns of a session follow each other and are not delivered while one is worked on")
		case f.Workload.Sessions != nil && len(f.Workload.Kinds) > 0:
			return fmt.Errorf("the turns of sessions are of one kind")
		case len(f.Workload.Kinds) > MaxKinds:
			return fmt.Errorf("%d kinds of calls; want at most %d", len(f.Workload.Kinds), MaxKinds)
		case f.Workload.Cache.Scope == OfSession && f.Workload.Sessions == nil:
			return fmt.Errorf("a cache of sessions where there are none")
		case !f.Workload.Bounded() && m.Horizon == 0:
			return fmt.Errorf("neither a number of calls nor a horizon: the run would never end")
		}
	}
	if err := m.checkShared(); err != nil {
		return err
	}
	if n := len(m.Provider.Tenants); n != len(fleets) && (n > 0 || len(fleets) > 1) {
		return fmt.Errorf("%d fleets and %d tenants of the provider; want a tenant for each", len(fleets), n)
	}
	_, err := provider.New(m.Provider, 0)
	return err
}
