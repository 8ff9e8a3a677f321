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
	"fmt"
	"math"

	"stampede/measure"
)

// What a question has when it says nothing.
const (
	DefaultWithin     = 0.01
	DefaultConfidence = 0.95
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
	Start       Point   // the scenario as it stands
	Also        []Point // to be tried and compared with in any case, such as presets
	Objective   measure.Objective
	Constraints []Constraint
	Show        []int   // further metrics of the rows
	Within      float64 // the indifference zone: differences below this share of the objective do not matter
	Confidence  float64 // of the whole answer, such as 0.95
	Budget      int     // replications of the search, without those that explain; 0 means what the stages need
	Thorough    bool    // race all points instead of the best that were found

	// Less, when set, says which of two points that are as good, and differ from Start in as many
	// settings, is simpler.
	Less func(a, b Point) bool
}

// Ask is a replication of a point. Replications with the same number have the same luck, in all
// scenarios.
type Ask struct {
	Point       Point
	Replication int
}

// Row is what a replication gives: the objective, behind it the metric of each constraint, and
// behind these any further metrics, which are estimated and tell twins from others. NaN is a value
// that the run does not have: it breaks a goal, and a point without the objective is out.
type Row []float64

// Player plays asks and returns a row for each, in their order. Those of one call are for points
// one after the other.
type Player interface {
	Play(ctx context.Context, asks []Ask) ([]Row, error)
}

// maxThorough is how many points are raced at most when all are.
const maxThorough = 200_000

// Search answers a question. When the context ends, the answer is what is known until then.
func Search(ctx context.Context, q Question, player Player) (*Answer, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	s := newSearch(&q, player)
	err := s.run(ctx)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	answer := s.answer()
	if err != nil {
		answer.Stopped = ByInterrupt
		return answer, err
	}
	return answer, s.explain(ctx, answer)
}

// run is the stages that find the pick.
func (s *search) run(ctx context.Context) error {
	if s.q.Thorough {
		s.whole = true
		for p := range s.q.grid() {
			s.visit(p)
		}
		return s.raceOf(ctx, s.visited)
	}
	if err := s.sample(ctx); err != nil {
		return err
	}
	if err := s.climb(ctx); err != nil {
		return err
	}
	if err := s.raceBest(ctx); err != nil {
		return err
	}
	return s.simplify(ctx)
}

// check reports a question that makes no sense and fills in what it leaves out.
func (q *Question) check() error {
	for _, a := range q.Axes {
		if len(a.Values) == 0 {
			return fmt.Errorf("%s: want at least one value", a.Path)
		}
	}
	for _, p := range append([]Point{q.Start}, q.Also...) {
		if len(p) != len(q.Axes) {
			return fmt.Errorf("a point has %d values; there are %d axes", len(p), len(q.Axes))
		}
		for i, v := range p {
			if v < 0 || v >= len(q.Axes[i].Values) {
				return fmt.Errorf("%s: no value %d of %d", q.Axes[i].Path, v, len(q.Axes[i].Values))
			}
		}
	}
	if q.Within == 0 {
		q.Within = DefaultWithin
	}
	if q.Confidence == 0 {
		q.Confidence = DefaultConfidence
	}
	if !(q.Within > 0) || math.IsInf(q.Within, 0) {
		return fmt.Errorf("within %g; want a share above 0, such as 1%%", q.Within)
	}
	if !(q.Confidence > 0 && q.Confidence < 1) {
		return fmt.Errorf("confidence %g; want a share between 0 and 1, such as 95%%", q.Confidence)
	}
	if q.Budget < 0 {
		return fmt.Errorf("a budget of %d; want a number of replications", q.Budget)
	}
	if size := q.Size(); q.Thorough && size > maxThorough {
		return fmt.Errorf("%.4g points; a race of all has at most %d", size, maxThorough)
	}
	return nil
}
