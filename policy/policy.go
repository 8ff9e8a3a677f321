// Package policy is what a client decides, as pure functions: from the facts it
// is handed (the instants, the attempt's number, the last wait, the reply, one
// uniform number) to a decision. It knows no clock, no generator, no provider,
// so every rule can be tabled and each can drive a real HTTP client unchanged.
//
// The parts compose in one visible place, [Retry.Decide]. Read that first.
package policy

import (
	"fmt"
	"math"
	"strings"
	"time"

	"stampede/internal/words"
	"stampede/sim"
	"stampede/wire"
)

// Client is the whole behaviour of one client. Its zero value sends once and waits
// forever.
//
// What belongs to one call is decided by [Client.Decide], layer by layer. What an
// [Instance] remembers from call to call is in the states of its gate, pacer, breaker,
// throttle and budget, each of which is handed the instant.
type Client struct {
	Name     string  // of the preset or as the user calls it
	Retry    Retry   // of the innermost layer, an SDK
	Outer    []Layer // around it, from the inside outwards
	Timeouts Timeouts
	Deadline Deadline // of the call, over all layers
	// MaxConnections bounds the attempts of an instance in flight as the connection pool of an HTTP client does:
	// others wait for a connection, for Timeouts.Pool at most. 0 means no bound.
	MaxConnections int
	Gate           Gate
	Pacer          Pacer
	Breaker        Breaker
	Throttle       Throttle
	Budget         Budget
	Hedge          Hedge
	Fallback       Fallback
	Route          Route
	// IdempotencyKey goes with every attempt of a call, so that a provider that
	// honours it acts once.
	IdempotencyKey bool
}

// Layer is a retry loop around others. It sees only how the loop inside it ended.
type Layer struct {
	Name    string
	Retry   Retry
	Timeout time.Duration // of each of its tries, waits inside it included; 0 means none
}

// Tries is what a layer remembers of a call.
type Tries struct {
	Made     int           // the one under way included
	Start    time.Duration // of the first
	Since    time.Duration // the start of the one under way
	LastWait time.Duration
}

// Decide asks the layers from the inside outwards: an answer ends the call, and
// otherwise the first layer that tries again decides. It returns its number, 0 for
// the innermost; when none does, that of the outermost which retries at all, whose reason
// ends the call.
// The facts are those of the innermost layer, and are changed; outer holds the tries
// of the others.
// From is the first layer that is asked, for those within a layer whose timeout cut
// them off do not decide.
func (c *Client) Decide(f *Facts, outer []Tries, from int) (d Decision, layer int) {
	if layer = from; layer == 0 {
		d = c.Retry.Decide(f)
	} else {
		d = c.decideOuter(f, outer, layer)
	}
	for !d.Again && d.Outcome != Answered && layer < len(c.Outer) {
		layer++
		// A layer that sends once passes on the reason of the layer inside it.
		if c.Outer[layer-1].Retry.Attempts != 1 {
			d = c.decideOuter(f, outer, layer)
		}
	}
	return d, layer
}

// decideOuter asks an outer layer.
func (c *Client) decideOuter(f *Facts, outer []Tries, layer int) Decision {
	t := &outer[layer-1]
	f.Attempt, f.Start, f.LastWait = t.Made, t.Start, t.LastWait
	return c.Outer[layer-1].Retry.Decide(f)
}

// Layer is the retry loop of a layer, 0 the innermost.
func (c *Client) Layer(layer int) *Retry {
	if layer == 0 {
		return &c.Retry
	}
	return &c.Outer[layer-1].Retry
}

// Attempts is the maximum number of attempts that a call can make, over all layers, held at the largest
// int; 0 means no bound.
func (c *Client) Attempts() int {
	n := c.Retry.Attempts
	for _, l := range c.Outer {
		if l.Retry.Attempts > 0 && n > math.MaxInt/l.Retry.Attempts {
			return math.MaxInt
		}
		n *= l.Retry.Attempts
	}
	return n
}

