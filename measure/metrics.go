package measure

import "math"

// Metric is one number that a run gives. A new metric is one row of the registry.
type Metric struct {
	Name    string
	Unit    string
	Group   string // the heading it stands under
	Of      Basis  // what it covers: calls, a time, or the run
	Better  Direction
	Meaning string // one line
	Show    Show   // whether `stampede run` prints it
	Fixed   bool   // follows from the scenario: the same in every replication
	// Indicator says that each replication has 0 or 1, so that the mean is a probability.
	Indicator bool

	Value func(*Tally) float64 // NaN where a run does not have the metric
}

// Direction says which values of a metric are better.
type Direction int8

const (
	Neither Direction = 0
	Lower   Direction = -1
	Higher  Direction = 1
)

// String is the word for a direction.
func (d Direction) String() string {
	switch d {
	case Lower:
		return "lower"
	case Higher:
		return "higher"
	}
	return "neither"
}

// MarshalText implements encoding.TextMarshaler.
func (d Direction) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// Show says when a table for people prints a metric that was not asked for.
type Show int8

const (
	OnRequest Show = iota // only when all metrics are asked for
	Always
	IfKnown // when the run has it
	IfAny   // when it is above 0 in some replication
	IfLess  // when it is below 1 in some replication
)

// max is the largest value that the metric can have; the smallest is 0.
func (m Metric) max() float64 {
	if m.Unit == "share" {
		return 1
	}
	return math.Inf(1)
}

// Metrics is the registry, in the order of tables.
func Metrics() []Metric { return registry }

// MetricNames lists the names in order.
func MetricNames() []string {
	var names []string
	for _, m := range registry {
		names = append(names, m.Name)
	}
	return names
}
