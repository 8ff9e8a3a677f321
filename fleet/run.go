package fleet

import (
	"errors"

	"stampede/backend"
	"stampede/internal/arena"
	"stampede/policy"
	"stampede/provider"
	"stampede/sim"
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
	r.accounting.adapted, _ = to.(AdaptedListener)
	r.accounting.levels = levelListeners(to)
	r.loop.Budget = m.Budget
	r.loop.Ahead(r.touch)
	for i, config := range m.Providers() {
		b, err := backend.New(config, m.luckOf(key, i), &r.loop, i)
		if err != nil {
			return Summary{}, err
		}
		b.Provider().Measure(m.Warmup, m.end())
		r.backends = append(r.backends, b)
	}
	counters := false // whether anyone reads them
	for i, f := range m.Fleets() {
		own := key
		if i > 0 {
			own = key.For(forFleets).For(uint64(i))
		}
		r.groups = append(r.groups, newGroup(f, i, own, m.entry(i)))
		counters = counters || f.Client.Pacer.Headers.On || f.Client.Route.By == policy.RouteMostQuota
		r.layers = max(r.layers, len(f.Client.Outer))
		r.processes = r.processes || f.PerRequest > 0
	}
	r.shareGate(m)
	r.rank(m)
	for i := range r.backends {
		if !counters {
			r.backends[i].Provider().Quiet()
		}
	}
	for i := range r.groups {
		m.Drawn.before(&r.groups[i])
		r.open(&r.groups[i])
	}
	r.runEvents()
	r.close()
	r.runEvents() // what the provider still has to hear of it
	if err := errors.Join(r.accounting.err, r.loop.Err()); err != nil {
		return Summary{}, err
	}
	for i := range r.groups {
		m.Drawn.after(&r.groups[i])
	}
	summary := Summary{
		Events: r.loop.Events(), End: r.loop.Now(),
		NotStarted: make([]uint64, len(r.groups)), SessionsCut: make([]uint64, len(r.groups)),
	}
	started := uint64(0)
	for i := range r.groups {
		g := &r.groups[i]
		started += g.started
		if g.Workload.Calls > 0 {
			summary.NotStarted[i] = g.Workload.Calls - g.started
		}
		if s := g.Workload.Sessions; s != nil && s.Count > 0 {
			summary.SessionsCut[i] = s.Count - g.opened + g.cut
		}
	}
	var ledger provider.Ledger
	held := int64(0)
	for i := range r.backends {
		l := r.backends[i].Provider().Ledger()
		ledger.Taken += l.Taken
		ledger.Given += l.Given
		held += r.backends[i].Provider().Held()
	}
	summary.Last = r.accounting.last
	summary.MeasuredTo = m.MeasuredTo(&summary, -1)
	for i := range r.backends {
		summary.Uses = append(summary.Uses, r.backends[i].Provider().Use(summary.MeasuredTo))
	}
	r.accounting.reconcile(started, ledger, held)
	for i := range r.groups {
		r.groups[i].instances.CheckReturned()
	}
	return summary, nil
}

// luckOf is the key of a provider's random numbers. Those of one provider under several keys are the
// same; those of a fallback are the same however many deployments there are.
func (m *Model) luckOf(key sim.Key, i int) sim.Key {
	switch {
	case i <= m.SameLuck:
		return key.For(forProvider)
	case i > m.Deployed:
		return key.For(forFallbacks).For(uint64(i - m.Deployed))
	}
	return key.For(forDeployments).For(uint64(i))
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
	forProvider = iota + backend.ForProvider
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
	forRouting
	forDeployments
	forTurns
	forGrowth
	forMixing
)

