package recommend

import (
	"cmp"
	"context"
	"math"
	"slices"

	"stampede/measure"
)

// waves are the replications after which the race looks at its candidates. At the first two all that are left
// have as many; then only the best go on, and those that keep it from being proven, as far as the budget goes.
var waves = []int{4, 6, 9, 13, 20, 30, 45, 68, 100, 150, 225, 338, 507, 760}

const (
	allWaves      = 2  // of all that are left
	mergeFrom     = 6  // equal replications make twins
	priorDegrees  = 4  // of freedom of the variance that all have in common
	likelyRaced   = 8  // of the points are raced on while none is surely feasible and the budget ends
	raceBatches   = 2  // of a large space before none is said to be feasible
	noConstraint  = -1 // broken
	lackObjective = -2 // as the reason to be out
)

// standing is what a race knows of a candidate.
type standing struct {
	breaks   int        // the constraint that it breaks, noConstraint or lackObjective
	beatenBy *candidate // which is surely better
	twin     *candidate // that stands for it
	twins    []*candidate
	sure     bool      // feasible, within tolerance
	keeps    bool      // its means keep every goal
	excess   []float64 // of the means, by constraint
	half     []float64 // half-widths of their intervals, by constraint
}

// race drops candidates that break a goal or are beaten until one is known to be as good as any.
type race struct {
	*search
	level    float64      // of each one-sided test
	left     []*candidate // not out
	beaten   []*candidate // out only as long as the one that beat them stands
	broken   []*candidate // out for breaking a goal
	best     *candidate   // surely feasible and best by its mean; nil while there is none
	resolved bool         // ended by its rule, not by the budget
	prior    [][]float64  // variances of the constraints in other races; may be nil
}

// raceBest races the best candidates of the climb. When none of them turns out to be feasible it goes on with
// the next: with all of a small space.
func (s *search) raceBest(ctx context.Context) error {
	for batch := 0; ; batch++ {
		best := slices.DeleteFunc(s.promising(s.visited, 0), func(c *candidate) bool { return len(c.rows) > 0 })
		if len(best) == 0 || batch > 0 && !s.more(best[0], batch) {
			return nil
		}
		n := min(raceCandidates, len(best))
		if s.q.Budget > 0 { // two waves of them
			n = min(n, max(1, (s.q.Budget-s.spent)/waves[1]))
		}
		if err := s.raceOf(ctx, distinct(best, n)); err != nil || len(s.race.left) > 0 {
			return err
		}
	}
}

// distinct are the first n candidates that differ in what they gave in the climb. The first of several that gave
// the same is the simplest; it stands for the others.
func distinct(candidates []*candidate, n int) (out []*candidate) {
	first := map[string]*candidate{} // by its first row, and by all
	for _, c := range candidates {
		key, glance := bits(c.tried), bits(c.tried[:1])
		stands := first[key]
		switch {
		case stands == nil && len(out) < n:
			out = append(out, c)
			c.standing = standing{}
			first[key] = c
			if first[glance] == nil {
				first[glance] = c
			}
		case stands != nil && len(c.tried) >= climbPlays && len(stands.tried) >= climbPlays:
			stands.twins = append(stands.twins, c)
		}
	}
	return out
}

// more reports whether a further batch is to be raced.
func (s *search) more(next *candidate, batch int) bool {
	return s.affords(waves[0], 1) && (s.whole || batch < raceBatches || s.violation(next.tried) <= 0)
}

// raceOf races candidates.
func (s *search) raceOf(ctx context.Context, candidates []*candidate) error {
	r := &race{search: s, left: slices.Clone(candidates)}
	r.level = s.levelOf(len(candidates))
	s.race = r
	s.raced += len(candidates)
	for _, c := range candidates {
		c.breaks = noConstraint
	}
	for _, n := range waves[:allWaves] {
		ended, err := r.wave(ctx, r.left, n)
		if err != nil || r.over() {
			return err
		}
		if ended {
			break
		}
	}
	return r.narrow(ctx)
}

// levelOf is the level of each one-sided test in a race of so many candidates.
func (s *search) levelOf(candidates int) float64 {
	tests := (len(waves) + 1) * candidates * (1 + len(s.q.Constraints))
	return (1 - s.q.Confidence) / float64(tests)
}

// narrow goes on with the contenders until one is proven or the budget is spent.
func (r *race) narrow(ctx context.Context) error {
	for {
		few := r.contenders()
		have, n := next(few)
		if r.best == nil && !r.affords(cost(few, n), 1) {
			few = few[:min(likelyRaced, len(few))]
			have, n = next(few)
		}
		for n > have && !r.affords(cost(few, n), 1) {
			n--
		}
		if n == have {
			return nil
		}
		if ended, err := r.wave(ctx, few, n); err != nil || ended || r.over() {
			return err
		}
	}
}

