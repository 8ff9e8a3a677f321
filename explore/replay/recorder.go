package replay

import (
	"cmp"
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
	index    map[name]int32 // into calls
	levels   [][]Level      // by limit
	attempts []sent
}

type name struct {
	fleet int
	id    uint64
}

// heard is a call, of which an attempt may have been heard first.
type heard struct {
	name
	Call
}

type sent struct {
	Attempt
	at sim.Time
}

// NewRecorder makes a recorder of one run of a model.
func NewRecorder(m *fleet.Model) *Recorder {
	r := &Recorder{provider: m.ProviderOf, index: map[name]int32{}}
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
	r.levels = make([][]Level, len(r.replay.Limits))
	return r
}

// most is how many calls and attempts are kept until the run ends and tells which arrived first.
const most = 4 * MaxAttempts

// call is the place of a call; negative when there are too many.
func (r *Recorder) call(fleet int, id uint64) int32 {
	at, known := r.index[name{fleet, id}]
	if !known {
		if len(r.calls) == most {
			r.replay.Clipped = true
			return -1
		}
		at = int32(len(r.calls))
		r.index[name{fleet, id}] = at
		r.calls = append(r.calls, heard{name{fleet, id}, Call{Arrived: Never, Began: Never, Ended: Never}})
	}
	return at
}

// Attempt implements fleet.Listener.
func (r *Recorder) Attempt(a *fleet.Attempt) {
	at := r.call(a.Fleet, a.Call)
	if at < 0 || len(r.attempts) == most {
		r.replay.Clipped = true
		return
	}
	out := Attempt{
		Call: int(at), Sent: a.Sent.Seconds(), Received: Never, Ended: a.Ended.Seconds(), Class: a.Class(),
		Limit: -1, Dollars: a.Bill.Dollars(), Number: a.Number,
	}
	if a.Received >= 0 {
		out.Received = a.Received.Seconds()
	}
	if a.Limit >= 0 && a.Class() != 0 {
		out.Limit = r.first[r.provider(a)] + int(a.Limit)
	}
	r.attempts = append(r.attempts, sent{out, a.Sent})
	r.replay.End = max(r.replay.End, out.Ended)
}

// Call implements fleet.Listener.
func (r *Recorder) Call(c *fleet.Call) {
	at := r.call(int(c.Fleet), c.ID)
	if at < 0 {
		return
	}
	r.calls[at].Call = Call{
		Arrived: c.Arrived.Seconds(), Began: c.Began.Seconds(), Ended: c.Ended.Seconds(), Outcome: c.Outcome,
		Attempts: int(c.Attempts), Useful: c.Useful.Dollars(), Waste: c.Waste.Total().Dollars(),
	}
	r.replay.End = max(r.replay.End, r.calls[at].Ended)
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
		r.levels[first+i] = append(r.levels[first+i], Level{at.Seconds(), first + i, share})
	}
}

// Replay is what was recorded, after the run.
func (r *Recorder) Replay() *Replay {
	out := r.replay
	order := make([]int32, len(r.calls))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int {
		a, b := &r.calls[i], &r.calls[j]
		return cmp.Or(cmp.Compare(a.Arrived, b.Arrived), cmp.Compare(a.fleet, b.fleet), cmp.Compare(a.id, b.id))
	})
	if len(order) > MaxCalls {
		order, out.Clipped = order[:MaxCalls], true
	}
	place := make([]int32, len(r.calls)) // in the replay, from 1; 0 means left out
	for i, at := range order {
		place[at] = int32(i + 1)
		out.Calls = append(out.Calls, r.calls[at].Call)
	}
	order = order[:0]
	for i := range r.attempts {
		order = append(order, int32(i))
	}
	slices.SortFunc(order, func(i, j int32) int {
		a, b := &r.attempts[i], &r.attempts[j]
		if a.at != b.at {
			return cmp.Compare(a.at, b.at)
		}
		return cmp.Or(cmp.Compare(place[a.Call], place[b.Call]), cmp.Compare(a.Number, b.Number))
	})
	out.Attempts = make([]Attempt, 0, min(len(order), MaxAttempts))
	for _, i := range order {
		a := r.attempts[i]
		if at := place[a.Call]; at > 0 && len(out.Attempts) < MaxAttempts {
			a.Call = int(at - 1)
			out.Attempts = append(out.Attempts, a.Attempt)
		} else {
			out.Clipped = true
		}
	}
	for _, levels := range r.levels {
		out.Levels = append(out.Levels, thin(levels, MaxLevels)...)
	}
	slices.SortStableFunc(out.Levels, func(a, b Level) int { return cmp.Compare(a.At, b.At) })
	return &out
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
		by := func(a, b Level) int { return cmp.Compare(a.Left, b.Left) }
		low, high := slices.MinFunc(part, by), slices.MaxFunc(part, by)
		if high.At < low.At {
			low, high = high, low
		}
		out = append(out, low, high)
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
