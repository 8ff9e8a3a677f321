package fleet

import (
	"errors"
	"time"

	"stampede/cost"
	"stampede/policy"
	"stampede/provider"
	"stampede/sim"
	"stampede/wire"
)

// Run runs one replication of the model and streams its records. It fails when
// the model makes no sense or the event budget is spent; after a run that ends,
// calls, attempts, tokens and dollars are reconciled in exact integers or it panics.
func (m *Model) Run(seed uint64, replication int, to Listener) (Summary, error) {
	if err := m.Check(); err != nil {
		return Summary{}, err
	}
	key := sim.NewKey(seed, replication)
	r := &run{Model: m, accounting: accounting{to: to, last: make([]sim.Time, len(m.Fleets()))}}
	r.accounting.waits, _ = to.(WaitListener)
	r.loop.Budget = m.Budget
	for i, config := range m.Providers() {
		own := key.For(forProvider)
		if i > 0 {
			own = key.For(forFallbacks).For(uint64(i))
		}
		b, err := newBackend(config, uint32(i), own)
		if err != nil {
			return Summary{}, err
		}
		b.Measure(m.Warmup, m.end())
		r.backends = append(r.backends, b)
	}
	counters := false // whether anyone reads them
	for i, f := range m.Fleets() {
		own := key
		if i > 0 {
			own = key.For(forFleets).For(uint64(i))
		}
		r.groups = append(r.groups, newGroup(f, i, own))
		counters = counters || f.Client.Pacer.Headers.On
		r.layers = max(r.layers, len(f.Client.Outer))
	}
	for i := range r.backends {
		if !counters {
			r.backends[i].Quiet()
		}
	}
	for i := range r.groups {
		r.open(&r.groups[i])
	}
	r.runEvents()
	r.close()
	r.runEvents() // what the provider still has to hear of it
	if err := errors.Join(r.accounting.err, r.loop.Err()); err != nil {
		return Summary{}, err
	}
	summary := Summary{Events: r.loop.Events(), End: r.loop.Now(), NotStarted: make([]uint64, len(r.groups))}
	started := uint64(0)
	for i := range r.groups {
		g := &r.groups[i]
		started += g.started
		if g.Workload.Calls > 0 {
			summary.NotStarted[i] = g.Workload.Calls - g.started
		}
	}
	var ledger provider.Ledger
	for i := range r.backends {
		l := r.backends[i].Ledger()
		ledger.Taken += l.Taken
		ledger.Given += l.Given
	}
	summary.Last = r.accounting.last
	summary.MeasuredTo = m.MeasuredTo(&summary, -1)
	for i := range r.backends {
		summary.Uses = append(summary.Uses, r.backends[i].Use(summary.MeasuredTo))
	}
	r.accounting.reconcile(started, ledger)
	for i := range r.groups {
		r.groups[i].instances.CheckReturned()
	}
	return summary, nil
}

// runEvents handles events until none is left, the budget is spent or no more money can be counted.
func (r *run) runEvents() {
	for r.accounting.err == nil {
		e, ok := r.loop.Next()
		if !ok {
			return
		}
		r.handle(e)
	}
}

// Purposes of random numbers. A new purpose goes at the end, so that the others
// keep their luck.
const (
	forProvider = iota
	forArrivals
	forPrompts
	forOutputs
	forThinking
	forPatience
	forJitter
	forFleets
	forReasoning
	forFallbacks
	forShedding
	forDealing
)

// event is what the loop carries: a kind and the number of a call, an attempt,
// or of a worker of a fleet.
type event struct {
	kind  kind
	fleet uint16
	id    uint32
}

type kind uint16

const (
	arrival   kind = iota // the next call arrives by itself
	thought               // a worker has paused and fetches a call
	admits                // a call asks its instance again whether it may be sent
	expires               // a timeout of the whole call or of a layer ends while a call waits
	onward                // a call goes on to its next target
	hedges                // a call may be sent a second time
	redeliver             // a call is in the queue again
	ready                 // a call has waited and wants to be sent
	arrives               // an attempt reaches the provider
	received              // the provider looks at it
	first                 // the first token of a stream reaches the client
	generated             // the provider is done with an attempt
	marked                // the batch gets to a first or a last token
	replied               // a reply reaches the client
	cut                   // a timer of an attempt fires
	leave                 // a caller's patience ends
)

// run is one replication under way.
type run struct {
	*Model
	loop       sim.Loop[event]
	verdict    provider.Verdict // of the request at hand
	accounting accounting

	backends []backend
	groups   []group
	calls    arena[call]
	attempts arena[attempt]
	tickets  uint32
	freed    []freed // workers about to go on
	freeing  bool
	outer    []policy.Tries // of the outer layers, by call
	layers   int            // the most outer layers of any fleet
}

// tries are those of a call's outer layers.
func (r *run) tries(id uint32) []policy.Tries {
	n := len(r.group(r.calls.at(id)).Client.Outer)
	if n == 0 {
		return nil
	}
	from := int(id) * r.layers
	for len(r.outer) < from+r.layers {
		r.outer = append(r.outer, policy.Tries{})
	}
	return r.outer[from : from+n]
}

