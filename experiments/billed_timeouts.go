package experiments

var billedTimeouts = Experiment{
	Name:     "billed-timeouts",
	Question: "By how much can timeouts multiply a bill without a single 429?",
	Claim:    "Three attempts inside an outer retry loop reach a bill of 5.7 times the useful part, with no 429.",
	Source:   "published result; where one attempt in 5.7 finishes in time, each answer takes 5.7 attempts on average",
	Arms:     []Arm{{"loop", nil}},
	References: []Reference{
		printed("billed_over_kept", 5.7, 1, "ratio"),
		exactly("attempts_429", 0, "attempts"),
	},
	measure: func(l *lab) (map[string]Sample, error) {
		arm, err := l.run("loop", nil)
		if err != nil {
			return nil, err
		}
		kept := make([]float64, len(arm))
		total, wasted := arm.metric("usd_total").Values, arm.metric("usd_wasted").Values
		for i := range kept {
			kept[i] = total[i] / (total[i] - wasted[i])
		}
		return map[string]Sample{
			"billed_over_kept": {Values: kept},
			"attempts_429":     arm.metric("attempts_throttled"),
		}, nil
	},
}
