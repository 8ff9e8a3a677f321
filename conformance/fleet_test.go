package conformance

import (
	"fmt"
	"sync"
	"testing"

	"stampede/fleet"
	"stampede/policy"
	"stampede/scenario"
	"stampede/sim"
	"stampede/wire"
)

// counting guards what several clients count.
var counting sync.Mutex

// fleetModel is a batch of questions for workers that use openai-go, before a provider of
// two requests a second.
func fleetModel(t *testing.T, workers, questions int) *fleet.Model {
	t.Helper()
	s, err := scenario.Read([]byte(fmt.Sprintf(`
name: real-clients
workload: {batch: {calls: %d}, prompt_tokens: 40, output_tokens: 16}
fleet: {workers: %d}
provider:
  dialect: openai
  round_trip: 60ms
  limits: [{resource: requests, limit: 120/min, burst: 20}]
  retry_after: {round: 1s}
  latency: {first_token: {lognormal: {p50: 500ms, p95: 1500ms}}, tokens_per_second: 50}
policy: openai-go@3.98
`, questions, workers)), "conformance", scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &s.Model
}

// counter counts what the real clients are held against.
type counter struct{ answered, attempts, throttled, makespan float64 }

func (c *counter) Attempt(a *fleet.Attempt) {
	c.attempts++
	if a.Class() == wire.Throttled {
		c.throttled++
	}
}

func (c *counter) Call(r *fleet.Call) {
	if r.Outcome == policy.Answered {
		c.answered++
	}
	c.makespan = max(c.makespan, r.Ended.Seconds())
}

func simulate(t *testing.T, m *fleet.Model, replications int) map[string]*sim.Moments {
	t.Helper()
	out := map[string]*sim.Moments{"answered": {}, "attempts": {}, "throttled": {}, "makespan": {}}
	for r := range replications {
		var c counter
		if _, err := m.Run(1, r, &c); err != nil {
			t.Fatal(err)
		}
		out["answered"].Add(c.answered)
		out["attempts"].Add(c.attempts)
		out["throttled"].Add(c.throttled)
		out["makespan"].Add(c.makespan)
	}
	return out
}
