package provider

import (
	"fmt"
	"time"

	"stampede/internal/format"
	"stampede/internal/words"
	"stampede/law"
	"stampede/sim"
	"stampede/wire"
)

// Fault is something that goes wrong, or just changes, for a share of the
// attempts and for a time. At the instant At it holds, at the instant At+For it
// no longer does.
//
// With Gap and Length it comes and goes instead: after a gap from At, or from the
// end of the last time, it holds for a length, each drawn anew in every
// replication. Exponential laws make it a Markov-switched state.
type Fault struct {
	At, For     time.Duration // For 0 means to the end
	Gap, Length law.Law       // seconds; both or neither
	Share       float64       // of attempts, each drawn by itself, 0..1
	First       int           // only so many attempts; 0 means all
	Of          FirstOf       // whose attempts First counts
	Counted     FaultCounted  // whether a request that it rejects counts at the limits
	Start       SlowStart     // after it
	Effect      Effect
}

// FaultCounted says at which limits a request counts that a fault rejects.
type FaultCounted uint8

const (
	AsLimits  FaultCounted = iota // at those that count all attempts
	AllLimits                     // at every limit
	NoLimits                      // at none
)

// FirstOf is whose attempts a fault of the first ones counts.
type FirstOf uint8

const (
	OfCall FirstOf = iota // those of each call, by their number
	OfRun                 // all that meet the fault while it holds, tries of a gateway among them
)

// FirstOfWords are the words of whose attempts are counted.
var FirstOfWords = words.Table[FirstOf]{"call", "run"}

// String is the word for it.
func (o FirstOf) String() string { return FirstOfWords.Word(o) }

// schedule begins the faults of the configuration, with the changes of limits that they make.
func (p *Provider) schedule(changes []change) {
	p.changes, p.next = changes, 0
	p.spells = make([]spell, len(p.config.Faults))
	p.met = make([]int, len(p.config.Faults))
	p.connections, p.arrivals, p.starts = nil, nil, nil
	for i, f := range p.config.Faults {
		if f.Start.For > 0 {
			p.starts = append(p.starts, i)
		}
		p.spells[i] = spell{start: f.At, end: f.At}
		switch f.Effect.(type) {
		case NoConnection:
			p.connections = append(p.connections, i)
		case ChangeLimit:
		default:
			p.arrivals = append(p.arrivals, i)
		}
	}
}

// spell is the present, or next, time at which a fault that comes and goes holds.
type spell struct {
	number     uint64 // from 1; 0 before the first gap, as an empty spell
	start, end sim.Time
	ended      sim.Time // of the one before; 0 before the first
}

// A fault may come and go very often before anyone asks again. Of more than maxTurns, all but
// the last keptTurns are taken to last their mean.
const (
	maxTurns  = 10_000
	keptTurns = 100
)

// holds reports whether fault i holds now. It must be asked in order of time.
func (p *Provider) holds(i int, now sim.Time) bool {
	f := &p.config.Faults[i]
	if f.Gap == nil {
		return f.in(now)
	}
	s := &p.spells[i]
	if now < s.end {
		return now >= s.start
	}
	if turn := max(1, sim.Seconds(f.Gap.Mean()+f.Length.Mean())); (now-s.end)/turn > maxTurns {
		s.end += ((now-s.end)/turn - keptTurns) * turn
		s.ended = s.end
	}
	for s.end <= now {
		if s.number > 0 {
			s.ended = s.end
		}
		s.number++
		key := p.spelling.For(uint64(i))
		s.start = s.end + sim.Seconds(f.Gap.Sample(key.Uniform(s.number, 0)))
		s.end = s.start + max(1, sim.Seconds(f.Length.Sample(key.Uniform(s.number, 1))))
	}
	return now >= s.start
}

func (f *Fault) in(now sim.Time) bool {
	return now >= f.At && (f.For == 0 || now-f.At < f.For)
}

// rejects reports whether a fault answers the request with an error, and writes what the faults
// before it do to the request.
func (p *Provider) rejects(now sim.Time, r *Request, v *Verdict, reply *wire.Reply) bool {
	for _, i := range p.arrivals {
		if !p.struck(i, now, r) {
			continue
		}
		switch e := p.config.Faults[i].Effect.(type) {
		case Reject:
			*reply = e.reply(now, p.config.RetryAfter)
			p.config.printed(reply)
			v.Kind, v.After = Refused, e.After
			v.Billed = p.config.Billing.refusal(e.Reply)
			p.countFailed(now, r, v, p.config.Faults[i].Counted)
			return true
		case Slow:
			v.Slow *= e.Factor
		case Hang:
			v.Hangs = true
		case Break:
			if !v.Breaks || e.Part < v.Part { // the first of several in the answer
				*reply = e.reply()
				v.Breaks, v.Part, v.Silent = true, e.Part, e.Silent
			}
		}
	}
	return false
}

