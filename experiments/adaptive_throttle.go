package experiments

var adaptiveThrottle = Experiment{
	Name:     "adaptive-throttle",
	Question: "How many requests reach a backend of 10/s when clients with 40 calls/s use adaptive throttling?",
	Claim: "About K times what the backend accepts: 20.0/s with K = 2, of which 10 are accepted; 10.8/s with K = " +
		"1.1, of which 9.8 are accepted.",
	Source: "published simulation: reject with probability max(0, (requests - K accepts)/(requests + 1)) over 120 " +
		"s; bands of 2 % are ours for what is accepted and for what K = 1.1 sends, since both depend on the burst, " +
		"which the source does not give",
	Arms: []Arm{{"k2", nil}, {"k11", []string{"policy.throttle.k=1.1"}}},
	References: []Reference{
		printed("sent_per_s_k2", 20.0, 1, "attempts/s").of("k2", "attempts_per_s"),
		within("accepted_per_s_k2", 10, 9.8, 10.2, "attempts/s").of("k2", "goodput_per_min").times(1.0 / 60),
		within("sent_per_s_k11", 10.8, 10.6, 11, "attempts/s").of("k11", "attempts_per_s"),
		within("accepted_per_s_k11", 9.8, 9.6, 10, "attempts/s").of("k11", "goodput_per_min").times(1.0 / 60),
	},
}
