package experiments

var throttleIsFree = Experiment{
	Name:     "throttle-is-free",
	Question: "What do refused requests cost?",
	Claim: "Stock SDKs turn each refused call into three requests, but a 429 generates no tokens and costs nothing: " +
		"calls that are answered at the third request cost, to the cent, what they cost without refusals.",
	Source: "practitioners' claim; where all requests of the run are refused, any cost would be extra",
	Arms: []Arm{
		{"refused", nil},
		{"third_time", []string{"provider.faults=[{status: 429, after: 97ms, first: 2}]"}},
		{"accepted", []string{"provider.faults=[]"}},
	},
	References: []Reference{
		exactly("amplification", 3.0, "attempts per call"),
		exactly("usd_extra", 0, "USD"),
		exactly("amplification_third_time", 3.0, "ratio"),
		exactly("usd_extra_third_time", 0, "USD"),
	},
	measure: func(l *lab) (map[string]Sample, error) {
		arms, err := l.runAll()
		if err != nil {
			return nil, err
		}
		return map[string]Sample{
			"amplification":            arms["refused"].metric("attempts_per_call"),
			"usd_extra":                arms["refused"].metric("usd_total"),
			"amplification_third_time": arms["third_time"].over(arms["accepted"], "attempts_per_call"),
			"usd_extra_third_time":     arms["third_time"].beyond(arms["accepted"], "usd_total"),
		}, nil
	},
}
