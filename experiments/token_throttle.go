package experiments

import (
	"math"
)

var tokenThrottle = Experiment{
	Name:     "token-throttle",
	Question: "Can a client be throttled far below its limit of requests?",
	Claim: "Yes: a few long prompts use up the limit of tokens, and requests are throttled at less than 20 % of the " +
		"limit of requests.",
	Source: "practitioners' claim; MetaGPT issue 523",
	Arms:   []Arm{{"long", nil}},
	References: []Reference{
		within("requests_used_ratio", 0.2, math.Inf(-1), 0.2, "share").of("long", "attempts_per_s").
			times(60.0 / 500), // of 500 requests a minute
		within("throttled_ratio", 1e-6, 1e-6, math.Inf(1), "share").of("long", "throttled_ratio"),
	},
}
