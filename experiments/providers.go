package experiments

import (
	"fmt"
	"math"
	"slices"
)

// The experiments about what providers do. Each reference stands here and
// nowhere else.

// hints are refusals that OpenAI and Groq printed: limit, used, requested, and
// the wait in the message, with the digit to which it was printed.
var hints = []struct {
	key             string
	limit           string
	requests        bool
	used, requested int
	printed, digit  float64 // seconds
}{
	{"openai_tpm_50k", "50k/min", false, 47949, 3006, 1.146, 0.001},
	{"openai_tpm_200k", "200k/min", false, 195869, 4412, 0.084, 0.001},
	{"openai_tpm_30k", "30k/min", false, 22999, 12528, 11.054, 0.001},
	{"openai_tpm_500k", "500k/min", false, 500000, 83734, 10.048, 0.001},
	{"openai_rpm_3", "3/min", true, 3, 1, 20, 0.001},
	{"openai_rpm_500", "500/min", true, 500, 1, 0.120, 0.001},
	{"openai_rpd_10k", "10k/day", true, 10000, 1, 8.64, 0.001},
	{"openai_rpd_200", "200/day", true, 200, 1, 432, 0.001},
	{"openai_rpd_50", "50/day", true, 50, 1, 1728, 0.001},
	{"groq_tpm_6k", "6k/min", false, 4093, 3531, 16.239999999, 2e-9},
	{"groq_tpm_8k", "8k/min", false, 7297, 974, 2.0325, 1e-9},
	{"groq_tpd_100k", "100k/day", false, 99996, 484, 414.72, 1e-9},
	{"groq_tpd_200k", "200k/day", false, 197494, 4035, 660.528, 1e-9},
	{"groq_tpd_200k_b", "200k/day", false, 199336, 1524, 371.52, 1e-9},
}

var openaiHint = Experiment{
	Name:     "openai-hint",
	Question: "Is a provider's limiter a bucket that refills continuously?",
	Claim:    "The wait in a refusal is (used + requested - limit) over the rate, in 14 of 14 published ones and in one reckoned case.",
	Source:   "messages of OpenAI and Groq in public logs",
	Arms:     hintArms(),
	References: append([]Reference{within("wait_ms", 148.2, 148.15, 148.25, "ms")},
		hintReferences()...),
	measure: func(l *lab) (map[string]Sample, error) {
		arms, err := l.playAll()
		if err != nil {
			return nil, err
		}
		out := map[string]Sample{"wait_ms": {Values: []float64{1000 * arms["wait"].metric("retry_after_wait_s").Values[0]}}}
		for _, h := range hints {
			out["wait_s_"+h.key] = arms[h.key].metric("retry_after_wait_s")
		}
		return out, nil
	},
}

func hintArms() []Arm {
	arms := []Arm{{"wait", nil}}
	for _, h := range hints {
		limit := fmt.Sprintf("provider.limits=[{resource: tokens, limit: %s, used: %d, charge: prompt}]", h.limit, h.used)
		if h.requests {
			limit = fmt.Sprintf("provider.limits=[{resource: requests, limit: %s, used: %d}]", h.limit, h.used)
		}
		arms = append(arms, Arm{h.key, []string{limit, fmt.Sprintf("workload.trace.rows.0.prompt_tokens=%d", h.requested)}})
	}
	return arms
}

func hintReferences() (out []Reference) {
	for _, h := range hints {
		out = append(out, within("wait_s_"+h.key, h.printed, h.printed-h.digit, h.printed+h.digit, "s"))
	}
	return out
}

