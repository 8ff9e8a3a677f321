package experiments

import (
	"math"
	"time"

	"stampede/fleet"
	"stampede/wire"
)

// The experiments on what a client does with a provider that fails it: hangs, errors, broken
// streams, lost replies and outages. Each reference stands here and nowhere else.

var hungProvider = Experiment{
	Name:     "hung-provider",
	Question: "What do ten minutes of one call in a hundred that is never answered do to sixteen workers?",
	Claim:    "With a read timeout of 600 s a worker hangs after 99 answers in the mean, its slot is lost for the rest, and goodput is less than half of that with 8 s.",
	Source:   "practitioners' claim; (1-p)/p answers for each of the sixteen workers; hardly one is not through after ten minutes",
	Arms:     []Arm{{"600s", nil}, {"8s", []string{"policy.timeouts.gap=8s"}}},
	References: []Reference{
		atMost("goodput_ratio_600_over_8", 0.5, "ratio"),
		exactly("answers_per_worker_600s", 99, "calls"),
		atLeast("slots_lost_600s", 15, "workers"),
	},
	measure: func(l *lab) (map[string]Sample, error) {
		arms, err := l.playAll()
		if err != nil {
			return nil, err
		}
		each := arms["600s"].metric("answered")
		for i := range each.Values {
			each.Values[i] /= 16
		}
		return map[string]Sample{"goodput_ratio_600_over_8": arms["600s"].over(arms["8s"], "answered"), "answers_per_worker_600s": each, "slots_lost_600s": arms["600s"].metric("attempts_timeout")}, nil
	},
}

var breakerTripRule = Experiment{
	Name:     "breaker-trip-rule",
	Question: "Which rule opens a breaker when half of the calls fail, and what does a breaker spare a dead dependency?",
	Claim:    "A ratio over a window opens; five in a row never come. Before a dead dependency a breaker lets through a probe each time it half-opens and nothing else.",
	Source:   "practitioners' claim; 600 calls in 600 s: ten until it opens, then one probe in 31 s. An open time of whole periods of the failures would meet only the bad ones",
	Arms: []Arm{
		{"ratio", nil},
		{"in_a_row", []string{"policy=no-retry", "policy.breaker={in_a_row: 5, open: 31s}"}},
		{"dead", []string{"provider.faults=[{status: 503}]"}},
		{"dead_without", []string{"provider.faults=[{status: 503}]", "policy=no-retry"}},
	},
	References: []Reference{
		atLeast("blocked_by_ratio", 1, "calls").of("ratio", "breaker_open"),
		exactly("blocked_by_in_a_row", 0, "calls").of("in_a_row", "breaker_open"),
		exactly("sent_dead_without", 600, "attempts").of("dead_without", "attempts"),
		exactly("sent_dead_with", 29, "attempts").of("dead", "attempts"),
	},
}

var streamReplay = Experiment{
	Name:     "stream-replay",
	Question: "What becomes of a stream that is cut after a part f of its answer?",
	Claim:    "Blind replay shows f of the answer twice and bills 1 + f; regenerating bills as much and shows nothing twice; never after the first token fails as often as streams are cut.",
	Source:   "practitioners' claim, f = 0.4",
	Arms: []Arm{
		{"replay", nil},
		{"regenerate", []string{"policy.retry.broken_stream=regenerate"}},
		{"stop", []string{"policy.retry.broken_stream=stop"}},
		{"stop_p10", []string{"policy.retry.broken_stream=stop", "provider.faults=[{cut_at: 40%, share: 10%}]", "workload.burst.calls=5k"}},
	},
	References: []Reference{
		exactly("duplicated_over_length_replay", 0.4, "ratio").of("replay", "repeated_tokens").times(1.0 / (200 * 100)),
		// a dollar is the price of 1,000 whole answers
		exactly("billed_over_length_replay", 1.4, "ratio").of("replay", "usd_per_1000_calls"),
		exactly("duplicated_over_length_regenerate", 0, "ratio").of("regenerate", "repeated_tokens").times(1.0 / (200 * 100)),
		exactly("billed_over_length_regenerate", 1.4, "ratio").of("regenerate", "usd_per_1000_calls"),
		exactly("duplicated_stop", 0, "tokens").of("stop", "repeated_tokens"),
		exactly("failed_ratio_stop_p10", 0.1, "share").of("stop_p10", "stream_broken").times(1.0 / 5_000),
	},
}

var sideEffects = Experiment{
	Name:     "side-effects",
	Question: "How often does a call act twice when replies are lost after the work was done?",
	Claim:    "Without a key in a share p of the calls, with one retry; with a key never.",
	Source:   "practitioners' claim, p = 0.1",
	Arms:     []Arm{{"no_key", nil}, {"key", []string{"policy.idempotency_key=true"}}},
	References: []Reference{
		exactly("duplicates_per_1000", 100, "effects").of("no_key", "side_effects_duplicated").times(0.5),
		exactly("duplicates_per_1000_key", 0, "effects").of("key", "side_effects_duplicated").times(0.5),
	},
}

var fallbackChain = Experiment{
	Name:     "fallback-chain",
	Question: "What does a second, dearer provider buy in an outage of ten minutes?",
	Claim:    "With a breaker and a fallback every call is answered, for a price between the two, and the first provider is back within an open time of the breaker.",
	Source:   "practitioners' claim; the second costs three times as much and serves half of the twenty minutes: (1+3)/2; our bands are 5 % for money, and calls that are answered by a retry at either end of the outage",
	Arms:     []Arm{{"fallback", nil}, {"alone", []string{"fallbacks=[]", "policy.fallback.on=false", "policy.breaker.when_open=fail"}}},
	References: []Reference{
		exactly("answered_ratio_fallback", 1, "share"),
		within("answered_ratio_alone", 0.5, 0.48, 0.55, "share"),
		within("usd_ratio_fallback_over_alone", 2, 1.9, 2.1, "ratio"),
		within("usd_per_1000_answers_alone", 0.27, 0.265, 0.275, "USD"),
		within("usd_per_1000_answers_fallback", 0.54, 0.513, 0.567, "USD"),
		atMost("return_s", 31, "s"),
	},
	measure: func(l *lab) (map[string]Sample, error) {
		arms, err := l.playAll()
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
			"answered_ratio_fallback": arms["fallback"].metric("success_ratio"), "answered_ratio_alone": arms["alone"].metric("success_ratio"),
			"usd_ratio_fallback_over_alone": arms["fallback"].over(arms["alone"], "usd_per_1000_answers"), "return_s": back,
			"usd_per_1000_answers_alone": arms["alone"].metric("usd_per_1000_answers"), "usd_per_1000_answers_fallback": arms["fallback"].metric("usd_per_1000_answers"),
		}, err
	},
}
