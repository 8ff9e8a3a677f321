package report

import (
	"math"
	"slices"
	"strings"

	"stampede/measure"
	"stampede/sweep"
)

// Conclusion is what a reader of a comparison would do, from its data alone: which setting to ship, why this
// one, what it gives, what binds, and which axes decide. Where several points cannot be told apart from the
// best, with 95 % confidence, one of those with nearly the best mean is named: none of the others is clearly
// better in success, latency, cost or makespan, and it differs least from the scenario; of several such it
// allows the fewest attempts, or comes first in the sweep.
type Conclusion struct {
	Answer    Answer        `json:"answer"`
	Point     *int          `json:"point"` // to ship, or the closest to the goals; nil for none
	Objective string        `json:"objective"`
	Among     int           `json:"among"` // points that were compared
	Tied      []int         `json:"tied"`  // points that cannot be told apart from the best, the named one included
	Axes      []AxisRole    `json:"axes,omitempty"`
	Lines     []LabeledText `json:"text"`
}

// LabeledText is a line of a conclusion.
type LabeledText struct {
	Label string `json:"label"`
	Text  string `json:"text"`
}

// Answer says what kind of conclusion there is.
type Answer string

const (
	ShipPoint    Answer = "ship"              // this point is the best, or tied with it, and meets all goals
	MayMeet      Answer = "undecided"         // no point is known to meet the goals, some may
	NoneMeets    Answer = "none"              // every point misses a goal
	NoAnswers    Answer = "no_answers"        // no point answers a call
	NothingToAsk Answer = "nothing_to_choose" // one point, or none that differs in a setting
)

// outcomeMetrics tell whether two points play the same: they have the same values of these in each replication.
var outcomeMetrics = []string{"answered", "goodput_per_min", "latency_mean_s", "latency_p95_s", "attempts",
	"usd_total", "usd_wasted"}

// setAim sets what a conclusion looks for: what is asked with goals or by --min and --max, else the best of
// the report's own metric, or of goodput where that has no better direction.
func (c *Comparison) setAim() {
	if c.aim = c.Aims.Objective; c.judged() {
		return
	}
	i := c.Metrics[c.Objective]
	if measure.Metrics()[i].Better == measure.Neither {
		i = measure.Index("goodput_per_min")
	}
	c.aim = measure.Objective{Metric: i, Largest: measure.Metrics()[i].Better == measure.Higher}
}

// compared are the metrics by which tied points are compared further: of a given number of calls also how soon
// they are done.
func (c *Comparison) compared() []string {
	list := []string{"success_ratio", "latency_p95_s", "usd_per_1000_answers"}
	if c.Manifest.Objective == "answered" {
		list = append(list, "makespan_s")
	}
	return list
}

// held are the metrics of which a conclusion keeps the values of all replications.
func (c *Comparison) held() []string {
	names := c.compared()
	if name := nameOfMetric(c.aim.Metric); !slices.Contains(names, name) {
		names = append(names, name)
	}
	return names
}

// conclusionMetrics are those that a conclusion reads.
func (c *Comparison) conclusionMetrics() []string {
	names := slices.Concat(outcomeMetrics, c.held())
	for _, q := range quietMetrics {
		names = append(names, q.metric)
	}
	return names
}

// facts are what a conclusion knows of a point.
type facts struct {
	play  uint64             // equal where points play the same
	means map[string]float64 // of what is told as a mean
	quiet []bool             // by quietMetrics
	held  [][]float64        // by Comparison.held

	random bool // whether randomness affects it
}

// factsOf gathers the facts of a point.
func (c *Comparison) factsOf(g *group) facts {
	f := facts{play: 14695981039346656037, means: map[string]float64{}}
	mix := func(x uint64) { // FNV-1a, by words
		f.play = (f.play ^ x) * 1099511628211
		f.play ^= f.play >> 32
	}
	column := func(name string) []float64 { return g.values[slices.Index(c.columns, measure.Index(name))] }
	for _, name := range outcomeMetrics {
		for i, x := range column(name) {
			mix(uint64(g.replications[i]))
			if math.IsNaN(x) {
				x = math.NaN() // of the many, one
			}
			mix(math.Float64bits(x))
		}
	}
	for _, q := range quietMetrics {
		f.quiet = append(f.quiet, !slices.ContainsFunc(column(q.metric), func(x float64) bool { return x != q.quiet }))
	}
	for _, name := range c.held() {
		f.held = append(f.held, column(name))
	}
	for _, name := range []string{"attempts", "usd_total", "usd_wasted"} {
		f.means[name] = measure.EstimateOf(column(name), 0.95).Mean
	}
	f.random = c.random(g)
	return f
}

// estimate is that of a held metric at a point.
func (c *Comparison) estimate(p *PointResult, metric string) measure.Estimate {
	i := slices.Index(c.held(), metric)
	return measure.Metrics()[measure.Index(metric)].Estimate(p.facts.held[i], p.facts.random, 0.95)
}