// MaxDuration is the longest that a call can keep trying, all layers together, when
// every attempt takes the given time and no hint is given; false without a bound. A
// layer of n tries of length t, with waits of at most w(0), w(1), ... between them,
// lasts n t + sum w, or until a wait would pass its deadline.
func (c *Client) MaxDuration(attempt time.Duration) (time.Duration, bool) {
	span, ok := c.Retry.maxDuration(attempt)
	for _, l := range c.Outer {
		if l.Timeout > 0 && (!ok || span > l.Timeout) {
			span, ok = l.Timeout, true
		}
		if !ok {
			break
		}
		span, ok = l.Retry.maxDuration(span)
	}
	if d := c.Deadline.After; d > 0 && (!ok || span > d) {
		return d, true
	}
	return span, ok
}

// sum is the longest that so many waits last together.
func (b *Backoff) sum(n int) (waits time.Duration) {
	last := b.Base
	for i := 0; i < n && waits < sim.End; i++ {
		if jitters[b.Jitter].compounds {
			last = b.Wait(i, last, 1)
		} else if _, longest := b.Range(i); b.settled(i, last, longest) {
			return sim.Plus(waits, sim.Nanoseconds(float64(n-i)*float64(longest))) // all that follow are as long
		} else {
			last = longest
		}
		waits = sim.Plus(waits, last)
	}
	return waits
}

func (r *Retry) maxDuration(try time.Duration) (time.Duration, bool) {
	if r.Attempts == 0 {
		if r.Deadline == 0 {
			return 0, false
		}
		return sim.Plus(r.Deadline, try), true
	}
	bounded := r.Backoff.bounded() && (r.Throttled == nil || r.Throttled.bounded())
	if !bounded && r.Attempts > 1 && r.Deadline == 0 {
		return 0, false
	}
	waits := r.Backoff.sum(r.Attempts - 1)
	if r.Throttled != nil {
		waits = max(waits, r.Throttled.sum(r.Attempts-1))
	}
	span := sim.Plus(waits, sim.Nanoseconds(float64(r.Attempts)*float64(try)))
	if r.Deadline > 0 {
		span = min(span, sim.Plus(r.Deadline, try))
	}
	return span, true
}

// Describe is the name with the parameters that matter, for tables and legends.
func (c Client) Describe() string {
	parts := []string{c.Retry.Describe()}
	add := func(s string) {
		if s != "" {
			parts = append(parts, s)
		}
	}
	add(c.Timeouts.Describe())
	for _, l := range c.Outer {
		s := "inside " + l.Name + " (" + l.Retry.Describe()
		if l.Timeout > 0 {
			s += fmt.Sprintf(", each at most %v", l.Timeout)
		}
		add(s + ")")
	}
	add(c.Deadline.Describe())
	if c.MaxConnections > 0 {
		add(fmt.Sprintf("%d connections", c.MaxConnections))
	}
	add(c.Gate.Describe())
	add(c.Pacer.Describe())
	add(c.Breaker.Describe())
	add(c.Throttle.Describe())
	add(c.Budget.Describe())
	add(c.Hedge.Describe())
	add(c.Route.Describe())
	if c.Fallback.On {
		add(c.Fallback.Describe())
	}
	if c.IdempotencyKey {
		add("idempotency key")
	}
	if c.Name == "" {
		return strings.Join(parts, ", ")
	}
	return c.Name + ": " + strings.Join(parts, ", ")
}

// Retry decides whether and when a call is tried again.
type Retry struct {
	Attempts   int           // at most so many, the first included; 0 means no limit
	Deadline   time.Duration // no wait may end later than this after the call's start; 0 means none
	Classify   Classifier
	Backoff    Backoff
	Throttled  *Backoff // after a 429, in place of Backoff; nil means the same
	RetryAfter RetryAfter
	Broken     Broken
}

// Broken is what becomes of a stream that breaks once its first token is there.
type Broken uint8

const (
	NoReplay   Broken = iota // the call ends: what was shown is shown
	Replay                   // it is asked again, and what was shown is shown again
	Regenerate               // what was shown is thrown away, and the turn is asked again
)

