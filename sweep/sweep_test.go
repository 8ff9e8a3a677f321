package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stampede/internal/testkit"
	"stampede/scenario"
)

func sweepInto(t testing.TB, dir string, change func(*Sweep)) (Outcome, error) {
	t.Helper()
	s := &Sweep{Plan: &Plan{Template: testkit.Template(t, testkit.Small), Reps: 4}, Dir: dir}
	if change != nil {
		change(s)
	}
	return s.Run(context.Background())
}

// The bytes are the same for any number of jobs, after any interruption and
// resumption, and joined from any number of parts.
func TestBytesOfASweep(t *testing.T) {
	whole := t.TempDir() + "/whole"
	if _, err := sweepInto(t, whole, nil); err != nil {
		t.Fatal(err)
	}
	want := testkit.Contents(t, whole)
	same := func(what, dir string) {
		t.Helper()
		if testkit.Contents(t, dir) != want {
			t.Errorf("%s: other bytes", what)
		}
	}
	for _, jobs := range []int{1, 3, 16} {
		dir := t.TempDir() + "/s"
		if _, err := sweepInto(t, dir, func(s *Sweep) { s.Jobs = jobs }); err != nil {
			t.Fatal(err)
		}
		same(fmt.Sprintf("%d jobs", jobs), dir)
	}
	for _, stop := range []int{1, 7, 38} {
		dir := t.TempDir() + "/s"
		ctx, cancel := context.WithCancel(context.Background())
		s := &Sweep{
			Plan: &Plan{Template: testkit.Template(t, testkit.Small), Reps: 4},
			Dir:  dir,
			Jobs: 2,
			Progress: func(done, _ int) {
				if done == stop {
					cancel()
				}
			},
		}
		if _, err := s.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted after %d: %v", stop, err)
		}
		if _, err := sweepInto(t, dir, nil); err == nil ||
			!strings.Contains(err.Error(), "is not empty; continue it (--resume)") {
			t.Errorf("without --resume: %v", err)
		}
		if _, err := sweepInto(t, dir, func(s *Sweep) { s.Resume = true }); err != nil {
			t.Fatal(err)
		}
		same(fmt.Sprintf("interrupted after %d", stop), dir)
	}
	var parts []string
	for i := range 7 {
		dir := fmt.Sprintf("%s/part%d", t.TempDir(), i)
		if _, err := sweepInto(t, dir, func(s *Sweep) { s.Plan.Shard = Shard{i + 1, 7} }); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, dir)
	}
	merged := t.TempDir() + "/merged"
	if err := Merge(parts, merged); err != nil {
		t.Fatal(err)
	}
	same("merged from 7 parts", merged)
	for name, c := range map[string]struct {
		dirs []string
		want string
	}{
		"a part missing": {parts[:6], "is part 1 of 7; found 6 parts"},
		"a part twice":   {append(slices.Clone(parts[:6]), parts[0]), "are both part 1 of 7"},
		"not a part":     {[]string{whole}, "is not a part of a sweep"},
		"no folder":      {[]string{t.TempDir()}, "holds no manifest.json"},
	} {
		if err := Merge(c.dirs, t.TempDir()+"/m"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// A torn last line, at any place, is dropped and its replication run again.
func TestTornLinesAreNeverTrusted(t *testing.T) {
	whole := t.TempDir() + "/whole"
	if _, err := sweepInto(t, whole, nil); err != nil {
		t.Fatal(err)
	}
	want := testkit.Contents(t, whole)
	results, err := os.ReadFile(filepath.Join(whole, ResultsName))
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{0, 10, len(results) / 3, len(results)/2 + 17, len(results) - 1, len(results)} {
		dir := t.TempDir()
		manifest, err := os.ReadFile(filepath.Join(whole, ManifestName))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.WriteFile(filepath.Join(dir, ManifestName), manifest, 0o644),
			os.WriteFile(filepath.Join(dir, ResultsName), results[:cut], 0o644)); err != nil {
			t.Fatal(err)
		}
		if _, err := sweepInto(t, dir, func(s *Sweep) { s.Resume = true }); err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if testkit.Contents(t, dir) != want {
			t.Errorf("cut at %d: other bytes", cut)
		}
	}
}

// A disk that fills up stops the sweep with an error, and what was written
// before is kept.
func TestFullDiskLosesNothing(t *testing.T) {
	dir := t.TempDir() + "/s"
	s := &sweeping{
		Sweep: &Sweep{Plan: &Plan{Template: testkit.Template(t, testkit.Small), Reps: 4}, Dir: dir, Jobs: 2},
	}
	if err := s.open(); err != nil {
		t.Fatal(err)
	}
	s.Progress = func(done, _ int) {
		if done == 5 {
			s.results.file.Close() // as good as full
		}
	}
	if err := s.work(context.Background()); err != nil || s.failed == nil {
		t.Fatalf("work %v, failed %v; want a failure of writing", err, s.failed)
	}
	if s.rows != 5 {
		t.Errorf("%d rows, want the 5 before", s.rows)
	}
	if err := s.unlock(); err != nil { // as the end of the process does
		t.Fatal(err)
	}
	outcome, err := sweepInto(t, dir, func(s *Sweep) { s.Resume = true })
	if err != nil || outcome.Rows != 39 {
		t.Errorf("resumed: %+v, %v", outcome, err)
	}
}

func TestResumeRefusesAnotherSweep(t *testing.T) {
	dir := t.TempDir() + "/s"
	if _, err := sweepInto(t, dir, nil); err != nil {
		t.Fatal(err)
	}
	_, err := sweepInto(t, dir, func(s *Sweep) {
		s.Resume = true
		s.Plan = &Plan{Template: testkit.Template(t, testkit.Small, "fleet.workers=11", "seed=4"), Reps: 5}
	})
	for _, want := range []string{"holds another sweep", `scenario.fleet.workers.count: "10", here "11"`,
		"seed: 3, here 4", "replications: 4, here 5"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want in it %q", err, want)
		}
	}
}

