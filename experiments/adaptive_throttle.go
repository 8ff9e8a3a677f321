package experiments

var adaptiveThrottle = Experiment{
	Name:     "adaptive-throttle",
	Question: "What reaches a backend of 10/s when clients that ask for 40/s throttle themselves?",
	Claim:    "K times what it accepts: 20.0/s with K = 2, of which 10 are accepted, and 10.8/s of which 9.8 are with K = 1.1.",
	Source:   "published simulation; max(0, (requests - K accepts)/(requests + 1)) over 120 s; our bands are 2 % for what is accepted and for what K = 1.1 sends, K times that: it depends on the burst, which is not said",
	Arms:     []Arm{{"k2", nil}, {"k11", []string{"policy.throttle.k=1.1"}}},
	References: []Reference{
		printed("sent_per_s_k2", 20.0, 1, "attempts/s").of("k2", "attempts_per_s"),
		within("accepted_per_s_k2", 10, 9.8, 10.2, "attempts/s").of("k2", "goodput_per_min").times(1.0 / 60),
		within("sent_per_s_k11", 10.8, 10.6, 11, "attempts/s").of("k11", "attempts_per_s"),
		within("accepted_per_s_k11", 9.8, 9.6, 10, "attempts/s").of("k11", "goodput_per_min").times(1.0 / 60),
	},
}
