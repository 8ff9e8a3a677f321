package experiments

var sideEffects = Experiment{
	Name:     "side-effects",
	Question: "How often is a side effect duplicated when replies are lost after the work was done?",
	Claim:    "Without an idempotency key in a share p of the calls, with one retry; with a key never.",
	Source:   "practitioners' claim, p = 0.1",
	Arms:     []Arm{{"no_key", nil}, {"key", []string{"policy.idempotency_key=true"}}},
	References: []Reference{
		exactly("duplicates_per_1000", 100, "effects").of("no_key", "side_effects_duplicated").times(0.5),
		exactly("duplicates_per_1000_key", 0, "effects").of("key", "side_effects_duplicated").times(0.5),
	},
}
