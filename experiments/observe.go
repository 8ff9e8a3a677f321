package experiments

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"stampede/fleet"
	"stampede/sim"
	"stampede/wire"
)

// bursts counts the requests that reach the provider within each instant, and
// when the last one that was served came.
type bursts struct {
	arrivals map[sim.Time]float64
	cleared  sim.Time
}

func (h *bursts) Attempt(a *fleet.Attempt) {
	h.arrivals[a.Received.Truncate(instant)]++
	if a.Class() == wire.OK {
		h.cleared = max(h.cleared, a.Received)
	}
}

func (h *bursts) Call(*fleet.Call) {}

// list lists the arrivals by instant, in order.
func (h *bursts) list() []float64 {
	var out []float64
	for _, at := range slices.Sorted(maps.Keys(h.arrivals)) {
		out = append(out, h.arrivals[at])
	}
	return out
}

// instant is how close requests come that count as one burst.
const instant = 100 * time.Microsecond

// waitRange is an observer of the shortest and the longest wait before a call's given retry.
type waitRange struct {
	retry             int
	shortest, longest float64 // seconds
}

// Attempt implements fleet.Listener.
func (s *waitRange) Attempt(a *fleet.Attempt) {
	if wait := a.Decision.Wait.Seconds(); a.Decision.Again && a.Number == s.retry {
		s.shortest, s.longest = min(s.shortest, wait), max(s.longest, wait)
	}
}

// Call implements fleet.Listener.
func (*waitRange) Call(*fleet.Call) {}

// runs are the replications of an arm whose mean lies outside the band of its reference, so
// that its verdict is the same with nearly every seed: about (5 x standard deviation of a run /
// distance to the band)^2.
func runs(arm string, of map[string]int) []string {
	if of[arm] == 0 {
		return nil
	}
	return []string{fmt.Sprintf("replications=%d", of[arm])}
}
