package experiments

import (
	"time"
)

var metastableThreshold = Experiment{
	Name: "metastable-threshold",
	Question: "From which load on does a queue with a timeout and one retry not recover from a stall of ten " +
		"seconds?",
	Claim: "With lambda calls/s and a queue of mu = 300/s it recovers only below mu/2, in (19 lambda - mu)/(mu - 2 " +
		"lambda) s. Without the retry it recovers at 280/s as well; a server that cancels abandoned requests " +
		"recovers within seconds.",
	Source: "fluid limit: 10 lambda first attempts and 9 lambda retries are waiting when the queue moves again; " +
		"bands of 1.5 s are ours, since the figures are rounded and recovery is measured to the second. The fault " +
		"is one request that blocks the queue for ten seconds, which recovery_s includes; with cancellation it is " +
		"all requests of ten seconds",
	Arms: []Arm{
		{"100", nil},
		{"120", []string{"workload.open.rate=120/s", "provider.faults.0.for=8333us"}},
		{"140", []string{"workload.open.rate=140/s", "provider.faults.0.for=7142us"}},
		{"160", []string{"workload.open.rate=160/s", "provider.faults.0.for=6250us"}},
		{"280", []string{"workload.open.rate=280/s", "provider.faults.0.for=3571us"}},
		{
			"280_no_retry",
			[]string{"workload.open.rate=280/s", "provider.faults.0.for=3571us", "policy.retry.attempts=1"},
		},
		{
			"280_cancel",
			[]string{"workload.open.rate=280/s", "provider.faults=[{slow: 3000, at: 20s, for: 10s}]",
				"provider.cancel=stops"},
		},
	},
	References: []Reference{
		bySecond("recovery_100_s", fluid(100)),
		bySecond("recovery_120_s", fluid(120)),
		bySecond("recovery_140_s", fluid(140)),
		exactly("collapsed_160", 1, "share"),
		exactly("collapsed_280", 1, "share"),
		bySecond(
			"recovery_280_no_retry_s",
			140,
		).differs(15, "after 140 s the queue is empty, 2,800/20; as in the other rows, answers are in time again "+
			"as soon as "+
			"it holds less than one second of work: (2,800 - 300)/20 = 125 s"),
		atMost("recovery_280_cancel_s", 5, "s"),
	},
	Pictures: []Picture{thresholdPicture, recoveryPicture},
	measure: func(l *lab) (map[string]Sample, error) {
		arms, err := l.runAll()
		if err != nil {
			return nil, err
		}
		out := map[string]Sample{
			"collapsed_160": arms["160"].metric("collapsed"),
			"collapsed_280": arms["280"].metric("collapsed"),
		}
		for _, arm := range []string{"100", "120", "140", "280_no_retry", "280_cancel"} {
			sample := arms[arm].metric(
				"recovery_s") // from the end of the fault; the queue stands for ten seconds more
			for i := range sample.Values {
				if arm != "280_cancel" { // there the fault lasts for all of the ten seconds
					sample.Values[i] -= 10
				}
			}
			out["recovery_"+arm+"_s"] = sample
		}
		return out, nil
	},
}

// fluid is how long the queue of metastable-threshold takes to recover, in seconds, from the end
// of a standstill of ten, at a rate below 150/s: 10 first attempts and 9 retries for each call a
// second wait, less those that are answered in time, and 300 - 2 rate of them a second go.
func fluid(rate float64) float64 { return (19*rate - 300) / (300 - 2*rate) }

// bySecond is a reference to a time that is measured by the second, where a source rounds it.
func bySecond(key string, value float64) Reference {
	return within(key, value, value-1.5, value+1.5, "s")
}

var thresholdPicture = Picture{
	Name:     "metastable-threshold",
	Title:    "From half of its capacity on, a queue with one retry never recovers from a stall",
	Subtitle: "One queue of 300/s, no other limiter; policy: timeout 1 s, one immediate retry",
	X:        "calls per second", Y: "recovery, s",
	content: func(_ *lab, r *Result) (Content, error) {
		measured := r.measured([]float64{100, 120, 140}, "recovery_100_s", "recovery_120_s", "recovery_140_s")
		var expected []Point
		for rate := 100.0; rate <= 140; rate++ {
			expected = append(expected, certain(rate, fluid(rate)))
		}
		return Curves{
			Expected: "fluid limit, never from 150 on",
			Curves:   []Curve{{Name: "measured", Points: measured, Expected: expected}},
		}, nil
	},
}

var recoverySettings = []string{"workload.open.rate=240/s", "provider.faults.0.for=4166us"}

var recoveryPicture = Picture{
	Settings: recoverySettings,
	Name:     "metastable-budget",
	Title:    "A retry budget lets the queue recover from an outage; plain retries do not",
	Subtitle: "240 calls/s, one queue of 300/s, no other limiter; policy: timeout 1 s, immediate retry; the server " +
		"finishes abandoned requests",
	X: "time, s", Y: "answers per second",
	content: func(l *lab, _ *Result) (Content, error) {
		curves, err := l.answersOverTime(
			4*time.Minute,
			timed{"no retry", "280", append([]string{"policy.retry.attempts=1"}, recoverySettings...)},
			timed{
				"one retry, budget of 10 %",
				"280",
				append([]string{"policy.budget={tokens: {max: 10, per_call: 0.1, retry: 1}}"}, recoverySettings...),
			},
			timed{"one retry", "280", recoverySettings},
		)
		return Curves{Heading: "policy", Shaded: []Span{{"outage", 20, 30}}, Curves: curves}, err
	},
}
