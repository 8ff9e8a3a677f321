package recommend

import (
	"math"
	"slices"

	"stampede/measure"
)

// Answer is what is known at the end of a search.
type Answer struct {
	// Feasible is Met when the pick keeps every goal, within tolerance; Missed when no point does;
	// Undecided when the search ended before either was known.
	Feasible measure.Verdict
	// Pick is the point to ship; where none is known to keep the goals, the one that comes closest.
	Pick       Point
	Estimates  []measure.Estimate // of the pick, by column of its rows
	Rows       []Row              // of the pick
	Goals      []Result           // of the pick, by constraint
	Confidence float64

	// Delta is what is proven when Feasible is Met: with the confidence, no finalist that keeps the goals
	// is better than the pick by more than this share of the pick's objective. It comes From a finalist that
	// may be that much better, nil when none may be better at all.
	Delta   float64
	From    Point
	Stopped Stop

	// Finalists are the pick and the best few others, by their means.
	Finalists []Point

	Ties    []Point   // other finalists that are as good for all that matters, each with its twins
	Twins   []Point   // that gave the same numbers as the pick in every replication that both have
	Open    []Open    // finalists that are better by their means, if they keep the goals; best first
	Binding []Binding // constraints that rule out finalists; first the one that costs the most

	Space                 float64 // points of the space
	Whole                 bool    // all of them were tried
	Seen, Raced           int     // points that were tried, and that were raced
	Replications, Further int     // of the search, and to explain

	Moves    []Move       // to each other value of each axis
	Start    Comparison   // the scenario as it stands
	Compared []Comparison // Also of the question
}

// Stop says why the search ended.
type Stop uint8

const (
	ByRule      Stop = iota // what is asked is proven
	ByBudget                // or after the last wave
	ByInterrupt             // when the context ended
)

// String is the word for the reason.
func (s Stop) String() string { return [...]string{"rule", "budget", "interrupt"}[s] }

// Result is how a point does by a goal.
type Result struct {
	measure.Estimate
	Verdict measure.Verdict // by the interval, without tolerance
	Kept    float64         // share of the replications that keep the bound themselves
	// Margin is how far the mean keeps from the bound, negative behind it, and Errors the same in standard errors
	// of the mean, infinite where the replications do not differ.
	Margin, Errors float64
}

// Open is a finalist of which it is not known whether it keeps the goals.
type Open struct {
	Point  Point
	Better float64 // by its mean, as a share of the pick's objective
	// Constraint is the one that is open, -1 when all are kept and it is the difference that is open.
	Constraint int
	Result     Result // by that constraint
}

// Binding is a constraint with what it rules out.
type Binding struct {
	Constraint int
	Points     int     // finalists that break it
	Best       Point   // of these, if it is better than the pick
	Gain       float64 // of the best, as a share of the pick's objective; 0 when none is better
}

// Comparison is a point held against the pick.
type Comparison struct {
	Point        Point
	Replications int
	Same         bool             // the same numbers as the pick's
	Difference   measure.Estimate // of the objective from the pick's, paired by replication
	Objective    measure.Estimate
	Goals        []Result // by constraint
}

// Verdict is the worst of the goals.
func (c *Comparison) Verdict() measure.Verdict {
	worst := measure.Met
	for _, g := range c.Goals {
		switch {
		case g.Verdict == measure.Missed:
			return measure.Missed
		case g.Verdict == measure.Undecided:
			worst = measure.Undecided
		}
	}
	return worst
}

// Move is the pick with another value on one axis.
type Move struct {
	Axis, Value int
	Comparison
}

// answer is what is known so far.
func (s *search) answer() *Answer {
	a := &Answer{Confidence: s.q.Confidence, Space: s.q.Size(), Whole: s.whole, Raced: s.raced, Replications: s.spent}
	for _, c := range s.visited {
		if len(c.tried)+len(c.rows) > 0 {
			a.Seen++
		}
	}
	pick := s.pick(a)
	if pick == nil {
		return a
	}
	a.Pick = pick.point
	for _, c := range pick.twins {
		a.Twins = append(a.Twins, c.point)
	}
	rows := pick.rows
	if len(rows) == 0 {
		rows = pick.tried
	}
	a.Rows = rows
	for i := range rows[0] {
		a.Estimates = append(a.Estimates, s.estimate(rows, i))
	}
	a.Goals = s.results(rows)
	a.Finalists = s.finalists(pick)
	if s.race != nil && len(pick.rows) > 0 {
		a.Open = s.race.open(pick)
		a.Binding = s.binding(pick)
	}
	return a
}

// pick is the candidate to name; nil when none was played.
func (s *search) pick(a *Answer) *candidate {
	a.Stopped = ByBudget
	if s.race == nil {
		if best := s.promising(s.visited, 0); len(best) > 0 {
			return best[0]
		}
		return nil
	}
	r := s.race
	if r.resolved {
		a.Stopped = ByRule
	}
	if r.best != nil {
		a.Feasible = measure.Met
		pick := r.simplest(a)
		loss, from := r.proven(pick)
		if a.Delta = loss / math.Abs(r.meanObjective(pick.rows)); loss == 0 {
			a.Delta = 0
		}
		if from != nil {
			a.From = from.point
		}
		return pick
	}
	if len(r.left) == 0 && s.none() {
		a.Feasible = measure.Missed
	}
	var best *candidate
	for _, c := range s.visited {
		if len(c.rows) > 0 && c.twin == nil && (best == nil || s.closer(c, best)) {
			best = c
		}
	}
	if best == nil {
		return s.promising(s.visited, 0)[0]
	}
	return best
}

