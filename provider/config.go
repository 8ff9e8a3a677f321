package provider

import (
	"fmt"
	"math"
	"strings"
	"time"

	"stampede/dialect"
	"stampede/internal/words"
	"stampede/law"
	"stampede/sim"
	"stampede/wire"
)

// Config describes a provider.
type Config struct {
	Name       string
	Dialect    dialect.Dialect
	Tenants    []Tenant      // who calls; empty means one
	RoundTrip  time.Duration // network time there and back, half each way
	MaxRequest MaxRequest
	Limits     []Limit
	Capacity   Capacity
	Latency    Latency
	Faults     []Fault
	RetryAfter RetryAfter
	Cancel     CancelRule
	Billing    Billing
	Gateway    Gateway
	// ReplaysKeys is whether a request under an idempotency key whose work was done before gets
	// that answer again, at once and unbilled; else it acts no second time, but generates anew.
	// What it cost stays with the attempt whose reply was lost, as waste.
	ReplaysKeys bool
}

// Tenant is one of those who call, as the provider knows them.
type Tenant struct {
	Key, Model string
	Priority   int // in the queue before the capacity: higher goes first
}

// maxTenants is how many tenants a limit can tell apart, maxLimits how many limits a
// verdict can.
const (
	maxTenants = 64
	maxLimits  = math.MaxInt8
)

// Capacity is how many requests generate at once, and how many may wait for
// that: tenants of higher priority first, then first in, first out. The zero
// Capacity generates all at once.
type Capacity struct {
	Slots    int           // 0 means no bound
	Queue    int           // places to wait; negative means no bound
	Batching *Batching     // how fast the requests at once are, in place of Latency; nil means each by itself
	Full     int           // the status when there is no place; 0 means that of the dialect
	Asks     time.Duration // the wait that this refusal asks for; 0 means none
}

// Latency is the time to answer: T = first + output/speed, first and speed drawn
// for each attempt. There is no interaction between requests but PerInFlight and ByUse.
type Latency struct {
	FirstToken      law.Law // seconds from arrival to the first token; nil means 0
	TokensPerSecond law.Law // nil means all tokens come with the first
	// PerInFlight is added to the first token for each other request at the provider when
	// this one begins.
	PerInFlight time.Duration
	// PerThousand is added to the first token for each 1,000 tokens of the prompt that do not come from
	// a cache.
	PerThousand time.Duration
	ByUse       ByUse
	// CallShare, 0..1, is the part of the variance of luck that belongs to the
	// call and meets each of its attempts again: with 1 a slow question is slow
	// every time, with 0 each attempt draws anew (see law.Blend).
	CallShare float64
}

// CancelRule says what becomes of an attempt whose client has gone.
type CancelRule uint8

const (
	Keeps        CancelRule = iota // it generates to the end, holds its slot, and is billed
	Stops                          // it stops when the disconnect arrives; what was generated is billed
	StopsStreams                   // Stops for answers that are streamed, Keeps for others
)

// CancelRuleWords are the words of rules.
var CancelRuleWords = words.Table[CancelRule]{"keeps_generating", "stops", "stops_streams"}

// String is the word for a rule.
func (c CancelRule) String() string { return CancelRuleWords.Word(c) }

// Billing says where a provider departs from billing all the work that was done,
// and nothing else.
type Billing struct {
	AbandonedFree bool // the work for a client that has gone
	CutFree       bool // a stream that broke or ended in an error
	LostFree      bool // the work whose reply was lost
	TimeoutBilled bool // a 408, for the prompt and the whole answer
	FilterBilled  bool // a refusal with the code content_filter, for the prompt
}

// refusal is what an error by the fault schedule is billed for.
func (b Billing) refusal(r wire.Reply) Billed {
	switch {
	case b.TimeoutBilled && r.Status == 408:
		return Everything
	case b.FilterBilled && r.Code == "content_filter":
		return ItsPrompt
	}
	return Nothing
}

// RetryAfter is how the wait until a refused request would fit is sent.
type RetryAfter struct {
	As     Writing
	Round  time.Duration // up to a multiple of this; 0 sends it exactly
	Millis bool          // retry-after-ms goes along, rounded up to whole milliseconds
}

// Writing is how Retry-After is written.
type Writing uint8

const (
	InSeconds Writing = iota
	AsDate            // an HTTP date: the fraction of its second is lost
	InBody            // as a RetryInfo of the body, which few clients read
	NotAtAll
)

// WritingWords are the words of how it is written.
var WritingWords = words.Table[Writing]{"in_seconds", "as_date", "in_body", "never"}

// String is the word for it.
func (w Writing) String() string { return WritingWords.Word(w) }

// Describe says how it is sent.
func (a RetryAfter) Describe() string {
	s := [...]string{"Retry-After in seconds", "Retry-After as an HTTP date", "the wait in its body",
		"no Retry-After"}[a.As]
	switch {
	case a.As == NotAtAll:
	case a.Round > 0:
		s += fmt.Sprintf(", rounded up to %v", a.Round)
	case a.As != AsDate:
		s += ", exact"
	}
	if a.Millis {
		s += ", and retry-after-ms"
	}
	return s
}

// write puts a wait into the headers of a reply that leaves now.
func (a RetryAfter) write(reply *wire.Reply, now sim.Time, wait time.Duration) {
	if a.Millis {
		reply.Millis = wire.After(roundUp(wait, time.Millisecond))
	}
	wait = roundUp(wait, a.Round)
	switch a.As {
	case InSeconds:
		reply.RetryAfter = wire.After(wait)
	case AsDate:
		reply.RetryAfter = wire.At(now + wait)
	case InBody:
		reply.Delay = wire.After(wait)
	}
}

// printed rounds a wait in the body as the dialect prints it.
func (c *Config) printed(reply *wire.Reply) {
	if reply.Delay.Form == wire.Seconds {
		wait, _ := reply.Delay.Wait(0)
		reply.Delay = wire.After(c.Dialect.Printed(wait))
	}
}

// Hints says what refusals by a limit ask for, and how.
func (c *Config) Hints() string {
	switch {
	case c.Dialect.Refuses(dialect.OverLimit).Silent:
		return RetryAfter{As: NotAtAll}.Describe()
	case c.RetryAfter.As == InBody && c.Dialect.Printed(1999*time.Millisecond) == time.Second:
		return "the wait in their body, cut to whole seconds"
	}
	return c.RetryAfter.Describe()
}

// Over is what the message of a refusal says of the limit that refused, besides what the reply holds.
func (c *Config) Over(r *wire.Reply) dialect.Limit {
	var out dialect.Limit
	if o := &r.Over; o.Why != 0 {
		if o.Limit >= 0 {
			l := &c.Limits[o.Limit]
			out = dialect.Limit{Resource: strings.ReplaceAll(l.Resource.String(), "_", " "), Period: l.Period}
		}
		if int(o.Tenant) < len(c.Tenants) {
			out.Model = c.Tenants[o.Tenant].Model
		}
	}
	return out
}

// roundUp is the least multiple of unit from d on; without a unit, d.
func roundUp(d, unit time.Duration) time.Duration {
	if unit == 0 {
		return d
	}
	return (d + unit - 1) / unit * unit
}