// call is a logical request that has not ended.
// What each attempt reads or writes stands first: of a large herd it is not in the cache of the
// machine.
type call struct {
	since    sim.Time                     // when the present wait began
	timer    sim.Timer                    // of the present wait
	start    sim.Time                     // of this delivery
	lastWait time.Duration                // the last backoff
	flights  [1 + policy.MaxHedges]uint32 // the attempts in flight
	tries    int32                        // attempts in this delivery
	flying   uint8                        // how many attempts are in flight
	waits    Wait                         // the kind of the present wait
	place    place
	layer    uint8 // that waits
	target   uint8
	hedges   uint8 // of the present try
	places   uint8 // that it has at the gate
	live     bool
	held     bool      // a worker is at it
	granted  bool      // the budget allows the coming retry
	paced    bool      // the coming attempt has its room at the pacer
	cost     float32   // what the coming retry was paid with
	expiry   sim.Timer // of the call or a layer, while it waits to be sent
	leaves   sim.Time  // when its caller's patience ends
	tried    sim.Time  // the start of the present try
	record   Call

	worker    uint32
	ticket    uint32   // of the queue that it waits in
	acted     uint32   // where its work was done, a bit for each target
	delivered sim.Time // when the worker took it
	hedge     sim.Timer
	patience  sim.Timer
	cached    sim.Time // start of the last request known to have used the cache
	caching   sim.Time // start of a request that uses it
	cachedAt  sim.Time // when that begins to be known
}

// place is where a call is while no event of its own is pending.
type place uint8

const (
	onTheWay place = iota // in flight, or in a timed wait
	inBacklog
	atGate
	atBreaker
)

// queue puts a call into a queue of that place.
func (r *run) queue(id uint32, at place) waiter {
	c := r.calls.at(id)
	r.tickets++
	c.place, c.ticket = at, r.tickets
	return waiter{ID: id, Ticket: c.ticket}
}

// turnOf is the turn of a call in its queue; false when it has left.
func (r *run) turnOf(w waiter) bool {
	c := r.calls.at(w.ID)
	if c.ticket != w.Ticket {
		return false
	}
	c.place, c.ticket = onTheWay, 0
	return true
}

// unqueue takes a call out of the queue it waits in, if any.
func (r *run) unqueue(c *call) {
	if c.place == atGate {
		r.group(c).instance(c).CancelAtGate()
	}
	c.place, c.ticket = onTheWay, 0
}

// attempt is a request that the client or the provider still has to do with.
type attempt struct {
	call      uint32
	number    int32
	inFlight  int32
	gated     int32 // places taken at its gate when it was sent
	ordinal   int32
	tenth     int32
	relayed   int32 // times that the gateway tried again
	state     state
	backend   uint8
	limit     int8 // that refused it: of its provider, or provider.NoLimit or NoSlot
	target    uint8
	layer     uint8 // whose timeout the call timer is
	role      policy.Role
	abandoned bool
	batched   bool // in the batch, under a name
	left      bool // the provider's queue, before its turn
	hangs     bool
	breaks    bool
	lost      bool // it breaks at its end
	replayed  bool // it is answered from memory
	// unfinished means that its client left before the provider was done.
	unfinished bool
	timerKind  policy.Timer
	request    provider.Request
	output     int32 // tokens that will have been generated
	hidden     int32 // of them, by reasoning
	name       uint32
	billed     provider.Billed // of a refused one
	relays     cost.Usage      // of refusals that the gateway kept to itself
	slow       float64
	sent       sim.Time
	received   sim.Time
	cost       float32  // that it was paid with, as a retry
	generation uint32   // of the breaker that let it through
	begins     sim.Time // the first token is generated
	first      sim.Time // the first token that is seen leaves the provider
	last       sim.Time // the last token leaves the provider
	reply      wire.Reply
	replyAt    sim.Time  // at the client, once known
	charged    int64     // at admission
	penalty    int64     // for being refused
	timer      sim.Timer // cut
	ends       sim.Timer // generated
	streams    sim.Timer // first
}

// tenantBits leave room for the number of a call before that of its fleet, so that
// every fleet has luck of its own at the provider.
const tenantBits = 56

type state uint8

const (
	sending state = iota
	refused
	waiting // for a slot at the provider
	generating
	hung
	done
)

func (r *run) handle(e event) {
	switch e.kind {
	case arrival:
		r.arrive(&r.groups[e.fleet])
	case thought:
		r.fetch(&r.groups[e.fleet], e.id)
	case redeliver:
		r.enqueue(e.id)
	case ready:
		r.resumed(e.id)
	case admits:
		r.resume(e.id)
		r.admit(e.id)
	case expires:
		r.expired(e.id)
	case onward:
		r.waited(e.id)
		r.admit(e.id)
	case hedges:
		r.hedge(e.id)
	case arrives:
		r.arrived(e.id)
	case received:
		r.receive(e.id)
	case first:
		r.firstToken(e.id)
	case generated:
		r.generated(e.id)
	case marked:
		r.marked(&r.backends[e.id])
	case replied:
		r.replied(e.id)
	case cut:
		r.cutOff(e.id)
	case leave:
		r.leave(e.id)
	}
}
