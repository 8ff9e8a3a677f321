package measure

import (
	"testing"

	"stampede/fleet"
	"stampede/internal/testkit"
	"stampede/scenario"
)

// BenchmarkReplication is one replication of 1,000 calls with all its metrics.
func BenchmarkReplication(b *testing.B) {
	s := testkit.Embedded(b, "workload.batch.calls=1000")
	b.ReportAllocs()
	for i := range b.N {
		tally := NewTally(s, 0)
		summary, err := s.Model.Run(1, i, fleet.Listeners{tally})
		if err != nil {
			b.Fatal(err)
		}
		tally.finish(&summary)
		tally.Values()
	}
}

// recorded keeps the first records of a run, few enough for the cache of a core: the loop of events
// has a record at hand when it closes it.
type recorded struct {
	attempts []fleet.Attempt
	calls    []fleet.Call
}

const keptRecords = 1000

func (r *recorded) Attempt(a *fleet.Attempt) {
	if len(r.attempts) < keptRecords {
		r.attempts = append(r.attempts, *a)
	}
}

func (r *recorded) Call(c *fleet.Call) {
	if len(r.calls) < keptRecords {
		r.calls = append(r.calls, *c)
	}
}

// BenchmarkTally is what the metrics add to a run: an attempt, and a call, of a herd whose calls are
// refused ten times and of the embedded scenario.
func BenchmarkTally(b *testing.B) {
	herd := testkit.Template(b, `
workload: {burst: {calls: 20000}, prompt_tokens: 100, output_tokens: 10}
fleet: {instances: 200, workers: 100}
provider:
  limits: [{resource: requests, limit: 200/s, burst: 200}]
  latency: {first_token: 500ms}
policy:
  retry: {attempts: none, backoff: {exponential: {base: 1s, factor: 2, cap: 10s, jitter: full}}, retry_after: ignore}
price: gpt-4o-mini
`).Base
	for _, c := range []struct {
		name     string
		scenario *scenario.Scenario
	}{{"herd", herd}, {"embedded", testkit.Embedded(b)}} {
		var r recorded
		if _, err := c.scenario.Model.Run(1, 0, &r); err != nil {
			b.Fatal(err)
		}
		tally := func(name string, records int, add func(*Tally, int)) {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				for done := 0; done < b.N; done += records {
					t := NewTally(c.scenario, 0)
					for i := range min(records, b.N-done) {
						add(t, i)
					}
				}
			})
		}
		tally("attempt", len(r.attempts), func(t *Tally, i int) { t.Attempt(&r.attempts[i]) })
		tally("call", len(r.calls), func(t *Tally, i int) { t.Call(&r.calls[i]) })
	}
}