var droppingBucket = Experiment{
	Name:     "dropping-bucket",
	Question: "How much does a limit refuse when requests come at exactly its rate, and what does its kind change?",
	Claim:    "A bucket of burst b that drops Poisson requests is M/D/1/K with K = b; a window of 60 refuses as much as a bucket of burst 10.",
	Source:   "queueing theory: 1 - 1/(pi0 + rho) for the bucket, E(X-N)+/m for the window",
	Arms: []Arm{
		{"b1", nil},
		{"b2", []string{"provider.limits.0.burst=2"}},
		{"b5", []string{"provider.limits.0.burst=5"}},
		{"b10", []string{"provider.limits.0.burst=10"}},
		{"b60", []string{"provider.limits.0.burst=60", "workload.open.calls=400k"}},
		{"window", []string{"provider.limits=[{resource: requests, limit: 60/6s, kind: fixed_window}]"}},
	},
	References: []Reference{
		printed("throttled_ratio_b1", 0.500, 3, "share").of("b1", "throttled_ratio"),
		printed("throttled_ratio_b2", 0.269, 3, "share").of("b2", "throttled_ratio"),
		printed("throttled_ratio_b5", 0.1035, 4, "share").of("b5", "throttled_ratio"),
		printed("throttled_ratio_b10", 0.0509, 4, "share").of("b10", "throttled_ratio"),
		printed("throttled_ratio_b60", 0.0084, 4, "share").of("b60", "throttled_ratio"),
		printed("throttled_ratio_window", 0.0514, 4, "share").of("window", "throttled_ratio"),
	},
}

// herdPolicies are the clients of the herd experiments, in the order of the
// reference.
var herdPolicies = []struct {
	key string
	set []string
}{
	{"sdk", []string{"policy=openai-python@2.46"}},
	{"anthropic", []string{"policy=anthropic-python@0.84"}},
	{"botocore", []string{"policy=botocore-standard@1.43", "fleet.instances=1000", "fleet.dealt=in_turn"}}, // each with a retry quota of its own
	{"genai", []string{"policy.retry.attempts=5", "policy.retry.backoff.exponential.jitter.plus=1s"}},
	{"equal", []string{"policy.retry.backoff.exponential.jitter=equal"}},
	{"full", nil},
	{"decorrelated", []string{"policy.retry.backoff.exponential.jitter=decorrelated"}},
	{"none", []string{"policy.retry.backoff.exponential.jitter=none"}},
}

// fewRuns is a reference of the herds, which do not say how many runs they rest on. It is more
// than one, since a percentage of 1,000 calls with two decimals is a mean; five are assumed.
func (r Reference) fewRuns() Reference {
	r = r.differs(0, "the reference does not say of how many runs it is the mean; of five, as is assumed here, 99 % of the means would lie in the range beside the verdict")
	r.Runs = 5
	return r
}

// runs are the replications of an arm whose mean lies outside the band of its reference, so
// that its verdict is the same with nearly every seed: about (5 x standard deviation of a run /
// distance to the band)^2.
func runs(arm string, of map[string]int) []string {
	if of[arm] == 0 {
		return nil
	}
	return []string{fmt.Sprintf("replications=%d", of[arm])}
}

var rejectedRuns = map[string]int{"debt_genai": 700, "debt_equal": 1000, "debt_full": 2500, "debt_decorrelated": 1100, "zero_full": 200, "zero_decorrelated": 100}

var rejectedCallsCount = Experiment{
	Name:     "rejected-calls-count",
	Question: "What happens to a herd when refused calls count against the limit as well?",
	Claim:    "Counting refused calls changes the order of the policies: into debt decorrelated jitter leads with 39 % and nobody else passes a quarter, down to zero equal jitter answers everyone and decorrelated beats full.",
	Source:   "simulation published with the claim; 1,000 calls at once, 10/s, burst 10",
	Arms:     rejectedArms(),
	References: []Reference{
		printed("answered_pct_debt_sdk", 1.00, 2, "%"),
		printed("answered_pct_debt_botocore", 1.00, 2, "%"),
		printed("answered_pct_debt_genai", 3.5, 1, "%").fewRuns(),
		printed("answered_pct_debt_equal", 24.7, 1, "%").fewRuns(),
		printed("answered_pct_debt_full", 17.9, 1, "%").fewRuns(),
		printed("answered_pct_debt_decorrelated", 38.9, 1, "%").fewRuns(),
		printed("answered_pct_debt_none", 10.0, 1, "%"),
		printed("answered_pct_zero_sdk", 1.9, 1, "%"),
		printed("answered_pct_zero_botocore", 1.0, 1, "%"),
		printed("answered_pct_zero_genai", 5.5, 1, "%"),
		printed("answered_pct_zero_equal", 100, 0, "%"),
		printed("answered_pct_zero_full", 59.8, 1, "%").fewRuns(),
		printed("answered_pct_zero_decorrelated", 61.6, 1, "%").fewRuns(),
		printed("answered_pct_zero_none", 11.0, 1, "%"),
	},
	measure: func(l *lab) (map[string]Sample, error) {
		arms, err := l.playAll()
		if err != nil {
			return nil, err
		}
		out := map[string]Sample{}
		for name, arm := range arms {
			out["answered_pct_"+name] = arm.ratio("answered", "calls", 100)
		}
		return out, nil
	},
}

