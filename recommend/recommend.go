// Package recommend answers which settings to ship: of a space of settings, the one that meets the
// goals and is best by one metric, with how sure that is.
//
// [Search] samples the space, climbs from the best points to their neighbours, and races the best
// of what it has seen on fresh replications. Every point plays the same replications (common random
// numbers), so differences are paired: a difference of two policies has a far smaller variance than
// either of them. Points that give the same numbers in every replication are twins, and one stands
// for all. The search knows nothing of simulation: a [Player] plays points.
package recommend

import (
	"context"

	"stampede/measure"
)

// Axis is a setting with the values it can take.
type Axis struct {
	Path    string // such as policy.gate.semaphore
	Values  []string
	Ordered bool // the values are numbers in order: neighbours are one step away
}

// Point is a choice: for each axis the index of its value.
type Point []int

// Constraint is a goal in one of the scenarios that are played.
type Constraint struct {
	Goal     measure.Goal
	Scenario int
}

// Question is what is asked.
type Question struct {
	Axes        []Axis
	Start       Point // the scenario as it stands
	Also        []Point
	Objective   measure.Objective
	Constraints []Constraint
	Within      float64 // the indifference zone: differences below this share of the objective do not matter
	Confidence  float64 // of the whole answer, such as 0.95
	Budget      int     // replications in all; 0 means what the stages need
	Thorough    bool    // race all points instead of the best that were found
}

// Ask is a replication of a point. Replications with the same number have the same luck, in all
// scenarios.
type Ask struct {
	Point       Point
	Replication int
}

// Row is what a replication gives: the objective, and behind it the metric of each constraint.
// NaN is a value that the run does not have.
type Row []float64

// Player plays asks and returns a row for each, in their order.
type Player interface {
	Play(ctx context.Context, asks []Ask) ([]Row, error)
}
