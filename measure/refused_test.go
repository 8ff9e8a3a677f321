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
