package policy

import (
	"time"

	"stampede/internal/words"
	"stampede/sim"
	"stampede/wire"
)

// Request is an attempt that asks an instance to be sent. Placed and Paced are kept from one
// [Instance.Admit] to the next.
type Request struct {
	Caller  Waiter
	Target  uint8   // to which the call's last attempt went, or [NoTarget]; Admit sets where this one goes
	Role    Role    // of the attempt
	Rank    uint16  // in the queue at a gate by priority: lower goes first
	Need    Need    // what it takes from the provider's limits; after Admit, its tokens are those taken at the pacer
	U       float64 // uniform on (0, 1), for the throttle
	RouteU  float64 // uniform on (0, 1), for the route
	Expired bool    // its caller or a timeout gives it up at this very instant
	Placed  bool    // it has its place at the gate
	Paced   bool    // it has its room at the pacer

	Connected bool // it has its connection; kept as Placed is
}

// Waiter names a call in a queue, by numbers of whoever asks: a call that left the queue before
// its turn has another ticket by then.
type Waiter struct{ ID, Ticket uint32 }

// Admission is the answer to a request. Four fields are as many as the compiler keeps in registers.
type Admission struct {
	Action     Action
	By         Stage         // that decided; not of Go
	Generation uint32        // of Go: of the breaker, for [Ended]
	Wait       time.Duration // of Wait: at least a nanosecond
}

// Outcome is how a call ends that is refused and does not go on to another target. After a refusal by
// expiry it is for whoever gave the attempt up to say.
func (a Admission) Outcome() Outcome {
	if a.By == ByBreaker {
		return BreakerOpen
	}
	return Shed
}

// Action is what a request has to do.
type Action uint8

const (
	Go     Action = iota // be sent now
	Wait                 // ask again after Admission.Wait
	Queue                // ask again when NextAtGate, NextAtPacer, NextAtPool or NextBlocked names it
	Refuse               // not be sent
	PassOn               // not be sent to this target: the call ends, or goes on to the next one
)

// ActionWords are the words of actions.
var ActionWords = words.Table[Action]{"go", "wait", "queue", "refuse", "pass_on"}

// String is the word for an action.
func (a Action) String() string { return ActionWords.Word(a) }

// Stage is a part of the admission, in the order in which they are asked.
type Stage uint8

const (
	NoStage Stage = iota
	ByGate
	ByPacer
	ByExpiry
	ByPool
	ByRoute
	ByBreaker
	ByThrottle
)

// StageWords are the words of stages.
var StageWords = words.Table[Stage]{"", "gate", "pacer", "expiry", "pool", "route", "breaker", "throttle"}

// String is the word for a stage, empty for none.
func (s Stage) String() string { return StageWords.Word(s) }

// Admit asks for an attempt. It passes these stages in order:
//
//	gate      it takes a place among those in flight; without one it queues, or is refused
//	          where the queue is full
//	pacer     it takes its room, and waits until that is there; where that may change it queues
//	          for its room, and where it would wait too long it queues for nothing; an attempt
//	          that the breaker would stop now takes none
//	expiry    an attempt that is given up at this instant is refused
//	pool      it takes a connection; without one it queues
//	route     it gets its deployment; while all are in cooldown it waits, or is passed on
//	breaker   while it is open the attempt waits, or is refused; while probes decide it queues
//	          or is refused; what it does not stop passes
//	throttle  it is refused at random
//
// What an attempt has got at one stage it keeps: Admit marks Placed and Paced in the request,
// and when it asks again those stages are passed over. A refused one that is Placed gives its
// place back by [Instance.Release]; one that is not sent though it is Connected gives its connection back by
// [Instance.Disconnect]. A wait of the pacer is exact: after it the room is there. That of the
// breaker ends when it becomes half-open, and the attempt may meet others there.
func (s *Instance) Admit(now time.Duration, r *Request) Admission {
	if s.has == 0 {
		if r.Expired {
			return Admission{Action: Refuse, By: ByExpiry}
		}
		return Admission{Action: Go}
	}
	return s.admit(now, r)
}

