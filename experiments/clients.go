package experiments

import (
	"math"
	"slices"
	"time"

	"stampede/fleet"
)

// The experiments on what one client decides. Each reference stands here and nowhere else.

var backoffBudget = Experiment{
	Name:     "backoff-budget",
	Question: "For how long does an SDK's backoff keep trying, whatever number of retries it is given?",
	Claim:    "min(0.5 x 2^n, 8) s less up to a quarter lasts 1.5 s with two retries, 15.5 s with five and 39.5 s with eight: a window of a minute outlasts all of them.",
	Source:   "practitioners' claim; the longest wait is what the policy allows at the most (horizon_s), the mean is observed",
	Arms: []Arm{
		{"two", nil},
		{"five", []string{"policy.retry.attempts=6"}},
		{"eight", []string{"policy.retry.attempts=9"}},
		{"window", []string{"policy.retry.attempts=9", "provider.faults=[{status: 429, for: 60s}]"}},
	},
	References: []Reference{
		exactly("max_wait_2_retries_s", 1.5, "s").of("two", "horizon_s"),
		exactly("max_wait_5_retries_s", 15.5, "s").of("five", "horizon_s"),
		exactly("max_wait_8_retries_s", 39.5, "s").of("eight", "horizon_s"),
		within("mean_wait_2_retries_s", 1.3125, 1.3125, 1.3125, "s").of("two", "latency_all_mean_s"),
		exactly("answered_60s_window_8_retries", 0, "calls").of("window", "answered"),
	},
}

var stackedLayers = Experiment{
	Name:     "stacked-layers",
	Question: "How many requests does one call make where every layer retries?",
	Claim:    "Layers multiply: five retries over an SDK's two make 18, three layers of three 27, three of four 64, five of three 243; one owner of retries makes 6.",
	Source:   "practitioners' claim",
	Arms: []Arm{
		{"5_over_sdk2", nil},
		{"3x3x3", []string{"policy.inside=[{retry: {attempts: 3}}, {retry: {attempts: 3}}]"}},
		{"4x4x4", []string{"policy.retry.attempts=4", "policy.inside=[{retry: {attempts: 4}}, {retry: {attempts: 4}}]"}},
		{"3_pow_5", []string{"policy.inside=[{retry: {attempts: 3}}, {retry: {attempts: 3}}, {retry: {attempts: 3}}, {retry: {attempts: 3}}]"}},
		{"one_owner", []string{"policy.retry.attempts=6", "policy.inside=[]"}},
	},
	References: []Reference{
		exactly("requests_5_over_sdk2", 18, "attempts").of("5_over_sdk2", "attempts_per_call"),
		exactly("requests_3x3x3", 27, "attempts").of("3x3x3", "attempts_per_call"),
		exactly("requests_4x4x4", 64, "attempts").of("4x4x4", "attempts_per_call"),
		exactly("requests_3_pow_5", 243, "attempts").of("3_pow_5", "attempts_per_call"),
		exactly("requests_one_owner", 6, "attempts").of("one_owner", "attempts_per_call"),
	},
}

var ownTheLoop = Experiment{
	Name:     "own-the-loop",
	Question: "Does a loop of one's own wait as told, and never past its deadline?",
	Claim:    "With a deadline of 45 s, two refusals with Retry-After 3 are answered at the third attempt after 6.29 s, one with Retry-After 50 ends the call without a sleep, and on no schedule is a wait slept past the deadline.",
	Source:   "practitioners' claim",
	Arms: []Arm{
		{"told_3s", nil},
		{"told_50s", []string{"provider.faults.0.retry_after=50s"}},
		{"random", []string{"workload.burst.calls=2000", "provider.faults=[{status: 429, retry_after: 17s, after: 97ms, share: 40%}, {status: 503, share: 60%}, {hang: true, share: 5%}]"}},
	},
	References: []Reference{
		exactly("attempts", 3, "attempts"),
		within("elapsed_s", 6.29, 6.2, 6.4, "s"),
		exactly("attempts_over_deadline", 1, "attempts"),
		printed("elapsed_over_deadline_s", 0.097, 3, "s"),
		exactly("slept_past_deadline", 0, "calls"),
	},
	measure: func(l *lab) (map[string]Sample, error) {
		arms, err := l.playAll()
		if err != nil {
			return nil, err
		}
		slept, err := l.count("random", counter{attempt: func(c *counter, a *fleet.Attempt) {
			if a.Decision.Again && a.Ended+a.Decision.Wait > 45*time.Second { // all calls begin at 0
				c.n++
			}
		}})
		return map[string]Sample{
			"attempts": arms["told_3s"].metric("attempts_per_call"), "elapsed_s": arms["told_3s"].metric("latency_mean_s"),
			"attempts_over_deadline": arms["told_50s"].metric("attempts_per_call"), "elapsed_over_deadline_s": arms["told_50s"].metric("latency_all_mean_s"),
			"slept_past_deadline": slept,
		}, err
	},
}

// span is an eye for the shortest and the longest wait before a call's given retry.
type span struct {
	retry             int
	shortest, longest float64 // seconds
}

// Attempt implements fleet.Listener.
func (s *span) Attempt(a *fleet.Attempt) {
	if wait := a.Decision.Wait.Seconds(); a.Decision.Again && a.Number == s.retry {
		s.shortest, s.longest = min(s.shortest, wait), max(s.longest, wait)
	}
}

