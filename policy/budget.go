package policy

import (
	"fmt"
	"time"

	"stampede/internal/format"
	"stampede/sim"
	"stampede/wire"
)

// Budget bounds the retries of one instance. Both parts may be set; the zero Budget
// bounds nothing.
type Budget struct {
	Tokens Tokens
	Share  Share
}

// Tokens is an account of which retries are paid: the retry throttling of gRPC, the
// retry quota of the AWS SDKs, a bucket filled by calls. A retry is allowed while
// its cost leaves the account at Floor or above; in gRPC's way, with a cost of 0,
// while it stands above Floor. The zero Tokens bounds nothing.
type Tokens struct {
	Max          float64 // the account starts full and never holds more; 0 means that nothing is bounded
	Start        float64 // if not full: 0 < Start < Max, or Empty
	Empty        bool    // it starts empty
	PerCall      float64 // paid in with each first attempt
	PerSuccess   float64 // paid in with each success without a retry
	PerFailure   float64 // taken out with each failure, down to 0
	Cost         float64 // of a retry
	TimeoutCost  float64 // of a retry after a timeout; 0 means Cost
	ThrottleCost float64 // of a retry after a 429; 0 means Cost
	Refund       bool    // the last cost of a call comes back when a retry succeeds
	Floor        float64
}

// Share is the rule of Finagle and Envoy: retries are at most a ratio of calls.
type Share struct {
	Ratio   float64       // of the calls of the last Window; 0 means that nothing is bounded
	Window  time.Duration // 0 means of what is in flight now
	Reserve int           // so many retries in a window, or at once, are always allowed
}

// On reports whether the budget bounds anything.
func (b Budget) On() bool { return b.Tokens.Max > 0 || b.Share.Ratio > 0 }

// Describe names the budget; empty without one.
func (b Budget) Describe() string {
	s := ""
	if t := b.Tokens; t.Max > 0 {
		s = fmt.Sprintf("retry budget of %g tokens", t.Max)
		if t.Cost > 0 {
			s += fmt.Sprintf(", %g a retry", t.Cost)
		}
	}
	if r := b.Share; r.Ratio > 0 {
		if s != "" {
			s += ", "
		}
		s += fmt.Sprintf("retries at most %s", format.Percent(r.Ratio))
		if r.Window > 0 {
			s += fmt.Sprintf(" of the calls of %v", r.Window)
		} else {
			s += " of those in flight"
		}
		s += fmt.Sprintf(" plus %d", r.Reserve)
	}
	return s
}

// BudgetState is a budget at work.
type BudgetState struct {
	tokens         float64
	begun          bool
	calls, retries instants
	flying         int // attempts in flight, without hedges
	granted        int // retries that were allowed and have not ended, those that still wait among them
}

// Role is what an attempt is to its call.
type Role uint8

const (
	FirstTry Role = iota
	Retried       // allowed by Withdraw
	Hedged        // beside another
)

// Result is what the end of an attempt shows of the provider.
type Result uint8

const (
	Ignored Result = iota // nothing: its caller left, another was faster, or the request itself was wrong
	Success
	Failure
)

func (s *BudgetState) begin(b *Budget) {
	if s.begun {
		return
	}
	s.begun = true
	switch t := &b.Tokens; {
	case t.Empty:
	case t.Start > 0:
		s.tokens = t.Start
	default:
		s.tokens = t.Max
	}
}

// Sent records an attempt that goes out.
func (s *BudgetState) Sent(b *Budget, now time.Duration, role Role) {
	s.begin(b)
	if role == Hedged {
		return
	}
	s.flying++
	if role == Retried {
		return
	}
	s.pay(b, b.Tokens.PerCall)
	if b.Share.Window > 0 {
		s.calls.add(now, b.Share.Window)
	}
}

// Done records an attempt that ended. Cost is what the retry that it was
// has cost; 0 for a first attempt.
func (s *BudgetState) Done(b *Budget, role Role, result Result, cost float64) {
	if role != Hedged {
		s.flying--
	}
	if role == Retried {
		s.granted--
	}
	switch {
	case result == Failure:
		s.tokens = max(0, s.tokens-b.Tokens.PerFailure)
	case result == Ignored:
	case role == Retried && b.Tokens.Refund:
		s.pay(b, cost)
	default:
		s.pay(b, b.Tokens.PerSuccess)
	}
}

// Release gives back a retry that was allowed and will not be sent. What it cost is spent.
func (s *BudgetState) Release() { s.granted-- }

// Withdraw pays for a retry after a reply, and reports whether it could and what it
// cost.
func (s *BudgetState) Withdraw(b *Budget, now time.Duration, reply *wire.Reply) (cost float64, ok bool) {
	s.begin(b)
	if t := &b.Tokens; t.Max > 0 {
		cost = t.Cost
		switch class := reply.Class(); {
		case class == wire.TimedOut && t.TimeoutCost > 0:
			cost = t.TimeoutCost
		case class == wire.Throttled && t.ThrottleCost > 0:
			cost = t.ThrottleCost
		}
		const rounding = 1e-9 // ten payments of a tenth make one
		if s.tokens-cost < t.Floor-rounding || (cost == 0 && s.tokens <= t.Floor) {
			return 0, false
		}
	}
	if r := &b.Share; r.Ratio > 0 {
		if r.Window == 0 {
			if s.granted >= max(r.Reserve, int(r.Ratio*float64(s.flying))) {
				return 0, false
			}
		} else {
			calls, retries := s.calls.count(now, r.Window), s.retries.count(now, r.Window)
			if float64(retries)+1 > r.Ratio*float64(calls)+float64(r.Reserve) {
				return 0, false
			}
			s.retries.add(now, r.Window)
		}
	}
	s.tokens -= cost
	s.granted++
	return cost, true
}

// Outstanding is how many attempts and allowed retries have not ended.
func (s *BudgetState) Outstanding() int { return s.flying + s.granted }

func (s *BudgetState) pay(b *Budget, amount float64) {
	s.tokens = min(b.Tokens.Max, s.tokens+amount)
}

// instants are those of a window, the oldest first.
type instants struct{ list sim.Ring[time.Duration] }

func (i *instants) add(now, window time.Duration) {
	i.count(now, window)
	i.list.Push(now)
}

// count is how many lie within the window that ends now.
func (i *instants) count(now, window time.Duration) int {
	for i.list.Len() > 0 && *i.list.At(0) <= now-window {
		i.list.Pop()
	}
	return i.list.Len()
}