// next is how many replications candidates have, the one with the fewest since pairs have no more, and how many
// they are to have next: the same at the end.
func next(candidates []*candidate) (have, n int) {
	if len(candidates) == 0 {
		return 0, 0
	}
	have = math.MaxInt
	for _, c := range candidates {
		have = min(have, len(c.rows))
	}
	if i := slices.IndexFunc(waves, func(n int) bool { return n > have }); i >= 0 {
		return have, waves[i]
	}
	return have, have
}

// contenders are the best and those that may be better by more than what does not matter: first those that are as
// good and keep the goals by their means, which may become the best, and when there are none, all of them, which
// keep it from being proven. While none is surely feasible it is all, in the order of how likely they are.
func (r *race) contenders() []*candidate {
	if r.best == nil {
		all := slices.Clone(r.left)
		slices.SortStableFunc(all, func(a, b *candidate) int {
			return cmp.Compare(r.violation(a.rows), r.violation(b.rows))
		})
		return all
	}
	near, all := []*candidate{r.best}, []*candidate{r.best}
	common, matters := r.commonDifference(r.best), r.indifference(r.best)
	for _, c := range r.left {
		if c == r.best || r.loss(r.best, c, common) <= matters {
			continue
		}
		all = append(all, c)
		if c.keeps && r.difference(c, r.best) <= matters {
			near = append(near, c)
		}
	}
	if len(near) > 1 {
		return near
	}
	return all
}

func cost(candidates []*candidate, n int) (replications int) {
	for _, c := range candidates {
		replications += max(0, n-len(c.rows))
	}
	return replications
}

// wave gives candidates n replications and drops what is out. Ended is true when the budget does not
// allow it. Candidates that come back, since what beat them does not stand any more, catch up.
func (r *race) wave(ctx context.Context, candidates []*candidate, n int) (ended bool, err error) {
	for {
		cost := cost(candidates, n)
		if !r.affords(cost, 1) {
			return true, nil
		}
		err := r.play(ctx, candidates, n, fresh, func(c *candidate) *[]Row { return &c.rows })
		if err != nil {
			return false, err
		}
		r.spent += cost
		back := r.drop()
		if len(back) == 0 {
			return false, nil
		}
		candidates = back
	}
}

// drop takes out what is out and finds the best. It returns those that are back.
func (r *race) drop() (back []*candidate) {
	r.merge()
	r.checkGoals()
	r.left = slices.DeleteFunc(r.left, func(c *candidate) bool {
		if c.breaks != noConstraint {
			r.broken = append(r.broken, c)
		}
		return c.breaks != noConstraint
	})
	r.beaten = slices.DeleteFunc(r.beaten, func(c *candidate) bool {
		if c.beatenBy.breaks == noConstraint && c.beatenBy.keeps {
			return false
		}
		c.beatenBy = nil
		back = append(back, c)
		return true
	})
	r.left = append(r.left, back...)
	r.best = nil
	for _, c := range r.left {
		if c.sure && c.keeps && (r.best == nil || r.difference(c, r.best) < 0) {
			r.best = c
		}
	}
	if r.best == nil || len(back) > 0 {
		return back
	}
	common := r.commonDifference(r.best)
	r.left = slices.DeleteFunc(r.left, func(c *candidate) bool {
		if c != r.best && r.loss(r.best, c, common) < 0 {
			c.beatenBy = r.best
			r.beaten = append(r.beaten, c)
		}
		return c.beatenBy != nil
	})
	return nil
}

// over reports whether the rule ends the race: nothing is left, or one is known to be as good as any that is
// left, for all that matters.
func (r *race) over() bool {
	if len(r.left) == 0 {
		r.resolved = true
	} else if r.best != nil {
		_, loss := r.ties()
		r.resolved = loss <= r.indifference(r.best)
	}
	return r.resolved
}

// ties are those that are as good as the best for all that matters, also some that are surely worse, but not by
// that much. None of what is left is better than the one that is proven best by more than the loss.
func (r *race) ties() (ties []*candidate, loss float64) {
	matters, common := r.indifference(r.best), r.commonDifference(r.best)
	own := map[*candidate]float64{}
	loss = math.Inf(1)
	for _, c := range slices.Concat(r.left, r.beaten) {
		if c == r.best || c.sure && c.keeps && r.loss(c, r.best, common) <= matters {
			own[c], _ = r.proven(c)
			loss = min(loss, own[c])
			ties = append(ties, c)
		}
	}
	return slices.DeleteFunc(ties, func(c *candidate) bool { return own[c] > max(loss, matters) }), loss
}

