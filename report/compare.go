package report

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"stampede/internal/format"
	"stampede/measure"
	"stampede/sweep"
)

// Comparison is the contents of a sweep's folder: each point with intervals, its
// difference to a base paired by seed, which points cannot be ruled out as the best, and
// how sensitive metrics are to each axis.
type Comparison struct {
	Manifest    *sweep.Manifest
	Axes        []string
	Metrics     []int // of the registry, those compared
	Objective   int   // place in Metrics of the one that the best set is chosen by
	Base        int   // the point compared to
	Points      []PointResult
	Best        []int // points that cannot be ruled out as the best, the best mean first
	Frontier    []int // points that no other beats in cost, latency and success
	Sensitivity []Sensitivity
	Warnings    []string
	Aims        measure.Aims // the goals of the points, and what is to be best among those that meet them
	Conclusion  *Conclusion

	aim      measure.Objective // of the conclusion
	own      []string          // the scenario's values on the axes
	ownKnown bool              // all of them are its own
	lacking  int               // points that lack the aim's metric in a replication
	verdicts [3]int            // how many points, by verdict on all goals
	chosen   bool              // a person named the metrics
	columns  []int             // of the registry, those read: the metrics and what censors
	censored [len(censoring)]struct {
		points int     // where there are any
		most   float64 // mean of a point
	}
	lacks sweep.Shortfall // of the folder
}

// PointResult is one point of a comparison.
type PointResult struct {
	Point     int
	Labels    []string
	N         int                // replications
	Estimates []measure.Estimate // by Metrics
	Diffs     []Difference       // to the base, by Metrics
	Limits    []LimitValue       // use and refusals of each
	Reason    string             // why there is nothing
	Few       bool               // of its calls are answered, so that cost and latency cover only the calls answered
	Goals     *Goals             // nil when nothing is asked
	Verdict   *measure.Verdict   // of all goals; nil when nothing is asked or the point is no candidate
	objective BestCandidate
	survivors survivors
	facts     facts
}

// Difference is a point less the base, paired by replication.
type Difference struct {
	measure.Estimate
	Verdict Verdict
}

// Verdict says whether a difference is decided: better or worse in the direction
// of the metric, or "~" when the 95 % interval holds zero.
type Verdict string

const (
	Undecided Verdict = "~"
	IsBetter  Verdict = "better"
	IsWorse   Verdict = "worse"
	Other     Verdict = "differs" // of a metric without a better direction
	IsBase    Verdict = "base"
)

// Sensitivity is the part of the variance of a metric between points that the
// values of one axis explain by themselves (eta squared), with the values at
// which its mean is lowest and highest.
type Sensitivity struct {
	Axis                string
	Metric              int // place in Metrics
	Share               float64
	LowestAt, HighestAt string  // values of the axis
	Lowest, Highest     float64 // mean of the metric there
}

// CompareOptions choose what is compared.
type CompareOptions struct {
	Metrics   []string      // default ReportMetrics
	Objective string        // default that of the manifest
	Base      *int          // default that of the manifest
	Aims      *measure.Aims // default those of the manifest
}

// ReportMetrics are those of a report by default. The success ratio never stands
// alone: closed loops that fail fast offer more calls.
var ReportMetrics = []string{"success_ratio", "goodput_per_min", "makespan_s", "latency_p95_s", "attempts_per_call",
	"throttled_ratio", "usd_per_1000_answers", "usd_wasted"}

