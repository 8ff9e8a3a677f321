package experiments

var breakerTripRule = Experiment{
	Name: "breaker-trip-rule",
	Question: "Which rule opens a breaker when half of the calls fail, and how many requests does a breaker keep " +
		"from a dead backend?",
	Claim: "A failure ratio over a window opens it; a rule of five failures in a row does not. In front of a dead " +
		"backend a breaker sends one probe each time it half-opens, and nothing else.",
	Source: "practitioners' claim; 600 calls in 600 s: ten until the breaker opens, then one probe every 31 s. An " +
		"open time that is a multiple of the period of the failures would meet failures only",
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
