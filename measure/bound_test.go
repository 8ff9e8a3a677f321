package measure

import (
	"math"
	"strings"
	"testing"

	"stampede/scenario"
)

// replicate runs so many replications of a scenario.
func replicate(t *testing.T, text string, n int) []Run {
	t.Helper()
	s, err := scenario.Read([]byte(text), "f", scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	runs, err := Replicator{Jobs: 1}.Run(t.Context(), s, 0, n)
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

// No run is faster than its bound and none uses more of a limit than there is, also of
// limits that count in the end what they could not know at admission.
func TestBoundHoldsForEveryLimit(t *testing.T) {
	for _, limit := range []string{
		"{resource: dollars, limit: $1/min}", "{resource: output_tokens, limit: 100/min}", "{resource: tokens, " +
			"limit: 3k/min, settle: multiply_output, output_factor: 9}",
		"{resource: tokens, limit: 3k/min, kind: leaky_bucket}", "{resource: tokens, limit: 3k/min, kind: " +
			"fixed_window, resets_at: '23:40'}", "{resource: requests, limit: 30/min}",
	} {
		text := "name: t\nworkload: {burst: {calls: 60}, prompt_tokens: 100, output_tokens: 50, max_tokens: " +
			"80}\nprovider: {limits: [" + limit + "]}\n" +
			"policy: {retry: {attempts: unlimited, deadline: 10h, retry_after: in_full, backoff: {constant: " +
			"1s}}}\nprice: {input: 100, output: 900}\nreplications: 2\n"
		runs := replicate(t, text, 2)
		for _, r := range runs {
			bound, makespan := r.Values[Index("makespan_lower_bound_s")], r.Values[Index("makespan_s")]
			used := r.Values[Index("quota_used_ratio")]
			if bound > makespan || used > 1 {
				t.Errorf("%s: makespan %g s below the bound %g s, or %g of the limit used", limit, makespan, bound,
					used)
			}
		}
	}
}

// The bound and the quota used, by hand, and a run of each that comes close to its bound.
func TestBoundsByHand(t *testing.T) {
	for _, c := range []struct {
		name, workload, provider string
		bound, used              float64 // 0 is not looked at
		within                   float64 // of the bound is the makespan
	}{
		// Eight answers of 800 tokens may be in flight when the last one is admitted: (300 - 8) x 800 less
		// the burst of 8,000 at 8,000 a minute, and then the last one takes 2 s.
		{"output tokens", "{batch: {calls: 300}, prompt_tokens: 100, output_tokens: 800}",
			"{limits: [{resource: output_tokens, limit: 8k/min}], latency: {first_token: 2s}}", 1692 + 2, 1, 0.05},
		// Dollars likewise: an answer is 0.0001 x 100 + 0.0009 x 50 = $0.055; (100 - 8) x 0.055 less $1 at $1 a minute.
		{"dollars", "{batch: {calls: 100}, prompt_tokens: 100, output_tokens: 50}",
			"{limits: [{resource: dollars, limit: $1/min}], latency: {first_token: 2s}}", 243.6 + 2, 0, 0.2},
		{"a fixed window", "{batch: {calls: 200}, prompt_tokens: 100, output_tokens: 50}",
			"{limits: [{resource: requests, limit: 150/day, kind: fixed_window}]}", 86_400, 200.0 / 300, 0.01},
		{"a sliding window", "{batch: {calls: 200}, prompt_tokens: 100, output_tokens: 50}",
			"{limits: [{resource: requests, limit: 150/day, kind: sliding_window}]}", 86_400, 200.0 / 300, 0.01},
		{"a leaky bucket: the burst, one over the brim, and 50 more at 60 a minute",
			"{batch: {calls: 111}, prompt_tokens: 100, output_tokens: 50}",
			"{limits: [{resource: requests, limit: 60/min, kind: leaky_bucket}]}", 50, 1, 0.05},
		{"nine at once", "{burst: {calls: 500}, prompt_tokens: 100, output_tokens: 50}",
			"{limits: [{resource: concurrency, limit: 9}], latency: {first_token: 2s}}", 112, 0, 0.6},
		{"nine at once, under the key of all", "{burst: {calls: 500}, prompt_tokens: 100, output_tokens: 50}",
			"{limits: [{resource: concurrency, limit: 9, models: [own price]}], latency: {first_token: " +
				"2s}}", 112, 0, 0.6},
		{"nine slots", "{burst: {calls: 500}, prompt_tokens: 100, output_tokens: 50}",
			"{capacity: {slots: 9, queue: 500}, latency: {first_token: 2s}}", 112, 0, 0.001},
		{"eight workers, each with 0.1 s on the way: 63 turns",
			"{batch: {calls: 500}, prompt_tokens: 100, output_tokens: 50}", "{round_trip: 100ms, latency: " +
				"{first_token: 2s}}", 63 * 2.1, 0, 0.001},
		{"a ramp: windows of 30 and 45, then 25 of the third",
			"{batch: {calls: 100}, prompt_tokens: 100, output_tokens: 50}",
			"{limits: [{resource: requests, limit: 30/min, kind: ramp, growth: 50%, every: 1m}]}", 120, 0, 0.1},
	} {
		text := "name: t\nworkload: " + c.workload + "\nfleet: {workers: 8}\nprovider: " + c.provider + "\n" +
			"policy: {retry: {attempts: none, retry_after: in_full, backoff: {constant: 1s}}}\nprice: {input: " +
			"100, output: 900}\nreplications: 1\n"
		if strings.Contains(c.workload, "burst") {
			text = strings.Replace(text, "fleet: {workers: 8}\n", "", 1)
		}
		runs := replicate(t, text, 1)
		value := func(name string) float64 { return runs[0].Values[Index(name)] }
		bound, makespan, used := value("makespan_lower_bound_s"), value("makespan_s"), value("quota_used_ratio")
		if math.Abs(bound-c.bound) > 0.01 || makespan < bound || makespan > (1+c.within)*bound {
			t.Errorf("%s: bound %.3f s, want %.3f; makespan %.3f s", c.name, bound, c.bound, makespan)
		}
		if c.used > 0 && math.Abs(used-c.used) > 0.02 {
			t.Errorf("%s: %.3f of the limit used, want %.3f", c.name, used, c.used)
		}
	}
}

// A daily quota of 50 that is gone after 50 of 239 calls is used up.
func TestQuotaUsedUp(t *testing.T) {
	text := "name: t\nworkload: {batch: {calls: 239}, prompt_tokens: 100, output_tokens: 50}\nfleet: {workers: " +
		"4}\nreplications: 1\n" +
		"provider: {limits: [{resource: requests, limit: 50/day, kind: fixed_window}]}\n"
	runs := replicate(t, text, 1)
	if used, n := runs[0].Values[Index("quota_used_ratio")], runs[0].Values[Index("answered")]; used != 1 || n != 50 {
		t.Errorf("%g answered, %g of the quota used; want 50 and 1", n, used)
	}
}

// Of 90 calls at once, one key of 30 requests an hour answers 30, and three keys in turn answer all. The
// shortest makespan depends on where calls are sent, so several keys have no bound.
func TestKeysAreQuotas(t *testing.T) {
	const text = "name: t\nreplications: 1\nworkload: {burst: {calls: 90}, prompt_tokens: 1, output_tokens: 1}\n" +
		"provider: {limits: [{resource: requests, limit: 30/h}]}\npolicy: {route: {by: round_robin}}\n"
	for keys, want := range map[string]float64{"": 30, "keys: 3\n": 90} {
		runs := replicate(t, text+keys, 1)
		value := func(name string) float64 { return runs[0].Values[Index(name)] }
		if got := value("answered"); got != want {
			t.Errorf("%s%g answered, want %g", keys, got, want)
		}
		if third := value("deployment_3_answered"); keys != "" && third != 30 || keys == "" && !math.IsNaN(third) {
			t.Errorf("%skey 3 answered %g, want 30 where it is there", keys, third)
		}
		if bound := value("makespan_lower_bound_s"); keys != "" && !math.IsNaN(bound) {
			t.Errorf("%sa bound of %g s", keys, bound)
		}
	}
}
