package fleet

import (
	"stampede/policy"
	"stampede/sim"
)

// client is what an instance remembers from call to call. Gate and pacer may be
// shared by all instances; what its policy does not use is nil.
type client struct {
	gate     *gate
	pacer    *policy.PacerState
	throttle *policy.ThrottleState
	budget   *policy.BudgetState
	hedge    *policy.HedgeState
	targets  []target
}

// gate is where calls wait for their turn to be in flight.
type gate struct {
	sim.Station[waiter]
	limit policy.GateState
}

// target is what an instance knows of one provider it may call.
type target struct {
	breaker policy.BreakerState
	blocked sim.Ring[waiter] // calls that wait for the end of a probe
	cooling policy.CooldownState
}

func newClients(f *Fleet) []client {
	clients := make([]client, f.Instances)
	p := &f.Client
	for i := range clients {
		c := &clients[i]
		if p.Gate.On() {
			if c.gate = clients[0].gate; c.gate == nil || !p.Gate.Shared {
				c.gate = &gate{}
				c.gate.Room = -1
				if p.Gate.Room != 0 {
					c.gate.Room = max(0, p.Gate.Room)
				}
				c.gate.LastFirst = p.Gate.LastFirst
			}
		}
		if p.Pacer.On() {
			if c.pacer = clients[0].pacer; c.pacer == nil || !p.Pacer.Shared {
				c.pacer = &policy.PacerState{}
			}
		}
		if p.Throttle.On() {
			c.throttle = &policy.ThrottleState{}
		}
		if p.Budget.On() {
			c.budget = &policy.BudgetState{}
		}
		if p.Hedge.On() {
			c.hedge = &policy.HedgeState{}
		}
		if p.Breaker.On() || p.Fallback.On {
			c.targets = make([]target, 1+len(f.Fallbacks))
		}
	}
	return clients
}

// awake is the first target from one on that is not in cooldown; false when all are.
func (c *client) awake(f *policy.Fallback, now sim.Time, from int) (uint8, bool) {
	for i := from; i < len(c.targets); i++ {
		if !c.targets[i].cooling.Away(f, now) {
			return uint8(i), true
		}
	}
	return 0, false
}

// ask asks the instance's gate.
func (r *run) ask(id uint32) {
	c := r.calls.at(id)
	g := r.group(c)
	if gate := g.client(c).gate; gate != nil {
		gate.Servers = gate.limit.Limit(&g.Client.Gate)
		switch gate.Arrive(r.queue(id, atGate), 0) {
		case sim.Queued:
			r.hold(id, GateWait)
			return
		case sim.Refused:
			c.place, c.ticket = onTheWay, 0
			r.end(id, policy.Shed)
			return
		}
		c.place, c.ticket = onTheWay, 0
		c.places++
	}
	r.pace(id)
}

// hold starts a wait before an attempt is sent, which the call's timeouts may cut short.
func (r *run) hold(id uint32, kind Wait) {
	c := r.calls.at(id)
	r.wait(c, kind)
	if at, layer := r.expiry(id); layer >= 0 {
		c.layer = uint8(layer)
		c.expiry = r.loop.Timer(max(at, r.loop.Now()), event{kind: expires, id: id})
	}
}

// resume is the end of such a wait.
func (r *run) resume(id uint32) {
	r.waited(id)
	c := r.calls.at(id)
	r.loop.Cancel(c.expiry)
	c.expiry = sim.Timer{}
}

// pass frees a call's place at the gate, and sends those who waited as far as the
// limit allows by now.
func (r *run) pass(c *call) {
	g := r.group(c)
	gate := g.client(c).gate
	if c.places == 0 {
		return
	}
	c.places--
	gate.Servers = gate.limit.Limit(&g.Client.Gate)
	for w, ok := gate.Depart(); ok; w, ok = gate.Next() {
		if !r.turnOf(w) {
			gate.Bury()
			continue
		}
		next := r.calls.at(w.id)
		next.places++
		next.timer = r.loop.Timer(r.loop.Now(), event{kind: through, id: w.id})
	}
}

