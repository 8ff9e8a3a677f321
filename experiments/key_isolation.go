package experiments

import (
	"math"
)

var keyIsolation = Experiment{
	Name: "key-isolation",
	Question: "What does a batch job do to online users of the same key, and what changes with a key for each and " +
		"the same total limit?",
	Claim: "On one key the job's load gets the users refused. With two keys the users get no 429, and the job loses " +
		"only the share that was not its own.",
	Source: "practitioners' claim",
	Arms: []Arm{
		{"one_key", nil},
		{"two_keys", []string{keysOfTheirOwn}},
		{"one_key_batch", []string{"measure=batch"}},
		{"two_keys_batch", []string{keysOfTheirOwn, "measure=batch"}},
	},
	References: []Reference{
		within("online_throttled_ratio_one_key", 0.1, 0.1, math.Inf(1), "share"),
		exactly("online_throttled_ratio_two_keys", 0, "share"),
		within("online_success_ratio_gained", 0.01, 0.01, math.Inf(1), "share"),
		within("batch_goodput_ratio_two_over_one", 0.75, 0.75, math.Inf(1), "ratio"),
	},
	measure: func(l *lab) (map[string]Sample, error) {
		arms, err := l.runAll()
		if err != nil {
			return nil, err
		}
		return map[string]Sample{
			"online_throttled_ratio_one_key":   arms["one_key"].metric("throttled_ratio"),
			"online_throttled_ratio_two_keys":  arms["two_keys"].metric("throttled_ratio"),
			"online_success_ratio_gained":      arms["two_keys"].beyond(arms["one_key"], "success_ratio"),
			"batch_goodput_ratio_two_over_one": arms["two_keys_batch"].over(arms["one_key_batch"], "goodput_per_min"),
		}, nil
	},
}

// keysOfTheirOwn splits the limit of 600 requests a minute.
const keysOfTheirOwn = "provider.limits=[{resource: requests, limit: 120/min, keys: [online]}, {resource: " +
	"requests, limit: 480/min, keys: [batch]}]"