// Call implements fleet.Listener.
func (*span) Call(*fleet.Call) {}

var startingPoints = Experiment{
	Name:     "starting-points",
	Question: "What do base 1 s, cap 20 s, 3 attempts and 90 s in all do, with Retry-After plus up to half a second?",
	Claim:    "The first wait lies in 0..1 s, the second in 0..2 s; a Retry-After of 5 s is waited for 5 to 5.5 s and one of 60 s for 20 s; a call never lasts longer than 90 s.",
	Source:   "practitioners' claim; the ranges are those of the formula, met by 15,000 draws within 1 %",
	Arms: []Arm{
		{"backoff", nil},
		{"told_5s", []string{"provider.faults.0.retry_after=5s"}},
		{"told_60s", []string{"provider.faults.0.retry_after=60s"}},
		{"hung", []string{"provider.faults=[{hang: true}]"}},
	},
	References: []Reference{
		within("first_wait_min_s", 0, 0, 0.01, "s"),
		within("first_wait_max_s", 1, 0.99, 1, "s"),
		within("second_wait_min_s", 0, 0, 0.02, "s"),
		within("second_wait_max_s", 2, 1.98, 2, "s"),
		within("told_5s_min_s", 5, 5, 5.005, "s"),
		within("told_5s_max_s", 5.5, 5.495, 5.5, "s"),
		exactly("told_60s_min_s", 20, "s"),
		exactly("told_60s_max_s", 20, "s"),
		atMost("total_max_s", 90, "s"),
	},
	measure: func(l *lab) (map[string]Sample, error) {
		hung, err := l.play("hung", nil)
		if err != nil {
			return nil, err
		}
		out := map[string]Sample{"total_max_s": hung.metric("latency_all_max_s")}
		for _, wait := range []struct {
			key, arm string
			retry    int
		}{{"first_wait", "backoff", 1}, {"second_wait", "backoff", 2}, {"told_5s", "told_5s", 1}, {"told_60s", "told_60s", 1}} {
			eyes, err := watch(l, wait.arm, func() *span { return &span{retry: wait.retry, shortest: math.Inf(1)} })
			if err != nil {
				return nil, err
			}
			all := *eyes[0]
			for _, eye := range eyes {
				all.shortest, all.longest = min(all.shortest, eye.shortest), max(all.longest, eye.longest)
			}
			out[wait.key+"_min_s"], out[wait.key+"_max_s"] = Sample{Values: []float64{all.shortest}}, Sample{Values: []float64{all.longest}}
		}
		return out, nil
	},
}

var headerPacing = Experiment{
	Name:     "header-pacing",
	Question: "Can a client use its whole quota without one refusal?",
	Claim:    "One that reads the remaining and reset headers can; one that waits for refusals meets many.",
	Source:   "practitioners' claim",
	Arms:     []Arm{{"paced", nil}, {"reactive", []string{"policy.pace.headers=false"}}},
	References: []Reference{
		exactly("paced_429", 0, "attempts").of("paced", "attempts_throttled"),
		atLeast("paced_quota_used", 0.95, "share").of("paced", "quota_used_ratio"),
		atLeast("reactive_429", 1, "attempts").of("reactive", "attempts_throttled"),
	},
}

var jitterShapes = Experiment{
	Name:     "jitter-shapes",
	Question: "How do a thousand clients come back that failed at once?",
	Claim:    "The fullest tenth of a second of the first retry sees all of them without jitter, about 810 with a quarter off 0.5 s, and about 120 with full jitter over 1 s.",
	Source:   "practitioners' claim, measured on a virtual clock; for equal and decorrelated, which it leaves open, the mean of the fullest of k bins of n/k requests: n/k and 1.163 (k = 5) or 1.867 (k = 20) standard deviations; our bands are 5 %",
	Arms: []Arm{
		{"none", nil},
		{"minus", []string{"policy.retry.backoff={exponential: {base: 500ms, jitter: {minus: 25%}}}"}},
		{"full", []string{"policy.retry.backoff={exponential: {base: 1s, jitter: full}}"}},
		{"equal", []string{"policy.retry.backoff={exponential: {base: 1s, jitter: equal}}"}},
		{"decorrelated", []string{"policy.retry.backoff={exponential: {base: 1s, jitter: decorrelated}}"}},
	},
	References: []Reference{
		exactly("peak_none", 1000, "requests"),
		within("peak_minus", 810, 770, 850, "requests"),
		within("peak_full", 120, 114, 126, "requests"),
		within("peak_equal", 214.7, 204, 225.5, "requests"),
		within("peak_decorrelated", 62.9, 59.7, 66, "requests"),
	},
	Pictures: []Picture{jitterPicture},
	measure: func(l *lab) (map[string]Sample, error) {
		out := map[string]Sample{}
		for _, arm := range l.experiment.Arms {
			all, err := watch(l, arm.Name, comeback)
			if err != nil {
				return nil, err
			}
			var peaks Sample
			for _, b := range all {
				peaks.Values = append(peaks.Values, slices.Max(b.Values))
			}
			out["peak_"+arm.Name] = peaks
		}
		return out, nil
	},
}

// comeback counts the first retries by the tenth of a second in which they are sent.
func comeback() *bins {
	return &bins{width: 100 * time.Millisecond, attempt: func(b *bins, a *fleet.Attempt) {
		if a.Number == 2 {
			b.add(a.Sent, 1)
		}
	}}
}
