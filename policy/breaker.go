package policy

import (
	"fmt"
	"strings"
	"time"

	"stampede/internal/format"
	"stampede/internal/words"
	"stampede/sim"
	"stampede/wire"
)

// Breaker stops an instance from sending where too much fails. It is closed until
// it trips, then open for a time, then half-open: a few probes decide whether it
// closes or opens again. It trips on either rule that is set:
//
//	in a row    InARow failures without a success between them
//	ratio       failures / results >= Ratio over the last Count results or the last
//	            Window, once there are Minimum of them
//
// At the instant of expiry the new state holds. What it stops is as Stops says. The zero Breaker never trips.
type Breaker struct {
	InARow   int           // 0 means that the rule is not set
	Ratio    float64       // 0 means that the rule is not set
	Count    int           // of Ratio: so many last results
	Window   time.Duration // of Ratio, instead of Count: what ended in this time
	Minimum  int           // of Ratio: fewer results never trip it
	Open     time.Duration // how long it stays open
	Probes   int           // half-open: so many at once, and so many successes close it; 0 means 1
	Counts   Classes       // what is a failure; every other result is a success. 0 means Failures
	WhenOpen WhenOpen
	Stops    Stops
}

// Stops is what a breaker stops that is not closed.
type Stops uint8

const (
	EveryAttempt Stops = iota
	OnlyRetries        // and hedges: a first attempt passes, as a probe where one is wanted, else unrecorded
)

// StopsWords are the words of what it stops.
var StopsWords = words.Table[Stops]{"all", "retries"}

// String is the word for it.
func (s Stops) String() string { return StopsWords.Word(s) }

// stops reports whether it can stop an attempt of that role.
func (b *Breaker) stops(r Role) bool { return b.Stops == EveryAttempt || r != FirstTry }

// Classes is a set of classes of replies.
type Classes uint16

// ClassesOf is the set of the given classes.
func ClassesOf(classes ...wire.Class) (set Classes) {
	for _, c := range classes {
		set |= 1 << c
	}
	return set
}

// Has reports whether a class is in the set.
func (s Classes) Has(c wire.Class) bool { return s>>c&1 == 1 }

// Describe lists the classes.
func (s Classes) Describe() string {
	var words []string
	for c := range wire.Class(wire.Classes) {
		if s.Has(c) {
			words = append(words, c.String())
		}
	}
	return strings.Join(words, ", ")
}

// Failures are the classes that speak of the provider's health. An error of the request itself
// (400, 401, 404, 422) is not among them: one client's bad request would stop the others.
var Failures = ClassesOf(wire.Throttled, wire.Overloaded, wire.ServerError, wire.TimedOut, wire.Disconnected)

// WhenOpen is what becomes of a call that meets an open breaker.
type WhenOpen uint8

const (
	FailFast WhenOpen = iota // it ends
	HoldBack                 // it waits until the breaker may let it through
	FallBack                 // it goes to the next target, where there is one, and else ends
)

// WhenOpenWords are the words of what becomes of it.
var WhenOpenWords = words.Table[WhenOpen]{"fail", "wait", "fall_back"}

// String is the word for it.
func (w WhenOpen) String() string { return WhenOpenWords.Word(w) }

// On reports whether the breaker can trip.
func (b Breaker) On() bool { return b.InARow > 0 || b.Ratio > 0 }

// Failed reports whether a reply of the class is a failure.
func (b *Breaker) Failed(c wire.Class) bool {
	return failedBy(b.Counts, c)
}

// failedBy reports whether a class is among those that count as failures; none means Failures.
func failedBy(counts Classes, c wire.Class) bool {
	if counts == 0 {
		return Failures.Has(c)
	}
	return counts.Has(c)
}

// probes is how many probes there are.
func (b *Breaker) probes() int { return max(1, b.Probes) }

// Describe names the breaker; empty for one that never trips.
func (b Breaker) Describe() string {
	var rules []string
	if b.InARow > 0 {
		rules = append(rules, fmt.Sprintf("%d in a row", b.InARow))
	}
	if b.Ratio > 0 {
		over := fmt.Sprintf("%v", b.Window)
		if b.Window == 0 {
			over = fmt.Sprint(b.Count)
		}
		rules = append(rules, fmt.Sprintf("%s of %s, at least %d", format.Percent(b.Ratio), over, b.Minimum))
	}
	if len(rules) == 0 {
		return ""
	}
	s := fmt.Sprintf("breaker at %s, open %v", strings.Join(rules, " or "), b.Open)
	if b.Counts != 0 && b.Counts != Failures {
		s += fmt.Sprintf(", counts %s", b.Counts.Describe())
	}
	if b.Stops == OnlyRetries {
		s += ", stops retries only"
	}
	if b.WhenOpen == HoldBack {
		s += ", calls wait"
	}
	return s
}

