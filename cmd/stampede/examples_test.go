package main

import (
	"path/filepath"
	"testing"

	"stampede/measure"
	"stampede/scenario"
)

// Each example shows what its comment says, by means of three replications. Where a value is random its
// bounds are at least five standard deviations of that mean away.
func TestExamplesShowWhatTheySay(t *testing.T) {
	const budget = "policy.budget={share: {ratio: 10%}}"
	const ownLimits = "provider.limits=[{resource: requests, limit: 300/min, keys: [online]}, " +
		"{resource: requests, limit: 300/min, keys: [batch]}]"
	const fullJitter = "policy.retry.backoff.exponential.jitter=full"
	const sdkTimeout = "workload.mix.0.timeouts.attempt=none"
	for _, c := range []struct {
		file     string
		set      []string
		metric   string
		min, max float64
	}{
		// Waits of 1, 2, 4, 8, 16 and then 20 s bring eight of the twelve waves after the outage, each of which
		// finds 50 tokens in the bucket: 400 of 1,000.
		{"herd", nil, "success_ratio", 0.4, 0.4},
		{"herd", []string{fullJitter}, "success_ratio", 1, 1},
		{"timeout-bill", []string{"policy.timeouts.attempt=30s"}, "usd_wasted", 0, 0.5},
		{"timeout-bill", nil, "usd_wasted", 10, 20},
		{"retry-storm", nil, "collapsed", 1, 1},
		{"retry-storm", []string{budget}, "collapsed", 0, 0},
		{"retry-storm", []string{"policy.gate.semaphore=100"}, "collapsed", 0, 0},
		{"tiers", []string{"provider.preset=openai-launch-gpt-4o"}, "success_ratio", 0.97, 1},
		{"tiers", []string{"fleet.workers=64"}, "success_ratio", 0, 0.6},
		{"chat-service", nil, "success_ratio", 0.3, 0.45},
		{"chat-service", []string{"provider.preset=openai-grow-gpt-4o"}, "success_ratio", 0.88, 0.94},
		{
			"chat-service", []string{"provider.preset=openai-grow-gpt-4o", "fleet.workers=32"},
			"success_ratio", 0.985, 1,
		},
		// 30M tokens a minute hold 2,700 calls of 8.4k each; 450k hold 54 of 900, 6 %.
		{"engineer", nil, "success_ratio", 0.05, 0.1},
		{"engineer", []string{"provider.preset=openai-grow-gpt-4o", "fleet.workers=24"}, "success_ratio", 0.985, 1},
		{"batch-beside-online", nil, "success_ratio", 0, 0.1},
		{"batch-beside-online", []string{ownLimits}, "success_ratio", 0.99, 1},
		{"batch-beside-online", []string{"other_fleets.0.fleet.workers=4"}, "success_ratio", 0.99, 1},
		{"agent-fleet", nil, "max_attempts_per_call", 9, 9},
		{"agent-fleet", []string{"policy.outer_layers=none"}, "max_attempts_per_call", 3, 3},
		{"vllm-server", nil, "success_ratio", 0, 0.05},
		{"vllm-server", []string{"provider.capacity.queue=40"}, "success_ratio", 0.4, 0.5},
		// 895 tokens a call, 8k at once and then 58k a minute: (300 x 895 - 8k)/58k min = 270 s, and the last answer;
		// 1,774 by prompt + max_tokens: 542 s.
		{"paced-tokens", nil, "makespan_s", 265, 295},
		{"paced-tokens", []string{"policy.pace.settle=false"}, "makespan_s", 515, 560},
		{"paced-tokens", []string{"policy.pace=none"}, "success_ratio", 0.65, 0.85},
		{"paced-tokens", []string{"provider.limits.0.settle=none"}, "throttled_ratio", 0.85, 0.95},
		{"azure-trace", nil, "answered", 456, 456},
		// 10 tokens at 50 a second after 0.4 s. Without a timeout of their own 1 classification in 100 holds a worker
		// for the 10 minutes of httpx: 4/s x 0.9 x 1% x 600 s = 22 of 24 workers, and the others need 14.
		{"two-kinds", nil, "kind_1_latency_p50_s", 0.55, 0.7},
		{"two-kinds", []string{sdkTimeout}, "kind_1_latency_p50_s", 60, 1200},
		// The same 36 attempts in flight, with a worker for each call, take all of 24 connections and not of 100.
		{"two-kinds", []string{"fleet.workers=none", sdkTimeout, "policy.max_connections=24"}, "pool_wait_s", 20, 800},
		{"two-kinds", []string{"fleet.workers=none", sdkTimeout}, "pool_wait_s", 0, 0},
		// 1 request in 10 is a summary, of which few end within 3 s.
		{"two-kinds", []string{"workload.mix.1.timeouts.attempt=3s"}, "success_ratio", 0.88, 0.93},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("..", "..", "examples", c.file+".yaml")
			template, err := scenario.ReadTemplate(path, scenario.Options{Set: c.set})
			if err != nil {
				t.Fatal(err)
			}
			s, err := template.With(nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			runs, err := measure.Replicator{Jobs: 1}.Run(t.Context(), s, 0, 3)
			if err != nil {
				t.Fatal(err)
			}
			got := measure.EstimateOf(measure.Column(runs, measure.Index(c.metric)), 0.95).Mean
			if !(got >= c.min && got <= c.max) {
				t.Errorf("%v: %s %g; want %g to %g", c.set, c.metric, got, c.min, c.max)
			}
		})
	}
}
