package experiments

var throttleIsFree = Experiment{
	Name:     "throttle-is-free",
	Question: "What do refused requests cost?",
	Claim:    "Stock SDK defaults turn each refused question into three requests, and a 429 generates nothing to pay for.",
	Source:   "practitioners' claim; refused for the whole run, so that all that is paid would be extra",
	Arms:     []Arm{{"refused", nil}},
	References: []Reference{
		exactly("amplification", 3.0, "attempts per call").of("refused", "attempts_per_call"),
		exactly("usd_extra", 0, "USD").of("refused", "usd_total"),
	},
}
