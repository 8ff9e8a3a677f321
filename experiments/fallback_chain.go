package experiments

import (
	"math"
	"time"

	"stampede/fleet"
	"stampede/wire"
)

var fallbackChain = Experiment{
	Name:     "fallback-chain",
	Question: "What does a fallback to a more expensive provider achieve in an outage of ten minutes?",
	Claim: "With a breaker and a fallback every call is answered, at a price between the two, and calls return to " +
		"the first provider within one open time of the breaker.",
	Source: "practitioners' claim; the second provider costs three times as much and serves half of the twenty " +
		"minutes: (1+3)/2; bands of 5 % are ours, for prices and for calls that a retry answers at either end of " +
		"the outage",
	Arms: []Arm{
		{"fallback", nil},
		{"alone", []string{"fallbacks=[]", "policy.fallback.on=false", "policy.breaker.when_open=fail"}},
	},
	References: []Reference{
		exactly("answered_ratio_fallback", 1, "share"),
		within("answered_ratio_alone", 0.5, 0.48, 0.55, "share"),
		within("usd_ratio_fallback_over_alone", 2, 1.9, 2.1, "ratio"),
		within("usd_per_1000_answers_alone", 0.27, 0.265, 0.275, "USD"),
		within("usd_per_1000_answers_fallback", 0.54, 0.513, 0.567, "USD"),
		atMost("return_s", 31, "s"),
	},
	measure: func(l *lab) (map[string]Sample, error) {
		arms, err := l.runAll()
		if err != nil {
			return nil, err
		}
		back, err := l.count("fallback", counter{n: math.Inf(1), attempt: func(c *counter, a *fleet.Attempt) {
			const end = 15 * time.Minute // of the outage
			if a.Target == 0 && a.Class() == wire.OK && a.Sent >= end {
				c.n = min(c.n, (a.Sent - end).Seconds())
			}
		}})
		return map[string]Sample{
			"answered_ratio_fallback":       arms["fallback"].metric("success_ratio"),
			"answered_ratio_alone":          arms["alone"].metric("success_ratio"),
			"usd_ratio_fallback_over_alone": arms["fallback"].over(arms["alone"], "usd_per_1000_answers"),
			"usd_per_1000_answers_alone":    arms["alone"].metric("usd_per_1000_answers"),
			"usd_per_1000_answers_fallback": arms["fallback"].metric("usd_per_1000_answers"),
			"return_s":                      back,
		}, err
	},
}
