// Package wire is what travels between a client and a provider, in plain
// values: the reply to one attempt. Provider and policy share these words and
// know nothing of each other.
package wire

import (
	"math"
	"time"

	"stampede/internal/words"
)

// Failure is how an attempt ended when it has no HTTP status, or failed after status 200.
type Failure uint8

const (
	None       Failure = iota // there is a status
	Timeout                   // the client's own timer cut the attempt off
	Connection                // refused, reset, or no route
	InStream                  // an error after status 200, in the stream or in the body of a whole reply
	Lost                      // another attempt of the same call was faster
)

// Class groups replies by what they mean to a client. Its words are those of tables, CSV
// and JSON.
type Class uint8

const (
	OK          Class = iota
	Throttled         // 429
	Overloaded        // 503, 529
	ServerError       // every other status from 500, and errors after status 200
	TimedOut
	Disconnected
	Terminal  // every other status from 300
	Cancelled // another attempt was faster
	Classes   = iota
)

// ClassWords are the words of classes and which attempts are in them.
var ClassWords = words.Glossary[Class]{
	OK:          {"ok", "Attempts that were answered"},
	Throttled:   {"throttled", "Attempts refused with status 429"},
	Overloaded:  {"overloaded", "Attempts refused with status 503 or 529"},
	ServerError: {"server_error", "Attempts that failed with another 5xx status or an error after status 200"},
	TimedOut: {"timeout",
		"Attempts cut off by a timeout of the client or because the caller left, or never answered"},
	Disconnected: {"connection", "Attempts whose connection failed, was refused or reset"},
	Terminal:     {"terminal", "Attempts that failed with any other status"},
	Cancelled:    {"cancelled", "Hedged attempts cancelled because another answered first"},
}

// String is the word for a class.
func (c Class) String() string { return ClassWords.Word(c) }

// Meaning describes the attempts in the class.
func (c Class) Meaning() string { return ClassWords.Meaning(c) }

// Reply is what came back for one attempt.
type Reply struct {
	Failure     Failure
	Status      int    // HTTP status; 0 when the client or the network failed
	Code        string // the error code of the body, else its type; empty when there is none
	RetryAfter  Hint   // the header Retry-After
	Millis      Hint   // the header retry-after-ms, which some clients read first
	Delay       Hint   // the wait that stands in the body instead, as in Google's RetryInfo
	ShouldRetry Advice // the header x-should-retry
	Quotas      Quotas // the headers that report how much is left
	Over        Over   // of a refusal: what its message says of the limit
}

// Over is what the message of a refusal says of the limit that refuses. No client acts on it but by
// the hints of the reply.
type Over struct {
	Why    uint8 // a reason, as package dialect numbers them; 0 when no limit and no capacity refuses
	Limit  int8  // an index into the limits of the provider; negative when none refuses
	Tenant uint8 // whose request it was
	// What the limit admits in its period, what is used of it, and what the request would have counted.
	Amount, Used, Requested int64
	Wait                    time.Duration // until the request would have fit, exactly; 0 when never
}

// Quotas is what the headers report for each resource.
type Quotas [QuotaKinds]Quota

// Quota is what the headers say of one resource, in requests or tokens. A Quota
// without a limit is not sent.
type Quota struct {
	Limit, Remaining int64
	Reset            time.Duration // until all of it is there again, from when the reply left
}

// The resources that headers speak of.
const (
	RequestQuota = iota
	TokenQuota   // prompt and output together
	InputQuota
	OutputQuota
	QuotaKinds
)

// Class sorts the reply.
func (r *Reply) Class() Class {
	switch {
	case r.Failure != None:
		return failed[r.Failure]
	case r.Status < 300:
		return OK
	case r.Status == 429:
		return Throttled
	case r.Status == 503 || r.Status == 529:
		return Overloaded
	case r.Status >= 500:
		return ServerError
	default:
		return Terminal
	}
}

var failed = [...]Class{Timeout: TimedOut, Connection: Disconnected, InStream: ServerError, Lost: Cancelled}

// Advice is the header x-should-retry.
type Advice int8

const (
	NoAdvice   Advice = iota
	Retry             // "true"
	DoNotRetry        // "false"
)

// String is the header, empty for none.
func (a Advice) String() string { return [...]string{"", "true", "false"}[a] }

// Form is how a Retry-After header is written.
type Form uint8

const (
	Absent  Form = iota
	Seconds      // a number of seconds, perhaps with a fraction
	Date         // an HTTP date, which has whole seconds (RFC 9110, 5.6.7)
	Garbage      // not a number and not a date, such as "soon"
)

// Hint is a header that asks for a wait. Value is in seconds, of a Date since the
// beginning of the run, and, because servers and proxies send anything, may be
// negative, infinite, NaN or too large for a time.Duration.
type Hint struct {
	Form  Form
	Value float64
}

// After is the hint of a whole or fractional number of seconds.
func After(d time.Duration) Hint { return Hint{Seconds, d.Seconds()} }

// At is the hint to wait until an instant, as an HTTP date: the fraction of a
// second is lost, so it asks for up to a second too little.
func At(t time.Duration) Hint { return Hint{Date, math.Floor(t.Seconds())} }

// Wait is the time from now that the hint asks for; client and server agree on
// the time. It reports false unless the header holds a finite number or a date; a
// number beyond the range of durations is clipped to it.
func (h Hint) Wait(now time.Duration) (time.Duration, bool) {
	if (h.Form != Seconds && h.Form != Date) || math.IsNaN(h.Value) || math.IsInf(h.Value, 0) {
		return 0, false
	}
	ns := math.Round(h.Value * 1e9)
	switch {
	case ns >= math.MaxInt64:
		return math.MaxInt64, true
	case ns <= math.MinInt64:
		return math.MinInt64, true
	}
	if h.Form == Date { // one before the run is past all the same
		return max(0, time.Duration(ns)) - now, true
	}
	return time.Duration(ns), true
}

// Reads says which hints a client looks at besides Retry-After.
type Reads struct {
	Millis bool // retry-after-ms, before Retry-After
	Body   bool // the wait in the body, when no header is readable
}

// RequestedWait is the wait that the reply asks for, of the hints that the client reads:
// the first of retry-after-ms, Retry-After and the body that is readable.
func (r *Reply) RequestedWait(now time.Duration, reads Reads) (time.Duration, bool) {
	if reads.Millis {
		if wait, ok := r.Millis.Wait(now); ok {
			return wait, true
		}
	}
	wait, ok := r.RetryAfter.Wait(now)
	if !ok && reads.Body {
		return r.Delay.Wait(now)
	}
	return wait, ok
}
