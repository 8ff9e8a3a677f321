package experiments

import (
	"fmt"
	"time"
)

var retryStorm = Experiment{
	Name:     "retry-storm",
	Question: "A nightly queue takes 18 minutes. How long does it take after its quota is tightened?",
	Claim: "With stock defaults, whose backoff ends before the two minutes that the server asks for, more than 160 " +
		"minutes: failed items idle in the queue. With a gate and Retry-After obeyed in full, at most 25 % more " +
		"than the quota needs. The storm sends twelve times as many requests for the same bill.",
	Source: "practitioners' claim; what it leaves open is ours: no quota at first, then 40 a minute, which needs " +
		"107 minutes, Retry-After of two minutes, failed items back in the queue after five (after two, the quota " +
		"would be used in full and there is no storm), and a deadline of an hour",
	Arms: []Arm{
		{"normal", []string{"provider.limits=[]"}},
		{"storm", nil},
		{
			"own",
			[]string{
				"policy={retry: {attempts: unlimited, deadline: 1h, backoff: {exponential: {base: 500ms, cap: 20s, " +
					"jitter: full}}, retry_after: in_full}, gate: {semaphore: 8}, timeouts: {attempt: 5m}}",
			},
		},
	},
	References: []Reference{
		printed("makespan_normal_min", 18, 0, "min"),
		atLeast("makespan_storm_min", 160, "min"),
		printed("bound_min", 107, 0, "min"),
		atMost("own_over_bound", 1.25, "ratio"),
		exactly("usd_storm_beyond_normal", 0, "USD"),
		exactly("requests_storm_over_normal", 12, "ratio").unjudged(stormNote),
	},
	Pictures: []Picture{stormPicture},
	measure: func(l *lab) (map[string]Sample, error) {
		arms, err := l.runAll()
		if err != nil {
			return nil, err
		}
		minutes := func(arm, metric string) Sample {
			s := arms[arm].metric(metric)
			for i := range s.Values {
				s.Values[i] /= 60
			}
			return s
		}
		return map[string]Sample{
			"makespan_normal_min": minutes("normal", "makespan_s"),
			"makespan_storm_min":  minutes("storm", "makespan_s"),
			"bound_min":           minutes("storm", "makespan_lower_bound_s"),
			"own_over_bound":      arms["own"].ratio("makespan_s", "makespan_lower_bound_s", 1),

			"usd_storm_beyond_normal":    arms["storm"].beyond(arms["normal"], "usd_total"),
			"requests_storm_over_normal": arms["storm"].over(arms["normal"], "attempts"),
		}, nil
	},
}

const stormNote = "twelve requests for each call are four deliveries of three attempts, eight waves of the queue, in " +
	"each of which an eighth of the calls is answered. The claim gives no quota; of 40 a minute each wave gets 117 " +
	"answers, so that 4,320 calls take 37 waves and 18.5 deliveries each"

var stormPicture = Picture{
	Name:  "retry-storm",
	Title: "Under a quota, SDK defaults take twice as long as the quota needs",
	Subtitle: "4,320 calls, forty workers; limiter: none, or a token bucket of 40 requests/min with Retry-After " +
		"120; failed calls are queued again after 5 min",
	X: "time, min", Y: "calls answered",
	content: func(l *lab, r *Result) (Content, error) {
		bound := r.finding("bound_min").Estimate.Mean
		out := Curves{Heading: "policy", BoundBy: fmt.Sprintf("what the quota allows: %.0f min", bound)}
		s, err := l.arm("storm")
		if err != nil {
			return nil, err
		}
		out.Bound = []Point{
			certain(0, float64(s.Model.Provider.Limits[0].Amount)),
			certain(bound, float64(s.Model.Workload.Calls)),
		}
		for _, arm := range []struct {
			name, title string
			makespan    float64
		}{
			{"normal", "openai-python 2.46, no limit", r.finding("makespan_normal_min").Estimate.Mean},
			{"own", "own loop, gate of 8, quota", bound * r.finding("own_over_bound").Estimate.Mean},
			{"storm", "openai-python 2.46, quota", r.finding("makespan_storm_min").Estimate.Mean},
		} {
			observers, err := watch(l, arm.name, answers(time.Minute))
			if err != nil {
				return nil, err
			}
			end := 0
			for _, observer := range observers {
				end = max(end, len(observer.Values))
				for i := 1; i < len(observer.Values); i++ {
					observer.Values[i] += observer.Values[i-1]
				}
			}
			for _, observer := range observers { // who is through stays there
				for len(observer.Values) < end {
					observer.Values = append(observer.Values, observer.Values[len(observer.Values)-1])
				}
			}
			c := Curve{Name: fmt.Sprintf("%s: %.0f min", arm.title, arm.makespan), Points: []Point{certain(0, 0)}}
			for i, p := range overTime(observers, time.Duration(end)*time.Minute) {
				c.Points = append(c.Points, Point{float64(i + 1), p.Estimate})
			}
			out.Curves = append(out.Curves, c)
		}
		return out, nil
	},
}
