// Package policy is what a client decides, as pure functions: from the facts it
// is handed (the instants, the attempt's number, the last wait, the reply, one
// uniform number) to a decision. It knows no clock, no generator, no provider,
// so every rule can be tabled and each can drive a real HTTP client unchanged.
//
// The parts compose in one visible place, [Retry.Decide]. Read that first.
package policy

import (
	"fmt"
	"strings"
	"time"

	"stampede/wire"
)

// Client is the whole behaviour of one client: when it gives up waiting for a
// reply, whether and when it tries again, and how many of its calls may be
// under way at once.
type Client struct {
	Name     string // of the preset or as the user calls it
	Retry    Retry
	Timeouts Timeouts
	Gate     Gate
}

// String is the name with the parameters that matter, for tables and legends.
func (c Client) String() string {
	parts := []string{c.Retry.String()}
	if t := c.Timeouts.String(); t != "" {
		parts = append(parts, t)
	}
	if g := c.Gate.String(); g != "" {
		parts = append(parts, g)
	}
	if c.Name == "" {
		return strings.Join(parts, ", ")
	}
	return c.Name + ": " + strings.Join(parts, ", ")
}

// Retry says whether and when a call is tried again.
type Retry struct {
	Attempts   int           // at most so many, the first included; 0 means no limit
	Deadline   time.Duration // no wait may end later than this after the call's start; 0 means none
	Classify   Classifier
	Backoff    Backoff
	RetryAfter RetryAfter
}

// Facts are what a retry decision may depend on.
type Facts struct {
	Now      time.Duration // since any fixed instant, the one that a dated Retry-After counts from
	Start    time.Duration // when the client took the call up
	Attempt  int           // attempts made so far, this one included
	LastWait time.Duration // the backoff before this attempt; 0 before the first
	Reply    wire.Reply
	U        float64 // uniform on (0, 1), fresh for each decision
}

// Decision is what follows from a reply.
type Decision struct {
	Again   bool          // send another attempt after Wait
	Wait    time.Duration // never negative
	Hinted  bool          // Wait is the server's Retry-After, not the client's backoff
	Outcome Outcome       // how the call ends; only when not Again
}

// Decide applies the parts in this order: an answer ends the call; an error that
// another attempt cannot cure ends it; a Retry-After beyond the limit of a rule
// that gives up ends it; the attempt limit; the wait, from Retry-After where it
// is obeyed and else from the backoff; the deadline, before the wait is slept.
func (r Retry) Decide(f Facts) Decision {
	if f.Reply.Class() == wire.OK {
		return Decision{Outcome: Answered}
	}
	if !r.Classify.Retryable(f.Reply) {
		return Decision{Outcome: TerminalError}
	}
	hint, read := r.RetryAfter.read(f)
	if read == tooLong {
		return Decision{Outcome: GaveUpRetryAfter}
	}
	if r.Attempts > 0 && f.Attempt >= r.Attempts {
		return Decision{Outcome: GaveUpAttempts}
	}
	wait, hinted := hint, read == obeyed
	if !hinted {
		wait = r.Backoff.Wait(f.Attempt-1, f.LastWait, f.U)
	}
	if r.Deadline > 0 && wait > r.Deadline-(f.Now-f.Start) {
		return Decision{Outcome: GaveUpDeadline}
	}
	return Decision{Again: true, Wait: wait, Hinted: hinted}
}

// String names the rule with its parameters.
func (r Retry) String() string {
	if r.Attempts == 1 {
		return "no retry"
	}
	attempts := fmt.Sprintf("%d attempts", r.Attempts)
	if r.Attempts == 0 {
		attempts = "attempts without limit"
	}
	parts := []string{attempts, r.Backoff.String(), r.RetryAfter.String()}
	if r.Deadline > 0 {
		parts = append(parts, "deadline "+r.Deadline.String())
	}
	return strings.Join(parts, ", ")
}

// Outcome is how a call ended. Its words are those of tables, CSV and JSON.
type Outcome uint8

const (
	Answered         Outcome = iota
	GaveUpAttempts           // the attempt limit was reached
	GaveUpDeadline           // the next wait would have passed the deadline
	GaveUpRetryAfter         // the server asked for a longer wait than the rule accepts
	TerminalError            // an error that another attempt cannot cure
	Abandoned                // the caller's patience ran out
	Unfinished               // the run ended and nothing was left that could end the call
	Outcomes         = iota
)

// String is the word for an outcome.
func (o Outcome) String() string {
	return [Outcomes]string{"answered", "gave_up_attempts", "gave_up_deadline", "gave_up_retry_after",
		"terminal_error", "abandoned", "unfinished"}[o]
}

// Gate bounds what one instance has under way.
type Gate struct {
	Semaphore int // attempts in flight at once; 0 means no bound
}

// String names the gate; empty without one.
func (g Gate) String() string {
	if g.Semaphore == 0 {
		return ""
	}
	return fmt.Sprintf("gate %d", g.Semaphore)
}
