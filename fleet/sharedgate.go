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
			return fmt.Errorf("the fleets %s and %s share a gate and describe it differently: %s and %s; want one",
				first.Name, fleets[i].Name, first.Client.Gate.Describe(), g.Describe())
		}
	}
	return nil
}

// shareGate makes the gates of fleets that share one the same.
func (r *run) shareGate(m *Model) {
	var instances []policy.Instances
	for _, i := range m.sharing() {
		instances = append(instances, r.groups[i].instances)
	}
	if len(instances) > 1 {
		policy.ShareGate(instances)
	}
}

// rank tells which calls go first at gates by priority: those of the kind, or else of the fleet, with the highest
// one.
func (r *run) rank(m *Model) {
	var all []provider.Tenant
	var of []*kind
	for i := range r.groups {
		g := &r.groups[i]
		if g.Client.Gate.Order != policy.ByPriority {
			continue
		}
		for k := range g.kinds {
			var t provider.Tenant
			if len(g.Workload.Kinds) > 0 {
				t.Priority = g.Workload.Kinds[k].Priority
			} else if i < len(m.Provider.Tenants) {
				t = m.Provider.Tenants[i]
			}
			all, of = append(all, t), append(of, &g.kinds[k])
		}
	}
	for i, rank := range provider.Ranks(all)[:len(all)] {
		of[i].rank = uint16(rank)
	}
}
