package fleet

import (
	"time"

	"stampede/cost"
	"stampede/policy"
	"stampede/sim"
)

// call is a logical request that has not ended: what each of its attempts reads and writes, in 128
// bytes, two lines of the processor's cache. What few calls have is in an [extra].
type call struct {
	id       uint64        // counts in its fleet
	since    sim.Time      // start of the present wait
	waited   time.Duration // in waits of this kind, as far as extra does not count it
	start    sim.Time      // of the tries of the innermost layer
	lastWait time.Duration
	timer    sim.Timer // of the present wait
	extra    uint32    // 0 while it has none
	flight   uint32    // the attempt in flight that was sent last
	attempts int32
	tries    int32 // attempts in this delivery
	arrived  sim.Time
	useful   cost.Money // for the attempt that answered
	size     Size
	instance int32
	worker   uint32
	delivery int32
	self     uint32 // its number here; 0 when it has ended
	fleet    uint8
	waits    Wait // the kind of the present wait
	place    place
	layer    uint8 // that waits
	target   uint8
	hedges   uint8 // of the present try
	places   uint8 // that it has at the gate
	kind     uint8
	held     bool // a worker is at it
	granted  bool // the budget allows the coming retry
	paced    bool // the coming attempt has its room at the pacer
	leaves   bool // its caller's patience ends some time
}

// extra is what few calls have.
type extra struct {
	waits     [Waits]time.Duration // but for those of the present kind
	backlog   time.Duration        // from arrival until a worker first took it up
	delivered sim.Time             // when the worker took it
	ticket    uint32               // of the queue that it waits in
	cost      float32              // what the coming retry was paid with
	took      float64              // tokens that the coming attempt took at the pacer, which settles them
	expiry    sim.Timer            // of the call or a layer, while it waits to be sent
	hedge     sim.Timer
	patience  sim.Timer
	leaves    sim.Time // when its caller's patience ends
	expires   sim.Time // when its present tries do, by that layer; 0 while that is not looked up
	acted     uint64   // where its work was done, a bit for each target
	message   uint32   // whose delivery it is, where deliveries may overlap
	earlier   uint32   // the delivery of it under way that began before
	acts      int32
	expiring  int16
	target    int32 // that answered
	session   uint32
	repeated  int64
	waste     cost.Waste
}

// extra is that of a call, which it gets when it has none yet.
func (r *run) extra(c *call) *extra {
	if c.extra == 0 {
		var x *extra
		c.extra, x = r.extras.Alloc()
		*x = extra{}
		return x
	}
	return r.extras.At(c.extra)
}

// spend is what the coming retry of a call was paid with.
func (r *run) spend(c *call) (paid float32) {
	if c.extra > 0 {
		x := r.extras.At(c.extra)
		paid, x.cost = x.cost, 0
	}
	return paid
}

// leaves is when the patience of a call's caller ends.
func (r *run) leaves(c *call) sim.Time {
	if !c.leaves {
		return sim.Never
	}
	return r.extras.At(c.extra).leaves
}

// record is the record of a call as it stands.
func (r *run) record(c *call) *Call {
	record := &r.accounting.call
	*record = Call{
		ID: c.id, Fleet: int32(c.fleet), Kind: int32(c.kind), Instance: c.instance,
		Attempts: c.attempts, Deliveries: c.delivery, Size: c.size,
		Arrived: c.arrived, Began: c.arrived, Useful: c.useful,
	}
	if c.extra > 0 {
		x := r.extras.At(c.extra)
		record.Waits, record.Waste, record.Repeated = x.waits, x.waste, x.repeated
		record.Began += x.backlog
		record.Target, record.Acts = x.target, x.acts
		if x.session > 0 {
			s := r.sessions.At(x.session)
			record.Session, record.Turn = s.number, s.turn
		}
	}
	record.Waits[c.waits] += c.waited
	return record
}

// closeCall closes the record of a call and forgets it.
func (r *run) closeCall(c *call, outcome policy.Outcome) {
	record := r.record(c)
	record.Ended, record.Outcome = r.loop.Now(), outcome
	if g := r.group(c); g.Workload.Sessions != nil {
		r.endTurn(g, c, record)
	}
	r.accounting.closeCall(record.Ended)
	r.forget(c)
	r.free(c)
}

// forget lets the providers forget a call that has ended.
func (r *run) forget(c *call) {
	if terms := r.group(c).kind(c).terms; terms[0].Lifetime > 0 || r.group(c).Client.IdempotencyKey {
		for i := range terms {
			r.backends[r.group(c).provider(i)].Forget(c.provided(), c.key())
		}
	}
}

// free takes back the memory of a call.
func (r *run) free(c *call) {
	if c.extra > 0 {
		r.extras.Free(c.extra)
	}
	r.calls.Free(c.self)
	c.self = 0
}

// tenantBits leave room for the number of a call before that of its fleet, so that
// every fleet has luck of its own at the provider.
const tenantBits = 56

// provided is the number of a call at providers.
func (c *call) provided() uint64 { return c.id | uint64(c.fleet)<<tenantBits }

// key is its idempotency key, where its client sends one.
func (c *call) key() uint64 { return c.provided() + 1 }

// place is where a call is while no event of its own is pending.
type place uint8

const (
	onTheWay place = iota // in flight, or in a timed wait
	inBacklog
	atGate
	atPacer
	atBreaker
	atPool
	connected // on the way, with a connection
)

// waiter is a call in a queue. One that left before its turn has another ticket by then, or
// none, and is skipped.
type waiter = policy.Waiter

// queue puts a call into a queue of that place, under a ticket.
func (r *run) queue(c *call, at place, ticket uint32) {
	c.place, r.extra(c).ticket = at, ticket
}

// turnOf is the turn of a call in its queue; false when it has left.
func (r *run) turnOf(w waiter) bool {
	c := r.calls.At(w.ID)
	if c.place == onTheWay || r.extra(c).ticket != w.Ticket {
		return false
	}
	c.place = onTheWay
	return true
}

// unqueue takes a call out of the queue it waits in, if any.
func (r *run) unqueue(c *call) {
	was := c.place
	c.place = onTheWay
	switch g := r.group(c); was {
	case atGate:
		g.instance(c).CancelAtGate()
	case atPool:
		g.instance(c).CancelAtPool()
	case connected:
		r.disconnect(g, c.instance)
	case atPacer:
		r.pace(g, c.instance) // it may have been the first
	case inBacklog:
		g.lineOf(c.instance).waiting--
		r.moved(g)
	}
}

// tries are those of a call's outer layers.
func (r *run) tries(c *call) []policy.Tries {
	n := len(r.group(c).Client.Outer)
	if n == 0 {
		return nil
	}
	from := int(c.self) * r.layers
	for len(r.outer) < from+r.layers {
		r.outer = append(r.outer, policy.Tries{})
	}
	return r.outer[from : from+n]
}

// wait starts a wait of the call, waited ends it.
func (r *run) wait(c *call, kind Wait) {
	if c.waited > 0 && c.waits != kind {
		r.extra(c).waits[c.waits] += c.waited
		c.waited = 0
	}
	c.waits, c.since = kind, r.loop.Now()
}

func (r *run) waited(c *call) {
	now := r.loop.Now()
	c.waited += now - c.since
	if r.accounting.waits != nil && now > c.since {
		r.accounting.waits.Wait(r.record(c), c.waits, c.since, now)
	}
	c.since = now
}