// struck reports whether fault i meets the attempt now.
func (p *Provider) struck(i int, now sim.Time, r *Request) bool {
	if !p.holds(i, now) {
		return false
	}
	f := &p.config.Faults[i]
	if f.First > 0 && !p.among(i, f, r) {
		return false
	}
	return f.Share >= 1 || p.faults.For(uint64(i)).Uniform(r.Call, uint64(r.Attempt)|uint64(r.Relay)<<32) < f.Share
}

// among reports whether an attempt is among the first that fault i is for.
func (p *Provider) among(i int, f *Fault, r *Request) bool {
	if f.Of == OfCall {
		return r.Attempt <= f.First
	}
	p.met[i]++
	return p.met[i] <= f.First
}

// Reach reports whether a request sent now gets a connection: what the first fault on
// connections makes of it that strikes it, or Reachable. What fails is known to the client
// after a time, or, where it is below 0, as soon as it can be.
func (p *Provider) Reach(now sim.Time, r *Request) (reach Reachability, after time.Duration) {
	for _, i := range p.connections {
		if !p.struck(i, now, r) {
			continue
		}
		e := p.config.Faults[i].Effect.(NoConnection)
		if after = -1; e.After != nil {
			after = sim.Seconds(e.After.Sample(p.connecting.For(uint64(i)).Uniform(r.Call, uint64(r.Attempt))))
		}
		return e.As, after
	}
	return Reachable, 0
}

// Effect is one of Reject, Slow, Hang, Break, NoConnection and ChangeLimit.
type Effect interface {
	effect()
	Describe() string
}

// Reject answers with an error: an outage, or a share of errors of one class.
// Nothing is charged, generated or billed. With status 200 the error is in the body,
// and who looks at the status alone takes it for an answer.
type Reject struct {
	Reply wire.Reply
	Wait  time.Duration // that it asks for, sent as the provider sends waits; 0 means none
	After time.Duration // until the reply leaves
}

// reply is what leaves the provider, After from now.
func (e *Reject) reply(now sim.Time, how RetryAfter) wire.Reply {
	reply := e.Reply
	if reply.Status < 300 {
		reply.Failure = wire.InStream
	}
	if e.Wait > 0 {
		how.write(&reply, now+e.After, e.Wait)
	}
	return reply
}

// Slow multiplies the latency.
type Slow struct{ Factor float64 }

// Hang accepts the request, charges it, holds a slot until the client leaves,
// generates nothing, bills nothing and never answers.
type Hang struct{}

// Break generates the part Part of the answer, and then the connection breaks: a
// stream that is cut, or, with Part 1, a reply that is lost after the work was
// done. With a code the stream ends in an error event instead, after its status
// 200. Silent, the connection stands and nothing more comes: the client waits for a
// timeout of its own. A stream that stalls like this keeps its slot until the client
// leaves; a reply that is lost leaves its slot, for the work is done.
type Break struct {
	Part   float64
	Code   string
	Silent bool
}

// reply is what the client gets in the end.
func (e Break) reply() wire.Reply {
	if e.Silent {
		return wire.Reply{Failure: wire.Timeout}
	}
	if e.Code != "" {
		return wire.Reply{Failure: wire.InStream, Status: 200, Code: e.Code}
	}
	return wire.Reply{Failure: wire.Connection}
}

// NoConnection keeps the request from the provider.
type NoConnection struct {
	As    Reachability
	After law.Law // seconds until the client knows of what fails; nil means as soon as it can
}

// ChangeLimit gives a limit another amount, period and burst.
type ChangeLimit struct {
	Resource Resource
	Amount   int64
	Period   time.Duration
	Burst    int64
	Name     string   // of the limit, where several are on the resource
	Keys     []string // of the limit, where several on the resource are for some keys
	Models   []string // likewise
}

// anyLimit reports whether the change does not say which limit it means.
func (e ChangeLimit) anyLimit() bool { return e.Name == "" && len(e.Keys)+len(e.Models) == 0 }

func (Reject) effect()       {}
func (Slow) effect()         {}
func (Hang) effect()         {}
func (Break) effect()        {}
func (NoConnection) effect() {}
func (ChangeLimit) effect()  {}

