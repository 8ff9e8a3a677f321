package policy

import (
	"fmt"
	"time"

	"stampede/internal/words"
)

// Deadline is when the caller of a call wants its answer at the latest, as the deadline of the request that the
// client serves. Every layer knows it: none sleeps when the sleep would not end before it, and none sends after it.
// What is in flight then is cut off. The zero Deadline is none.
type Deadline struct {
	After time.Duration
	From  Origin
}

// Origin is what a deadline counts from.
type Origin uint8

const (
	FromArrival Origin = iota // of the call, so that waiting for a worker uses it up
	FromStart                 // of the work on it
)

// OriginWords are the words of origins.
var OriginWords = words.Table[Origin]{"arrival", "start"}

// String is the word for an origin.
func (o Origin) String() string { return OriginWords.Word(o) }

// Describe says when it is; empty for none.
func (d Deadline) Describe() string {
	if d.After == 0 {
		return ""
	}
	return fmt.Sprintf("deadline %v from %v", d.After, d.From)
}
