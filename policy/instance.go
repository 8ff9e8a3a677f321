package policy

import (
	"fmt"
	"time"

	"stampede/sim"
	"stampede/wire"
)

// Instances are the instances of one client in a fleet.
type Instances struct {
	n    int
	each perInstance[Instance]
}

// perInstance has an element for each instance, one that all of them share, or none.
type perInstance[T any] []T

func (l perInstance[T]) at(i int) *T {
	switch len(l) {
	case 0:
		return nil
	case 1:
		return &l[0]
	}
	return &l[i]
}

// Instance is what one client process remembers from call to call. It decides by
// [Instance.Admit] when an attempt is sent, records its end by [Instance.Done], and grants
// retries. Gate and pacer may be shared by instances; what the policy does not use is nil.
type Instance struct {
	client   *Client
	has      mechanisms
	gate     *queue
	pool     *sim.Station[Waiter] // of connections
	pacer    *PacerState
	throttle *ThrottleState
	budget   *BudgetState
	hedge    *HedgeState
	router   *RouterState
	targets  []target
}

// mechanisms is a set of those that remember something from call to call.
type mechanisms uint16

const (
	hasGate mechanisms = 1 << iota
	hasPacer
	hasBreaker
	hasThrottle
	hasBudget
	hasHedge
	hasFallback
	hasRoute
	hasPool
	hasLimit // a gate whose limit changes

	learning = hasPacer | hasBreaker | hasThrottle | hasBudget | hasHedge | hasRoute | hasLimit
)

// mechanisms are those that the client has.
func (c *Client) mechanisms() (has mechanisms) {
	for _, m := range [...]struct {
		is mechanisms
		on bool
	}{
		{hasGate, c.Gate.On()},
		{hasPacer, c.Pacer.On()},
		{hasBreaker, c.Breaker.On()},
		{hasThrottle, c.Throttle.On()},
		{hasBudget, c.Budget.On()},
		{hasHedge, c.Hedge.On()},
		{hasFallback, c.Fallback.On},
		{hasPool, c.MaxConnections > 0},
		{hasLimit, c.Gate.Adaptive()},
	} {
		if m.on {
			has |= m.is
		}
	}
	return has
}

// queue is where calls wait for their turn to be in flight.
type queue struct {
	sim.Station[Waiter]
	limit GateState
}

// target is what an instance knows of one provider that it may call.
type target struct {
	breaker  BreakerState
	blocked  sim.Ring[Waiter] // wait for the end of a probe
	cooldown CooldownState
}

// NewInstances makes n instances of a client that may call so many targets, the first of them
// deployments, of such weights, that its route chooses among. Those of a client that remembers nothing from call to
// call are one and the same, whatever n is.
func NewInstances(c *Client, n, targets int, weights []float64) Instances {
	has := c.mechanisms()
	if c.Route.on(len(weights)) {
		has |= hasRoute
	}
	if has == 0 {
		return Instances{n: n, each: perInstance[Instance]{{client: c}}}
	}
	count := func(m mechanisms, scope Scope) int {
		switch {
		case has&m == 0:
			return 0
		case scope != PerInstance:
			return 1
		}
		return n
	}
	gates := make(perInstance[queue], count(hasGate, c.Gate.Scope))
	for i := range gates {
		gates[i].Room = -1
		if c.Gate.Room != 0 {
			gates[i].Room = max(0, c.Gate.Room)
		}
		gates[i].LastFirst = c.Gate.Order == LastInFirstOut
	}
	pools := make(perInstance[sim.Station[Waiter]], count(hasPool, PerInstance))
	for i := range pools {
		pools[i].Servers, pools[i].Room = c.MaxConnections, -1
	}
	pacers := make(perInstance[PacerState], count(hasPacer, c.Pacer.Scope))
	throttles := make(perInstance[ThrottleState], count(hasThrottle, PerInstance))
	budgets := make(perInstance[BudgetState], count(hasBudget, PerInstance))
	hedges := make(perInstance[HedgeState], count(hasHedge, PerInstance))
	routers := make(perInstance[RouterState], count(hasRoute, c.Route.Scope))
	for i := range routers {
		routers[i] = newRouterState(&c.Route, weights)
	}
	all := make([]target, targets*count(hasBreaker|hasFallback, PerInstance))
	each := make(perInstance[Instance], n)
	for i := range each {
		each[i] = Instance{
			client: c, has: has,
			gate: gates.at(i), pool: pools.at(i), pacer: pacers.at(i), throttle: throttles.at(i), budget: budgets.at(i),
			hedge: hedges.at(i), router: routers.at(i),
		}
		if len(all) > 0 {
			each[i].targets = all[i*targets : (i+1)*targets]
		}
	}
	return Instances{n: n, each: each}
}

