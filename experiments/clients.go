package experiments

import (
	"math"
	"slices"
	"time"

	"stampede/fleet"
	"stampede/policy"
	"stampede/wire"
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
		exactly("max_wait_2_retries_s", 1.5, "s"),
		exactly("max_wait_5_retries_s", 15.5, "s"),
		exactly("max_wait_8_retries_s", 39.5, "s"),
		within("mean_wait_2_retries_s", 1.3125, 1.3125, 1.3125, "s"),
		exactly("answered_60s_window_8_retries", 0, "calls"),
	},
	readings: []reading{
		{"max_wait_2_retries_s", "two", "horizon_s", 0},
		{"max_wait_5_retries_s", "five", "horizon_s", 0},
		{"max_wait_8_retries_s", "eight", "horizon_s", 0},
		{"mean_wait_2_retries_s", "two", "latency_all_mean_s", 0},
		{"answered_60s_window_8_retries", "window", "answered", 0},
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
		exactly("requests_5_over_sdk2", 18, "attempts"),
		exactly("requests_3x3x3", 27, "attempts"),
		exactly("requests_4x4x4", 64, "attempts"),
		exactly("requests_3_pow_5", 243, "attempts"),
		exactly("requests_one_owner", 6, "attempts"),
	},
	readings: []reading{
		{"requests_5_over_sdk2", "5_over_sdk2", "attempts_per_call", 0},
		{"requests_3x3x3", "3x3x3", "attempts_per_call", 0},
		{"requests_4x4x4", "4x4x4", "attempts_per_call", 0},
		{"requests_3_pow_5", "3_pow_5", "attempts_per_call", 0},
		{"requests_one_owner", "one_owner", "attempts_per_call", 0},
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

// class is an error that a provider sends, and whether trying again can cure it.
type class struct {
	provider, name string
	reply          wire.Reply
	again          bool
	why            string
}

// refusal is an error by status and code.
func refusal(status int, code string) wire.Reply { return wire.Reply{Status: status, Code: code} }

// inStream is an error event after the status 200.
func inStream(code string) wire.Reply {
	return wire.Reply{Failure: wire.InStream, Status: 200, Code: code}
}

// classes are the error tables of the providers, in their order.
var classes = []class{
	{"openai", "400", refusal(400, "context_length_exceeded"), false, "the request stays too long"},
	{"openai", "401", refusal(401, "invalid_api_key"), false, "the key stays wrong"},
	{"openai", "403", refusal(403, "unsupported_country"), false, "the place stays the same"},
	{"openai", "404", refusal(404, "model_not_found"), false, "there is no such model"},
	{"openai", "408", refusal(408, ""), true, "a timeout passes"},
	{"openai", "409", refusal(409, ""), true, "a conflict passes"},
	{"openai", "429_rate_limit_exceeded", refusal(429, "rate_limit_exceeded"), true, "the limit refills"},
	{"openai", "429_too_large", wire.Reply{Status: 429, Code: "rate_limit_exceeded", ShouldRetry: wire.DoNotRetry}, false, "the request is larger than the limit, and the server says so"},
	{"openai", "429_slow_down", refusal(429, "slow_down"), true, "at a lower rate"},
	{"openai", "429_insufficient_quota", refusal(429, "insufficient_quota"), false, "until it is paid"},
	{"openai", "429_credit_balance_exhausted", refusal(429, "credit_balance_exhausted"), false, "until it is paid"},
	{"openai", "429_organization_spend_limit_exceeded", refusal(429, "organization_spend_limit_exceeded"), false, "until it is raised"},
	{"openai", "429_project_spend_limit_exceeded", refusal(429, "project_spend_limit_exceeded"), false, "until it is raised"},
	{"openai", "429_organization_usage_limit_exceeded", refusal(429, "organization_usage_limit_exceeded"), false, "until it is raised"},
	{"openai", "429_resource_unavailable", refusal(429, "resource_unavailable"), true, "flex capacity comes back"},
	{"openai", "500", refusal(500, "server_error"), true, "a fault passes"},
	{"openai", "502", refusal(502, ""), true, "the edge recovers"},
	{"openai", "503", refusal(503, "server_is_overloaded"), true, "an overload passes"},
	{"openai", "504", refusal(504, ""), true, "the edge recovers"},
	{"openai", "520", refusal(520, ""), true, "the edge recovers"},
	{"openai", "524", refusal(524, ""), true, "the edge recovers"},
	{"openai", "200_stream", inStream("server_is_overloaded"), true, "an overload passes, also after the status"},
	{"anthropic", "400", refusal(400, "invalid_request_error"), false, "the request stays wrong"},
	{"anthropic", "401", refusal(401, "authentication_error"), false, "the key stays wrong"},
	{"anthropic", "402", refusal(402, "billing_error"), false, "until it is paid"},
	{"anthropic", "403", refusal(403, "permission_error"), false, "it stays forbidden"},
	{"anthropic", "404", refusal(404, "not_found_error"), false, "there is no such thing"},
	{"anthropic", "409", refusal(409, "conflict_error"), true, "a conflict passes"},
	{"anthropic", "413", refusal(413, "request_too_large"), false, "the request stays too large"},
	{"anthropic", "429", refusal(429, "rate_limit_error"), true, "the limit refills"},
	{"anthropic", "429_enforced_spend_limit_reached", refusal(429, "enforced_spend_limit_reached"), false, "until next month"},
	{"anthropic", "500", refusal(500, "api_error"), true, "a fault passes"},
	{"anthropic", "504", refusal(504, "timeout_error"), true, "a timeout passes"},
	{"anthropic", "529", refusal(529, "overloaded_error"), true, "an overload passes"},
	{"anthropic", "200_stream", inStream("overloaded_error"), true, "an overload passes, also after the status"},
	{"azure", "400_content_filter", refusal(400, "content_filter"), false, "the content stays what it is"},
	{"azure", "401", refusal(401, ""), false, "the key stays wrong"},
	{"azure", "403", refusal(403, ""), false, "it stays forbidden"},
	{"azure", "404", refusal(404, ""), false, "there is no such deployment"},
	{"azure", "408", refusal(408, ""), true, "a timeout passes"},
	{"azure", "429", wire.Reply{Status: 429, Code: "429", RetryAfter: wire.After(3 * time.Second)}, true, "the limit refills"},
	{"azure", "429_high_demand", wire.Reply{Status: 429, Code: "429", Millis: wire.After(800 * time.Millisecond)}, true, "the demand passes"},
	{"azure", "429_ptu", wire.Reply{Status: 429, Code: "429", Millis: wire.After(5 * time.Second)}, true, "utilisation falls"},
	{"azure", "429_free_trial", wire.Reply{Status: 429, Code: "429", RetryAfter: wire.After(24 * time.Hour)}, false, "a day is too long to wait for"},
	{"azure", "500", refusal(500, ""), true, "a fault passes"},
	{"azure", "503", refusal(503, ""), true, "an overload passes"},
	{"gemini", "400", refusal(400, "INVALID_ARGUMENT"), false, "the request stays wrong"},
	{"gemini", "401", refusal(401, "PERMISSION_DENIED"), false, "the key stays wrong"},
	{"gemini", "402", refusal(402, ""), false, "until it is paid"},
	{"gemini", "403", refusal(403, "PERMISSION_DENIED"), false, "it stays forbidden"},
	{"gemini", "404", refusal(404, "NOT_FOUND"), false, "there is no such thing"},
	{"gemini", "429_per_minute", refusal(429, "RESOURCE_EXHAUSTED"), true, "the limit refills"},
	{"gemini", "429_per_day", refusal(429, "GenerateRequestsPerDayPerProjectPerModel-FreeTier"), false, "until midnight, Pacific time"},
	{"gemini", "500", refusal(500, "INTERNAL"), true, "a fault passes"},
	{"gemini", "503", refusal(503, "UNAVAILABLE"), true, "capacity comes back"},
	{"gemini", "504", refusal(504, "DEADLINE_EXCEEDED"), true, "a timeout passes"},
	{"bedrock", "400", refusal(400, "ValidationException"), false, "the request stays wrong"},
	{"bedrock", "403", refusal(403, "AccessDeniedException"), false, "it stays forbidden"},
	{"bedrock", "404", refusal(404, "ResourceNotFound"), false, "there is no such thing"},
	{"bedrock", "408", refusal(408, "ModelTimeoutException"), true, "a timeout passes"},
	{"bedrock", "424", refusal(424, "ModelErrorException"), true, "a fault of the model passes"},
	{"bedrock", "429", refusal(429, "ThrottlingException"), true, "the limit refills"},
	{"bedrock", "429_not_ready", refusal(429, "ModelNotReadyException"), true, "the model gets ready"},
	{"bedrock", "500", refusal(500, "InternalServerException"), true, "a fault passes"},
	{"bedrock", "503", refusal(503, "ServiceUnavailableException"), true, "an overload passes"},
	{"bedrock", "200_stream", inStream("throttlingException"), true, "the limit refills, also after the status"},
	{"groq", "413", refusal(413, ""), false, "the request is larger than the limit"},
	{"groq", "429", refusal(429, ""), true, "the limit refills"},
	{"groq", "498", refusal(498, ""), true, "flex capacity comes back"},
	{"groq", "503", refusal(503, ""), true, "an overload passes"},
	{"mistral", "402", refusal(402, ""), false, "until it is paid"},
	{"mistral", "422", refusal(422, ""), false, "the request stays wrong"},
	{"mistral", "429", refusal(429, ""), true, "the limit refills"},
	{"mistral", "502", refusal(502, ""), true, "the edge recovers"},
	{"together", "429", refusal(429, ""), true, "its rate adapts"},
	{"together", "503", refusal(503, ""), true, "an overload passes"},
	{"openrouter", "402", refusal(402, ""), false, "until it is paid"},
	{"openrouter", "408", refusal(408, ""), true, "a timeout passes"},
	{"openrouter", "503", refusal(503, "provider_overloaded"), true, "an overload passes"},
}

var classification = Experiment{
	Name:       "classification",
	Question:   "Which errors does a client try again that reads codes, and which one that reads statuses only?",
	Claim:      "Reading codes, hints and streams, it tries again what time can cure and nothing else; by status alone it tries nine errors in vain and does not see the three that come after the status.",
	Source:     "error tables of OpenAI, Anthropic, Azure, Gemini, Bedrock and others; the five quotas and the size of OpenAI, the spend limit of Anthropic, the free trial of Azure and the day of Gemini are nine",
	Arms:       []Arm{{"code_aware", nil}, {"status_only", []string{"policy.retry.never_on=[]", "policy.retry.retry_on=[408, 409, 424, 429, 498, 5xx]", "policy.retry.x_should_retry=ignore", "policy.retry.retry_after=ignore"}}},
	References: classReferences(),
	measure: func(l *lab) (map[string]Sample, error) {
		out := map[string]Sample{}
		vain, missed := 0.0, 0.0
		for _, arm := range []string{"code_aware", "status_only"} {
			s, err := l.arm(arm)
			if err != nil {
				return nil, err
			}
			for _, c := range classes {
				again := s.Model.Client.Retry.Decide(policy.Facts{Attempt: 1, Reply: c.reply}).Again
				if arm == "code_aware" {
					out[c.key()] = Sample{Values: []float64{bit(again)}}
					continue
				}
				vain += bit(again && !c.again)
				missed += bit(!again && c.again)
			}
		}
		out["in_vain_status_only"], out["missed_status_only"] = Sample{Values: []float64{vain}}, Sample{Values: []float64{missed}}
		return out, nil
	},
}

func (c *class) key() string { return c.provider + "_" + c.name }

func classReferences() (out []Reference) {
	for _, c := range classes {
		out = append(out, exactly(c.key(), bit(c.again), "again: "+c.why))
	}
	return append(out, exactly("in_vain_status_only", 9, "errors"), exactly("missed_status_only", 3, "errors"))
}

func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

var quotaExhausted = Experiment{
	Name:     "quota-exhausted",
	Question: "What does a client do with 429 insufficient_quota, which no wait cures?",
	Claim:    "Stock SDKs look at the status only and send three requests for each of a thousand calls; a client that reads the code sends one.",
	Source:   "practitioners' claim; SDK sources",
	Arms:     []Arm{{"status_only", nil}, {"code_aware", []string{"policy.retry.never_on=[insufficient_quota]"}}},
	References: []Reference{
		exactly("requests_status_only", 3000, "attempts"),
		exactly("requests_code_aware", 1000, "attempts"),
	},
	readings: []reading{
		{"requests_status_only", "status_only", "attempts", 0},
		{"requests_code_aware", "code_aware", "attempts", 0},
	},
}

var headerPacing = Experiment{
	Name:     "header-pacing",
	Question: "Can a client use its whole quota without one refusal?",
	Claim:    "One that reads the remaining and reset headers can; one that waits for refusals meets many.",
	Source:   "practitioners' claim",
	Arms:     []Arm{{"paced", nil}, {"reactive", []string{"policy.pace.headers=false"}}},
	References: []Reference{
		exactly("paced_429", 0, "attempts"),
		atLeast("paced_quota_used", 0.95, "share"),
		atLeast("reactive_429", 1, "attempts"),
	},
	readings: []reading{
		{"paced_429", "paced", "attempts_throttled", 0},
		{"paced_quota_used", "paced", "quota_used_ratio", 0},
		{"reactive_429", "reactive", "attempts_throttled", 0},
	},
}

var hungProvider = Experiment{
	Name:     "hung-provider",
	Question: "What do ten minutes of one call in a hundred that is never answered do to sixteen workers?",
	Claim:    "With a read timeout of 600 s a worker hangs after 99 answers in the mean, its slot is lost for the rest, and goodput is less than half of that with 8 s.",
	Source:   "practitioners' claim; (1-p)/p answers for each of the sixteen workers; hardly one is not through after ten minutes",
	Arms:     []Arm{{"600s", nil}, {"8s", []string{"policy.timeouts.gap=8s"}}},
	References: []Reference{
		atMost("goodput_ratio_600_over_8", 0.5, "ratio"),
		exactly("answers_per_worker_600s", 99, "calls"),
		atLeast("slots_lost_600s", 15, "workers"),
	},
	measure: func(l *lab) (map[string]Sample, error) {
		arms, err := l.playAll()
		if err != nil {
			return nil, err
		}
		each := arms["600s"].metric("answered")
		for i := range each.Values {
			each.Values[i] /= 16
		}
		return map[string]Sample{"goodput_ratio_600_over_8": arms["600s"].over(arms["8s"], "answered"), "answers_per_worker_600s": each, "slots_lost_600s": arms["600s"].metric("attempts_timeout")}, nil
	},
}

var breakerTripRule = Experiment{
	Name:     "breaker-trip-rule",
	Question: "Which rule opens a breaker when half of the calls fail, and what does a breaker spare a dead dependency?",
	Claim:    "A ratio over a window opens; five in a row never come. Before a dead dependency a breaker lets through a probe each time it half-opens and nothing else.",
	Source:   "practitioners' claim; 600 calls in 600 s: ten until it opens, then one probe in 31 s. An open time of whole periods of the failures would meet only the bad ones",
	Arms: []Arm{
		{"ratio", nil},
		{"in_a_row", []string{"policy=no-retry", "policy.breaker={in_a_row: 5, open: 31s}"}},
		{"dead", []string{"provider.faults=[{status: 503}]"}},
		{"dead_without", []string{"provider.faults=[{status: 503}]", "policy=no-retry"}},
	},
	References: []Reference{
		atLeast("blocked_by_ratio", 1, "calls"),
		exactly("blocked_by_in_a_row", 0, "calls"),
		exactly("sent_dead_without", 600, "attempts"),
		exactly("sent_dead_with", 29, "attempts"),
	},
	readings: []reading{
		{"blocked_by_ratio", "ratio", "breaker_open", 0},
		{"blocked_by_in_a_row", "in_a_row", "breaker_open", 0},
		{"sent_dead_without", "dead_without", "attempts", 0},
		{"sent_dead_with", "dead", "attempts", 0},
	},
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
		exactly("duplicated_stop", 0, "tokens"),
		exactly("failed_ratio_stop_p10", 0.1, "share"),
	},
	readings: []reading{
		{"duplicated_over_length_replay", "replay", "repeated_tokens", 1.0 / (200 * 100)},
		{"billed_over_length_replay", "replay", "usd_per_1000_calls", 1 / (1000 * 100 * 10e-6)},
		{"duplicated_over_length_regenerate", "regenerate", "repeated_tokens", 1.0 / (200 * 100)},
		{"billed_over_length_regenerate", "regenerate", "usd_per_1000_calls", 1 / (1000 * 100 * 10e-6)},
		{"duplicated_stop", "stop", "repeated_tokens", 0},
		{"failed_ratio_stop_p10", "stop_p10", "stream_broken", 1.0 / 5_000},
	},
}