// Events are those of the backends, and these. Of is the number of a fleet where ID is not that
// of a call or an attempt.
const (
	arrival   = iota + backend.Kinds // the next call arrives by itself
	thought                          // a worker has paused and fetches a call
	turn                             // a session has paused and takes its next turn
	admits                           // a call asks its instance again whether it may be sent
	expires                          // a timeout of the whole call or of a layer ends while a call waits
	onward                           // a call goes on to its next target
	hedges                           // a call may be sent a second time
	redeliver                        // a call is in the queue again
	ready                            // a call has waited and wants to be sent
	cut                              // a timer of an attempt fires
	leave                            // a caller's patience ends
	scales                           // the number of workers changes, or is decided on
	staffs                           // workers have started
	handled                          // a client process handles a reply
	tires                            // a call has waited for as long as it may at the gate or the pacer
	paces                            // there is room at a pacer for the first in its line
)

func event(kind backend.Kind, id uint32) backend.Event { return backend.Event{Kind: kind, ID: id} }

// run is one replication under way.
type run struct {
	*Model
	loop       sim.Loop[backend.Event]
	accounting accounting

	backends  []*backend.Backend
	groups    []group
	calls     arena.Arena[call]
	extras    arena.Arena[extra]
	messages  arena.Arena[message]
	sessions  arena.Arena[session]
	attempts  arena.Arena[attempt]
	tickets   uint32
	touched   uint64  // see touch
	freed     []freed // workers about to go on
	freeing   bool
	processes bool           // a client process takes time
	outer     []policy.Tries // of the outer layers, by call
	layers    int            // the most outer layers of any fleet
}

func (r *run) handle(e backend.Event) {
	switch e.Kind {
	default:
		r.hear(r.backends[e.Of].Handle(e))
	case arrival:
		r.arrive(&r.groups[e.Of])
	case thought:
		r.fetch(&r.groups[e.Of], e.ID)
	case turn:
		r.takeTurn(&r.groups[e.Of], e.ID)
	case admits:
		c := r.calls.At(e.ID)
		r.resume(c)
		r.admit(c)
	case expires:
		r.expired(r.calls.At(e.ID))
	case onward:
		c := r.calls.At(e.ID)
		r.waited(c)
		r.admit(c)
	case hedges:
		r.hedge(r.calls.At(e.ID))
	case redeliver:
		if c := r.calls.At(e.ID); r.group(c).overlaps() {
			r.visible(c)
		} else {
			r.enqueue(c)
		}
	case ready:
		r.resumed(r.calls.At(e.ID))
	case cut:
		r.cutOff(r.attempts.At(e.ID))
	case leave:
		r.leave(r.calls.At(e.ID))
	case scales:
		r.scale(&r.groups[e.Of])
	case staffs:
		r.arriveWorkers(&r.groups[e.Of])
	case handled:
		r.replied(r.attempts.At(e.ID))
	case tires:
		r.tired(r.calls.At(e.ID))
	case paces:
		r.pace(&r.groups[e.Of], int32(e.ID))
	}
}

// hear does what news of an attempt ask for.
func (r *run) hear(news backend.News, attempt uint32) {
	switch news {
	case backend.Replied:
		if a := r.attempts.At(attempt); r.processes {
			r.reaches(a)
		} else {
			r.replied(a)
		}
	case backend.Departed:
		r.departed(r.attempts.At(attempt))
	case backend.Taken:
		a := r.attempts.At(attempt)
		r.taken(a)
		for _, to := range r.accounting.levels {
			to.Levels(r.loop.Now(), int(a.backend), r.backends[a.backend].Provider())
		}
	case backend.Began:
		r.firstToken(r.attempts.At(attempt))
	case backend.Hushed:
		r.lastToken(r.attempts.At(attempt))
	}
}

// touch reads a word of each line of memory that the next events will need; see [sim.Loop.Ahead].
func (r *run) touch(e backend.Event) {
	id := e.ID
	switch {
	case e.Kind < backend.Kinds:
		owner, word := r.backends[e.Of].Touch(id)
		a := r.attempts.At(owner)
		id = a.call
		r.touched += word + uint64(a.Reply.Status) + uint64(a.Received) + uint64(a.Charged)
	case e.Kind != ready:
		return
	}
	c := r.calls.At(id)
	r.touched += c.id + uint64(c.arrived)
}
