package fleet

import (
	"time"

	"stampede/sim"
)

// open sets the workload going.
func (r *run) open() {
	workers := uint32(r.Instances * r.Workers)
	if r.Workload.Arrivals != nil {
		for w := range workers {
			r.idle.Push(w)
		}
		r.scheduleArrival(0)
		return
	}
	r.thoughts = make([]uint64, workers)
	for w := range workers {
		r.think(w)
	}
}

// scheduleArrival schedules the next call that comes by itself. At the horizon
// no new call starts.
func (r *run) scheduleArrival(last sim.Time) {
	if r.Workload.Calls > 0 && r.next >= r.Workload.Calls {
		return
	}
	at, ok := r.Workload.Arrivals.Next(r.next, last, r.arrivals.Uniform(r.next, 0))
	if ok && (r.Horizon == 0 || at < r.Horizon) {
		r.loop.At(at, event{kind: arrival})
	}
}

// arrive takes in a call that comes by itself and finds it a worker.
func (r *run) arrive() {
	id, c := r.admit()
	r.scheduleArrival(r.loop.Now())
	if r.Workers > 0 {
		r.enqueue(id)
		return
	}
	c.record.Instance = int32(c.record.ID % uint64(r.Instances))
	r.begin(id)
}

// think lets a worker pause before it fetches its next call.
func (r *run) think(worker uint32) {
	pause := time.Duration(0)
	if r.Workload.Think != nil {
		u := r.thinking.Uniform(uint64(worker), r.thoughts[worker])
		r.thoughts[worker]++
		pause = time.Duration(r.Workload.Think.Sample(u) * float64(time.Second))
	}
	r.loop.At(r.loop.Now()+pause, event{thought, worker})
}

// fresh reports whether a fetching worker would find a call that is new.
func (r *run) fresh() bool {
	return (r.Workload.Calls == 0 || r.next < r.Workload.Calls) && (r.Horizon == 0 || r.loop.Now() < r.Horizon)
}

// fetch gives a worker a new call, else one that was redelivered, else rest.
func (r *run) fetch(worker uint32) {
	if r.fresh() {
		id, _ := r.admit()
		r.assign(id, worker)
	} else {
		r.serve(worker)
	}
}

// admit opens the next call.
func (r *run) admit() (uint32, *call) {
	now, k := r.loop.Now(), r.next
	r.next++
	r.started++
	id, c := r.calls.alloc()
	c.live = true
	c.record = Call{ID: k, Arrived: now, Began: now,
		Size: r.Workload.Sizes.Size(k, r.prompts.Uniform(k, 0), r.outputs.Uniform(k, 0))}
	if law := r.Workload.Patience; law != nil {
		span := time.Duration(law.Sample(r.patience.Uniform(k, 0)) * float64(time.Second))
		c.patience = r.loop.Timer(now+span, event{leave, id})
	}
	return id, c
}

// enqueue gives a call to an idle worker or lets it wait for one.
func (r *run) enqueue(id uint32) {
	c := r.calls.at(id)
	if c.record.Deliveries > 0 {
		r.waited(id)
	}
	if worker, ok := r.idle.Pop(); ok {
		r.assign(id, worker)
		return
	}
	c.place = inBacklog
	r.wait(c, WorkerWait)
	r.backlog.Push(id)
}

// serve gives a free worker the call that has waited longest, or rest.
func (r *run) serve(worker uint32) {
	for {
		id, ok := r.backlog.Pop()
		if !ok {
			r.idle.Push(worker)
			return
		}
		if r.calls.at(id).place == gone {
			r.calls.free(id)
			continue
		}
		r.waited(id)
		r.assign(id, worker)
		return
	}
}

func (r *run) assign(id, worker uint32) {
	c := r.calls.at(id)
	c.worker, c.held = worker, true
	c.record.Instance = int32(int(worker) / r.Workers)
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
	c.place, c.start, c.tries, c.lastWait = onTheWay, now, 0, 0
	r.ask(id)
}

// wait starts a wait of the call, waited ends it.
func (r *run) wait(c *call, kind Wait) { c.waits, c.since = kind, r.loop.Now() }

func (r *run) waited(id uint32) {
	c := r.calls.at(id)
	c.record.Waits[c.waits] += r.loop.Now() - c.since
}

// release lets a worker go on to its next call.
func (r *run) release(worker uint32) {
	if r.Workload.Arrivals != nil {
		r.serve(worker)
	} else {
		r.think(worker)
	}
}
