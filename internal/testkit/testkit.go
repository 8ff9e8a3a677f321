// Package testkit is what the tests of several packages share: small scenarios, and the bytes of a
// folder of results.
package testkit

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"stampede/scenario"
)

// Small is a sweep of 12 points in a fraction of a second.
const Small = `
name: small
seed: 3
replications: 4
workload:
  batch: {calls: 60}
  prompt_tokens: {exponential: {mean: 500}}
  output_tokens: {exponential: {mean: 100}}
fleet: {workers: 10}
provider:
  limits: [{resource: requests, limit: 120/min, burst: 5}, {resource: concurrency, limit: 3}]
  latency: {first_token: {exponential: {mean: 500ms}}, tokens_per_second: 100}
policy: own-the-loop
price: gpt-4o-mini
sweep:
  policy: [as_above, openai-python@2.46, no-retry]
  policy.gate.semaphore: [none, 2, 3, nonsense]
`

// Template reads a scenario with its sweep.
func Template(t testing.TB, text string, set ...string) *scenario.Template {
	t.Helper()
	tpl, err := scenario.NewTemplate([]byte(text), "small", scenario.Options{Set: set})
	if err != nil {
		t.Fatal(err)
	}
	return tpl
}

// Embedded reads the embedded scenario.
func Embedded(t testing.TB, set ...string) *scenario.Scenario {
	t.Helper()
	text, _ := scenario.Embedded(scenario.Default)
	s, err := scenario.Read(text, scenario.Default, scenario.Options{Set: set})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Contents is the manifest and the results of a folder, one behind the other.
func Contents(t testing.TB, dir string) string {
	t.Helper()
	var out bytes.Buffer
	for _, name := range []string{"manifest.json", "results.csv"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		out.Write(text)
	}
	return out.String()
}