func (e Reject) Describe() string {
	s := fmt.Sprintf("status %d", e.Reply.Status)
	switch {
	case e.Reply.Status < 300:
		s += " with the error " + e.Reply.Code + " in its body"
	case e.Reply.Code != "":
		s += " " + e.Reply.Code
	}
	switch h := e.Reply.RetryAfter; {
	case e.Wait > 0:
		s += fmt.Sprintf(" that asks to wait %v", e.Wait)
	case h.Form == wire.Garbage:
		s += " with an unreadable Retry-After"
	case h.Form == wire.Date && h.Value < 0:
		s += " with a Retry-After that has passed"
	case h.Form != wire.Absent:
		if wish, ok := h.Wait(0); ok {
			s += fmt.Sprintf(" with Retry-After %v", wish)
		} else {
			s += fmt.Sprintf(" with Retry-After %v", h.Value)
		}
	}
	if advice := e.Reply.ShouldRetry; advice != wire.NoAdvice {
		s += fmt.Sprintf(" with x-should-retry %v", advice)
	}
	return s
}
func (e Slow) Describe() string { return fmt.Sprintf("latency times %g", e.Factor) }
func (Hang) Describe() string   { return "no reply ever" }
func (e Break) Describe() string {
	if e.Code != "" {
		return fmt.Sprintf("error %s in the stream after %s of the answer", e.Code, format.Percent(e.Part))
	}
	switch {
	case e.Part == 1 && e.Silent:
		return "reply lost after the work was done, without a reset"
	case e.Part == 1:
		return "reply lost after the work was done"
	case e.Silent:
		return fmt.Sprintf("stream stalled after %s of the answer", format.Percent(e.Part))
	}
	return fmt.Sprintf("connection broken after %s of the answer", format.Percent(e.Part))
}
func (e NoConnection) Describe() string {
	s := map[Reachability]string{RefusedConn: "connection refused", Unreachable: "connection unreachable",
		NoName: "name lookup failed (dns)", NoTLS: "TLS handshake failed", ResetConn: "connection reset"}[e.As]
	if e.After != nil {
		s += fmt.Sprintf(" after %v s", e.After)
	}
	return s
}
func (e ChangeLimit) Describe() string {
	which := "on " + e.Resource.String()
	if e.Name != "" {
		which = e.Name
	}
	return fmt.Sprintf("limit %s becomes %s/%s", which, amountOf(e.Resource, e.Amount), format.Period(e.Period))
}

// Reachability is what becomes of an attempt to connect. Its words are the codes of replies that fail so.
type Reachability uint8

const (
	Reachable      Reachability = iota
	RefusedConn                 // an error after one round trip
	Unreachable                 // silence
	NoName                      // the name is not found: an error at once, or after the timeouts of the resolver
	NoTLS                       // an error after two round trips, that of TCP and that of TLS 1.3 (RFC 8446)
	ResetConn                   // the connection stands, and the request is answered by a reset, after one round trip
	Reachabilities = iota
)

// ReachabilityWords are the words of reachability.
var ReachabilityWords = words.Table[Reachability]{"up", "refused", "unreachable", "dns", "tls", "reset"}

// String is the word for a reachability.
func (r Reachability) String() string { return ReachabilityWords.Word(r) }

// Connects reports whether the connection gets to stand.
func (r Reachability) Connects() bool { return r == Reachable || r == ResetConn }

// RoundTrips is after how many of them the client knows at the earliest of what fails.
func (r Reachability) RoundTrips() time.Duration {
	return [Reachabilities]time.Duration{RefusedConn: 1, NoTLS: 2, ResetConn: 1}[r]
}

// Describe says when, for whom and what.
func (f Fault) Describe() string {
	s := f.Effect.Describe()
	of := "attempts"
	if f.First > 0 {
		if of = "the first attempt"; f.First > 1 {
			of = fmt.Sprintf("the first %d attempts", f.First)
		}
		if f.Of == OfRun {
			of += " of the run"
		} else {
			of += " of each call"
		}
	}
	switch f.Counted {
	case AllLimits:
		s += " that counts at the limits"
	case NoLimits:
		s += " that counts at no limit"
	}
	switch {
	case f.Share < 1:
		s += fmt.Sprintf(" for %s of %s", format.Percent(f.Share), of)
	case f.First > 0:
		s += " for " + of
	}
	switch {
	case f.Gap != nil:
		s += fmt.Sprintf(" for %v s at a time, %v s apart", f.Length, f.Gap)
	case f.For > 0:
		s += fmt.Sprintf(" from %v for %v", f.At, f.For)
	case f.At > 0:
		s += fmt.Sprintf(" from %v on", f.At)
	}
	if f.Start.For > 0 {
		s += fmt.Sprintf(", then latency times %g, falling to 1 over %v", f.Start.Factor, f.Start.For)
	}
	return s
}
