package experiments

import (
	"math"
	"slices"
	"time"

	"stampede/fleet"
	"stampede/wire"
)

// The experiments on what one client decides. Each reference stands here and nowhere else.

var backoffBudget = Experiment{
	Name:     "backoff-budget",
	Question: "For how long does an SDK's backoff keep trying, whatever number of retries it is given?",
	Claim:    "min(0.5 x 2^n, 8) s less up to a quarter lasts 1.5 s with two retries, 15.5 s with five and 39.5 s with eight: a window of a minute outlasts all of them.",
	Source:   "practitioners' claim",
	Arms: []Arm{
		{"two", nil},
		{"five", []string{"policy.retry.attempts=6"}},
		{"eight", []string{"policy.retry.attempts=9"}},
		{"window", []string{"policy.retry.attempts=9", "provider.faults=[{status: 429, for: 60s}]"}},
	},
	References: []Reference{
		exactly("max_wait_2_retries_s", 1.5, "s"), exactly("max_wait_5_retries_s", 15.5, "s"), exactly("max_wait_8_retries_s", 39.5, "s"),
		within("mean_wait_2_retries_s", 1.3125, 1.3125, 1.3125, "s"), exactly("answered_60s_window_8_retries", 0, "calls"),
	},
	measure: read(
		reading{"max_wait_2_retries_s", "two", "horizon_s", 0},
		reading{"max_wait_5_retries_s", "five", "horizon_s", 0},
		reading{"max_wait_8_retries_s", "eight", "horizon_s", 0},
		reading{"mean_wait_2_retries_s", "two", "latency_all_mean_s", 0}, reading{"answered_60s_window_8_retries", "window", "answered", 0},
	),
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
		exactly("requests_5_over_sdk2", 18, "attempts"), exactly("requests_3x3x3", 27, "attempts"), exactly("requests_4x4x4", 64, "attempts"),
		exactly("requests_3_pow_5", 243, "attempts"), exactly("requests_one_owner", 6, "attempts"),
	},
	measure: read(
		reading{"requests_5_over_sdk2", "5_over_sdk2", "attempts_per_call", 0}, reading{"requests_3x3x3", "3x3x3", "attempts_per_call", 0},
		reading{"requests_4x4x4", "4x4x4", "attempts_per_call", 0},
		reading{"requests_3_pow_5", "3_pow_5", "attempts_per_call", 0},
		reading{"requests_one_owner", "one_owner", "attempts_per_call", 0},
	),
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
			"attempts_over_deadline": arms["told_50s"].metric("attempts_per_call"), "slept_past_deadline": slept,
		}, err
	},
}

// longest is the longest wait before a call's given retry in an arm, over all replications,
// in seconds; shortest the shortest.
func (l *lab) longest(arm string, retry int) (Sample, error) {
	waits, err := l.count(arm, counter{attempt: func(c *counter, a *fleet.Attempt) {
		if a.Decision.Again && a.Number == retry {
			c.n = max(c.n, a.Decision.Wait.Seconds())
		}
	}})
	return Sample{Values: []float64{slices.Max(append(waits.Values, 0))}}, err
}

func (l *lab) shortest(arm string, retry int) (Sample, error) {
	waits, err := l.count(arm, counter{n: math.Inf(1), attempt: func(c *counter, a *fleet.Attempt) {
		if a.Decision.Again && a.Number == retry {
			c.n = min(c.n, a.Decision.Wait.Seconds())
		}
	}})
	return Sample{Values: []float64{slices.Min(append(waits.Values, math.Inf(1)))}}, err
}

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
		within("first_wait_max_s", 1, 0.99, 1, "s"),
		within("second_wait_max_s", 2, 1.98, 2, "s"),
		within("told_5s_min_s", 5, 5, 5.005, "s"),
		within("told_5s_max_s", 5.5, 5.495, 5.5, "s"),
		exactly("told_60s_s", 20, "s"), atMost("total_max_s", 90, "s"),
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
			of       func(string, int) (Sample, error)
		}{
			{"first_wait_max_s", "backoff", 1, l.longest}, {"second_wait_max_s", "backoff", 2, l.longest},
			{"told_5s_min_s", "told_5s", 1, l.shortest}, {"told_5s_max_s", "told_5s", 1, l.longest}, {"told_60s_s", "told_60s", 1, l.longest},
		} {
			if out[wait.key], err = wait.of(wait.arm, wait.retry); err != nil {
				return nil, err
			}
		}
		return out, nil
	},
}

