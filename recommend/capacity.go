package recommend

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"

	"stampede/measure"
)

// Growth asks how much of something the goals of a question need.
type Growth struct {
	Question Question
	// Policies are the points that are held while the size moves: the recommended one, then the best of the
	// others. A gate or a pace that moved with a limit could lose answers at a larger size.
	Policies []Point
	Ladder   *Ladder
	// Alone runs the calls with nothing in their way: no limit, no fault, no queue, one attempt. Its points have
	// no axes. Free runs the points of the question in such a world. Either may be nil.
	Alone, Free Player
}

// Capacity is the answer.
type Capacity struct {
	What, Unit string
	// Verdict is Met when a size is known to meet the goals, Missed when none does, and Undecided when some
	// were tried of which it is not known.
	Verdict measure.Verdict
	Relaxed *Relaxed // the calls with nothing in their way; nil when that was not asked
	// Hopeless is that neither policy nor quota helps: the calls miss a goal with nothing in their way, no
	// setting of the space meets the goals in such a world, and none does at the size of the scenario.
	Hopeless   bool
	Start      int     // the size of the scenario
	Found      int     // the smallest size that is known to meet the goals; -1 for none
	Steps      []Step  // that were tried, by size
	Level      bool    // beyond the largest of these nothing changes
	Policy     *Answer // the best policy at a size: that which was found; else the largest
	PolicyAt   int     // the size
	Confidence float64 // of all verdicts together

	Replications int
}

// Step is a size that was tried.
type Step struct {
	Size    int
	Verdict measure.Verdict
	Point   Point // that meets the goals there; else the one that comes closest

	Objective measure.Estimate
	Goals     []Result           // by constraint
	Shown     []measure.Estimate // by Show of the question
	Rows      int                // replications of the point
}

// Relaxed is how the calls do with nothing in their way. Where that misses a goal, neither a policy nor a quota
// helps: the model's own latency, or its price, does not fit.
type Relaxed struct {
	Goals []Result
	// Misses are the constraints that are surely missed, and which no limit or fault could help to keep.
	Misses []int
	// Policy is the search of the whole space in that world, made when Misses is not empty: an attempt that is cut
	// off and made again, or hedged, can be faster than one that waits.
	Policy *Answer
}

// missed reports whether no setting meets the goals in that world. Where no goal bounds the success, one may with
// limits: the calls that are refused count for no latency.
func (r *Relaxed) missed() bool {
	return len(r.Misses) > 0 && (r.Policy == nil || r.Policy.Feasible == measure.Missed)
}

const (
	maxHeld    = 4  // policies that are held
	maxTests   = 64 // sizes that are judged; the levels of the tests assume so many
	meetFrom   = 20 // replications before a size is said to meet the goals
	maxDoubles = 20 // from the start
	farDoubles = 6  // ahead, to see whether a size that changes nothing is large enough for all
	growRounds = 3  // of growing and choosing the policy again
)

// growWaves are the replications after which a size is judged: of all policies up to allWave, then of the one
// that most likely meets the goals.
var growWaves = []int{6, 9, 13, 20, 30, 45, 68, 100, 150, 225, 338, 507}

const allWave = 68

// Grow finds the smallest size that meets the goals of the question with one of the policies held: it doubles, or
// halves, until the verdict changes, and bisects. Each size is judged as the race does, on the replications of the
// race, at a level at which all verdicts together have the confidence. A size that stays undecided does not count as
// one that meets them. Then the policy is chosen again at the size found, and tried at smaller ones; where none is
// found, at the largest size that was tried.
//
// When the context ends, the answer is what is known until then.
func Grow(ctx context.Context, g Growth) (*Capacity, error) {
	if err := g.Question.check(); err != nil {
		return nil, err
	}
	s := &growth{Growth: g, sizes: map[int]*search{}, steps: map[int]*Step{}}
	s.seen = make([][]float64, len(g.Question.Constraints))
	c := &Capacity{
		What:       g.Ladder.What,
		Unit:       g.Ladder.Unit,
		Start:      g.Ladder.Start,
		Found:      -1,
		Confidence: g.Question.Confidence,
	}
	err := s.run(ctx, c)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	for _, step := range s.steps {
		c.Steps = append(c.Steps, *step)
	}
	slices.SortFunc(c.Steps, func(a, b Step) int { return a.Size - b.Size })
	c.Verdict = measure.Missed
	switch {
	case c.Found >= 0:
		c.Verdict = measure.Met
	case err != nil || slices.ContainsFunc(c.Steps, func(s Step) bool { return s.Verdict == measure.Undecided }) ||
		len(c.Steps) > 0 && c.Policy != nil && c.Policy.Feasible == measure.Undecided:
		c.Verdict = measure.Undecided
	}
	c.Level = s.level
	c.Replications += s.spent
	return c, err
}

// growth is a capacity being found.
type growth struct {
	Growth
	sizes map[int]*search // with what was run at each size
	steps map[int]*Step
	seen  [][]float64 // variances of the excess, by constraint, of all sizes
	level bool        // a size beyond which nothing changes was found
	spent int         // replications of the sizes
}

