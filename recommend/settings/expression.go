package settings

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"stampede/policy"
)

// language is how an expression is written.
type language struct {
	min, max string
	uniform  string // a number from 0 to 1
	power    string // of a factor, with the retry counted from 0
	retry    string
	unit     time.Duration
}

var languages = map[string]language{
	"go":     {"min", "max", "rand.Float64()", "math.Pow(%s, float64(i))", "float64(i)", time.Second},
	"python": {"min", "max", "random.random()", "%s ** min(i, 500)", "i", time.Second},
	"c#":     {"Math.Min", "Math.Max", "Random.Shared.NextDouble()", "Math.Pow(%s, i)", "i", time.Second},
}

// Wait is an expression for the wait before retry i, counted from 0: the formula of [policy.Backoff].
func (p page) Wait(in string) string {
	l, b := languages[in], p.Retry.Backoff
	value := func(d time.Duration) string { return number(float64(d) / float64(l.unit)) }
	capped := func(s string) string {
		if b.Cap == 0 {
			return s
		}
		return fmt.Sprintf("%s(%s, %s)", l.min, value(b.Cap), s)
	}
	grown := value(b.Base)
	if b.Factor != 1 {
		grown += " * " + fmt.Sprintf(l.power, number(b.Factor))
	}
	// A product with a sum, or a bare sum, where nothing bounds it.
	times := func(s, by string) string { return s + " * " + by }
	u := l.uniform
	switch b.Jitter {
	case policy.Equal:
		return times(capped(grown), fmt.Sprintf("(0.5 + 0.5 * %s)", u))
	case policy.Full:
		if b.Min > 0 {
			low := value(b.Min)
			return fmt.Sprintf("%s + %s(0, %s - %s) * %s", low, l.max, capped(grown), low, u)
		}
		return times(capped(grown), u)
	case policy.MinusShare:
		return times(capped(grown), fmt.Sprintf("(1 - %s * %s)", share(b.Share), u))
	case policy.Around:
		return times(capped(grown), fmt.Sprintf("(%s + %s * %s)", share(1-b.Share), share(2*b.Share), u))
	case policy.Stretch:
		return capped(times(grown, fmt.Sprintf("(1 + %s * %s)", share(b.Share), u)))
	case policy.PlusSpan:
		return capped(grown + " + " + times(value(b.Plus), u))
	case policy.PlusBeyond:
		return capped(grown) + " + " + times(value(b.Plus), u)
	case policy.PlusGrowing:
		return capped(grown) + " + " + times(value(b.Plus), "("+l.retry+" + 1) * "+u)
	}
	return capped(grown)
}

// share is a share without the last bits of a difference.
func share(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// Waits says the backoff in words.
func (p page) Waits() string { return p.Retry.Backoff.Describe() }

// Hints reports whether the client's loop obeys Retry-After.
func (p page) Hints() bool { return p.Retry.RetryAfter.Obey != policy.Ignore }

// Bounded reports whether only a Retry-After up to a limit is obeyed, and Beyond what becomes of a longer one.
func (p page) Bounded() bool  { return p.Retry.RetryAfter.Obey == policy.UpTo }
func (p page) Discards() bool { return p.Bounded() && p.Retry.RetryAfter.Beyond == policy.Discard }
func (p page) Clips() bool    { return p.Bounded() && p.Retry.RetryAfter.Beyond == policy.Clip }
func (p page) GivesUp() bool  { return p.Bounded() && p.Retry.RetryAfter.Beyond == policy.GiveUp }

// AtOnce reports whether a wait of 0, or a date that has passed, means at once.
func (p page) ZeroAtOnce() bool { return p.Retry.RetryAfter.Zero == policy.AtOnce }
func (p page) PastAtOnce() bool { return p.Retry.RetryAfter.Past == policy.AtOnce }

// Wrapped reports whether attempts go through a transport of one's own.
func (p page) Wrapped() bool { return p.Gate.Semaphore > 0 || p.Pacer.Bucket.Rate > 0 }

// Quoted lists texts in quotes.
func (p page) Quoted(all []string) string {
	var quoted []string
	for _, s := range all {
		quoted = append(quoted, fmt.Sprintf("%q", s))
	}
	return strings.Join(quoted, ", ")
}
