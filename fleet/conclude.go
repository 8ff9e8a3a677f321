package fleet

import (
	"slices"

	"stampede/cost"
	"stampede/policy"
	"stampede/provider"
	"stampede/wire"
)

// conclude closes the record of an attempt, records its bill, reports to the instance what
// became of it, frees its place at the gate and asks the policy what to do, which the
// layer with the returned number decides.
func (r *run) conclude(aid uint32, timer policy.Timer) (policy.Decision, int) {
	a := r.attempts.at(aid)
	c := r.calls.at(a.call)
	g := r.group(c)
	p := r.backend(a)
	now := r.loop.Now()
	r.loop.Cancel(a.timer)
	r.loop.Cancel(a.streams)
	i := slices.Index(c.flights[:c.flying], aid)
	c.flying--
	c.flights[i] = c.flights[c.flying]
	c.flights[c.flying] = 0
	rec := &r.accounting.attempt
	*rec = Attempt{
		Call: c.record.ID, Fleet: int(c.record.Fleet), Number: int(a.number), Delivery: int(c.record.Deliveries),
		Instance: int(c.record.Instance),
		Target:   int(a.target), Limit: a.limit, Hedge: a.role == policy.Hedged,
		Arrived: c.record.Arrived, Sent: a.sent, Received: a.received, First: -1, Ended: now,
		Reply: a.reply, Cut: timer,
		Charged: a.charged + a.penalty, Settled: a.penalty, InFlight: int(a.inFlight), Ordinal: int(a.ordinal),
		Tenth: int(a.tenth),
	}
	rec.Usage = r.usage(a)
	rec.Bill = r.priceOf(a).Bill(rec.Usage)
	if g.Workload.Stream && a.first <= now-p.hop && !(a.breaks && a.output <= a.hidden) {
		rec.First = a.first + p.hop
	} else if rec.Class() == wire.OK {
		rec.First = now
	}
	if a.admitted() {
		settled, refunded := p.Settle(&a.request, r.used(a))
		rec.Settled += settled
		rec.Refunded = refunded
	}
	if a.acts(c.record.Size.Output) {
		bit := uint32(1) << a.target
		if g.Workload.Acts && (!g.Client.IdempotencyKey || c.acted&bit == 0) {
			c.record.Acts++
		}
		c.acted |= bit
	}
	if rec.Class() == wire.OK {
		c.record.Useful += rec.Bill
		c.record.Target = int32(a.target)
	} else {
		rec.Waste, rec.Cause = true, causeOf(timer, a.reply)
		c.record.Waste[rec.Cause] += rec.Bill
	}
	r.learn(g, c, a, rec)
	d, layer := r.decide(c, a, rec)
	r.accounting.closeAttempt()
	r.releasePlace(c)
	return d, layer
}

// causeOf is why the bill of an attempt without an answer was wasted.
func causeOf(timer policy.Timer, reply wire.Reply) cost.Cause {
	switch {
	case timer == policy.PatienceTimer:
		return cost.ByAbandoned
	case reply.Failure == wire.Lost:
		return cost.ByHedge
	case reply.Failure == wire.Timeout:
		return cost.ByTimeout
	}
	return cost.ByError
}

// learn lets the instance learn from the end of an attempt. What ends because the
// caller left, or because another attempt was faster, shows nothing of the provider.
func (r *run) learn(g *group, c *call, a *attempt, rec *Attempt) {
	m := g.instance(c)
	m.Done(rec.Ended, &policy.Ended{
		Target: a.target, Role: a.role, Generation: a.generation, InFlight: int(a.gated), Cost: float64(a.cost),
		Began: c.tried, Sent: a.sent, Reply: &rec.Reply,
		Cancelled: rec.Cut == policy.PatienceTimer || rec.Cut == policy.EndOfRun || rec.Cut == policy.HedgeTimer,
	})
	r.unblock(m, a.target)
}

