package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"stampede/measure"
	"stampede/scenario"
	"stampede/sim"
	"stampede/sweep"
)

// choose finds the best set and the frontier.
func (c *Comparison) choose() {
	better := float64(measure.Metrics()[c.Metrics[c.Objective]].Better)
	if better == 0 {
		better = 1
	}
	var all []BestCandidate
	for _, p := range c.Points {
		if p.Estimates[c.Objective].N > 0 && p.Reason == "" && !c.isControl(p) {
			all = append(all, p.objective)
		}
	}
	c.Best = BestSet(all, better > 0, 0.95)
	c.frontier()
}

// isControl reports whether a point is the control of another, without its
// trigger: it is no candidate for anything.
func (c *Comparison) isControl(p PointResult) bool {
	k := len(c.Axes) - 1
	return k >= 0 && c.Axes[k] == sweep.TriggerAxis && p.Labels[k] == "off"
}

// BestCandidate is a point with its objective. Candidates may have different replications: a
// precision asked for more of one than of another, or some are still to come.
type BestCandidate struct {
	Point        int
	Replications []int     // rising
	Values       []float64 // of those
}

// less are the differences to another candidate in the replications that both have.
func (b BestCandidate) less(a BestCandidate) (d sim.Moments) {
	j := 0
	for i, r := range b.Replications {
		for j < len(a.Replications) && a.Replications[j] < r {
			j++
		}
		if j == len(a.Replications) {
			break
		}
		if x := b.Values[i] - a.Values[j]; a.Replications[j] == r && !math.IsNaN(x) {
			d.Add(x)
		}
	}
	return d
}

// BestSet is the points that cannot be told from the best: with at least the
// given probability the truly best one is among them. A point is left out when a
// one-sided t-test against the best mean, paired by replication, rejects at the level
// (1-confidence)/(k-1); since the best mean is one of the k-1 others, the truly
// best point is left out with at most 1-confidence (Bonferroni). The one with the best mean
// comes first. Means, too, are compared over the replications that both have: a point that
// lacks the worst one is no better for it.
func BestSet(all []BestCandidate, higher bool, confidence float64) (points []int) {
	sign := 1.0
	if !higher {
		sign = -1
	}
	best, top := -1, 0.0
	for i, a := range all {
		mean := measure.EstimateOf(a.Values, confidence).Mean
		if math.IsNaN(mean) {
			continue
		}
		better := mean - top
		if best >= 0 {
			if d := a.less(all[best]); d.Count() > 0 {
				better = d.Mean()
			}
		}
		if best < 0 || sign*better > 0 {
			best, top = i, mean
		}
	}
	if best < 0 {
		return nil
	}
	points = []int{all[best].Point}
	for i, a := range all {
		if i == best {
			continue
		}
		d := all[best].less(a)
		n := float64(d.Count())
		if n < 2 {
			points = append(points, a.Point)
			continue
		}
		level := 1 - 2*(1-confidence)/float64(max(1, len(all)-1)) // two-sided, for the one-sided test
		if sign*d.Mean() <= measure.StudentT(int(n)-1, level)*d.StdDev()/math.Sqrt(n) {
			points = append(points, a.Point)
		}
	}
	return points
}

// frontier finds the points that no other beats in cost, latency and success at
// once, on means, among those that answer nearly all calls or as many as any point
// does: the cost and latency of survivors are no match for those of all calls.
func (c *Comparison) frontier() {
	var at [3]int
	for i, name := range []string{"usd_per_1000_answers", "latency_p95_s", "success_ratio"} {
		if at[i] = slices.Index(c.Metrics, measure.Index(name)); at[i] < 0 {
			return
		}
	}
	type place struct {
		point                int
		cost, latency, fails float64
	}
	var all []place
	fails := 0.0 // of the point that answers most
	for _, p := range c.Points {
		x := place{p.Point, p.Estimates[at[0]].Mean, p.Estimates[at[1]].Mean, -p.Estimates[at[2]].Mean}
		if p.Reason == "" && !c.isControl(p) && !math.IsNaN(x.cost+x.latency+x.fails) {
			all = append(all, x)
			fails = min(fails, x.fails)
		}
	}
	all = slices.DeleteFunc(all, func(x place) bool { return x.fails > max(fails, -measure.NearlyAll) })
	slices.SortStableFunc(all, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.latency, b.latency), cmp.Compare(a.fails, b.fails))
	})
	var front []place // none beats another in latency and success
	for _, x := range all {
		beaten := slices.ContainsFunc(front, func(f place) bool { // f costs no more
			return f.latency <= x.latency && f.fails <= x.fails &&
				(f.cost < x.cost || f.latency < x.latency || f.fails < x.fails)
		})
		if !beaten {
			front = slices.DeleteFunc(front, func(f place) bool { return x.latency < f.latency && x.fails < f.fails })
			front = append(front, x)
			c.Frontier = append(c.Frontier, x.point)
		}
	}
	slices.Sort(c.Frontier)
}

// explain finds how much each axis moves each metric.
func (c *Comparison) explain() {
	for k, axis := range c.Axes {
		names, groupOf := c.levels(k)
		if len(names) < 2 {
			continue
		}
		for i := range c.Metrics {
			var total sim.Moments
			by := make([]sim.Moments, len(names))
			for j := range c.Points {
				if x := c.Points[j].Estimates[i].Mean; !math.IsNaN(x) &&
					(axis == sweep.TriggerAxis || !c.isControl(c.Points[j])) {
					total.Add(x)
					by[groupOf[j]].Add(x)
				}
			}
			if total.Count() < 2 {
				continue
			}
			s := Sensitivity{Axis: axis, Metric: i, Lowest: math.Inf(1), Highest: math.Inf(-1)}
			between := 0.0
			for g := range by {
				if by[g].Count() == 0 {
					continue
				}
				mean := by[g].Mean()
				between += float64(by[g].Count()) * (mean - total.Mean()) * (mean - total.Mean())
				if mean < s.Lowest {
					s.Lowest, s.LowestAt = mean, names[g]
				}
				if mean > s.Highest {
					s.Highest, s.HighestAt = mean, names[g]
				}
			}
			if whole := total.Variance() * float64(total.Count()-1); whole > 0 {
				s.Share = between / whole
			}
			c.Sensitivity = append(c.Sensitivity, s)
		}
	}
}

// levels groups the points by their value on an axis; an axis with many numeric
// values, as of a sample, is cut into five groups of like size.
func (c *Comparison) levels(axis int) (names []string, groupOf []int) {
	groupOf = make([]int, len(c.Points))
	index := map[string]int{}
	numeric := true
	var numbers []float64
	for i, p := range c.Points {
		label := p.Labels[axis]
		g, known := index[label]
		if !known {
			g = len(names)
			index[label] = g
			names = append(names, label)
			x, ok := scenario.NumberOf(label)
			numeric = numeric && ok
			numbers = append(numbers, x)
		}
		groupOf[i] = g
	}
	const few, cuts = 12, 5
	if len(names) <= few || !numeric {
		return names, groupOf
	}
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(numbers[a], numbers[b]) })
	to := make([]int, len(names))
	ranges := make([]string, cuts)
	for rank, g := range order {
		cut := rank * cuts / len(order)
		to[g] = cut
		if ranges[cut] == "" {
			ranges[cut] = names[g] + ".."
		}
		ranges[cut] = ranges[cut][:strings.Index(ranges[cut], "..")+2] + names[g]
	}
	for i := range groupOf {
		groupOf[i] = to[groupOf[i]]
	}
	return ranges, groupOf
}
