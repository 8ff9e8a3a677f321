package experiments

var lasting429 = Experiment{
	Name:     "lasting-429",
	Question: "What does another backoff change while more is asked for than the quota admits?",
	Claim: "Nothing: 429s that stay are a problem of capacity. As many calls are answered per minute with every " +
		"backoff; only the quota or the gate changes it.",
	Source: "practitioners' claim; the quota of 60 or 120 a minute, and a gate of n with answers of 2 s, at most " +
		"30 n; bands of 1 % are ours. It holds where refused requests are free; where they use up the limit, the " +
		"backoff decides (rejected-calls-count)",
	Arms: []Arm{
		{"constant", nil},
		{"doubling", []string{"policy.retry.backoff={exponential: {base: 1s, cap: 8s, jitter: none}}"}},
		{"equal", []string{"policy.retry.backoff={exponential: {base: 1s, cap: 8s, jitter: equal}}"}},
		{"full", []string{"policy.retry.backoff={exponential: {base: 1s, cap: 8s, jitter: full}}"}},
		{"decorrelated", []string{"policy.retry.backoff={exponential: {base: 1s, cap: 8s, jitter: decorrelated}}"}},
		{"quota_120", []string{"provider.limits.0.limit=120/min"}},
		{"gate_1", []string{"policy.gate.semaphore=1"}},
		{"gate_2", []string{"policy.gate.semaphore=2"}},
	},
	References: []Reference{
		within("per_min_constant", 60, 59.4, 60.6, "calls/min").of("constant", "goodput_per_min"),
		within("per_min_doubling", 60, 59.4, 60.6, "calls/min").of("doubling", "goodput_per_min"),
		within("per_min_equal", 60, 59.4, 60.6, "calls/min").of("equal", "goodput_per_min"),
		within("per_min_full", 60, 59.4, 60.6, "calls/min").of("full", "goodput_per_min"),
		within("per_min_decorrelated", 60, 59.4, 60.6, "calls/min").of("decorrelated", "goodput_per_min"),
		within("per_min_quota_120", 120, 118.8, 121.2, "calls/min").of("quota_120", "goodput_per_min"),
		within("per_min_gate_1", 30, 29.7, 30.3, "calls/min").of("gate_1", "goodput_per_min"),
		within("per_min_gate_2", 60, 59.4, 60.6, "calls/min").of("gate_2", "goodput_per_min"),
		exactly("attempts_429_gate_2", 0, "attempts").of("gate_2", "attempts_throttled"),
	},
}
