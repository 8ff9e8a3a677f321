package animation

import (
	"cmp"
	"math"
	"slices"

	"stampede/explore/replay"
	"stampede/policy"
)

// cursor is an instant of a replay that only moves forward. It takes each attempt up once when it is sent and once
// when it ends, so that a frame costs one step a call.
type cursor struct {
	*replay.Replay
	flash float64 // seconds for which a refusal is shown
	t     float64

	bySend  []int32   // attempts by when they were sent
	sent    int       // of them, until t
	byEnd   []int32   // attempts by their end
	ended   int       // of them, until t
	under   []int32   // attempts under way, by call
	refused []float64 // the end of the last attempt that was refused, by call

	closed   []int32 // calls by their end
	done     int     // of them, until t
	answered int
	dollars  float64

	bin      float64 // width of a bin
	attempts []int   // sent, by bin
	answers  []int   // by bin
}

func newCursor(r *replay.Replay, flash, bin float64, bins int) *cursor {
	c := &cursor{
		Replay: r, flash: flash, t: -1,
		bySend: make([]int32, len(r.Attempts)), byEnd: make([]int32, len(r.Attempts)),
		closed: make([]int32, len(r.Calls)),
		under:  make([]int32, len(r.Calls)), refused: make([]float64, len(r.Calls)),
		bin: bin, attempts: make([]int, bins), answers: make([]int, bins),
	}
	for i := range c.refused {
		c.refused[i] = math.Inf(-1)
	}
	order(c.bySend, func(i int32) float64 { return r.Attempts[i].Sent })
	order(c.byEnd, func(i int32) float64 { return r.Attempts[i].Ended })
	order(c.closed, c.closedAt)
	return c
}

// order fills places with 0, 1, 2, ... in order of time; of one time, in their own order.
func order(places []int32, at func(int32) float64) {
	for i := range places {
		places[i] = int32(i)
	}
	slices.SortFunc(places, func(i, j int32) int { return cmp.Or(cmp.Compare(at(i), at(j)), int(i-j)) })
}

// closedAt is when a call is booked; one that never ends, at the end of the run.
func (c *cursor) closedAt(call int32) float64 {
	if ended := c.Calls[call].Ended; ended != replay.Never {
		return ended
	}
	return c.End
}

// binOf is the bin of an instant.
func (c *cursor) binOf(t float64) int { return min(int(t/c.bin), len(c.attempts)-1) }

// to moves forward to an instant.
func (c *cursor) to(t float64) {
	c.t = t
	for ; c.sent < len(c.bySend); c.sent++ {
		a := &c.Attempts[c.bySend[c.sent]]
		if a.Sent > t {
			break
		}
		c.under[a.Call]++
		c.attempts[c.binOf(a.Sent)]++
	}
	for ; c.ended < len(c.byEnd); c.ended++ {
		a := &c.Attempts[c.byEnd[c.ended]]
		if a.Ended > t {
			break
		}
		c.under[a.Call]--
		if a.Refused() {
			c.refused[a.Call] = a.Ended
		}
	}
	for ; c.done < len(c.closed); c.done++ {
		call := &c.Calls[c.closed[c.done]]
		if c.closedAt(c.closed[c.done]) > t {
			break
		}
		c.dollars += call.Useful + call.Waste
		if call.Ended != replay.Never && call.Outcome == policy.Answered {
			c.answered++
			c.answers[c.binOf(call.Ended)]++
		}
	}
}

// state is what a call is doing, as [replay.Call.StateAt] says.
func (c *cursor) state(i int) replay.State {
	call := &c.Calls[i]
	switch {
	case c.t < call.Arrived:
		return replay.Idle
	case call.Ended != replay.Never && c.t >= call.Ended && call.Outcome == policy.Answered:
		return replay.Answered
	case call.Ended != replay.Never && c.t >= call.Ended:
		return replay.GaveUp
	case c.under[i] > 0:
		return replay.AtProvider
	case c.t < c.refused[i]+c.flash:
		return replay.Refused
	}
	return replay.Waiting
}

// together reports whether all calls arrive at once. Where they do not, nobody knows of a call before it arrives.
func together(r *replay.Replay) bool {
	n := len(r.Calls)
	return n > 0 && r.Calls[0].Arrived == r.Calls[n-1].Arrived
}
