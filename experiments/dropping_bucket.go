package experiments

var droppingBucket = Experiment{
	Name:     "dropping-bucket",
	Question: "What share of requests does a limit refuse when they arrive at exactly its rate, by kind of limit?",
	Claim: "A bucket of burst b that drops Poisson requests is M/D/1/K with K = b. A window of 60 refuses as many " +
		"as a bucket of burst 10.",
	Source: "queueing theory: 1 - 1/(pi0 + rho) for the bucket, E(X-N)+/m for the window",
	Arms: []Arm{
		{"b1", nil},
		{"b2", []string{"provider.limits.0.burst=2"}},
		{"b5", []string{"provider.limits.0.burst=5"}},
		{"b10", []string{"provider.limits.0.burst=10"}},
		{"b60", []string{"provider.limits.0.burst=60", "workload.open.calls=400k"}},
		{"window", []string{"provider.limits=[{resource: requests, limit: 60/6s, kind: fixed_window}]"}},
	},
	References: []Reference{
		printed("throttled_ratio_b1", 0.500, 3, "share").of("b1", "throttled_ratio"),
		printed("throttled_ratio_b2", 0.269, 3, "share").of("b2", "throttled_ratio"),
		printed("throttled_ratio_b5", 0.1035, 4, "share").of("b5", "throttled_ratio"),
		printed("throttled_ratio_b10", 0.0509, 4, "share").of("b10", "throttled_ratio"),
		printed("throttled_ratio_b60", 0.0084, 4, "share").of("b60", "throttled_ratio"),
		printed("throttled_ratio_window", 0.0514, 4, "share").of("window", "throttled_ratio"),
	},
}
