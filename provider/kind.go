package provider

import (
	"strings"
	"time"

	"stampede/dialect"
	"stampede/internal/words"
	"stampede/sim"
)

// Kind is how a limit counts over time.
type Kind uint8

const (
	TokenBucket   Kind = iota // refills continuously
	FixedWindow               // counts anew at every multiple of the period
	SlidingWindow             // over any span of the period
	RampLimit                 // growth of the rate; over a short span, a limit on acceleration
	LeakyBucket               // drains continuously; admits any request while it is not over the brim
	Balance                   // of dollars: what is spent does not come back
)

// kinds has a row for each kind. A new one is a file with its meter and how that counts, a
// constant and a row.
var kinds = [...]kind{
	TokenBucket:   {word: "token_bucket", counting: continuous{}, continuous: true, reason: dialect.OverLimit},
	FixedWindow:   {word: "fixed_window", counting: fixed{}, reason: dialect.OverLimit},
	SlidingWindow: {word: "sliding_window", counting: sliding{}, reason: dialect.OverLimit},
	RampLimit:     {word: "ramp", counting: ramping{}, hidden: true, remembers: true, reason: dialect.TooSteep},
	LeakyBucket: {word: "leaky_bucket", counting: continuous{}, continuous: true, overflows: true,
		reason: dialect.OverLimit},
	Balance: {word: "balance", counting: prepaid{}, hidden: true, reason: dialect.NoCredit},
}

// kind is what is known of a kind of limit.
type kind struct {
	word string
	counting
	continuous bool           // its level has a burst of its own, and goes on when the limit changes
	overflows  bool           // it admits any request while something is left, however large
	remembers  bool           // what it admits depends on what was used long before
	hidden     bool           // no header speaks of it
	reason     dialect.Reason // of a refusal for now
}

// counting is how a kind counts.
type counting interface {
	// meter is a new meter of a limit.
	meter(l *Limit) meter
	// within is the most that a limit admits from one instant to another, both included, after so
	// much was used, with a slack and the traffic of a [Supply].
	within(l *Limit, from, to sim.Time, used, slack int64, asked traffic) int64
	// refilled is what a limit admitted since its account was cut up to an instant, that excluded,
	// beyond what was left then.
	refilled(l *limiter, at sim.Time) float64
}

// checker is a counting with parameters of its own.
type checker interface {
	check(l *Limit) error
}

// holding is that of a limit on what is held, which has no period.
var holding = kind{counting: staying{}, reason: dialect.TooMany}

// kind is what is known of the kind of a limit.
func (l *Limit) kind() *kind {
	if l.Resource.Held() {
		return &holding
	}
	return &kinds[l.Kind]
}

// KindWords are the words of kinds.
var KindWords = func() (all words.Table[Kind]) {
	for _, k := range kinds {
		all = append(all, k.word)
	}
	return all
}()

// String is the word for a kind, in a sentence.
func (k Kind) String() string { return strings.ReplaceAll(KindWords.Word(k), "_", " ") }

// HasBurst reports whether the limit may have a burst other than its amount.
func (l *Limit) HasBurst() bool { return l.kind().continuous }

// Overflows reports whether the limit admits any request while something is left, however large.
func (l *Limit) Overflows() bool { return l.kind().overflows }

// throughSlices is so much more of a limit that counts in windows, as far as its slices pass it.
func (l *limiter) throughSlices(more float64, at sim.Time) float64 {
	if l.Quantum == 0 {
		return more
	}
	// The slices may not let through in this time what the window admits.
	left := float64(max(0, l.left))
	through := min(left+more, float64(l.within(l.since, at-1, 0, nil)))
	if l.since > l.opened { // what was left was not all counted before
		return through
	}
	return through - left
}

// windows is the window of a limit and its slices.
func (l *Limit) windows() window {
	w := window{l.Period, l.Amount, l.Period, l.Amount}
	if l.Quantum > 0 {
		w.part, w.span = sliceOf(l.Amount, l.Period, l.Quantum)
	}
	return w
}

// window is a window and its slices: in each span of it, part may pass.
type window struct {
	length time.Duration
	amount int64
	span   time.Duration
	part   int64
}

// within is the most that one window counts from one instant of it to another.
func (w window) within(from, to time.Duration, used, slack int64) int64 {
	return min(plus(max(0, w.amount-used), slack), times(plus(w.part, slack), int64(to/w.span-from/w.span)+1))
}
