package experiments

import (
	"fmt"
	"math"
	"slices"
	"stampede/cost"
	"time"

	"gonum.org/v1/gonum/stat/distuv"
)

// The figures of the catalogue.

// writerPictures are those of aws-backoff: a line for each backoff over the clients.
func writerPictures() []Picture {
	over := func(key string) func(*lab, *Result) (Content, error) {
		return func(_ *lab, r *Result) (Content, error) {
			out := Curves{Heading: "backoff", LogY: key == "completion_ms"}
			for _, w := range writers {
				points := r.measured([]float64{50, 100, 190}, fmt.Sprintf("%s_%s_50", key, w.kind), fmt.Sprintf("%s_%s_100", key, w.kind), fmt.Sprintf("%s_%s_190", key, w.kind))
				out.Curves = append(out.Curves, Curve{Name: w.kind, Points: points})
			}
			return out, nil
		}
	}
	const subtitle = "No limiter: clients write one row only if nobody else has; base 10 ms (5 ms decorrelated), cap 2 s"
	return []Picture{
		{Name: "aws-backoff-writes", Title: "Writes until every client has written", Subtitle: subtitle, X: "clients", Y: "writes", content: over("calls")},
		{Name: "aws-backoff-time", Title: "Time until every client has written", Subtitle: subtitle, X: "clients", Y: "time, ms", content: over("completion_ms")},
	}
}

var sdkPicture = Picture{
	Name:     "herd-sdk-defaults",
	Title:    "A thousand calls at once before ten a second",
	Subtitle: "Limiter: token bucket of 10 requests/s, burst 10; a refused request does not count; policies: SDK defaults, and base 1 s, cap 60 s, ten retries with each jitter",
	Y:        "answered, % of calls",
	content: beside([]string{"OpenAI SDK", "botocore", "google-genai", "no jitter", "decorrelated", "full jitter", "equal jitter"},
		"answered_pct_sdk", "answered_pct_botocore", "answered_pct_genai", "answered_pct_none", "answered_pct_decorrelated", "answered_pct_full", "answered_pct_equal"),
}

var herdPicture = Picture{
	Name:     "thundering-herd",
	Title:    "When a hundred clients come back that failed at once",
	Subtitle: "Limiter: twenty requests at one instant; policy: waits of 1, 2, 4, 8 s, or uniform up to that; one run",
	X:        "time, s", Y: "client",
	content: func(l *lab, _ *Result) (Content, error) {
		return l.herds(map[string]string{"none": "no jitter", "full": "full jitter"}, "none", "full")
	},
}

var jitterPicture = Picture{
	Name:     "jitter-shapes",
	Title:    "When a thousand clients come back that failed at once",
	Subtitle: "Requests per 100 ms at the first retry, and the fullest of a run, mean of the runs; no limiter; policies: base 1 s, and 0.5 s for minus 25 %",
	X:        "time, s", Y: "requests",
	content: func(l *lab, r *Result) (Content, error) {
		out := Histograms{}
		for _, arm := range []struct{ name, title string }{{"none", "no jitter"}, {"minus", "minus up to 25 %"}, {"equal", "equal jitter"}, {"full", "full jitter"}, {"decorrelated", "decorrelated jitter"}} {
			eyes, err := watch(l, arm.name, comeback)
			if err != nil {
				return nil, err
			}
			out.Width = eyes[0].width
			h := Histogram{Name: fmt.Sprintf("%s, fullest %.0f", arm.title, r.finding("peak_"+arm.name).Estimate.Mean)}
			for _, p := range overTime(eyes, 3*time.Second+out.Width) {
				h.Values = append(h.Values, p.Mean)
			}
			out.Panels = append(out.Panels, h)
		}
		return out, nil
	},
}

var timeoutSettings = []string{"workload.burst.calls=2000", "provider.latency.first_token={lognormal: {p50: 4s, p95: 11.691s}}"}

