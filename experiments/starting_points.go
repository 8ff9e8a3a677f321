package experiments

import (
	"math"
)

var startingPoints = Experiment{
	Name:     "starting-points",
	Question: "What do base 1 s, cap 20 s, 3 attempts, 90 s in total and Retry-After plus up to 0.5 s amount to?",
	Claim: "The first wait lies in 0..1 s, the second in 0..2 s. A Retry-After of 5 s takes 5 to 5.5 s, one of 60 s " +
		"takes 20 s. No call lasts longer than 90 s.",
	Source: "practitioners' claim; the ranges are those of the formula, reached within 1 % by 15,000 draws",
	Arms: []Arm{
		{"backoff", nil},
		{"told_5s", []string{"provider.faults.0.retry_after=5s"}},
		{"told_60s", []string{"provider.faults.0.retry_after=60s"}},
		{"hung", []string{"provider.faults=[{hang: true}]"}},
	},
	References: []Reference{
		within("first_wait_min_s", 0, 0, 0.01, "s"),
		within("first_wait_max_s", 1, 0.99, 1, "s"),
		within("second_wait_min_s", 0, 0, 0.02, "s"),
		within("second_wait_max_s", 2, 1.98, 2, "s"),
		within("told_5s_min_s", 5, 5, 5.005, "s"),
		within("told_5s_max_s", 5.5, 5.495, 5.5, "s"),
		exactly("told_60s_min_s", 20, "s"),
		exactly("told_60s_max_s", 20, "s"),
		atMost("total_max_s", 90, "s"),
	},
	measure: func(l *lab) (map[string]Sample, error) {
		hung, err := l.run("hung", nil)
		if err != nil {
			return nil, err
		}
		out := map[string]Sample{"total_max_s": hung.metric("latency_all_max_s")}
		for _, wait := range []struct {
			key, arm string
			retry    int
		}{
			{"first_wait", "backoff", 1}, {"second_wait", "backoff", 2},
			{"told_5s", "told_5s", 1}, {"told_60s", "told_60s", 1},
		} {
			open := func() *waitRange { return &waitRange{retry: wait.retry, shortest: math.Inf(1)} }
			observers, err := watch(l, wait.arm, open)
			if err != nil {
				return nil, err
			}
			all := *observers[0]
			for _, observer := range observers {
				all.shortest, all.longest = min(all.shortest, observer.shortest), max(all.longest, observer.longest)
			}
			out[wait.key+"_min_s"], out[wait.key+"_max_s"] = Sample{
				Values: []float64{all.shortest},
			}, Sample{
				Values: []float64{all.longest},
			}
		}
		return out, nil
	},
}
