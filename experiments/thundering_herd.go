package experiments

import (
	"math"
	"time"

	"stampede/sim"
)

var thunderingHerd = Experiment{
	Name:     "thundering-herd",
	Question: "A hundred clients fail at once and twenty can be served at a time. What does jitter change?",
	Claim: "Without jitter, waits of 2^n bring them back in waves of 100, 80, 60, 40 and 20 over 15 s. Full jitter " +
		"clears the herd within a second. Where another hundred arrive after a second, the second wave hits harder " +
		"than the first.",
	Source: "practitioners' claim; the mean of the largest of 80 uniform numbers is 80/81; one instant is 0.1 ms " +
		"here, and the largest burst is the mean over runs. Of two waves of n with s served, the second is (n - s + " +
		"f)/n of the first when f arrive with it: larger only where more arrive than are served, as 180/100, but not " +
		"100/110 with f = 10 and 110 in the first",
	Arms: []Arm{
		{"none", nil},
		{"full", []string{"policy.retry.backoff.exponential.jitter=full"}},
		{"fresh", []string{freshHundred, "replications=2"}},
		{"fresh_full", []string{freshHundred, "policy.retry.backoff.exponential.jitter=full", "replications=60"}},
		{
			"fresh_few",
			[]string{"other_fleets=[{workload: {burst: {calls: 10, every: 1s, times: 2}, prompt_tokens: 100, " +
				"output_tokens: 10}}]", "replications=2"},
		},
	},
	References: []Reference{
		{Key: "bursts_none", List: []float64{100, 80, 60, 40, 20}, Unit: "requests"},
		exactly("cleared_none_s", 15, "s"),
		printed("cleared_full_s", 0.988, 3, "s"),
		within("max_burst_after_first_full", 2, math.Inf(-1), 2, "requests"),
		exactly("second_over_first_fresh", 1.8, "ratio"),
		within("second_over_first_fresh_full", 1, 1, 1.02, "ratio"),
		printed("second_over_first_fresh_few", 0.909, 3, "ratio"),
	},
	Pictures: []Picture{herdPicture},
	measure: func(l *lab) (map[string]Sample, error) {
		seen := map[string][]*bursts{}
		for _, arm := range l.experiment.Arms {
			all, err := watch(l, arm.Name, func() *bursts { return &bursts{arrivals: map[sim.Time]float64{}} })
			if err != nil {
				return nil, err
			}
			seen[arm.Name] = all
		}
		none := seen["none"][0]
		var cleared, largest []float64
		for _, h := range seen["full"] {
			cleared = append(cleared, h.cleared.Seconds())
			delete(h.arrivals, 0)
			burst := 0.0
			for _, n := range h.arrivals {
				burst = max(burst, n)
			}
			largest = append(largest, burst)
		}
		second := func(arm string) Sample {
			var s Sample
			for _, h := range seen[arm] {
				first, later := h.arrivals[0], 0.0
				delete(h.arrivals, 0)
				for at, n := range h.arrivals {
					if at <= time.Second {
						later = max(later, n)
					}
				}
				s.Values = append(s.Values, later/first)
			}
			return s
		}
		return map[string]Sample{
			"second_over_first_fresh":      second("fresh"),
			"second_over_first_fresh_full": second("fresh_full"),
			"second_over_first_fresh_few":  second("fresh_few"),

			"bursts_none":                {List: none.list()},
			"cleared_none_s":             {Values: []float64{none.cleared.Seconds()}},
			"cleared_full_s":             {Values: cleared},
			"max_burst_after_first_full": {Values: largest},
		}, nil
	},
}

// freshHundred is another herd when the first comes back.
const freshHundred = "workload.burst={calls: 100, every: 1s, times: 2}"

var herdPicture = Picture{
	Name:  "thundering-herd",
	Title: "Without jitter a hundred clients retry in waves; with it they spread out",
	Subtitle: "Limiter: 20 requests at once; 100 clients that start at time 0 retry after 1, 2, 4, 8 s, or after a " +
		"uniform part of it",
	X: "time, s", Y: "client",
	content: func(l *lab, _ *Result) (Content, error) {
		names := map[string]string{
			"none": "No jitter: waves for 15 s", "full": "Full jitter: all answered within a second",
		}
		return l.herds(names, "none", "full")
	},
}
