package engine

import (
	"fmt"
	"testing"
)

// herd is a thousand clients at once with full jitter, most of them refused again and again.
const herd = `
workload: {burst: {calls: 1000}, prompt_tokens: 800, output_tokens: 200}
provider:
  limits: [{resource: requests, limit: 20/s, burst: 20}]
  latency: {first_token: 500ms}
policy:
  retry: {attempts: 8, backoff: {exponential: {base: 1s, factor: 2, cap: 30s, jitter: full}}, retry_after: ignore}
price: gpt-4o-mini
`

// BenchmarkRun is the answer to a slider: a run under another setting, with its replay.
func BenchmarkRun(b *testing.B) {
	b.ReportAllocs()
	var session Session
	for i := range b.N {
		set := []any{fmt.Sprintf("policy.retry.backoff.exponential.cap=%ds", 20+i%20)}
		args := map[string]any{"document": herd, "set": set, "replication": 0.0, "replay": true}
		if answer, ok := session.Answer("run", args); !ok {
			b.Fatal(answer.Value)
		}
	}
}
