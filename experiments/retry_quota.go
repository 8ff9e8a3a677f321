package experiments

import (
	"stampede/fleet"
	"stampede/measure"
)

var retryQuota = Experiment{
	Name:     "retry-quota",
	Question: "How many retries does a retry quota of 500 tokens pay for in a total outage?",
	Claim:    "100 at a cost of 5, 50 at 10 and 35 at 14. After that calls fail at their first attempt.",
	Source:   "AWS SDKs: botocore standard, after errors and after timeouts, and retry behaviour 2.1",
	Arms: []Arm{
		{"cost5", nil},
		{"cost10", []string{"provider.faults=[{hang: true}]", "policy.timeouts.attempt=1s"}},
		{"cost14", []string{"policy=aws-sdk-go@1.48"}},
	},
	References: []Reference{
		exactly("retries_cost5", 100, "attempts"),
		exactly("retries_cost10", 50, "attempts"),
		exactly("retries_cost14", 35, "attempts"),
		exactly("attempts_of_last_call", 1, "attempts"),
	},
	measure: func(l *lab) (map[string]Sample, error) {
		arms, err := l.runAll()
		if err != nil {
			return nil, err
		}
		out := map[string]Sample{}
		for name, arm := range arms {
			sample := arm.metric("attempts")
			for i, calls := range arm.metric("calls").Values {
				sample.Values[i] -= calls
			}
			out["retries_"+name] = sample
		}
		out["attempts_of_last_call"], err = l.count("cost5",
			counter{attempt: func(c *counter, a *fleet.Attempt) { c.n += measure.Indicator(a.Call == 999) }})
		return out, err
	},
}
