package experiments

var hedge = Experiment{
	Name:     "hedge",
	Question: "What does a hedged request after the 95 % quantile gain on independent servers?",
	Claim: "5 % more attempts, a mean of 0.975 s, and p99 and p99.9 of 3.800 s and 4.952 s instead of 4.605 s and " +
		"6.908 s.",
	Source: "closed form for exponential times: min(T, q + T')",
	Arms:   []Arm{{"hedged", nil}, {"plain", []string{"policy=no-retry"}}},
	References: []Reference{
		exactly("attempts_per_call", 1.05, "attempts").of("hedged", "attempts_per_call"),
		exactly("mean_s", 0.975, "s").of("hedged", "latency_mean_s"),
		printed("p99_s", 3.800, 3, "s").of("hedged", "latency_p99_s"),
		printed("p999_s", 4.952, 3, "s").of("hedged", "latency_p999_s"),
		printed("p99_plain_s", 4.605, 3, "s").of("plain", "latency_p99_s"),
		printed("p999_plain_s", 6.908, 3, "s").of("plain", "latency_p999_s"),
	},
}
