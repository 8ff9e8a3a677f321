package sweep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stampede/internal/testkit"
	"stampede/measure"
	"stampede/scenario"
)

// The rule that ends a sweep, by hand. Of 1, 19, 1, 19 the mean is 10 and the half-width of the interval
// 3.182 x 10.39/2 = 16.5; of 9.9, 10.1, 10, 10 it is 3.182 x 0.0816/2 = 0.13, which is 1.3 %.
func TestWants(t *testing.T) {
	nan := math.NaN()
	within := func(rel float64, most int) Precision {
		return Precision{Metric: "latency_mean_s", Rel: rel, MaxReps: most}
	}
	for _, c := range []struct {
		name      string
		precision Precision
		have      map[int]float64
		broken    bool
		want      []int
	}{
		{"nothing yet", Precision{}, nil, false, []int{0, 1, 2, 3}},
		{"in the order in which they finished", Precision{}, map[int]float64{3: 0, 1: 0}, false, []int{0, 2}},
		{"all", Precision{}, map[int]float64{0: 1, 1: 19, 2: 1, 3: 19}, false, nil},
		{"one that failed is there", Precision{}, map[int]float64{0: 1, 1: nan, 2: 1, 3: 19}, false, nil},
		{"a point that cannot be built", within(0.1, 60), nil, true, nil},
		{"precise enough", within(0.1, 60), map[int]float64{0: 9.9, 1: 10.1, 2: 10, 3: 10}, false, nil},
		{"not precise enough: half as many again", within(0.1, 60), map[int]float64{0: 1, 1: 19, 2: 1, 3: 19}, false,
			[]int{4, 5}},
		{"killed within the second wave", within(0.1, 60), map[int]float64{0: 1, 1: 19, 2: 1, 3: 19, 5: 1}, false,
			[]int{4}},
		{"a hole in the first wave comes first", within(0.1, 60), map[int]float64{0: 1, 1: 19, 3: 19, 4: 1}, false,
			[]int{2}},
		{"at most", within(0.1, 5), map[int]float64{0: 1, 1: 19, 2: 1, 3: 19}, false, []int{4}},
		{"all that may be", within(0.1, 5), map[int]float64{0: 1, 1: 19, 2: 1, 3: 19, 4: 1}, false, nil},
		{"no value in any", within(0.1, 60), map[int]float64{0: nan, 1: nan, 2: nan, 3: nan}, false, nil},
	} {
		plan := Plan{Reps: 4, Precision: c.precision}
		if got := plan.Wants(Replications{values: c.have, broken: c.broken, random: true}); !slices.Equal(got, c.want) {
			t.Errorf("%s: wants %v, want %v", c.name, got, c.want)
		}
	}
}

// A folder has one writer: another is refused, without a trace, until the first has ended.
func TestOneWriter(t *testing.T) {
	dir := t.TempDir() + "/s"
	refused := func(what string, err error) {
		t.Helper()
		var folder FolderError
		if !errors.As(err, &folder) || !strings.Contains(err.Error(), "another process is writing to the folder") {
			t.Errorf("%s: %v, want a refusal", what, err)
		}
	}
	tried := false
	_, err := sweepInto(t, dir, func(s *Sweep) {
		s.Progress = func(done, _ int) {
			if tried {
				return
			}
			tried = true
			_, err := sweepInto(t, dir, func(s *Sweep) { s.Resume = true })
			refused("a second resume", err)
			refused("a run", WriteRun(dir, testkit.Template(t, testkit.Small), measure.Aims{}, nil))
		}
	})
	if err != nil || !tried {
		t.Fatal(err)
	}
	if _, err := sweepInto(t, dir, func(s *Sweep) { s.Resume = true }); err != nil {
		t.Errorf("after it: %v", err)
	}
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "thesis.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, resume := range []bool{false, true} {
		if _, err := sweepInto(t, foreign, func(s *Sweep) { s.Resume = resume }); err == nil {
			t.Error("a folder of something else was used")
		}
	}
	if entries, err := os.ReadDir(foreign); err != nil || len(entries) != 1 {
		t.Errorf("a folder of something else now holds %v", entries)
	}
}

