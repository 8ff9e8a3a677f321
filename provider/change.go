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

// SetFaults replaces the fault schedule from now on. Its times count from now; a limit that the
// old one had changed is again what the configuration says.
func (p *Provider) SetFaults(now sim.Time, faults []Fault) error {
	c := p.config
	c.Faults = slices.Clone(faults)
	for i := range c.Faults {
		c.Faults[i].At = sim.Plus(now, c.Faults[i].At)
	}
	changes, err := changesOf(c)
	if err != nil {
		return err
	}
	p.change(now)
	for i := range p.limits {
		old, limit := p.limits[i].Limit, c.Limits[i]
		if len(limit.Tiers) > 0 {
			continue // no fault changes it
		}
		changed := old.Amount != limit.Amount || old.Period != limit.Period || old.Burst != limit.Burst
		changesNow := slices.ContainsFunc(changes, func(c change) bool { return c.index == i && c.at <= now })
		if changed && !changesNow {
			changes = slices.Insert(changes, 0, change{now, i, limit})
		}
	}
	p.config = c
	p.schedule(changes)
	p.change(now)
	return nil
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
		on := changedBy(c, to)
		switch {
		case len(on) == 0 && to.Name != "":
			return nil, fmt.Errorf("a fault changes the limit %q on %v, but there is none; the limits are %s", to.Name,
				to.Resource, listNames(c.Limits))
		case len(on) == 0:
			return nil, fmt.Errorf("a fault changes the limit on %v, but there is none", to.Resource)
		case len(c.Limits[on[0]].Tiers) > 0 || c.Limits[on[0]].Kind == Balance:
			return nil, fmt.Errorf("a fault changes the limit %s, which follows what is spent; allowed are others",
				c.Limits[on[0]].label())
		case to.anyLimit() && len(c.Limits[on[0]].Keys)+len(c.Limits[on[0]].Models) > 0:
			return nil, fmt.Errorf("a fault changes the limit on %v, of which some are for keys or models; say which",
				to.Resource)
		case len(on) > 1 && c.Limits[on[0]].Name != "":
			var several []Limit
			for _, i := range on {
				several = append(several, c.Limits[i])
			}
			return nil, fmt.Errorf("a fault changes the limit on %v, of which there are %s; say which by its name",
				to.Resource, listNames(several))
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	return changes, nil
}

// firstOn is the limit that a change is for; negative when there is none.
func firstOn(c Config, to ChangeLimit) int {
	if on := changedBy(c, to); len(on) > 0 {
		return on[0]
	}
	return -1
}

// changedBy are the limits that a change may mean: of those on its resource the one that it
// names, else those for its keys and models. One that says neither means a limit for all,
// where there is one.
func changedBy(c Config, to ChangeLimit) (forAll []int) {
	var others []int
	for i, l := range c.Limits {
		switch {
		case l.Resource != to.Resource:
		case to.Name != "":
			if l.Name == to.Name {
				return []int{i}
			}
		case !to.anyLimit():
			if slices.Equal(l.Keys, to.Keys) && slices.Equal(l.Models, to.Models) {
				forAll = append(forAll, i)
			}
		case len(l.Keys)+len(l.Models) == 0:
			forAll = append(forAll, i)
		default:
			others = append(others, i)
		}
	}
	if len(forAll) == 0 {
		return others
	}
	return forAll
}
