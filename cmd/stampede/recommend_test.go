package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A search that is interrupted at any moment says what is known until then and keeps what was raced.
func TestInterruptedSearchSaysWhatIsKnown(t *testing.T) {
	for _, after := range []time.Duration{0, 20, 100, 250, 500, 1000} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(after*time.Millisecond, cancel)
		dir := filepath.Join(t.TempDir(), "found")
		var stdout, stderr bytes.Buffer
		status := run(ctx, []string{"stampede", "recommend", "--goal", "success_ratio>=99%", "--min", "latency_p95_s",
			"--set", "workload.batch.calls=1000", "--budget", "3000", "--out", dir}, &stdout, &stderr)
		cancel()
		switch out := stdout.String(); {
		case status == exitDone:
			continue // it was quicker
		case status != exitFailed || !strings.Contains(stderr.String(), "stampede: interrupted"):
			t.Fatalf("after %d ms: status %d, %s", after, status, &stderr)
		case strings.Contains(out, "Nothing is known yet"):
		case !strings.Contains(out, "\nWhat is proven\n"):
			t.Errorf("after %d ms: printed %s", after, out)
		}
		if _, err := os.Stat(filepath.Join(dir, "results.csv")); err != nil {
			continue // it was not yet at the race
		}
		var report bytes.Buffer
		if status := run(t.Context(), []string{"stampede", "report", dir}, &report, &stderr); status == exitFailed ||
			status == exitUsage || strings.Contains(report.String(), "not complete") {
			t.Errorf("after %d ms: report: status %d, %s", after, status, &stderr)
		}
	}
}