var sideEffects = Experiment{
	Name:     "side-effects",
	Question: "How often does a call act twice when replies are lost after the work was done?",
	Claim:    "Without a key in a share p of the calls, with one retry; with a key never.",
	Source:   "practitioners' claim, p = 0.1",
	Arms:     []Arm{{"no_key", nil}, {"key", []string{"policy.idempotency_key=true"}}},
	References: []Reference{
		exactly("duplicates_per_1000", 100, "effects"),
		exactly("duplicates_per_1000_key", 0, "effects"),
	},
	readings: []reading{
		{"duplicates_per_1000", "no_key", "side_effects_duplicated", 0.5},
		{"duplicates_per_1000_key", "key", "side_effects_duplicated", 0.5},
	},
}

var fallbackChain = Experiment{
	Name:     "fallback-chain",
	Question: "What does a second, dearer provider buy in an outage of ten minutes?",
	Claim:    "With a breaker and a fallback every call is answered, for a price between the two, and the first provider is back within an open time of the breaker.",
	Source:   "practitioners' claim; the second costs three times as much and serves half of the twenty minutes: (1+3)/2; our bands are 5 % for money, and calls that are answered by a retry at either end of the outage",
	Arms:     []Arm{{"fallback", nil}, {"alone", []string{"fallbacks=[]", "policy.fallback.on=false", "policy.breaker.when_open=fail"}}},
	References: []Reference{
		exactly("answered_ratio_fallback", 1, "share"),
		within("answered_ratio_alone", 0.5, 0.48, 0.55, "share"),
		within("usd_ratio_fallback_over_alone", 2, 1.9, 2.1, "ratio"),
		within("usd_per_1000_answers_alone", 0.27, 0.265, 0.275, "USD"),
		within("usd_per_1000_answers_fallback", 0.54, 0.513, 0.567, "USD"),
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
		return map[string]Sample{
			"answered_ratio_fallback": arms["fallback"].metric("success_ratio"), "answered_ratio_alone": arms["alone"].metric("success_ratio"),
			"usd_ratio_fallback_over_alone": arms["fallback"].over(arms["alone"], "usd_per_1000_answers"), "return_s": back,
			"usd_per_1000_answers_alone": arms["alone"].metric("usd_per_1000_answers"), "usd_per_1000_answers_fallback": arms["fallback"].metric("usd_per_1000_answers"),
		}, err
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