// BrokenWords are the words of rules for broken streams.
var BrokenWords = words.Table[Broken]{"stop", "replay", "regenerate"}

// String is the word for a rule.
func (b Broken) String() string { return BrokenWords.Word(b) }

// Facts are what a retry decision may depend on.
type Facts struct {
	Now      time.Duration // since any fixed instant, the one that a dated Retry-After counts from
	Start    time.Duration // when the client took the call up
	Until    time.Duration // the deadline of the call, for all layers; 0 means none
	Attempt  int           // attempts made so far, this one included
	LastWait time.Duration // the backoff before this attempt; 0 before the first
	Reply    *wire.Reply   // never nil
	Began    bool          // the first token of a stream was there
	U        float64       // uniform on (0, 1), fresh for each decision
}

// Decision is what follows from a reply. Four fields are as many as the compiler keeps in registers.
type Decision struct {
	Again   bool          // send another attempt after Wait
	Hinted  bool          // Wait is the server's Retry-After, not the client's backoff
	Outcome Outcome       // how the call ends, or OthersDecide; only when not Again
	Wait    time.Duration // never negative
}

// Decide applies the parts in this order: an answer ends the call; a stream that broke
// after its first token ends it, unless it is replayed; a Retry-After beyond the limit
// of a rule that gives up first of all ends it; an error that another attempt cannot
// cure ends it; a Retry-After beyond the limit of a rule that gives up ends it; a rule of
// one attempt retries no error, so that any error ends it; the attempt limit; the wait,
// from Retry-After where it is obeyed and else from the backoff; the deadline, its own and that
// of the call, before the wait is slept.
func (r *Retry) Decide(f *Facts) Decision {
	class := f.Reply.Class()
	if class == wire.OK {
		return Decision{Outcome: Answered}
	}
	if f.Began && r.Broken == NoReplay {
		return Decision{Outcome: StreamBroken}
	}
	hint, read := r.RetryAfter.read(f)
	if read == tooLong && r.RetryAfter.GiveUpFirst {
		return Decision{Outcome: GaveUpRetryAfter}
	}
	if !r.Classify.Retryable(f.Reply) || read == absent && class == wire.Throttled {
		return Decision{Outcome: TerminalError}
	}
	if read == tooLong {
		return Decision{Outcome: GaveUpRetryAfter}
	}
	if r.Attempts == 1 {
		return Decision{Outcome: TerminalError}
	}
	if r.Attempts > 0 && f.Attempt >= r.Attempts {
		return Decision{Outcome: GaveUpAttempts}
	}
	wait, hinted := hint, read == obeyed
	backoff := &r.Backoff
	if r.Throttled != nil && class == wire.Throttled {
		backoff = r.Throttled
	}
	if !hinted || r.RetryAfter.AtLeastBackoff {
		own := backoff.Wait(f.Attempt-1, f.LastWait, f.U)
		if backoff.Window > 0 {
			own = backoff.inWindow(f.Now, f.U)
		}
		wait = max(wait, own)
		hinted = hinted && wait == hint
	}
	if r.Deadline > 0 && wait > r.Deadline-(f.Now-f.Start) {
		return Decision{Outcome: GaveUpDeadline}
	}
	if f.Until > 0 && wait >= f.Until-f.Now {
		return Decision{Outcome: GaveUpDeadline}
	}
	return Decision{Again: true, Wait: wait, Hinted: hinted}
}

// Describe names the rule with its parameters.
func (r Retry) Describe() string {
	if r.Attempts == 1 {
		return "no retry"
	}
	attempts := fmt.Sprintf("%d attempts", r.Attempts)
	if r.Attempts == 0 {
		attempts = "attempts without limit"
	}
	parts := []string{attempts, r.Backoff.Describe(), r.RetryAfter.Describe()}
	if r.Deadline > 0 {
		parts = append(parts, "deadline "+r.Deadline.String())
	}
	return strings.Join(parts, ", ")
}
