package fleet

import (
	"time"

	"stampede/policy"
	"stampede/provider"
	"stampede/sim"
	"stampede/wire"
)

// ask asks the instance's gate.
func (r *run) ask(id uint32) {
	c := r.calls.at(id)
	g := r.group(c)
	if g.Client.Gate.Semaphore > 0 && g.gates[c.record.Instance].Arrive(id, 0) == sim.Queued {
		c.place = atGate
		r.wait(c, GateWait)
		return
	}
	r.send(id)
}

// pass frees a place at the gate and sends the call that has waited longest.
func (r *run) pass(g *group, instance int32) {
	if g.Client.Gate.Semaphore == 0 {
		return
	}
	for {
		id, ok := g.gates[instance].Depart()
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
	timeouts := &r.group(c).Client.Timeouts
	*a = attempt{
		call: id, number: c.record.Attempts, sent: now, received: -1, first: sim.Never, last: sim.Never, replyAt: sim.Never,
		request: provider.Request{Call: c.record.ID | uint64(c.record.Fleet)<<tenantBits, Tenant: int(c.record.Fleet), Attempt: int(c.record.Attempts),
			Prompt: int(size.Prompt), MaxTokens: int(size.MaxTokens)},
	}
	reach := r.provider.Reach(now, a.request)
	if connect := timeouts.Connect; connect > 0 && 2*r.hop > connect {
		reach = provider.Unreachable // a handshake, one round trip, would take too long
	}
	switch reach {
	case provider.Reachable:
		r.loop.At(now+r.hop, event{kind: arrives, id: aid})
	case provider.RefusedConn:
		r.refuse(aid, wire.Reply{Failure: wire.Connection}, 2*r.hop)
	case provider.Unreachable:
		a.state = hung
	}
	timer, span := timeouts.BeforeFirstByte(int(c.tries), reach != provider.Unreachable)
	if whole := timeouts.Call; whole > 0 && (timer == policy.NoTimer || c.start+whole < now+span) {
		timer, span = policy.CallTimer, max(0, c.start+whole-now)
	}
	if timer != policy.NoTimer {
		a.timerKind = timer
		a.timer = r.loop.Timer(now+span, event{kind: cut, id: aid})
	}
}

// refuse sends an error back to the client.
func (r *run) refuse(aid uint32, reply wire.Reply, after time.Duration) {
	a := r.attempts.at(aid)
	a.state, a.reply, a.replyAt = refused, reply, r.loop.Now()+after
	r.loop.At(a.replyAt, event{kind: replied, id: aid})
}

// arrived brings a request to the provider's door. At one instant completions
// come before arrivals, so where a completion can make room the request waits
// behind the events already due at this instant.
func (r *run) arrived(aid uint32) {
	if r.roomFrees {
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
	c := r.calls.at(a.call)
	a.received = now
	a.request.Cached = int(r.cached(c))
	a.hidden = c.record.Size.Reasoning
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
			r.loop.At(now+v.After+gateway.Wait, event{kind: arrives, id: aid})
			return
		}
		if a.billed = v.Billed; a.billed == provider.Everything {
			a.output = c.record.Size.Output
		}
		r.refuse(aid, gateway.Pass(v.Reply), v.After+r.hop)
		if a.billed != provider.Nothing {
			r.provider.Spend(now, a.request, r.used(a).Nano)
		}
	default:
		a.slow, a.hangs, a.breaks, a.lost = v.Slow, v.Hangs, v.Breaks, v.Part == 1
		a.reply = r.Provider.Gateway.Pass(v.Reply)
		if a.output = c.record.Size.Output; v.Hangs {
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
			a.ends = r.loop.Timer(now, event{kind: generated, id: aid})
		}
		return
	}
	a.state = generating
	hidden := min(a.hidden, a.output)
	if r.provider.Batches() {
		a.batched, a.name = true, r.provider.Join(now, a.request, a.slow, int(hidden), int(a.output), aid)
		r.remark()
		return
	}
	a.first, a.last = r.provider.Generate(now, a.request, a.slow, int(hidden), int(a.output))
	a.ends = r.loop.Timer(a.last, event{kind: generated, id: aid})
	if !a.abandoned {
		a.replyAt = a.last + r.hop
		r.begins(aid)
	}
}

