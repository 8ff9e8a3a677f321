package fleet

import (
	"time"

	"stampede/cost"
	"stampede/policy"
	"stampede/provider"
	"stampede/sim"
	"stampede/wire"
)

// ask asks the instance's gate.
func (r *run) ask(id uint32) {
	c := r.calls.at(id)
	if r.Client.Gate.Semaphore > 0 && r.gates[c.record.Instance].Arrive(id) == sim.Queued {
		c.place = atGate
		r.wait(c, GateWait)
		return
	}
	r.send(id)
}

// pass frees a place at the gate and sends the call that has waited longest.
func (r *run) pass(instance int32) {
	if r.Client.Gate.Semaphore == 0 {
		return
	}
	for {
		id, ok := r.gates[instance].Depart()
		if !ok {
			return
		}
		c := r.calls.at(id)
		if c.place == gone {
			r.calls.free(id)
			continue
		}
		c.place = onTheWay
		r.waited(id)
		r.send(id)
		return
	}
}

// send starts an attempt and its timers.
func (r *run) send(id uint32) {
	c := r.calls.at(id)
	now := r.loop.Now()
	c.tries++
	c.record.Attempts++
	aid, a := r.attempts.alloc()
	c.flight = aid
	size := &c.record.Size
	*a = attempt{
		call: id, number: c.record.Attempts, sent: now, received: -1, first: -1, replyAt: sim.Never,
		request: provider.Request{Call: c.record.ID, Attempt: int(c.record.Attempts),
			Prompt: int(size.Prompt), Cached: int(size.Cached), MaxTokens: int(size.MaxTokens)},
	}
	reach := r.provider.Reach(now, a.request)
	if connect := r.Client.Timeouts.Connect; connect > 0 && 2*r.hop > connect {
		reach = provider.Unreachable // a handshake, one round trip, would take too long
	}
	switch reach {
	case provider.Reachable:
		r.loop.At(now+r.hop, event{arrives, aid})
	case provider.RefusedConn:
		r.refuse(aid, wire.Reply{Failure: wire.Connection}, 2*r.hop)
	case provider.Unreachable:
		a.state = hung
	}
	timer, span := r.Client.Timeouts.BeforeFirstByte(int(c.tries), reach != provider.Unreachable)
	if whole := r.Client.Timeouts.Call; whole > 0 && (timer == policy.NoTimer || c.start+whole < now+span) {
		timer, span = policy.CallTimer, max(0, c.start+whole-now)
	}
	if timer != policy.NoTimer {
		a.timerKind = timer
		a.timer = r.loop.Timer(now+span, event{cut, aid})
	}
}

// refuse sends an error back to the client.
func (r *run) refuse(aid uint32, reply wire.Reply, after time.Duration) {
	a := r.attempts.at(aid)
	a.state, a.reply, a.replyAt = refused, reply, r.loop.Now()+after
	r.loop.At(a.replyAt, event{replied, aid})
}

