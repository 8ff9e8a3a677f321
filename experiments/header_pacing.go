package experiments

var headerPacing = Experiment{
	Name:     "header-pacing",
	Question: "Can a client use its whole quota without a 429?",
	Claim:    "A client that reads the remaining and reset headers can. One that waits for refusals gets many.",
	Source:   "practitioners' claim",
	Arms:     []Arm{{"paced", nil}, {"reactive", []string{"policy.pace.headers=false"}}},
	References: []Reference{
		exactly("paced_429", 0, "attempts").of("paced", "attempts_throttled"),
		atLeast("paced_quota_used", 0.95, "share").of("paced", "quota_used_ratio"),
		atLeast("reactive_429", 1, "attempts").of("reactive", "attempts_throttled"),
	},
}
