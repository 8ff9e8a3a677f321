package scenario

import (
	"errors"
	"math"
	"slices"
	"testing"
)

func TestSummary(t *testing.T) {
	s, err := Read([]byte(`
name: small
workload: {batch: {calls: 60}, prompt_tokens: 10, output_tokens: 10}
fleet: {workers: 2}
provider:
  limits: [{resource: requests, limit: 30/min}]
  latency: {first_token: 1s, tokens_per_second: 10}
`), "small.yaml", Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := s.Summary()
	// An answer takes 1 s and 10 tokens at 10/s, 2 s in all, on a network without delay, so that two
	// workers make 60 calls a minute.
	want := map[string]float64{"requests 30/min": 30, "2 workers, 2 s a call": 60}
	for _, r := range got.MaxRates {
		if w, ok := want[r.Of]; !ok || r.CallsPerMin == nil || math.Abs(*r.CallsPerMin-w) > 1e-9 {
			t.Errorf("%s: %+v, want %v", r.Of, r, w)
		}
	}
	if len(got.MaxRates) != 2 || got.Scenario != "small" || got.Warnings == nil {
		t.Errorf("%+v", got)
	}
}

func TestMistakes(t *testing.T) {
	_, err := Read([]byte("name: x\nwrkload: 1\nfleet: {workers: two}\n"), "x.yaml", Options{})
	got := Mistakes(err)
	if !slices.ContainsFunc(got, func(m Mistake) bool {
		return m.File == "x.yaml" && m.Line == 2 && m.Column == 1 && m.Path == "wrkload"
	}) || !slices.ContainsFunc(got, func(m Mistake) bool { return m.Line == 3 && m.Path == "fleet.workers" }) {
		t.Errorf("%+v", got)
	}
	if got := Mistakes(errors.New("no such file")); len(got) != 1 || got[0] != (Mistake{Message: "no such file"}) {
		t.Errorf("%+v", got)
	}
}