func (g *growth) run(ctx context.Context, c *Capacity) (err error) {
	held := g.Policies[:min(maxHeld, len(g.Policies))]
	if c.Relaxed, err = g.relax(ctx, c); err != nil {
		return err
	}
	if r := c.Relaxed; r != nil {
		if r.missed() {
			verdict, err := g.try(ctx, g.Ladder.Start, held)
			if c.Hopeless = verdict == measure.Missed; err != nil || c.Hopeless {
				return err
			}
		}
		if r.Policy != nil && r.Policy.Feasible == measure.Met {
			held = append(slices.Clone(held), r.Policy.Pick)
		}
	}
	if c.Found, err = g.smallest(ctx, held, g.Ladder.Start, -1); err != nil {
		return err
	}
	for range growRounds {
		at := c.Found
		if at < 0 {
			at = g.largest()
		}
		player, err := g.Ladder.Player(at)
		if err != nil {
			return err
		}
		again, err := Search(ctx, g.Question, player)
		if again != nil {
			c.Policy, c.PolicyAt = again, at
			c.Replications += again.Replications + again.Further
		}
		if err != nil || again.Feasible != measure.Met || hasPoint(held, again.Pick) && c.Found >= 0 {
			return err
		}
		held = append(slices.Clone(held), again.Pick)
		found, err := g.smallest(ctx, []Point{again.Pick}, at, c.Found)
		if err != nil || found < 0 || found == c.Found {
			return err
		}
		c.Found = found
	}
	return nil
}

func hasPoint(list []Point, p Point) bool {
	return slices.ContainsFunc(list, func(q Point) bool { return slices.Equal(p, q) })
}

// relax runs the calls with nothing in their way.
func (g *growth) relax(ctx context.Context, c *Capacity) (*Relaxed, error) {
	if g.Alone == nil || len(g.Question.Constraints) == 0 {
		return nil, nil
	}
	q := g.Question
	q.Axes, q.Start, q.Also, q.Budget = nil, Point{}, nil, 0
	s := newSearch(&q, g.Alone)
	alone := []*candidate{s.visit(Point{})}
	r := &race{search: s, level: g.testLevel(1)}
	if _, err := g.judge(ctx, r, alone); err != nil {
		return nil, err
	}
	c.Replications += s.spent
	if bad := alone[0].rows[0]; !slices.ContainsFunc(bad, func(x float64) bool { return !math.IsNaN(x) }) {
		return nil, nil // no such scenario can be made
	}
	out := &Relaxed{Goals: s.results(alone[0].rows)}
	for j, constraint := range q.Constraints {
		excess, half := alone[0].excess[j], alone[0].half[j]
		if nothingHelps(constraint.Goal) && (excess-half > 0 || math.IsInf(excess, 1)) {
			out.Misses = append(out.Misses, j)
		}
	}
	if len(out.Misses) == 0 || g.Free == nil {
		return out, nil
	}
	answer, err := Search(ctx, g.Question, g.Free)
	if out.Policy = answer; answer != nil {
		c.Replications += answer.Replications + answer.Further
	}
	return out, err
}

// nothingHelps reports whether a goal that calls alone miss is missed with limits and faults too: one that asks for the
// better values of its metric.
func nothingHelps(goal measure.Goal) bool {
	better := measure.Metrics()[goal.Metric].Better
	return better == measure.Higher && goal.AtLeast || better == measure.Lower && !goal.AtLeast
}

// testLevel is the level of each one-sided test of so many policies.
func (g *growth) testLevel(policies int) float64 {
	return (1 - g.Question.Confidence) / float64(maxTests*len(growWaves)*policies*(1+len(g.Question.Constraints)))
}

// smallest is the smallest size at which one of the points is known to meet the goals, from a size up or down; -1
// when none is. Sizes from met on are known to.
func (g *growth) smallest(ctx context.Context, points []Point, from, met int) (int, error) {
	if g.Ladder.All {
		for size := range g.Ladder.Sizes {
			verdict, err := g.try(ctx, size, points)
			if err != nil {
				return -1, err
			}
			if verdict == measure.Met && (met < 0 || size < met) {
				met = size
			}
		}
		return met, nil
	}
	low := -1 // the largest size that is not known to meet the goals
	again := met >= 0
	verdict, err := g.try(ctx, from, points)
	switch {
	case err != nil:
		return -1, err
	case verdict == measure.Met:
		met = from
		for step := 1; met > 0 && low < 0; step *= 2 {
			size := max(0, met-step)
			if !again { // else little is to be gained
				size = g.times(met, 0.5)
			}
			if verdict, err = g.try(ctx, size, points); err != nil {
				return -1, err
			}
			if verdict == measure.Met {
				met = size
			} else {
				low = size
			}
		}
	case !again:
		if low, met, err = g.double(ctx, from, points); err != nil || met < 0 {
			return -1, err
		}
	}
	for met-low > 1 {
		middle := low + (met-low)/2
		if verdict, err = g.try(ctx, middle, points); err != nil {
			return -1, err
		}
		if verdict == measure.Met {
			met = middle
		} else {
			low = middle
		}
	}
	return met, nil
}