// Stateless reports whether the instance remembers nothing: it lets every attempt go, learns
// nothing of its end and grants every retry.
func (s *Instance) Stateless() bool { return s.has == 0 }

// Learns reports whether the instance learns anything from the end of an attempt.
func (s *Instance) Learns() bool { return s.has&learning != 0 }

// Len is how many instances there are.
func (s Instances) Len() int { return s.n }

// At is instance i, counted from 0.
func (s Instances) At(i int32) *Instance { return s.each.at(int(i)) }

// CheckReturned panics unless every place at the gates, every retry that was granted and every
// probe of a breaker was given back.
func (s Instances) CheckReturned() {
	for i := range s.each {
		s.each[i].checkReturned()
	}
}

// Paces reports whether it has a pacer, which looks at what an attempt needs.
func (s *Instance) Paces() bool { return s.pacer != nil }

// Sent records an attempt that goes out, and returns the places at the gate that are taken.
func (s *Instance) Sent(now time.Duration, role Role) (inFlight int) {
	if s.has == 0 {
		return 0
	}
	if s.budget != nil {
		s.budget.Sent(&s.client.Budget, now, role)
	}
	if s.gate != nil {
		inFlight = s.gate.Busy()
	}
	return inFlight
}

// Routes reports whether attempts to a target, or to NoTarget, go where the route says.
func (s *Instance) Routes(target uint8) bool {
	return s.router != nil && (target == NoTarget || int(target) < len(s.router.to))
}

// SentTo records, beside Sent, the deployment that an attempt goes to, and what it takes there.
func (s *Instance) SentTo(now time.Duration, target uint8, need *Need) {
	s.router.sent(now, target, need)
}

// RetriesAtOnce reports whether a retry does not wait, since a deployment is available.
func (s *Instance) RetriesAtOnce(now time.Duration, target uint8) bool {
	if !s.Routes(target) || !s.client.Route.RetryAtOnce || len(s.router.to) < 2 {
		return false
	}
	here, _ := s.router.available(now)
	return here != 0
}

// Ended is an attempt that has ended, as its instance sees it.
type Ended struct {
	Target     uint8
	Role       Role
	Generation uint32        // of its Admission
	InFlight   int           // from Sent
	Cost       float64       // from GrantRetry, of the retry that it was
	Began      time.Duration // when its try began, and it or the attempt that it hedges was sent
	Sent       time.Duration
	Took       float64 // tokens at the pacer, from Need after [Instance.Admit]
	Used       Usage   // as the reply says
	Reply      *wire.Reply
	Cancelled  bool // its caller left or another attempt was faster, which shows nothing of the provider
}

// Usage is the tokens that an answer has used.
type Usage struct{ Prompt, Output int }

