// Package provider is what an LLM API does to a request.
//
// A request passes, in this order, the gateway, the bound on its size, the fault schedule, the limits
// and the capacity ([Provider.Receive]). What is refused gets a reply with status, code
// and headers in the provider's dialect; what is admitted is charged to the limits,
// generates a first and a last token, by itself ([Provider.Generate]) or in a batch
// with the others ([Provider.Join]), and is settled when it is done
// ([Provider.Finish]). Admission sees a [Request], which holds what a request
// declares; the true length of the answer enters only at Generate or Join.
//
// Every operation receives the instant. The package schedules nothing and keeps
// no clock; its random numbers are keyed by call and attempt.
package provider

import (
	"fmt"
	"slices"
	"time"

	"stampede/dialect"
	"stampede/law"
	"stampede/sim"
	"stampede/wire"
)

// Request is what a request declares.
type Request struct {
	Call      uint64
	Tenant    int      // an index into Config.Tenants
	Attempt   int      // from 1
	Relay     int      // how often a gateway has tried this attempt before
	Prompt    int      // tokens
	Cached    int      // tokens of the prompt that come from a cache
	Admitted  sim.Time // when it was received, for its settlement
	MaxTokens int      // 0 when not set
}

// Verdict is what becomes of a request on arrival.
type Verdict struct {
	Kind    VerdictKind
	Limit   int8   // that refused: an index into Config.Limits, NoLimit, NoSlot or TooLong
	Never   bool   // no wait makes room at that limit
	Billed  Billed // of Refused
	Hangs   bool   // it is never answered: no token is generated
	Breaks  bool   // the reply ends in a failure after Part of the answer
	Silent  bool   // which its client does not hear of
	Part    float64
	Slow    float64       // factor on the latency
	Charged int64         // tokens taken from the limits
	After   time.Duration // of Refused: until the reply leaves
}

// Billed is what a refused request is billed for.
type Billed uint8

const (
	Nothing Billed = iota
	ItsPrompt
	Everything // the prompt and the whole answer
)

// What refuses when no limit does.
const (
	NoLimit   = -1 - iota // nothing, or the fault schedule
	NoSlot                // the capacity: no slot is free and no place before it
	TooLong               // Config.MaxRequest
	OfGateway             // the gateway: an error of its own
)

// VerdictKind is the kind of a verdict.
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
	shown   bool     // headers speak of some limit
	failing bool     // some limit counts all attempts
	charges []int64  // of the request at hand, by limit
	changes []change // of limits, not yet made, in order
	next    sim.Time // when the first of them is due, or the measured time begins or ends
	measure measure
	busy    int // requests admitted and not finished, those waiting included
	slots   sim.Station[uint32]
	ranks   []int // of tenants, in the queue before the slots
	batch   batch
	ledger  Ledger

	connections, arrivals []int   // the faults that strike connections, and requests on arrival
	starts                []int   // the faults that a slow start follows
	spells                []spell // by fault
	met                   []int   // by fault of a run's first attempts: how many came to it

	faults, latencyOfCall, latency, spelling, relaying, connecting sim.Key
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
	forGateway
	forConnections
)

