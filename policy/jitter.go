package policy

import (
	"fmt"
	"math"
	"time"

	"stampede/internal/format"
	"stampede/internal/words"
	"stampede/sim"
)

// Jitter spreads a wait so that clients that failed together do not come back together.
type Jitter uint8

const (
	NoJitter Jitter = iota
	Equal
	Full
	MinusShare
	Decorrelated
	PlusSpan
	Around
	Stretch
	PlusBeyond
	PlusGrowing
	Smooth
)

// jitters has a row for each: a new one is a constant, a row and its formula in the comment of
// [Backoff].
var jitters = [...]jitter{
	NoJitter: {word: "none", wait: ceiling, text: func(*Backoff) string { return " without jitter" }},
	Equal: {
		word: "equal", text: func(*Backoff) string { return " equal jitter" },
		wait: func(b *Backoff, i int, _ time.Duration, u float64) time.Duration {
			m := b.ceiling(i)
			return m/2 + scale(m-m/2, u)
		},
	},
	Full: {
		word: "full", text: func(b *Backoff) string {
			if b.Min > 0 {
				return fmt.Sprintf(" from %v full jitter", b.Min)
			}
			return " full jitter"
		},
		wait: func(b *Backoff, i int, _ time.Duration, u float64) time.Duration {
			return max(b.Min, b.Min+scale(b.ceiling(i)-b.Min, u))
		},
	},
	MinusShare: {
		word: "minus", takes: TakesShare, falls: true,
		text: func(b *Backoff) string { return " minus up to " + format.Percent(b.Share) },
		wait: func(b *Backoff, i int, _ time.Duration, u float64) time.Duration {
			return scale(b.ceiling(i), 1-b.Share*u)
		},
	},
	Decorrelated: {
		word: "decorrelated", compounds: true, wait: decorrelated, bounds: decorrelatedBounds,
		text: func(*Backoff) string { return "" }, // it is the kind of growth as well
	},
	PlusSpan: {
		word: "plus", takes: TakesSpan,
		text: func(b *Backoff) string { return fmt.Sprintf(" plus up to %v", b.Plus) },
		wait: func(b *Backoff, i int, _ time.Duration, u float64) time.Duration {
			return b.capped(b.grown(i) + u*float64(b.Plus))
		},
	},
	Around: {
		word: "around", takes: TakesShare,
		text: func(b *Backoff) string { return " around by " + format.Percent(b.Share) },
		wait: func(b *Backoff, i int, _ time.Duration, u float64) time.Duration {
			return scale(b.ceiling(i), 1-b.Share+2*b.Share*u)
		},
	},
	Stretch: {
		word: "stretch", takes: TakesShare,
		text: func(b *Backoff) string { return " stretched by up to " + format.Percent(b.Share) },
		wait: func(b *Backoff, i int, _ time.Duration, u float64) time.Duration {
			return b.capped(b.grown(i) * (1 + b.Share*u))
		},
	},
	PlusBeyond: {
		word: "beyond", takes: TakesSpan,
		text: func(b *Backoff) string { return fmt.Sprintf(" plus up to %v beyond the cap", b.Plus) },
		wait: func(b *Backoff, i int, _ time.Duration, u float64) time.Duration {
			return sim.Plus(b.ceiling(i), scale(b.Plus, u))
		},
	},
	PlusGrowing: {
		word: "growing", takes: TakesSpan,
		text: func(b *Backoff) string { return fmt.Sprintf(" plus up to %v times the retry", b.Plus) },
		wait: func(b *Backoff, i int, _ time.Duration, u float64) time.Duration {
			return sim.Plus(b.ceiling(i), scale(b.Plus, u*float64(i+1)))
		},
	},
	Smooth: {
		word: "smooth", wait: smoothed, bounds: smoothBounds,
		text: func(*Backoff) string { return " smooth jitter" },
	},
}

// jitter is what is known of one.
type jitter struct {
	word      string
	takes     Parameter
	falls     bool // the larger the uniform number, the shorter the wait
	compounds bool // it is made from the wait before
	// wait is that before retry i, after a wait of last, at the uniform number u.
	wait func(b *Backoff, i int, last time.Duration, u float64) time.Duration
	// bounds are the shortest and the longest wait before retry i, where those at the ends of u,
	// after no wait, are not.
	bounds func(b *Backoff, i int) (shortest, longest time.Duration)
	text   func(b *Backoff) string // what it adds to the name of a backoff
}

// Parameter is which field of a [Backoff] a jitter reads.
type Parameter uint8

const (
	TakesNothing Parameter = iota
	TakesShare             // Backoff.Share
	TakesSpan              // Backoff.Plus
)

// JitterWords are the words of jitters.
var JitterWords = func() (all words.Table[Jitter]) {
	for _, j := range jitters {
		all = append(all, j.word)
	}
	return all
}()

// String is the word for a jitter.
func (j Jitter) String() string { return JitterWords.Word(j) }

// Takes is the parameter of a jitter.
func (j Jitter) Takes() Parameter { return jitters[j].takes }

func ceiling(b *Backoff, i int, _ time.Duration, _ float64) time.Duration { return b.ceiling(i) }

func decorrelated(b *Backoff, _ int, last time.Duration, u float64) time.Duration {
	last = max(last, b.Base)
	return b.capped(float64(b.Base) + u*(3*float64(last)-float64(b.Base)))
}

// decorrelatedBounds are those over all waits that can have come before.
func decorrelatedBounds(b *Backoff, i int) (shortest, longest time.Duration) {
	longest = b.Base
	for range i + 1 {
		longest = decorrelated(b, i, longest, 1)
	}
	return b.Base, longest
}

// smoothScale is 1/RpScalingFactor of Polly.
const smoothScale = 1.4

func smooth(t float64) float64 { return math.Exp2(t) * math.Tanh(math.Sqrt(4*t)) }

func smoothed(b *Backoff, i int, last time.Duration, u float64) time.Duration {
	before := 0.0
	if i > 0 {
		before = b.previous(i, last)
	}
	return b.capped(max(0, float64(b.Base)/smoothScale*(smooth(float64(i)+u)-before)))
}

// previous is f(i-1+U') of the smooth jitter, from the wait that it gave. The wait
// before that one is not known, so U' of the wait at hand stands for its own: only the
// first of the two, f(U'), is exact; later ones are drawn from their mean, f(i-1/2).
func (b *Backoff) previous(i int, last time.Duration) float64 {
	if i == 1 && last > 0 {
		return float64(last) / float64(b.Base) * smoothScale
	}
	return smooth(float64(i) - 0.5)
}

func smoothBounds(b *Backoff, i int) (shortest, longest time.Duration) {
	return 0, b.capped(float64(b.Base) / smoothScale * smooth(float64(i)+1))
}