// classes are errors that providers send, and whether trying again can cure them: the
// error tables of OpenAI, Anthropic, Azure, Gemini and Bedrock.
var classes = []struct {
	status int
	code   string
	again  bool
}{
	{400, "context_length_exceeded", false}, {401, "invalid_api_key", false}, {403, "", false}, {404, "model_not_found", false}, {408, "", true}, {409, "", true},
	{429, "rate_limit_exceeded", true}, {429, "slow_down", true}, {429, "insufficient_quota", false}, {429, "credit_balance_exhausted", false}, {429, "organization_spend_limit_exceeded", false},
	{500, "server_error", true}, {502, "", true}, {503, "server_is_overloaded", true}, {504, "", true}, {520, "", true},
	{402, "billing_error", false}, {413, "request_too_large", false}, {429, "rate_limit_error", true}, {429, "enforced_spend_limit_reached", false}, {529, "overloaded_error", true},
	{400, "content_filter", false}, {429, "429", true}, {429, "RESOURCE_EXHAUSTED", true}, {503, "UNAVAILABLE", true}, {429, "ThrottlingException", true}, {400, "ValidationException", false},
}

var classification = Experiment{
	Name:     "classification",
	Question: "Which errors does a client try again that reads codes, and which one that reads statuses only?",
	Claim:    "Reading codes, it tries again what time can cure and nothing else; by status alone it also tries four errors that only money cures.",
	Source:   "error tables of OpenAI, Anthropic, Azure, Gemini and Bedrock; in their order: 400, 401, 403, 404, 408, 409, 429 x5, 500, 502, 503, 504, 520; 402, 413, 429 x2, 529; 400, 429; 429, 503; 429, 400",
	Arms:     []Arm{{"code_aware", nil}, {"status_only", []string{"policy.retry.never_on=[]"}}},
	References: []Reference{
		{Key: "tried_again", List: expectedClasses(), Unit: "1 where it is"},
		exactly("in_vain_status_only", 4, "errors"),
	},
	measure: func(l *lab) (map[string]Sample, error) {
		var tried []float64
		vain := 0.0
		for _, arm := range []string{"code_aware", "status_only"} {
			s, err := l.arm(arm)
			if err != nil {
				return nil, err
			}
			for _, c := range classes {
				again := s.Model.Client.Retry.Classify.Retryable(wire.Reply{Status: c.status, Code: c.code})
				if arm == "code_aware" {
					tried = append(tried, bit(again))
				} else if again && !c.again {
					vain++
				}
			}
		}
		return map[string]Sample{"tried_again": {List: tried}, "in_vain_status_only": {Values: []float64{vain}}}, nil
	},
}

func expectedClasses() (out []float64) {
	for _, c := range classes {
		out = append(out, bit(c.again))
	}
	return out
}

func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

var quotaExhausted = Experiment{
	Name:       "quota-exhausted",
	Question:   "What does a client do with 429 insufficient_quota, which no wait cures?",
	Claim:      "Stock SDKs look at the status only and send three requests for each of a thousand calls; a client that reads the code sends one.",
	Source:     "practitioners' claim; SDK sources",
	Arms:       []Arm{{"status_only", nil}, {"code_aware", []string{"policy.retry.never_on=[insufficient_quota]"}}},
	References: []Reference{exactly("requests_status_only", 3000, "attempts"), exactly("requests_code_aware", 1000, "attempts")},
	measure: read(
		reading{"requests_status_only", "status_only", "attempts", 0},
		reading{"requests_code_aware", "code_aware", "attempts", 0},
	),
}