func rejectedArms() (arms []Arm) {
	for _, rule := range []struct{ key, word string }{{"debt", "into_debt"}, {"zero", "to_zero"}} {
		for _, p := range herdPolicies {
			if p.key == "anthropic" { // as sdk
				continue
			}
			arms = append(arms, Arm{rule.key + "_" + p.key, slices.Concat([]string{"provider.limits.0.rejected=" + rule.word}, p.set, runs(rule.key+"_"+p.key, rejectedRuns))})
		}
	}
	return arms
}

var tokenThrottle = Experiment{
	Name:     "token-throttle",
	Question: "Can a client be throttled far below its limit on requests?",
	Claim:    "A few long prompts empty the budget of tokens: throttled at under 20 % of the request limit.",
	Source:   "practitioners' claim; MetaGPT issue 523",
	Arms:     []Arm{{"long", nil}},
	References: []Reference{
		within("requests_used_ratio", 0.2, math.Inf(-1), 0.2, "share").of("long", "attempts_per_s").times(60.0 / 500), // of 500 requests a minute
		within("throttled_ratio", 1e-6, 1e-6, math.Inf(1), "share").of("long", "throttled_ratio"),
	},
}

var throttleIsFree = Experiment{
	Name:     "throttle-is-free",
	Question: "What do refused requests cost?",
	Claim:    "Stock SDK defaults turn each refused question into three requests, and a 429 generates nothing to pay for.",
	Source:   "practitioners' claim; refused for the whole run, so that all that is paid would be extra",
	Arms:     []Arm{{"refused", nil}},
	References: []Reference{
		exactly("amplification", 3.0, "attempts per call").of("refused", "attempts_per_call"),
		exactly("usd_extra", 0, "USD").of("refused", "usd_total"),
	},
}

// longAnswers is the share of answers that take more than 60 s: of exponential
// lengths of mean 1,000, rounded to whole tokens, those of 3,001 and more.
var longAnswers = math.Exp(-3000.5 / 1000)

var streamTimeouts = Experiment{
	Name:     "stream-timeouts",
	Question: "Which timeout kills long answers?",
	Claim:    "A total timeout of 60 s kills every answer over 60 s; one on the gap between chunks kills none.",
	Source:   "practitioners' claim; P(output > 3,000) = exp(-3.0005)",
	Arms:     []Arm{{"total", nil}, {"gap", []string{"policy.timeouts.attempt=none", "policy.timeouts.gap=60s"}}},
	References: []Reference{
		within("killed_ratio_total", longAnswers, longAnswers, longAnswers, "share"),
		exactly("killed_ratio_gap", 0, "share"),
	},
	measure: func(l *lab) (map[string]Sample, error) {
		arms, err := l.playAll()
		if err != nil {
			return nil, err
		}
		return map[string]Sample{
			"killed_ratio_total": arms["total"].ratio("attempts_timeout", "calls", 1),
			"killed_ratio_gap":   arms["gap"].ratio("attempts_timeout", "calls", 1),
		}, nil
	},
}

