package experiments

var hungProvider = Experiment{
	Name:     "hung-provider",
	Question: "What happens to sixteen workers in ten minutes when 1 % of the calls are never answered?",
	Claim: "With a read timeout of 600 s a worker hangs after 99 answers on average and its slot is lost. Goodput " +
		"is less than half of that with a timeout of 8 s. A hang with a timeout of 2 s ends after 2 s, not after ten " +
		"minutes, if nothing retries it.",
	Source: "practitioners' claim; (1-p)/p answers for each of the sixteen workers; nearly all workers hang within " +
		"the ten minutes. An SDK retries timeouts: three of 2 s, and backoff with a mean of 1.3125 s",
	Arms: []Arm{
		{"600s", nil},
		{"8s", []string{"policy.timeouts.gap=8s"}},
		{"one_600s", oneHang("{timeouts: {gap: 600s}}")},
		{"one_2s", oneHang("{timeouts: {gap: 2s}}")},
		{"one_2s_sdk", oneHang("{preset: openai-python@2.46, timeouts: {gap: 2s}}")},
	},
	References: []Reference{
		atMost("goodput_ratio_600_over_8", 0.5, "ratio"),
		exactly("answers_per_worker_600s", 99, "calls"),
		atLeast("slots_lost_600s", 15, "workers"),
		exactly("hang_ends_600s_s", 600, "s"),
		exactly("hang_ends_2s_s", 2, "s"),
		printed("hang_ends_2s_sdk_s", 7.31, 2, "s"),
	},
	measure: func(l *lab) (map[string]Sample, error) {
		arms, err := l.runAll()
		if err != nil {
			return nil, err
		}
		each := arms["600s"].metric("answered")
		for i := range each.Values {
			each.Values[i] /= 16
		}
		return map[string]Sample{
			"goodput_ratio_600_over_8": arms["600s"].over(arms["8s"], "answered"),
			"answers_per_worker_600s":  each,
			"slots_lost_600s":          arms["600s"].metric("attempts_timeout"),
			"hang_ends_600s_s":         arms["one_600s"].metric("latency_all_mean_s"),
			"hang_ends_2s_s":           arms["one_2s"].metric("latency_all_mean_s"),
			"hang_ends_2s_sdk_s":       arms["one_2s_sdk"].metric("latency_all_mean_s"),
		}, nil
	},
}

// oneHang is one call for each worker, none of which is answered.
func oneHang(policy string) []string {
	return []string{"provider.faults=[{hang: true}]", "workload.batch.calls=16", "policy=" + policy}
}
