package experiments

var hungProvider = Experiment{
	Name:     "hung-provider",
	Question: "What happens to sixteen workers in ten minutes when 1 % of the calls are never answered?",
	Claim: "With a read timeout of 600 s a worker hangs after 99 answers on average and its slot is lost. Goodput " +
		"is less than half of that with a timeout of 8 s.",
	Source: "practitioners' claim; (1-p)/p answers for each of the sixteen workers; nearly all workers hang within " +
		"the ten minutes",
	Arms: []Arm{{"600s", nil}, {"8s", []string{"policy.timeouts.gap=8s"}}},
	References: []Reference{
		atMost("goodput_ratio_600_over_8", 0.5, "ratio"),
		exactly("answers_per_worker_600s", 99, "calls"),
		atLeast("slots_lost_600s", 15, "workers"),
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
		}, nil
	},
}