// begins is when an answer is known to begin: its prompt is in the cache from
// then on, and a client that times its stream waits for it.
func (r *run) begins(aid uint32) {
	a := r.attempts.at(aid)
	c := r.calls.at(a.call)
	c.caching, c.cachedAt = a.received, a.first
	g := r.group(c)
	if t := &g.Client.Timeouts; g.Workload.Stream && (t.FirstByte > 0 || t.Gap > 0) {
		a.streams = r.loop.Timer(a.first+r.hop, event{kind: first, id: aid})
	}
}

// cached is how much of the prompt of a call the cache holds now.
func (r *run) cached(c *call) int32 {
	now := r.loop.Now()
	if c.cachedAt <= now {
		c.cached, c.cachedAt = c.caching, sim.Never
	}
	if life := r.group(c).Workload.Cache.Lifetime; life > 0 && now-c.cached >= life {
		return 0
	}
	return c.record.Size.Cached
}

// remark schedules the next token of the batch that matters.
func (r *run) remark() {
	r.loop.Cancel(r.mark)
	r.mark = sim.Timer{}
	if at := r.provider.NextMark(); at < sim.Never {
		r.mark = r.loop.Timer(max(at, r.loop.Now()), event{kind: marked})
	}
}

// marked takes the first and the last tokens that the batch has come to by now.
func (r *run) marked() {
	if !r.provider.Batches() {
		return
	}
	now := r.loop.Now()
	for {
		aid, last, ok := r.provider.Reached(now)
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
	r.remark()
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
	c := r.calls.at(a.call)
	t := &r.group(c).Client.Timeouts
	r.loop.Cancel(a.timer)
	timer, at := policy.NoTimer, sim.Never
	if whole := t.Whole(int(c.tries)); whole > 0 {
		timer, at = policy.AttemptTimer, a.sent+whole
	}
	if t.Call > 0 && c.start+t.Call < at {
		timer, at = policy.CallTimer, c.start+t.Call
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
	now := r.loop.Now()
	if a.batched { // its client has gone
		a.batched = false
		r.provider.Drop(now, a.name)
		r.remark()
	}
	next, started := r.provider.Finish(now, a.request, r.used(a))
	if a.state = done; a.abandoned {
		r.attempts.free(aid)
	} else {
		a.replyAt = now + r.hop
		r.loop.At(a.replyAt, event{kind: replied, id: aid})
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
	r.marked() // what comes at this instant comes first
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
	a.unfinished = a.state == waiting || a.state == generating
	switch a.state {
	case waiting:
		if r.stops(a) {
			r.leaveQueue(a)
		}
	case hung:
		if a.received >= 0 {
			a.output = 0
			a.ends = r.loop.Timer(now+r.hop, event{kind: generated, id: aid})
		}
	case generating:
		stop := now + r.hop // when the disconnect arrives
		if !r.stops(a) || stop >= a.last {
			return
		}
		if a.batched {
			a.output = int32(r.provider.Produced(now, a.name, int(a.output), r.hop))
		} else {
			if stop < a.first {
				a.output = 0
			} else {
				hidden := min(a.hidden, a.output)
				a.output = hidden + int32(float64(a.output-hidden)*float64(stop-a.first)/float64(a.last-a.first))
			}
			r.loop.Cancel(a.ends)
		}
		a.ends = r.loop.Timer(stop, event{kind: generated, id: aid})
	}
}

// stops reports whether the provider stops when its client goes.
func (r *run) stops(a *attempt) bool {
	return r.Provider.Cancel == provider.Stops || (r.Provider.Cancel == provider.StopsStreams && r.groups[a.request.Tenant].Workload.Stream)
}

// leaveQueue takes an attempt out of the provider's queue. Its place there is
// passed on when its turn comes.
func (r *run) leaveQueue(a *attempt) {
	a.left, a.output = true, 0
	r.provider.Leave(r.loop.Now(), a.request, r.used(a))
}

// detach forgets an abandoned attempt, at once or when the provider's last
// event for it comes.
func (r *run) detach(aid uint32) {
	if a := r.attempts.at(aid); a.state == hung && a.received < 0 {
		r.attempts.free(aid)
	}
}
