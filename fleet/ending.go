package fleet

import (
	"stampede/backend"
	"stampede/policy"
	"stampede/sim"
	"stampede/wire"
)

// follow does what the policy decided: the layer of that number tries again.
func (r *run) follow(c *call, d policy.Decision, layer int) {
	if d.Outcome == policy.OthersDecide {
		return
	}
	r.cancelHedge(c)
	if !d.Again {
		if d.Outcome == policy.Answered {
			r.dropAll(c, policy.HedgeTimer)
			r.end(c, policy.Answered)
		} else {
			r.giveUp(c, d.Outcome)
		}
		return
	}
	c.layer = uint8(layer)
	switch {
	case d.Hinted:
		r.wait(c, RetryAfterWait)
	case layer == 0:
		r.wait(c, BackoffWait)
		c.lastWait = d.Wait
	default:
		r.wait(c, BackoffWait)
		r.tries(c)[layer-1].LastWait = d.Wait
	}
	at := r.loop.Now() + d.Wait
	if end, expired := r.expiryBeyond(r.group(c), c, layer); expired >= 0 && end <= at {
		c.layer = uint8(expired)
		c.timer = r.loop.Timer(max(end, r.loop.Now()), event(expires, c.self))
		return
	}
	r.rest(c, at, event(ready, c.self))
}

// rest schedules the end of a wait that nothing cuts short but the patience of the caller.
func (r *run) rest(c *call, until sim.Time, end backend.Event) {
	if c.leaves {
		c.timer = r.loop.Timer(until, end)
	} else {
		r.loop.At(until, end)
	}
}

// expiry is when the first of a call's layers gives up, and its number: 0 for the
// client's own timeout of the call, one more than there are for its deadline, -1 when none does.
// It is the same until tries begin anew, so a call that waits in queues keeps it.
func (r *run) expiry(g *group, c *call) (at sim.Time, layer int) {
	if !g.expires || c.extra == 0 {
		return r.expiryBeyond(g, c, 0)
	}
	x := r.extras.At(c.extra)
	if x.expires == 0 {
		at, layer = r.expiryBeyond(g, c, 0)
		x.expires, x.expiring = at, int16(layer)
	}
	return x.expires, int(x.expiring)
}

// expiryBeyond is the same when a layer waits between its own tries: its own timeout, of each
// of them, does not run then.
func (r *run) expiryBeyond(g *group, c *call, waits int) (at sim.Time, layer int) {
	if !g.expires {
		return sim.Never, -1
	}
	at, layer = r.firstExpiry(g.kind(c).client, c, waits)
	if until := r.until(g, c); until > 0 && until <= at {
		return until, 1 + len(g.Client.Outer)
	}
	return at, layer
}

// until is the deadline of a call; 0 for none.
func (r *run) until(g *group, c *call) sim.Time {
	d := g.Client.Deadline
	switch {
	case d.After == 0:
		return 0
	case d.From == policy.FromArrival:
		return sim.Plus(c.arrived, d.After)
	case g.overlaps():
		return sim.Plus(r.message(c).record.Began, d.After)
	case c.extra > 0:
		return sim.Plus(c.arrived, r.extras.At(c.extra).backlog+d.After)
	}
	return sim.Plus(c.arrived, d.After)
}

// late reports whether the deadline of a call has passed.
func (r *run) late(g *group, c *call) bool {
	until := r.until(g, c)
	return until > 0 && until <= r.loop.Now()
}

func (r *run) firstExpiry(client *policy.Client, c *call, waits int) (at sim.Time, layer int) {
	at, layer = sim.Never, -1
	if whole := client.Timeouts.Call; whole > 0 && waits == 0 {
		at, layer = c.start+whole, 0
	}
	tries := r.tries(c)
	for i := waits; i < len(tries); i++ {
		timeout := client.Outer[i].Timeout
		if end := tries[i].Since + timeout; timeout > 0 && end < at {
			at, layer = end, i+1
		}
	}
	return at, layer
}

// resumed is the end of a wait: the layer that waited begins its next try, and
// those inside it begin anew.
func (r *run) resumed(c *call) {
	r.waited(c)
	now := r.loop.Now()
	if c.layer > 0 {
		tries := r.tries(c)
		tries[c.layer-1].Made++
		tries[c.layer-1].Since = now
		r.renew(c, int(c.layer)-1, now)
	}
	r.admit(c)
}

// renew begins the innermost layers anew, so many outer ones among them.
func (r *run) renew(c *call, outer int, now sim.Time) {
	c.start, c.tries, c.lastWait = now, 0, 0
	if c.extra > 0 {
		r.extras.At(c.extra).expires = 0
	}
	tries := r.tries(c)
	for i := range tries[:outer] {
		tries[i] = policy.Tries{Made: 1, Start: now, Since: now}
	}
}

// expired is the end of a timeout while the call waits, wherever that is.
func (r *run) expired(c *call) {
	r.resume(c)
	r.loop.Cancel(c.timer)
	r.unqueue(c)
	r.lapse(c)
}

