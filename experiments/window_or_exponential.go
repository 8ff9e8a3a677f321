package experiments

var windowOrExponential = Experiment{
	Name:     "window-or-exponential",
	Question: "Is it better to back off exponentially or to try once at a random instant of each window?",
	Claim: "With one attempt per window of 20 s, ten thousand clients in front of 50/s are done after 220 s, near " +
		"the optimum of 200 s; with exponential backoff after 477 s, with more attempts.",
	Source: "published simulation; first attempts are Poisson within twenty seconds here, uniform there",
	Arms:   []Arm{{"exponential", nil}, {"window", []string{"policy.retry.backoff={window: 20s}"}}},
	References: []Reference{
		within("completion_exponential_s", 477, 472, 482, "s").of("exponential", "makespan_s"),
		within("completion_window_s", 219.8, 218.8, 220.8, "s").of("window", "makespan_s"),
		printed("attempts_exponential", 6.49, 2, "attempts").of("exponential", "attempts_per_call"),
		printed("attempts_window", 5.51, 2, "attempts").of("window", "attempts_per_call"),
	},
}
