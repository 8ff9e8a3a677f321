package policy

import (
	"fmt"
	"time"

	"stampede/wire"
)

// RetryAfter is what a client makes of the server's wish. The zero RetryAfter
// ignores it. A header that is absent, unreadable, zero or negative is never
// obeyed; the backoff takes its place.
type RetryAfter struct {
	Obey       Obedience
	Limit      time.Duration // of UpTo
	Beyond     Beyond        // of UpTo: what becomes of a longer wish
	Plus       time.Duration // up to so much is added, uniformly
	wire.Reads               // what else is looked at
}

// Obedience is how far a client obeys Retry-After.
type Obedience uint8

const (
	Ignore Obedience = iota
	InFull
	UpTo
)

// Beyond is what a client does with a wish longer than its limit.
type Beyond uint8

const (
	Discard Beyond = iota // the backoff takes its place
	Clip                  // the limit takes its place
	GiveUp                // the call ends
)

type reading uint8

const (
	unread reading = iota
	obeyed
	tooLong
)

// read turns the headers into a wait. The limit holds for the wish; when clipped,
// for the wish with its addition.
func (a RetryAfter) read(f Facts) (time.Duration, reading) {
	wish, ok := f.Reply.Wish(f.Now, a.Reads)
	if a.Obey == Ignore || !ok || wish <= 0 {
		return 0, unread
	}
	if a.Obey == UpTo && wish > a.Limit {
		switch a.Beyond {
		case Discard:
			return 0, unread
		case GiveUp:
			return 0, tooLong
		}
	}
	wait := min(wish, longest) + scale(a.Plus, f.U)
	if a.Obey == UpTo && a.Beyond == Clip {
		wait = min(wait, a.Limit)
	}
	return wait, obeyed
}

// String names the rule with its parameters.
func (a RetryAfter) String() string {
	var s string
	switch a.Obey {
	case Ignore:
		return "Retry-After ignored"
	case InFull:
		s = "Retry-After in full"
	case UpTo:
		s = fmt.Sprintf("Retry-After up to %v %s", a.Limit, [...]string{"else backoff", "clipped", "else give up"}[a.Beyond])
	}
	if a.Millis {
		s += " (ms first)"
	}
	if a.Body {
		s += " (or in the body)"
	}
	if a.Plus > 0 {
		s += fmt.Sprintf(" plus up to %v", a.Plus)
	}
	return s
}
