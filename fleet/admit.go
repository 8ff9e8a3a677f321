package fleet

import (
	"time"

	"stampede/backend"
	"stampede/policy"
	"stampede/sim"
	"stampede/wire"
)

// instance is the one that works on a call.
func (g *group) instance(c *call) *policy.Instance { return g.instances.At(c.instance) }

// need is what an attempt of the call takes, as far as its client knows.
func need(c *call) policy.Need {
	prompt, declared := float64(c.size.Prompt), float64(c.size.MaxTokens)
	return policy.Need{1, prompt + declared, prompt, declared}
}

// ask writes what a call asks its instance for.
func (r *run) ask(c *call, g *group, req *policy.Request) {
	r.tickets++
	req.Caller = waiter{ID: c.self, Ticket: r.tickets}
	req.Target, req.Placed, req.Paced = c.target, c.places > 0, c.paced
	req.Rank = g.kind(c).rank
	if c.place == connected {
		req.Connected, c.place = true, onTheWay
	}
	if c.granted {
		req.Role = policy.Retried
	}
	if g.instance(c).Paces() {
		req.Need = need(c)
	}
	if g.instance(c).Routes(c.target) {
		req.RouteU = g.routing.Uniform(c.id, uint64(c.attempts))
	}
	if g.Client.Throttle.On() {
		req.U = g.shedding.Uniform(c.id, uint64(c.attempts))
	}
}

// admit asks the instance of a call for its next attempt, and does what it answers.
func (r *run) admit(c *call) {
	g := r.group(c)
	m := g.instance(c)
	now := r.loop.Now()
	expiry, layer := r.expiry(g, c)
	expired := r.leaves(c) <= now || layer >= 0 && expiry <= now
	if m.Stateless() && !expired {
		r.send(c, 0, false, expiry, layer)
		return
	}
	var req policy.Request
	r.ask(c, g, &req)
	req.Expired = expired
	a := m.Admit(now, &req)
	if req.Placed && c.places == 0 {
		c.places++
	}
	if req.Paced && !c.paced && g.Client.Pacer.Tokens.Settle {
		r.extra(c).took = req.Need[wire.TokenQuota]
	}
	c.paced = req.Paced
	if req.Connected && a.Action != policy.Go {
		r.disconnect(g, c.instance)
	}
	switch a.Action {
	case policy.Go:
		c.target = req.Target
		r.send(c, a.Generation, false, expiry, layer)
	case policy.Wait:
		switch again := now + a.Wait; {
		case again < expiry:
			layer = -1 // it asks again before it expires
		case layer > len(g.Client.Outer): // the deadline, which it knows
			c.layer = uint8(layer)
			r.lapse(c)
			return
		}
		r.hold(c, waitFor[a.By], expiry, layer)
		c.timer = r.loop.Timer(now+a.Wait, event(admits, c.self))
	case policy.Queue:
		r.queue(c, queueAt[a.By], req.Caller.Ticket)
		if wait := longestWait(g.kind(c).client, a.By); wait > 0 && wait < expiry-now {
			r.wait(c, waitFor[a.By])
			r.extra(c).expiry = r.loop.Timer(now+wait, event(tires, c.self))
		} else {
			r.hold(c, waitFor[a.By], expiry, layer)
		}
		if a.By == policy.ByPacer {
			r.pace(g, c.instance)
		}
	case policy.Refuse, policy.PassOn:
		if a.By == policy.ByThrottle {
			r.unblock(m, req.Target) // the breaker had let it through
		}
		switch {
		case a.By == policy.ByExpiry && r.leaves(c) <= now:
			r.end(c, policy.Abandoned)
		case a.By == policy.ByExpiry:
			c.layer = uint8(layer)
			r.lapse(c)
		case a.Action == policy.PassOn:
			r.leaveGate(g, c)
			r.giveUp(c, a.Outcome())
		default:
			r.end(c, a.Outcome())
		}
	}
}

var (
	waitFor = [...]Wait{
		policy.ByGate: GateWait, policy.ByPacer: PacerWait, policy.ByPool: PoolWait, policy.ByRoute: BreakerWait,
		policy.ByBreaker: BreakerWait,
	}
	queueAt = [...]place{
		policy.ByGate: atGate, policy.ByPacer: atPacer, policy.ByPool: atPool, policy.ByBreaker: atBreaker,
	}
)

// longestWait is that in a queue; 0 means no bound.
func longestWait(c *policy.Client, at policy.Stage) time.Duration {
	switch at {
	case policy.ByGate:
		return c.Gate.Wait
	case policy.ByPacer:
		return c.Pacer.Wait
	case policy.ByPool:
		return c.Timeouts.Pool
	}
	return 0
}

