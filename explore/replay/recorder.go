package replay

import (
	"cmp"
	"math"
	"slices"

	"stampede/fleet"
	"stampede/policy"
	"stampede/provider"
	"stampede/sim"
)

// Recorder is a fleet.Listener that makes a replay of a run. Use NewRecorder.
type Recorder struct {
	provider func(*fleet.Attempt) int // the number of that it was sent to
	first    []int                    // of the limits of each provider, and the number of all
	replay   Replay
	calls    []heard
	index    [][]int32 // into calls, from 1, by fleet and ID; 0 means not heard of
	levels   [][]Level // by limit
	attempts []Attempt // in order of their ends; Call is an index into calls
	full     float64   // when there were too many of them
	made     Replay    // the last
}

// heard is a call, of which an attempt may have been heard first.
type heard struct {
	fleet int
	id    uint64
	Call
}

// NewRecorder makes a recorder of one run of a model.
func NewRecorder(m *fleet.Model) *Recorder {
	r := &Recorder{}
	r.Reset(m)
	return r
}

// Reset makes it a recorder of another run, of the same or another model, in the memory that it has, that of
// its last replay with it. The memory of a long run is given back.
func (r *Recorder) Reset(m *fleet.Model) {
	if cap(r.attempts) > MaxAttempts {
		*r = Recorder{}
	}
	r.provider, r.full = m.ProviderOf, math.Inf(1)
	r.first, r.replay = r.first[:0], Replay{}
	r.calls, r.attempts = r.calls[:0], r.attempts[:0]
	for i, p := range m.Providers() {
		if i == 0 {
			r.replay.Slots = p.Capacity.Slots
		}
		r.first = append(r.first, len(r.replay.Limits))
		for _, l := range p.Limits {
			limit := Limit{Name: l.Name, Unit: l.Resource.String()}
			switch seconds := l.Period.Seconds(); {
			case seconds == 0:
			case l.Kind == provider.TokenBucket || l.Kind == provider.LeakyBucket:
				limit.Rate = float64(l.Amount) / seconds
			case l.Kind == provider.FixedWindow:
				limit.Window, limit.Offset = seconds, l.Offset.Seconds()
			}
			r.replay.Limits = append(r.replay.Limits, limit)
		}
	}
	r.first = append(r.first, len(r.replay.Limits))
	r.index = emptied(r.index, len(m.Fleets()))
	r.levels = emptied(r.levels, len(r.replay.Limits))
}

// emptied makes so many empty lists of those that there are.
func emptied[T any](lists [][]T, n int) [][]T {
	for len(lists) < n {
		lists = append(lists, nil)
	}
	lists = lists[:n]
	for i := range lists {
		lists[i] = lists[i][:0]
	}
	return lists
}

// most is how many calls and attempts are kept until the run ends and tells which arrived first.
const most = 4 * MaxAttempts

// call is the place of a call; negative when there are too many.
func (r *Recorder) call(fleet int, id uint64) int32 {
	index := &r.index[fleet]
	if id < uint64(len(*index)) && (*index)[id] > 0 {
		return (*index)[id] - 1
	}
	if len(r.calls) == most {
		r.replay.Clipped = true
		return -1
	}
	for uint64(len(*index)) <= id {
		*index = append(*index, 0)
	}
	r.calls = append(r.calls, heard{fleet, id, Call{Arrived: Never, Ended: Never}})
	(*index)[id] = int32(len(r.calls))
	return int32(len(r.calls)) - 1
}

// Attempt implements fleet.Listener.
func (r *Recorder) Attempt(a *fleet.Attempt) {
	at := r.call(a.Fleet, a.Call)
	if at < 0 || len(r.attempts) == most {
		r.replay.Clipped, r.full = true, min(r.full, seconds(a.Ended))
		return
	}
	out := Attempt{
		Call: int(at), Sent: seconds(a.Sent), Received: Never, Ended: seconds(a.Ended), Class: a.Class(),
		Limit: -1, Number: a.Number,
	}
	if a.Received >= 0 {
		out.Received = seconds(a.Received)
	}
	if a.Limit >= 0 && out.Class != 0 {
		out.Limit = r.first[r.provider(a)] + int(a.Limit)
	}
	r.attempts = append(r.attempts, out)
	r.ends(out.Ended)
}

// seconds is an instant of at most a hundred days in seconds, correctly rounded.
func seconds(t sim.Time) float64 { return float64(t) / 1e9 }

// Call implements fleet.Listener.
func (r *Recorder) Call(c *fleet.Call) {
	at := r.call(int(c.Fleet), c.ID)
	if at < 0 {
		return
	}
	r.calls[at].Call = Call{
		Arrived: seconds(c.Arrived), Ended: seconds(c.Ended), Outcome: c.Outcome,
		Useful: c.Useful.Dollars(), Waste: c.Waste.Total().Dollars(),
	}
	r.ends(r.calls[at].Ended)
}

// ends notes that something ended.
func (r *Recorder) ends(at float64) {
	if at > r.replay.End { // without the rules of max for what is no number
		r.replay.End = at
	}
}

// Levels implements fleet.LevelListener.
func (r *Recorder) Levels(at sim.Time, number int, p *provider.Provider) {
	first := r.first[number]
	for i := range r.first[number+1] - first {
		left, amount := p.Left(i, at)
		limit := &r.replay.Limits[first+i]
		limit.Amount = max(limit.Amount, amount)
		share := 0.0
		if amount > 0 {
			share = float64(left) / float64(amount)
		}
		r.levels[first+i] = append(r.levels[first+i], Level{seconds(at), first + i, share})
	}
}

