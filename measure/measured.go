package measure

import (
	"time"

	"stampede/cost"
	"stampede/internal/words"
	"stampede/sim"
)

// Measured is the time that a run's metrics cover: from the end of the warm-up
// to the horizon, or to the last call's end where the number of calls ends the run.
//
// A call belongs to it by its arrival, with everything that happens to the call
// later. What has a rate belongs to it by the instant at which it happens. A start
// at From is inside and an end at From is not, so that service of a constant time
// gives as many answers a minute after any warm-up.
type Measured struct{ From, To sim.Time }

// Length is how long it lasts.
func (m Measured) Length() time.Duration { return max(0, m.To-m.From) }

// Starts reports whether what starts at that instant is inside.
func (m Measured) Starts(at sim.Time) bool { return m.From <= at && at < m.To }

// Ends reports whether what ends at that instant is inside. Nothing comes before
// the start of the run, so an end at time 0 is.
func (m Measured) Ends(at sim.Time) bool { return (m.From < at || m.From == 0) && at <= m.To }

// Basis says what a metric covers. No ratio of the registry mixes two of them.
type Basis uint8

const (
	PerRun Basis = iota
	PerCall
	PerTime
)

var bases = words.Glossary[Basis]{
	PerRun: {"per run", "the run as a whole, and what its policy can do"},
	PerCall: {
		"per call",
		"calls that arrive in the measured time, with everything that happens to them whenever it happens",
	},
	PerTime: {"per time", "what happens in the measured time, whichever call it is for"},
}

// String is the word for a basis.
func (b Basis) String() string { return bases.Word(b) }

// Meaning says what such a metric covers.
func (b Basis) Meaning() string { return bases.Meaning(b) }

// MarshalText implements encoding.TextMarshaler.
func (b Basis) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// happened is what happens in a stretch of the run.
type happened struct {
	Measured
	answers, attempts, refusals uint64
	quality                     float64    // of those answers, their sum
	served                      uint64     // answers to calls of all fleets
	billed                      cost.Money // to attempts that ended
	inFlight, perSecond, per100 peak
}

// peak is the most of something, and the most since the trigger ended.
type peak struct{ ever, after int }

func (p *peak) see(n int, after bool) {
	if p.ever = max(p.ever, n); after {
		p.after = max(p.after, n)
	}
}

// plus is what happens in either of two stretches.
func (h happened) plus(o happened) happened {
	h.answers += o.answers
	h.quality += o.quality
	h.attempts += o.attempts
	h.refusals += o.refusals
	h.served += o.served
	h.billed += o.billed
	for _, p := range [][2]*peak{{&h.inFlight, &o.inFlight}, {&h.perSecond, &o.perSecond}, {&h.per100, &o.per100}} {
		p[0].see(p[1].ever, false)
		p[0].after = max(p[0].after, p[1].after)
	}
	return h
}