// hold starts a wait before an attempt is sent, which the call's timeouts may cut short: that of
// the given layer at that instant.
func (r *run) hold(c *call, kind Wait, expiry sim.Time, layer int) {
	r.wait(c, kind)
	if layer >= 0 {
		c.layer = uint8(layer)
		r.extra(c).expiry = r.loop.Timer(max(expiry, r.loop.Now()), event(expires, c.self))
	}
}

// resume is the end of such a wait.
func (r *run) resume(c *call) {
	r.waited(c)
	if c.extra > 0 {
		x := r.extras.At(c.extra)
		r.loop.Cancel(x.expiry)
		x.expiry = sim.Timer{}
	}
}

// tired is the end of the longest wait in a queue. A turn that came at this very instant is taken.
func (r *run) tired(c *call) {
	g := r.group(c)
	if c.place == atPacer {
		r.pace(g, c.instance)
	}
	if c.place == onTheWay || c.place == connected {
		return
	}
	retries := c.place == atPool || c.place == atGate && g.Client.Gate.Retriable
	r.resume(c)
	r.unqueue(c)
	r.releaseRetry(c)
	if !retries {
		r.end(c, policy.Shed)
		return
	}
	r.leaveGate(g, c)
	c.tries++
	now := r.loop.Now()
	f := policy.Facts{
		Now: now, Start: c.start, Until: r.until(g, c), Attempt: int(c.tries), LastWait: c.lastWait,
		Reply: &wire.Reply{Failure: wire.Timeout},
		U:     g.jitter.Uniform(c.id, 1<<63|uint64(now)), // a call waits no two times until one instant
	}
	d, layer := g.kind(c).client.Decide(&f, r.tries(c), 0)
	r.grant(g, c, &d, f.Reply)
	r.follow(c, d, layer)
}

// leaveGate frees the place of an attempt that has ended or will not be sent, unless its call holds it:
// one of those that it has, where it has several for hedges.
func (r *run) leaveGate(g *group, c *call) {
	if c.places > 1 || c.places > 0 && g.Client.Gate.Held == policy.ByAttempt {
		r.releasePlace(c)
	}
}

// releasePlace frees a call's place at the gate, and lets those who waited for it ask again.
func (r *run) releasePlace(c *call) {
	if c.places == 0 {
		return
	}
	c.places--
	m := r.group(c).instance(c)
	m.Release()
	for w, ok := m.NextAtGate(); ok; w, ok = m.NextAtGate() {
		if !r.turnOf(w) {
			m.SkipCancelled()
			continue
		}
		next := r.calls.At(w.ID)
		next.places++
		next.timer = r.loop.Timer(r.loop.Now(), event(admits, w.ID))
	}
}

// disconnect frees a connection of an instance, and lets the one who waited longest for it ask again.
func (r *run) disconnect(g *group, instance int32) {
	m := g.instances.At(instance)
	m.Disconnect()
	for w, ok := m.NextAtPool(); ok; w, ok = m.NextAtPool() {
		if !r.turnOf(w) {
			m.SkipAtPool()
			continue
		}
		next := r.calls.At(w.ID)
		next.place = connected
		next.timer = r.loop.Timer(r.loop.Now(), event(admits, w.ID))
	}
}

// pace lets those in line at a pacer go for whom there is room, and looks again when there is for the next.
func (r *run) pace(g *group, instance int32) {
	if len(g.paces) == 0 {
		return
	}
	now := r.loop.Now()
	m, timer := g.instances.At(instance), g.pacing(instance)
	r.loop.Cancel(*timer)
	*timer = sim.Timer{}
	for w, wait, ok := m.FirstAtPacer(now); ok; w, wait, ok = m.FirstAtPacer(now) {
		c := r.calls.At(w.ID)
		switch {
		case c.place != atPacer || r.extra(c).ticket != w.Ticket:
			m.SkipAtPacer()
		case wait > 0:
			*timer = r.loop.Timer(now+wait, backend.Event{Kind: paces, Of: uint16(g.index), ID: uint32(instance)})
			return
		default:
			c.place, c.paced = onTheWay, true
			if took := m.NextAtPacer(); g.Client.Pacer.Tokens.Settle {
				r.extra(c).took = took
			}
			c.timer = r.loop.Timer(now, event(admits, w.ID))
		}
	}
}

// unblock lets the calls that waited for the end of a probe ask again.
func (r *run) unblock(m *policy.Instance, target uint8) {
	for w, ok := m.NextBlocked(target); ok; w, ok = m.NextBlocked(target) {
		if r.turnOf(w) {
			r.calls.At(w.ID).timer = r.loop.Timer(r.loop.Now(), event(admits, w.ID))
		}
	}
}