// BreakerState is a breaker at work. Its zero value is closed.
type BreakerState struct {
	generation uint32 // grows with every change of state; results of an older one are void
	state      breakerState
	row        int32         // failures in a row
	probing    int32         // half-open: probes under way
	passed     int32         // half-open: probes that succeeded
	until      time.Duration // of open
	results    results
}

// unrecorded is the generation of an attempt that passes a breaker that is not closed: by then there was another.
const unrecorded = 0

type breakerState uint8

const (
	closed breakerState = iota
	opened
	halfOpen
)

// Ask reports whether an attempt may be sent now, and the generation under which
// its result is to be reported. When it may not, wait is the time until the breaker is
// half-open, or 0 when only the end of a probe decides.
func (s *BreakerState) Ask(b *Breaker, now time.Duration) (ok bool, generation uint32, wait time.Duration) {
	if s.state == opened && now >= s.until {
		s.enter(halfOpen)
	}
	switch s.state {
	case opened:
		return false, s.generation, s.until - now
	case halfOpen:
		if int(s.probing+s.passed) >= b.probes() {
			return false, s.generation, 0
		}
		s.probing++
	}
	return true, s.generation, 0
}

// Forget takes back an Ask whose attempt was not sent.
func (s *BreakerState) Forget(generation uint32) {
	if generation == s.generation && s.state == halfOpen {
		s.probing--
	}
}

// Done records the result of an attempt.
func (s *BreakerState) Done(b *Breaker, now time.Duration, generation uint32, failed bool) {
	if generation != s.generation {
		return // from before the state changed
	}
	switch s.state {
	case halfOpen:
		s.probing--
		if failed {
			s.trip(b, now)
		} else if s.passed++; int(s.passed) >= b.probes() {
			s.enter(closed)
		}
	case closed:
		if s.row++; !failed {
			s.row = 0
		}
		if b.Ratio > 0 {
			s.results.add(now, failed, b.Count, b.Window)
		}
		if (b.InARow > 0 && int(s.row) >= b.InARow) || s.results.tripped(b.Ratio, b.Minimum) {
			s.trip(b, now)
		}
	}
}

// OpenFor is how long the breaker stays open; 0 when it is not open now.
func (s *BreakerState) OpenFor(now time.Duration) time.Duration {
	if s.state != opened {
		return 0
	}
	return max(0, s.until-now)
}

// Probing is how many probes are under way.
func (s *BreakerState) Probing() int { return int(s.probing) }

func (s *BreakerState) trip(b *Breaker, now time.Duration) {
	s.enter(opened)
	s.until = now + b.Open
}

func (s *BreakerState) enter(state breakerState) {
	s.generation++
	s.state, s.row, s.probing, s.passed = state, 0, 0, 0
	s.results.clear()
}

// results are the last results, the oldest first.
type results struct {
	list     sim.Ring[result]
	failures int32
}

type result struct {
	at     time.Duration
	failed bool
}

// add takes in a result, and drops what is not among the last count of them or, with a window, older
// than that.
func (r *results) add(now time.Duration, failed bool, count int, window time.Duration) {
	r.list.Push(result{now, failed})
	if failed {
		r.failures++
	}
	for r.list.Len() > 0 && (window == 0 && r.list.Len() > count ||
		window > 0 && r.list.At(0).at <= now-window) {
		r.drop()
	}
}

// drop forgets the oldest.
func (r *results) drop() {
	if oldest, _ := r.list.Pop(); oldest.failed {
		r.failures--
	}
}

// tripped reports whether the share of failures is at least the ratio, with at least so many results.
func (r *results) tripped(ratio float64, minimum int) bool {
	n := r.list.Len()
	return ratio > 0 && n > 0 && n >= minimum && float64(r.failures) >= ratio*float64(n)
}

func (r *results) clear() {
	for r.list.Len() > 0 {
		r.drop()
	}
}