var headerPacing = Experiment{
	Name:     "header-pacing",
	Question: "Can a client use its whole quota without one refusal?",
	Claim:    "One that reads the remaining and reset headers can; one that waits for refusals meets many.",
	Source:   "practitioners' claim",
	Arms:     []Arm{{"paced", nil}, {"reactive", []string{"policy.pace.headers=false"}}},
	References: []Reference{
		exactly("paced_429", 0, "attempts"), atLeast("paced_quota_used", 0.95, "share"), atLeast("reactive_429", 1, "attempts"),
	},
	measure: read(
		reading{"paced_429", "paced", "attempts_throttled", 0},
		reading{"paced_quota_used", "paced", "quota_used_ratio", 0},
		reading{"reactive_429", "reactive", "attempts_throttled", 0},
	),
}

var hungProvider = Experiment{
	Name:     "hung-provider",
	Question: "What do ten minutes of one call in a hundred that is never answered do to sixteen workers?",
	Claim:    "With a read timeout of 600 s every worker hangs before long, and goodput is less than half of that with 8 s.",
	Source:   "practitioners' claim",
	Arms:     []Arm{{"600s", nil}, {"8s", []string{"policy.timeouts.gap=8s"}}},
	References: []Reference{
		atMost("goodput_ratio_600_over_8", 0.5, "ratio"),
	},
	measure: func(l *lab) (map[string]Sample, error) {
		arms, err := l.playAll()
		if err != nil {
			return nil, err
		}
		ratio := arms["600s"].metric("answered")
		for i, other := range arms["8s"].metric("answered").Values {
			ratio.Values[i] /= other
		}
		return map[string]Sample{"goodput_ratio_600_over_8": ratio}, nil
	},
}

var breakerTripRule = Experiment{
	Name:     "breaker-trip-rule",
	Question: "Which rule opens a breaker when half of the calls fail, and what does a breaker spare a dead dependency?",
	Claim:    "A ratio over a window opens; five in a row never come. Before a dead dependency a breaker lets through a probe each time it half-opens and nothing else.",
	Source:   "practitioners' claim; 600 calls in 600 s: ten until it opens, then one probe in 30 s",
	Arms: []Arm{
		{"ratio", nil},
		{"in_a_row", []string{"policy=no-retry", "policy.breaker={in_a_row: 5, open: 30s}"}},
		{"dead", []string{"provider.faults=[{status: 503}]"}},
		{"dead_without", []string{"provider.faults=[{status: 503}]", "policy=no-retry"}},
	},
	References: []Reference{
		atLeast("blocked_ratio", 1, "calls"),
		exactly("blocked_in_a_row", 0, "calls"),
		exactly("sent_dead_without", 600, "attempts"),
		exactly("sent_dead_with", 29, "attempts"),
	},
	measure: read(
		reading{"blocked_ratio", "ratio", "breaker_open", 0},
		reading{"blocked_in_a_row", "in_a_row", "breaker_open", 0},
		reading{"sent_dead_without", "dead_without", "attempts", 0},
		reading{"sent_dead_with", "dead", "attempts", 0},
	),
}

var streamReplay = Experiment{
	Name:     "stream-replay",
	Question: "What becomes of a stream that is cut after a part f of its answer?",
	Claim:    "Blind replay shows f of the answer twice and bills 1 + f; regenerating bills as much and shows nothing twice; never after the first token fails as often as streams are cut.",
	Source:   "practitioners' claim, f = 0.4",
	Arms: []Arm{
		{"replay", nil},
		{"regenerate", []string{"policy.retry.broken_stream=regenerate"}},
		{"stop", []string{"policy.retry.broken_stream=stop"}},
		{"stop_p10", []string{"policy.retry.broken_stream=stop", "provider.faults=[{cut_at: 40%, share: 10%}]", "workload.burst.calls=5k"}},
	},
	References: []Reference{
		exactly("duplicated_over_length_replay", 0.4, "ratio"),
		exactly("billed_over_length_replay", 1.4, "ratio"),
		exactly("duplicated_over_length_regenerate", 0, "ratio"),
		exactly("billed_over_length_regenerate", 1.4, "ratio"),
		exactly("duplicated_stop", 0, "tokens"), exactly("failed_ratio_stop_p10", 0.1, "share"),
	},
	measure: read(
		reading{"duplicated_over_length_replay", "replay", "repeated_tokens", 1.0 / (200 * 100)},
		reading{"billed_over_length_replay", "replay", "usd_per_1000_calls", 1 / (1000 * 100 * 10e-6)},
		reading{"duplicated_over_length_regenerate", "regenerate", "repeated_tokens", 1.0 / (200 * 100)},
		reading{"billed_over_length_regenerate", "regenerate", "usd_per_1000_calls", 1 / (1000 * 100 * 10e-6)},
		reading{"duplicated_stop", "stop", "repeated_tokens", 0}, reading{"failed_ratio_stop_p10", "stop_p10", "stream_broken", 1.0 / 5_000},
	),
}

