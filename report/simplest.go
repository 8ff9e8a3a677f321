package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"stampede/measure"
	"stampede/scenario"
)

// near are the tied points whose mean is within the tolerance of the best, 1 % or 0.001 of shares near 1: that
// two points cannot be told apart does not make them equal.
func (c *Comparison) near(tied []*PointResult) []*PointResult {
	o := c.aim
	name := nameOfMetric(o.Metric)
	loss := func(p, than *PointResult) float64 {
		d := c.candidate(p, name).less(c.candidate(than, name))
		if o.Largest {
			return -d.Mean()
		}
		return d.Mean()
	}
	best := tied[0]
	for _, p := range tied {
		if loss(p, best) < 0 {
			best = p
		}
	}
	zone := measure.Goal{Metric: o.Metric, Bound: c.estimate(best, name).Mean}.Tolerance()
	return slices.DeleteFunc(slices.Clone(tied), func(p *PointResult) bool {
		return p != best && !(loss(p, best) <= zone)
	})
}

// simplest is the simplest of points that cannot be told apart from the best and are near it. Where others of
// them are clearly better in success, latency, cost or makespan and in none clearly worse, the simplest of
// these takes its place, until there is none.
func (c *Comparison) simplest(tied []*PointResult) *PointResult {
	near := c.near(tied)
	p := slices.MinFunc(near, c.compareSimple)
	for range 8 { // each step compares one point with all
		var better []*PointResult
		for _, q := range near {
			if c.beats(q, p, len(tied)) {
				better = append(better, q)
			}
		}
		if len(better) == 0 {
			break
		}
		p = slices.MinFunc(better, c.compareSimple)
	}
	return p
}

// compareSimple orders by differences from the scenario, then by attempts allowed, then as the sweep does.
func (c *Comparison) compareSimple(a, b *PointResult) int {
	return cmp.Or(cmp.Compare(c.changes(a), c.changes(b)), cmp.Compare(c.attemptsOf(a), c.attemptsOf(b)),
		cmp.Compare(a.Point, b.Point))
}

// changes is in how many axes a point differs from the scenario.
func (c *Comparison) changes(p *PointResult) (n int) {
	for k, label := range c.scenarioLabels() {
		if p.Labels[k] != label {
			n++
		}
	}
	return n
}

// attemptsOf is how many attempts a point allows, where an axis says so.
func (c *Comparison) attemptsOf(p *PointResult) float64 {
	for k, axis := range c.Axes {
		if strings.HasSuffix(axis, "retry.attempts") {
			if x, ok := scenario.NumberOf(p.Labels[k]); ok {
				return x
			}
			return math.Inf(1) // unlimited
		}
	}
	return 0
}

// beats reports whether q is better than p in one of the judged metrics by more than the goal's tolerance of
// it, 1 % or 0.001 of shares near 1, and in none of them worse by as much. Each difference is paired by
// replication and has to be beyond its one-sided interval at 95 %, Bonferroni over the tied points.
func (c *Comparison) beats(q, p *PointResult, of int) bool {
	if c.estimate(q, "success_ratio").Mean < c.estimate(p, "success_ratio").Mean-0.001 {
		return false // its cost and latency are those of fewer calls
	}
	gains, loses := false, false
	for _, name := range c.compared() {
		better, worse := c.clearly(q, p, name, of)
		gains, loses = gains || better, loses || worse
	}
	return gains && !loses
}

// clearly reports whether q is better, or worse, than p in a metric.
func (c *Comparison) clearly(q, p *PointResult, metric string, of int) (better, worse bool) {
	m := measure.Index(metric)
	d := c.candidate(q, metric).less(c.candidate(p, metric))
	n := float64(d.Count())
	if n < 2 {
		return false, false
	}
	level := 1 - 2*0.05/float64(max(1, of-1)*len(c.compared()))
	gain := float64(measure.Metrics()[m].Better) * d.Mean()
	zone := measure.Goal{Metric: m, Bound: c.estimate(p, metric).Mean}.Tolerance()
	sure := math.Abs(gain) > zone && math.Abs(gain) > measure.StudentT(int(n)-1, level)*d.StdDev()/math.Sqrt(n)
	return sure && gain > 0, sure && gain < 0
}

// closest is the point that is least far from its worst goal, in units of the goal's tolerance.
func (c *Comparison) closest(points []*PointResult) *PointResult {
	far := func(p *PointResult) (worst float64) {
		for _, r := range p.Goals.Results {
			if worst = max(worst, r.Goal.Excess(r.Estimate.Mean)/r.Goal.Tolerance()); r.Lacking > 0 {
				worst = math.Inf(1)
			}
		}
		return worst
	}
	return slices.MinFunc(points, func(a, b *PointResult) int {
		return cmp.Or(cmp.Compare(far(a), far(b)), c.compareSimple(a, b))
	})
}
