package fleet

import (
	"stampede/policy"
	"stampede/sim"
	"stampede/wire"
)

// firstToken ends the timers for the first byte of a stream and starts those
// for the rest: the whole attempt, and silence between tokens, which at a
// constant speed is either never too long or too long at once.
func (r *run) firstToken(aid uint32) {
	a := r.attempts.At(aid)
	c := r.calls.At(a.call)
	t := &r.group(c).Client.Timeouts
	r.loop.Cancel(a.timer)
	timer, at := policy.NoTimer, sim.Never
	if whole := t.Whole(int(c.tries)); whole > 0 {
		timer, at = policy.AttemptTimer, a.Sent+whole
	}
	if end, layer := r.expiry(a.call); layer >= 0 && end < at {
		timer, at, a.layer = policy.CallTimer, end, uint8(layer)
	}
	between, constant := r.backends[a.backend].Between(a.flight)
	if gap := t.Gap; gap > 0 && constant && between > gap && r.loop.Now()+gap < at {
		timer, at = policy.GapTimer, r.loop.Now()+gap
	}
	if timer != policy.NoTimer {
		a.timerKind = timer
		a.timer = r.loop.Timer(max(at, r.loop.Now()), event(cut, aid))
	}
}

// replied is the end of an attempt by its reply.
func (r *run) replied(aid uint32) {
	id := r.attempts.At(aid).call
	d, layer := r.conclude(aid, policy.NoTimer)
	r.follow(id, d, layer)
}

// cutOff is a timer of the client. At one instant a reply, or the first token of
// a stream, beats the timeout that would have cut it off.
func (r *run) cutOff(aid uint32) {
	a := r.attempts.At(aid)
	b := r.backends[a.backend]
	b.CatchUp()
	if b.Due(a.flight) {
		return
	}
	id, timer := a.call, a.timerKind
	if timer != policy.AttemptTimer && timer != policy.CallTimer && b.Beginning(a.flight) {
		return
	}
	d, layer := r.drop(aid, timer)
	r.follow(id, d, layer)
}

// drop gives an attempt up, for the reason of the timer. The loser of a hedge that is not
// cancelled has a client still.
func (r *run) drop(aid uint32, timer policy.Timer) (policy.Decision, int) {
	a := r.attempts.At(aid)
	stays := false
	a.Reply = wire.Reply{Failure: wire.Timeout}
	if timer == policy.HedgeTimer {
		a.Reply.Failure = wire.Lost
		stays = !r.groups[a.Fleet].Client.Hedge.Cancel
	}
	r.backends[a.backend].Leave(a.flight, stays)
	return r.conclude(aid, timer)
}

// dropAll gives up all attempts of a call that are in flight.
func (r *run) dropAll(c *call, timer policy.Timer) {
	for c.flight > 0 {
		r.drop(c.flight, timer)
	}
}
