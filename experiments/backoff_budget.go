package experiments

var backoffBudget = Experiment{
	Name:     "backoff-budget",
	Question: "How long does an SDK's backoff keep trying, by number of retries?",
	Claim: "min(0.5 x 2^n, 8) s less up to a quarter lasts at most 1.5 s with two retries, 15.5 s with five and " +
		"39.5 s with eight. A one-minute window outlasts all three. Where an attempt fails after 15 s, five retries " +
		"take two minutes: 116 s.",
	Source: "practitioners' claim; the maximum follows from the policy (max_total_backoff_s), the mean is measured. " +
		"Of the 116 s six failures are 90; the claim does not say which backoff waits 26, tenacity's " +
		"wait_exponential(multiplier=1, min=2, max=10) does: 2, 2, 4, 8, 10 s. That of the SDK has a mean of 13.56 s",
	Arms: []Arm{
		{"two", nil},
		{"five", []string{"policy.retry.attempts=6"}},
		{"eight", []string{"policy.retry.attempts=9"}},
		{"slow", []string{slowFailures, "policy.retry.attempts=6",
			"policy.retry.backoff={list: [2s, 2s, 4s, 8s, 10s]}"}},
		{"slow_sdk", []string{slowFailures, "policy.retry.attempts=6"}},
		{"window", []string{"policy.retry.attempts=9", "provider.faults=[{status: 429, for: 60s}]"}},
	},
	References: []Reference{
		exactly("max_wait_2_retries_s", 1.5, "s").of("two", "max_total_backoff_s"),
		exactly("max_wait_5_retries_s", 15.5, "s").of("five", "max_total_backoff_s"),
		exactly("max_wait_8_retries_s", 39.5, "s").of("eight", "max_total_backoff_s"),
		within("mean_wait_2_retries_s", 1.3125, 1.3125, 1.3125, "s").of("two", "latency_all_mean_s"),
		exactly("answered_60s_window_8_retries", 0, "calls").of("window", "answered"),
		exactly("elapsed_5_retries_15s_failures_s", 116, "s").of("slow", "latency_all_mean_s"),
		printed("elapsed_5_retries_15s_failures_sdk_s", 103.6, 1, "s").of("slow_sdk", "latency_all_mean_s"),
	},
}

const slowFailures = "provider.faults=[{status: 500, after: 15s}]"
