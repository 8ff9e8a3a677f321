package experiments

import (
	"time"

	"stampede/fleet"
)

var ownTheLoop = Experiment{
	Name:     "own-the-loop",
	Question: "Does a retry loop of your own obey Retry-After and never sleep past its deadline?",
	Claim: "With a deadline of 45 s, two refusals with Retry-After 3 are answered at the third attempt after 6.29 " +
		"s; one with Retry-After 50 ends the call without a wait. On no schedule does a wait pass the deadline. But " +
		"a deadline does not end an attempt: with a read timeout of 60 s a call can take 105 s.",
	Source: "practitioners' claim; the longest call waits until just before the deadline, and its next attempt " +
		"hangs: 0.097 + 44.9 + 60 s",
	Arms: []Arm{
		{"told_3s", nil},
		{"told_50s", []string{"provider.faults.0.retry_after=50s"}},
		{
			"told_44.9s",
			[]string{"provider.faults=[{status: 429, retry_after: 44.9s, after: 97ms, for: 1s}, {at: 1s, hang: true}]"},
		},
		{
			"random",
			[]string{
				"workload.burst.calls=2000",
				"provider.faults=[{status: 429, retry_after: 17s, after: 97ms, share: 40%}, {status: 503, share: " +
					"60%}, {hang: true, share: 5%}]",
			},
		},
	},
	References: []Reference{
		exactly("attempts", 3, "attempts"),
		within("elapsed_s", 6.29, 6.2, 6.4, "s"),
		exactly("attempts_over_deadline", 1, "attempts"),
		printed("elapsed_over_deadline_s", 0.097, 3, "s"),
		exactly("slept_past_deadline", 0, "calls"),
		exactly("longest_past_deadline_s", 104.997, "s"),
		atMost("longest_random_s", 105, "s"),
	},
	measure: func(l *lab) (map[string]Sample, error) {
		arms, err := l.runAll()
		if err != nil {
			return nil, err
		}
		slept, err := l.count("random", counter{attempt: func(c *counter, a *fleet.Attempt) {
			if a.Decision.Again && a.Ended+a.Decision.Wait > 45*time.Second { // all calls begin at 0
				c.n++
			}
		}})
		return map[string]Sample{
			"attempts":                arms["told_3s"].metric("attempts_per_call"),
			"elapsed_s":               arms["told_3s"].metric("latency_mean_s"),
			"attempts_over_deadline":  arms["told_50s"].metric("attempts_per_call"),
			"elapsed_over_deadline_s": arms["told_50s"].metric("latency_all_mean_s"),
			"slept_past_deadline":     slept,
			"longest_past_deadline_s": arms["told_44.9s"].metric("latency_all_max_s"),
			"longest_random_s":        arms["random"].metric("latency_all_max_s"),
		}, err
	},
}