// candidate is a point with a held metric.
func (c *Comparison) candidate(p *PointResult, metric string) BestCandidate {
	return BestCandidate{p.Point, p.objective.Replications, p.facts.held[slices.Index(c.held(), metric)]}
}

// isCondition reports whether an axis is nothing that one chooses: what calls come, and what goes wrong.
func isCondition(path string) bool {
	parts := strings.Split(path, ".")
	switch parts[0] {
	case "workload", "seed", "horizon", "warmup", "collapse", "event_budget", sweep.TriggerAxis:
		return true
	case "provider":
		return len(parts) > 1 && slices.Contains([]string{"faults", "latency", "errors", "round_trip"}, parts[1])
	}
	return slices.Contains(parts, "workload")
}

// settings are the points that a conclusion chooses from: complete ones, in the conditions of the scenario.
func (c *Comparison) settings() (out []*PointResult) {
	held := c.scenarioLabels()
	for i := range c.Points {
		p := &c.Points[i]
		apart := slices.ContainsFunc(c.conditions(), func(k int) bool {
			return c.Axes[k] != sweep.TriggerAxis && p.Labels[k] != held[k]
		})
		if p.Reason == "" && p.N > 0 && !c.isControl(*p) && !apart {
			out = append(out, p)
		}
	}
	return out
}

// conditions are the axes at which points are held. A sample has none, since no two of its points need have the
// same; and where there is no other axis, what is asked for is asked of these.
func (c *Comparison) conditions() (axes []int) {
	others := slices.ContainsFunc(c.Axes, func(axis string) bool { return !isCondition(axis) })
	if c.Manifest.Sample != "" || c.judged() && !others {
		return nil
	}
	for k, axis := range c.Axes {
		if isCondition(axis) {
			axes = append(axes, k)
		}
	}
	return axes
}

// conclude finds the conclusion.
func (c *Comparison) conclude() {
	metric := nameOfMetric(c.aim.Metric)
	points := c.settings()
	out := &Conclusion{Objective: c.aim.String(), Among: len(points), Tied: []int{}}
	c.Conclusion = out
	name := func(p *PointResult, answer Answer) { out.Answer, out.Point = answer, &p.Point }
	switch {
	case len(points) == 0:
		out.Answer = NothingToAsk
		out.Lines = []LabeledText{{"ship", "nothing to conclude: no point is complete"}}
		return
	case len(points) == 1:
		name(points[0], NothingToAsk)
		c.write(points[0], nil)
		return
	}
	mostAnswered := 0.0
	for _, p := range points {
		mostAnswered = max(mostAnswered, p.survivors[0])
	}
	if mostAnswered == 0 {
		name(points[0], NoAnswers)
		c.write(points[0], nil)
		return
	}
	pool := points
	if len(c.Aims.Goals) > 0 {
		var may []*PointResult
		pool = nil
		for _, p := range points {
			switch *p.Verdict {
			case measure.Met:
				pool = append(pool, p)
			case measure.Undecided:
				may = append(may, p)
			}
		}
		if len(pool) == 0 && len(may) > 0 {
			p := c.closest(may)
			name(p, MayMeet)
			out.Tied = numbers(may)
			c.write(p, may)
			return
		}
		if len(pool) == 0 {
			p := c.closest(points)
			name(p, NoneMeets)
			c.write(p, nil)
			return
		}
	} else if !countsEveryCall(metric) {
		least := min(measure.NearlyAll, mostAnswered)
		pool = slices.DeleteFunc(slices.Clone(points), func(p *PointResult) bool { return p.survivors[0] < least })
	}
	var all []BestCandidate
	lacks := func(b BestCandidate) bool { return slices.ContainsFunc(b.Values, math.IsNaN) }
	for _, p := range pool {
		all = append(all, c.candidate(p, metric))
	}
	if whole := slices.DeleteFunc(slices.Clone(all), lacks); len(whole) > 0 { // what is missing is no better
		c.lacking = len(all) - len(whole)
		all = whole
	}
	best := map[int]bool{}
	for _, point := range BestSet(all, c.aim.Largest, 0.95) {
		best[point] = true
	}
	tied := slices.DeleteFunc(slices.Clone(pool), func(p *PointResult) bool { return !best[p.Point] })
	if len(tied) == 0 {
		out.Answer = NothingToAsk
		out.Lines = []LabeledText{{"ship", "nothing to conclude: no point has a value of " + metric}}
		return
	}
	p := c.simplest(tied)
	name(p, ShipPoint)
	out.Tied = numbers(tied)
	out.Axes = c.roles(p, points, tied)
	c.write(p, tied)
}

// countsEveryCall reports whether failing makes a metric no better, so that it needs no look at survivors.
func countsEveryCall(metric string) bool {
	return slices.Contains([]string{"answered", "success_ratio", "goodput_per_min", "quality_goodput_per_min"}, metric)
}

func numbers(points []*PointResult) (out []int) {
	for _, p := range points {
		out = append(out, p.Point)
	}
	return out
}