var timeoutPicture = Picture{
	Settings: timeoutSettings,
	Name:     "timeout-bill",
	Title:    "What a thousand answers cost under a timeout",
	Subtitle: "No limiter; the provider finishes and bills; answers take 4 s in the median and over 10 s in 8 %; 13.13 USD per 1,000 attempts",
	X:        "timeout, s", Y: "cost per 1,000 answers, USD",
	content: func(l *lab, _ *Result) (Content, error) {
		timeouts := []float64{5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 25, 30}
		// P(T > t) of the lognormal law with median 4 s and P(T > 10 s) = 0.08
		slow := func(t float64) float64 {
			return distuv.LogNormal{Mu: math.Log(4), Sigma: math.Log(2.5) / distuv.UnitNormal.Quantile(0.92)}.Survival(t)
		}
		s, err := l.arm("one_p08")
		if err != nil {
			return nil, err
		}
		attempts := 1000 * s.Model.Price.Bill(cost.Usage{Prompt: 1000}).Dollars() // of 1,000 tokens each
		out := Curves{Heading: "policy", Expected: "closed form"}
		for _, arm := range []struct {
			name, title, setting string
			factor               func(p float64) float64 // cost of an answer over that of an attempt
		}{
			{"intrinsic_p08", "three attempts, long stays long", "policy.timeouts.attempt=%gs", func(p float64) float64 { return (1 + 2*p) / (1 - p) }},
			{"independent_p08", "repeated until in time", "policy.timeouts.attempt=%gs", func(p float64) float64 { return 1 / (1 - p) }},
			{"one_p08", "one repeat, which is waited for", "policy.timeouts.attempt=[%gs, none]", func(p float64) float64 { return 1 + p }},
		} {
			outcomes, err := l.vary(arm.name, arm.setting, timeouts, timeoutSettings...)
			if err != nil {
				return nil, err
			}
			c := Curve{Name: arm.title, Points: over(timeouts, outcomes, "usd_per_1000_answers")}
			for t := timeouts[0]; t <= slices.Max(timeouts); t += 0.25 {
				c.Expected = append(c.Expected, certain(t, attempts*arm.factor(slow(t))))
			}
			out.Curves = append(out.Curves, c)
		}
		return out, nil
	},
}

var gateSettings = []string{"policy=openai-python@2.46", "workload.batch.calls=2000", "provider.latency.first_token={lognormal: {p50: 247.2ms, p95: 663.4ms}}"}

var gatePicture = Picture{
	Settings: gateSettings,
	Name:     "semaphore",
	Title:    "What a gate does to goodput",
	Subtitle: "Forty workers, 2,000 questions; limiter: eight places, beyond which the server queues or refuses; 296 ms in the mean, lognormal; policy: openai-python 2.46; in brackets the share of questions answered with a gate of forty",
	X:        "gate, requests at once", Y: "answers per minute",
	content: func(l *lab, r *Result) (Content, error) {
		gates := []float64{1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32, 36, 40}
		perMinute := 60 * 40 / r.finding("gated_wall_s").Expected // forty questions in five rounds of eight
		out := Curves{Heading: "the server", Bound: []Point{certain(1, perMinute), certain(40, perMinute)}, BoundBy: "eight places"}
		queue := []string{"provider.limits=[]", "provider.capacity={slots: 8, queue: unlimited}"}
		for _, arm := range []struct {
			title string
			set   []string
		}{
			{"queues, no timeout", queue},
			{"queues, timeout 1 s", append(queue, "policy.timeouts.attempt=1s")},
			{"refuses beyond eight", nil},
		} {
			outcomes, err := l.vary("gated", "policy.gate.semaphore=%g", gates, slices.Concat(gateSettings, arm.set)...)
			if err != nil {
				return nil, err
			}
			answered := over(gates, outcomes, "success_ratio")[len(gates)-1].Mean
			out.Curves = append(out.Curves, Curve{Name: fmt.Sprintf("%s (%.0f %%)", arm.title, 100*answered), Points: over(gates, outcomes, "goodput_per_min")})
		}
		return out, nil
	},
}

var thresholdPicture = Picture{
	Name:     "metastable-threshold",
	Title:    "Recovery of a queue after ten seconds of standstill",
	Subtitle: "One queue of 300/s, no other limiter; policy: timeout 1 s, one retry at once",
	X:        "calls per second", Y: "recovery, s",
	content: func(_ *lab, r *Result) (Content, error) {
		measured := r.measured([]float64{100, 120, 140}, "recovery_100_s", "recovery_120_s", "recovery_140_s")
		var expected []Point
		for rate := 100.0; rate <= 140; rate++ {
			expected = append(expected, certain(rate, fluid(rate)))
		}
		return Curves{Expected: "fluid limit, never from 150 on", Curves: []Curve{{Name: "measured", Points: measured, Expected: expected}}}, nil
	},
}