// simplest is the simplest of those that are as good as the best for all that matters; the others are
// the ties.
func (r *race) simplest(a *Answer) *candidate {
	ties, _ := r.ties()
	pick := slices.MinFunc(ties, func(x, y *candidate) int { return sign(r.q.simpler(x.point, y.point)) })
	for _, c := range ties {
		if c == pick {
			continue
		}
		a.Ties = append(a.Ties, c.point)
		for _, twin := range c.twins {
			a.Ties = append(a.Ties, twin.point)
		}
	}
	return pick
}

// none reports whether all points that could keep the goals were raced, or were seen to break them.
func (s *search) none() bool {
	for _, c := range s.visited {
		if len(c.rows) > 0 {
			continue
		}
		if len(c.tried) == 0 || s.violation(c.tried) <= 0 || s.whole && !s.race.excludes(c) {
			return false
		}
	}
	return true
}

// excludes reports whether what the climb saw of a candidate breaks a goal by the test of the race.
func (r *race) excludes(c *candidate) bool {
	if math.IsNaN(r.meanObjective(c.tried)) {
		return true
	}
	for j := range r.q.Constraints {
		of := func(row Row) float64 { return r.excess(row, j) }
		common := typical(r.variances(j, func(c *candidate) []Row { return c.rows }))
		excess, variance := moments(c.tried, of)
		if math.IsInf(excess, 1) || excess-r.half(variance, common, len(c.tried)) > 0 {
			return true
		}
	}
	return false
}

// finalists are the pick and the best few others of those that were raced.
func (s *search) finalists(pick *candidate) []Point {
	const few = 8
	var others []*candidate
	for _, c := range s.visited {
		if c != pick && c.twin == nil && len(c.rows) > 0 {
			others = append(others, c)
		}
	}
	slices.SortFunc(others, func(a, b *candidate) int { return sign(s.closer(a, b)) })
	out := []Point{pick.point}
	for _, c := range others[:min(few, len(others))] {
		out = append(out, c.point)
	}
	return out
}

// closer orders raced candidates of which none is known to keep the goals.
func (s *search) closer(a, b *candidate) bool {
	if v, w := max(0, s.violation(a.rows)), max(0, s.violation(b.rows)); v != w {
		return v < w
	}
	if f, g := s.meanObjective(a.rows), s.meanObjective(b.rows); f != g {
		return f < g
	}
	return s.q.simpler(a.point, b.point)
}

// open lists those left that are better by their means.
func (r *race) open(pick *candidate) (list []Open) {
	scale := math.Abs(r.meanObjective(pick.rows))
	for _, c := range r.left {
		better := -r.difference(c, pick)
		if c == pick || better <= 0 || len(c.rows) == 0 {
			continue
		}
		o := Open{Point: c.point, Better: better / scale, Constraint: noConstraint}
		if !c.sure || !c.keeps {
			worst := math.Inf(-1)
			for j, excess := range c.excess {
				if over := (excess + c.half[j]) / r.tolerance(j); over > worst {
					worst, o.Constraint = over, j
				}
			}
			o.Result = r.results(c.rows)[o.Constraint]
		} else if r.q.Within >= o.Better {
			continue
		}
		list = append(list, o)
	}
	slices.SortStableFunc(list, func(a, b Open) int { return sign(a.Better > b.Better) })
	return list
}

// binding lists the constraints that raced candidates break.
func (s *search) binding(pick *candidate) (list []Binding) {
	scale := math.Abs(s.meanObjective(pick.rows))
	for j := range s.q.Constraints {
		b := Binding{Constraint: j}
		for _, c := range s.visited {
			if len(c.rows) == 0 || c.breaks != j {
				continue
			}
			b.Points++
			if gain := -s.race.difference(c, pick) / scale; gain > b.Gain {
				b.Gain, b.Best = gain, c.point
			}
		}
		if b.Points > 0 {
			list = append(list, b)
		}
	}
	slices.SortStableFunc(list, func(a, b Binding) int {
		switch {
		case a.Gain != b.Gain:
			return sign(a.Gain > b.Gain)
		case a.Points != b.Points:
			return sign(a.Points > b.Points)
		}
		return 0
	})
	return list
}

// estimate is that of a column of rows.
func (s *search) estimate(rows []Row, i int) measure.Estimate {
	values := column(rows, i)
	if m, ok := s.metricOf(i); ok {
		return m.Estimate(values, true, s.q.Confidence)
	}
	return measure.EstimateOf(values, s.q.Confidence)
}

// results is how rows do by each goal.
func (s *search) results(rows []Row) (list []Result) {
	for j, c := range s.q.Constraints {
		result := Result{Estimate: s.estimate(rows, 1+j)}
		result.Kept = mean(rows, func(r Row) float64 { return measure.Indicator(s.excess(r, j) <= 0) })
		excess, variance := moments(rows, func(r Row) float64 { return s.excess(r, j) })
		result.Verdict = c.Goal.Judge(result.Estimate)
		if result.Margin = -excess; math.IsInf(excess, 1) { // a replication lacks the value
			result.Verdict = measure.Missed
		}
		result.Errors = result.Margin / math.Sqrt(variance/float64(len(rows)))
		list = append(list, result)
	}
	return list
}