// decide asks the policy, unless the end of the call is already known or other
// attempts of it are in flight.
func (r *run) decide(c *call, a *attempt, rec *Attempt) (policy.Decision, int) {
	g := r.group(c)
	switch rec.Cut {
	case policy.PatienceTimer, policy.EndOfRun, policy.HedgeTimer: // not for the policy to decide
		return policy.Decision{}, 0
	}
	if rec.Class() != wire.OK && c.flying > 0 {
		rec.Decision = policy.Decision{Outcome: policy.OthersDecide}
		return rec.Decision, 0
	}
	from := 0
	if rec.Cut == policy.CallTimer {
		if from = int(a.layer); from == 0 { // the client's own limit of the call
			from = 1
		}
	}
	id := a.call
	f := policy.Facts{
		Now: rec.Ended, Start: c.start, Attempt: int(c.tries), LastWait: c.lastWait, Reply: &a.reply,
		Began: rec.First >= 0, U: g.jitter.Uniform(c.record.ID, uint64(a.number)),
	}
	var layer int
	if rec.Cut == policy.CallTimer && from > len(g.Client.Outer) {
		rec.Decision = policy.Decision{Outcome: policy.GaveUpDeadline}
	} else {
		rec.Decision, layer = g.Client.Decide(&f, r.tries(id), from)
	}
	r.grant(c, &rec.Decision, &a.reply)
	if rec.First >= 0 && g.Workload.Stream && rec.Decision.Again && rec.Class() != wire.OK {
		rec.Shown = r.shown(a, rec)
		if g.Client.Layer(layer).Broken == policy.Replay {
			c.record.Repeated += int64(rec.Shown)
		}
	}
	return rec.Decision, layer
}

// grant asks the instance for the retry that a layer wants.
func (r *run) grant(c *call, d *policy.Decision, reply *wire.Reply) {
	if !d.Again {
		return
	}
	paid, ok := r.group(c).instance(c).GrantRetry(r.loop.Now(), reply)
	if c.cost, c.granted = float32(paid), ok; !ok {
		*d = policy.Decision{Outcome: policy.GaveUpBudget}
	}
}

// shown is how many tokens of a stream its client saw before it broke or was cut off.
func (r *run) shown(a *attempt, rec *Attempt) int {
	visible := float64(max(0, a.output-a.hidden))
	last := a.last + r.backend(a).hop
	if rec.Ended >= last || last == rec.First {
		return int(visible)
	}
	return int(visible * float64(rec.Ended-rec.First) / float64(last-rec.First))
}

// acts reports whether the work of an attempt is done, or will be.
func (a *attempt) acts(whole int32) bool {
	return a.admitted() && !a.hangs && !a.left && !a.replayed && a.output == whole
}

// admitted reports whether the provider took the attempt in.
func (a *attempt) admitted() bool {
	return a.received >= 0 && a.state != sending && a.state != refused
}

// usage is what the attempt is billed for, with the refusals that the gateway kept to itself.
func (r *run) usage(a *attempt) cost.Usage { return a.relays.Plus(r.own(a)) }

// own is what its last try at the provider is billed for.
func (r *run) own(a *attempt) cost.Usage {
	billing, billed := &r.backend(a).config.Billing, true
	switch {
	case a.state == refused:
		return r.refused(a, a.billed)
	case !a.admitted() || a.hangs || a.left || a.replayed:
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
	return r.usageOf(a, a.output)
}

// usageOf is the usage of an attempt that has generated so much.
func (r *run) usageOf(a *attempt, output int32) cost.Usage {
	u := cost.Usage{
		Prompt:    a.request.Prompt,
		Cached:    a.request.Cached,
		Output:    int(output),
		Reasoning: int(min(a.hidden, output)),
	}
	if r.groups[a.request.Tenant].Workload.Cache.Writes {
		u.Written = u.Prompt - u.Cached
	}
	return u
}

// refused is the usage that a refusal is billed for.
func (r *run) refused(a *attempt, billed provider.Billed) cost.Usage {
	switch billed {
	case provider.Everything:
		return r.usageOf(a, r.calls.at(a.call).record.Size.Output)
	case provider.ItsPrompt:
		return r.usageOf(a, 0)
	}
	return cost.Usage{}
}

// priceOf is the price at the target of an attempt.
func (r *run) priceOf(a *attempt) *cost.Price {
	if g := &r.groups[a.request.Tenant]; a.target > 0 {
		return &g.Fallbacks[a.target-1].Price
	} else {
		return &g.Price
	}
}

// used is what the attempt used in the end, for the limits. They have counted what its
// refusals were billed already.
func (r *run) used(a *attempt) provider.Used {
	u := provider.Used{Output: int(a.output)}
	if r.backend(a).spends {
		u.Nano = int64(r.priceOf(a).Bill(r.own(a)))
	}
	return u
}
