// Package provider is what an LLM API does to a request.
//
// A request passes, in this order, the gateway, the fault schedule, the limits and the
// capacity ([Provider.Receive]). What is refused gets a reply with status, code
// and Retry-After; what is admitted is charged to the limits, generates a first
// and a last token ([Provider.Generate]), and is settled when it is done
// ([Provider.Finish]). Admission sees a [Request], which holds what a request
// declares; the true length of the answer enters only at Generate.
//
// Every operation receives the instant. The package schedules nothing and keeps
// no clock; its random numbers are keyed by call and attempt.
package provider

import (
	"fmt"
	"time"

	"stampede/dist"
	"stampede/sim"
	"stampede/wire"
)

// Config describes a provider.
type Config struct {
	Name        string
	RoundTrip   time.Duration // network time there and back, half each way
	Limits      []Limit
	Concurrency int // requests at the provider at once; above it 429; 0 means no limit
	Capacity    Capacity
	Latency     Latency
	Faults      []Fault
	RetryAfter  RetryAfter
	Cancel      CancelRule
	Gateway     Gateway
}

// Capacity is how many requests generate at once, and how many may wait for
// that, first in, first out. The zero Capacity generates all at once.
type Capacity struct {
	Slots int // 0 means no bound
	Queue int // places to wait; negative means no bound
	Full  int // the status when there is no place: 503 or 529
}

// Latency is the time to answer: T = first + output/speed, first and speed drawn
// for each attempt. There is no interaction between requests.
type Latency struct {
	FirstToken      dist.Law // seconds from arrival to the first token; nil means 0
	TokensPerSecond dist.Law // nil means all tokens come with the first
	// CallShare, 0..1, is the part of the variance of luck that belongs to the
	// call and meets each of its attempts again: with 1 a slow question is slow
	// every time, with 0 each attempt draws anew (see dist.Blend).
	CallShare float64
}

// CancelRule says what becomes of an attempt whose client has gone.
type CancelRule uint8

const (
	Keeps        CancelRule = iota // it generates to the end, holds its slot, and is billed
	Stops                          // it stops when the disconnect arrives; what was generated is billed
	StopsStreams                   // Stops for answers that are streamed, Keeps for others
)

// String is the word for a rule.
func (c CancelRule) String() string {
	return [...]string{"keeps_generating", "stops", "stops_streams"}[c]
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
	NotAtAll
)

// String says how it is sent.
func (a RetryAfter) String() string {
	s := [...]string{"Retry-After in seconds", "Retry-After as an HTTP date", "no Retry-After"}[a.As]
	switch {
	case a.As == NotAtAll:
	case a.Round > 0:
		s += fmt.Sprintf(", rounded up to %v", a.Round)
	case a.As == InSeconds:
		s += ", exact"
	}
	if a.Millis {
		s += ", and retry-after-ms"
	}
	return s
}

// tell puts a wait into the headers of a reply that leaves now.
func (a RetryAfter) tell(reply *wire.Reply, now sim.Time, wait time.Duration) {
	if a.Millis {
		reply.Millis = wire.After(roundUp(wait, time.Millisecond))
	}
	wait = roundUp(wait, a.Round)
	switch a.As {
	case InSeconds:
		reply.RetryAfter = wire.After(wait)
	case AsDate:
		reply.RetryAfter = wire.At(now + wait)
	}
}

// roundUp is the least multiple of unit from d on; without a unit, d.
func roundUp(d, unit time.Duration) time.Duration {
	if unit == 0 {
		return d
	}
	return (d + unit - 1) / unit * unit
}

// Request is what a request declares.
type Request struct {
	Call      uint64
	Attempt   int // from 1
	Prompt    int // tokens
	Cached    int // tokens of the prompt that come from a cache
	MaxTokens int // 0 when not set
}

// Verdict is what becomes of a request on arrival.
type Verdict struct {
	Kind    VerdictKind
	Reply   wire.Reply    // of Refused
	After   time.Duration // of Refused: until the reply leaves
	Charged int64         // tokens taken from the limits
	Slow    float64       // factor on the latency
	Hangs   bool          // it is never answered: no token is generated
	Breaks  bool          // the connection breaks after Part of the answer
	Part    float64
}

// VerdictKind tells verdicts apart.
type VerdictKind uint8

