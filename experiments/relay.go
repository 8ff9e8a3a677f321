package experiments

var relay = Experiment{
	Name:     "relay",
	Question: "What does a relay cost that removes Retry-After and turns 529 into 500?",
	Claim: "Clients without the hint send more attempts into the overload and finish later than clients with it: " +
		"their backoff does not know when the overload ends.",
	Source: "practitioners' claim; recovery is until the queue is empty. The changed status has no effect on the " +
		"clients, which retry both; it hides the overload from people",
	Arms: []Arm{
		{"direct", nil},
		{"relay", []string{"provider.gateway={strip_retry_after: true, rewrite: [{from: 529, to: 500}]}"}},
	},
	References: []Reference{
		atLeast("extra_attempts_relay", 1, "attempts"),
		atLeast("extra_refused_relay", 1, "attempts"),
		atLeast("extra_makespan_relay_s", 1, "s"),
	},
	measure: func(l *lab) (map[string]Sample, error) {
		arms, err := l.runAll()
		if err != nil {
			return nil, err
		}
		refused := arms["relay"].metric("attempts_server_error")
		for i, direct := range arms["direct"].metric("attempts_overloaded").Values {
			refused.Values[i] -= direct
		}
		return map[string]Sample{
			"extra_attempts_relay":   arms["relay"].beyond(arms["direct"], "attempts"),
			"extra_refused_relay":    refused,
			"extra_makespan_relay_s": arms["relay"].beyond(arms["direct"], "makespan_s"),
		}, nil
	},
}