// New makes a provider at time 0. It reports limits that make no sense.
func New(c Config, key sim.Key) (*Provider, error) {
	p := &Provider{
		config: c, faults: key.For(forFaults), latencyOfCall: key.For(forLatencyOfCall),
		latency: key.For(forLatency), spelling: key.For(forSpells), relaying: key.For(forGateway),
		connecting: key.For(forConnections),
	}
	if len(c.Tenants) > maxTenants {
		return nil, fmt.Errorf("%d tenants of one provider; allowed are %d", len(c.Tenants), maxTenants)
	}
	if len(c.Limits) > maxLimits {
		return nil, fmt.Errorf("%d limits of one provider; allowed are %d", len(c.Limits), maxLimits)
	}
	for _, l := range c.Limits {
		if err := l.Check(); err != nil {
			return nil, err
		}
		p.limits = append(p.limits, newLimiter(l, c))
		p.shown = p.shown || p.limits[len(p.limits)-1].quota >= 0
		p.failing = p.failing || l.Counted == CountAttempts
	}
	if u := c.Latency.ByUse; u.Full > 1 && (u.Limit < 0 || u.Limit >= len(c.Limits)) {
		return nil, fmt.Errorf("latency follows limit %d of %d", u.Limit, len(c.Limits))
	}
	p.charges = make([]int64, len(p.limits))
	p.ranks = Ranks(c.Tenants)
	if b := c.Capacity.Batching; b != nil {
		if b.Step <= 0 || b.PerStream < 0 || b.PerStep < 0 || c.Capacity.Slots < 1 {
			return nil, fmt.Errorf("%s in %d slots; allowed are a positive step, no negative part, and slots",
				b.Describe(), c.Capacity.Slots)
		}
		p.batch = batch{Batching: *b}
	}
	p.slots = sim.Station[uint32]{Servers: c.Capacity.Slots, Room: c.Capacity.Queue}
	changes, err := changesOf(c)
	p.schedule(changes)
	p.Measure(0, sim.Never)
	return p, err
}

// Ranks gives the tenants of the highest priority rank 0, and so on.
func Ranks(tenants []Tenant) []int {
	out := []int{0}
	if len(tenants) > 0 {
		out = make([]int, len(tenants))
	}
	var priorities []int
	for _, t := range tenants {
		priorities = append(priorities, -t.Priority)
	}
	slices.Sort(priorities)
	priorities = slices.Compact(priorities)
	for i, t := range tenants {
		out[i], _ = slices.BinarySearch(priorities, -t.Priority)
	}
	return out
}

// Receive decides what becomes of a request that arrives now. It writes the whole reply, whatever
// that held: that of a refusal, else the headers of the answer. When the request must wait for a
// slot, the token is what Finish or SkipCancelled return once its turn comes.
func (p *Provider) Receive(now sim.Time, r *Request, token uint32, reply *wire.Reply) Verdict {
	p.change(now)
	v := Verdict{Part: 1, Slow: 1, Limit: NoLimit}
	*reply = wire.Reply{}
	if p.config.MaxRequest.exceeded(r) {
		p.refuseOversized(&v, reply)
		return v
	}
	if len(p.starts) > 0 {
		v.Slow = p.starting(now)
	}
	if len(p.arrivals) > 0 && p.rejects(now, r, &v, reply) {
		return v
	}
	if !p.fits(now, r) {
		p.refuse(now, r, &v, reply)
		return v
	}
	if p.config.Capacity.Slots > 0 {
		switch p.slots.Arrive(token, p.ranks[r.Tenant]) {
		case sim.Queued:
			v.Kind = Waiting
		case sim.Refused:
			v.Kind, v.Limit = Refused, NoSlot
			p.writeRefusal(dialect.AtCapacity, nil, now, p.config.Capacity.Asks, reply)
			reply.Over.Limit, reply.Over.Tenant = v.Limit, uint8(r.Tenant)
			if p.config.Capacity.Full != 0 {
				reply.Status = p.config.Capacity.Full
			}
			p.countFailed(now, r, &v, AsLimits)
			return v
		}
	}
	p.busy++
	for i, n := range p.charges {
		if n == notCounted {
			continue
		}
		l := &p.limits[i]
		l.take(n)
		if l.Resource.tokens() {
			v.Charged += n
			p.ledger.Taken += n
		}
	}
	if !v.Breaks {
		reply.Status = 200
	}
	if p.shown {
		p.show(now, reply)
	}
	return v
}

// fits reports whether all limits have room for a request, and notes what each would charge.
func (p *Provider) fits(now sim.Time, r *Request) bool {
	fits := true
	for i := range p.limits {
		l := &p.limits[i]
		p.charges[i] = notCounted
		if l.counts(r) {
			l.advance(now)
			n := l.charge(r)
			p.charges[i] = n
			fits = fits && l.admits(n)
		}
	}
	return fits
}

// notCounted is the charge of a request at a limit that does not count it.
const notCounted = -1

