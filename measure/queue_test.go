package measure

import "testing"

// A queue that delivers a call again 8 s after each delivery, three times at most. The first call fails 10 s after each
// delivery, at 10, 18 and 26 s: a dead letter. The second comes at 100 s and takes 20 s: the answer to its first
// delivery, at 120 s, is useful, and those of the deliveries at 108 and 116 s are paid for as well ($0.002 each)
// and act. Failures that are acknowledged are no dead letters: then the first call ends at 18 s, with the delivery that
// was under way when the first one failed.
func TestQueueThatDeliversWhileWorking(t *testing.T) {
	const text = `
name: queue
replications: 1
workload:
  trace: {rows: [{at: 0s}, {at: 100s}]}
  prompt_tokens: 1000
  output_tokens: 100
  side_effects: true
  redeliver: {visible_after: 8s, while_working: true, deliveries: 3}
fleet: {workers: 9}
provider:
  latency: {first_token: 20s}
  faults: [{status: 500, for: 50s, after: 10s}]
price: {input: 1, output: 10}
`
	metrics := []string{"calls", "answered", "terminal_error", "dead_letters", "attempts", "side_effects_duplicated",
		"usd_total", "usd_wasted", "usd_wasted_redelivery", "latency_mean_s", "latency_all_mean_s", "makespan_s"}
	for set, want := range map[string][]float64{
		"workload.redeliver.failed=true":  {2, 1, 1, 1, 6, 2, 0.006, 0.004, 0.004, 20, (26 + 20) / 2., 120},
		"workload.redeliver.failed=false": {2, 1, 1, 0, 5, 2, 0.006, 0.004, 0.004, 20, (18 + 20) / 2., 120},
	} {
		for i, got := range valuesOf(t, text, []string{set}, metrics...) {
			if got[0] != want[i] {
				t.Errorf("%s: %s is %g, want %g", set, metrics[i], got[0], want[i])
			}
		}
	}
}
