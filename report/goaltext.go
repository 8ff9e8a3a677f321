package report

import (
	"fmt"
	"strings"

	"stampede/internal/format"
	"stampede/measure"
)

// goalsInWords lists the goals.
func (c *Comparison) goalsInWords() string {
	var texts []string
	for _, g := range c.Aims.Goals {
		texts = append(texts, g.String())
	}
	return conjoin(texts)
}

// shortfall names the goals that a point does not surely meet, with its values.
func (p *PointResult) shortfall() string {
	var texts []string
	for _, r := range p.Goals.Results {
		if r.Verdict != measure.Met {
			texts = append(texts, fmt.Sprintf("%v is %v (%s)", r.Goal, r.Verdict, inUnit(r)))
		}
	}
	return "; " + strings.Join(texts, ", ")
}

// inUnit is a value as the goal writes its bound.
func inUnit(r measure.GoalResult) string {
	switch unit := measure.Metrics()[r.Goal.Metric].Unit; {
	case r.Lacking > 0:
		return "without a value in " + format.Plural(r.Lacking, "replication")
	case unit == "share":
		return scaled(r.Estimate, 100) + " %"
	case unit == "s":
		return scaled(r.Estimate, 1) + " s"
	case unit == "USD":
		return "$" + scaled(r.Estimate, 1)
	}
	return scaled(r.Estimate, 1)
}

// bindingGoal names the goal that keeps the most points from being named in place of this one: they are
// better by the objective and do not surely meet it.
func (c *Comparison) bindingGoal(p *PointResult) string {
	if len(c.Aims.Goals) == 0 {
		return ""
	}
	metric := nameOfMetric(c.aim.Metric)
	than := c.estimate(p, metric).Mean
	better := 0
	kept := make([]int, len(c.Aims.Goals))
	for _, q := range c.settings() {
		gain := than - c.estimate(q, metric).Mean
		if c.aim.Largest {
			gain = -gain
		}
		if !(gain > 0) || *q.Verdict == measure.Met {
			continue
		}
		better++
		for i, r := range q.Goals.Results {
			if r.Verdict != measure.Met {
				kept[i]++
			}
		}
	}
	if better == 0 {
		return "no goal: no point has a better mean of " + metric
	}
	i := 0
	for k := range kept {
		if kept[k] > kept[i] {
			i = k
		}
	}
	return fmt.Sprintf("%v (%s here): it keeps out %d of %s with a better mean of %s", c.Aims.Goals[i],
		inUnit(p.Goals.Results[i]), kept[i], format.Plural(better, "point"), metric)
}

func nameOfMetric(i int) string { return measure.Metrics()[i].Name }
