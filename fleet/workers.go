package fleet

import (
	"time"

	"stampede/policy"
	"stampede/sim"
)

// open sets the workload of a fleet going.
func (r *run) open(g *group) {
	workers := uint32(g.Instances * g.Workers)
	if g.Workload.Arrivals != nil {
		for w := range workers {
			g.lineOf(g.instanceOf(w)).idle.Push(w)
		}
		r.scheduleArrival(g, 0)
		return
	}
	g.thoughts = make([]uint64, workers)
	for w := range workers {
		r.think(g, w)
	}
}

// scheduleArrival schedules the next call that arrives by itself. At the horizon
// no new call starts.
func (r *run) scheduleArrival(g *group, last sim.Time) {
	if g.Workload.Calls > 0 && g.next >= g.Workload.Calls {
		return
	}
	at, ok := g.Workload.Arrivals.Next(g.next, last, g.arrivals.Uniform(g.next, 0))
	if ok && (r.Horizon == 0 || at < r.Horizon) {
		r.loop.At(at, event{kind: arrival, fleet: uint16(g.index)})
	}
}

// arrive takes in a call that arrives by itself and finds it a worker.
func (r *run) arrive(g *group) {
	id, c := r.newCall(g)
	r.scheduleArrival(g, r.loop.Now())
	if g.dealt() {
		c.record.Instance = g.deal(c.record.ID)
	}
	if g.Workers > 0 {
		r.enqueue(id)
	} else {
		r.begin(id)
	}
}

// think lets a worker pause before it fetches its next call.
func (r *run) think(g *group, worker uint32) {
	pause := time.Duration(0)
	if g.Workload.Think != nil {
		u := g.thinking.Uniform(uint64(worker), g.thoughts[worker])
		g.thoughts[worker]++
		pause = sim.Seconds(g.Workload.Think.Sample(u))
	}
	r.loop.At(r.loop.Now()+pause, event{thought, uint16(g.index), worker})
}

// fresh reports whether a fetching worker would find a call that is new.
func (r *run) fresh(g *group) bool {
	return (g.Workload.Calls == 0 || g.next < g.Workload.Calls) && (r.Horizon == 0 || r.loop.Now() < r.Horizon)
}

// fetch gives a worker a new call, else one that was redelivered, else rest.
func (r *run) fetch(g *group, worker uint32) {
	if r.fresh(g) {
		id, _ := r.newCall(g)
		r.assign(id, worker)
	} else {
		r.serve(g, worker)
	}
}

// newCall opens the next call.
func (r *run) newCall(g *group) (uint32, *call) {
	now, k := r.loop.Now(), g.next
	g.next++
	g.started++
	id, c := r.calls.alloc()
	c.live = true
	luck := Luck{g.prompts.Uniform(k, 0), g.outputs.Uniform(k, 0), g.reasoning.Uniform(k, 0)}
	c.record = Call{ID: k, Fleet: int32(g.index), Arrived: now, Began: now, Size: g.Workload.Sizes.Size(k, luck)}
	c.cached, c.cachedAt, c.leaves = now, sim.Never, sim.Never
	if law := g.Workload.Patience; law != nil {
		c.leaves = now + sim.Seconds(law.Sample(g.patience.Uniform(k, 0)))
		c.patience = r.loop.Timer(c.leaves, event{kind: leave, id: id})
	}
	return id, c
}

// enqueue gives a call to an idle worker or lets it wait for one.
func (r *run) enqueue(id uint32) {
	c := r.calls.at(id)
	g := r.group(c)
	if c.record.Deliveries > 0 {
		r.waited(id)
	}
	line := g.lineOf(c.record.Instance)
	if worker, ok := line.idle.Pop(); ok {
		r.assign(id, worker)
		return
	}
	r.wait(c, WorkerWait)
	line.calls.Push(r.queue(id, inBacklog))
}

// serve gives a free worker the call that has waited longest, or rest.
func (r *run) serve(g *group, worker uint32) {
	line := g.lineOf(g.instanceOf(worker))
	for {
		w, ok := line.calls.Pop()
		if !ok {
			line.idle.Push(worker)
			return
		}
		if r.turnOf(w) {
			r.waited(w.ID)
			r.assign(w.ID, worker)
			return
		}
	}
}

func (r *run) assign(id, worker uint32) {
	c := r.calls.at(id)
	c.worker, c.held = worker, true
	c.record.Instance = r.group(c).instanceOf(worker)
	r.begin(id)
}

// begin starts a delivery of the call: the client takes it up.
func (r *run) begin(id uint32) {
	c := r.calls.at(id)
	now := r.loop.Now()
	if c.record.Deliveries == 0 {
		c.record.Began = now
	}
	c.record.Deliveries++
	c.delivered = now
	c.place, c.target = onTheWay, 0
	g := r.group(c)
	if g.Client.Fallback.On {
		target, ok := g.instance(c).Available(now, 0)
		if !ok {
			r.end(id, policy.Shed)
			return
		}
		c.target = target
	}
	r.renew(id, len(g.Client.Outer), now)
	r.admit(id)
}

// wait starts a wait of the call, waited ends it.
func (r *run) wait(c *call, kind Wait) { c.waits, c.since = kind, r.loop.Now() }

func (r *run) waited(id uint32) {
	c := r.calls.at(id)
	now := r.loop.Now()
	c.record.Waits[c.waits] += now - c.since
	if r.accounting.waits != nil && now > c.since {
		r.accounting.waits.Wait(&c.record, c.waits, c.since, now)
	}
	c.since = now
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
