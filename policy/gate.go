package policy

import (
	"fmt"
	"math"
	"time"

	"stampede/internal/format"
	"stampede/internal/words"
)

// Gate bounds what one instance, or all together, have in flight. The zero Gate
// bounds nothing. At most one of Semaphore, AIMD and Gradient is set.
type Gate struct {
	Semaphore int // attempts in flight at once
	AIMD      AIMD
	Gradient  Gradient
	Scope     Scope // of one instance, of all together, or of several fleets
	Order     Order // of the calls that wait
	Room      int   // calls that may wait at the gate; more are shed; 0 means no bound, NoRoom that none may
	Held      Held
	// Wait is the longest that a call waits at the gate; 0 means no bound. What becomes of it then is
	// for the retry rule to say, as of an attempt that timed out, when Retriable; else it is shed.
	Wait      time.Duration
	Retriable bool
}

// Held is how long a place at a gate is held.
type Held uint8

const (
	ByAttempt Held = iota // until the attempt ends: a call that waits to retry has no place
	ByCall                // until the call ends, waits between its attempts included
)

// HeldWords are the words for what holds a place.
var HeldWords = words.Table[Held]{"attempt", "call"}

// String is the word for what holds a place.
func (h Held) String() string { return HeldWords.Word(h) }

// Scope is which instances share a gate or a pacer.
type Scope uint8

const (
	PerInstance Scope = iota
	ForAll
	ForFleets // of a gate: all instances of all fleets that have it, see [ShareGate]
)

// ScopeWords are the words of scopes.
var ScopeWords = words.Table[Scope]{"instance", "all", "fleets"}

// String is the word for a scope.
func (s Scope) String() string { return ScopeWords.Word(s) }

// Order is which of the calls that wait at a gate goes first.
type Order uint8

const (
	FirstInFirstOut Order = iota
	LastInFirstOut
	ByPriority // by [Request.Rank], first in, first out among equals
)

// OrderWords are the words of orders.
var OrderWords = words.Table[Order]{"fifo", "lifo", "priority"}

// String is the word for an order.
func (o Order) String() string { return OrderWords.Word(o) }

// NoRoom is a gate at which no call may wait: what finds it full is shed.
const NoRoom = -1

// On reports whether the gate bounds anything.
func (g Gate) On() bool { return g.Semaphore > 0 || g.AIMD.Max > 0 || g.Gradient.Max > 0 }

// Adaptive reports whether the limit changes.
func (g *Gate) Adaptive() bool { return g.AIMD.Max > 0 || g.Gradient.Max > 0 }

// start is the limit at first.
func (g *Gate) start() float64 { return max(float64(g.Semaphore), g.AIMD.Start, g.Gradient.Start) }

// ShareGate gives the instances of several fleets one gate, that of the first. The gates of their clients are
// alike.
func ShareGate(fleets []Instances) {
	for _, f := range fleets {
		for i := range f.each {
			f.each[i].gate = fleets[0].At(0).gate
		}
	}
}

// Start is how many may be in flight at first; 0 means no bound.
func (g *Gate) Start() int { return int(g.start()) }

// Describe names the gate; empty without one.
func (g Gate) Describe() string {
	var s string
	switch {
	case g.Semaphore > 0:
		s = fmt.Sprintf("gate %d", g.Semaphore)
	case g.AIMD.Max > 0:
		s = "gate " + g.AIMD.Describe()
	case g.Gradient.Max > 0:
		s = fmt.Sprintf("gate gradient %g..%g", g.Gradient.Min, g.Gradient.Max)
	default:
		return ""
	}
	switch g.Scope {
	case ForAll:
		s += " for all"
	case ForFleets:
		s += " for all fleets"
	}
	switch g.Order {
	case LastInFirstOut:
		s += ", last first"
	case ByPriority:
		s += ", by priority"
	}
	if g.Room == NoRoom {
		s += ", nobody waits"
	} else if g.Room > 0 {
		s += fmt.Sprintf(", %d wait", g.Room)
	}
	if g.Held == ByCall {
		s += ", held by calls"
	}
	if g.Wait > 0 {
		s += fmt.Sprintf(", waits at most %v", g.Wait)
		if g.Retriable {
			s += " and then retries"
		}
	}
	return s
}

