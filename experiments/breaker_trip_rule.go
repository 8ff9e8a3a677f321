package experiments

var breakerTripRule = Experiment{
	Name:     "breaker-trip-rule",
	Question: "Which rule opens a breaker when half of the calls fail, and what does a breaker spare a dead dependency?",
	Claim:    "A ratio over a window opens; five in a row never come. Before a dead dependency a breaker lets through a probe each time it half-opens and nothing else.",
	Source:   "practitioners' claim; 600 calls in 600 s: ten until it opens, then one probe in 31 s. An open time of whole periods of the failures would meet only the bad ones",
	Arms: []Arm{
		{"ratio", nil},
		{"in_a_row", []string{"policy=no-retry", "policy.breaker={consecutive_failures: 5, open: 31s}"}},
		{"dead", []string{"provider.faults=[{status: 503}]"}},
		{"dead_without", []string{"provider.faults=[{status: 503}]", "policy=no-retry"}},
	},
	References: []Reference{
		atLeast("blocked_by_ratio", 1, "calls").of("ratio", "breaker_open"),
		exactly("blocked_by_in_a_row", 0, "calls").of("in_a_row", "breaker_open"),
		exactly("sent_dead_without", 600, "attempts").of("dead_without", "attempts"),
		exactly("sent_dead_with", 29, "attempts").of("dead", "attempts"),
	},
}