// A sweep whose rows are lost while it runs does not say that it is done.
func TestSweepComparesItsRowsWithItsPlan(t *testing.T) {
	dir := t.TempDir() + "/s"
	path := filepath.Join(dir, ResultsName)
	_, err := sweepInto(t, dir, func(s *Sweep) {
		s.Jobs = 1
		s.Progress = func(done, _ int) {
			if done == 5 {
				if err := os.Truncate(path, int64(len(Header(s.Plan.Axes())))); err != nil {
					t.Error(err)
				}
			}
		}
	})
	if err == nil || !strings.Contains(err.Error(), "is missing 5 replications of 2 points") {
		t.Errorf("rows cut off: %v", err)
	}
	other := t.TempDir() + "/s"
	path = filepath.Join(other, ResultsName)
	_, err = sweepInto(t, other, func(s *Sweep) {
		s.Progress = func(done, _ int) {
			if done == 5 {
				if err := errors.Join(os.Rename(path, path+".old"), os.WriteFile(path, Header(s.Plan.Axes()),
					0o644)); err != nil {
					t.Error(err)
				}
			}
		}
	})
	if err == nil || !strings.Contains(err.Error(), "was replaced while it was written") {
		t.Errorf("another file in its place: %v", err)
	}
}

// A replication that panics is a row with its reason, the sweep goes on, and a resume tries it again.
func TestPanicIsTheReasonOfItsRow(t *testing.T) {
	whole := t.TempDir() + "/whole"
	if _, err := sweepInto(t, whole, nil); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir() + "/s"
	answered := &measure.Metrics()[measure.Index("answered")]
	of := answered.Value
	failing := true
	answered.Value = func(t *measure.Tally) float64 {
		if failing {
			panic(fmt.Sprintf("answered: %d\nand more", t.Answered()))
		}
		return of(t)
	}
	defer func() { answered.Value = of }()
	outcome, err := sweepInto(t, dir, nil)
	if err != nil || outcome.FailedCount != 39 || !slices.ContainsFunc(outcome.Failed, func(s string) bool {
		return strings.Contains(s, "panic: answered: 60 (sweep/folder_test.go:")
	}) {
		t.Errorf("%v, %+v", err, outcome)
	}
	if _, err := (measure.Replicator{}).Run(t.Context(), testkit.Template(t, testkit.Small).Base, 0, 2); err == nil ||
		!strings.Contains(err.Error(), "panic: answered: ") {
		t.Errorf("a run: %v", err)
	}
	failing = false
	outcome, err = sweepInto(t, dir, func(s *Sweep) { s.Resume = true })
	if err != nil || outcome.FailedCount != 3 || testkit.Contents(t, dir) != testkit.Contents(t, whole) {
		t.Errorf("tried again: %v, %+v", err, outcome)
	}
}

// The caller's sweep is the caller's.
func TestWriteRunLeavesTheTemplate(t *testing.T) {
	tpl := testkit.Template(t, testkit.Small)
	if err := WriteRun(t.TempDir(), tpl, measure.Aims{}, nil); err != nil {
		t.Fatal(err)
	}
	if len(tpl.Sweep.Axes) != 2 {
		t.Errorf("%d axes left of 2", len(tpl.Sweep.Axes))
	}
}