// arrived brings a request to the provider's door. At one instant completions
// come before arrivals, so where a completion can make room the request waits
// behind the events already due at this instant.
func (r *run) arrived(aid uint32) {
	if r.roomFrees {
		r.loop.At(r.loop.Now(), event{received, aid})
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
	a.received = now
	if second := now.Truncate(time.Second); second != r.second {
		r.second, r.ordinal = second, 0
	}
	r.ordinal++
	a.ordinal = int32(r.ordinal)
	v := r.provider.Receive(now, a.request, aid)
	a.inFlight = int32(r.provider.InFlight())
	if v.Kind == provider.Refused {
		a.penalty += v.Charged
	} else {
		a.charged = v.Charged
	}
	switch v.Kind {
	case provider.Refused:
		gateway := &r.Provider.Gateway
		if int(a.relayed) < gateway.Retries {
			a.relayed++
			r.loop.At(now+v.After+gateway.Wait, event{arrives, aid})
			return
		}
		r.refuse(aid, gateway.Pass(v.Reply), v.After+r.hop)
	default:
		a.slow, a.hangs, a.breaks = v.Slow, v.Hangs, v.Breaks
		if a.output = r.calls.at(a.call).record.Size.Output; v.Hangs {
			a.output = 0
		} else if v.Breaks {
			a.output = int32(v.Part * float64(a.output))
		}
		if a.state = waiting; v.Kind == provider.Admitted {
			r.generate(aid)
		}
	}
}

// generate is the turn of an admitted attempt.
func (r *run) generate(aid uint32) {
	a := r.attempts.at(aid)
	now := r.loop.Now()
	if a.hangs {
		a.state = hung
		if a.abandoned { // its client left while it waited
			a.ends = r.loop.Timer(now, event{generated, aid})
		}
		return
	}
	a.state = generating
	a.first, a.last = r.provider.Generate(now, a.request, a.slow, int(a.output))
	a.ends = r.loop.Timer(a.last, event{generated, aid})
	if a.abandoned {
		return
	}
	a.replyAt = a.last + r.hop
	if r.Workload.Stream && (r.Client.Timeouts.FirstByte > 0 || r.Client.Timeouts.Gap > 0) {
		a.streams = r.loop.Timer(a.first+r.hop, event{first, aid})
	}
}

// turn gives a freed slot to the attempt that waited longest and is still there.
func (r *run) turn(aid uint32, started bool) {
	for started && r.attempts.at(aid).left {
		r.attempts.free(aid)
		aid, started = r.provider.Pass()
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
	t := &r.Client.Timeouts
	r.loop.Cancel(a.timer)
	c := r.calls.at(a.call)
	timer, at := policy.NoTimer, sim.Never
	if whole := t.Whole(int(c.tries)); whole > 0 {
		timer, at = policy.AttemptTimer, a.sent+whole
	}
	if t.Call > 0 && c.start+t.Call < at {
		timer, at = policy.CallTimer, c.start+t.Call
	}
	between := (a.last - a.first) / time.Duration(max(1, a.output))
	if gap := t.Gap; gap > 0 && between > gap && r.loop.Now()+gap < at {
		timer, at = policy.GapTimer, r.loop.Now()+gap
	}
	if timer != policy.NoTimer {
		a.timerKind = timer
		a.timer = r.loop.Timer(max(at, r.loop.Now()), event{cut, aid})
	}
}

// generated is the end of an attempt at the provider.
func (r *run) generated(aid uint32) {
	a := r.attempts.at(aid)
	now := r.loop.Now()
	next, started := r.provider.Finish(now, a.request, int(a.output))
	if a.state = done; a.abandoned {
		r.attempts.free(aid)
	} else {
		if a.reply = (wire.Reply{Status: 200}); a.breaks {
			a.reply = wire.Reply{Failure: wire.Connection}
		}
		r.loop.At(now+r.hop, event{replied, aid})
	}
	r.turn(next, started)
}

// replied is the end of an attempt at the client.
func (r *run) replied(aid uint32) {
	a := r.attempts.at(aid)
	if a.abandoned {
		r.attempts.free(aid)
		return
	}
	id := a.call
	d := r.conclude(aid, policy.NoTimer)
	r.attempts.free(aid)
	r.follow(id, d)
}

// cutOff is a timer of the client. At one instant a reply, or the first token of
// a stream, beats the timeout that would have cut it off.
func (r *run) cutOff(aid uint32) {
	a := r.attempts.at(aid)
	now := r.loop.Now()
	if a.replyAt == now || (a.streams != sim.Timer{} && a.first+r.hop == now && a.timerKind != policy.AttemptTimer && a.timerKind != policy.CallTimer) {
		return
	}
	id, timer := a.call, a.timerKind
	a.reply = wire.Reply{Failure: wire.Timeout}
	r.abandon(aid)
	d := r.conclude(aid, timer)
	r.detach(aid)
	r.follow(id, d)
}

// abandon disconnects an attempt from its client and settles what the provider
// will have generated for it.
func (r *run) abandon(aid uint32) {
	a := r.attempts.at(aid)
	now := r.loop.Now()
	a.abandoned = true
	switch a.state {
	case waiting:
		if r.stops() {
			r.leaveQueue(a)
		}
	case hung:
		if a.received >= 0 {
			a.output = 0
			a.ends = r.loop.Timer(now+r.hop, event{generated, aid})
		}
	case generating:
		stop := now + r.hop // when the disconnect arrives
		if r.stops() && stop < a.last {
			if stop < a.first {
				a.output = 0
			} else {
				a.output = int32(float64(a.output) * float64(stop-a.first) / float64(a.last-a.first))
			}
			r.loop.Cancel(a.ends)
			a.ends = r.loop.Timer(stop, event{generated, aid})
		}
	}
}

// stops reports whether the provider stops when its client goes.
func (r *run) stops() bool {
	return r.Provider.Cancel == provider.Stops || (r.Provider.Cancel == provider.StopsStreams && r.Workload.Stream)
}

// leaveQueue takes an attempt out of the provider's queue. Its place there is
// passed on when its turn comes.
func (r *run) leaveQueue(a *attempt) {
	a.left, a.output = true, 0
	r.provider.Leave(r.loop.Now(), a.request, 0)
}

// detach forgets an abandoned attempt, at once or when the provider's last
// event for it comes.
func (r *run) detach(aid uint32) {
	if a := r.attempts.at(aid); a.state == hung && a.received < 0 {
		r.attempts.free(aid)
	}
}

// conclude closes the record of an attempt, books its bill, frees its place at
// the gate and asks the policy what to do.
func (r *run) conclude(aid uint32, timer policy.Timer) policy.Decision {
	a := r.attempts.at(aid)
	c := r.calls.at(a.call)
	now := r.loop.Now()
	r.loop.Cancel(a.timer)
	r.loop.Cancel(a.streams)
	c.flight = 0
	rec := &r.books.attempt
	*rec = Attempt{
		Call: c.record.ID, Number: int(a.number), Delivery: int(c.record.Deliveries), Instance: int(c.record.Instance),
		Sent: a.sent, Received: a.received, First: -1, Ended: now,
		Reply: a.reply, Cut: timer,
		Charged: a.charged + a.penalty, Settled: a.penalty, InFlight: int(a.inFlight), Ordinal: int(a.ordinal),
	}
	if a.state == generating || a.state == done || (a.state == waiting && !a.left && !a.hangs) {
		rec.Usage = cost.Usage{Prompt: a.request.Prompt, Cached: a.request.Cached, Output: int(a.output)}
		rec.Bill = r.Price.Bill(rec.Usage)
		if seen := a.first + r.hop; r.Workload.Stream && a.state != waiting && seen <= now {
			rec.First = seen
		} else if rec.Class() == wire.OK {
			rec.First = now
		}
	}
	switch a.state {
	case generating, done, hung, waiting:
		if a.received >= 0 {
			settled, refunded := r.provider.Settle(a.request, int(a.output))
			rec.Settled += settled
			rec.Refunded = refunded
		}
	}
	switch {
	case rec.Class() == wire.OK:
		c.record.Useful += rec.Bill
	default:
		rec.Waste, rec.Cause = true, cost.ByError
		if timer == policy.PatienceTimer {
			rec.Cause = cost.ByAbandoned
		} else if a.reply.Failure == wire.Timeout {
			rec.Cause = cost.ByTimeout
		}
		c.record.Waste[rec.Cause] += rec.Bill
	}
	switch timer {
	case policy.PatienceTimer, policy.EndOfRun: // not for the policy to decide
	case policy.CallTimer:
		rec.Decision = policy.Decision{Outcome: policy.GaveUpDeadline}
	default:
		rec.Decision = r.Client.Retry.Decide(policy.Facts{
			Now: now, Start: c.start, Attempt: int(c.tries), LastWait: c.lastWait, Reply: a.reply,
			U: r.jitter.Uniform(c.record.ID, uint64(a.number)),
		})
	}
	decision := rec.Decision
	r.books.closeAttempt()
	r.pass(c.record.Instance)
	return decision
}
