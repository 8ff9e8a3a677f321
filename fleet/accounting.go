package fleet

import (
	"fmt"

	"stampede/cost"
	"stampede/policy"
	"stampede/provider"
	"stampede/sim"
)

// accounting passes records on and checks at the end of a run that nothing was lost
// or made up on the way. Each law compares two sides that were counted apart.
type accounting struct {
	to      Listener
	waits   WaitListener    // the same, where it wants them; else nil
	adapted AdaptedListener // likewise
	levels  []LevelListener // those of them that want them
	call    Call            // the record of a call at hand
	last    []sim.Time      // after which nothing happens with calls, by fleet

	calls         [policy.Outcomes]uint64
	attempts      uint64 // records of attempts
	callsAttempts uint64 // attempts in records of calls
	charged       int64  // tokens, over attempts
	settled       int64
	refunded      int64
	billed        cost.Money // over attempts
	answered      cost.Money // over attempts that answered
	wasted        cost.Waste // over attempts that did not
	useful        cost.Money // over calls
	waste         cost.Waste // over calls

	err error // more money than can be counted
}

func (b *accounting) closeAttempt(a *Attempt) {
	b.attempts++
	b.charged += a.Charged
	b.settled += a.Settled
	b.refunded += a.Refunded
	if a.Bill > cost.MaxMoney-b.billed && b.err == nil {
		b.err = fmt.Errorf(
			"more than %v was billed, which is all that can be counted; is a price or a size too large?",
			cost.MaxMoney)
	}
	b.billed += a.Bill
	if a.Waste {
		b.wasted[a.Cause] += a.Bill
	} else {
		b.answered += a.Bill
	}
	b.to.Attempt(a)
}

// closeCall closes the record at hand, with which nothing more happens from now on: deliveries
// that overlap may go on after the call has ended.
func (b *accounting) closeCall(now sim.Time) {
	c := &b.call
	b.calls[c.Outcome]++
	b.last[c.Fleet] = now
	b.callsAttempts += uint64(c.Attempts)
	b.useful += c.Useful
	for i, m := range c.Waste {
		b.waste[i] += m
	}
	b.to.Call(c)
}

// reconcile checks the laws of conservation in exact integers. A violation is a
// fault of the simulator and panics with both sides.
func (b *accounting) reconcile(started uint64, ledger provider.Ledger, held int64) {
	ended := uint64(0)
	for _, n := range b.calls {
		ended += n
	}
	equal("calls started = calls by outcome", started, ended)
	equal("attempts recorded = attempts of all calls", b.attempts, b.callsAttempts)
	equal("tokens charged = settled + refunded", b.charged, b.settled+b.refunded)
	equal("tokens charged by records = taken from the buckets", b.charged, ledger.Taken)
	equal("tokens refunded by records = given back to the buckets", b.refunded, ledger.Given)
	equal("requests and tokens still held at the limits = none", held, 0)
	equal("dollars billed = useful + wasted", b.billed, b.useful+b.waste.Total())
	equal("dollars for answers by attempts = by calls", b.answered, b.useful)
	equal("dollars wasted by attempts = by calls", b.wasted, b.waste)
}

func equal[T comparable](law string, left, right T) {
	if left != right {
		panic(fmt.Sprintf("fleet: not conserved: %s: %v against %v", law, left, right))
	}
}
