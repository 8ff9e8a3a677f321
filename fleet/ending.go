package fleet

import (
	"stampede/policy"
	"stampede/wire"
)

// follow does what the policy decided.
func (r *run) follow(id uint32, d policy.Decision) {
	if !d.Again {
		r.end(id, d.Outcome)
		return
	}
	c := r.calls.at(id)
	r.wait(c, BackoffWait)
	if d.Hinted {
		c.waits = RetryAfterWait
	} else {
		c.lastWait = d.Wait
	}
	c.timer = r.loop.Timer(r.loop.Now()+d.Wait, event{kind: ready, id: id})
}

// leave is the end of a caller's patience, wherever the call is.
func (r *run) leave(id uint32) {
	c := r.calls.at(id)
	if aid := c.flight; aid != 0 {
		r.marked() // what comes at this instant comes first
		a := r.attempts.at(aid)
		if a.replyAt == r.loop.Now() { // the reply first; if it is no answer, then the caller leaves
			c.patience = r.loop.Timer(r.loop.Now(), event{kind: leave, id: id})
			return
		}
		a.reply = wire.Reply{Failure: wire.Timeout}
		r.abandon(aid)
		r.conclude(aid, policy.PatienceTimer)
		r.detach(aid)
	} else {
		r.waited(id)
		r.loop.Cancel(c.timer)
	}
	r.end(id, policy.Abandoned)
}

// end closes a call, or gives it back to the queue, and frees its worker.
func (r *run) end(id uint32, outcome policy.Outcome) {
	c := r.calls.at(id)
	now := r.loop.Now()
	g, worker, held := r.group(c), c.worker, c.held
	c.held = false
	if outcome != policy.Answered && outcome != policy.Abandoned &&
		g.Workload.Redelivery.again(c.record.Deliveries) && (r.Horizon == 0 || now < r.Horizon) {
		r.wait(c, RedeliveryWait)
		c.timer = r.loop.Timer(now+g.Workload.Redelivery.After, event{kind: redeliver, id: id})
	} else {
		r.loop.Cancel(c.patience)
		c.record.Ended, c.record.Outcome = now, outcome
		r.books.closeCall(&c.record)
		c.live = false
		if c.place == inBacklog || c.place == atGate {
			c.place = gone
		} else {
			r.calls.free(id)
		}
	}
	if held {
		r.release(g, worker)
	}
}

// close ends what is left when nothing more can happen: calls that wait behind
// others that hang for ever, then those others.
func (r *run) close() {
	if r.loop.Err() != nil {
		return
	}
	for _, hanging := range []bool{false, true} {
		for id := uint32(1); id <= r.calls.used; id++ {
			c := r.calls.at(id)
			if !c.live || (c.flight != 0) != hanging {
				continue
			}
			if hanging {
				r.attempts.at(c.flight).reply = wire.Reply{Failure: wire.Timeout}
				flight := c.flight
				r.abandon(flight)
				if a := r.attempts.at(flight); a.state == waiting && !a.left {
					r.leaveQueue(a)
				}
				r.conclude(flight, policy.EndOfRun)
			} else {
				r.waited(id)
				c.place = gone
			}
			c.live = false
			c.record.Ended, c.record.Outcome = r.loop.Now(), policy.Unfinished
			r.books.closeCall(&c.record)
		}
	}
}