// pace asks whether the breaker would let the call through, and then the pacer.
func (r *run) pace(id uint32) {
	c := r.calls.at(id)
	g := r.group(c)
	m := g.client(c)
	now := r.loop.Now()
	if g.Client.Breaker.On() && m.targets[c.target].breaker.Open(now) {
		r.blocked(id)
		return
	}
	if m.pacer != nil && !c.cleared {
		if wait := m.pacer.Reserve(&g.Client.Pacer, now, need(c)); wait > 0 {
			r.hold(id, PacerWait)
			c.timer = r.loop.Timer(now+wait, event{kind: paced, id: id})
			return
		}
	}
	c.cleared = true
	r.launch(id)
}

// need is what an attempt of the call takes, as far as its client knows.
func need(c *call) policy.Need {
	size := &c.record.Size
	return policy.Need{1, float64(size.Prompt + size.MaxTokens), float64(size.Prompt), float64(size.MaxTokens)}
}

// launch asks the breaker and the throttle for good, and sends. A caller whose patience
// ends at this instant leaves instead.
func (r *run) launch(id uint32) {
	c := r.calls.at(id)
	if c.leaves <= r.loop.Now() {
		r.pass(c)
		r.end(id, policy.Abandoned)
		return
	}
	if at, layer := r.expiry(id); layer >= 0 && at <= r.loop.Now() {
		c.layer = uint8(layer)
		r.lapse(id)
		return
	}
	switch generation, refusal, ok := r.lets(c); {
	case ok:
		r.send(id, generation, false)
	case refusal == policy.BreakerOpen:
		r.blocked(id)
	default:
		r.pass(c)
		r.giveUp(id, refusal)
	}
}

// lets asks the breaker and the throttle for an attempt: the generation under which the breaker
// lets it through, or who refused it, BreakerOpen or Shed.
func (r *run) lets(c *call) (generation uint32, refusal policy.Outcome, ok bool) {
	g := r.group(c)
	m := g.client(c)
	now := r.loop.Now()
	b := &g.Client.Breaker
	if b.On() {
		if ok, generation, _ = m.targets[c.target].breaker.Ask(b, now); !ok {
			return 0, policy.BreakerOpen, false
		}
	}
	if m.throttle != nil &&
		!m.throttle.Ask(&g.Client.Throttle, now, g.shedding.Uniform(c.record.ID, uint64(c.record.Attempts))) {
		if b.On() {
			m.targets[c.target].breaker.Forget(generation)
			r.unblock(&m.targets[c.target])
		}
		return 0, policy.Shed, false
	}
	return generation, 0, true
}

// blocked is a call before an open breaker. What the pacer has let go keeps its right.
func (r *run) blocked(id uint32) {
	c := r.calls.at(id)
	g := r.group(c)
	b := &g.Client.Breaker
	now := r.loop.Now()
	if b.WhenOpen == policy.HoldBack {
		t := &g.client(c).targets[c.target]
		ok, generation, wait := t.breaker.Ask(b, now)
		r.hold(id, BreakerWait)
		switch {
		case ok: // it has become half-open just now
			t.breaker.Forget(generation)
			fallthrough
		case wait > 0:
			c.timer = r.loop.Timer(now+wait, event{kind: unblocked, id: id})
		default:
			t.blocked.Push(r.queue(id, atBreaker))
		}
		return
	}
	r.pass(c)
	if b.WhenOpen == policy.FallBack {
		r.giveUp(id, policy.BreakerOpen)
	} else {
		r.end(id, policy.BreakerOpen)
	}
}

// unblock lets the calls that waited for the end of a probe ask again.
func (r *run) unblock(t *target) {
	for {
		w, ok := t.blocked.Pop()
		if !ok {
			return
		}
		if r.turnOf(w) {
			r.calls.at(w.id).timer = r.loop.Timer(r.loop.Now(), event{kind: unblocked, id: w.id})
		}
	}
}

// client is the instance that works on a call.
func (g *group) client(c *call) *client { return &g.clients[c.record.Instance] }
