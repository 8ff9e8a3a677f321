package experiments

import (
	"math"
)

var streamTimeouts = Experiment{
	Name:     "stream-timeouts",
	Question: "Which timeout cuts off long answers?",
	Claim: "A total timeout of 60 s cuts off every answer that takes longer; a timeout between chunks cuts off " +
		"none.",
	Source: "practitioners' claim; P(output > 3,000) = exp(-3.0005)",
	Arms:   []Arm{{"total", nil}, {"gap", []string{"policy.timeouts.attempt=none", "policy.timeouts.gap=60s"}}},
	References: []Reference{
		within("killed_ratio_total", longAnswers, longAnswers, longAnswers, "share"),
		exactly("killed_ratio_gap", 0, "share"),
	},
	measure: func(l *lab) (map[string]Sample, error) {
		arms, err := l.runAll()
		if err != nil {
			return nil, err
		}
		return map[string]Sample{
			"killed_ratio_total": arms["total"].ratio("attempts_timeout", "calls", 1),
			"killed_ratio_gap":   arms["gap"].ratio("attempts_timeout", "calls", 1),
		}, nil
	},
}

// longAnswers is the share of answers that take more than 60 s: of exponential
// lengths of mean 1,000, rounded to whole tokens, those of 3,001 and more.
var longAnswers = math.Exp(-3000.5 / 1000)
