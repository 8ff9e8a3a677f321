package fleet

import (
	"stampede/policy"
	"stampede/provider"
	"stampede/sim"
	"stampede/wire"
)

// send starts an attempt and its timers, with that of the layer that expires first. A hedge is
// one beside another that is under way.
func (r *run) send(id uint32, generation uint32, hedge bool, expiry sim.Time, layer int) {
	c := r.calls.at(id)
	g := r.group(c)
	m := g.instance(c)
	now := r.loop.Now()
	if c.hedges++; !hedge {
		c.tries++
		c.hedges, c.tried = 0, now
	}
	c.record.Attempts++
	aid, a := r.attempts.alloc()
	c.flights[c.flying] = aid
	c.flying++
	role := policy.FirstTry
	switch {
	case hedge:
		role = policy.Hedged
	case c.granted:
		role = policy.Retried
	}
	size := &c.record.Size
	to := g.target(c.target)
	timeouts := &g.Client.Timeouts
	*a = attempt{
		call: id, number: c.record.Attempts, sent: now, received: -1, first: sim.Never, last: sim.Never,
		replyAt: sim.Never,
		backend: uint8(to.Provider), limit: provider.NoLimit, target: c.target, generation: generation, role: role,
		request: provider.Request{
			Call:      c.record.ID | uint64(c.record.Fleet)<<tenantBits,
			Tenant:    int(c.record.Fleet),
			Attempt:   int(c.record.Attempts),
			Prompt:    int(size.Prompt),
			MaxTokens: int(size.MaxTokens),
		},
	}
	if !hedge {
		a.cost, c.cost, c.granted, c.paced = c.cost, 0, false, false
	}
	a.gated = int32(m.Sent(now, role))
	p := &r.backends[to.Provider]
	reach := p.Reach(now, &a.request)
	if connect := timeouts.Connect; connect > 0 && 2*p.hop > connect {
		reach = provider.Unreachable // a handshake, one round trip, would take too long
	}
	switch reach {
	case provider.Reachable:
		r.loop.At(now+p.hop, event{kind: arrives, id: aid})
	case provider.RefusedConn:
		r.refuse(aid, &wire.Reply{Failure: wire.Connection}, 2*p.hop)
	case provider.Unreachable:
		a.state = hung
	}
	timer, span := timeouts.BeforeFirstByte(int(c.tries), reach != provider.Unreachable)
	if layer >= 0 && (timer == policy.NoTimer || expiry < now+span) {
		timer, span, a.layer = policy.CallTimer, max(0, expiry-now), uint8(layer)
	}
	if timer != policy.NoTimer {
		a.timerKind = timer
		a.timer = r.loop.Timer(now+span, event{kind: cut, id: aid})
	}
	if int(c.hedges) < g.Client.Hedge.MaxAttempts() {
		if after, ok := m.HedgeDelay(); ok {
			c.hedge = r.loop.Timer(now+after, event{kind: hedges, id: id})
		}
	}
}

// hedge sends a second attempt beside the first, when a place at the gate is free, the
// pacer lets it go at once, and breaker and throttle let it through.
func (r *run) hedge(id uint32) {
	c := r.calls.at(id)
	g := r.group(c)
	m := g.instance(c)
	now := r.loop.Now()
	r.marked(&r.backends[g.target(c.target).Provider])
	if c.flying == 0 || int(c.flying) == len(c.flights) || c.leaves <= now {
		return
	}
	for _, aid := range c.flights[:c.flying] {
		if r.attempts.at(aid).replyAt == now {
			return // the reply is there
		}
	}
	req := r.request(id)
	req.Placed = false // each attempt has a place of its own
	a := m.AdmitHedge(now, &req)
	if a.By == policy.ByThrottle && a.Action != policy.Go {
		r.unblock(m, c.target) // the breaker had let it through
	}
	if a.Action != policy.Go {
		return
	}
	if req.Placed {
		c.places++
	}
	expiry, layer := r.expiry(id)
	r.send(id, a.Generation, true, expiry, layer)
}