// admit is Admit of an instance that remembers something.
func (s *Instance) admit(now time.Duration, r *Request) Admission {
	if s.gate != nil && !r.Placed {
		s.gate.Servers = s.gate.limit.Limit(&s.client.Gate)
		switch s.gate.Arrive(r.Caller, int(r.Rank)) {
		case sim.Queued:
			return Admission{Action: Queue, By: ByGate}
		case sim.Refused:
			return Admission{Action: Refuse, By: ByGate}
		}
		r.Placed = true
	}
	if !r.Paced {
		if s.has&hasBreaker != 0 && s.client.Breaker.stops(r.Role) && !s.Routes(r.Target) {
			if open := s.targets[r.Target].breaker.OpenFor(now); open > 0 {
				return s.stopped(r, open)
			}
		}
		r.Paced = true
		if s.pacer != nil {
			if a := s.pace(now, r); a.Action != Go {
				return a
			}
		}
	}
	if r.Expired {
		return Admission{Action: Refuse, By: ByExpiry}
	}
	if s.pool != nil && !r.Connected {
		if r.Connected = s.pool.Arrive(r.Caller, 0) == sim.Started; !r.Connected {
			return Admission{Action: Queue, By: ByPool}
		}
	}
	if s.Routes(r.Target) {
		to, wait, ok := s.router.choose(&s.client.Route, now, r.Target, r.RouteU, s.breakers(r.Role))
		switch r.Target = to; {
		case wait > 0:
			return Admission{Action: Wait, By: ByRoute, Wait: wait}
		case !ok:
			return Admission{Action: PassOn, By: ByRoute}
		}
	}
	by, generation, open := s.pass(now, r)
	switch by {
	case ByBreaker:
		return s.stopped(r, open)
	case ByThrottle:
		return Admission{Action: PassOn, By: ByThrottle}
	}
	return Admission{Action: Go, Generation: generation}
}

// AdmitHedge asks for an attempt beside others of its call. It goes only when each stage admits
// it at once, and takes nothing when one does not.
func (s *Instance) AdmitHedge(now time.Duration, r *Request) Admission {
	if s.gate != nil && s.gate.Busy() >= s.gate.Servers {
		return Admission{Action: Refuse, By: ByGate}
	}
	if s.pool != nil && s.pool.Busy() >= s.pool.Servers {
		return Admission{Action: Refuse, By: ByPool}
	}
	var pacer PacerState
	if s.pacer != nil {
		pacer = *s.pacer
	}
	refuse := func(by Stage) Admission {
		if s.pacer != nil {
			*s.pacer = pacer
		}
		return Admission{Action: Refuse, By: by}
	}
	if s.pacer != nil {
		if a := s.pace(now, r); a.Action != Go {
			return refuse(ByPacer)
		}
	}
	if s.Routes(r.Target) {
		to, _, ok := s.router.choose(&s.client.Route, now, r.Target, r.RouteU, s.breakers(r.Role))
		if !ok {
			return refuse(ByRoute)
		}
		r.Target = to
	}
	by, generation, _ := s.pass(now, r)
	if by != NoStage {
		return refuse(by)
	}
	if s.gate != nil {
		s.gate.Arrive(Waiter{}, 0)
		r.Placed = true
	}
	if s.pool != nil {
		s.pool.Arrive(Waiter{}, 0)
	}
	return Admission{Action: Go, Generation: generation}
}

// breakers are those of the targets; none where they stop no attempt of the role.
func (s *Instance) breakers(role Role) []target {
	if s.has&hasBreaker == 0 || !s.client.Breaker.stops(role) {
		return nil
	}
	return s.targets
}

