package experiments

var hintOrDoubling = Experiment{
	Name:     "hint-or-doubling",
	Question: "Is a herd served sooner by waiting as Retry-After says, or by doubling the wait blindly?",
	Claim: "With the header the herd is through after 120 s with 2.0 requests for each call. Doubling takes 127 s " +
		"and 5.3 requests without jitter, and 171 s and 6.6 requests with full jitter.",
	Source: "practitioners' claim, which does not give the herd: sixty calls, twenty a minute and a cap of 64 s give " +
		"its figures. A third each is served at 0, 60 and 120 s, with (1+2+3)/3 requests; 1+2+4+...+64 = 127 s, " +
		"(1+7+8)/3 requests; with full jitter a simulation of the herd alone gives 171.1 s and 6.56 requests",
	Arms: []Arm{
		{"hint", nil},
		{"doubling", []string{"policy.retry.retry_after=ignore"}},
		{"jittered", []string{"policy.retry.retry_after=ignore", "policy.retry.backoff.exponential.jitter=full"}},
	},
	References: []Reference{
		exactly("cleared_hint_s", 120, "s").of("hint", "makespan_s"),
		exactly("requests_hint", 2, "requests per call").of("hint", "attempts_per_call"),
		exactly("cleared_doubling_s", 127, "s").of("doubling", "makespan_s"),
		printed("requests_doubling", 5.3, 1, "requests per call").of("doubling", "attempts_per_call"),
		printed("cleared_jittered_s", 171, 0, "s").of("jittered", "makespan_s"),
		printed("requests_jittered", 6.6, 1, "requests per call").of("jittered", "attempts_per_call"),
	},
}
