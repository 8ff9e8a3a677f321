package experiments

var retryOrBudget = Experiment{
	Name:     "retry-or-budget",
	Question: "What do three retries add to the load of a failing service, and what does a retry budget?",
	Claim: "At 20 % failures three retries answer 99.84 % for 124.8 % of the load. A budget of a tenth of a retry " +
		"per call answers 89 % for 112 %. At 50 % failures the retries make 187.5 % of the load.",
	Source: "published simulation, 100 clients at 10/s: 1-p^4 and (1-p^4)/(1-p); its length is not given, and its " +
		"two figures for the budget imply about 20 s. Its breaker stops retries while more than 10 % fail: a " +
		"success earns a ninth of what a failure costs",
	Arms: []Arm{
		{"none_p20", []string{"policy.retry.attempts=1"}},
		{"three_p20", nil},
		{"budget_p20", []string{"policy.budget={tokens: {max: 5, per_call: 0.1, retry: 1}}"}},
		{
			"breaker_p20",
			[]string{"policy.budget={tokens: {max: 2, start: 1, per_success: 0.1111, per_failure: 1, floor: 1}}"},
		},
		{"three_p50", []string{"provider.faults.0.share=50%"}},
	},
	References: []Reference{
		exactly("answered_pct_none_p20", 80, "%").of("none_p20", "success_ratio").times(100),
		exactly("load_pct_none_p20", 100, "%").of("none_p20", "attempts_per_call").times(100),
		printed("answered_pct_three_p20", 99.84, 2, "%").of("three_p20", "success_ratio").times(100),
		printed("load_pct_three_p20", 124.8, 1, "%").of("three_p20", "attempts_per_call").times(100),
		printed("answered_pct_budget_p20", 89, 0, "%").of("budget_p20", "success_ratio").times(100),
		printed("load_pct_budget_p20", 112, 0, "%").of("budget_p20", "attempts_per_call").times(100),
		printed("answered_pct_breaker_p20", 80, 0, "%").of("breaker_p20", "success_ratio").times(100),
		printed("load_pct_breaker_p20", 100, 0, "%").of("breaker_p20", "attempts_per_call").times(100),
		printed("answered_pct_three_p50", 93.75, 2, "%").of("three_p50", "success_ratio").times(100),
		printed("load_pct_three_p50", 187.5, 1, "%").of("three_p50", "attempts_per_call").times(100),
	},
}
