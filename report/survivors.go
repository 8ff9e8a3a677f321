package report

import (
	"fmt"
	"slices"

	"stampede/internal/format"
	"stampede/measure"
)

// survivorMetrics are what tells survivors from all calls.
var survivorMetrics = []string{"success_ratio", "prompt_tokens_answered_mean", "output_tokens_answered_mean",
	"prompt_tokens_mean", "output_tokens_mean"}

// survivors are the means of survivorMetrics.
type survivors []float64

func (s survivors) few() bool { return measure.FewAnswered(s[0]) }

// note says which calls cost and latency cover.
func (s survivors) note() string {
	return measure.SurvivorsOnly(s[0]) + fmt.Sprintf(": on average %.0f prompt tokens and %.0f output tokens, "+
		"against %.0f and %.0f of all calls", s[1], s[2], s[3], s[4])
}

// markFew marks the points that answer so few calls.
const markFew = "!"

// warnOfSurvivors says at how many points cost and latency cover only the calls answered, and
// how far these are from all calls at the point that answers the smallest share.
func (c *Comparison) warnOfSurvivors() {
	var worst *PointResult
	points := 0
	for i := range c.Points {
		p := &c.Points[i]
		if !p.Few {
			continue
		}
		if points++; worst == nil || p.survivors[0] < worst.survivors[0] {
			worst = p
		}
	}
	if worst != nil && c.single() {
		c.Warnings = append(c.Warnings, worst.survivors.note())
	} else if worst != nil {
		c.Warnings = append(c.Warnings, fmt.Sprintf("fewer than %.0f %% of calls are answered at %s (%s); at "+
			"point %d %s",
			100*measure.NearlyAll, format.Plural(points, "point"), markFew, worst.Point, worst.survivors.note()))
	}
}

// survivorsOf are the means over the rows of a point.
func (c *Comparison) survivorsOf(g *group) survivors {
	var out survivors
	for _, name := range survivorMetrics {
		out = append(out, measure.EstimateOf(g.values[slices.Index(c.columns, measure.Index(name))], 0.95).Mean)
	}
	return out
}
