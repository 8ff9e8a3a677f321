package scenario

import "testing"

// The document of a template is what was written, with the settings in their places and the sweep at its end.
func TestDocumentKeepsTheSweep(t *testing.T) {
	template, err := NewTemplate([]byte(`name: "a: b"
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
	text, err := template.Document()
	if err != nil {
		t.Fatal(err)
	}
	const want = `name: "a: b"
workload: {burst: {calls: 5}, prompt_tokens: 1, output_tokens: 1}
policy: {retry: {attempts: 3}}
seed: 7
sweep:
  policy.gate.semaphore: [none, 4]
  policy.timeouts.attempt: 2s..8s log
  points: 20
  sample: halton
`
	if string(text) != want {
		t.Errorf("got\n%s", text)
	}
	if again, err := Read(text, "again", Options{}); err != nil || again.Sweep.Points != 20 {
		t.Errorf("reads back with %v", err)
	}
}
