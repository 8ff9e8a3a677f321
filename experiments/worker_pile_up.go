package experiments

import (
	"time"

	"stampede/fleet"
	"stampede/policy"
)

var workerPileUp = Experiment{
	Name:     "worker-pile-up",
	Question: "What does an outage of a provider do to a service whose workers wait in backoff?",
	Claim: "The workers pile up behind backoff until the service itself is down, for longer than the provider. With " +
		"a breaker it stays up.",
	Source: "practitioners' claim; up means answered within 20 s. A call in the outage holds one of forty workers " +
		"for 16 s, three waits of 5 s and the stand-in, so 2.5 of 10 calls/s are begun, and from the fourth second " +
		"on a call waits 12 s or more. When all workers are back, 308 s after the start, 962 of 3,080 calls are " +
		"begun; the queue shrinks by 30 calls/s, and is down to 760, 19 s of work, after 353.3 s. Bands of 1 % are " +
		"ours",
	Arms: []Arm{
		{"backoff", nil},
		{"breaker", []string{"policy.breaker={consecutive_failures: 5, open: 30s, when_open: fall_back}"}},
	},
	References: []Reference{
		within("down_backoff_s", 349.3, 345.8, 352.8, "s"),
		within("up_ratio_backoff", 0.709, 0.702, 0.716, "share"),
		exactly("down_breaker_s", 0, "s"),
		exactly("up_ratio_breaker", 1, "share"),
	},
	measure: func(l *lab) (map[string]Sample, error) {
		out := map[string]Sample{}
		for _, arm := range l.experiment.Arms {
			late, err := l.count(arm.Name, counter{call: func(n *counter, c *fleet.Call) {
				if c.Outcome != policy.Answered || c.Latency() > 20*time.Second {
					n.n++
				}
			}})
			if err != nil {
				return nil, err
			}
			const perSecond, calls = 10, 12e3
			var down, up Sample
			for _, n := range late.Values {
				down.Values = append(down.Values, n/perSecond)
				up.Values = append(up.Values, 1-n/calls)
			}
			out["down_"+arm.Name+"_s"], out["up_ratio_"+arm.Name] = down, up
		}
		return out, nil
	},
}
