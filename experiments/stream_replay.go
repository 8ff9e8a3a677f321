package experiments

var streamReplay = Experiment{
	Name:     "stream-replay",
	Question: "What happens to a stream that breaks after a part f of its answer?",
	Claim: "Replaying shows f of the answer twice and bills 1 + f. Regenerating bills the same and shows nothing " +
		"twice. Never retrying after the first token fails as often as streams break.",
	Source: "practitioners' claim, f = 0.4",
	Arms: []Arm{
		{"replay", nil},
		{"regenerate", []string{"policy.retry.broken_stream=regenerate"}},
		{"stop", []string{"policy.retry.broken_stream=stop"}},
		{
			"stop_p10",
			[]string{"policy.retry.broken_stream=stop", "provider.faults=[{cut_at: 40%, share: 10%}]",
				"workload.burst.calls=5k"},
		},
	},
	References: []Reference{
		exactly("duplicated_over_length_replay", 0.4, "ratio").of("replay", "repeated_tokens").
			times(1.0 / (200 * 100)),
		// a dollar is the price of 1,000 whole answers
		exactly("billed_over_length_replay", 1.4, "ratio").of("replay", "usd_per_1000_calls"),
		exactly("duplicated_over_length_regenerate", 0, "ratio").of("regenerate", "repeated_tokens").
			times(1.0 / (200 * 100)),
		exactly("billed_over_length_regenerate", 1.4, "ratio").of("regenerate", "usd_per_1000_calls"),
		exactly("duplicated_stop", 0, "tokens").of("stop", "repeated_tokens"),
		exactly("failed_ratio_stop_p10", 0.1, "share").of("stop_p10", "stream_broken").times(1.0 / 5_000),
	},
}
