package scenario

import (
	"reflect"
	"strings"
	"testing"
)

const openCalls = "workload: {open: {rate: 900/min}, prompt_tokens: 500, output_tokens: {exponential: {mean: 100}}}\n" +
	"horizon: 1m\nfleet: {workers: 10}\nprovider: {latency: {first_token: 1.5s}}\n"

// ±20 % goes from 0.8 to 1.2 times what is said, in its unit; whole numbers stay whole and at least 1; a range is a
// range.
func TestUncertain(t *testing.T) {
	s, err := Read([]byte(openCalls+"uncertain: {workload.open.rate: ±20%, fleet.workers: 25%, "+
		"provider.latency.first_token: 1s..3s, workload.output_tokens.exponential.mean: ±50%}\n"), "f", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for part, want := range map[float64][]string{
		0: {"workload.open.rate=12/s", "fleet.workers=8", "provider.latency.first_token=1s",
			"workload.output_tokens.exponential.mean=50"}, // 7.5 workers are 8
		0.5: {"workload.open.rate=15/s", "fleet.workers=10", "provider.latency.first_token=2s",
			"workload.output_tokens.exponential.mean=100"},
		0.75: {"workload.open.rate=16.5/s", "fleet.workers=11", "provider.latency.first_token=3s",
			"workload.output_tokens.exponential.mean=125"}, // 11.25 workers; 2.5 s are 3
	} {
		got, err := s.Settings(func(string) float64 { return part })
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("part %g: %v, %v; want %v", part, got, err, want)
		}
	}
	again, err := s.Resolved()
	if err != nil || !strings.Contains(string(again), `"uncertain":{"workload.open.rate":"±20%"`) {
		t.Errorf("resolved: %s, %v", again, err)
	}
	if _, err := Read(again, "again", Options{}); err != nil {
		t.Error(err)
	}
}

func TestUncertainMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"{workload.open.rate: ±120%}":     "want a share such as ±20% or a range",
		"{workload.open.rat: ±20%}":       "workload.open.rat",
		"{policy.retry.attempts: ±20%}":   "found a field of policy",
		"[workload.open.rate]":            "want a mapping of paths",
		"{workload.open.rate: {low: 10}}": "want a share such as",
	} {
		_, err := Read([]byte(openCalls+"uncertain: "+text+"\n"), "f", Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", text, err, want)
		}
	}
}
