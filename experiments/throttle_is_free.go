package experiments

var throttleIsFree = Experiment{
	Name:     "throttle-is-free",
	Question: "What do refused requests cost?",
	Claim:    "Stock SDKs turn each refused call into three requests, but a 429 generates no tokens and costs nothing.",
	Source:   "practitioners' claim; all requests of the run are refused, so any cost would be extra",
	Arms:     []Arm{{"refused", nil}},
	References: []Reference{
		exactly("amplification", 3.0, "attempts per call").of("refused", "attempts_per_call"),
		exactly("usd_extra", 0, "USD").of("refused", "usd_total"),
	},
}
