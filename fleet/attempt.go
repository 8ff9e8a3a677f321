package fleet

import (
	"time"

	"stampede/policy"
	"stampede/provider"
	"stampede/sim"
	"stampede/wire"
)

// refuse sends an error back to the client.
func (r *run) refuse(aid uint32, reply *wire.Reply, after time.Duration) {
	a := r.attempts.at(aid)
	a.state, a.reply, a.replyAt = refused, *reply, r.loop.Now()+after
	r.loop.At(a.replyAt, event{kind: replied, id: aid})
}

// arrived brings a request to the provider's door. At one instant completions
// come before arrivals, so where a completion can make room the request waits
// behind the events already due at this instant.
func (r *run) arrived(aid uint32) {
	if r.backend(r.attempts.at(aid)).roomFrees {
		r.loop.At(r.loop.Now(), event{kind: received, id: aid})
	} else {
		r.receive(aid)
	}
}

// receive is the provider's turn.
func (r *run) receive(aid uint32) {
	a := r.attempts.at(aid)
	if a.abandoned { // the connection is closed: the request is dropped unread
		r.attempts.free(aid)
		return
	}
	now := r.loop.Now()
	p := r.backend(a)
	c := r.calls.at(a.call)
	a.received = now
	a.request.Cached, a.request.Admitted = int(r.cached(c)), now
	a.hidden = c.record.Size.Reasoning
	a.ordinal, a.tenth = p.second.place(now, time.Second), p.tenth.place(now, time.Second/10)
	v := &r.verdict
	p.Receive(now, &a.request, aid, v)
	a.inFlight = int32(p.InFlight())
	if v.Kind == provider.Refused {
		a.penalty += v.Charged
		a.limit = v.Limit
	} else {
		a.charged = v.Charged
		a.limit = provider.NoLimit // whatever refused it when the gateway asked before
	}
	switch v.Kind {
	case provider.Refused:
		gateway := &p.config.Gateway
		if int(a.relayed) < gateway.Retries {
			if v.Billed != provider.Nothing {
				a.relays = a.relays.Plus(r.refused(a, v.Billed))
				p.Spend(now, &a.request, int64(r.priceOf(a).Bill(r.refused(a, v.Billed))))
			}
			a.relayed++
			a.request.Relay++
			r.loop.At(now+v.After+gateway.Wait, event{kind: arrives, id: aid})
			return
		}
		a.billed = v.Billed
		gateway.Pass(&v.Reply)
		r.refuse(aid, &v.Reply, v.After+p.hop)
		if a.billed != provider.Nothing {
			p.Spend(now, &a.request, int64(r.priceOf(a).Bill(r.refused(a, v.Billed))))
		}
	default:
		a.slow, a.hangs, a.breaks, a.lost = v.Slow, v.Hangs, v.Breaks, v.Part == 1
		a.reply = v.Reply
		p.config.Gateway.Pass(&a.reply)
		if a.output = c.record.Size.Output; v.Hangs {
			a.output = 0
		} else if v.Breaks {
			a.output = int32(v.Part * float64(a.output))
		}
		if p.config.ReplaysKeys && r.group(c).Client.IdempotencyKey && c.acted>>a.target&1 == 1 {
			a.replayed, a.output, a.hidden = true, 0, 0
		}
		if a.state = waiting; v.Kind == provider.Admitted {
			r.generate(aid)
		}
	}
}

// generate is the turn of an admitted attempt.
func (r *run) generate(aid uint32) {
	a := r.attempts.at(aid)
	p := r.backend(a)
	now := r.loop.Now()
	if a.hangs {
		a.state = hung
		if a.abandoned { // its client left while it waited
			a.ends = r.loop.Timer(now, event{kind: generated, id: aid})
		}
		return
	}
	a.state = generating
	hidden := min(a.hidden, a.output)
	switch {
	case a.replayed:
		a.begins, a.first, a.last = now, now, now
	case p.Batches():
		a.batched, a.name = true, p.Join(now, &a.request, a.slow, int(hidden), int(a.output), aid)
		r.rescheduleMark(p)
		return
	default:
		a.begins, a.first, a.last = p.Generate(now, &a.request, a.slow, int(hidden), int(a.output))
	}
	a.ends = r.loop.Timer(a.last, event{kind: generated, id: aid})
	if !a.abandoned {
		a.replyAt = a.last + p.hop
		r.begins(aid)
	}
}

