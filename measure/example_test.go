package measure_test

import (
	"context"
	"fmt"

	"stampede/measure"
	"stampede/scenario"
)

// A scenario file is read, replicated, and measured. Estimates are means with 95 % confidence intervals.
func ExampleReplicator() {
	text := []byte(`
workload: {burst: {calls: 4}, prompt_tokens: 1000, output_tokens: 100}
provider: {limits: [{resource: concurrency, limit: 2}], latency: {first_token: 1s}}
policy: {retry: {attempts: 2, backoff: {constant: 3s}}}
`)
	s, err := scenario.Read(text, "example.yaml", scenario.Options{Set: []string{"seed=7"}})
	if err != nil {
		panic(err)
	}
	runs, err := measure.Replicator{}.Run(context.Background(), s, 0, 10)
	if err != nil {
		panic(err)
	}
	for _, name := range []string{"answered", "latency_max_s", "attempts_throttled"} {
		values := measure.Column(runs, measure.Index(name))
		e := measure.EstimateOf(values, 0.95)
		fmt.Printf("%s %g [%g, %g]\n", name, e.Mean, e.Low, e.High)
	}
	// Output:
	// answered 4 [4, 4]
	// latency_max_s 4 [4, 4]
	// attempts_throttled 2 [2, 2]
}
