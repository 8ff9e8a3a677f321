package recommend

import (
	"slices"
	"testing"

	"stampede/internal/testkit"
	"stampede/scenario"
)

// The value that a scenario has is among those of each axis, in its place, and the start is at it.
func TestStartIsTheScenario(t *testing.T) {
	template := testkit.Template(t, "name: x\nworkload: {batch: {calls: 20}, prompt_tokens: 10, output_tokens: 10}\n"+
		"fleet: {workers: 4}\npolicy:\n  retry: {attempts: 3, backoff: {exponential: {base: 700ms}}}\n"+
		"  gate: {semaphore: 3}\n")
	for text, want := range map[string]string{
		"policy.retry.attempts=1,2,4":                        "1 2 3 4: 3",
		"policy.retry.backoff.exponential.base=500ms,1s":     "500ms 700ms 1s: 700ms",
		"policy.gate.semaphore=2,none":                       "2 3 none: 3",
		"policy.retry.deadline=10s,none":                     "10s none: none",
		"policy.retry.backoff.exponential.jitter=equal,none": "equal none full: full", // the default
		"policy=own-the-loop":                                "own-the-loop as_above: as_above",
	} {
		axis, err := scenario.ParseAxis(text)
		if err != nil {
			t.Fatal(err)
		}
		axes, start, err := WithStart(template, []scenario.Axis{axis})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, v := range axes[0].Values {
			got += v.Label + " "
		}
		if got = got[:len(got)-1] + ": " + axes[0].Values[start[0]].Label; got != want {
			t.Errorf("%s: %s; want %s", text, got, want)
		}
	}
}

// Times are multiples of an answer's, rounded up to what people type; none stands behind them. Gates are powers of two
// below the workers, and an instance's share of the slots.
func TestDefaultValues(t *testing.T) {
	if got := times(14, 1, 2, 4, 8); got != "15s,30s,60s,2m,none" { // 14, 28, 56 and 112 s
		t.Errorf("times %s", got)
	}
	template := testkit.Template(t, testkit.Small)
	axes, err := DefaultAxes(template)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"policy.retry.attempts", "policy.retry.deadline", "policy.timeouts.attempt",
		"policy.gate.semaphore", "policy.retry.retry_after"} {
		if !slices.ContainsFunc(axes, func(a scenario.Axis) bool { return a.Path == path }) {
			t.Errorf("no axis %s", path)
		}
	}
}