// Trap 10: a typo in a grid. Numbers that leave their order are pointed out, in the manifest
// and thus below every report.
func TestGridsThatLeaveTheirOrder(t *testing.T) {
	for values, want := range map[string]bool{
		"8/s, 2/s, 4/s": true, "5%, 50%, 10%": true, "0.05, 0.75, 0.1": true, "0.05, 0.075, 0.1": false, "8, 4, " +
			"2": false, "8, 2, 4": true, "1s, 1m, 90s": false, "1s, 90s, 1m": true, "4, 4, 8": true,
	} {
		path := "policy.gate.semaphore"
		if strings.Contains(values, "0.") {
			path = "policy.throttle.k"
			values = strings.ReplaceAll(values, "0.", "1.")
		}
		switch {
		case strings.Contains(values, "/"):
			path = "provider.limits.0.limit"
		case strings.Contains(values, "%"):
			path = "workload.cached_share"
		case strings.Contains(values, "s"):
			path = "policy.timeouts.attempt"
		}
		tpl := testkit.Template(t, strings.Split(testkit.Small, "sweep:")[0]+"sweep: {"+path+": ["+values+"]}")
		m, err := (&Plan{Template: tpl, Reps: 2}).Manifest()
		if err != nil {
			t.Errorf("%s: %v", values, err)
			continue
		}
		if all := strings.Join(m.Warnings, "; "); strings.Contains(all, path) != want {
			t.Errorf("%s: warnings %q, want one %v", values, all, want)
		}
	}
}

// What is to be known of the preset of a provider is said once, though the base has it as well as a point.
func TestNotesOfSweptPresets(t *testing.T) {
	tpl := testkit.Template(t, `
workload: {batch: {calls: 1}, prompt_tokens: 1, output_tokens: 1, max_tokens: 1}
fleet: {workers: 1}
provider: {preset: openai-tier-1-gpt-4o}
price: {input: 1, output: 1}
sweep: {provider.preset: [openai-tier-1-gpt-4o, openai-build-gpt-4o, openai-tier-2-gpt-4o]}
`)
	m, err := (&Plan{Template: tpl, Reps: 2}).Manifest()
	if err != nil {
		t.Fatal(err)
	}
	for _, tier := range []string{"1", "2"} {
		note := "openai-tier-" + tier + "-gpt-4o@2025 is out of date"
		if n := strings.Count(strings.Join(m.Warnings, "\n"), note); n != 1 {
			t.Errorf("%s: said %d times: %q", note, n, m.Warnings)
		}
	}
}

