package fleet

import (
	"stampede/policy"
	"stampede/sim"
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
	if c.granted {
		req.Role = policy.Retried
	}
	if g.Client.Pacer.On() {
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
	expiry, layer := r.expiry(c)
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
	c.paced = req.Paced
	switch a.Action {
	case policy.Go:
		c.target = req.Target
		r.send(c, a.Generation, false, expiry, layer)
	case policy.Wait:
		r.hold(c, waitFor[a.By], expiry, layer)
		c.timer = r.loop.Timer(now+a.Wait, event(admits, c.self))
	case policy.Queue:
		r.queue(c, queueAt[a.By], req.Caller.Ticket)
		r.hold(c, waitFor[a.By], expiry, layer)
	case policy.Refuse, policy.PassOn:
		if a.By == policy.ByThrottle {
			r.unblock(m, req.Target) // the breaker had let it through
		}
		switch {
		case a.By == policy.ByExpiry && r.leaves(c) <= now:
			r.releasePlace(c)
			r.end(c, policy.Abandoned)
		case a.By == policy.ByExpiry:
			c.layer = uint8(layer)
			r.lapse(c)
		case a.Action == policy.PassOn:
			r.releasePlace(c)
			r.giveUp(c, a.Outcome())
		default:
			r.releasePlace(c)
			r.end(c, a.Outcome())
		}
	}
}

var (
	waitFor = [...]Wait{
		policy.ByGate: GateWait, policy.ByPacer: PacerWait, policy.ByRoute: BreakerWait, policy.ByBreaker: BreakerWait,
	}
	queueAt = [...]place{policy.ByGate: atGate, policy.ByBreaker: atBreaker}
)

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

// unblock lets the calls that waited for the end of a probe ask again.
func (r *run) unblock(m *policy.Instance, target uint8) {
	for w, ok := m.NextBlocked(target); ok; w, ok = m.NextBlocked(target) {
		if r.turnOf(w) {
			r.calls.At(w.ID).timer = r.loop.Timer(r.loop.Now(), event(admits, w.ID))
		}
	}
}
