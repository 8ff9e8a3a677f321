package experiments

var sdkRetryAfter = Experiment{
	Name:     "sdk-retry-after",
	Question: "How often and how long does a stock SDK retry when the server sends Retry-After?",
	Claim: "openai-python 2.46 obeys a Retry-After of 2 s and discards one of 120 s. 2.52 obeys 120 s and gives up " +
		"at 121 s.",
	Source: "practitioners' claim; openai-python source, src/openai/_base_client.py",
	Arms: []Arm{
		{"ra2", nil},
		{"ra120", []string{"provider.faults.0.retry_after=120s"}},
		{"ra120_new", []string{"policy=openai-python@2.52", "provider.faults.0.retry_after=120s"}},
		{"ra121_new", []string{"policy=openai-python@2.52", "provider.faults.0.retry_after=121s"}},
	},
	References: []Reference{
		exactly("attempts_ra2", 3, "attempts").of("ra2", "attempts_per_call"),
		within("elapsed_ra2_s", 4.29, 4.2, 4.4, "s").of("ra2", "latency_all_mean_s"),
		exactly("attempts_ra120", 3, "attempts").of("ra120", "attempts_per_call"),
		within("elapsed_ra120_s", 1.54, 1.41, 1.80, "s").of("ra120", "latency_all_mean_s"),
		printed("elapsed_ra120_new_s", 240.3, 1, "s").of("ra120_new", "latency_all_mean_s"),
		exactly("attempts_ra121_new", 1, "attempts").of("ra121_new", "attempts_per_call"),
	},
}
