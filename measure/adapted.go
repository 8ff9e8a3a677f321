package measure

import (
	"math"

	"stampede/fleet"
	"stampede/sim"
)

// adaptedTally is the mean over time, and the lowest, of what the measured fleets adapt: each limit or rate
// stays as it is until the next change.
type adaptedTally struct {
	window Measured // of all that may be measured
	first  []int    // by fleet: its first among these; -1 when it is not measured or adapts nothing
	since  []sim.Time
	value  []float64
	sum    float64 // of value times nanoseconds
	lowest float64
}

func newAdaptedTally(m *fleet.Model, what fleet.Adapted, counts func(fleet int) bool, window Measured) *adaptedTally {
	t := &adaptedTally{window: window, lowest: math.Inf(1)}
	for i, f := range m.Fleets() {
		n, start := f.Adapts(what)
		if n == 0 || !counts(i) {
			t.first = append(t.first, -1)
			continue
		}
		t.first = append(t.first, len(t.value))
		for range n {
			t.since, t.value = append(t.since, 0), append(t.value, start)
		}
	}
	return t
}

// add takes note of a change.
func (t *adaptedTally) add(fleet, instance int, at sim.Time, value float64) {
	if first := t.first[fleet]; first >= 0 {
		t.until(first+instance, at)
		t.value[first+instance] = value
	}
}

// until counts one of them up to an instant.
func (t *adaptedTally) until(i int, at sim.Time) {
	from, to := max(t.since[i], t.window.From), min(at, t.window.To)
	if t.since[i] = at; from < to {
		t.sum += t.value[i] * float64(to-from)
		t.lowest = min(t.lowest, t.value[i])
	}
}

// finish counts all of them up to the end of the measured time.
func (t *adaptedTally) finish(to sim.Time) {
	t.window.To = to
	for i := range t.value {
		t.until(i, to)
	}
}

func (t *adaptedTally) mean() float64 {
	return ratio(t.sum, float64(len(t.value))*float64(t.window.Length()))
}

func (t *adaptedTally) min() float64 { return known(!math.IsInf(t.lowest, 1), t.lowest) }

// Adapted implements fleet.AdaptedListener.
func (t *Tally) Adapted(what fleet.Adapted, fleet, instance int, at sim.Time, value float64) {
	t.adapted[what].add(fleet, instance, at, value)
}

// adapts lists the mean and the lowest of what clients adapt.
func adapts() (list []Metric) {
	for what, as := range [fleet.Adapteds]struct{ name, unit, meaning string }{
		fleet.GateLimit: {"gate_limit", "places", "limit of an adaptive gate"},
		fleet.PaceRate:  {"pace_rate", "requests/s", "rate of a pacer that changes it"},
	} {
		of := func(t *Tally) *adaptedTally { return t.adapted[what] }
		list = append(list,
			Metric{Name: as.name + "_mean", Unit: as.unit, Show: IfKnown,
				Meaning: "Mean over time of the " + as.meaning + ", per instance",
				Value:   func(t *Tally) float64 { return of(t).mean() }},
			Metric{Name: as.name + "_min", Unit: as.unit, Show: IfKnown,
				Meaning: "Lowest " + as.meaning + ", of any instance",
				Value:   func(t *Tally) float64 { return of(t).min() }})
	}
	return list
}
