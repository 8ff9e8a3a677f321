package measure

import (
	"math"
	"testing"
)

// Four requests a second apart at 4 bytes a token: the first is 32 MB to the byte, the second a token more.
const sized = `
name: sized
replications: 1
workload:
  trace:
    rows: [{at: 0s, prompt_tokens: 8M}, {at: 1s, prompt_tokens: 8000001}, {at: 2s, prompt_tokens: 9M},
      {at: 3s, prompt_tokens: 100}]
  output_tokens: 10
provider: {dialect: anthropic, max_request: 32MB, limits: [{resource: requests, limit: 2/h, counts: attempts}]}
policy: anthropic-python@0.35
`

// Requests that are too large end with 413 after one attempt, whatever the client retries and whatever else
// is wrong with the provider, and no limit counts them.
func TestRequestsThatAreTooLarge(t *testing.T) {
	for _, c := range []struct {
		name   string
		set    []string
		metric string
		want   float64
	}{
		{"the two that fit use up the limit", nil, "answered", 2},
		{"one attempt each", nil, "attempts", 4},
		{"for good", nil, "terminal_error", 2},
		{"by name", nil, "max_request_refused", 2},
		{"by meaning", nil, "refused_too_large", 2},
		{"and not by the limit", nil, "limit_1_refused", 0},
		{"without a bound", []string{"provider.max_request=none"}, "max_request_refused", math.NaN()},
		{"half as much to a token", []string{"provider.max_request={bytes: 32MB, bytes_per_token: 2}"},
			"max_request_refused", 0},
		{"ten times as much", []string{"provider.max_request={bytes: 32MB, bytes_per_token: 40}"},
			"max_request_refused", 3},
		{"32 MiB, 8,388,608 tokens", []string{"provider.max_request=32MiB"}, "max_request_refused", 1},
		{"in tokens", []string{"provider.max_request={tokens: 8000001}"}, "max_request_refused", 1},
		// Three attempts for each of the two that are not refused before.
		{"before an outage", []string{"provider.faults=[{status: 503}]"}, "attempts", 2 + 2*3},
		{"a provider that reads more", []string{"policy.fallback.on=true", "fallbacks=[{provider: {}}]"},
			"fallback_answers", 2},
		{"a status that is retried", []string{"provider.max_request={tokens: 8M, status: 429}"}, "attempts", 2 + 2*3},
	} {
		got := valuesOf(t, sized, c.set, c.metric)[0][0]
		if got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s: %s is %v, want %v", c.name, c.metric, got, c.want)
		}
	}
}

// A call every ten seconds, from 10 to 300 s, against three requests a minute and a balance of seven dollars, a
// dollar for each answer.
const metered = `
name: metered
replications: 1
workload: {open: {rate: 6/min, gaps: constant, calls: 30}, prompt_tokens: 1M, output_tokens: 1}
provider:
  dialect: openai
  limits: [{resource: requests, limit: 3/min, kind: fixed_window}, {resource: dollars, balance: $7}]
price: {input: 1, output: 0}
`

// Refusals with one status are counted by what they mean: of the calls of each minute those after the third are
// told to wait, 40 and 50 s, 90 to 110 s, and once the seventh answer, that of 120 s, has used up the
// balance, the eighteen from 130 s on that no wait helps.
func TestRefusalsByMeaning(t *testing.T) {
	const wait, quota, large, busy = "refused_rate_limit", "refused_quota", "refused_too_large", "refused_overloaded"
	type counts map[string]float64
	// From 100 s on, a code in place of the balance: 40, 50 and 90 s before it.
	fault := func(code string) []string {
		return []string{"provider.limits=[{resource: requests, limit: 3/min, kind: fixed_window}]",
			"provider.faults=[{at: 100s, status: 429, code: " + code + "}]"}
	}
	for _, c := range []struct {
		name string
		set  []string
		want counts
	}{
		{"by limit", nil, counts{wait: 5, quota: 18, large: 0, busy: 0, "answered": 7, "attempts_throttled": 23}},
		{"under another status", []string{"provider.dialect=anthropic"},
			counts{wait: 5, quota: 18, "attempts_throttled": 5, "attempts_terminal": 18}},
		{"without a code", []string{"provider.dialect=azure"}, counts{wait: 5, quota: 18, "attempts_throttled": 23}},
		{"rewritten on the way", []string{"provider.gateway={rewrite: [{from: 429, to: 500}]}"},
			counts{wait: 5, quota: 18, "attempts_server_error": 23}},
		{"by code", fault("insufficient_quota"), counts{wait: 3, quota: 21, "answered": 6}},
		{"by another code", fault("rate_limit_exceeded"), counts{wait: 24, quota: 0}},
		{"after a warm-up", []string{"warmup=125s"}, counts{wait: 0, quota: 18}},
		{"a request that never fits", []string{"workload.max_tokens=1",
			"provider.limits=[{resource: tokens, limit: 500k/min}]"},
			counts{wait: 0, large: 30, "attempts_throttled": 30}},
		{"and is told so", []string{"workload.max_tokens=1", "provider.dialect=groq",
			"provider.limits=[{resource: tokens, limit: 500k/min}]"}, counts{large: 30, "attempts_terminal": 30}},
		// Each second one comes while the one before is answered.
		{"no slot, status 429", []string{"provider={dialect: azure, capacity: {slots: 1}, " +
			"latency: {first_token: 15s}}"},
			counts{wait: 0, busy: 15, "attempts_throttled": 15}},
		{"no slot, status 503", []string{"provider={capacity: {slots: 1}, latency: {first_token: 15s}}"},
			counts{busy: 15, "attempts_overloaded": 15}},
		{"a failure is no refusal", []string{"provider.faults=[{status: 500}]"},
			counts{wait: 0, quota: 0, large: 0, busy: 0}},
	} {
		for metric, want := range c.want {
			if got := valuesOf(t, metered, c.set, metric)[0][0]; got != want {
				t.Errorf("%s: %s is %v, want %v", c.name, metric, got, want)
			}
		}
	}
}
