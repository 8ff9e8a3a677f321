package experiments

var one503 = Experiment{
	Name:     "one-503",
	Question: "What does a moment of 503 do to clients whose retries are charged against their own token limit?",
	Claim: "The retries charge the same tokens again, beyond the limit: a client that used 80 % of it gets 429 from " +
		"itself.",
	Source: "practitioners' claim; 160,000 of 200,000 tokens are charged and lost, ten of the forty second attempts " +
		"fit into the rest, and 3,333 tokens/s that come back admit one more at 1.2 s: 40 + 40 + 30 attempts, of " +
		"which 70 retries x 4,000 tokens are 1.4 times the limit. One request of 120,000 tokens waits until 80,000 " +
		"have grown to 120,000",
	Arms: []Arm{
		{"charged", nil},
		{"free", []string{"provider.faults.0.counts=false"}},
		{"one_large", []string{"workload.burst.calls=1", "workload.prompt_tokens=119k"}},
	},
	References: []Reference{
		exactly("answered_charged", 11, "calls"),
		exactly("attempts_429_charged", 59, "attempts"),
		exactly("tokens_of_retries_over_limit", 1.4, "ratio"),
		exactly("answered_free", 40, "calls"),
		exactly("attempts_429_free", 0, "attempts"),
		exactly("one_large_takes_s", 12, "s"),
	},
	measure: func(l *lab) (map[string]Sample, error) {
		arms, err := l.runAll()
		if err != nil {
			return nil, err
		}
		const calls, tokens, limit = 40, 4000, 200e3
		retried := arms["charged"].metric("attempts")
		for i := range retried.Values {
			retried.Values[i] = (retried.Values[i] - calls) * tokens / limit
		}
		return map[string]Sample{
			"answered_charged":             arms["charged"].metric("answered"),
			"attempts_429_charged":         arms["charged"].metric("attempts_throttled"),
			"tokens_of_retries_over_limit": retried,
			"answered_free":                arms["free"].metric("answered"),
			"attempts_429_free":            arms["free"].metric("attempts_throttled"),
			"one_large_takes_s":            arms["one_large"].metric("latency_all_mean_s"),
		}, nil
	},
}