// Replay is what was recorded, after the run. It is valid until the recorder is reset.
func (r *Recorder) Replay() *Replay {
	number := make([]int, len(r.calls)) // of the attempts of each call
	for i := range r.attempts {
		number[r.attempts[i].Call]++
	}
	places := r.places(number)
	calls, attempts, levels := r.made.Calls[:0], r.made.Attempts[:0], r.made.Levels[:0]
	r.made = r.replay
	if r.made.Until = min(r.made.End, r.full); len(places) < len(r.calls) {
		r.made.Clipped = true
		if last := r.calls[places[len(places)-1]].Arrived; last > r.calls[places[0]].Arrived {
			r.made.Until = min(r.made.Until, last)
		}
	}
	if first := places[:min(1, len(places))]; len(first) > 0 && number[first[0]] > MaxAttempts {
		number[first[0]], r.made.Clipped = MaxAttempts, true // a call that tries too often is cut short
	}
	own := make([]group, len(r.calls)) // by index into r.calls
	kept := 0
	for i, at := range places {
		own[at] = group{call: i + 1, first: kept, next: kept, end: kept + number[at]}
		kept += number[at]
		calls = append(calls, r.calls[at].Call)
	}
	attempts = slices.Grow(attempts, kept)[:kept]
	for i := range r.attempts {
		a := &r.attempts[i]
		if of := &own[a.Call]; of.next < of.end {
			of.add(attempts, a)
		} else if of.call > 0 {
			r.made.Until = min(r.made.Until, a.Ended)
		}
	}
	for _, of := range r.levels {
		levels = append(levels, thin(of, MaxLevels)...)
	}
	if len(r.levels) > 1 {
		slices.SortStableFunc(levels, func(a, b Level) int { return cmp.Compare(a.At, b.At) })
	}
	r.made.Calls, r.made.Attempts, r.made.Levels = calls, attempts, levels
	return &r.made
}

// group is where the attempts of a call lie in a replay.
type group struct {
	call             int // in the replay, from 1; 0 means left out
	first, next, end int
}

// add puts an attempt behind those of its call that were sent before it. Most end in the order in which they were
// sent.
func (g *group) add(attempts []Attempt, a *Attempt) {
	at := g.next
	for ; at > g.first && before(a, &attempts[at-1]); at-- {
		attempts[at] = attempts[at-1]
	}
	attempts[at] = *a
	attempts[at].Call = g.call - 1
	g.next++
}

func before(a, b *Attempt) bool { return a.Sent < b.Sent || a.Sent == b.Sent && a.Number < b.Number }

// places are the calls to keep, in order of arrival: the first, as many as have MaxAttempts together, one at least.
func (r *Recorder) places(attempts []int) []int32 {
	order := make([]int32, 0, len(r.calls))
	for _, index := range r.index { // those of a fleet have numbers in order of arrival
		for _, at := range index {
			if at > 0 {
				order = append(order, at-1)
			}
		}
	}
	arrival := func(i, j int32) int { return cmp.Compare(r.calls[i].Arrived, r.calls[j].Arrived) }
	if !slices.IsSortedFunc(order, arrival) { // several fleets
		slices.SortStableFunc(order, arrival)
	}
	order = order[:min(len(order), MaxCalls)]
	kept := 0
	for i, at := range order {
		if kept += attempts[at]; kept > MaxAttempts {
			return order[:max(1, i)]
		}
	}
	return order
}

// thin keeps at most so many levels: the lowest and the highest of each part of as many.
func thin(levels []Level, most int) []Level {
	if len(levels) <= most {
		return levels
	}
	parts := most / 2
	out := make([]Level, 0, most)
	for i := range parts {
		part := levels[i*len(levels)/parts : (i+1)*len(levels)/parts]
		low, high := 0, 0
		for k := range part {
			if part[k].Left < part[low].Left {
				low = k
			}
			if part[k].Left > part[high].Left {
				high = k
			}
		}
		out = append(out, part[min(low, high)], part[max(low, high)])
	}
	return out
}

// Of is the replay of a replication of a model, which has run before without a listener: a run depends on the
// seed and the number of the replication alone.
func Of(m *fleet.Model, seed uint64, replication int) (*Replay, error) {
	r := NewRecorder(m)
	if _, err := m.Run(seed, replication, r); err != nil {
		return nil, err
	}
	return r.Replay(), nil
}

// StateAt is what a call is doing at an instant, given its attempts in the order in which they were sent. For
// flash seconds after a refusal it is Refused.
func (c *Call) StateAt(t, flash float64, attempts []Attempt) State {
	switch {
	case t < c.Arrived:
		return Idle
	case c.Ended != Never && t >= c.Ended && c.Outcome == policy.Answered:
		return Answered
	case c.Ended != Never && t >= c.Ended:
		return GaveUp
	}
	refused := false
	for i := range attempts {
		a := &attempts[i]
		switch {
		case a.Sent <= t && t < a.Ended:
			return AtProvider
		case a.Refused() && a.Ended <= t && t < a.Ended+flash:
			refused = true
		}
	}
	if refused {
		return Refused
	}
	return Waiting
}
