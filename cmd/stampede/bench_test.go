package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// herd is 20,000 clients that begin at once and retry without limit.
const herd = `
name: herd
replications: 10
horizon: 10000s
workload: {burst: {calls: 20000}, prompt_tokens: 100, output_tokens: 10}
fleet: {instances: 20000, workers: 1}
provider:
  limits: [{resource: requests, limit: 1000/s, burst: 1000}]
  latency: {first_token: 500ms}
policy:
  retry:
    attempts: none
    backoff: {exponential: {base: 1s, factor: 2, cap: 30s, jitter: full}}
    retry_after: ignore
price: gpt-4o-mini
`

// BenchmarkProgram runs the embedded sweep, with fewer replications, and a herd, as commands. Its profile is
// default.pgo, by which the program is compiled; CONTRIBUTING.md says how it is renewed.
func BenchmarkProgram(b *testing.B) {
	dir := b.TempDir()
	file := filepath.Join(dir, "herd.yaml")
	if err := os.WriteFile(file, []byte(herd), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		out, err := os.MkdirTemp(dir, "sweep")
		if err != nil {
			b.Fatal(err)
		}
		for _, args := range [][]string{
			{"stampede", "sweep", "--reps", "5", "--jobs", "1", "--out", out},
			{"stampede", "run", file, "--jobs", "1"},
		} {
			if status := run(context.Background(), args, io.Discard, io.Discard); status != exitDone {
				b.Fatalf("%q: exit status %d", args, status)
			}
		}
	}
}
