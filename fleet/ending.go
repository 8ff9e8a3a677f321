package fleet

import (
	"stampede/policy"
	"stampede/sim"
	"stampede/wire"
)

// follow does what the policy decided: the layer of that number tries again.
func (r *run) follow(id uint32, d policy.Decision, layer int) {
	c := r.calls.at(id)
	if d.Outcome == policy.OthersDecide {
		return
	}
	if c.hedge != (sim.Timer{}) {
		r.loop.Cancel(c.hedge)
		c.hedge = sim.Timer{}
	}
	if !d.Again {
		if d.Outcome == policy.Answered {
			r.dropAll(c, policy.HedgeTimer)
			r.end(id, policy.Answered)
		} else {
			r.giveUp(id, d.Outcome)
		}
		return
	}
	c.layer = uint8(layer)
	r.wait(c, BackoffWait)
	if d.Hinted {
		c.waits = RetryAfterWait
	} else if layer == 0 {
		c.lastWait = d.Wait
	} else {
		r.tries(id)[layer-1].LastWait = d.Wait
	}
	at := r.loop.Now() + d.Wait
	if end, expired := r.expiryBeyond(id, layer); expired >= 0 && end <= at {
		c.layer = uint8(expired)
		c.timer = r.loop.Timer(max(end, r.loop.Now()), event{kind: expires, id: id})
		return
	}
	c.timer = r.loop.Timer(at, event{kind: ready, id: id})
}

// expiry is when the first of a call's layers gives up, and its number: 0 for the
// client's own timeout of the call, -1 when none does.
func (r *run) expiry(id uint32) (at sim.Time, layer int) { return r.expiryBeyond(id, 0) }

// expiryBeyond is the same when a layer waits between its own tries: its own timeout, of each
// of them, does not run then.
func (r *run) expiryBeyond(id uint32, waits int) (at sim.Time, layer int) {
	c := r.calls.at(id)
	client := &r.group(c).Client
	at, layer = sim.Never, -1
	if whole := client.Timeouts.Call; whole > 0 && waits == 0 {
		at, layer = c.start+whole, 0
	}
	for i, l := range client.Outer {
		if end := r.tries(id)[i].Since + l.Timeout; i+1 > waits && l.Timeout > 0 && end < at {
			at, layer = end, i+1
		}
	}
	return at, layer
}

// resumed is the end of a wait: the layer that waited begins its next try, and
// those inside it begin anew.
func (r *run) resumed(id uint32) {
	r.waited(id)
	c := r.calls.at(id)
	now := r.loop.Now()
	if c.layer > 0 {
		tries := r.tries(id)
		tries[c.layer-1].Made++
		tries[c.layer-1].Since = now
		r.renew(id, int(c.layer)-1, now)
	}
	r.admit(id)
}

// renew begins the innermost layers anew, so many outer ones among them.
func (r *run) renew(id uint32, outer int, now sim.Time) {
	c := r.calls.at(id)
	c.start, c.tries, c.lastWait = now, 0, 0
	for i := range r.tries(id)[:outer] {
		r.tries(id)[i] = policy.Tries{Made: 1, Start: now, Since: now}
	}
}

// expired is the end of a timeout while the call waits, wherever that is.
func (r *run) expired(id uint32) {
	r.resume(id)
	c := r.calls.at(id)
	r.loop.Cancel(c.timer)
	r.unqueue(c)
	r.lapse(id)
}

// lapse is the end of a timeout while no attempt is under way: the layers outside it decide.
func (r *run) lapse(id uint32) {
	c := r.calls.at(id)
	g := r.group(c)
	r.releasePlace(c)
	r.releaseRetry(c)
	layer := max(1, int(c.layer))
	if layer > len(g.Client.Outer) {
		r.giveUp(id, policy.GaveUpDeadline)
		return
	}
	f := policy.Facts{
		Now:   r.loop.Now(),
		Reply: &wire.Reply{Failure: wire.Timeout},
		U:     g.jitter.Uniform(c.record.ID, uint64(c.record.Attempts)<<8|uint64(layer)),
	}
	d, layer := g.Client.Decide(&f, r.tries(id), layer)
	r.grant(c, &d, f.Reply)
	r.follow(id, d, layer)
}

