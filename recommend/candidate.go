package recommend

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"stampede/measure"
)

// search is a question being answered.
type search struct {
	q       *Question
	player  Player
	visited []*candidate // in order of the visits
	known   map[string]*candidate
	race    *race // the last one; nil before
	raced   int   // candidates of all races
	whole   bool  // every point of the space is visited
	spent   int   // replications
}

func newSearch(q *Question, player Player) *search {
	return &search{q: q, player: player, known: map[string]*candidate{}}
}

// candidate is a point that was visited, with what it gave.
type candidate struct {
	point    Point
	tried    []Row // replications 0, 1, ... of sample and climb
	rows     []Row // replications fresh, fresh+1, ... of race and explanation
	expanded bool  // its neighbours were visited
	standing       // in the race
}

// fresh is the first replication of the race. Those before belong to the climb, which picks the points
// that were lucky with them.
const fresh = 4

// visit is the candidate at a point.
func (s *search) visit(p Point) *candidate {
	key := p.key()
	c, ok := s.known[key]
	if !ok {
		c = &candidate{point: p}
		s.known[key] = c
		s.visited = append(s.visited, c)
	}
	return c
}

// affords reports whether a share of the budget allows further replications.
func (s *search) affords(replications int, share float64) bool {
	return s.q.Budget == 0 || float64(s.spent+replications) <= share*float64(s.q.Budget)
}

// climbShare is the part of the budget that sample and climb may use. The race is what makes the answer
// right, the climb only what makes it cheap.
const climbShare = 0.6

// try gives candidates n replications of the climb; those that the budget does not allow go without.
func (s *search) try(ctx context.Context, candidates []*candidate, n int) error {
	var wanting []*candidate
	cost := 0
	for _, c := range candidates {
		if more := n - len(c.tried); more > 0 && s.affords(cost+more, climbShare) {
			wanting = append(wanting, c)
			cost += more
		}
	}
	err := s.play(ctx, wanting, n, 0, func(c *candidate) *[]Row { return &c.tried })
	if err == nil {
		s.spent += cost
	}
	return err
}

// play lets each candidate have n rows, which begin with a replication.
func (s *search) play(ctx context.Context, candidates []*candidate, n, first int, rows func(*candidate) *[]Row) error {
	var asks []Ask
	for _, c := range candidates {
		for r := len(*rows(c)); r < n; r++ {
			asks = append(asks, Ask{c.point, first + r})
		}
	}
	if len(asks) == 0 {
		return ctx.Err()
	}
	got, err := s.player.Play(ctx, asks)
	if err != nil {
		return err
	}
	for _, c := range candidates {
		to := rows(c)
		for len(*to) < n {
			*to, got = append(*to, got[0]), got[1:]
		}
	}
	return nil
}

// objective is the objective of a row as a cost: the less, the better.
func (s *search) objective(r Row) float64 {
	if s.q.Objective.Largest {
		return -r[0]
	}
	return r[0]
}

// excess is by how much a row breaks a constraint; at most 0 when it keeps it.
func (s *search) excess(r Row, constraint int) float64 {
	return s.q.Constraints[constraint].Goal.Excess(r[1+constraint])
}

// tolerance is that of a constraint.
func (s *search) tolerance(constraint int) float64 {
	return s.q.Constraints[constraint].Goal.Tolerance()
}

// violation is the worst excess of means in units of its tolerance, at most 0 when all goals are kept.
// Points that lack a value are the worst.
func (s *search) violation(rows []Row) float64 {
	worst := math.Inf(-1)
	for j := range s.q.Constraints {
		worst = max(worst, s.excessOf(rows, j, 0))
	}
	if math.IsNaN(s.meanObjective(rows)) {
		return math.Inf(1)
	}
	return worst
}

func (s *search) meanObjective(rows []Row) float64 { return mean(rows, s.objective) }