// Done lets the instance learn from the end of an attempt.
func (s *Instance) Done(now time.Duration, e *Ended) {
	if !s.Learns() {
		return
	}
	p := s.client
	class := e.Reply.Class()
	failed := class != wire.OK && class != wire.Terminal
	if s.has&hasBreaker != 0 {
		if b := &s.targets[e.Target].breaker; e.Cancelled {
			b.Forget(e.Generation)
		} else {
			b.Done(&p.Breaker, now, e.Generation, p.Breaker.Failed(class))
		}
	}
	if s.Routes(e.Target) {
		s.router.done(&p.Route, now, e)
	}
	if s.budget != nil {
		result := Ignored
		switch {
		case e.Cancelled:
		case failed:
			result = Failure
		case class == wire.OK:
			result = Success
		}
		s.budget.Done(&p.Budget, e.Role, result, e.Cost)
	}
	if e.Cancelled {
		return
	}
	if s.gate != nil {
		s.gate.limit.Done(&p.Gate, now, e.InFlight, now-e.Sent, failed)
	}
	if s.pacer != nil {
		s.pacer.Done(&p.Pacer, now, e.Sent, e.Reply)
		if p.Pacer.Tokens.Rate > 0 {
			s.pacer.tokens.done(&p.Pacer.Tokens, now, e.Took, e.Reply, e.Used)
		}
	}
	if s.throttle != nil {
		s.throttle.Done(&p.Throttle, now, !failed)
	}
	if s.hedge != nil && class == wire.OK {
		s.hedge.Add(&p.Hedge, now-e.Began)
	}
}

// Unsent gives back the tokens that an attempt took at the pacer and that it will not use, where they are
// settled.
func (s *Instance) Unsent(now time.Duration, took float64) {
	if s.pacer != nil && s.client.Pacer.Tokens.Settle {
		s.pacer.tokens.give(now, took)
	}
}

// Limit is how many may be in flight at the gate now; 0 means no bound.
func (s *Instance) Limit() int {
	if s.gate == nil {
		return 0
	}
	return s.gate.limit.Limit(&s.client.Gate)
}

// Rate is what the pacer sends a second, where that is a bucket of requests; else 0.
func (s *Instance) Rate() float64 {
	switch {
	case s.pacer == nil:
		return 0
	case s.pacer.begun:
		return s.pacer.bucket.rate
	}
	return s.client.Pacer.Bucket.Rate
}

// GrantRetry asks the budget for a retry after a reply, and gives what it cost.
func (s *Instance) GrantRetry(now time.Duration, reply *wire.Reply) (cost float64, ok bool) {
	if s.budget == nil {
		return 0, true
	}
	return s.budget.Withdraw(&s.client.Budget, now, reply)
}

// ReleaseRetry gives back a retry that was granted and will not be sent.
func (s *Instance) ReleaseRetry() {
	if s.budget != nil {
		s.budget.Release()
	}
}

// HedgeDelay is the time after which an attempt is hedged; false when it is not.
func (s *Instance) HedgeDelay() (time.Duration, bool) {
	if s.hedge == nil {
		return 0, false
	}
	return s.hedge.Delay(&s.client.Hedge)
}

// CoolDown starts the cooldown of a target at which a call has failed.
func (s *Instance) CoolDown(now time.Duration, target uint8) {
	s.targets[target].cooldown.Fail(&s.client.Fallback, now)
}

// Available is the first target from one on that is not in cooldown; false when all are.
func (s *Instance) Available(now time.Duration, from int) (uint8, bool) {
	for i := from; i < len(s.targets); i++ {
		if !s.targets[i].cooldown.Away(&s.client.Fallback, now) {
			return uint8(i), true
		}
	}
	return 0, false
}

func (s *Instance) checkReturned() {
	if s.gate != nil && s.gate.Busy() != 0 {
		panic(fmt.Sprintf("policy: at the end %d places at a gate are taken; want 0", s.gate.Busy()))
	}
	if s.pool != nil && s.pool.Busy() != 0 {
		panic(fmt.Sprintf("policy: at the end %d connections of a pool are taken; want 0", s.pool.Busy()))
	}
	if s.budget != nil && s.budget.Outstanding() != 0 {
		panic(fmt.Sprintf("policy: at the end a budget counts %d attempts; want 0", s.budget.Outstanding()))
	}
	if s.router != nil {
		for i := range s.router.to {
			if n := s.router.to[i].busy; n != 0 {
				panic(fmt.Sprintf("policy: at the end a router counts %d attempts at deployment %d; want 0", n, i))
			}
		}
	}
	for i := range s.targets {
		if n := s.targets[i].breaker.Probing(); n != 0 {
			panic(fmt.Sprintf("policy: at the end %d probes of a breaker are under way; want 0", n))
		}
	}
}
