package fleet

import "stampede/sim"

// group is one fleet at work.
type group struct {
	*Fleet
	index    int
	clients  []client         // by instance
	backlog  sim.Ring[waiter] // calls waiting for a worker
	idle     sim.Ring[uint32] // workers waiting for a call
	thoughts []uint64         // how often each worker has paused
	next     uint64           // the call to come
	started  uint64           // calls that came

	arrivals, prompts, outputs, reasoning, thinking, patience, jitter, shedding sim.Key
}

func newGroup(f *Fleet, index int, key sim.Key) group {
	g := group{
		Fleet: f, index: index, clients: newClients(f),
		arrivals: key.For(forArrivals), prompts: key.For(forPrompts), outputs: key.For(forOutputs), reasoning: key.For(forReasoning),
		thinking: key.For(forThinking), patience: key.For(forPatience), jitter: key.For(forJitter), shedding: key.For(forShedding),
	}
	return g
}

// group is the fleet of a call.
func (r *run) group(c *call) *group { return &r.groups[c.record.Fleet] }
