package scenario

import (
	"reflect"
	"testing"
)

// Ranges on a log scale have 1, 2 and 5 times powers of ten and their ends; others without a number of values steps of
// such a size, about eight of them; lists and counted ranges stay as they are.
func TestRounded(t *testing.T) {
	for text, want := range map[string][]string{
		"policy.gate.semaphore=1..64 log":        {"1", "2", "5", "10", "20", "50", "64"},
		"policy.retry.deadline=0.5s..30.0s log":  {"0.5s", "1s", "2s", "5s", "10s", "20s", "30s"},
		"policy.retry.deadline=0.5s..4.5s":       {"0.5s", "1s", "1.5s", "2s", "2.5s", "3s", "3.5s", "4s", "4.5s"},
		"policy.gate.semaphore=3,7,none":         {"3", "7", "none"},
		"policy.retry.attempts=1..4":             {"1", "2", "3", "4"},
		"policy.retry.deadline=10s..40s lin 4":   {"10s", "20s", "30s", "40s"},
		"workload.open.rate=30/min..300/min log": {"30/min", "50/min", "100/min", "200/min", "300/min"},
	} {
		axis, err := ParseAxis(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var got []string
		for _, v := range axis.Rounded().Values {
			got = append(got, v.Label)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v; want %v", text, got, want)
		}
	}
}
