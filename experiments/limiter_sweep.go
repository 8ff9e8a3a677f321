package experiments

import (
	"time"

	"stampede/fleet"
	"stampede/measure"
	"stampede/policy"
)

var limiterSweep = Experiment{
	Name:     "limiter-sweep",
	Question: "What does a client-side limiter in each of ten processes gain when they share 100 requests a minute?",
	Claim: "The share of answered requests rises from 37.1 % to 86.3 % with a bucket of a third of the quota in " +
		"each process, but the same number is answered: 100 a minute. The success ratio alone misleads.",
	Source: "published simulation; fixed window of 100/min, 8 workers per process, 3 retries, Retry-After 5 s; " +
		"requests that ended within the 300 s are counted",
	Arms: []Arm{{"none", nil}, {"bucket", []string{"policy.pace={rate: 2000/h, burst: 33}"}}},
	References: []Reference{
		printed("answered_pct_none", 37.1, 1, "%").differs(1.2, unsaidLatency),
		printed("answered_pct_bucket", 86.3, 1, "%").differs(1.2, unsaidLatency),
		exactly("goodput_per_min_none", 100, "calls/min"),
		exactly("goodput_per_min_bucket", 100, "calls/min"),
	},
	measure: func(l *lab) (map[string]Sample, error) {
		const end = 5 * time.Minute
		out := map[string]Sample{}
		for _, arm := range l.experiment.Arms {
			ended := 0.0
			answered, err := l.count(
				arm.Name,
				counter{call: func(n *counter, c *fleet.Call) { // the one replication: there is no luck in it
					if c.Ended <= end {
						ended++
						n.n += measure.Indicator(c.Outcome == policy.Answered)
					}
				}},
			)
			if err != nil {
				return nil, err
			}
			n := answered.Values[0]
			out["answered_pct_"+arm.Name], out["goodput_per_min_"+arm.Name] = Sample{
				Values: []float64{100 * n / ended},
			}, Sample{
				Values: []float64{n / end.Minutes()},
			}
		}
		return out, nil
	},
}

const unsaidLatency = "the source does not give the cap on use in base/(1 - use), nor how ten processes share 1,000 " +
	"requests in 300 s when 500 can be answered; with a cap of 90 %, 1,000 requests per process, and without the " +
	"factor U(0.8, 1.2), both figures agree within 1.2 points"
