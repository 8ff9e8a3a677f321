package sweep

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"stampede/internal/testkit"
	"stampede/measure"
)

// Points that cannot meet the goal end after 4 or 8 of 12 replications, the others have all; the bytes are the
// same for any number of jobs, after an interruption, and from parts.
func TestAbortedPoints(t *testing.T) {
	goal, err := measure.ParseGoal("latency_p95_s<=8s")
	if err != nil {
		t.Fatal(err)
	}
	run := func(dir string, change func(*Sweep)) error {
		_, err := sweepInto(t, dir, func(s *Sweep) {
			s.Plan.Reps, s.Plan.Abort, s.Plan.Aims.Goals = 12, true, []measure.Goal{goal}
			change(s)
		})
		return err
	}
	whole := t.TempDir() + "/whole"
	if err := run(whole, func(s *Sweep) { s.Jobs = 1 }); err != nil {
		t.Fatal(err)
	}
	m, err := ReadManifest(whole)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[int]int{} // by point
	err = ReadRows(filepath.Join(whole, ResultsName), m.AxisPaths(), nil, func(r *Row) error {
		rows[r.Point]++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	points := map[int]int{} // by their rows
	for _, n := range rows {
		points[n]++
	}
	// The last value of the gate makes no scenario: a row each. The others end at a look or have all.
	early := points[4] + points[8]
	if points[1] != 3 || early == 0 || points[12] == 0 || points[1]+early+points[12] != 12 {
		t.Errorf("points by their number of rows: %v; want 3 of 1, some of 4 or 8, and the others of 12", points)
	}
	want := testkit.Contents(t, whole)
	same := func(what, dir string) {
		t.Helper()
		if testkit.Contents(t, dir) != want {
			t.Errorf("%s: other bytes", what)
		}
	}
	for _, jobs := range []int{3, 16} {
		dir := t.TempDir() + "/s"
		if err := run(dir, func(s *Sweep) { s.Jobs = jobs }); err != nil {
			t.Fatal(err)
		}
		same(fmt.Sprintf("%d jobs", jobs), dir)
	}
	for _, stop := range []int{2, 9, 30} {
		dir := t.TempDir() + "/s"
		ctx, cancel := context.WithCancel(context.Background())
		interrupted := &Sweep{Dir: dir, Jobs: 2, Progress: func(done, _ int) {
			if done == stop {
				cancel()
			}
		}}
		interrupted.Plan = &Plan{
			Template: testkit.Template(t, testkit.Small), Reps: 12, Abort: true,
			Aims: measure.Aims{Goals: []measure.Goal{goal}},
		}
		if _, err := interrupted.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted after %d: %v", stop, err)
		}
		if err := run(dir, func(s *Sweep) { s.Resume = true }); err != nil {
			t.Fatal(err)
		}
		same(fmt.Sprintf("interrupted after %d", stop), dir)
	}
	var parts []string
	for i := range 3 {
		dir := fmt.Sprintf("%s/part%d", t.TempDir(), i)
		if err := run(dir, func(s *Sweep) { s.Plan.Shard = Shard{i + 1, 3} }); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, dir)
	}
	merged := t.TempDir() + "/merged"
	if err := Merge(parts, merged); err != nil {
		t.Fatal(err)
	}
	same("merged", merged)
}