// double goes up from a size that is not known to meet the goals. Met is -1 when none does.
func (g *growth) double(ctx context.Context, from int, points []Point) (low, met int, err error) {
	low = from
	factor, far := 2.0, true
	for range maxDoubles {
		size := g.times(low, factor)
		if size == low {
			return low, -1, nil
		}
		if _, err := g.at(size); err != nil { // the scenario bounds it
			if factor > 2 {
				factor, far = 2, false
				continue
			}
			return low, -1, nil
		}
		verdict, err := g.try(ctx, size, points)
		if err != nil {
			return low, -1, err
		}
		if verdict == measure.Met {
			return low, size, nil
		}
		same := g.same(low, size, points)
		if same && factor > 2 {
			g.level = true
			return size, -1, nil
		}
		if low, factor = size, 2; same && far {
			factor = math.Pow(2, farDoubles) // too small to let anything through, or too large to matter
		}
	}
	return low, -1, nil
}

// times is the size of so many times the value, and another one unless there is none.
func (g *growth) times(size int, factor float64) int {
	value := g.Ladder.Value(size) * factor
	to := sort.Search(g.Ladder.Sizes, func(i int) bool { return g.Ladder.Value(i) >= value*(1-1e-12) })
	if factor > 1 {
		return min(max(to, size+1), g.Ladder.Sizes-1)
	}
	return max(0, min(to, size-1))
}

// same reports whether points give the same numbers at two sizes.
func (g *growth) same(a, b int, points []Point) bool {
	for _, p := range points {
		x, y := g.sizes[a].visit(p).rows, g.sizes[b].visit(p).rows
		n := min(len(x), len(y))
		if n == 0 || bits(x[:n]) != bits(y[:n]) {
			return false
		}
	}
	return true
}

// largest is the largest size that was tried.
func (g *growth) largest() (size int) {
	size = g.Ladder.Start
	for k := range g.steps {
		size = max(size, k)
	}
	return size
}

// at is what is known of a size.
func (g *growth) at(size int) (*search, error) {
	if s, ok := g.sizes[size]; ok {
		return s, nil
	}
	player, err := g.Ladder.Player(size)
	if err != nil {
		return nil, err
	}
	q := g.Question
	q.Budget = 0
	s := newSearch(&q, player)
	g.sizes[size] = s
	return s, nil
}

// try judges a size by points, unless it is known to meet the goals.
func (g *growth) try(ctx context.Context, size int, points []Point) (measure.Verdict, error) {
	if step := g.steps[size]; step != nil && step.Verdict == measure.Met {
		return measure.Met, nil
	}
	s, err := g.at(size)
	if err != nil {
		return measure.Undecided, err
	}
	before := s.spent
	r := &race{search: s, level: g.testLevel(len(points))}
	var candidates []*candidate
	for _, p := range points {
		candidates = append(candidates, s.visit(p))
	}
	verdict, err := g.judge(ctx, r, unique(candidates))
	g.spent += s.spent - before
	if err != nil {
		return measure.Undecided, err
	}
	best := r.best
	if best == nil {
		for _, c := range s.visited {
			if c.twin == nil && (best == nil || s.closer(c, best)) {
				best = c
			}
		}
	}
	if known := g.steps[size]; known != nil && known.Verdict == measure.Undecided && verdict == measure.Missed {
		verdict = measure.Undecided // by another policy
	}
	step := &Step{Size: size, Verdict: verdict, Point: best.point, Objective: s.estimate(best.rows, 0),
		Goals: s.results(best.rows), Rows: len(best.rows)}
	for i := range s.q.Show {
		step.Shown = append(step.Shown, s.estimate(best.rows, 1+len(s.q.Constraints)+i))
	}
	g.steps[size] = step
	return verdict, nil
}

// judge runs candidates until one surely meets the goals or all surely miss one.
func (g *growth) judge(ctx context.Context, r *race, candidates []*candidate) (measure.Verdict, error) {
	r.left = slices.Clone(candidates)
	r.search.race = r
	r.prior = g.seen
	for _, c := range candidates {
		c.standing = standing{breaks: noConstraint}
	}
	verdict := measure.Undecided
	for _, n := range growWaves {
		few := r.left
		if n > allWave {
			few = []*candidate{slices.MinFunc(r.left, func(a, b *candidate) int {
				return cmp.Compare(r.violation(a.rows), r.violation(b.rows))
			})}
		}
		if _, err := r.wave(ctx, few, n); err != nil {
			return verdict, err
		}
		if len(r.left) == 0 {
			verdict = measure.Missed
			break
		}
		if r.best != nil && n >= meetFrom {
			verdict = measure.Met
			break
		}
	}
	for j := range g.seen {
		for _, c := range candidates {
			if _, v := moments(c.rows, func(row Row) float64 { return r.search.excess(row, j) }); v > 0 {
				g.seen[j] = append(g.seen[j], v)
			}
		}
	}
	return verdict, nil
}
