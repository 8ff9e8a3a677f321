package experiments

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"stampede/measure"
)

var timeoutChoice = Experiment{
	Name:     "timeout-choice",
	Question: "Which timeout suits a classification, and which a long answer?",
	Claim: "8 to 15 s for a classification, 60 s for a long answer, and 5 s to connect. Shorter ones lose answers, " +
		"longer ones lose workers to requests that hang.",
	Source: "practitioners' claim, which gives neither latencies nor a rule; lognormal latencies with p50 0.7 s and " +
		"p95 2 s, or 10 s and 25 s, and the rule to take the shortest of 2, 4, 8, 15, 30, 60 and 120 s that loses " +
		"at most one call in 1,000, are ours: 8 s as it is, 15 s at half the speed, 60 s for long answers. Shares " +
		"are those of the lognormal law, worker time is the mean of min(L, T) with 1 % hangs",
	Arms: []Arm{
		{"short", nil},
		{"short_slow", []string{"provider.faults=[{slow: 2}]"}},
		{"long", []string{"provider.latency.first_token={lognormal: {p50: 10s, p95: 25s}}"}},
		{"short_hangs", []string{oneInAHundredHangs}},
		{"short_hangs_600s", []string{oneInAHundredHangs, "policy.timeouts.attempt=600s", "workload.burst.calls=30k"}},
		{"unreachable", unreachable("{connect: 5s, gap: 600s}")},
		{"unreachable_600s", unreachable("{gap: 600s}")},
	},
	References: []Reference{
		exactly("shortest_short_s", 8, "s"),
		exactly("shortest_short_slow_s", 15, "s"),
		exactly("shortest_long_s", 60, "s"),
		exactly("lost_per_1000_short_2s", 50, "calls"), // the 95 % quantile is 2 s
		exactly("lost_per_1000_long_15s", 1000*longLatency.Survival(15), "calls"),
		exactly("worker_s_hangs_8s", workerSeconds(shortLatency, 8), "s"),
		exactly("worker_s_hangs_600s", workerSeconds(shortLatency, 600), "s"),
		exactly("unreachable_5s_s", 5, "s"),
		exactly("unreachable_600s_s", 600, "s"),
	},
	Pictures: []Picture{timeoutChoicePicture},
	measure: func(l *lab) (map[string]Sample, error) {
		out := map[string]Sample{}
		for arm, timeouts := range map[string][]float64{
			"short": {2, 4, 8, 15}, "short_slow": {4, 8, 15, 30}, "long": {15, 30, 60, 120},
		} {
			runs, err := l.vary(arm, "policy.timeouts.attempt=%gs", timeouts)
			if err != nil {
				return nil, err
			}
			shortest := math.Inf(1)
			for i, of := range runs {
				lost := of.metric("success_ratio")
				for k := range lost.Values {
					lost.Values[k] = 1000 * (1 - lost.Values[k])
				}
				out[fmt.Sprintf("lost_per_1000_%s_%gs", arm, timeouts[i])] = lost
				if measure.EstimateOf(lost.Values, 0.95).Mean <= 1 {
					shortest = min(shortest, timeouts[i])
				}
			}
			out["shortest_"+arm+"_s"] = Sample{Values: []float64{shortest}}
		}
		for key, arm := range map[string]string{
			"worker_s_hangs_8s": "short_hangs", "worker_s_hangs_600s": "short_hangs_600s",
			"unreachable_5s_s": "unreachable", "unreachable_600s_s": "unreachable_600s",
		} {
			runs, err := l.run(arm, nil)
			if err != nil {
				return nil, err
			}
			out[key] = runs.metric("latency_all_mean_s")
		}
		return out, nil
	},
}

const oneInAHundredHangs = "provider.faults=[{hang: true, share: 1%}]"

func unreachable(timeouts string) []string {
	return []string{"provider.faults=[{connection: unreachable}]", "workload.burst.calls=10",
		"policy.timeouts=" + timeouts}
}

var (
	shortLatency = lognormal(0.7, 2)
	longLatency  = lognormal(10, 25)
)

// lognormal is the law with a median and a 95 % quantile, in seconds.
func lognormal(p50, p95 float64) distuv.LogNormal {
	return distuv.LogNormal{Mu: math.Log(p50), Sigma: math.Log(p95/p50) / distuv.UnitNormal.Quantile(0.95)}
}

// workerSeconds is how long a call holds its worker on average, where 1 % hang until the timeout T:
// 0.99 E min(L, T) + 0.01 T, with E min(L, T) = E L Φ((ln T - μ)/σ - σ) + T P(L > T).
func workerSeconds(l distuv.LogNormal, timeout float64) float64 {
	within := l.Mean() * distuv.UnitNormal.CDF((math.Log(timeout)-l.Mu)/l.Sigma-l.Sigma)
	return 0.99*(within+timeout*l.Survival(timeout)) + 0.01*timeout
}

var timeoutChoicePicture = Picture{
	Settings: []string{"workload.burst.calls=2000", oneInAHundredHangs},
	Name:     "timeout-choice",
	Title:    "Below its knee a timeout loses answers, beyond it hangs cost worker time",
	Subtitle: "No limiter, no retries; 1 % of the requests hang; median latency 0.7 s or 10 s",
	X:        "timeout, s", Y: "worker time per answer, s",
	content: func(l *lab, r *Result) (Content, error) {
		timeouts := []float64{1, 2, 4, 8, 15, 30, 60, 90, 120}
		out := Curves{Heading: "calls", LogY: true, Expected: "closed form"}
		for _, arm := range []struct {
			name, title string
			law         distuv.LogNormal
			from        int // of timeouts
		}{{"short", "classification", shortLatency, 0}, {"long", "long answer", longLatency, 3}} {
			at := timeouts[arm.from:]
			runs, err := l.vary(arm.name, "policy.timeouts.attempt=%gs", at, r.Experiment.Pictures[0].Settings...)
			if err != nil {
				return nil, err
			}
			c := Curve{Name: arm.title}
			for i, t := range at {
				each := runs[i].ratio("latency_all_mean_s", "success_ratio", 1)
				c.Points = append(c.Points, Point{t, measure.EstimateOf(each.Values, 0.95)})
				answered := 0.99 * (1 - arm.law.Survival(t))
				c.Expected = append(c.Expected, certain(t, workerSeconds(arm.law, t)/answered))
			}
			out.Curves = append(out.Curves, c)
		}
		return out, nil
	},
}