const (
	Admitted VerdictKind = iota
	Refused
	Waiting // admitted, and in the queue for a slot
)

// Provider is one provider during one run. Use New.
type Provider struct {
	config  Config
	limits  []limiter
	charges []int64  // of the request at hand, by limit
	changes []change // of limits, not yet made, in order
	busy    int      // requests admitted and not finished, those waiting included
	slots   sim.Station[uint32]
	ledger  Ledger

	spells []spell // by fault

	faults, latencyOfCall, latency, spelling sim.Key
}

// Ledger is what the limits on tokens counted at admission, all together, and
// what they gave back of it at settlement, less what they counted then.
type Ledger struct{ Taken, Given int64 }

// Purposes of random numbers within the provider's key.
const (
	forFaults = iota
	forLatencyOfCall
	forLatency
	forSpells
)

// New makes a provider at time 0. It reports limits that make no sense.
func New(c Config, key sim.Key) (*Provider, error) {
	p := &Provider{
		config: c,
		faults: key.For(forFaults), latencyOfCall: key.For(forLatencyOfCall), latency: key.For(forLatency), spelling: key.For(forSpells),
		spells: make([]spell, len(c.Faults)),
	}
	for _, l := range c.Limits {
		if err := l.Check(); err != nil {
			return nil, err
		}
		p.limits = append(p.limits, newLimiter(l))
	}
	p.charges = make([]int64, len(p.limits))
	p.slots = sim.Station[uint32]{Servers: c.Capacity.Slots, Room: c.Capacity.Queue}
	var err error
	p.changes, err = changesOf(c)
	return p, err
}

// Receive decides what becomes of a request that arrives now. When it must wait
// for a slot, the token is what Finish or Pass return once its turn comes.
func (p *Provider) Receive(now sim.Time, r Request, token uint32) Verdict {
	p.advance(now)
	slow := 1.0
	v := Verdict{Kind: Admitted, Part: 1}
	for i := range p.config.Faults {
		switch f := &p.config.Faults[i]; e := f.Effect.(type) {
		case Reject:
			if p.struck(i, now, r) {
				return Verdict{Kind: Refused, Reply: e.Reply, After: e.After}
			}
		case Slow:
			if p.struck(i, now, r) {
				slow *= e.Factor
			}
		case Hang:
			v.Hangs = v.Hangs || p.struck(i, now, r)
		case Break:
			if p.struck(i, now, r) {
				v.Breaks, v.Part = true, min(v.Part, e.Part)
			}
		}
	}
	for i := range p.limits {
		p.charges[i] = p.limits[i].charge(r)
		if !p.limits[i].meter.Has(max(1, p.charges[i])) {
			return p.refuse(now, r)
		}
	}
	if p.config.Concurrency > 0 && p.busy >= p.config.Concurrency {
		return Verdict{Kind: Refused, Reply: wire.Reply{Status: 429, Code: "concurrency_limit_exceeded"}}
	}
	v.Slow = slow
	if p.config.Capacity.Slots > 0 {
		switch p.slots.Arrive(token) {
		case sim.Queued:
			v.Kind = Waiting
		case sim.Refused:
			return Verdict{Kind: Refused, Reply: wire.Reply{Status: p.config.Capacity.Full, Code: "server_is_overloaded"}}
		}
	}
	p.busy++
	for i, n := range p.charges {
		p.limits[i].meter.Take(n)
		if p.limits[i].Resource != Requests {
			v.Charged += n
			p.ledger.Taken += n
		}
	}
	return v
}

// refuse refuses a request for the limits; some count it all the same.
func (p *Provider) refuse(now sim.Time, r Request) Verdict {
	v := Verdict{Kind: Refused}
	for i := range p.limits {
		n := p.limits[i].penalise(r)
		if p.limits[i].Resource != Requests {
			v.Charged += n
			p.ledger.Taken += n
		}
	}
	v.Reply = p.refusal(now, r)
	return v
}

