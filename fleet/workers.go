package fleet

import (
	"stampede/backend"
	"stampede/policy"
	"stampede/sim"
)

// open sets the workload of a fleet going.
func (r *run) open(g *group) {
	workers := uint32(g.Instances * g.Workers)
	if g.Workload.Arrivals == nil {
		g.thoughts = make([]uint64, workers)
		if g.Workload.Every != nil {
			g.starts = make([]sim.Time, workers)
		}
	}
	if g.crew != nil {
		r.openCrew(g)
		workers = 0
	}
	if g.Workload.Arrivals != nil {
		for w := range workers {
			g.lineOf(g.instanceOf(w)).idle.Push(w)
		}
		for u := range g.Workload.users() {
			if g.opens() {
				r.beginSession(g, u)
			}
		}
		if g.Workload.users() == 0 {
			r.scheduleArrival(g, 0)
		}
		return
	}
	for w := range workers {
		r.think(g, w)
	}
}

// scheduleArrival schedules the next call that arrives by itself. At the horizon
// no new call starts.
func (r *run) scheduleArrival(g *group, last sim.Time) {
	k := g.next
	if g.Workload.Sessions != nil {
		if k = g.opened; !g.opens() {
			return
		}
	} else if g.Workload.Calls > 0 && k >= g.Workload.Calls {
		return
	}
	at, ok := g.Workload.Arrivals.Next(k, last, g.arrivals.Uniform(k, 0))
	if ok && (r.Horizon == 0 || at < r.Horizon) {
		r.loop.At(at, backend.Event{Kind: arrival, Of: uint16(g.index)})
	}
}

// arrive takes in a call that arrives by itself and finds it a worker.
func (r *run) arrive(g *group) {
	if g.Workload.Sessions != nil {
		r.beginSession(g, g.opened)
		r.scheduleArrival(g, r.loop.Now())
		return
	}
	c := r.newCall(g, 0)
	r.scheduleArrival(g, r.loop.Now())
	if g.dealt() {
		c.instance = g.deal(c.id)
	}
	if g.Workers > 0 {
		r.enqueue(c)
	} else {
		r.begin(c)
	}
}

// think lets a worker pause before it fetches its next call.
func (r *run) think(g *group, worker uint32) {
	if g.goes(worker) {
		return
	}
	at := r.loop.Now()
	if w := &g.Workload; w.Think != nil {
		at += sim.Seconds(w.Think.Sample(g.thought(worker)))
	} else if w.Every != nil && g.thoughts[worker] > 0 {
		at = max(at, g.starts[worker]+sim.Seconds(w.Every.Sample(g.thought(worker))))
	} else if w.Every != nil {
		g.thoughts[worker]++ // the first call starts at once
	}
	r.loop.At(at, backend.Event{Kind: thought, Of: uint16(g.index), ID: worker})
}

// thought is the lot of a worker's next pause.
func (g *group) thought(worker uint32) float64 {
	u := g.thinking.Uniform(uint64(worker), g.thoughts[worker])
	g.thoughts[worker]++
	return u
}

// fresh reports whether a fetching worker would find a call that is new.
func (r *run) fresh(g *group) bool {
	return (g.Workload.Calls == 0 || g.next < g.Workload.Calls) && (r.Horizon == 0 || r.loop.Now() < r.Horizon)
}

// fetch gives a worker a new call, else one that was redelivered, else rest.
func (r *run) fetch(g *group, worker uint32) {
	if g.goes(worker) {
		return
	}
	if r.fresh(g) {
		if g.starts != nil {
			g.starts[worker] = r.loop.Now()
		}
		r.assign(r.newCall(g, 0), worker)
	} else {
		r.serve(g, worker)
	}
}

