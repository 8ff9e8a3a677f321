package backend

import (
	"time"

	"stampede/cost"
	"stampede/provider"
	"stampede/sim"
	"stampede/wire"
)

// Send starts the life of a request, which its owner has filled in.
func (b *Backend) Send(r *Flight) provider.Reachability {
	now := b.loop.Now()
	reach, after := b.api.Reach(now, &r.Request.Request)
	if r.Connect > 0 && b.RoundTrip() > r.Connect && reach != provider.NoName {
		reach = provider.Unreachable // a handshake, one round trip, would take too long
	}
	switch r.reach = reach; reach {
	case provider.Reachable:
		b.loop.At(now+b.hop, b.event(arrives, r))
	case provider.Unreachable:
		r.state = hung
	default:
		if after < 0 {
			after = reach.RoundTrips() * b.RoundTrip()
		}
		r.result.Reply = wire.Reply{Failure: wire.Connection, Code: reach.String()}
		b.refuse(r, after)
	}
	return reach
}

// SendAt sends a request at an instant to come. Its owner hears of it then, by Departed.
func (b *Backend) SendAt(r *Flight, at sim.Time) { b.loop.At(at, b.event(departs, r)) }

// depart sends a request that waited at its client.
func (b *Backend) depart(r *Flight) (News, uint32) {
	if r.gone {
		b.requests.Free(r.self)
		return Nothing, 0
	}
	b.Send(r)
	return Departed, r.Owner
}

// Reach is how a request that was sent reaches its provider.
func (r *Flight) Reach() provider.Reachability { return r.reach }

// refuse sends an error back to the client.
func (b *Backend) refuse(r *Flight, after time.Duration) {
	r.state, r.replyAt = refused, b.loop.Now()+after
	b.loop.At(r.replyAt, b.event(replies, r))
}

// arrive brings a request to the provider's door. At one instant completions
// come before arrivals, so where a completion can make room the request waits
// behind the events already due at this instant, if there are any.
func (b *Backend) arrive(r *Flight) (News, uint32) {
	if b.roomFrees && b.loop.More() {
		b.loop.At(b.loop.Now(), b.event(received, r))
		return Nothing, 0
	}
	return b.receive(r)
}

// receive is the provider's turn.
func (b *Backend) receive(r *Flight) (News, uint32) {
	if r.gone { // the connection is closed: the request is dropped unread
		b.requests.Free(r.self)
		return Nothing, 0
	}
	now := b.loop.Now()
	result := r.result
	if b.fails {
		if after, fails := b.api.GatewayFails(&r.Request.Request, &result.Reply); fails {
			result.Limit = provider.OfGateway
			b.refuse(r, after+b.hop)
			return Taken, r.Owner
		}
	}
	b.recall(r, now)
	r.Admitted, r.hidden = now, r.Reasoning
	result.Received = now
	result.Ordinal, result.Tenth = b.second.place(now, time.Second), b.tenth.place(now, time.Second/10)
	v := b.api.Receive(now, &r.Request.Request, r.self, &result.Reply)
	result.InFlight = b.api.InFlight()
	if result.Limit, result.Never = v.Limit, v.Never; v.Kind == provider.Refused {
		b.refused(r, &v)
		return Taken, r.Owner
	}
	b.config.Gateway.Pass(&result.Reply)
	r.charged, r.slow, r.hangs, r.breaks, r.lost = v.Charged, v.Slow, v.Hangs, v.Breaks, v.Part == 1
	r.silent = v.Silent
	switch r.output = r.Output; {
	case v.Hangs:
		r.output = 0
	case v.Breaks:
		r.output = int32(v.Part * float64(r.Output))
	}
	if b.remembers(r.Key) {
		r.replayed, r.output, r.hidden = true, 0, 0
	}
	if r.state = waiting; v.Kind == provider.Admitted {
		b.generate(r)
	}
	return Taken, r.Owner
}

// refused is the end of a request that the provider refuses, unless the gateway tries again.
func (b *Backend) refused(r *Flight, v *provider.Verdict) {
	now := b.loop.Now()
	gateway := &b.config.Gateway
	r.penalty += v.Charged
	bill := cost.Money(0)
	if v.Billed != provider.Nothing {
		bill = r.Price.Bill(r.usageOfRefusal(v.Billed))
		b.api.Spend(now, &r.Request.Request, int64(bill))
	}
	if int(r.relayed) < gateway.Retries && r.result.Reply.Failure == wire.None { // it looks at the status
		if v.Billed != provider.Nothing {
			r.relays = r.relays.Plus(r.usageOfRefusal(v.Billed))
			r.relayBill += bill
		}
		r.relayed++
		r.Relay++
		b.loop.At(now+v.After+gateway.Wait, b.event(arrives, r))
	} else {
		r.billed = v.Billed
		gateway.Pass(&r.result.Reply)
		b.refuse(r, v.After+b.hop)
	}
}