// Rows in any order come out in order, those that are near their place in one run, and twins once.
func TestSortRows(t *testing.T) {
	const rows = 3 * window
	random := rand.New(rand.NewPCG(7, 8))
	line := func(i int) string { return fmt.Sprintf("%d,%d,x,\n", i/7, i%7) }
	var sorted strings.Builder
	sorted.WriteString("head\n")
	for i := range rows {
		sorted.WriteString(line(i))
	}
	near := make([]int, rows)
	for i := range near {
		near[i] = i
	}
	for i := 0; i+1000 <= rows; i += 1000 {
		random.Shuffle(1000, func(a, b int) { near[i+a], near[i+b] = near[i+b], near[i+a] })
	}
	backwards := slices.Clone(near)
	slices.Reverse(backwards)
	for _, c := range []struct {
		name string
		rows []int
		runs int
	}{
		{"near their place", near, 1},
		{"twice", append(slices.Clone(near), near[len(near)-500:]...), 1},
		{"anywhere", random.Perm(rows), 3}, // the first run of (e-1) windows, and what came too late for the second
		{"backwards", backwards, 3},
		{"none", nil, 1},
	} {
		dir := t.TempDir()
		from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
		var text strings.Builder
		text.WriteString("head\n")
		for _, i := range c.rows {
			text.WriteString(line(i))
		}
		text.WriteString("9,9") // torn
		if err := os.WriteFile(from, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		runs, err := sortedRuns(from, to, nil)
		if err != nil || len(runs) != c.runs {
			t.Errorf("%s: %d runs, %v; want %d", c.name, len(runs), err, c.runs)
		}
		if err := errors.Join(removeAll(runs), sortRows(from, to, nil)); err != nil {
			t.Fatal(err)
		}
		want := sorted.String()
		if c.rows == nil {
			want = "head\n"
		}
		if got, err := os.ReadFile(to); err != nil || string(got) != want {
			t.Errorf("%s: other rows (%v)", c.name, err)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
			t.Errorf("%s: left behind %v", c.name, entries)
		}
	}
	path := filepath.Join(t.TempDir(), "twice")
	if err := os.WriteFile(path, []byte("head\n1,1,x,\n1,1,y,\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := sortRows(path, path, nil); err == nil ||
		!strings.Contains(err.Error(), "point 1, replication 1 appears twice with different results") {
		t.Errorf("two results of one replication: %v", err)
	}
}

// What an axis reads is read once and is in the manifest: a file that changes under a sweep changes nothing,
// and one that changed before a resume is another sweep. A missing one is found before anything runs.
func TestFilesOfAxesAreReadOnce(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(dir string, resume bool, progress func(int, int), axes ...string) error {
		tpl, err := scenario.NewTemplate(
			[]byte(
				"workload: {trace: {file: a.csv, columns: {time: T}}, prompt_tokens: 5, output_tokens: "+
					"5}\npolicy: own-the-loop\n",
			),
			"t",
			scenario.Options{Dir: folder},
		)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range axes {
			axis, err := scenario.ParseAxis(text)
			if err != nil {
				t.Fatal(err)
			}
			tpl.Sweep.Add(axis)
		}
		_, err = (&Sweep{Plan: &Plan{Template: tpl, Reps: 2}, Dir: dir, Jobs: 1, Resume: resume,
			Progress: progress}).Run(
			context.Background(),
		)
		return err
	}
	const short, long = "T\n0\n1\n", "T\n0\n1\n2\n3\n"
	axes := []string{"workload.trace.file=a.csv,b.csv", "policy.gate.semaphore=1,2,3"}
	write("a.csv", short)
	write("b.csv", short)
	if err := run(folder+"/s", false, nil, axes...); err != nil {
		t.Fatal(err)
	}
	want := testkit.Contents(t, folder+"/s")
	if strings.Count(want, `"sha256": "`) != 2 {
		t.Errorf("the manifest does not have both files:\n%.3000s", want)
	}
	if err := run(folder+"/edited", false, func(done, _ int) {
		if done == 1 {
			write("a.csv", long)
			write("b.csv", long)
		}
	}, axes...); err != nil {
		t.Fatal(err)
	}
	if testkit.Contents(t, folder+"/edited") != want {
		t.Error("files that were edited during the sweep were read again")
	}
	write("a.csv", short)
	if err := run(folder+"/s", true, nil, axes...); err == nil ||
		!strings.Contains(err.Error(), "the file b.csv: SHA-256 ") {
		t.Errorf("resumed with another file of an axis: %v", err)
	}
	for axis, want := range map[string]string{
		"workload.trace.file=a.csv,c.csv": "the axis workload.trace.file, value c.csv: ",
		"workload.trace={file: c.csv, columns: {time: T}},{rows: []}": "the axis workload.trace, value {file: " +
			"c.csv, columns: {time: T}}: ",
	} {
		dir := t.TempDir() + "/s"
		if err := run(dir, false, nil, axis); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", axis, err, want)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s: the folder was made", axis)
		}
	}
}

// The day on which dated prices are looked up is a part of the plan: a resume on another one is another sweep.
func TestPricesOfAnotherDayAreAnotherSweep(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "p.json"),
		[]byte(`{"m": {"input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(day string) error {
		tpl, err := scenario.NewTemplate([]byte(strings.Split(testkit.Small, "sweep:")[0]), "small",
			scenario.Options{Dir: folder, Day: day})
		if err != nil {
			t.Fatal(err)
		}
		axis, err := scenario.ParseAxis("price=gpt-4o-mini,{model: m, file: p.json}")
		if err != nil {
			t.Fatal(err)
		}
		tpl.Sweep.Add(axis)
		_, err = (&Sweep{Plan: &Plan{Template: tpl, Reps: 1}, Dir: folder + "/s", Resume: true}).Run(t.Context())
		return err
	}
	for range 2 {
		if err := run("2026-10-04"); err != nil {
			t.Fatal(err)
		}
	}
	if err := run("2026-10-05"); err == nil ||
		!strings.Contains(err.Error(), "the file p.json: its prices of 2026-10-04, here of 2026-10-05 (--prices-on)") {
		t.Errorf("on the next day: %v", err)
	}
}

// A manifest that no sweep writes is refused with the field, what was found and what is allowed.
func TestManifestsThatNoSweepWrites(t *testing.T) {
	dir := t.TempDir()
	if err := WriteRun(dir, testkit.Template(t, testkit.Small), measure.Aims{}, []measure.Run{{Values: make([]float64,
		len(measure.Metrics()))}}); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(filepath.Join(dir, ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{`"format": 1`, `"format": 2`, "found format 2; this program reads format 1"},
		{`"points": 1`, `"points": 900000000`, "points: found 900000000; want 1 to 2000000"},
		{`"points": 1`, `"points": 0`, "points: found 0"},
		{`"replications": 1`, `"replications": -1`, "replications: found -1; want 0 to 100000"},
		{`"base": 0`, `"base": 1`, "base: found 1; want 0 to 0"},
		{`"objective": "answered"`, `"objective": "answerd"`,
			`objective: no metric "answerd"; did you mean "answered"`},
		{`"objective": "answered"`, `"objective": "horizon_s"`,
			`objective: no metric "horizon_s"; it is now called "max_total_backoff_s"`},
		{`"points": 1`, `"points": 1, "shard": {"index": 3, "of": 2}`, "shard.index: found 3; want 1 to 2"},
		{`"points": 1`, `"points": 1, "precision": {"metric": "speed", "max_replications": 5}`,
			`precision.metric: no metric "speed"`},
		{`"points": 1`, `"points": 1, "precision": {"metric": "answered", "max_replications": 0}`,
			"precision.max_replications: found 0; want 1 to 100000"},
		{"{", "", "manifest.json: invalid character"},
	} {
		if err := os.WriteFile(filepath.Join(dir, ManifestName), []byte(strings.Replace(string(written), c.old, c.new,
			1)), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := ReadManifest(dir)
		var folder FolderError
		if c.want == "" && err != nil ||
			c.want != "" && (!errors.As(err, &folder) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.new, err, c.want)
		}
	}
}

// Results of a version with other names of metrics are refused with the present names.
func TestRenamedColumns(t *testing.T) {
	path := filepath.Join(t.TempDir(), ResultsName)
	head := strings.Replace(string(Header(nil)), "not_started", "never_came", 1)
	if err := os.WriteFile(path, []byte(head), 0o644); err != nil {
		t.Fatal(err)
	}
	err := ReadRows(path, nil, nil, func(*Row) error { return nil })
	var folder FolderError
	if !errors.As(err, &folder) || !strings.Contains(err.Error(), "never_came is now not_started") {
		t.Errorf("%v; want the present name of never_came", err)
	}
}
