package experiments

var backoffBudget = Experiment{
	Name:     "backoff-budget",
	Question: "How long does an SDK's backoff keep trying, by number of retries?",
	Claim: "min(0.5 x 2^n, 8) s less up to a quarter lasts at most 1.5 s with two retries, 15.5 s with five and " +
		"39.5 s with eight. A one-minute window outlasts all three.",
	Source: "practitioners' claim; the maximum follows from the policy (max_total_backoff_s), the mean is measured",
	Arms: []Arm{
		{"two", nil},
		{"five", []string{"policy.retry.attempts=6"}},
		{"eight", []string{"policy.retry.attempts=9"}},
		{"window", []string{"policy.retry.attempts=9", "provider.faults=[{status: 429, for: 60s}]"}},
	},
	References: []Reference{
		exactly("max_wait_2_retries_s", 1.5, "s").of("two", "max_total_backoff_s"),
		exactly("max_wait_5_retries_s", 15.5, "s").of("five", "max_total_backoff_s"),
		exactly("max_wait_8_retries_s", 39.5, "s").of("eight", "max_total_backoff_s"),
		within("mean_wait_2_retries_s", 1.3125, 1.3125, 1.3125, "s").of("two", "latency_all_mean_s"),
		exactly("answered_60s_window_8_retries", 0, "calls").of("window", "answered"),
	},
}
