package experiments

var stuckConnection = Experiment{
	Name: "stuck-connection",
	Question: "What does one request that is never answered do to the others, where the provider counts those in " +
		"flight?",
	Claim: "It keeps its place for the ten minutes of the read timeout, and all that follow are refused: 85 % of the " +
		"requests, and 34 % of the calls are answered. With a timeout of 10 s all are.",
	Source: "practitioners' claim, which does not give its limit: of three attempts each, when 34 % were answered " +
		"before, 3 x 66/(34 + 3 x 66) = 85 % are refused, so its two figures are those of a single place. With eight " +
		"places for the same calls one stuck request refuses nobody",
	Arms: []Arm{
		{"stuck", nil},
		{"timeout_10s", []string{"policy.timeouts.gap=10s"}},
		{"eight_places", []string{"provider.limits.0.limit=8"}},
	},
	References: []Reference{
		printed("throttled_ratio_stuck", 0.85, 2, "share").of("stuck", "throttled_ratio"),
		printed("answered_ratio_stuck", 0.34, 2, "share").of("stuck", "success_ratio"),
		exactly("answered_ratio_timeout_10s", 1, "share").of("timeout_10s", "success_ratio"),
		exactly("throttled_eight_places", 0, "attempts").of("eight_places", "attempts_throttled"),
	},
}
