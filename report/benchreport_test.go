package report

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"stampede/internal/testkit"
	"stampede/measure"
	"stampede/sweep"
)

// BenchmarkReport compares the points of folders with so many rows of 30
// replications a point.
func BenchmarkReport(b *testing.B) {
	for _, rows := range []int{30_000, 999_990} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			dir := b.TempDir()
			plan := &sweep.Plan{Template: testkit.Template(b, testkit.Small), Reps: 30}
			m, err := plan.Manifest()
			if err != nil {
				b.Fatal(err)
			}
			m.Points = rows / 30
			text, err := m.Encode()
			if err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, sweep.ManifestName), text, 0o644); err != nil {
				b.Fatal(err)
			}
			f, err := os.Create(filepath.Join(dir, sweep.ResultsName))
			if err != nil {
				b.Fatal(err)
			}
			w := bufio.NewWriter(f)
			if _, err := w.Write(sweep.Header(plan.Axes())); err != nil {
				b.Fatal(err)
			}
			var line []byte
			values := make([]float64, len(measure.Metrics()))
			for i := range rows {
				for k := range values {
					values[k] = float64((i*7919+k*104729)%100_003) / 997
				}
				row := sweep.Row{
					Point:       i / 30,
					Replication: i % 30,
					Labels:      []string{"own-the-loop", fmt.Sprint(i / 30)},
					Values:      values,
				}
				line = row.Append(line[:0])
				if _, err := w.Write(line); err != nil {
					b.Fatal(err)
				}
			}
			if err := w.Flush(); err != nil {
				b.Fatal(err)
			}
			f.Close()
			b.ResetTimer()
			var live uint64
			for b.Loop() {
				c, err := Compare(dir, CompareOptions{})
				if err != nil || len(c.Points) != rows/30 {
					b.Fatalf("%d points, %v", len(c.Points), err)
				}
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				live = max(live, m.Sys)
			}
			b.ReportMetric(float64(live)/1e6, "MB-from-system")
		})
	}
}
