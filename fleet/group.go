package fleet

import (
	"math"
	"slices"

	"stampede/policy"
	"stampede/sim"
)

// group is one fleet at work.
type group struct {
	*Fleet
	index     int
	instances policy.Instances
	lines     []line      // before the workers
	crew      *crew       // where the number of workers changes
	thoughts  []uint64    // how often each worker has paused
	starts    []sim.Time  // of the last call of each worker, of a workload with Every
	free      []sim.Time  // by instance: when its process is, where its work takes time
	kinds     []kind      // of calls
	providers []uint8     // by target
	entry     uint64      // of the cache that all calls share; 0 means none
	adapts    bool        // it adapts a limit or a rate
	pooled    bool        // its connections are bounded, and may all be taken
	expires   bool        // a timeout of calls or of a layer is set, or a deadline
	next      uint64      // the call to come
	started   uint64      // calls that arrived
	paces     []sim.Timer // by pacer with a line: when there is room for the first
	opened    uint64      // sessions that began
	cut       uint64      // sessions that the horizon cut short
	drawn     []Size      // of its calls, the first ones; see [DrawnSizes]
	remembers int         // at most so many of them

	arrivals, prompts, outputs, reasoning, thinking, patience, jitter, shedding, dealing, routing sim.Key
	turns, growth, mixing                                                                         sim.Key
}

func newGroup(f *Fleet, index int, key sim.Key, entry uint64) group {
	weights := make([]float64, f.Routed())
	for i := range weights {
		weights[i] = f.target(uint8(i)).Weight
	}
	client := &f.Client
	if f.mostInFlight() <= f.Client.MaxConnections { // none ever waits
		free := f.Client
		free.MaxConnections, client = 0, &free
	}
	g := group{
		Fleet: f, index: index, lines: newLines(f), crew: newCrew(f), entry: entry,
		instances: policy.NewInstances(client, f.Instances, f.Targets(), weights), pooled: client.MaxConnections > 0,
		arrivals: key.For(forArrivals), prompts: key.For(forPrompts), outputs: key.For(forOutputs),
		reasoning: key.For(forReasoning), thinking: key.For(forThinking), patience: key.For(forPatience),
		jitter: key.For(forJitter), shedding: key.For(forShedding), dealing: key.For(forDealing),
		routing: key.For(forRouting),
		turns:   key.For(forTurns), growth: key.For(forGrowth), mixing: key.For(forMixing),
	}
	if p := &f.Client.Pacer; p.Lines() {
		n := f.Instances
		if p.Scope == policy.ForAll {
			n = 1
		}
		g.paces = make([]sim.Timer, n)
	}
	for what := range Adapted(Adapteds) {
		n, _ := f.Adapts(what)
		g.adapts = g.adapts || n > 0
	}
	if f.PerRequest > 0 {
		g.free = make([]sim.Time, f.Instances)
	}
	for i := range f.Targets() {
		g.providers = append(g.providers, uint8(f.provider(i)))
	}
	g.kinds = newKinds(f)
	g.expires = f.Client.Deadline.After > 0 ||
		slices.ContainsFunc(g.kinds, func(k kind) bool { return k.client.Timeouts.Call > 0 }) ||
		slices.ContainsFunc(f.Client.Outer, func(l policy.Layer) bool { return l.Timeout > 0 })
	return g
}

// HasPools reports whether the connections of any fleet are bounded.
func (m *Model) HasPools() bool {
	return slices.ContainsFunc(m.Fleets(), func(f *Fleet) bool { return f.Client.MaxConnections > 0 })
}

// mostInFlight is the most attempts that an instance has in flight.
func (f *Fleet) mostInFlight() int {
	if f.Workers == 0 {
		return math.MaxInt
	}
	if n := f.Workers; f.Client.Hedge.On() {
		return n * (1 + f.Client.Hedge.MaxAttempts())
	} else {
		return n
	}
}

// pacing is the timer of an instance's pacer.
func (g *group) pacing(instance int32) *sim.Timer {
	if len(g.paces) == 1 {
		return &g.paces[0]
	}
	return &g.paces[instance]
}

// group is the fleet of a call.
func (r *run) group(c *call) *group { return &r.groups[c.fleet] }
