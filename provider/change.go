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
// which began last among those that hold, else what the configuration says.
func changesOf(c Config) ([]change, error) {
	var changes []change
	for i, l := range c.Limits {
		var at []sim.Time
		var holding []Fault
		for _, f := range c.Faults {
			if to, ok := f.Effect.(ChangeLimit); ok && firstOn(c, to) == i {
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
		to, ok := f.Effect.(ChangeLimit)
		if !ok {
			continue
		}
		i := firstOn(c, to)
		if i < 0 {
			return nil, fmt.Errorf("a fault changes the limit on %v, but there is none", to.Resource)
		}
		if l := c.Limits[i]; len(to.Keys)+len(to.Models) == 0 && len(l.Keys)+len(l.Models) > 0 {
			return nil, fmt.Errorf("a fault changes the limit on %v, of which some are for keys or models; say which", to.Resource)
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	return changes, nil
}

// firstOn is the first limit that a change is for; negative when there is none.
func firstOn(c Config, to ChangeLimit) int {
	named := len(to.Keys)+len(to.Models) > 0
	return slices.IndexFunc(c.Limits, func(l Limit) bool {
		return l.Resource == to.Resource && (!named || slices.Equal(l.Keys, to.Keys) && slices.Equal(l.Models, to.Models))
	})
}