// Another range of a sample, or another trace in the file of the same name, is
// another sweep.
func TestResumeKnowsRangesAndFiles(t *testing.T) {
	folder := t.TempDir()
	trace := filepath.Join(folder, "t.csv")
	run := func(rows, axis string, resume bool) error {
		if err := os.WriteFile(trace, []byte(rows), 0o644); err != nil {
			t.Fatal(err)
		}
		tpl, err := scenario.NewTemplate(
			[]byte(
				"workload: {trace: {file: t.csv, columns: {time: T}}, prompt_tokens: 5, output_tokens: "+
					"5}\npolicy: own-the-loop\n",
			),
			"t",
			scenario.Options{Dir: folder},
		)
		if err != nil {
			t.Fatal(err)
		}
		a, err := scenario.ParseAxis(axis)
		if err != nil {
			t.Fatal(err)
		}
		tpl.Sweep.Add(a)
		tpl.Sweep.Points = 3
		_, err = (&Sweep{Plan: &Plan{Template: tpl, Reps: 2}, Dir: folder + "/s", Resume: resume}).Run(
			context.Background())
		return err
	}
	const axis = "policy.retry.backoff.exponential.base=0.5s..2.5s"
	if err := run("T\n0\n1\n", axis, false); err != nil {
		t.Fatal(err)
	}
	if err := run("T\n0\n1\n", axis, true); err != nil {
		t.Error(err)
	}
	for name, err := range map[string]error{
		"range": run("T\n0\n1\n", "policy.retry.backoff.exponential.base=0.5s..9.5s", true),
		"trace": run("T\n0\n2\n", axis, true),
	} {
		if err == nil || !strings.Contains(err.Error(), "holds another sweep") {
			t.Errorf("another %s: %v", name, err)
		}
	}
}

// The base is the point that leaves the scenario as it is, wherever it stands in
// the grid; it is found by what the axes say alone, and where they reach into one
// another by what they say together.
func TestBaseIsThePointThatChangesNothing(t *testing.T) {
	for _, c := range []struct {
		name string
		axes []string
		want int
	}{
		{"first", []string{"policy.gate.semaphore=8,16"}, 0},
		{"last of two axes", []string{"policy.gate.semaphore=2,4,8", "policy.retry.deadline=20s,45s"}, 5},
		{"behind two thousand points", []string{"workload.batch.calls=1500..2199 lin 700",
			"policy.gate.semaphore=2,3,4,8"}, 4*(2000-1500) + 3},
		{"as above", []string{"policy=own-the-loop,as_above"}, 1},
		{"a gate over policies", []string{"policy=openai-python@2.46,as_above", "policy.gate.semaphore=4,8"}, 3},
		{"nowhere", []string{"policy.gate.semaphore=3,5"}, 0},
		{"none where nothing is set", []string{"policy.timeouts.call=20s,none"}, 1},
		{"none of a list where nothing is set", []string{"other_fleets.0.policy.timeouts.attempt=20s,none"}, 1},
		{"none of a choice where nothing is set", []string{"other_fleets.0.policy.retry.backoff={constant: 1s},none"},
			1},
		{"none of two", []string{"policy.timeouts.call=20s,none",
			"other_fleets.0.policy.timeouts.attempt=20s,none,10s"}, 4},
	} {
		text, _ := scenario.Embedded(scenario.Default)
		tpl := testkit.Template(
			t,
			string(text),
			"other_fleets=[{workload: {batch: {calls: 1}, prompt_tokens: 1, output_tokens: 1, max_tokens: 1}, "+
				"fleet: {name: other, workers: 1}, policy: {retry: {attempts: 2}}}]",
		)
		tpl.Sweep = scenario.Sweep{}
		for _, a := range c.axes {
			axis, err := scenario.ParseAxis(a)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			tpl.Sweep.Add(axis)
		}
		m, err := (&Plan{Template: tpl, Reps: 1}).Manifest()
		if err != nil || m.Base != c.want {
			t.Errorf("%s: base %d, %v, want %d", c.name, m.Base, err, c.want)
		}
		m, err = (&Plan{Template: tpl, Reps: 1, Control: true}).Manifest()
		if err == nil && m.Base != 2*c.want {
			t.Errorf("%s, with control: base %d, want %d", c.name, m.Base, 2*c.want)
		}
	}
}
