package figures

import (
	"stampede/measure"
	"stampede/plots"
)

// goalRules are the lines of the goals on a metric.
func (d *Drawing) goalRules(metric string) (rules []plots.Rule) {
	i := measure.Index(metric)
	for _, g := range d.c.Aims.Goals {
		if g.Metric == i {
			near := measure.Metrics()[i].Kind() != measure.Share // a share ends at 1
			rules = append(rules, plots.Rule{Name: "goal " + g.String(), At: g.Bound, Near: near})
		}
	}
	return rules
}