// pace asks the pacer for the room of a request. One that has it is Paced.
func (s *Instance) pace(now time.Duration, r *Request) Admission {
	p := &s.client.Pacer
	if p.Lines() {
		if p.Tokens.Rate > 0 {
			r.Need[wire.TokenQuota] = s.pacer.tokens.estimate(&p.Tokens, &r.Need)
		}
		if r.Paced = !s.pacer.join(p, now, r); !r.Paced {
			return Admission{Action: Queue, By: ByPacer}
		}
		return Admission{Action: Go}
	}
	wait, fits := s.pacer.reserveWithin(p, now, r.Need)
	switch {
	case !fits: // it will be gone by then
		r.Paced = false
		return Admission{Action: Queue, By: ByPacer}
	case wait > 0:
		return Admission{Action: Wait, By: ByPacer, Wait: wait}
	}
	return Admission{Action: Go}
}

// pass asks the breaker and the throttle, and names the one that refuses. The breaker is then
// half-open after a time, or 0 while probes decide.
func (s *Instance) pass(now time.Duration, r *Request) (by Stage, generation uint32, open time.Duration) {
	if s.has&hasBreaker != 0 {
		var ok bool
		if ok, generation, open = s.targets[r.Target].breaker.Ask(&s.client.Breaker, now); !ok {
			if s.client.Breaker.stops(r.Role) {
				return ByBreaker, 0, open
			}
			generation = unrecorded
		}
	}
	if s.throttle != nil && !s.throttle.Ask(&s.client.Throttle, now, r.U) {
		if s.has&hasBreaker != 0 {
			s.targets[r.Target].breaker.Forget(generation)
		}
		return ByThrottle, 0, 0
	}
	return NoStage, generation, 0
}

// stopped is the answer of a breaker that is open for so long, or 0 while probes decide.
func (s *Instance) stopped(r *Request, open time.Duration) Admission {
	switch when := s.client.Breaker.WhenOpen; {
	case when == FailFast:
		return Admission{Action: Refuse, By: ByBreaker}
	case when == FallBack:
		return Admission{Action: PassOn, By: ByBreaker}
	case open > 0:
		return Admission{Action: Wait, By: ByBreaker, Wait: open}
	}
	s.targets[r.Target].blocked.Push(r.Caller)
	return Admission{Action: Queue, By: ByBreaker}
}

// Release gives back a place at the gate. [Instance.NextAtGate] then names those whose turn it is.
func (s *Instance) Release() {
	s.gate.Servers = s.gate.limit.Limit(&s.client.Gate)
	s.gate.Withdraw()
}

// NextAtGate gives the next of those who queue at the gate a free place: it asks again, Placed,
// or, where it has left the queue, is answered with SkipCancelled.
func (s *Instance) NextAtGate() (Waiter, bool) { return s.gate.Next() }

// SkipCancelled takes back the place of one that had left the queue at the gate.
func (s *Instance) SkipCancelled() { s.gate.SkipCancelled() }

// CancelAtGate records that one of those who queue at the gate has left.
func (s *Instance) CancelAtGate() { s.gate.Leave() }

// Disconnect gives back a connection, of an attempt that has ended or that was not sent though it is Connected.
// [Instance.NextAtPool] then names the one whose turn it is.
func (s *Instance) Disconnect() { s.pool.Withdraw() }

// NextAtPool gives the next of those who wait for a connection a free one: it asks again, Connected, or, where it
// has left the queue, is answered with SkipAtPool.
func (s *Instance) NextAtPool() (Waiter, bool) { return s.pool.Next() }

// SkipAtPool takes back the connection of one that had left the queue.
func (s *Instance) SkipAtPool() { s.pool.SkipCancelled() }

// CancelAtPool records that one of those who wait for a connection has left.
func (s *Instance) CancelAtPool() { s.pool.Leave() }

// NextBlocked takes one from those who queue at the breaker of a target. All of them ask again
// once an attempt that it had let through has ended or was not sent.
func (s *Instance) NextBlocked(target uint8) (Waiter, bool) {
	if len(s.targets) == 0 {
		return Waiter{}, false
	}
	return s.targets[target].blocked.Pop()
}
