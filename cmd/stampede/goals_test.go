package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The exit status says what became of the goals: 0 met, 3 missed, 4 undecided. Calls of one.yaml take
// 0.1 + 0.5 + 100/100 = 1.6 s without randomness, and 1.1 s at twice the speed; noisy.yaml has random lengths, and one
// replication gives no interval.
func TestStatusOfGoals(t *testing.T) {
	dir := t.TempDir()
	const one = `
workload: {batch: {calls: 1}, prompt_tokens: 1000, output_tokens: 100}
fleet: {workers: 1}
provider: {round_trip: 100ms, latency: {first_token: 500ms, tokens_per_second: 100}}
replications: 2
`
	path := func(name, text string) string {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, name)
	}
	fixed := path("one.yaml", one)
	const lengths = "output_tokens: {exponential: {mean: 100}}"
	noisy := path("noisy.yaml", strings.Replace(one, "output_tokens: 100", lengths, 1))
	folder := filepath.Join(dir, "s")
	for _, c := range []struct {
		args string
		want int
	}{
		{"run " + fixed + " --goal latency_max_s<=1.6s", exitDone},
		{"run " + fixed + " --goal latency_max_s<=1.59s --goal success_ratio>=1", exitMissed},
		{"run " + fixed + " --goal latency_max_s<=1.59s --goal recovery_s<=1h --json", exitMissed},
		{"run " + noisy + " --reps 1 --goal latency_max_s<=1h", exitUndecided},
		{"run " + noisy + " --reps 1 --goal latency_max_s<=1h --goal recovery_s<=1h", exitMissed},
		{"run " + noisy + " --reps 1 --min usd", exitUsage},
		{"sweep " + fixed + " --vary provider.latency.tokens_per_second=100,200 --no-figures --out " + folder +
			" --goal latency_max_s<=1.2s", exitDone},
		{"recommend " + fixed + " --vary fleet.workers=1,2 --goal latency_max_s<=1.6s", exitDone},
		{"recommend " + fixed + " --vary fleet.workers=1,2 --goal latency_max_s<=1.59s", exitMissed},
		{"report " + folder, exitDone},
		{"report " + folder + " --goal latency_max_s<=1s", exitMissed},
		{"report " + folder + " --goal latency_max_s<=1s --json", exitMissed},
		{"report " + folder + " --goal latency<=1s", exitUsage},
		{"report " + folder + " --min attempts --max answered", exitUsage},
		{"sweep " + noisy + " --vary provider.latency.tokens_per_second=100,200 --no-figures --out " + folder +
			"2 --reps 1 --goal latency_max_s<=1h", exitUndecided},
	} {
		var stdout, stderr bytes.Buffer
		status := run(context.Background(), append([]string{"stampede"}, strings.Fields(c.args)...), &stdout, &stderr)
		if status != c.want {
			t.Errorf("%s: exit status %d, %s; want %d", c.args, status, &stderr, c.want)
		}
	}
}
