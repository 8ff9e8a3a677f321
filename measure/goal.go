package measure

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"stampede/scenario"
)

// Goal is a bound that the mean of a metric over replications has to keep.
type Goal struct {
	Metric  int // of Metrics
	AtLeast bool
	Bound   float64
}

// Objective is the metric that is to be as small, or as large, as the goals allow.
type Objective struct {
	Metric  int // of Metrics
	Largest bool
}

// Verdict says whether a goal is met.
type Verdict uint8

const (
	Undecided Verdict = iota // the interval holds the bound
	Met
	Missed
)

// String is the word for a verdict.
func (v Verdict) String() string { return [...]string{"undecided", "met", "missed"}[v] }

// MarshalText implements encoding.TextMarshaler.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// ParseGoal reads a goal such as success_ratio>=99%, latency_p95_s<=20s or usd_per_1000_answers<=0.45.
func ParseGoal(text string) (Goal, error) {
	name, bound, atLeast := strings.Cut(text, ">=")
	if !atLeast {
		var found bool
		if name, bound, found = strings.Cut(text, "<="); !found {
			return Goal{}, fmt.Errorf("found %q; want METRIC>=BOUND or METRIC<=BOUND, as in success_ratio>=99%%", text)
		}
	}
	i, err := lookupResult(strings.TrimSpace(name))
	if err != nil {
		return Goal{}, fmt.Errorf("found %q; %w", text, err)
	}
	x, err := parseBound(strings.TrimSpace(bound), registry[i].Unit)
	if err != nil {
		return Goal{}, fmt.Errorf("found %q; %w", text, err)
	}
	return Goal{Metric: i, AtLeast: atLeast, Bound: x}, nil
}

// lookupResult is Lookup for a metric that a scenario can be better or worse in.
func lookupResult(name string) (int, error) {
	i, err := Lookup(name)
	if err == nil && registry[i].Unit == zeroOrOne {
		return -1, fmt.Errorf("%s is 0 or 1 by the scenario; no policy changes it", name)
	}
	return i, err
}

// zeroOrOne is the unit of what is so or is not.
const zeroOrOne = "0 or 1"

// boundExamples say by unit how a bound is written.
var boundExamples = map[string]string{
	"share":      "99% or 0.99",
	"s":          "20s, 500ms, 2min, 1h or 20",
	"USD":        "$0.45 or 0.45",
	"calls/min":  "900, 900/min or 15/s",
	"attempts/s": "15, 15/s or 900/min",
	"requests/s": "15, 15/s or 900/min",
	"ratio":      "1.5",
	"calls":      "20 or 2k",
	"attempts":   "1.5 or 20k",
	"requests":   "20 or 2k",
	"effects":    "20 or 2k",
	"sessions":   "20 or 2k",
	"tokens":     "2500 or 30k",
	"places":     "8",
}

// parseBound reads a bound in the unit of its metric.
func parseBound(text, unit string) (float64, error) {
	want := func(what string) (float64, error) {
		return 0, fmt.Errorf("want %s, such as %s", what, boundExamples[unit])
	}
	x, err := boundIn(unit, text)
	switch {
	case err != nil || math.IsNaN(x) || math.IsInf(x, 0):
		return want("a bound in the unit of the metric (" + unit + ")")
	case unit == "share" && (x < 0 || x > 1):
		return want("a share from 0% to 100%")
	case x < 0:
		return want("a bound from 0")
	}
	return x, nil
}

func boundIn(unit, text string) (float64, error) {
	switch unit {
	case "share":
		number, percent := strings.CutSuffix(text, "%")
		x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if percent {
			x /= 100
		}
		return x, err
	case "s":
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			return x, nil
		}
		var span scenario.Span
		err := span.ParseText(strings.Replace(strings.ReplaceAll(text, " ", ""), "min", "m", 1))
		return span.Seconds(), err
	case "USD":
		return scenario.ParseAmount(strings.TrimPrefix(text, "$"))
	}
	if _, period, rate := strings.Cut(unit, "/"); rate {
		if number, found := strings.CutSuffix(text, "/"+period); found {
			text = strings.TrimSpace(number)
		} else if strings.Contains(text, "/") {
			var perSecond scenario.PerTime
			err := perSecond.ParseText(text)
			return float64(perSecond) * map[string]float64{"s": 1, "min": 60}[period], err
		}
	}
	return scenario.ParseAmount(text)
}

