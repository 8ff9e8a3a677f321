package fleet

import (
	"stampede/policy"
)

// message is a call whose deliveries may overlap: it is delivered again while it is worked on. Each delivery is a
// [call] of its own, with its own worker, tries, attempts in flight and waits, and so is the next one, which waits
// until it is visible. What they share is here, and the sums of those that have ended. The first answer ends the
// call; deliveries that are under way then go on, for nobody tells their workers. The record is closed when
// the last of them has ended.
type message struct {
	record   Call
	next     uint32 // the delivery that nobody works on yet, 0 without one
	last     uint32 // the delivery under way that began last, 0 without one
	acted    uint64 // see extra
	answered bool
}

// overlaps reports whether deliveries of one call may overlap.
func (g *group) overlaps() bool { return g.Workload.Redelivery.WhileWorking }

// message is that of a call whose deliveries may overlap.
func (r *run) message(c *call) *message { return r.messages.At(r.extra(c).message) }

// post makes a new call the first delivery of a message.
func (r *run) post(c *call) {
	id, m := r.messages.Alloc()
	*m = message{next: c.self}
	m.record = Call{
		ID: c.id, Fleet: int32(c.fleet), Kind: int32(c.kind), Size: c.size, Arrived: c.arrived, Began: c.arrived,
	}
	r.extra(c).message = id
}

// take begins a delivery of a message, and puts off the next one until it is visible.
func (r *run) take(c *call, g *group) {
	m, now := r.message(c), r.loop.Now()
	if c.delivery == 1 {
		m.record.Began = now
	}
	x := r.extra(c)
	x.earlier, m.last = m.last, c.self
	m.next, m.record.Deliveries, c.attempts = 0, c.delivery, m.record.Attempts
	if !g.Workload.Redelivery.again(c.delivery) || r.late(g, c) || r.Horizon > 0 && now >= r.Horizon {
		return
	}
	id, next := r.calls.Alloc()
	*next = call{
		self: id, id: c.id, fleet: c.fleet, arrived: c.arrived, size: c.size, instance: c.instance,
		delivery: c.delivery, waits: RedeliveryWait, kind: c.kind,
	}
	m.next = id
	r.extra(next).message = x.message
	next.timer = r.loop.Timer(now+g.Workload.Redelivery.Visible, event(redeliver, id))
}

// visible puts the next delivery of a message into its queue, unless an answer is there at this instant. The call
// has waited for it only where nobody works on it. After the horizon work under way is not begun once more.
func (r *run) visible(c *call) {
	if m := r.message(c); m.last > 0 {
		for _, b := range r.backends {
			b.CatchUp()
		}
		for id := m.last; id > 0; id = r.extra(r.calls.At(id)).earlier {
			// if it is no answer, then it is visible; as it is while a reply waits for its process
			if at, there := r.due(r.calls.At(id)); there && at == r.loop.Now() {
				c.timer = r.loop.Timer(r.loop.Now(), event(redeliver, c.self))
				return
			}
		}
		if r.Horizon > 0 && r.loop.Now() >= r.Horizon {
			r.cancelNext(m)
			return
		}
		r.wait(c, RedeliveryWait)
	}
	r.enqueue(c)
}

// cancelNext calls off the next delivery of a message.
func (r *run) cancelNext(m *message) {
	if m.next == 0 {
		return
	}
	next := r.calls.At(m.next)
	m.next = 0
	r.loop.Cancel(next.timer)
	r.unqueue(next)
	r.free(next)
}

// endDelivery ends a delivery of a message, and with the last of them its call.
func (r *run) endDelivery(c *call, outcome policy.Outcome) {
	id, now := r.extra(c).message, r.loop.Now()
	m := r.messages.At(id)
	m.add(r.record(c))
	if m.next == c.self { // nobody took it
		m.next = 0
	} else {
		r.leaveMessage(m, c)
	}
	if !m.answered {
		m.answered = outcome == policy.Answered
		m.record.Outcome, m.record.Ended, m.record.Instance = outcome, now, c.instance
	}
	switch {
	case m.answered || r.group(c).Workload.Redelivery.DropFailed:
		r.cancelNext(m)
	case m.next > 0 && m.last == 0:
		next := r.calls.At(m.next)
		if next.place == inBacklog {
			break
		}
		if r.Horizon > 0 && now >= r.Horizon {
			r.cancelNext(m)
		} else {
			r.wait(next, RedeliveryWait)
		}
	}
	if m.last == 0 && m.next == 0 {
		r.accounting.call = m.record
		r.accounting.closeCall(now)
		r.forget(c)
		r.messages.Free(id)
	}
	r.free(c)
}

// leaveMessage takes a delivery from those under way.
func (r *run) leaveMessage(m *message, c *call) {
	at := &m.last
	for *at != c.self {
		at = &r.extra(r.calls.At(*at)).earlier
	}
	*at = r.extra(c).earlier
}

// add adds the record of a delivery that has ended.
func (m *message) add(d *Call) {
	sum := &m.record
	for i, w := range d.Waits {
		sum.Waits[i] += w
	}
	for i, w := range d.Waste {
		sum.Waste[i] += w
	}
	sum.Repeated += d.Repeated
	sum.Useful += d.Useful
	if d.Useful > 0 || !m.answered {
		sum.Target = d.Target
	}
}
