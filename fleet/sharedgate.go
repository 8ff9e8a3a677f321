package fleet

import (
	"fmt"

	"stampede/policy"
	"stampede/provider"
)

// A gate that fleets share stands for one place, such as a queue of their own, through which all their calls go to
// the provider.

// sharing are the numbers of the fleets that share a gate.
func (m *Model) sharing() (all []int) {
	for i, f := range m.Fleets() {
		if f.Client.Gate.On() && f.Client.Gate.Scope == policy.ForFleets {
			all = append(all, i)
		}
	}
	return all
}

// checkShared reports a gate that fleets share and that is not one.
func (m *Model) checkShared() error {
	fleets, sharing := m.Fleets(), m.sharing()
	for _, i := range sharing {
		first, g := fleets[sharing[0]], &fleets[i].Client.Gate
		switch {
		case g.Adaptive():
			return fmt.Errorf("the gate of the fleet %s is adaptive and shared by fleets; want a semaphore",
				fleets[i].Name)
		case *g != first.Client.Gate:
			return fmt.Errorf("the fleets %s and %s share a gate and describe it differently: %v and %v; want one",
				first.Name, fleets[i].Name, first.Client.Gate, *g)
		}
	}
	return nil
}

// shareGate makes the gates of fleets that share one the same.
func (r *run) shareGate(m *Model) {
	ranks := provider.Ranks(m.Provider.Tenants)
	var instances []policy.Instances
	var of []int
	for _, i := range m.sharing() {
		instances = append(instances, r.groups[i].instances)
		of = append(of, ranks[i])
	}
	if len(of) > 1 {
		policy.ShareGate(instances, of)
	}
}