// refusal is the reply to a request that the limits refuse: the wait is the
// longest that any of them asks for, after which the request would fit if
// nobody else took the room.
func (p *Provider) refusal(now sim.Time, r Request) wire.Reply {
	reply := wire.Reply{Status: 429, Code: "rate_limit_exceeded"}
	var wait time.Duration
	for i := range p.limits {
		wait = max(wait, p.limits[i].meter.Wait(max(1, p.limits[i].charge(r))))
	}
	if wait == sim.Never { // larger than the limit: refused for ever
		reply.ShouldRetry = wire.DoNotRetry
		return reply
	}
	p.config.RetryAfter.tell(&reply, now, wait)
	return reply
}

// Generate is when the first and the last token of an admitted request with the
// given true output leave the provider.
func (p *Provider) Generate(now sim.Time, r Request, slow float64, output int) (first, last sim.Time) {
	l := &p.config.Latency
	seconds := 0.0
	if l.FirstToken != nil {
		seconds = l.FirstToken.Sample(p.luck(r, 0)) * slow
	}
	first = now + span(seconds)
	if l.TokensPerSecond != nil {
		seconds += float64(output) / l.TokensPerSecond.Sample(p.luck(r, 1)) * slow
	}
	return first, max(first, now+span(seconds))
}

// luck is the uniform number behind one quantity of an attempt's latency.
func (p *Provider) luck(r Request, quantity uint64) float64 {
	rho := p.config.Latency.CallShare
	var own, common float64
	if rho < 1 {
		own = p.latency.Uniform(r.Call, uint64(r.Attempt)<<1|quantity)
	}
	if rho > 0 {
		common = p.latencyOfCall.Uniform(r.Call, quantity)
	}
	return dist.Blend(common, own, rho)
}

// span is a latency as a duration, held below ten years.
func span(seconds float64) time.Duration {
	return time.Duration(min(seconds, 10*365*86400) * float64(time.Second))
}

// Settle is what the limits keep of an admission and what they give back (less
// than nothing, when they count more) once the request has used so many tokens of
// output, in tokens over all limits on tokens.
func (p *Provider) Settle(r Request, output int) (settled, refunded int64) {
	for i := range p.limits {
		if l := &p.limits[i]; l.Resource != Requests {
			settled += l.final(r, output)
			refunded += l.charge(r) - l.final(r, output)
		}
	}
	return settled, refunded
}

// Finish settles the charges of a request that had its turn and frees its slot.
// When another waits, its turn has come: its token is returned.
func (p *Provider) Finish(now sim.Time, r Request, output int) (next uint32, started bool) {
	p.Leave(now, r, output)
	return p.Pass()
}

// Leave settles the charges of a request that leaves the queue before its turn;
// its token stays there, and Pass must be called when it comes.
func (p *Provider) Leave(now sim.Time, r Request, output int) {
	p.advance(now)
	p.busy--
	for i := range p.limits {
		p.ledger.Given += p.limits[i].settle(r, output)
	}
}

// Pass gives a freed slot to the request that has waited longest and returns its
// token.
func (p *Provider) Pass() (next uint32, started bool) {
	if p.config.Capacity.Slots == 0 {
		return 0, false
	}
	return p.slots.Depart()
}

// InFlight is the number of admitted requests that have not finished.
func (p *Provider) InFlight() int { return p.busy }

// Ledger is what the limits took and gave back so far.
func (p *Provider) Ledger() Ledger { return p.ledger }

// advance refills the buckets up to now and makes the changes due on the way.
func (p *Provider) advance(now sim.Time) {
	for len(p.changes) > 0 && p.changes[0].at <= now {
		c := p.changes[0]
		p.changes = p.changes[1:]
		l := &p.limits[c.index]
		l.meter.Advance(c.at)
		l.reshape(c.limit)
	}
	for i := range p.limits {
		p.limits[i].meter.Advance(now)
	}
}

// struck reports whether fault i meets the attempt now.
func (p *Provider) struck(i int, now sim.Time, r Request) bool {
	if !p.holds(i, now) {
		return false
	}
	f := &p.config.Faults[i]
	return f.Share >= 1 || p.faults.For(uint64(i)).Uniform(r.Call, uint64(r.Attempt)) < f.Share
}

// Reach says whether a request sent now gets a connection: the first fault on
// connections that strikes it, or Reachable.
func (p *Provider) Reach(now sim.Time, r Request) Reachability {
	for i := range p.config.Faults {
		if e, ok := p.config.Faults[i].Effect.(NoConnection); ok && p.struck(i, now, r) {
			return e.As
		}
	}
	return Reachable
}
