package provider

import (
	"cmp"
	"fmt"
	"slices"

	"stampede/sim"
)

// change is a limit that takes another shape during the run.
type change struct {
	at    sim.Time
	index int
	limit Limit
}

// changesOf lays out the changes of limits that the fault schedule makes: at
// each instant at which one begins or ends, the limit is that of the change
// which began last among those that hold, else what the configuration says. The
// changed limit is the first on the same resource.
func changesOf(c Config) ([]change, error) {
	var changes []change
	for i, l := range c.Limits {
		var at []sim.Time
		var holding []Fault
		for _, f := range c.Faults {
			if to, ok := f.Effect.(ChangeLimit); ok && to.Resource == l.Resource && firstOn(c, l.Resource) == i {
				holding = append(holding, f)
				if at = append(at, f.At); f.For > 0 {
					at = append(at, f.At+f.For)
				}
			}
		}
		slices.Sort(at)
		for _, t := range slices.Compact(at) {
			limit, since := l, sim.Time(-1)
			for _, f := range holding {
				if f.in(t) && f.At >= since {
					to := f.Effect.(ChangeLimit)
					limit.Amount, limit.Period, limit.Burst, since = to.Amount, to.Period, to.Burst, f.At
				}
			}
			if err := limit.Check(); err != nil {
				return nil, err
			}
			changes = append(changes, change{t, i, limit})
		}
	}
	for _, f := range c.Faults {
		if to, ok := f.Effect.(ChangeLimit); ok && firstOn(c, to.Resource) < 0 {
			return nil, fmt.Errorf("a fault changes the limit on %v, but there is none", to.Resource)
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	return changes, nil
}

func firstOn(c Config, r Resource) int {
	return slices.IndexFunc(c.Limits, func(l Limit) bool { return l.Resource == r })
}
