package experiments

var relay = Experiment{
	Name:     "relay",
	Question: "What does a relay cost that strips Retry-After and turns 529 into 500?",
	Claim:    "Clients that are not told how long to wait send more attempts, which the overload refuses, and are through later than those that are: their backoff knows nothing of its end.",
	Source:   "practitioners' claim; the time to recover is that until the queue is empty. The other status changes nothing, since both are tried again: it hides the overload from those who look",
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
		arms, err := l.playAll()
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
