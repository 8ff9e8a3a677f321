package policy

import (
	"fmt"
	"time"

	"stampede/sim"
	"stampede/wire"
)

// Instance is what one client process remembers from call to call. It decides by
// [Instance.Admit] when an attempt is sent, records its end by [Instance.Done], and grants
// retries. Gate and pacer may be shared by instances; what the policy does not use is nil.
type Instance struct {
	client   *Client
	gate     *queue
	pacer    *PacerState
	throttle *ThrottleState
	budget   *BudgetState
	hedge    *HedgeState
	targets  []target
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

// NewInstances makes n instances of a client that may call so many targets.
func NewInstances(c *Client, n, targets int) []Instance {
	instances := make([]Instance, n)
	for i := range instances {
		s := &instances[i]
		s.client = c
		if c.Gate.On() {
			if s.gate = instances[0].gate; s.gate == nil || c.Gate.Scope == PerInstance {
				s.gate = &queue{}
				s.gate.Room = -1
				if c.Gate.Room != 0 {
					s.gate.Room = max(0, c.Gate.Room)
				}
				s.gate.LastFirst = c.Gate.Order == LastInFirstOut
			}
		}
		if c.Pacer.On() {
			if s.pacer = instances[0].pacer; s.pacer == nil || c.Pacer.Scope == PerInstance {
				s.pacer = &PacerState{}
			}
		}
		if c.Throttle.On() {
			s.throttle = &ThrottleState{}
		}
		if c.Budget.On() {
			s.budget = &BudgetState{}
		}
		if c.Hedge.On() {
			s.hedge = &HedgeState{}
		}
		if c.Breaker.On() || c.Fallback.On {
			s.targets = make([]target, targets)
		}
	}
	return instances
}

// Sent records an attempt that goes out, and returns the places at the gate that are taken.
func (s *Instance) Sent(now time.Duration, role Role) (inFlight int) {
	if s.budget != nil {
		s.budget.Sent(&s.client.Budget, now, role)
	}
	if s.gate != nil {
		inFlight = s.gate.Busy()
	}
	return inFlight
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
	Reply      *wire.Reply
	Cancelled  bool // its caller left or another attempt was faster, which shows nothing of the provider
}

// Done lets the instance learn from the end of an attempt.
func (s *Instance) Done(now time.Duration, e *Ended) {
	p := s.client
	class := e.Reply.Class()
	failed := class != wire.OK && class != wire.Terminal
	if p.Breaker.On() {
		if b := &s.targets[e.Target].breaker; e.Cancelled {
			b.Forget(e.Generation)
		} else {
			b.Done(&p.Breaker, now, e.Generation, p.Breaker.Failed(class))
		}
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
		s.gate.limit.Done(&p.Gate, e.InFlight, now-e.Sent, failed)
	}
	if s.pacer != nil {
		s.pacer.Done(&p.Pacer, now, e.Sent, *e.Reply)
	}
	if s.throttle != nil {
		s.throttle.Done(&p.Throttle, now, !failed)
	}
	if s.hedge != nil && class == wire.OK {
		s.hedge.Add(&p.Hedge, now-e.Began)
	}
}

// GrantRetry asks the budget for a retry after a reply, and gives what it cost.
func (s *Instance) GrantRetry(now time.Duration, reply *wire.Reply) (cost float64, ok bool) {
	if s.budget == nil {
		return 0, true
	}
	return s.budget.Withdraw(&s.client.Budget, now, *reply)
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

// CheckReturned panics unless every place at the gate, every retry that was granted and every
// probe of a breaker was given back.
func (s *Instance) CheckReturned() {
	if s.gate != nil && s.gate.Busy() != 0 {
		panic(fmt.Sprintf("policy: at the end %d places at a gate are taken; want 0", s.gate.Busy()))
	}
	if s.budget != nil && s.budget.Outstanding() != 0 {
		panic(fmt.Sprintf("policy: at the end a budget counts %d attempts; want 0", s.budget.Outstanding()))
	}
	for _, t := range s.targets {
		if n := t.breaker.Probing(); n != 0 {
			panic(fmt.Sprintf("policy: at the end %d probes of a breaker are under way; want 0", n))
		}
	}
}