// refuse refuses a request for the limits; some count it all the same. The wait
// is the longest that any of them asks for, after which the request would fit if
// nobody else took the room; the reason is that of the limit that asks for it.
func (p *Provider) refuse(now sim.Time, r *Request, v *Verdict, reply *wire.Reply) {
	v.Kind = Refused
	longest, by := time.Duration(-1), 0
	for i, n := range p.charges {
		if n == notCounted {
			continue
		}
		l := &p.limits[i]
		if l.penalises() {
			p.penalise(i, n, v)
		}
		if l.admits(n) {
			continue
		}
		if wait := l.wait(n); wait > longest {
			longest, by = wait, i
		}
	}
	v.Limit, v.Never = int8(by), longest == sim.Never
	l := &p.limits[by]
	l.over(p.charges[by], &reply.Over)
	reply.Over.Limit, reply.Over.Tenant = v.Limit, uint8(r.Tenant)
	p.writeRefusal(l.refuses(longest), l, now, longest, reply)
	if l.Advice != wire.NoAdvice {
		reply.ShouldRetry = l.Advice
	}
	if p.shown {
		p.show(now, reply)
	}
}

// penalise counts a request that failed at a limit that would have charged it so much.
func (p *Provider) penalise(limit int, charge int64, v *Verdict) {
	l := &p.limits[limit]
	if n := l.penalise(charge); l.Resource.tokens() {
		v.Charged += n
		p.ledger.Taken += n
	}
}

// countFailed counts a request that failed before or after the limits, at those that count it.
func (p *Provider) countFailed(now sim.Time, r *Request, v *Verdict, counted FaultCounted) {
	if counted == NoLimits || counted == AsLimits && !p.failing {
		return
	}
	for i := range p.limits {
		if l := &p.limits[i]; l.counts(r) && (counted == AllLimits || l.Counted == CountAttempts) {
			l.advance(now)
			p.penalise(i, l.charge(r), v)
		}
	}
}

// writeRefusal writes a refusal for a reason, by a limit or by none, with the wait where the dialect
// sends one.
func (p *Provider) writeRefusal(why dialect.Reason, by *limiter, now sim.Time, wait time.Duration,
	reply *wire.Reply) {
	with := p.config.Dialect.Refuses(why)
	reply.Failure, reply.Status, reply.Code, reply.ShouldRetry = wire.None, with.Status, with.Code, with.Advice
	reply.Over.Why = uint8(why)
	if by != nil {
		reply.Code = with.CodeOf(by.Resource.tokens(), by.Period)
		if wait == sim.Never && with.UntilReset {
			wait = by.untilReset()
		}
	}
	if wait <= 0 || wait == sim.Never {
		return
	}
	wait = p.config.Dialect.Asked(min(wait, sim.End))
	reply.Over.Wait = wait
	if with.Silent {
		return
	}
	p.config.RetryAfter.write(reply, now, wait)
	if p.config.Dialect.MessageHasWait() {
		reply.Delay = wire.After(wait)
	}
	p.config.printed(reply)
}

// Quiet leaves out of the replies how much of each limit is left, for clients that do
// not read it.
func (p *Provider) Quiet() { p.shown = false }

// show writes the headers that report how much of each limit is left; of two limits
// on one resource the first.
func (p *Provider) show(now sim.Time, reply *wire.Reply) {
	for i := range p.limits {
		l := &p.limits[i]
		if l.quota >= 0 && p.charges[i] != notCounted && reply.Quotas[l.quota].Limit == 0 {
			reply.Quotas[l.quota] = p.config.Dialect.Read(l.quota, now, l.shows())
		}
	}
}

// Generate is when an admitted request with the given true output begins to
// generate, and when its first and its last token leave the provider; so many of its
// tokens, those of reasoning, come before the first that anyone sees.
func (p *Provider) Generate(now sim.Time, r *Request, slow float64, hidden, output int) (begins, first, last sim.Time) {
	l := &p.config.Latency
	seconds, each := 0.0, 0.0
	if l.ByUse.Full > 1 {
		slow *= p.byUse(now)
	}
	if l.FirstToken != nil {
		seconds = l.FirstToken.Sample(p.luck(r, 0)) * slow
	}
	seconds += float64(max(0, p.busy-1)) * l.PerInFlight.Seconds() * slow
	seconds += float64(r.Prompt-r.Cached) / 1000 * l.PerThousand.Seconds() * slow
	if l.TokensPerSecond != nil {
		each = slow / l.TokensPerSecond.Sample(p.luck(r, 1))
	}
	begins = now + sim.Seconds(seconds)
	first = now + sim.Seconds(seconds+float64(hidden)*each)
	return begins, first, max(first, now+sim.Seconds(seconds+float64(output)*each))
}

