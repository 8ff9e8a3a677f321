package policy

import (
	"fmt"
	"math"
	"time"

	"stampede/internal/format"
	"stampede/internal/words"
	"stampede/sim"
	"stampede/wire"
)

// RetryAfter is how a client treats the wait that the server asks for. The zero RetryAfter
// ignores it. Of the headers that it reads the first that it takes decides: see
// [wire.Reads] for their order, and Skips. What that header asks for is obeyed when it
// is above 0 and no longer than Limit; what else it can hold, each client treats in
// its own way.
type RetryAfter struct {
	Obey           Obedience
	Limit          time.Duration // of UpTo
	Below          bool          // of UpTo: a wait of exactly Limit is too long as well
	Beyond         Beyond        // of UpTo: what becomes of a longer one
	Plus           time.Duration // up to so much is added, uniformly
	PlusShare      float64       // above 0: up to this share of what was asked for, and to Plus where that is set
	AtLeastBackoff bool          // what is shorter than the backoff is not obeyed: the longer of the two is waited
	Required       bool          // a 429 without a wait that can be read is not tried again
	GiveUpFirst    bool          // of GiveUp: before the status and x-should-retry are looked at
	wire.Reads                   // what else is looked at

	Zero     Reaction // the wait is 0
	Negative Reaction // it is below 0
	Past     Reaction // it is a date that has passed
	Garbage  Reaction // it cannot be read
	Overflow Reaction // it is longer than Largest, or infinite
	Largest  time.Duration
	Skips    Skips
}

// Reaction is what a client does when asked for a wait that it does not make.
type Reaction uint8

const (
	BacksOff  Reaction = iota // the backoff takes its place
	AtOnce                    // it tries again at once
	TimerTick                 // it tries again after a millisecond: the timer of its language took the value
)

// ReactionWords are the words of reactions.
var ReactionWords = words.Table[Reaction]{"backoff", "at_once", "1ms"}

// String is the word for a reaction.
func (r Reaction) String() string { return ReactionWords.Word(r) }

// Skips lists the values that make a client go on to the next header.
type Skips struct {
	ZeroMillis bool // a retry-after-ms of 0
	Negative   bool // a number below 0
}

// Obedience is how far a client obeys Retry-After.
type Obedience uint8

const (
	Ignore Obedience = iota
	InFull
	UpTo
)

// ObedienceWords are the words of obedience.
var ObedienceWords = words.Table[Obedience]{"ignore", "in_full", "up_to"}

// String is the word for an obedience.
func (o Obedience) String() string { return ObedienceWords.Word(o) }

// Beyond is what a client does when asked for a wait longer than its limit.
type Beyond uint8

const (
	Discard Beyond = iota // the backoff takes its place
	Clip                  // the limit takes its place
	GiveUp                // the call ends
)

// BeyondWords are the words of what becomes of a longer one.
var BeyondWords = words.Table[Beyond]{"discard", "clip", "give_up"}

// String is the word for it.
func (b Beyond) String() string { return BeyondWords.Word(b) }

type reading uint8

const (
	unread reading = iota
	absent         // and the client requires a wait
	obeyed
	tooLong
)

// read turns the headers into a wait. The limit holds for the wait that was asked for; when clipped,
// for that with its addition.
func (a *RetryAfter) read(f *Facts) (time.Duration, reading) {
	if a.Obey == Ignore {
		return 0, unread
	}
	hint, ok := a.header(f.Reply)
	if !ok {
		return 0, a.nothing()
	}
	asked, readable := hint.Wait(f.Now)
	switch {
	case !readable && math.IsInf(hint.Value, 1) && hint.Form == wire.Seconds:
		return a.react(a.Overflow)
	case !readable && a.Required:
		return 0, absent
	case !readable:
		return a.react(a.Garbage)
	case hint.Form == wire.Date && asked <= 0:
		return a.react(a.Past)
	case asked < 0:
		return a.react(a.Negative)
	case asked == 0:
		return a.react(a.Zero)
	case a.Largest > 0 && asked > a.Largest:
		return a.react(a.Overflow)
	}
	if a.Obey == UpTo && (asked > a.Limit || a.Below && asked == a.Limit) {
		switch a.Beyond {
		case Discard:
			return 0, unread
		case GiveUp:
			return 0, tooLong
		}
	}
	wait := sim.Plus(asked, scale(a.added(asked), f.U))
	if a.Obey == UpTo && a.Beyond == Clip {
		wait = min(wait, a.Limit)
	}
	return wait, obeyed
}

// nothing is what it means that there is no header.
func (a *RetryAfter) nothing() reading {
	if a.Required {
		return absent
	}
	return unread
}

// added is the most that is added to what was asked for.
func (a *RetryAfter) added(asked time.Duration) time.Duration {
	if a.PlusShare == 0 {
		return a.Plus
	}
	share := scale(asked, a.PlusShare)
	if a.Plus > 0 {
		return min(share, a.Plus)
	}
	return share
}

// header is the first hint that the client takes.
func (a *RetryAfter) header(r *wire.Reply) (wire.Hint, bool) {
	take := func(h wire.Hint) bool {
		return h.Form != wire.Absent && !(a.Skips.Negative && h.Form == wire.Seconds && h.Value < 0)
	}
	switch {
	case a.Millis && take(r.Millis) && r.Millis.Form != wire.Garbage && !(a.Skips.ZeroMillis && r.Millis.Value == 0):
		return r.Millis, true
	case take(r.RetryAfter):
		return r.RetryAfter, true
	case a.Body && take(r.Delay):
		return r.Delay, true
	}
	return wire.Hint{}, false
}

func (a *RetryAfter) react(to Reaction) (time.Duration, reading) {
	switch to {
	case AtOnce:
		return 0, obeyed
	case TimerTick:
		return time.Millisecond, obeyed
	}
	return 0, unread
}

// Describe names the rule with its parameters.
func (a RetryAfter) Describe() string {
	var s string
	switch a.Obey {
	case Ignore:
		return "Retry-After ignored"
	case InFull:
		s = "Retry-After in full"
	case UpTo:
		s = fmt.Sprintf("Retry-After up to %v %s", a.Limit,
			[...]string{"else backoff", "clipped", "else give up"}[a.Beyond])
	}
	if a.Millis {
		s += " (retry-after-ms read first)"
	}
	if a.Body {
		s += " (or in the body)"
	}
	switch {
	case a.PlusShare > 0 && a.Plus > 0:
		s += fmt.Sprintf(" plus up to %s of it, at most %v", format.Percent(a.PlusShare), a.Plus)
	case a.PlusShare > 0:
		s += fmt.Sprintf(" plus up to %s of it", format.Percent(a.PlusShare))
	case a.Plus > 0:
		s += fmt.Sprintf(" plus up to %v", a.Plus)
	}
	if a.Required {
		s += ", required with a 429"
	}
	return s
}
