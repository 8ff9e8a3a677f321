//go:build unix

package sweep

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"stampede/internal/testkit"
	"stampede/measure"
	"stampede/scenario"
)

// BenchmarkSweep runs the embedded sweep with ten replications a point, and
// tells how busy the cores were and how much memory stayed in use. The number of
// points is that of its axes and ten times as many: memory must not follow.
func BenchmarkSweep(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(800)) // as the program does
	for _, seeds := range []int{1, 10} {
		b.Run(fmt.Sprintf("points=%d", 192*seeds), func(b *testing.B) {
			var busy, elapsed time.Duration
			var peak uint64
			for b.Loop() {
				text, _ := scenario.Embedded(scenario.Default)
				t := testkit.Template(b, string(text), "workload.batch.calls=400")
				if seeds > 1 {
					axis, err := scenario.ParseAxis("workload.max_tokens=1000..1009")
					if err != nil {
						b.Fatal(err)
					}
					t.Sweep.Add(axis)
				}
				before, began := cpu(), time.Now()
				s := &Sweep{Plan: &Plan{Template: t, Reps: 10}, Dir: b.TempDir(), Progress: func(done, _ int) {
					if done%500 == 0 {
						runtime.GC()
						var m runtime.MemStats
						runtime.ReadMemStats(&m)
						peak = max(peak, m.HeapAlloc)
					}
				}}
				if _, err := s.Run(context.Background()); err != nil {
					b.Fatal(err)
				}
				busy += cpu() - before
				elapsed += time.Since(began)
			}
			b.ReportMetric(100*busy.Seconds()/elapsed.Seconds()/float64(runtime.GOMAXPROCS(0)), "%busy")
			b.ReportMetric(float64(peak)/1e6, "MB-live")
		})
	}
}

// BenchmarkPoint makes a point and runs its replications, of the embedded sweep and of one on a preset whose limits
// count the larger of two sizes: %building is what the making takes of the running.
func BenchmarkPoint(b *testing.B) {
	embedded, _ := scenario.Embedded(scenario.Default)
	tiers, err := os.ReadFile("../examples/tiers.yaml")
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		text []byte
	}{{"embedded", embedded}, {"tiers", tiers}} {
		b.Run(c.name, func(b *testing.B) {
			t := testkit.Template(b, string(c.text))
			p := &Plan{Template: t, Reps: t.Base.Replications}
			var building, running time.Duration
			for i := 0; b.Loop(); i++ {
				began := time.Now()
				_, s, err := p.Point(i % p.Points())
				if err != nil {
					b.Fatal(err)
				}
				building += time.Since(began)
				began = time.Now()
				if _, err := (measure.Replicator{Jobs: 1}).Run(context.Background(), s, 0, p.Reps); err != nil {
					b.Fatal(err)
				}
				running += time.Since(began)
			}
			b.ReportMetric(building.Seconds()*1e6/float64(b.N), "µs-building")
			b.ReportMetric(running.Seconds()*1e6/float64(b.N), "µs-running")
			b.ReportMetric(100*building.Seconds()/running.Seconds(), "%building")
		})
	}
}

func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkMerge joins a million rows in few and in many parts: neither time nor memory must follow the number of
// parts, but for the second pass that many need.
func BenchmarkMerge(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(800)) // as the program does
	for _, parts := range []int{1, 8, 128, 2016, 10_000} {
		b.Run(fmt.Sprintf("parts=%d", parts), func(b *testing.B) {
			dirs := madeUpParts(b, parts, 1_000_000/30)
			b.ResetTimer()
			before := cpu()
			for i := 0; b.Loop(); i++ {
				if err := Merge(dirs, filepath.Join(dirs[0], fmt.Sprint("merged", i))); err != nil {
					b.Fatal(err)
				}
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric((cpu()-before).Seconds()/float64(b.N), "cpu-s/op")
			b.ReportMetric(float64(m.Sys)/1e6, "MB-from-system")
		})
	}
}
