package experiments

import (
	"fmt"
	"math"
	"slices"
)

var semaphore = Experiment{
	Name:     "semaphore",
	Question: "What does a gate of eight do for forty workers and a server that accepts eight requests at once?",
	Claim: "With the gate nothing is refused and the job takes five rounds. Without it requests are refused and it " +
		"takes longer.",
	Source: "practitioners' claim",
	Arms:   []Arm{{"gated", nil}, {"ungated", []string{"policy.gate.semaphore=none"}}},
	References: []Reference{
		exactly("gated_peak_in_flight", 8, "requests").of("gated", "peak_in_flight"),
		exactly("gated_429", 0, "attempts").of("gated", "attempts_throttled"),
		exactly("gated_answered", 40, "calls").of("gated", "answered"),
		printed("gated_wall_s", 1.48, 2, "s").of("gated", "makespan_s"),
		within("ungated_429", 1, 1, math.Inf(1), "attempts").of("ungated", "attempts_throttled"),
		within("ungated_wall_s", 1.48, 1.48, math.Inf(1), "s").of("ungated", "makespan_s"), // longer than gated_wall_s
		exactly("ungated_claimed_peak_in_flight", 9, "requests").of("ungated", "peak_in_flight").unjudged(ungatedNote),
		exactly("ungated_claimed_429", 14, "attempts").of("ungated", "attempts_throttled").unjudged(ungatedNote),
		exactly("ungated_claimed_answered", 22, "calls").of("ungated", "answered").unjudged(ungatedNote),
		printed("ungated_claimed_wall_s", 2.64, 2, "s").of("ungated", "makespan_s").unjudged(fasterNote),
	},
	Pictures: []Picture{gatePicture},
}

var gateSettings = []string{"policy=openai-python@2.46", "workload.batch.calls=2000",
	"provider.latency.first_token={lognormal: {p50: 247.2ms, p95: 663.4ms}}"}

var gatePicture = Picture{
	Settings: gateSettings,
	Name:     "semaphore",
	Title:    "A gate beyond the eight slots answers no more per minute",
	Subtitle: "Forty workers, 2,000 calls; limiter: eight slots, beyond which the server queues or refuses; " +
		"lognormal with mean 296 ms; policy: openai-python 2.46; in brackets: share answered with a gate of forty",
	X: "gate, requests at once", Y: "answers per minute",
	content: func(l *lab, r *Result) (Content, error) {
		gates := []float64{1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32, 36, 40}
		perMinute := 60 * 40 / r.finding("gated_wall_s").Expected // forty questions in five rounds of eight
		out := Curves{
			Heading: "the server",
			Bound:   []Point{certain(1, perMinute), certain(40, perMinute)},
			BoundBy: "eight slots",
		}
		queue := []string{"provider.limits=[]", "provider.capacity={slots: 8, queue: unlimited}"}
		for _, arm := range []struct {
			title string
			set   []string
		}{
			{"queues, no timeout", queue},
			{"queues, timeout 1 s", append(queue, "policy.timeouts.attempt=1s")},
			{"refuses beyond eight", nil},
		} {
			outcomes, err := l.vary(
				"gated",
				"policy.gate.semaphore=%g",
				gates,
				slices.Concat(gateSettings, arm.set)...)
			if err != nil {
				return nil, err
			}
			answered := over(gates, outcomes, "success_ratio")[len(gates)-1].Mean
			out.Curves = append(
				out.Curves,
				Curve{
					Name:   fmt.Sprintf("%s (%.0f %%)", arm.title, 100*answered),
					Points: over(gates, outcomes, "goodput_per_min"),
				},
			)
		}
		return out, nil
	},
}

const (
	ungatedNote = "the figures of the claim contradict each other: 14 refused and 22 answered are 36 of 40 calls"
	fasterNote  = "2.64 s is of the run that answered 22 calls, 1.48 s of the one that answered 40, so \"44 % " +
		"faster\" (1 - 1.48/2.64) compares different work. Per answer it is 69 % less time (37 ms against 120 ms)"
)