var recoverySettings = []string{"workload.open.rate=240/s", "provider.faults.0.for=4166us"}

var recoveryPicture = Picture{
	Settings: recoverySettings,
	Name:     "metastable-budget",
	Title:    "Recovery from an outage of ten seconds",
	Subtitle: "240 calls/s before one queue of 300/s, no other limiter; policy: timeout 1 s, retry at once; the server finishes what was given up",
	X:        "time, s", Y: "answers per second",
	content: func(l *lab, _ *Result) (Content, error) {
		curves, err := l.answersOverTime(4*time.Minute,
			timed{"no retry", "280", append([]string{"policy.retry.attempts=1"}, recoverySettings...)},
			timed{"one retry, budget of 10 %", "280", append([]string{"policy.budget={tokens: {max: 10, per_call: 0.1, retry: 1}}"}, recoverySettings...)},
			timed{"one retry", "280", recoverySettings})
		return Curves{Heading: "policy", Shaded: []Span{{"outage", 20, 30}}, Curves: curves}, err
	},
}

var spikePicture = Picture{
	Name:     "metastable-spike",
	Title:    "What a spike of five seconds leaves behind",
	Subtitle: "40 calls/s; no limiter, but an answer takes 1 s + 10 ms for each other request in flight; policy: timeout 3 s, three attempts",
	X:        "time, s", Y: "answers per second",
	content: func(l *lab, _ *Result) (Content, error) {
		curves, err := l.answersOverTime(80*time.Second, timed{"at once, no spike", "control", nil}, timed{"after up to 20 s, then up to 40 s", "backoff", nil}, timed{"at once", "immediate", nil})
		return Curves{Heading: "retries", Shaded: []Span{{"80 calls/s", 20, 25}}, Curves: curves}, err
	},
}

var stormPicture = Picture{
	Name:     "retry-storm",
	Title:    "Makespan of a retry storm",
	Subtitle: "4,320 questions, forty workers; limiter: none, or a token bucket of 40 requests/min that says wait 120 s; what failed is queued again after 5 min",
	X:        "time, min", Y: "questions answered",
	content: func(l *lab, r *Result) (Content, error) {
		bound := r.finding("bound_min").Estimate.Mean
		out := Curves{Heading: "policy", BoundBy: fmt.Sprintf("what the quota allows: %.0f min", bound)}
		s, err := l.arm("storm")
		if err != nil {
			return nil, err
		}
		out.Bound = []Point{certain(0, float64(s.Model.Provider.Limits[0].Amount)), certain(bound, float64(s.Model.Workload.Calls))}
		for _, arm := range []struct {
			name, title string
			makespan    float64
		}{
			{"normal", "openai-python 2.46, no limit", r.finding("makespan_normal_min").Estimate.Mean}, {"own", "own loop, gate of 8, quota", bound * r.finding("own_over_bound").Estimate.Mean}, {"storm", "openai-python 2.46, quota", r.finding("makespan_storm_min").Estimate.Mean},
		} {
			eyes, err := watch(l, arm.name, answers(time.Minute))
			if err != nil {
				return nil, err
			}
			end := 0
			for _, eye := range eyes {
				end = max(end, len(eye.Values))
				for i := 1; i < len(eye.Values); i++ {
					eye.Values[i] += eye.Values[i-1]
				}
			}
			for _, eye := range eyes { // who is through stays there
				for len(eye.Values) < end {
					eye.Values = append(eye.Values, eye.Values[len(eye.Values)-1])
				}
			}
			c := Curve{Name: fmt.Sprintf("%s: %.0f min", arm.title, arm.makespan), Points: []Point{certain(0, 0)}}
			for i, p := range overTime(eyes, time.Duration(end)*time.Minute) {
				c.Points = append(c.Points, Point{float64(i + 1), p.Estimate})
			}
			out.Curves = append(out.Curves, c)
		}
		return out, nil
	},
}
