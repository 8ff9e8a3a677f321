package measure

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Goal is a bound that the mean of a metric has to keep.
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

// ParseGoal reads a goal such as success_ratio>=99%, latency_p95_s<=20s or usd_per_1000_answers<=0.45.
func ParseGoal(text string) (Goal, error) {
	name, bound, atLeast := strings.Cut(text, ">=")
	if !atLeast {
		var found bool
		if name, bound, found = strings.Cut(text, "<="); !found {
			return Goal{}, fmt.Errorf("found %q; want METRIC>=BOUND or METRIC<=BOUND, as in success_ratio>=99%%", text)
		}
	}
	i, err := Lookup(strings.TrimSpace(name))
	if err != nil {
		return Goal{}, err
	}
	x, err := parseBound(strings.TrimSpace(bound), registry[i].Unit)
	if err != nil {
		return Goal{}, fmt.Errorf("found %q; %w", text, err)
	}
	return Goal{Metric: i, AtLeast: atLeast, Bound: x}, nil
}

// parseBound reads a number in the unit of the metric: 99 % or 0.99 of a share, 20 or 20s of seconds,
// 0.45 or $0.45 of dollars.
func parseBound(text, unit string) (float64, error) {
	number, scale, example := text, 1.0, "20"
	switch unit {
	case "share":
		example = "99% or 0.99"
		if before, ok := strings.CutSuffix(text, "%"); ok {
			number, scale = before, 0.01
		}
	case "s":
		example = "20s, 500ms or 20"
		if before, ok := strings.CutSuffix(text, "ms"); ok {
			number, scale = before, 1e-3
		} else if before, ok := strings.CutSuffix(text, "s"); ok {
			number = before
		} else if before, ok := strings.CutSuffix(text, "m"); ok {
			number, scale = before, 60
		}
	case "USD":
		example = "$0.45 or 0.45"
		number = strings.TrimPrefix(text, "$")
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("want a bound such as %s", example)
	}
	return x * scale, nil
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

// Judge says whether the mean keeps the bound, by its interval.
func (g Goal) Judge(e Estimate) Verdict {
	low, high := e.Low, e.High
	if g.AtLeast {
		low, high = -e.High, -e.Low
	}
	bound := g.Bound
	if g.AtLeast {
		bound = -bound
	}
	switch {
	case e.N == 0 || low > bound:
		return Missed
	case high <= bound:
		return Met
	}
	return Undecided
}
