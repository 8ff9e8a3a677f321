package backend

import (
	"time"

	"stampede/provider"
	"stampede/sim"
)

// Leave disconnects a request from its client before the reply and says in the result, whose
// Reply the owner has set, what the provider will have generated for it. A client that stays is
// one that no longer waits but keeps the connection.
func (b *Backend) Leave(r *Flight, stays bool) {
	if r.replied { // and nothing is left of it
		return
	}
	now := b.loop.Now()
	b.loop.Cancel(r.watch)
	r.gone = true
	r.unfinished = r.state == waiting || r.state == generating
	switch stops := !stays && b.stops(r); r.state {
	case stalled:
		b.loop.Cancel(r.ends)
		r.ends = b.loop.Timer(now+b.hop, b.event(ends, r))
	case done:
		if r.silent {
			b.loop.Cancel(r.ends)
		}
	case waiting:
		if stops {
			b.leaveQueue(r)
		}
	case hung:
		if r.Admitted >= 0 {
			r.output = 0
			r.ends = b.loop.Timer(now+b.hop, b.event(ends, r))
		}
	case generating:
		if stops {
			b.stop(r, now+b.hop) // when the disconnect arrives
		}
	}
	b.conclude(r)
}

// Expel takes a request out of the queue before a slot, at the end of a run, whatever the
// provider does with those whose clients go.
func (b *Backend) Expel(r *Flight) {
	if r.state == waiting {
		b.leaveQueue(r)
	}
}

// stop ends the generation of an answer before its last token.
func (b *Backend) stop(r *Flight, at sim.Time) {
	if at >= r.last {
		return
	}
	switch {
	case r.batched:
		r.output = int32(b.api.Produced(b.loop.Now(), r.name, int(r.output), b.hop))
	case at < r.begins:
		r.output = 0
		b.loop.Cancel(r.ends)
	default:
		r.output = int32(float64(r.output) * float64(at-r.begins) / float64(r.last-r.begins))
		b.loop.Cancel(r.ends)
	}
	if at < r.first {
		b.cool(r) // its answer will not begin
	}
	r.ends = b.loop.Timer(at, b.event(ends, r))
}

// stops reports whether the provider stops when the client goes.
func (b *Backend) stops(r *Flight) bool {
	rule := b.config.Cancel
	return rule == provider.Stops || (rule == provider.StopsStreams && r.Stream)
}

// leaveQueue takes a request out of the queue. Its place there is passed on when its turn comes.
func (b *Backend) leaveQueue(r *Flight) {
	if r.left {
		return
	}
	r.left, r.output = true, 0
	b.api.Leave(b.loop.Now(), &r.Request.Request, b.used(r))
}

// Release lets a request go whose result is complete.
func (b *Backend) Release(r *Flight) {
	if r.result = nil; r.replied || r.hushed() {
		b.requests.Free(r.self)
	}
}

// Due is when the reply reaches the client, and when the first token of a stream does that is
// watched; sim.Never as long as it is not known.
func (b *Backend) Due(r *Flight) (reply, first sim.Time) {
	if r.watch == (sim.Timer{}) {
		return r.replyAt, sim.Never
	}
	return r.replyAt, r.first + b.hop
}

// Between is the time between two tokens that are seen of an answer that has begun; false where it is not
// constant, in a batch.
func (b *Backend) Between(r *Flight) (time.Duration, bool) {
	return (r.last - r.first) / time.Duration(max(1, r.output-r.hidden)), !r.batched
}

// Answer is what the client gets of an answer that has begun, in tokens, with those of reasoning
// among them, and the time from the first token that is seen to the last: in a batch as it would be
// if nobody came or went.
func (b *Backend) Answer(r *Flight) (output, hidden int32, span time.Duration) {
	switch output, hidden = r.output, min(r.hidden, r.output); {
	case r.replayed:
		output, hidden = r.Output, r.Reasoning
	case r.batched:
		streams := min(b.api.InFlight(), b.config.Capacity.Slots)
		span = time.Duration(output-hidden) * b.config.Capacity.Batching.Streams(streams)
	default:
		span = r.last - r.first
	}
	return output, hidden, span
}

// Shown is how many tokens of a stream its client had seen when it broke or was cut off.
func (b *Backend) Shown(r *Flight, ended sim.Time) int {
	first, last := r.result.First, r.last+b.hop
	visible := float64(max(0, r.output-r.hidden))
	if ended >= last || last == first {
		return int(visible)
	}
	return int(visible * float64(ended-first) / float64(last-first))
}
