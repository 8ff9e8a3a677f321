package experiments

var quotaExhausted = Experiment{
	Name:     "quota-exhausted",
	Question: "What do clients do with 429 insufficient_quota, which no wait cures?",
	Claim: "Stock SDKs look at the status only and send three requests for each of a thousand calls. A client that " +
		"reads the error code sends one.",
	Source: "practitioners' claim; SDK sources",
	Arms:   []Arm{{"status_only", nil}, {"code_aware", []string{"policy.retry.never_on=[insufficient_quota]"}}},
	References: []Reference{
		exactly("requests_status_only", 3000, "attempts").of("status_only", "attempts"),
		exactly("requests_code_aware", 1000, "attempts").of("code_aware", "attempts"),
	},
}
