package scenario

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// A document that is written reads back as the same model.
func TestRandomDocumentsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := randomScenario(t)
		text, err := s.Document()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Read(text, "document", Options{})
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if !reflect.DeepEqual(s.Model, again.Model) || s.Seed != again.Seed {
			t.Fatalf("read back as\n%+v, was\n%+v, from\n%s", again.Model, s.Model, text)
		}
	})
}

// The document of a scenario with settings has a field a line, what does not fit below it, and the sweep at its end.
func TestDocument(t *testing.T) {
	s, err := Read([]byte(`name: "a: b"
workload: {burst: {calls: 5}, prompt_tokens: 1, output_tokens: 1}
sweep:
  policy.gate.semaphore: [none, 4]
  policy.timeouts.attempt: 2s..8s log
  points: 20
  sample: halton
`), "f", Options{Set: []string{"policy.retry.attempts=3", "seed=7"}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.Document()
	if err != nil {
		t.Fatal(err)
	}
	const want = `name: "a: b"
seed: 7
replications: 30
event_budget: 100000000
workload:
  burst: {calls: 5}
  prompt_tokens: {constant: 1}
  inputs_per_request: 1
  output_tokens: {constant: 1}
policy: {retry: {attempts: 3, retry_on: [408, 409, 429, 5xx, timeout, connection]}}
sweep:
  policy.gate.semaphore: [none, 4]
  policy.timeouts.attempt: 2s..8s log
  points: 20
  sample: halton
`
	if string(text) != want {
		t.Errorf("got\n%s", text)
	}
}