// Compare reads a sweep's folder. It simulates nothing.
func Compare(dir string, o CompareOptions) (*Comparison, error) {
	m, err := sweep.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Manifest: m, Base: m.Base}
	if o.Base != nil {
		c.Base = *o.Base
	}
	if c.Aims, err = m.Aims(); err != nil {
		return nil, err
	}
	if o.Aims != nil {
		c.Aims = *o.Aims
	}
	c.Axes = m.AxisPaths()
	names := slices.Clone(o.Metrics)
	if c.chosen = len(names) > 0; !c.chosen {
		names = slices.Clone(ReportMetrics)
		if m.Trigger {
			names = append(names, "recovery_s", "collapsed")
		}
		if m.Has("collapse") {
			names = append(names, "collapse_level")
			if !m.Trigger {
				names = append(names, "collapsed")
			}
		}
		if m.Has("warmup") {
			names = append(names, "warmup_s")
		}
		if c.judged() {
			for _, i := range aimMetrics(c.Aims) {
				if name := measure.Metrics()[i].Name; !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	if o.Objective == "" {
		o.Objective = m.Objective
	}
	if !slices.Contains(names, o.Objective) {
		names = append([]string{o.Objective}, names...)
	}
	c.Objective = slices.Index(names, o.Objective)
	for _, name := range names {
		i, err := measure.Lookup(name)
		if err != nil {
			return nil, err
		}
		c.Metrics = append(c.Metrics, i)
	}
	c.columns = slices.Clone(c.Metrics)
	if !slices.Contains(c.columns, measure.Index("random")) {
		c.columns = append(c.columns, measure.Index("random"))
	}
	for _, w := range censoring {
		names = append(names, w.metric)
	}
	c.setAim()
	for _, name := range slices.Concat(names, survivorMetrics, c.conclusionMetrics()) {
		if i := measure.Index(name); !slices.Contains(c.columns, i) {
			c.columns = append(c.columns, i)
		}
	}
	for _, i := range aimMetrics(c.Aims) {
		if c.judged() && !slices.Contains(c.columns, i) {
			c.columns = append(c.columns, i)
		}
	}
	for i, m := range measure.Metrics() {
		if measure.OfLimits(m.Name) && !slices.Contains(c.columns, i) {
			c.columns = append(c.columns, i)
		}
	}
	if err := c.read(filepath.Join(dir, sweep.ResultsName)); err != nil {
		return nil, err
	}
	c.choose()
	c.judgePoints()
	c.explain()
	c.warn()
	c.conclude()
	return c, nil
}

// group is the rows of one point.
type group struct {
	point        int
	labels       []string
	replications []int
	values       [][]float64 // by columns
	limits       string      // their names
	reasons      []string
}

// groups reads the rows, which are in order, point by point.
func (c *Comparison) groups(path string, each func(*group) error) error {
	var g *group
	err := sweep.ReadRows(path, c.Axes, c.columns, func(r *sweep.Row) error {
		if g == nil || r.Point != g.point {
			if g != nil {
				if err := each(g); err != nil {
					return err
				}
			}
			g = &group{point: r.Point, labels: slices.Clone(r.Labels), values: make([][]float64, len(c.columns))}
		}
		g.take(r)
		return nil
	})
	if err == nil && g != nil {
		err = each(g)
	}
	return err
}

func (g *group) take(r *sweep.Row) {
	if r.Values == nil {
		g.reasons = append(g.reasons, r.Reason)
		return
	}
	g.replications, g.limits = append(g.replications, r.Replication), r.Limits
	for i, v := range r.Values {
		g.values[i] = append(g.values[i], v)
	}
}

func (c *Comparison) read(path string) error {
	path, clean, err := sweep.Ordered(path)
	if err != nil {
		return err
	}
	defer clean()
	if c.lacks, err = c.Manifest.Lacks(path); err != nil {
		return err
	}
	var base, first *group
	reason := "" // the first one
	err = c.groups(path, func(g *group) error {
		if len(g.replications) == 0 {
			reason = cmp.Or(reason, g.reasons[0])
			return nil
		}
		if first == nil {
			first = g
		}
		if g.point == c.Base {
			base = g
			return sweep.ErrEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, sweep.ErrEnough) {
		return err
	}
	if base == nil && first != nil {
		c.Warnings = append(
			c.Warnings,
			fmt.Sprintf("point %d has no result to compare to; point %d is the base instead", c.Base,
				first.point),
		)
		base, c.Base = first, first.point
	}
	if base == nil && reason != "" {
		return sweep.FolderErrorf("no replication in the folder has a result: %s", reason)
	}
	if base == nil {
		return sweep.FolderErrorf("the folder has no results yet")
	}
	at := map[int]int{}
	for i, r := range base.replications {
		at[r] = i
	}
	return c.groups(path, func(g *group) error {
		p := PointResult{
			Point:  g.point,
			Labels: g.labels,
			N:      len(g.replications),
			Reason: strings.Join(slices.Compact(g.reasons), "; "),
		}
		for i, m := range c.Metrics {
			p.Estimates = append(p.Estimates, measure.Metrics()[m].Estimate(g.values[i], c.random(g), 0.95))
			p.Diffs = append(p.Diffs, difference(g, base, at, i, measure.Metrics()[m], c.random(g) || c.random(base)))
		}
		p.Limits = limitValues(measure.SplitLimits(g.limits), func(metric string) measure.Estimate {
			i := measure.Index(metric)
			return measure.Metrics()[i].Estimate(g.values[slices.Index(c.columns, i)], c.random(g), 0.95)
		})
		if n := len(c.Points); n > 0 && slices.Equal(c.Points[n-1].objective.Replications, g.replications) {
			g.replications = c.Points[n-1].objective.Replications // most points have the same: they are held once
		}
		c.goalsOf(&p, g)
		p.objective = BestCandidate{g.point, g.replications, g.values[c.Objective]}
		for k, w := range censoring {
			if e := measure.EstimateOf(g.values[slices.Index(c.columns, measure.Index(w.metric))], 0.95); e.Mean > 0 {
				c.censored[k].points++
				c.censored[k].most = max(c.censored[k].most, e.Mean)
			}
		}
		p.survivors = c.survivorsOf(g)
		p.Few = p.survivors.few()
		p.facts = c.factsOf(g)
		c.Points = append(c.Points, p)
		return nil
	})
}

// random reports whether randomness affects a point.
func (c *Comparison) random(g *group) bool {
	return slices.Contains(g.values[slices.Index(c.columns, measure.Index("random"))], 1)
}

// difference pairs the values of a point with those of the base by replication.
func difference(g, base *group, at map[int]int, metric int, m measure.Metric, random bool) Difference {
	if g.point == base.point {
		return Difference{Verdict: IsBase}
	}
	var d []float64
	for i, r := range g.replications {
		if j, ok := at[r]; ok {
			d = append(d, g.values[metric][i]-base.values[metric][j])
		}
	}
	out := Difference{Estimate: m.Difference(d, random, 0.95), Verdict: Undecided}
	if e := out.Estimate; e.N > 1 && (e.Low > 0 || e.High < 0) {
		switch sign := measure.Direction(1); {
		case m.Better == measure.Neither:
			out.Verdict = Other
		default:
			if e.High < 0 {
				sign = -1
			}
			out.Verdict = IsWorse
			if sign == m.Better {
				out.Verdict = IsBetter
			}
		}
	}
	return out
}

// censoring lists the metrics that a comparison always warns about.
var censoring = [...]struct{ metric, words string }{
	{"unfinished", "are unfinished: they were hanging when the run ended"},
	{"not_started", notStarted},
}

const notStarted = "were still waiting to start when the run ended; they are not counted as calls"

// warn gathers what makes the figures less than they seem.
func (c *Comparison) warn() {
	add := func(format string, args ...any) { c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...)) }
	c.Warnings = append(slices.Clone(c.Manifest.Warnings), c.Warnings...)
	failed, least := 0, math.MaxInt
	for _, p := range c.Points {
		if p.Reason != "" {
			if failed++; failed <= 5 {
				add("point %d (%s) is incomplete: %s", p.Point, strings.Join(p.Labels, ", "), p.Reason)
			}
			continue
		}
		least = min(least, p.N)
	}
	if failed > 5 {
		add("%d points in all are incomplete", failed)
	}
	if s := c.Manifest.Search; s != nil && s.Recommended != nil {
		add("a search chose these points; it recommended point %d", *s.Recommended)
	}
	if c.Manifest.Shard != nil {
		add("this folder is part %d of %d", c.Manifest.Shard.Index, c.Manifest.Shard.Of)
	}
	if rule := c.Manifest.AbortRule(); rule != "" && c.lacks.Replications == 0 {
		early := 0
		for _, p := range c.Points {
			early += boolInt(p.Reason == "" && p.N < c.Manifest.Replications)
		}
		add("%s ended early, since a goal cannot be met there (%s)", format.Plural(early, "point"), rule)
	}
	if c.lacks.Replications > 0 {
		add("this sweep is not complete: at least %s of %s are missing; continue it with sweep --resume",
			format.Plural(c.lacks.Replications, "replication"), format.Plural(c.lacks.Points, "point"))
	}
	if least < 10 {
		of := "some points have only "
		if c.single() {
			of = "only "
		}
		add(of+"%s; intervals from fewer than 10 are wide and assume normality", format.Plural(least, "replication"))
	}
	for k, w := range censoring {
		if found := c.censored[k]; found.points > 0 {
			add("up to %.4g calls per replication %s, at %s", found.most, w.words,
				format.Plural(found.points, "point"))
		}
	}
	c.warnOfSurvivors()
	for i, m := range c.Metrics {
		none := 0
		for _, p := range c.Points {
			if p.Reason == "" && p.Estimates[i].N < p.N {
				none++
			}
		}
		if none > 0 {
			hint := ""
			if measure.Metrics()[m].Name == "collapsed" && !c.Manifest.Has("collapse") {
				hint = "; it needs a temporary fault or spike, or a level for every point such as collapse: " +
					"{from: 300s, " +
					"to: 400s, below: 50%}"
			}
			add("%s has no value in some replications of %d points%s", measure.Metrics()[m].Name, none, hint)
		}
	}
	if p := c.Manifest.Precision; p != nil {
		if i := slices.Index(c.Metrics, measure.Index(p.Metric)); i >= 0 {
			wide := 0
			for _, q := range c.Points {
				if e := q.Estimates[i]; e.N > 0 && !p.Known(e) {
					wide++
				}
			}
			if wide > 0 {
				add("%d points did not reach the precision asked for with the %d replications allowed", wide,
					p.MaxReps)
			}
		}
	}
	if slices.Contains(c.Metrics, measure.Index("recovery_s")) {
		for _, p := range c.Points {
			if q := slices.Index(c.Metrics, measure.Index("collapsed")); q >= 0 && p.Estimates[q].Mean > 0 {
				add("recovery_s is the mean of the replications that recover")
				break
			}
		}
	}
	if c.Manifest.Has("warmup") {
		add(
			"the measured time starts at the end of the warm-up (warmup_s); where that is found from the data, " +
				"points measure different calls",
		)
	}
	if len(c.Points) > 10 {
		add("%d points are compared with the base, each with its own 95 %% interval; "+
			"expect about 1 in 20 comparisons to look significant by chance", len(c.Points)-1)
	}
	if len(c.Best) > 1 {
		add("%d points cannot be told apart by %s; with 95 %% confidence the best point is among them",
			len(c.Best), measure.Metrics()[c.Metrics[c.Objective]].Name)
	}
}
