package measure

import (
	"fmt"
	"math"
	"strings"
	"time"

	"stampede/fleet"
	"stampede/policy"
	"stampede/scenario"
)

// Kinds of calls as metrics, in the shape of those of deployments: metrics for each kind of the fleets that are
// measured, in their order.

// OwnKinds is how many kinds have metrics of their own, in the order of [KindNames].
const OwnKinds = fleet.MaxKinds

// KindNames lists the kinds of calls of the measured fleets, with the fleet where several have kinds.
func KindNames(s *scenario.Scenario) (names []string) {
	only := s.Measured()
	several := 0
	for i, f := range s.Model.Fleets() {
		if len(f.Workload.Kinds) > 0 && (only < 0 || only == i) {
			several++
		}
	}
	for i, f := range s.Model.Fleets() {
		if only >= 0 && only != i {
			continue
		}
		for _, k := range f.Workload.Kinds {
			if name := k.Name; several > 1 {
				names = append(names, f.Name+": "+name)
			} else {
				names = append(names, name)
			}
		}
	}
	return names
}

// kindTally counts the calls of a kind.
type kindTally struct {
	calls, answered uint64
	latency         latencies // of the answered
}

// kindsTally counts by kind.
type kindsTally struct {
	first []int // by fleet: its first kind among all
	kinds []kindTally
}

func newKindsTally(m *fleet.Model, counts func(fleet int) bool) (t kindsTally) {
	for i, f := range m.Fleets() {
		t.first = append(t.first, len(t.kinds))
		if counts(i) {
			t.kinds = append(t.kinds, make([]kindTally, len(f.Workload.Kinds))...)
		}
	}
	return t
}

// add counts a call of a fleet that is measured.
func (t *kindsTally) add(m *fleet.Model, c *fleet.Call, latency time.Duration) {
	if len(m.Fleets()[c.Fleet].Workload.Kinds) == 0 {
		return
	}
	k := &t.kinds[t.first[c.Fleet]+int(c.Kind)]
	if k.calls++; c.Outcome == policy.Answered {
		k.answered++
		k.latency.add(latency)
	}
}

// of is the value of the kind in place k; NaN where there is none.
func (t *kindsTally) of(k int, value func(*kindTally) float64) float64 {
	if k >= len(t.kinds) {
		return math.NaN()
	}
	return value(&t.kinds[k])
}

// kinds lists the metrics of each kind.
func kinds() (list []Metric) {
	for k := range OwnKinds {
		add := func(what, unit, meaning string, better Direction, of func(*kindTally) float64) {
			list = append(list, Metric{Name: KindMetric(k, what), Unit: unit, Better: better,
				Meaning: fmt.Sprintf(meaning, k+1), Value: func(t *Tally) float64 { return t.kinds.of(k, of) }})
		}
		add("calls", "calls", "Calls of kind %d", Neither, func(k *kindTally) float64 { return float64(k.calls) })
		add("answered", "calls", "Calls of kind %d that were answered", Neither,
			func(k *kindTally) float64 { return float64(k.answered) })
		add("success_ratio", "share", "Share of the calls of kind %d that were answered", Higher,
			func(k *kindTally) float64 { return ratio(float64(k.answered), float64(k.calls)) })
		add("latency_p50_s", "s", "Median latency of the answered calls of kind %d", Lower,
			func(k *kindTally) float64 { return k.latency.quantile(0.5) })
		add("latency_p95_s", "s", "95th percentile of the latency of the answered calls of kind %d", Lower,
			func(k *kindTally) float64 { return k.latency.quantile(0.95) })
	}
	return list
}

// KindMetric names a metric of the kind in place k, from 0.
func KindMetric(k int, what string) string { return fmt.Sprintf("kind_%d_%s", k+1, what) }

// InTables reports whether a metric is one that the table of limits, deployments or kinds shows.
func InTables(name string) bool { return OfLimits(name) || OfDeployments(name) || OfKinds(name) }

// OfKinds reports whether a metric is one that the table of kinds shows.
func OfKinds(name string) bool { return strings.HasPrefix(name, "kind_") }
