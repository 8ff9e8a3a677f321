package experiments

import (
	"slices"
)

var rejectedCallsCount = Experiment{
	Name:     "rejected-calls-count",
	Question: "Which policy does best when refused requests count against the limit as well?",
	Claim: "The order changes. Where refusals may take the bucket below zero, decorrelated jitter leads with 39 % " +
		"answered and no other policy reaches 25 %. Where they take it down to zero at most, equal jitter answers " +
		"all, and decorrelated does better than full.",
	Source: "simulation published with the claim; 1,000 calls at once, 10/s, burst 10",
	Arms:   rejectedArms(),
	References: []Reference{
		printed("answered_pct_debt_sdk", 1.00, 2, "%"),
		printed("answered_pct_debt_botocore", 1.00, 2, "%"),
		printed("answered_pct_debt_genai", 3.5, 1, "%").fewRuns(),
		printed("answered_pct_debt_equal", 24.7, 1, "%").fewRuns(),
		printed("answered_pct_debt_full", 17.9, 1, "%").fewRuns(),
		printed("answered_pct_debt_decorrelated", 38.9, 1, "%").fewRuns(),
		printed("answered_pct_debt_none", 10.0, 1, "%"),
		printed("answered_pct_zero_sdk", 1.9, 1, "%"),
		printed("answered_pct_zero_botocore", 1.0, 1, "%"),
		printed("answered_pct_zero_genai", 5.5, 1, "%"),
		printed("answered_pct_zero_equal", 100, 0, "%"),
		printed("answered_pct_zero_full", 59.8, 1, "%").fewRuns(),
		printed("answered_pct_zero_decorrelated", 61.6, 1, "%").fewRuns(),
		printed("answered_pct_zero_none", 11.0, 1, "%"),
	},
	measure: func(l *lab) (map[string]Sample, error) {
		arms, err := l.runAll()
		if err != nil {
			return nil, err
		}
		out := map[string]Sample{}
		for name, arm := range arms {
			out["answered_pct_"+name] = arm.ratio("answered", "calls", 100)
		}
		return out, nil
	},
}

var rejectedRuns = map[string]int{
	"debt_genai":        700,
	"debt_equal":        1000,
	"debt_full":         2500,
	"debt_decorrelated": 1100,
	"zero_full":         200,
	"zero_decorrelated": 100,
}

func rejectedArms() (arms []Arm) {
	for _, rule := range []struct{ key, word string }{{"debt", "into_debt"}, {"zero", "to_zero"}} {
		for _, p := range herdPolicies {
			if p.key == "anthropic" { // as sdk
				continue
			}
			arms = append(
				arms,
				Arm{
					rule.key + "_" + p.key,
					slices.Concat([]string{"provider.limits.0.rejected=" + rule.word}, p.set,
						runs(rule.key+"_"+p.key, rejectedRuns)),
				},
			)
		}
	}
	return arms
}