// AIMD is a limit that grows by one while it is used and nothing is dropped, and
// shrinks by a factor on a drop:
//
//	dropped, or slower than Slow    limit Factor, unless the last cut is more recent than Cooldown
//	in flight >= limit/2            limit + 1, after each GrowAfter of these
//
// as the AIMDLimit of Netflix concurrency-limits 0.5.4, whose defaults are 20, 20, 200, 0.9
// and 5 s, and whose limit grows after each. That is exponential: each answer of a limit that is used
// makes room for one more, so that the limit doubles in the time of an answer. With SlowStart it grows
// so only before the first cut, as that of TCP does.
type AIMD struct {
	Start, Min, Max float64
	Factor          float64       // of a drop, 0.5 to 1
	Slow            time.Duration // an answer slower than this counts as a drop; 0 means none does
	Cooldown        time.Duration // between cuts; 0 means none
	GrowAfter       int           // successes; 0 and 1 mean each
	SlowStart       bool          // after each success before the first cut
}

// Describe names the limit with its parameters.
func (a AIMD) Describe() string {
	s := fmt.Sprintf("AIMD %g..%g from %g", a.Min, a.Max, a.Start)
	if a.GrowAfter > 1 {
		s += fmt.Sprintf(", +1 after %d successes", a.GrowAfter)
	}
	if a.SlowStart {
		s += ", slow start"
	}
	s += ", cut by " + format.Percent(1-a.Factor)
	if a.Cooldown > 0 {
		s += fmt.Sprintf(" at most every %v", a.Cooldown)
	}
	return s
}

func (a AIMD) next(s *GateState, now time.Duration, inFlight int, took time.Duration, dropped bool) float64 {
	limit := s.limit
	switch {
	case dropped || (a.Slow > 0 && took > a.Slow):
		if s.wasCut && now-s.cut < a.Cooldown {
			return limit
		}
		s.cut, s.wasCut, s.successes = now, true, 0
		limit = math.Floor(limit * a.Factor)
	case 2*float64(inFlight) >= limit:
		if s.successes++; s.successes < a.GrowAfter && !(a.SlowStart && !s.wasCut) {
			return limit
		}
		s.successes = 0
		limit++
	}
	return min(a.Max, max(a.Min, limit))
}

// Gradient is a limit that follows the ratio of the long-term to the latest answer
// time, the Gradient2Limit of Netflix concurrency-limits 0.5.4:
//
//	gradient = max(0.5, min(1, Tolerance long/latest))
//	limit    = (1-Smoothing) limit + Smoothing (limit gradient + Queue)
//
// with long the mean of the first 10 answer times and then their exponential average
// over Window samples, pulled down by 5 % when it is more than twice the latest. Nothing
// changes while less than half the limit is used. A drop is a sample like any other. Its defaults
// are 20, 20, 200, a queue of 4, 0.2, 1.5 and 600.
type Gradient struct {
	Start, Min, Max float64
	Queue           float64
	Smoothing       float64
	Tolerance       float64
	Window          int
}

const gradientWarmup = 10 // samples

func (g Gradient) next(s *GateState, inFlight int, took time.Duration) float64 {
	latest := took.Seconds()
	if s.samples < gradientWarmup {
		s.samples++
		s.sum += latest
		s.long = s.sum / float64(s.samples)
	} else {
		factor := 2 / float64(g.Window+1)
		s.long = s.long*(1-factor) + latest*factor
	}
	long := s.long
	if latest > 0 && s.long/latest > 2 {
		s.long *= 0.95
	}
	if 2*float64(inFlight) < s.limit || latest <= 0 {
		return s.limit
	}
	gradient := max(0.5, min(1, g.Tolerance*long/latest))
	limit := s.limit*(1-g.Smoothing) + g.Smoothing*(s.limit*gradient+g.Queue)
	return min(g.Max, max(g.Min, limit))
}

// GateState is the limit of a gate at work.
type GateState struct {
	limit     float64
	begun     bool
	wasCut    bool          // ever, of AIMD
	cut       time.Duration // the last time
	successes int           // since the limit changed
	long, sum float64       // seconds, of Gradient
	samples   int
}

// Limit is how many may be in flight now; 0 means no bound.
func (s *GateState) Limit(g *Gate) int {
	if !s.begun {
		s.begun = true
		s.limit = g.start()
	}
	return int(s.limit)
}

// Done records an attempt that ended now: how many, itself included, were in flight
// when it was sent, whether it was dropped (refused, overloaded or timed out) and how
// long it took.
func (s *GateState) Done(g *Gate, now time.Duration, inFlight int, took time.Duration, dropped bool) {
	switch {
	case g.AIMD.Max > 0:
		s.limit = g.AIMD.next(s, now, inFlight, took, dropped)
	case g.Gradient.Max > 0:
		s.limit = g.Gradient.next(s, inFlight, took)
	}
}
