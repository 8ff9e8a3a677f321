package scenario

import (
	"math"
	"strings"

	"stampede/fleet"
	"stampede/provider"
)

// warm gives each ramp that does not say what came before the run the traffic that its
// workloads start with, where they are open:
//
//	before = sum over fleets of rate(0) x mean charge
//
// Of other workloads nothing is known; their ramps start at the limit, which is noted.
func (b *builder) warm(m *fleet.Model, limits []Limit) {
	for i := range m.Provider.Limits {
		l := &m.Provider.Limits[i]
		if l.Kind != provider.RampLimit || limits[i].Prior.Amount > 0 {
			continue
		}
		before, open := 0.0, false
		for k, f := range m.Fleets() {
			if a, ok := f.Workload.Arrivals.(fleet.Renewal); ok && l.Covers(m.Provider.Tenants[k]) {
				open = true
				each := meanChargeOf(l, f)
				if f.Workload.Sessions != nil {
					each *= turnsPerSession(&f.Workload)
				}
				before += a.Rate.At(0) * each * l.Every.Seconds()
			}
		}
		l.Before = int64(math.Ceil(min(before, 1e18)))
		if !open {
			b.warnings.add(
				"the ramp on %s has no rate of the traffic before the run and starts at its limit, %v; set prior_rate",
				strings.ReplaceAll(l.Resource.String(), "_", " "),
				limits[i].Limit,
			)
		}
	}
}
