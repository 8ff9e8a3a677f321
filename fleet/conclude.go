package fleet

import (
	"stampede/cost"
	"stampede/policy"
	"stampede/provider"
	"stampede/wire"
)

// conclude closes the record of an attempt, books its bill, frees its place at
// the gate and asks the policy what to do.
func (r *run) conclude(aid uint32, timer policy.Timer) policy.Decision {
	a := r.attempts.at(aid)
	c := r.calls.at(a.call)
	g := r.group(c)
	now := r.loop.Now()
	r.loop.Cancel(a.timer)
	r.loop.Cancel(a.streams)
	c.flight = 0
	rec := &r.books.attempt
	*rec = Attempt{
		Call: c.record.ID, Fleet: int(c.record.Fleet), Number: int(a.number), Delivery: int(c.record.Deliveries), Instance: int(c.record.Instance),
		Sent: a.sent, Received: a.received, First: -1, Ended: now,
		Reply: a.reply, Cut: timer,
		Charged: a.charged + a.penalty, Settled: a.penalty, InFlight: int(a.inFlight), Ordinal: int(a.ordinal),
	}
	rec.Usage = r.usage(a)
	rec.Bill = g.Price.Bill(rec.Usage)
	if g.Workload.Stream && a.first <= now-r.hop {
		rec.First = a.first + r.hop
	} else if rec.Class() == wire.OK {
		rec.First = now
	}
	if a.admitted() {
		settled, refunded := r.provider.Settle(a.request, r.used(a))
		rec.Settled += settled
		rec.Refunded = refunded
	}
	switch {
	case rec.Class() == wire.OK:
		c.record.Useful += rec.Bill
	default:
		rec.Waste, rec.Cause = true, cost.ByError
		if timer == policy.PatienceTimer {
			rec.Cause = cost.ByAbandoned
		} else if a.reply.Failure == wire.Timeout {
			rec.Cause = cost.ByTimeout
		}
		c.record.Waste[rec.Cause] += rec.Bill
	}
	switch timer {
	case policy.PatienceTimer, policy.EndOfRun: // not for the policy to decide
	case policy.CallTimer:
		rec.Decision = policy.Decision{Outcome: policy.GaveUpDeadline}
	default:
		rec.Decision = g.Client.Retry.Decide(policy.Facts{
			Now: now, Start: c.start, Attempt: int(c.tries), LastWait: c.lastWait, Reply: a.reply,
			U: g.jitter.Uniform(c.record.ID, uint64(a.number)),
		})
	}
	decision := rec.Decision
	r.books.closeAttempt()
	r.pass(g, c.record.Instance)
	return decision
}

// admitted reports whether the provider took the attempt in.
func (a *attempt) admitted() bool {
	return a.received >= 0 && a.state != sending && a.state != refused
}

// usage is what the attempt is billed for.
func (r *run) usage(a *attempt) cost.Usage {
	billing, billed := &r.Provider.Billing, true
	switch {
	case a.state == refused:
		billed = a.billed != provider.Nothing
	case !a.admitted() || a.hangs || a.left:
		billed = false
	case a.unfinished:
		billed = !billing.AbandonedFree
	case a.breaks && a.lost:
		billed = !billing.LostFree
	case a.breaks:
		billed = !billing.CutFree
	}
	if !billed {
		return cost.Usage{}
	}
	u := cost.Usage{Prompt: a.request.Prompt, Cached: a.request.Cached, Output: int(a.output), Reasoning: int(min(a.hidden, a.output))}
	if r.groups[a.request.Tenant].Workload.Cache.Writes {
		u.Written = u.Prompt - u.Cached
	}
	return u
}

// used is what the attempt used in the end, for the limits.
func (r *run) used(a *attempt) provider.Used {
	return provider.Used{Output: int(a.output), Nano: int64(r.groups[a.request.Tenant].Price.Bill(r.usage(a)))}
}
