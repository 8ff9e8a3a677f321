package trace

import (
	"fmt"
	"slices"
	"time"
)

// finish sorts the calls and cuts them to what is wanted.
func (in *reader) finish() (*Calls, error) {
	c := in.out
	if in.ahead > 0 && c.Read.Unsorted == 0 {
		c.Read = in.wanted
	}
	if c.Read.Unsorted > 0 {
		type call struct {
			at time.Duration
			i  int32
		}
		calls := make([]call, len(c.At))
		for i, at := range c.At {
			calls[i] = call{at, int32(i)}
		}
		slices.SortFunc(calls, func(a, b call) int {
			if a.at != b.at {
				return int(min(1, max(-1, a.at-b.at)))
			}
			return int(a.i - b.i)
		})
		indices := make([]int32, len(calls))
		for i, call := range calls {
			indices[i] = call.i
		}
		c.order(indices)
	}
	from, to := 0, len(c.At)
	first := c.At[0]
	c.Read.Start = first
	if in.o.From.Set {
		c.Read.Start = in.instant(in.o.From, first)
		from, _ = slices.BinarySearch(c.At, c.Read.Start)
	}
	if in.o.To.Set {
		to, _ = slices.BinarySearch(c.At, in.instant(in.o.To, first))
	}
	if from >= to {
		return nil, fmt.Errorf("%s: no calls between from and to; the file has %d, from %s to %s", in.name, len(c.At),
			c.Read.when(first), c.Read.when(c.At[len(c.At)-1]))
	}
	if in.o.From.Set && in.o.To.Set {
		c.Read.Window = in.instant(in.o.To, first) - c.Read.Start
	}
	c.Read.Outside = len(c.At) - (to - from)
	if in.o.Calls > 0 {
		to = min(to, from+in.o.Calls)
	}
	c.cut(from, to)
	c.Read.First, c.Read.Last = c.At[0], c.At[len(c.At)-1]
	for _, f := range []Field{MaxTokens, Cached, Reasoning} {
		if c.Values[f] != nil && slices.Max(c.Values[f]) < 0 && in.o.Columns[f] == "" {
			c.Values[f], c.Read.Columns[f] = nil, "" // a column of the format without values
		}
	}
	if !in.plan.complete {
		c.Read.Ties = ties(c.At)
	}
	c.Read.Unit, c.Read.Guess = in.clock.words(), in.clock.guess
	c.Read.Naive, c.Read.Zoned = in.clock.naive, in.clock.zoned
	return c, nil
}

// ties counts the calls at the time of the one before, where all times are whole seconds.
func ties(at []time.Duration) (n int) {
	for i := range at {
		if at[i]%time.Second != 0 {
			return 0
		}
		if i > 0 && at[i] == at[i-1] {
			n++
		}
	}
	return n
}

// instant is a moment on the clock of the file.
func (in *reader) instant(m Moment, first time.Duration) time.Duration {
	if m.At.IsZero() {
		return first + m.Since
	}
	at := m.At
	if !m.Zoned {
		at = time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond(),
			in.clock.zone)
	}
	return time.Duration(at.UnixNano())
}

// order puts the calls in the order of the indices.
func (c *Calls) order(indices []int32) {
	c.At = ordered(c.At, indices)
	for f, values := range c.Values {
		if values != nil {
			c.Values[f] = ordered(values, indices)
		}
	}
}

func ordered[T any](values []T, indices []int32) []T {
	out := make([]T, len(indices))
	for i, from := range indices {
		out[i] = values[from]
	}
	return out
}

// cut keeps the calls from one to before another.
func (c *Calls) cut(from, to int) {
	c.At = c.At[from:to]
	for f, values := range c.Values {
		if values != nil {
			c.Values[f] = values[from:to]
		}
	}
}
