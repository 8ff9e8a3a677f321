package fleet

import "stampede/sim"

// group is one fleet at work.
type group struct {
	*Fleet
	index    int
	gates    []sim.Station[uint32] // calls in flight or waiting, by instance
	backlog  sim.Ring[uint32]      // calls waiting for a worker
	idle     sim.Ring[uint32]      // workers waiting for a call
	thoughts []uint64              // how often each worker has paused
	next     uint64                // the call to come
	started  uint64                // calls that came

	arrivals, prompts, outputs, reasoning, thinking, patience, jitter sim.Key
}

func newGroup(f *Fleet, index int, key sim.Key) group {
	g := group{
		Fleet: f, index: index, gates: make([]sim.Station[uint32], f.Instances),
		arrivals: key.For(forArrivals), prompts: key.For(forPrompts), outputs: key.For(forOutputs), reasoning: key.For(forReasoning),
		thinking: key.For(forThinking), patience: key.For(forPatience), jitter: key.For(forJitter),
	}
	for i := range g.gates {
		g.gates[i] = sim.Station[uint32]{Servers: f.Client.Gate.Semaphore, Room: -1}
	}
	return g
}

// group is the fleet of a call.
func (r *run) group(c *call) *group { return &r.groups[c.record.Fleet] }