var billedTimeouts = Experiment{
	Name:     "billed-timeouts",
	Question: "How far can timeouts multiply a bill without a single refusal?",
	Claim:    "Three attempts inside an outer loop reach a bill of 5.7 times what is kept, with zero 429.",
	Source:   "published result; where one attempt in 5.7 is in time, each answer takes 5.7 attempts in the mean",
	Arms:     []Arm{{"loop", nil}},
	References: []Reference{
		printed("billed_over_kept", 5.7, 1, "ratio"),
		exactly("attempts_429", 0, "attempts"),
	},
	measure: func(l *lab) (map[string]Sample, error) {
		arm, err := l.play("loop", nil)
		if err != nil {
			return nil, err
		}
		kept := make([]float64, len(arm))
		total, wasted := arm.metric("usd_total").Values, arm.metric("usd_wasted").Values
		for i := range kept {
			kept[i] = total[i] / (total[i] - wasted[i])
		}
		return map[string]Sample{"billed_over_kept": {Values: kept}, "attempts_429": arm.metric("attempts_throttled")}, nil
	},
}

var relay = Experiment{
	Name:     "relay",
	Question: "What does a relay cost that strips Retry-After and turns 529 into 500?",
	Claim:    "Clients that are not told how long to wait send more attempts, which the overload refuses, and are through later than those that are: their backoff knows nothing of its end.",
	Source:   "practitioners' claim; the time to recover is that until the queue is empty. The other status changes nothing, since both are tried again: it hides the overload from those who look",
	Arms: []Arm{
		{"direct", nil},
		{"relay", []string{"provider.gateway={strip_retry_after: true, rewrite: [{from: 529, to: 500}]}"}},
	},
	References: []Reference{
		atLeast("extra_attempts_relay", 1, "attempts"),
		atLeast("extra_refused_relay", 1, "attempts"),
		atLeast("extra_makespan_relay_s", 1, "s"),
	},
	measure: func(l *lab) (map[string]Sample, error) {
		arms, err := l.playAll()
		if err != nil {
			return nil, err
		}
		refused := arms["relay"].metric("attempts_server_error")
		for i, direct := range arms["direct"].metric("attempts_overloaded").Values {
			refused.Values[i] -= direct
		}
		return map[string]Sample{
			"extra_attempts_relay":   arms["relay"].beyond(arms["direct"], "attempts"),
			"extra_refused_relay":    refused,
			"extra_makespan_relay_s": arms["relay"].beyond(arms["direct"], "makespan_s"),
		}, nil
	},
}

var keyIsolation = Experiment{
	Name:     "key-isolation",
	Question: "What does a batch job do to online users who share its key, and what does a second key change when both together have the same limit?",
	Claim:    "On one key the job's refusals are the users' refusals; with a key for each, of the same total, the users meet none, and the job loses only what was not its own.",
	Source:   "practitioners' claim",
	Arms: []Arm{
		{"one_key", nil},
		{"two_keys", []string{keysOfTheirOwn}},
		{"one_key_batch", []string{"measure=batch"}},
		{"two_keys_batch", []string{keysOfTheirOwn, "measure=batch"}},
	},
	References: []Reference{
		within("online_throttled_ratio_one_key", 0.1, 0.1, math.Inf(1), "share"),
		exactly("online_throttled_ratio_two_keys", 0, "share"),
		within("online_success_ratio_gained", 0.01, 0.01, math.Inf(1), "share"),
		within("batch_goodput_ratio_two_over_one", 0.75, 0.75, math.Inf(1), "ratio"),
	},
	measure: func(l *lab) (map[string]Sample, error) {
		arms, err := l.playAll()
		if err != nil {
			return nil, err
		}
		return map[string]Sample{
			"online_throttled_ratio_one_key":   arms["one_key"].metric("throttled_ratio"),
			"online_throttled_ratio_two_keys":  arms["two_keys"].metric("throttled_ratio"),
			"online_success_ratio_gained":      arms["two_keys"].beyond(arms["one_key"], "success_ratio"),
			"batch_goodput_ratio_two_over_one": arms["two_keys_batch"].over(arms["one_key_batch"], "goodput_per_min"),
		}, nil
	},
}

// keysOfTheirOwn splits the limit of 600 requests a minute.
const keysOfTheirOwn = "provider.limits=[{resource: requests, limit: 120/min, keys: [online]}, {resource: requests, limit: 480/min, keys: [batch]}]"
