package experiments

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"stampede/internal/testkit"
	"strings"
	"testing"
	"time"
)

// Whatever stands in a folder of results, reading it ends with an error or a report, within a
// gigabyte and a minute.
func FuzzFolder(f *testing.F) {
	tpl := testkit.Template(f, strings.Replace(testkit.Small, ", nonsense", "", 1))
	dir := f.TempDir() + "/s"
	sweep := Sweep{Plan: &Plan{Template: tpl, Reps: 2, Control: false}, Dir: dir}
	if _, err := sweep.Run(f.Context()); err != nil {
		f.Fatal(err)
	}
	manifest, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err != nil {
		f.Fatal(err)
	}
	rows, err := os.ReadFile(filepath.Join(dir, resultsName))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(manifest), string(rows), "")
	f.Add(strings.Replace(string(manifest), `"points": 9`, `"points": 900000000`, 1), string(rows), "latency_p95_s")
	f.Add(strings.Replace(string(manifest), `"axes"`, `"axis"`, 1), string(rows), "answered")
	f.Add(string(manifest), strings.Replace(string(rows), "\n0,0,", "\n2000000000,0,", 1), "success_ratio")
	f.Add(string(manifest), strings.Replace(string(rows), "\n0,0,", "\n-5,-7,\"", 1), "success_ratio")
	f.Add(string(manifest), strings.ReplaceAll(string(rows), ",1,", ",1e300,"), "goodput_per_min")
	f.Add(string(manifest), strings.ReplaceAll(string(rows), ",1,", ",-Inf,"), "")
	f.Add(`{"format": 1}`, "point,replication,error\n", "")
	home := f.TempDir()
	f.Fuzz(func(t *testing.T, manifest, rows, metric string) {
		if len(manifest) > 1<<20 || len(rows) > 1<<20 {
			return
		}
		for name, text := range map[string]string{manifestName: manifest, resultsName: rows} {
			if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := time.Now()
		for _, metric := range []string{metric, ""} {
			c, err := Compare(home, CompareOptions{Objective: metric})
			if err != nil {
				continue
			}
			c.WriteText(io.Discard)
			c.WriteMarkdown(io.Discard)
			if err := c.WriteCSV(io.Discard); err != nil {
				t.Fatal(err)
			}
			if text, err := c.MarshalJSON(); err != nil || bytes.ContainsRune(text, '\x1b') {
				t.Fatal(err)
			}
		}
		_ = Merge([]string{home}, filepath.Join(t.TempDir(), "merged"))
		runtime.ReadMemStats(&after)
		if mb, took := (after.TotalAlloc-before.TotalAlloc)>>20, time.Since(began); mb > 1024 || took > time.Minute {
			t.Fatalf("allocated %d MB in %v", mb, took)
		}
	})
}