// releaseRetry gives back a retry that was allowed and will not be sent.
func (r *run) releaseRetry(c *call) {
	if c.granted {
		r.group(c).instance(c).ReleaseRetry()
		c.granted, c.cost = false, 0
	}
	c.paced = false
}

// giveUp ends a call at its target: it goes on to the next one, or ends. A stream that broke
// before its reader's eyes does not go on.
func (r *run) giveUp(id uint32, outcome policy.Outcome) {
	c := r.calls.at(id)
	g := r.group(c)
	r.releaseRetry(c)
	if g.Client.Fallback.On && outcome != policy.StreamBroken {
		now := r.loop.Now()
		m := g.instance(c)
		m.CoolDown(now, c.target)
		if next, ok := m.Available(now, int(c.target)+1); ok {
			c.target = next
			r.renew(id, len(g.Client.Outer), now)
			c.timer = r.loop.Timer(now, event{kind: onward, id: id})
			r.wait(c, BackoffWait)
			return
		}
	}
	r.end(id, outcome)
}

// leave is the end of a caller's patience, wherever the call is.
func (r *run) leave(id uint32) {
	c := r.calls.at(id)
	if c.flying > 0 {
		for i := range r.backends {
			r.marked(&r.backends[i]) // what happens at this instant happens first
		}
		for _, aid := range c.flights[:c.flying] {
			if r.attempts.at(aid).replyAt == r.loop.Now() { // if it is no answer, then the caller leaves
				c.patience = r.loop.Timer(r.loop.Now(), event{kind: leave, id: id})
				return
			}
		}
		r.loop.Cancel(c.hedge)
		r.dropAll(c, policy.PatienceTimer)
	} else {
		r.resume(id)
		r.loop.Cancel(c.timer)
		r.unqueue(c)
		r.releasePlace(c)
	}
	r.end(id, policy.Abandoned)
}

// end closes a call, or gives it back to the queue, and frees its worker.
func (r *run) end(id uint32, outcome policy.Outcome) {
	c := r.calls.at(id)
	now := r.loop.Now()
	g, worker, held := r.group(c), c.worker, c.held
	c.held = false
	r.releaseRetry(c)
	if outcome != policy.Answered && outcome != policy.Abandoned &&
		g.Workload.Redelivery.again(c.record.Deliveries) && (r.Horizon == 0 || now < r.Horizon) {
		r.wait(c, RedeliveryWait)
		again := now + g.Workload.Redelivery.After
		if v := g.Workload.Redelivery.Visible; v > 0 {
			again = max(now, c.delivered+v)
		}
		c.timer = r.loop.Timer(again, event{kind: redeliver, id: id})
	} else {
		r.loop.Cancel(c.patience)
		c.record.Ended, c.record.Outcome = now, outcome
		r.accounting.closeCall(&c.record)
		r.calls.free(id)
	}
	if held {
		r.release(g, worker)
	}
}

// close ends what is left when nothing more can happen: calls that wait behind
// others that hang forever, then those others.
func (r *run) close() {
	if r.loop.Err() != nil || r.accounting.err != nil {
		return
	}
	for _, hanging := range []bool{false, true} {
		for id := uint32(1); id <= r.calls.used; id++ {
			c := r.calls.at(id)
			if !c.live || (c.flying != 0) != hanging {
				continue
			}
			if hanging {
				for _, aid := range c.flights[:c.flying] {
					if a := r.attempts.at(aid); a.state == waiting && !a.left {
						r.leaveQueue(a)
					}
				}
				r.dropAll(c, policy.EndOfRun)
			} else {
				r.resume(id)
				r.unqueue(c)
				r.releaseRetry(c)
				for ; c.places > 0; c.places-- {
					r.group(c).instance(c).Release() // and no other call gets it
				}
			}
			c.live = false
			c.record.Ended, c.record.Outcome = r.loop.Now(), policy.Unfinished
			r.accounting.closeCall(&c.record)
		}
	}
}
