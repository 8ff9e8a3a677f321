package sweep

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"stampede/internal/testkit"
	"stampede/measure"
)

// madeUpParts writes the folders of a sweep's parts, which has so many points of 30 replications.
func madeUpParts(b testing.TB, parts, points int) (dirs []string) {
	b.Helper()
	plan := &Plan{Template: testkit.Template(b, testkit.Small), Reps: 30}
	m, err := plan.Manifest()
	if err != nil {
		b.Fatal(err)
	}
	m.Points = points
	values := make([]float64, len(measure.Metrics()))
	var line []byte
	root := b.TempDir()
	for part := range parts {
		dir := filepath.Join(root, fmt.Sprint(part))
		if err := os.Mkdir(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		m.Shard = &Shard{part + 1, parts}
		text, err := m.Encode()
		if err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ManifestName), text, 0o644); err != nil {
			b.Fatal(err)
		}
		f, err := os.Create(filepath.Join(dir, ResultsName))
		if err != nil {
			b.Fatal(err)
		}
		w := bufio.NewWriter(f)
		w.Write(Header(plan.Axes()))
		for point := part; point < points; point += parts {
			for replication := range 30 {
				for k := range values {
					values[k] = float64((point*7919+replication*37+k*104729)%100_003) / 997
				}
				row := Row{
					Point:       point,
					Replication: replication,
					Labels:      []string{"own-the-loop", fmt.Sprint(point)},
					Values:      values,
				}
				line = row.Append(line[:0])
				w.Write(line)
			}
		}
		if err := w.Flush(); err != nil {
			b.Fatal(err)
		}
		f.Close()
		dirs = append(dirs, dir)
	}
	return dirs
}

// More parts than files may be open at once: each pass has its temporary files, and all are gone at the end.
func TestMergeInPasses(t *testing.T) {
	const parts = fanIn + 2
	dirs := madeUpParts(t, parts, parts+5)
	to := t.TempDir() + "/m"
	if err := Merge(dirs, to); err != nil {
		t.Fatal(err)
	}
	next := 0
	if err := ReadRows(filepath.Join(to, ResultsName), (&Plan{Template: testkit.Template(t, testkit.Small)}).Axes(),
		nil, func(r *Row) error {
			if r.Point != next/30 || r.Replication != next%30 || r.Labels[1] != fmt.Sprint(r.Point) {
				t.Fatalf("row %d is of point %d, replication %d, label %s", next, r.Point, r.Replication, r.Labels[1])
			}
			next++
			return nil
		}); err != nil ||
		next != 30*(parts+5) {
		t.Errorf("%d rows, %v", next, err)
	}
	entries, err := os.ReadDir(to)
	if err != nil || len(entries) != 3 { // .lock, manifest and results
		t.Errorf("left behind %v", entries)
	}
}