// merge lets the simplest of those that gave the same numbers stand for all.
func (r *race) merge() {
	of := map[string]*candidate{}
	for _, c := range r.left {
		if len(c.rows) < mergeFrom {
			continue
		}
		key := bits(c.rows)
		stands, ok := of[key]
		switch {
		case !ok:
			of[key] = c
			continue
		case r.q.simpler(c.point, stands.point):
			of[key] = c
			stands, c = c, stands
		}
		c.twin = stands
		stands.twins = append(append(stands.twins, c), c.twins...)
		c.twins = nil
		for _, other := range r.beaten {
			if other.beatenBy == c {
				other.beatenBy = stands
			}
		}
	}
	r.left = slices.DeleteFunc(r.left, func(c *candidate) bool { return c.twin != nil })
}

// checkGoals finds what the means and intervals of those left say of the goals.
func (r *race) checkGoals() {
	goals := len(r.q.Constraints)
	variance := make([][]float64, goals) // by constraint, of those left
	for _, c := range r.left {
		c.excess, c.half = make([]float64, goals), make([]float64, goals)
		for j := range goals {
			c.excess[j], c.half[j] = moments(c.rows, func(row Row) float64 { return r.search.excess(row, j) })
			variance[j] = append(variance[j], c.half[j])
		}
	}
	for j := range goals {
		common := typical(variance[j])
		if r.prior != nil {
			common = typical(slices.Concat(r.prior[j], variance[j]))
		}
		for i, c := range r.left {
			c.half[j] = r.half(variance[j][i], common, len(c.rows))
		}
	}
	for _, c := range r.left {
		c.sure, c.keeps = true, true
		if math.IsNaN(r.meanObjective(c.rows)) {
			c.breaks, c.sure, c.keeps = lackObjective, false, false
			continue
		}
		worst := 0.0
		for j, excess := range c.excess {
			c.keeps = c.keeps && excess <= 0
			c.sure = c.sure && excess+c.half[j] <= r.tolerance(j)
			over := (excess - c.half[j]) / r.tolerance(j)
			if math.IsInf(excess, 1) { // a replication lacks the value
				over = excess
			}
			if over > worst {
				worst, c.breaks = over, j
			}
		}
	}
}

// difference is the mean of f(a) - f(b) over the replications that both have.
func (r *race) difference(a, b *candidate) float64 {
	average, _, _ := r.paired(a, b)
	return average
}

func (r *race) paired(a, b *candidate) (average, variance float64, n int) {
	n = min(len(a.rows), len(b.rows))
	differences := make([]Row, n)
	for i := range differences {
		differences[i] = Row{r.objective(a.rows[i]) - r.objective(b.rows[i])}
	}
	average, variance = moments(differences, func(d Row) float64 { return d[0] })
	return average, variance, n
}

// loss is how much worse a may be than b at most: the mean of f(a) - f(b) and its half-width.
func (r *race) loss(a, b *candidate, common float64) float64 {
	average, variance, n := r.paired(a, b)
	return average + r.half(variance, common, n)
}

// commonDifference is the typical variance of f(x) - f(b) of those left.
func (r *race) commonDifference(b *candidate) float64 {
	var variances []float64
	for _, c := range r.left {
		if c != b {
			_, variance, _ := r.paired(c, b)
			variances = append(variances, variance)
		}
	}
	return typical(variances)
}

// proven is how much worse than the best of those left a candidate is at most, and whom that comes from;
// nil when none can be better.
func (r *race) proven(c *candidate) (loss float64, from *candidate) {
	common := r.commonDifference(c)
	for _, other := range r.left {
		if other == c {
			continue
		}
		if l := r.loss(c, other, common); l > loss {
			loss, from = l, other
		}
	}
	return loss, from
}

// indifference is the difference from a candidate that does not matter.
func (r *race) indifference(c *candidate) float64 {
	return r.q.Within * math.Abs(r.meanObjective(c.rows))
}

// half is the half-width of the interval of a mean by a moderated variance,
//
//	s~^2 = (d0 s0^2 + (n-1) s^2) / (d0 + n-1)
//
// with the typical variance s0^2 of all as the prior of d0 degrees of freedom (Smyth, "Linear models and
// empirical Bayes methods", Statistical Applications in Genetics 3, 2004) and Student's t of d0 + n-1.
// Without it four values that happen to be equal look certain.
func (r *race) half(variance, common float64, n int) float64 {
	degrees := priorDegrees + n - 1
	moderated := (priorDegrees*common + float64(n-1)*variance) / float64(degrees)
	return measure.StudentT(degrees, 1-2*r.level) * math.Sqrt(moderated/float64(n))
}

// typical is the median of the variances that are not 0.
func typical(variances []float64) float64 {
	some := slices.DeleteFunc(slices.Clone(variances), func(v float64) bool { return !(v > 0) || math.IsInf(v, 1) })
	return median(some)
}

// median of values, 0 of none. It sorts them.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}
