package fleet

import (
	"stampede/policy"
	"stampede/provider"
	"stampede/sim"
	"stampede/wire"
)

// firstToken ends the timers for the first byte of a stream and starts those
// for the rest: the whole attempt, and silence between tokens, which at a
// constant speed is either never too long or too long at once.
func (r *run) firstToken(a *attempt) {
	c := r.calls.At(a.call)
	g := r.group(c)
	t := &g.kind(c).client.Timeouts
	r.loop.Cancel(a.timer)
	timer, at := policy.NoTimer, sim.Never
	if whole := t.Whole(int(c.tries)); whole > 0 {
		sent := a.Received - r.backends[a.backend].RoundTrip()/2
		timer, at = policy.AttemptTimer, sent+whole
	}
	if end, layer := r.expiry(g, c); layer >= 0 && end < at {
		timer, at, a.layer = policy.CallTimer, end, uint8(layer)
	}
	between, constant := r.backends[a.backend].Between(a.flight)
	if gap := t.Gap; gap > 0 && constant && between > gap && r.loop.Now()+gap < at {
		timer, at = policy.GapTimer, r.loop.Now()+gap
	}
	a.timerKind, a.timer, a.until = timer, sim.Timer{}, max(at, r.loop.Now())
	r.taken(a)
}

// lastToken starts the timer for silence, where it ends before the present one, after the last token that comes
// of a stream which stalls.
func (r *run) lastToken(a *attempt) {
	c := r.calls.At(a.call)
	gap := r.group(c).kind(c).client.Timeouts.Gap
	end := r.loop.Now() + gap
	if gap == 0 || a.timerKind != policy.NoTimer && a.until <= end {
		return
	}
	r.loop.Cancel(a.timer)
	a.timerKind, a.until = policy.GapTimer, end
	a.timer = r.loop.Timer(end, event(cut, a.self))
}

// taken starts the timer of an attempt, unless what it waits for is known to come in time.
func (r *run) taken(a *attempt) {
	if a.timerKind != policy.NoTimer && a.timer == (sim.Timer{}) && !r.inTime(a) {
		a.timer = r.loop.Timer(a.until, event(cut, a.self))
	}
}

// inTime reports whether an attempt's reply, or the first token that starts another timer, is
// known to come before the present one ends. At one instant the reply comes first, and the first
// token as well where the timer waits for it.
func (r *run) inTime(a *attempt) bool {
	reply, first := r.backends[a.backend].Due(a.flight)
	if a.timerKind == policy.AttemptTimer || a.timerKind == policy.CallTimer {
		return reply <= a.until || first < a.until
	}
	return reply <= a.until || first <= a.until
}

// replied is the end of an attempt by its reply.
func (r *run) replied(a *attempt) {
	c := r.calls.At(a.call)
	d, layer := r.conclude(a, c, policy.NoTimer)
	r.follow(c, d, layer)
}

// cutOff is a timer of the client.
func (r *run) cutOff(a *attempt) {
	r.backends[a.backend].CatchUp()
	if r.inTime(a) {
		return
	}
	c := r.calls.At(a.call)
	d, layer := r.drop(a, c, a.timerKind)
	r.follow(c, d, layer)
}

// drop gives an attempt up, for the reason of the timer. That of the operating system breaks the connection.
// The loser of a hedge that is not cancelled has a client still.
func (r *run) drop(a *attempt, c *call, timer policy.Timer) (policy.Decision, int) {
	stays := false
	a.Reply = wire.Reply{Failure: wire.Timeout}
	switch timer {
	case policy.HedgeTimer:
		a.Reply.Failure = wire.Lost
		stays = !r.groups[a.Fleet].Client.Hedge.Cancel
	case policy.OSTimer:
		a.Reply.Failure, a.Reply.Code = wire.Connection, provider.Unreachable.String()
	}
	r.backends[a.backend].Leave(a.flight, stays)
	return r.conclude(a, c, timer)
}

// dropAll gives up all attempts of a call that are in flight.
func (r *run) dropAll(c *call, timer policy.Timer) {
	for c.flight > 0 {
		r.drop(r.attempts.At(c.flight), c, timer)
	}
}