// begins is when an answer is known to begin: its prompt is in the cache from
// then on, and a client that times its stream waits for it.
func (r *run) begins(aid uint32) {
	a := r.attempts.at(aid)
	c := r.calls.at(a.call)
	r.confirm(c)
	c.caching, c.cachedAt = a.received, a.first
	g := r.group(c)
	if t := &g.Client.Timeouts; g.Workload.Stream && (t.FirstByte > 0 || t.Gap > 0) {
		a.streams = r.loop.Timer(a.first+r.backend(a).hop, event{kind: first, id: aid})
	}
}

// cached is how much of the prompt of a call the cache holds now.
func (r *run) cached(c *call) int32 {
	if life := r.group(c).Workload.Cache.Lifetime; life > 0 {
		if r.confirm(c); r.loop.Now()-c.cached >= life {
			return 0
		}
	}
	return c.record.Size.Cached
}

// confirm takes note of an answer that has begun since.
func (r *run) confirm(c *call) {
	if c.cachedAt <= r.loop.Now() {
		c.cached, c.cachedAt = c.caching, sim.Never
	}
}

// rescheduleMark schedules the next token of the batch that matters.
func (r *run) rescheduleMark(p *backend) {
	r.loop.Cancel(p.mark)
	p.mark = sim.Timer{}
	if at := p.NextMark(); at < sim.Never {
		p.mark = r.loop.Timer(max(at, r.loop.Now()), event{kind: marked, id: p.index})
	}
}

// marked takes the first and the last tokens that the batch has come to by now.
func (r *run) marked(p *backend) {
	if !p.Batches() {
		return
	}
	now := r.loop.Now()
	for {
		aid, last, ok := p.Reached(now)
		if !ok {
			break
		}
		a := r.attempts.at(aid)
		if last {
			a.batched, a.last = false, now
			r.loop.Cancel(a.ends)
			r.generated(aid)
		} else if a.first = now; !a.abandoned {
			r.begins(aid)
		}
	}
	r.rescheduleMark(p)
}

// turn gives a freed slot to the attempt that waited longest and is still there.
func (r *run) turn(p *backend, aid uint32, started bool) {
	for started && r.attempts.at(aid).left {
		r.attempts.free(aid)
		aid, started = p.SkipCancelled()
	}
	if started {
		r.generate(aid)
	}
}

// firstToken ends the timers for the first byte of a stream and starts those
// for the rest: the whole attempt, and silence between tokens, which at a
// constant speed is either never too long or too long at once.
func (r *run) firstToken(aid uint32) {
	a := r.attempts.at(aid)
	c := r.calls.at(a.call)
	t := &r.group(c).Client.Timeouts
	r.loop.Cancel(a.timer)
	timer, at := policy.NoTimer, sim.Never
	if whole := t.Whole(int(c.tries)); whole > 0 {
		timer, at = policy.AttemptTimer, a.sent+whole
	}
	if end, layer := r.expiry(a.call); layer >= 0 && end < at {
		timer, at, a.layer = policy.CallTimer, end, uint8(layer)
	}
	between := (a.last - a.first) / time.Duration(max(1, a.output))
	if gap := t.Gap; gap > 0 && !a.batched && between > gap && r.loop.Now()+gap < at {
		timer, at = policy.GapTimer, r.loop.Now()+gap
	}
	if timer != policy.NoTimer {
		a.timerKind = timer
		a.timer = r.loop.Timer(max(at, r.loop.Now()), event{kind: cut, id: aid})
	}
}

// generated is the end of an attempt at the provider.
func (r *run) generated(aid uint32) {
	a := r.attempts.at(aid)
	p := r.backend(a)
	now := r.loop.Now()
	if a.batched { // its client has gone
		a.batched = false
		p.Drop(now, a.name)
		r.rescheduleMark(p)
	}
	next, started := p.Finish(now, &a.request, r.used(a))
	if a.state = done; a.abandoned {
		r.attempts.free(aid)
	} else {
		a.replyAt = now + p.hop
		r.loop.At(a.replyAt, event{kind: replied, id: aid})
	}
	r.turn(p, next, started)
}