// String writes the goal as ParseGoal reads it.
func (g Goal) String() string {
	sign := "<="
	if g.AtLeast {
		sign = ">="
	}
	return registry[g.Metric].Name + sign + g.bound()
}

// bound writes the bound with its unit, so that it reads back as the same number.
func (g Goal) bound() string {
	exact := strconv.FormatFloat(g.Bound, 'f', -1, 64)
	switch registry[g.Metric].Unit {
	case "share":
		for digits := 1; digits < 17; digits++ {
			percent := strconv.FormatFloat(100*g.Bound, 'g', digits, 64) + "%"
			if x, err := boundIn("share", percent); err == nil && x == g.Bound && !strings.Contains(percent, "e") {
				return percent
			}
		}
	case "s":
		return exact + "s"
	case "USD":
		return "$" + exact
	}
	return exact
}

// Tolerance is the zone around the bound in which it does not matter on which side a mean lies: 0.001 of
// shares near 1, else 1 % of the bound. Around 0 it is 0.001 of shares and 0.01 of others.
func (g Goal) Tolerance() float64 {
	share := registry[g.Metric].Unit == "share"
	switch {
	case share && (g.Bound > 0.9 || g.Bound == 0):
		return 0.001
	case g.Bound == 0:
		return 0.01
	}
	return 0.01 * math.Abs(g.Bound)
}

// Excess is by how much a value breaks the bound; at most 0 when it keeps it. A value that a run does not
// have breaks it without end.
func (g Goal) Excess(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return math.Inf(1)
	case g.AtLeast:
		return g.Bound - x
	}
	return x - g.Bound
}

// Judge says whether the mean keeps the bound, by its interval. Where all replications have the same value
// (Estimate.Unseen), that value decides: no number of replications shows that none would have another one.
// What is 0 or 1 in each replication is judged by its interval all the same, since its mean is the probability
// that is bounded.
func (g Goal) Judge(e Estimate) Verdict {
	if e.Unseen > 0 && !registry[g.Metric].Indicator {
		e.Low, e.High = e.Mean, e.Mean
	}
	switch worst, best := g.Excess(e.Low), g.Excess(e.High); {
	case e.N == 0 || min(worst, best) > 0:
		return Missed
	case max(worst, best) <= 0:
		return Met
	}
	return Undecided
}

// GoalResult is what replications say of a goal.
type GoalResult struct {
	Goal     Goal
	Estimate Estimate // of the metric's mean, 95 %
	Lacking  int      // replications without a value
	Verdict  Verdict
}

// Of judges the goal by the values of its metric over replications. A replication without a value misses the
// goal, and so do all together: no mean of the others says what it would have had.
func (g Goal) Of(values []float64, random bool) GoalResult {
	m := registry[g.Metric]
	r := GoalResult{Goal: g, Estimate: m.Estimate(values, random, 0.95)}
	r.Lacking = len(values) - r.Estimate.N
	e := r.Estimate
	if e.N > 0 && (!random || m.Fixed) {
		e.Low, e.High = e.Mean, e.Mean
	}
	if r.Verdict = g.Judge(e); r.Lacking > 0 {
		r.Verdict = Missed
	}
	return r
}

// Together is the verdict of all goals: missed when one is, else undecided when one is.
func Together(results []GoalResult) Verdict {
	all := Met
	for _, r := range results {
		switch {
		case r.Verdict == Missed:
			return Missed
		case r.Verdict == Undecided:
			all = Undecided
		}
	}
	return all
}
