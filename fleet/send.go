package fleet

import (
	"stampede/backend"
	"stampede/policy"
	"stampede/provider"
	"stampede/sim"
	"stampede/wire"
)

// attempt is one in flight: its record, filled as things happen, and what its client has to do
// with it. What the provider has to do with it is under its number at the backend.
type attempt struct {
	Attempt
	self       uint32 // its number here
	call       uint32
	next       uint32          // of the same call, in flight and sent before
	flight     *backend.Flight // its request
	generation uint32          // of the breaker that let it through
	backend    uint8
	layer      uint8 // whose timeout the call timer is
	role       policy.Role
	heard      bool // its reply is there, and waits for its process
	timerKind  policy.Timer
	timer      sim.Timer // at until, where the reply may come after it
	until      sim.Time
	began      sim.Time // when its try began, and it or the attempt that it hedges was sent
	gated      int32    // places taken at its gate when it was sent
	cost       float32  // that it was paid with, as a retry
	took       float64  // tokens at the pacer, which settles them
}

// send starts an attempt and its timers, with that of the layer that expires first. A hedge is
// one beside another that is under way.
func (r *run) send(c *call, generation uint32, hedge bool, expiry sim.Time, layer int) {
	g := r.group(c)
	m := g.instance(c)
	now := r.loop.Now()
	aid, a := r.attempts.Alloc()
	if c.attempts++; g.overlaps() {
		m := r.message(c)
		m.record.Attempts++
		c.attempts = m.record.Attempts
	}
	*a = attempt{}
	a.Call, a.Fleet, a.Number, a.Delivery = c.id, int(c.fleet), int(c.attempts), int(c.delivery)
	a.Instance, a.Target, a.Hedge, a.Arrived, a.Sent = int(c.instance), int(c.target), hedge, c.arrived, now
	a.self, a.call, a.next, a.backend = aid, c.self, c.flight, g.providers[c.target]
	a.generation, a.began = generation, now
	switch {
	case hedge:
		c.hedges++
		a.role, a.began = policy.Hedged, r.attempts.At(c.flight).began
	case c.granted:
		a.role = policy.Retried
		a.cost = r.spend(c)
	}
	if !hedge {
		c.tries++
		c.hedges, c.granted, c.paced = 0, false, false
	}
	c.flight = aid
	if g.Client.Pacer.Tokens.Settle {
		x := r.extra(c)
		a.took, x.took = x.took, 0
	}
	a.gated = int32(m.Sent(now, a.role))
	if m.Routes(c.target) {
		takes := need(c)
		m.SentTo(now, c.target, &takes)
	}
	b := r.backends[a.backend]
	a.flight = r.request(b, c, a, g)
	if g.free == nil {
		r.startTimer(c, g, a, b.Send(a.flight), expiry, layer)
	} else {
		b.SendAt(a.flight, g.pass(c.instance, now))
	}
	if after, ok := m.HedgeDelay(); ok && int(c.hedges) < g.Client.Hedge.MaxAttempts() {
		r.extra(c).hedge = r.loop.Timer(now+after, event(hedges, c.self))
	}
}

// startTimer chooses the timer before the first byte of an attempt, and starts it where it may
// fire before the provider has looked at the request.
func (r *run) startTimer(c *call, g *group, a *attempt, reach provider.Reachability, expiry sim.Time, layer int) {
	now := r.loop.Now()
	written := c.size.Prompt <= policy.SendBuffer || reach != provider.Unreachable
	timer, span := g.kind(c).client.Timeouts.BeforeFirstByte(int(c.tries), reach.Connects(), written)
	if layer >= 0 && (timer == policy.NoTimer || expiry < now+span) {
		timer, span, a.layer = policy.CallTimer, max(0, expiry-now), uint8(layer)
	}
	if a.timerKind = timer; timer == policy.NoTimer {
		return
	}
	a.until = now + span
	if reach != provider.Reachable || span <= r.backends[a.backend].RoundTrip()/2 {
		a.timer = r.loop.Timer(a.until, event(cut, a.self))
	}
}

// request fills in the request of an attempt.
func (r *run) request(b *backend.Backend, c *call, a *attempt, g *group) *backend.Flight {
	req := b.New(&a.Result)
	req.Call, req.Tenant, req.Attempt = c.provided(), int(c.fleet), int(c.attempts)
	req.Prompt, req.Cached, req.MaxTokens = int(c.size.Prompt), int(c.size.Cached), int(c.size.MaxTokens)
	req.Output, req.Reasoning = c.size.Output, c.size.Reasoning
	req.Owner, req.Terms, req.Warm, req.Entry = a.self, &g.kind(c).terms[c.target], c.arrived, g.entry
	if g.Workload.Cache.Scope == OfSession {
		req.Entry = r.sessions.At(r.extra(c).session).entry(g)
		req.Cached = int(g.Workload.Cache.Writable(c.size)) // of which it writes what it does not read
	}
	if g.Client.IdempotencyKey {
		req.Key = c.key()
	}
	return req
}

// hedge sends a second attempt beside the first, when a place at the gate is free, the
// pacer lets it go at once, and breaker and throttle let it through.
func (r *run) hedge(c *call) {
	g := r.group(c)
	m := g.instance(c)
	now := r.loop.Now()
	if c.flight == 0 {
		return
	}
	for aid := c.flight; aid > 0; aid = r.attempts.At(aid).next {
		r.backends[r.attempts.At(aid).backend].CatchUp()
	}
	if _, there := r.due(c); there || r.leaves(c) <= now || r.late(g, c) {
		return
	}
	var req policy.Request
	r.ask(c, g, &req)
	req.Role = policy.Hedged
	req.Placed = false // each attempt has a place of its own
	a := m.AdmitHedge(now, &req)
	if a.By == policy.ByThrottle && a.Action != policy.Go {
		r.unblock(m, req.Target) // the breaker had let it through
	}
	if a.Action != policy.Go {
		return
	}
	if req.Placed {
		c.places++
	}
	c.target = req.Target
	if g.Client.Pacer.Tokens.Settle {
		r.extra(c).took = req.Need[wire.TokenQuota]
	}
	expiry, layer := r.expiry(g, c)
	r.send(c, a.Generation, true, expiry, layer)
}

// due reports whether the reply to an attempt of a call is there at this instant, and when it is
// handled.
func (r *run) due(c *call) (handled sim.Time, there bool) {
	now := r.loop.Now()
	for aid := c.flight; aid > 0; {
		a := r.attempts.At(aid)
		if a.heard {
			return a.until, true
		}
		if reply, _ := r.backends[a.backend].Due(a.flight); reply == now {
			return now, true
		}
		aid = a.next
	}
	return 0, false
}

// cancelHedge calls off the hedge to come.
func (r *run) cancelHedge(c *call) {
	if c.extra > 0 {
		x := r.extras.At(c.extra)
		r.loop.Cancel(x.hedge)
		x.hedge = sim.Timer{}
	}
}