var sideEffects = Experiment{
	Name:       "side-effects",
	Question:   "How often does a call act twice when replies are lost after the work was done?",
	Claim:      "Without a key in a share p of the calls, with one retry; with a key never.",
	Source:     "practitioners' claim, p = 0.1",
	Arms:       []Arm{{"no_key", nil}, {"key", []string{"policy.idempotency_key=true"}}},
	References: []Reference{exactly("duplicates_per_1000", 100, "effects"), exactly("duplicates_per_1000_key", 0, "effects")},
	measure: read(
		reading{"duplicates_per_1000", "no_key", "side_effects_duplicated", 0.5},
		reading{"duplicates_per_1000_key", "key", "side_effects_duplicated", 0.5},
	),
}

var fallbackChain = Experiment{
	Name:     "fallback-chain",
	Question: "What does a second, dearer provider buy in an outage of ten minutes?",
	Claim:    "With a breaker and a fallback every call is answered, for a price between the two, and the first provider is back within an open time of the breaker.",
	Source:   "practitioners' claim; the second costs three times as much and serves half of the twenty minutes",
	Arms:     []Arm{{"fallback", nil}, {"alone", []string{"fallbacks=[]", "policy.fallback.on=false", "policy.breaker.when_open=fail"}}},
	References: []Reference{
		exactly("answered_ratio_fallback", 1, "share"),
		within("answered_ratio_alone", 0.5, 0.48, 0.55, "share"),
		within("usd_ratio_fallback_over_alone", 2, 1.9, 2.1, "ratio"),
		atMost("return_s", 31, "s"),
	},
	measure: func(l *lab) (map[string]Sample, error) {
		arms, err := l.playAll()
		if err != nil {
			return nil, err
		}
		back, err := l.count("fallback", counter{n: math.Inf(1), attempt: func(c *counter, a *fleet.Attempt) {
			const end = 15 * time.Minute // of the outage
			if a.Target == 0 && a.Class() == wire.OK && a.Sent >= end {
				c.n = min(c.n, (a.Sent - end).Seconds())
			}
		}})
		ratio := arms["fallback"].metric("usd_per_1000_answers")
		for i, other := range arms["alone"].metric("usd_per_1000_answers").Values {
			ratio.Values[i] /= other
		}
		return map[string]Sample{
			"answered_ratio_fallback": arms["fallback"].metric("success_ratio"), "answered_ratio_alone": arms["alone"].metric("success_ratio"),
			"usd_ratio_fallback_over_alone": ratio, "return_s": back,
		}, err
	},
}

var jitterShapes = Experiment{
	Name:     "jitter-shapes",
	Question: "How do a thousand clients come back that failed at once?",
	Claim:    "The fullest tenth of a second of the first retry sees all of them without jitter, about 810 with a quarter off 0.5 s, and about 120 with full jitter over 1 s.",
	Source:   "practitioners' claim, measured on a virtual clock; bands of 5 %",
	Arms: []Arm{
		{"none", nil},
		{"minus", []string{"policy.retry.backoff={exponential: {base: 500ms, jitter: {minus: 25%}}}"}},
		{"full", []string{"policy.retry.backoff={exponential: {base: 1s, jitter: full}}"}},
		{"equal", []string{"policy.retry.backoff={exponential: {base: 1s, jitter: equal}}"}},
		{"decorrelated", []string{"policy.retry.backoff={exponential: {base: 1s, jitter: decorrelated}}"}},
	},
	References: []Reference{
		exactly("peak_none", 1000, "requests"), within("peak_minus", 810, 770, 850, "requests"), within("peak_full", 120, 114, 126, "requests"),
		within("peak_equal", 200, 190, 240, "requests"), within("peak_decorrelated", 50, 47, 75, "requests"),
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