// lapse is the end of a timeout while no attempt is under way: the layers outside it decide.
func (r *run) lapse(c *call) {
	g := r.group(c)
	r.leaveGate(g, c)
	r.releaseRetry(c)
	layer := max(1, int(c.layer))
	if layer > len(g.Client.Outer) {
		r.giveUp(c, policy.GaveUpDeadline)
		return
	}
	f := policy.Facts{
		Now:   r.loop.Now(),
		Until: r.until(g, c),
		Reply: &wire.Reply{Failure: wire.Timeout},
		U:     g.jitter.Uniform(c.id, uint64(c.attempts)<<8|uint64(layer)),
	}
	d, layer := g.kind(c).client.Decide(&f, r.tries(c), layer)
	r.grant(g, c, &d, f.Reply)
	r.follow(c, d, layer)
}

// releaseRetry gives back a retry that was allowed and will not be sent.
func (r *run) releaseRetry(c *call) {
	if c.granted {
		r.group(c).instance(c).ReleaseRetry()
		c.granted = false
		r.spend(c)
	}
	if c.paced && r.group(c).Client.Pacer.Tokens.Settle {
		x := r.extra(c)
		r.group(c).instance(c).Unsent(r.loop.Now(), x.took)
		x.took = 0
	}
	c.paced = false
}

// giveUp ends a call at its target: it goes on to the next one, or ends. A stream that broke
// before its reader's eyes does not go on.
func (r *run) giveUp(c *call, outcome policy.Outcome) {
	g := r.group(c)
	r.releaseRetry(c)
	if g.Client.Fallback.On && outcome != policy.StreamBroken && !r.late(g, c) {
		now := r.loop.Now()
		m := g.instance(c)
		from := g.Routed() // the cooldowns of deployments are for the route
		if !m.Routes(c.target) {
			m.CoolDown(now, c.target)
			from = int(c.target) + 1
		}
		if next, ok := m.Available(now, from); ok {
			c.target = next
			r.renew(c, len(g.Client.Outer), now)
			r.wait(c, BackoffWait)
			r.rest(c, now, event(onward, c.self))
			return
		}
	}
	r.end(c, outcome)
}

// leave is the end of a caller's patience, wherever the call is.
func (r *run) leave(c *call) {
	if c.flight > 0 {
		for _, b := range r.backends {
			b.CatchUp()
		}
		if at, there := r.due(c); there { // if it is no answer, then the caller leaves
			r.extra(c).patience = r.loop.Timer(at, event(leave, c.self))
			return
		}
		r.cancelHedge(c)
		r.dropAll(c, policy.PatienceTimer)
	} else {
		r.resume(c)
		r.loop.Cancel(c.timer)
		r.unqueue(c)
	}
	r.end(c, policy.Abandoned)
}

// end closes a call, or gives it back to the queue, and frees its worker.
func (r *run) end(c *call, outcome policy.Outcome) {
	now := r.loop.Now()
	g, worker, held := r.group(c), c.worker, c.held
	c.held = false
	r.releaseRetry(c)
	r.releasePlace(c)
	if g.overlaps() {
		r.endDelivery(c, outcome)
	} else if outcome != policy.Answered && outcome != policy.Abandoned &&
		g.Workload.Redelivery.again(c.delivery) && !r.late(g, c) && (r.Horizon == 0 || now < r.Horizon) {
		r.wait(c, RedeliveryWait)
		again := now + g.Workload.Redelivery.After
		if v := g.Workload.Redelivery.Visible; v > 0 {
			again = max(now, r.extra(c).delivered+v)
		}
		r.rest(c, again, event(redeliver, c.self))
	} else {
		if c.leaves {
			r.loop.Cancel(r.extra(c).patience)
		}
		r.closeCall(c, outcome)
	}
	if held {
		g.lineOf(g.instanceOf(worker)).busy--
		r.moved(g)
		r.release(g, worker)
	}
}

// close ends what is left when nothing more can happen: calls that wait behind
// others that hang forever, then those others.
func (r *run) close() {
	if r.loop.Err() != nil || r.accounting.err != nil {
		return
	}
	for i := range r.groups {
		r.groups[i].crew = nil // nobody begins any more
	}
	for _, hanging := range []bool{false, true} {
		for id := uint32(1); id <= r.calls.Last(); id++ {
			c := r.calls.At(id)
			if c.self == 0 || (c.flight > 0) != hanging {
				continue
			}
			if hanging {
				for aid := c.flight; aid > 0; aid = r.attempts.At(aid).next {
					a := r.attempts.At(aid)
					r.backends[a.backend].Expel(a.flight)
				}
				r.dropAll(c, policy.EndOfRun)
			} else {
				r.resume(c)
				r.unqueue(c)
				r.releaseRetry(c)
			}
			for ; c.places > 0; c.places-- {
				r.group(c).instance(c).Release() // and no other call gets it
			}
			if r.group(c).overlaps() {
				r.endDelivery(c, policy.Unfinished)
			} else {
				r.closeCall(c, policy.Unfinished)
			}
		}
	}
}