// Batches reports whether the requests at once share a batch, by Join in place of
// Generate.
func (p *Provider) Batches() bool { return p.config.Capacity.Batching != nil }

// luck is the uniform number behind one quantity of an attempt's latency.
func (p *Provider) luck(r *Request, quantity uint64) float64 {
	rho := p.config.Latency.CallShare
	var own, common float64
	if rho < 1 {
		own = p.latency.Uniform(r.Call, uint64(r.Attempt)<<1|quantity)
	}
	if rho > 0 {
		common = p.latencyOfCall.Uniform(r.Call, quantity)
	}
	return law.Blend(common, own, rho)
}

// Settle is what the limits keep of an admission and what they give back (less
// than nothing, when they count more) of a request that has ended, in tokens over
// all limits on tokens.
func (p *Provider) Settle(r *Request, used Used) (settled, refunded int64) {
	for i := range p.limits {
		if l := &p.limits[i]; l.Resource.tokens() && l.counts(r) {
			final := l.final(r, used)
			settled += final
			refunded += l.charge(r) - final
		}
	}
	return settled, refunded
}

// Finish settles the charges of a request that had its turn and frees its slot.
// When another waits, its turn has come: its token is returned.
func (p *Provider) Finish(now sim.Time, r *Request, used Used) (next uint32, started bool) {
	p.settle(now, r, used)
	if p.config.Capacity.Slots == 0 {
		return 0, false
	}
	return p.slots.Depart()
}

// Leave settles the charges of a request that leaves the queue before its turn;
// its token stays there, and SkipCancelled must be called when it comes.
func (p *Provider) Leave(now sim.Time, r *Request, used Used) {
	p.slots.Leave()
	p.settle(now, r, used)
}

func (p *Provider) settle(now sim.Time, r *Request, used Used) {
	p.change(now)
	p.busy--
	for i := range p.limits {
		l := &p.limits[i]
		if !l.counts(r) {
			continue
		}
		if back := l.settle(now, r, used); l.Resource.tokens() {
			p.ledger.Given += back
		}
		if len(l.Tiers) > 0 {
			l.spend(now, used.Nano)
		}
	}
}

// SkipCancelled passes the slot of a request that had left the queue on to the next one in it, and
// returns the token of that one.
func (p *Provider) SkipCancelled() (next uint32, started bool) {
	p.slots.SkipCancelled()
	return p.slots.Next()
}

// InFlight is the number of admitted requests that have not finished.
func (p *Provider) InFlight() int { return p.busy }

// Held is what is taken of the limits on requests and tokens at once.
func (p *Provider) Held() (sum int64) {
	for i := range p.limits {
		if l := &p.limits[i]; l.Resource.Held() {
			sum += l.Amount - l.meter.Level()
		}
	}
	return sum
}

// Ledger is what the limits took and gave back so far.
func (p *Provider) Ledger() Ledger { return p.ledger }

// change makes the changes of limits that are due, and begins and ends the measured time.
func (p *Provider) change(now sim.Time) {
	if p.next <= now {
		p.changeNow(now)
	}
}

func (p *Provider) changeNow(now sim.Time) {
	for len(p.changes) > 0 && p.changes[0].at <= now {
		c := p.changes[0]
		p.changes = p.changes[1:]
		p.measure.reach(p.limits, c.at)
		p.limits[c.index].reshape(c.at, c.limit)
	}
	if p.measure.next <= now {
		p.measure.reach(p.limits, now)
	}
	if p.next = p.measure.next; len(p.changes) > 0 {
		p.next = min(p.next, p.changes[0].at)
	}
}