// replied is the end of an attempt at the client.
func (r *run) replied(aid uint32) {
	a := r.attempts.at(aid)
	if a.abandoned {
		r.attempts.free(aid)
		return
	}
	id := a.call
	d, layer := r.conclude(aid, policy.NoTimer)
	r.attempts.free(aid)
	r.follow(id, d, layer)
}

// cutOff is a timer of the client. At one instant a reply, or the first token of
// a stream, beats the timeout that would have cut it off.
func (r *run) cutOff(aid uint32) {
	a := r.attempts.at(aid)
	p := r.backend(a)
	r.marked(p) // what happens at this instant happens first
	now := r.loop.Now()
	if a.replyAt == now ||
		(a.streams != sim.Timer{} && a.first+p.hop == now && a.timerKind != policy.AttemptTimer &&
			a.timerKind != policy.CallTimer) {
		return
	}
	id, timer := a.call, a.timerKind
	d, layer := r.drop(aid, timer)
	r.follow(id, d, layer)
}

// drop gives an attempt up, for the reason of the timer.
func (r *run) drop(aid uint32, timer policy.Timer) (policy.Decision, int) {
	a := r.attempts.at(aid)
	a.reply = wire.Reply{Failure: wire.Timeout}
	if timer == policy.HedgeTimer {
		a.reply.Failure = wire.Lost
	}
	r.abandon(aid)
	d, layer := r.conclude(aid, timer)
	if a := r.attempts.at(aid); a.state == hung && a.received < 0 {
		r.attempts.free(aid) // no event of the provider will come for it
	}
	return d, layer
}

// dropAll gives up all attempts of a call that are in flight.
func (r *run) dropAll(c *call, timer policy.Timer) {
	for c.flying > 0 {
		r.drop(c.flights[c.flying-1], timer)
	}
}

// abandon disconnects an attempt from its client and settles what the provider
// will have generated for it.
func (r *run) abandon(aid uint32) {
	a := r.attempts.at(aid)
	p := r.backend(a)
	now := r.loop.Now()
	a.abandoned = true
	a.unfinished = a.state == waiting || a.state == generating
	switch a.state {
	case waiting:
		if r.stops(a) {
			r.leaveQueue(a)
		}
	case hung:
		if a.received >= 0 {
			a.output = 0
			a.ends = r.loop.Timer(now+p.hop, event{kind: generated, id: aid})
		}
	case generating:
		stop := now + p.hop // when the disconnect arrives
		if !r.stops(a) || stop >= a.last {
			return
		}
		if a.batched {
			a.output = int32(p.Produced(now, a.name, int(a.output), p.hop))
		} else {
			if stop < a.begins {
				a.output = 0
			} else {
				a.output = int32(float64(a.output) * float64(stop-a.begins) / float64(a.last-a.begins))
			}
			r.loop.Cancel(a.ends)
		}
		if c := r.calls.at(a.call); c.caching == a.received && c.cachedAt == a.first && stop < a.first {
			c.cachedAt = sim.Never // its answer will not begin
		}
		a.ends = r.loop.Timer(stop, event{kind: generated, id: aid})
	}
}

// stops reports whether the provider stops when the client of an attempt goes. The
// loser of a hedge that is not cancelled has a client still.
func (r *run) stops(a *attempt) bool {
	g := &r.groups[a.request.Tenant]
	if a.reply.Failure == wire.Lost && !g.Client.Hedge.Cancel {
		return false
	}
	rule := r.backend(a).config.Cancel
	return rule == provider.Stops || (rule == provider.StopsStreams && g.Workload.Stream)
}

// leaveQueue takes an attempt out of the provider's queue. Its place there is
// passed on when its turn comes.
func (r *run) leaveQueue(a *attempt) {
	if a.left {
		return
	}
	a.left, a.output = true, 0
	r.backend(a).Leave(r.loop.Now(), &a.request, r.used(a))
}