// promising orders candidates by what the climb knows: feasible ones by their objective before
// infeasible ones by their violation. Doubt is by how many standard errors a mean may break a goal and
// count as feasible. What has only its first row is
// compared with means of all as if its other rows were typical.
func (s *search) promising(candidates []*candidate, doubt float64) []*candidate {
	type ranked struct {
		*candidate
		violation, objective float64
	}
	errors := make([]float64, len(s.q.Constraints)) // of one replication, typical
	if doubt > 0 {
		for j := range errors {
			errors[j] = math.Sqrt(typical(s.variances(j, func(c *candidate) []Row { return c.tried })))
		}
	}
	dearer := s.luck(s.objective)
	worse := make([]float64, len(s.q.Constraints))
	for j := range worse {
		worse[j] = s.luck(func(r Row) float64 { return s.excess(r, j) }) / s.tolerance(j)
	}
	var list []ranked
	for _, c := range candidates {
		if len(c.tried) == 0 {
			continue
		}
		r := ranked{c, 0, s.meanObjective(c.tried)}
		glanced := measure.Indicator(len(c.tried) < climbPlays)
		r.objective += glanced * dearer
		for j, e := range errors {
			r.violation = max(r.violation, s.excessOf(c.tried, j, doubt*e)+glanced*worse[j])
		}
		if math.IsNaN(r.objective) {
			r.violation = math.Inf(1)
		}
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b ranked) int {
		switch {
		case a.violation != b.violation:
			return sign(a.violation < b.violation)
		case a.violation == 0 && a.objective != b.objective:
			return sign(a.objective < b.objective)
		}
		return sign(s.q.simpler(a.point, b.point))
	})
	out := make([]*candidate, len(list))
	for i, r := range list {
		out[i] = r.candidate
	}
	return out
}

// excessOf is the excess of the mean of rows in units of its tolerance, less the standard error of so many rows
// with the error of one.
func (s *search) excessOf(rows []Row, constraint int, of1 float64) float64 {
	excess := mean(rows, func(r Row) float64 { return s.excess(r, constraint) })
	return (excess - of1/math.Sqrt(float64(len(rows)))) / s.tolerance(constraint)
}

// luck is by how much the mean of a value over all rows of the climb is above its first row, typically: the median
// of the candidates that have all. All have the same luck in a replication, so that of the first
// is taken out where the others have not been played.
func (s *search) luck(of func(Row) float64) float64 {
	var above []float64
	for _, c := range s.visited {
		if len(c.tried) < climbPlays {
			continue
		}
		if d := mean(c.tried, of) - of(c.tried[0]); !math.IsNaN(d) && !math.IsInf(d, 0) {
			above = append(above, d)
		}
	}
	return median(above)
}

// variances are those of a constraint, of all candidates with several rows.
func (s *search) variances(constraint int, rows func(*candidate) []Row) (list []float64) {
	for _, c := range s.visited {
		if len(rows(c)) > 1 {
			_, v := moments(rows(c), func(r Row) float64 { return s.excess(r, constraint) })
			list = append(list, v)
		}
	}
	return list
}

func sign(less bool) int {
	if less {
		return -1
	}
	return 1
}

// mean of a value over rows.
func mean(rows []Row, of func(Row) float64) float64 {
	sum := 0.0
	for _, r := range rows {
		sum += of(r)
	}
	return sum / float64(len(rows))
}

// moments are mean and variance of a value over rows.
func moments(rows []Row, of func(Row) float64) (average, variance float64) {
	average = mean(rows, of)
	if len(rows) < 2 {
		return average, 0
	}
	for _, r := range rows {
		d := of(r) - average
		variance += d * d
	}
	return average, variance / float64(len(rows)-1)
}

// bits are rows as a key of a map; NaN equals NaN.
func bits(rows []Row) string {
	var out []byte
	for _, r := range rows {
		for _, v := range r {
			if math.IsNaN(v) {
				v = math.NaN() // of many
			}
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v+0)) // -0 is 0
		}
	}
	return string(out)
}

// column is a value of all rows.
func column(rows []Row, i int) []float64 {
	out := make([]float64, len(rows))
	for k, r := range rows {
		out[k] = r[i]
	}
	return out
}

// metricOf is the metric of a column of the rows, as far as the question says.
func (s *search) metricOf(column int) (m measure.Metric, ok bool) {
	switch {
	case column == 0:
		return measure.Metrics()[s.q.Objective.Metric], true
	case column <= len(s.q.Constraints):
		return measure.Metrics()[s.q.Constraints[column-1].Goal.Metric], true
	case column <= len(s.q.Constraints)+len(s.q.Show):
		return measure.Metrics()[s.q.Show[column-1-len(s.q.Constraints)]], true
	}
	return m, false
}
