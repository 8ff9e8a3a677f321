package experiments

import (
	"fmt"
	"time"

	"stampede/fleet"
	"stampede/measure"
	"stampede/wire"
)

var metastableSpike = Experiment{
	Name:     "metastable-spike",
	Question: "What remains of a five-second spike in a server that slows down under load?",
	Claim: "With three immediate attempts three runs in four do not recover: they answer nothing from 60 to 79 s, " +
		"long after the spike. With a backoff longer than the spike every run recovers, and without the spike none " +
		"collapses.",
	Source: "published simulation, its code run 1,000 times: 1 s + 10 ms for each request in flight, a network with " +
		"exponential delay of mean 0.1 s per direction (100 ms here), backoff uniform on 0..20 s, then 0..40 s; " +
		"bands: 99 % interval of a share of 1,000 runs; 1 call/s for the rates with backoff and 2 calls/s for the " +
		"control are ours",
	Arms: []Arm{
		{"immediate", []string{"replications=700"}},
		{"backoff", []string{"policy.retry.backoff={exponential: {base: 20s, factor: 2, jitter: full}}"}},
		{"control", []string{"workload.open.profile=[]"}},
	},
	References: []Reference{
		within("collapsed_share_immediate", 0.75, 0.715, 0.785, "share").differs(0.06, constantLegs),
		within("answers_per_s_backoff_30_40", 48.6, 47.6, 49.6, "calls/s"),
		within("answers_per_s_backoff_40_60", 43.9, 42.9, 44.9, "calls/s"),
		within("answers_per_s_backoff_60_79", 40.1, 39.1, 41.1, "calls/s"),
		within("answers_per_s_control_60_79", 40, 38, 42, "calls/s"),
	},
	Pictures: []Picture{spikePicture},
	measure: func(l *lab) (map[string]Sample, error) {
		out := map[string]Sample{}
		for _, span := range []struct {
			arm      string
			from, to int // seconds
		}{
			{"immediate", 60, 79},
			{"backoff", 30, 40}, {"backoff", 40, 60}, {"backoff", 60, 79},
			{"control", 60, 79},
		} {
			from, to := time.Duration(span.from)*time.Second, time.Duration(span.to)*time.Second
			rate, err := l.count(span.arm, counter{attempt: func(c *counter, a *fleet.Attempt) {
				if a.Class() == wire.OK && a.Ended >= from && a.Ended < to {
					c.n += 1 / (to - from).Seconds()
				}
			}})
			if err != nil {
				return nil, err
			}
			out[fmt.Sprintf("answers_per_s_%s_%d_%d", span.arm, span.from, span.to)] = rate
			if span.arm == "immediate" { // falls or stands: the mean rate says less than the share
				collapsed := make([]float64, len(rate.Values))
				for i, r := range rate.Values {
					collapsed[i] = measure.Indicator(r < 4) // a tenth of what is asked
				}
				out["collapsed_share_immediate"] = Sample{Values: collapsed}
			}
		}
		return out, nil
	},
}

var spikePicture = Picture{
	Name:  "metastable-spike",
	Title: "With immediate retries, three runs in four do not recover from a spike",
	Subtitle: "40 calls/s; no limiter, but an answer takes 1 s + 10 ms for each other request in flight; policy: " +
		"timeout 3 s, three attempts",
	X: "time, s", Y: "answers per second",
	content: func(l *lab, _ *Result) (Content, error) {
		curves, err := l.answersOverTime(80*time.Second, timed{"at once, no spike", "control", nil},
			timed{"after up to 20 s, then up to 40 s", "backoff", nil}, timed{"at once", "immediate", nil})
		return Curves{Heading: "retries", Shaded: []Span{{"80 calls/s", 20, 25}}, Curves: curves}, err
	},
}

const constantLegs = "the network takes 100 ms per direction here; the source draws it from an exponential " +
	"distribution"
