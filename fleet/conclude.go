package fleet

import (
	"stampede/cost"
	"stampede/policy"
	"stampede/wire"
)

// conclude closes the record of an attempt whose result is complete, reports to the instance what
// became of it, frees its place at the gate and asks the policy what to do, which the
// layer with the returned number decides.
func (r *run) conclude(a *attempt, c *call, timer policy.Timer) (policy.Decision, int) {
	g := r.group(c)
	r.loop.Cancel(a.timer)
	r.land(c, a)
	a.Ended, a.Cut = r.loop.Now(), timer
	if a.Worked {
		r.act(c, g, a)
	}
	switch {
	case a.Class() != wire.OK:
		r.waste(c, a, causeOf(timer, a.Reply.Failure))
	case g.overlaps() && r.message(c).answered:
		r.waste(c, a, cost.ByRedelivery)
	default:
		c.useful = a.Bill
		if a.Target > 0 {
			r.extra(c).target = int32(a.Target)
		}
	}
	r.learn(g, c, a)
	d, layer := r.decide(g, c, a)
	r.accounting.closeAttempt(&a.Attempt)
	r.leaveGate(g, c)
	if g.pooled {
		r.disconnect(g, c.instance)
	}
	r.backends[a.backend].Release(a.flight)
	r.attempts.Free(a.self)
	return d, layer
}

// land takes an attempt from those of its call that are in flight.
func (r *run) land(c *call, a *attempt) {
	at := &c.flight
	for *at != a.self {
		at = &r.attempts.At(*at).next
	}
	*at = a.next
}

// act takes note of work that is done, or will be.
func (r *run) act(c *call, g *group, a *attempt) {
	if !g.Workload.Acts {
		return
	}
	x, bit := r.extra(c), uint64(1)<<a.Target
	acts, acted := &x.acts, &x.acted
	if g.overlaps() {
		m := r.message(c)
		acts, acted = &m.record.Acts, &m.acted
	}
	if !g.Client.IdempotencyKey || *acted&bit == 0 {
		*acts++
	}
	*acted |= bit
}

// waste books an attempt that was for nothing.
func (r *run) waste(c *call, a *attempt, cause cost.Cause) {
	a.Waste, a.Cause = true, cause
	if a.Bill > 0 {
		r.extra(c).waste[cause] += a.Bill
	}
}

// causeOf is why the bill of an attempt without an answer was wasted.
func causeOf(timer policy.Timer, failure wire.Failure) cost.Cause {
	switch {
	case timer == policy.PatienceTimer:
		return cost.ByAbandoned
	case failure == wire.Lost:
		return cost.ByHedge
	case failure == wire.Timeout:
		return cost.ByTimeout
	}
	return cost.ByError
}

// learn lets the instance learn from the end of an attempt. What ends because the
// caller left, or because another attempt was faster, shows nothing of the provider.
func (r *run) learn(g *group, c *call, a *attempt) {
	m := g.instance(c)
	if !m.Learns() {
		return
	}
	before := g.adapted(m)
	m.Done(a.Ended, &policy.Ended{
		Target: uint8(a.Target), Role: a.role, Generation: a.generation, InFlight: int(a.gated), Cost: float64(a.cost),
		Began: a.began, Sent: a.Sent, Reply: &a.Reply,
		Took: a.took, Used: policy.Usage{Prompt: a.Usage.Prompt, Output: a.Usage.Output},
		Cancelled: a.Cut == policy.PatienceTimer || a.Cut == policy.EndOfRun || a.Cut == policy.HedgeTimer,
	})
	r.tell(g, c.instance, before)
	r.unblock(m, uint8(a.Target))
	r.pace(g, c.instance)
}

// decide asks the policy, unless the end of the call is already known or other
// attempts of it are in flight.
func (r *run) decide(g *group, c *call, a *attempt) (policy.Decision, int) {
	switch a.Cut {
	case policy.PatienceTimer, policy.EndOfRun, policy.HedgeTimer: // not for the policy to decide
		return policy.Decision{}, 0
	}
	class := a.Class()
	if class != wire.OK && c.flight > 0 {
		a.Decision = policy.Decision{Outcome: policy.OthersDecide}
		return a.Decision, 0
	}
	from := 0
	if a.Cut == policy.CallTimer {
		if from = int(a.layer); from == 0 { // the client's own limit of the call
			from = 1
		}
	}
	f := policy.Facts{
		Now: a.Ended, Start: c.start, Until: r.until(g, c), Attempt: int(c.tries), LastWait: c.lastWait,
		Reply: &a.Reply, Began: a.First >= 0, U: g.jitter.Uniform(c.id, uint64(a.Number)),
	}
	var layer int
	if a.Cut == policy.CallTimer && from > len(g.Client.Outer) {
		a.Decision = policy.Decision{Outcome: policy.GaveUpDeadline}
	} else {
		a.Decision, layer = g.kind(c).client.Decide(&f, r.tries(c), from)
	}
	if a.Decision.Again && layer == 0 && g.instance(c).RetriesAtOnce(a.Ended, uint8(a.Target)) {
		a.Decision.Wait, a.Decision.Hinted = 0, false
	}
	r.grant(g, c, &a.Decision, &a.Reply)
	if a.First >= 0 && g.Workload.Stream && a.Decision.Again && class != wire.OK {
		a.Shown = r.backends[a.backend].Shown(a.flight, a.Ended)
		if g.Client.Layer(layer).Broken == policy.Replay {
			r.extra(c).repeated += int64(a.Shown)
		}
	}
	return a.Decision, layer
}

// grant asks the instance for the retry that a layer wants.
func (r *run) grant(g *group, c *call, d *policy.Decision, reply *wire.Reply) {
	if !d.Again {
		return
	}
	paid, ok := g.instance(c).GrantRetry(r.loop.Now(), reply)
	if c.granted = ok; !ok {
		*d = policy.Decision{Outcome: policy.GaveUpBudget}
	} else if paid > 0 {
		r.extra(c).cost = float32(paid)
	}
}