// newCall opens the next call, of a session unless that is 0.
func (r *run) newCall(g *group, session uint32) *call {
	now, k, of, turn := r.loop.Now(), g.next, g.next, uint64(0)
	g.next++
	g.started++
	id, c := r.calls.Alloc()
	*c = call{self: id, id: k, fleet: uint8(g.index), arrived: now}
	if len(g.kinds) > 1 {
		c.kind = uint8(g.Workload.KindOf(g.mixing.Uniform(k, 0)))
	}
	kind := g.kind(c)
	if session > 0 {
		s := r.sessions.At(session)
		of, turn = s.number, uint64(s.turn)
		r.extra(c).session = session
		luck := Luck{Output: g.outputs.Uniform(of, turn), Reasoning: g.reasoning.Uniform(of, turn)}
		c.size = g.Workload.sizeOf(s, luck)
	} else {
		c.size = g.size(k, kind.sizes)
	}
	if law := kind.patience; law != nil {
		x := r.extra(c)
		c.leaves, x.leaves = true, now+sim.Seconds(law.Sample(g.patience.Uniform(of, turn)))
		x.patience = r.loop.Timer(x.leaves, event(leave, c.self))
	}
	if g.overlaps() {
		r.post(c)
	}
	return c
}

// enqueue gives a call to an idle worker or lets it wait for one.
func (r *run) enqueue(c *call) {
	g := r.group(c)
	if c.delivery > 0 {
		r.waited(c)
	}
	line := g.lineOf(c.instance)
	for worker, ok := line.idle.Pop(); ok; worker, ok = line.idle.Pop() {
		if !g.goes(worker) {
			r.assign(c, worker)
			return
		}
	}
	line.waiting++
	r.moved(g)
	r.wait(c, WorkerWait)
	r.tickets++
	r.queue(c, inBacklog, r.tickets)
	line.calls.Push(waiter{ID: c.self, Ticket: r.tickets})
}

// serve gives a free worker the call that has waited longest, or rest.
func (r *run) serve(g *group, worker uint32) {
	if g.goes(worker) {
		return
	}
	line := g.lineOf(g.instanceOf(worker))
	for {
		w, ok := line.calls.Pop()
		if !ok {
			line.idle.Push(worker)
			return
		}
		if r.turnOf(w) {
			line.waiting--
			r.waited(r.calls.At(w.ID))
			r.assign(r.calls.At(w.ID), worker)
			return
		}
	}
}

func (r *run) assign(c *call, worker uint32) {
	g := r.group(c)
	c.worker, c.held = worker, true
	c.instance = g.instanceOf(worker)
	g.lineOf(c.instance).busy++
	r.moved(g)
	r.begin(c)
}

// begin starts a delivery of the call: the client takes it up.
func (r *run) begin(c *call) {
	now := r.loop.Now()
	g := r.group(c)
	if c.delivery++; c.delivery == 1 && now > c.arrived {
		r.extra(c).backlog = now - c.arrived
	}
	if g.overlaps() {
		r.take(c, g)
	} else if g.Workload.Redelivery.Visible > 0 {
		r.extra(c).delivered = now
	}
	c.place, c.target = onTheWay, 0
	if g.instance(c).Routes(policy.NoTarget) {
		c.target = policy.NoTarget
	} else if g.Client.Fallback.On {
		target, ok := g.instance(c).Available(now, 0)
		if !ok {
			r.end(c, policy.Shed)
			return
		}
		c.target = target
	}
	r.renew(c, len(g.Client.Outer), now)
	r.admit(c)
}

// freed is a worker of a fleet that has ended a call.
type freed struct {
	fleet  int
	worker uint32
}

// release lets a worker go on to its next call. That call may end at once and free the
// worker again, so workers take turns here rather than nest.
func (r *run) release(g *group, worker uint32) {
	r.freed = append(r.freed, freed{g.index, worker})
	if r.freeing {
		return
	}
	r.freeing = true
	for len(r.freed) > 0 {
		last := r.freed[len(r.freed)-1]
		r.freed = r.freed[:len(r.freed)-1]
		if g := &r.groups[last.fleet]; g.Workload.Arrivals != nil {
			r.serve(g, last.worker)
		} else {
			r.think(g, last.worker)
		}
	}
	r.freeing = false
}