// generate is the turn of an admitted request.
func (b *Backend) generate(r *Flight) {
	now := b.loop.Now()
	if r.hangs {
		r.state = hung
		if r.gone { // while it waited
			r.ends = b.loop.Timer(now, b.event(ends, r))
		}
		return
	}
	r.state = generating
	hidden := min(r.hidden, r.output)
	switch {
	case r.replayed:
		r.begins, r.first, r.last = now, now, now
	case b.api.Batches():
		r.batched, r.name = true, b.api.Join(now, &r.Request.Request, r.slow, int(hidden), int(r.output), r.self)
		b.reschedule()
		return
	default:
		r.begins, r.first, r.last = b.api.Generate(now, &r.Request.Request, r.slow, int(hidden), int(r.output))
	}
	r.ends = b.loop.Timer(r.last, b.event(ends, r))
	if !r.gone && !r.silent {
		r.replyAt = r.last + b.hop
	}
	b.begin(r)
}

// begin is when an answer is known to begin: its prompt is in the cache from
// then on, and a client that watches its stream will see it.
func (b *Backend) begin(r *Flight) {
	b.warm(r)
	if r.Watched && !r.gone && !(r.silent && r.output <= r.hidden) {
		r.watch = b.loop.Timer(r.first+b.hop, b.event(starts, r))
	}
}

// end is the end of a request at the provider.
func (b *Backend) end(r *Flight) {
	now := b.loop.Now()
	if r.batched { // its client has gone
		r.batched = false
		b.api.Drop(now, r.name)
		b.reschedule()
	}
	if r.silent && !r.gone && !r.lost {
		r.state = stalled
		b.hush(r)
		return
	}
	r.answered = !r.gone && !r.hangs && !r.breaks
	next, started := b.api.Finish(now, &r.Request.Request, b.used(r))
	switch r.state = done; {
	case r.gone:
		b.requests.Free(r.self)
	case r.silent:
		b.hush(r)
	default:
		r.replyAt = now + b.hop
		b.loop.At(r.replyAt, b.event(replies, r))
	}
	b.turn(next, started)
}

// hush is the end of what comes of an answer that breaks without a word: a client that watches its stream hears
// nothing from then on.
func (b *Backend) hush(r *Flight) {
	if r.Watched && r.output > r.hidden {
		r.ends = b.loop.Timer(b.loop.Now()+b.hop, b.event(hushes, r))
	}
}

// turn gives a freed slot to the request that waited longest and is still there.
func (b *Backend) turn(id uint32, started bool) {
	for started && b.requests.At(id).left {
		b.requests.Free(id)
		id, started = b.api.SkipCancelled()
	}
	if started {
		b.generate(b.requests.At(id))
	}
}

// reply is the end of a request at its client.
func (b *Backend) reply(r *Flight) (News, uint32) {
	if r.gone {
		b.requests.Free(r.self)
		return Nothing, 0
	}
	b.loop.Cancel(r.watch)
	r.replied = true
	b.conclude(r)
	return Replied, r.Owner
}

// reschedule schedules the next token of the batch that matters.
func (b *Backend) reschedule() {
	b.loop.Cancel(b.mark)
	b.mark = sim.Timer{}
	if at := b.api.NextMark(); at < sim.Never {
		b.mark = b.loop.Timer(max(at, b.loop.Now()), Event{marks, b.index, 0})
	}
}

// CatchUp takes the first and the last tokens that the batch has come to by now. What happens at
// the provider at this instant comes before what a client does then.
func (b *Backend) CatchUp() {
	if !b.api.Batches() {
		return
	}
	now := b.loop.Now()
	for {
		id, last, ok := b.api.Reached(now)
		if !ok {
			break
		}
		r := b.requests.At(id)
		if last {
			r.batched, r.last = false, now
			b.loop.Cancel(r.ends)
			b.end(r)
		} else {
			r.first = now
			b.begin(r)
		}
	}
	b.reschedule()
}
