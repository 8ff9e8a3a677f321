package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/urfave/cli/v2"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"stampede": main})
}

// Each script is a session at the command line.
func TestScripts(t *testing.T) {
	examples, err := filepath.Abs(filepath.Join("..", "..", "examples"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("EXAMPLES", examples)
			return nil
		},
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
	})
}

func TestFlagsWorkOnBothSidesOfTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(file, []byte("workload: {burst: {calls: 5}, prompt_tokens: 1, output_tokens: 1}\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	var want string
	for _, args := range [][]string{
		{"run", "--reps", "3", "--json", file}, {"run", file, "--reps", "3", "--json"},
		{"run", "--reps=3", file, "--json"}, {"run", "--json", "--reps", "3", "--", file},
	} {
		var stdout, stderr bytes.Buffer
		if status := run(context.Background(), append([]string{"stampede"}, args...), &stdout, &stderr); status != 0 {
			t.Fatalf("%v: status %d, %s", args, status, &stderr)
		}
		if want == "" {
			want = stdout.String()
		}
		if stdout.String() != want || !strings.Contains(want, `"replications": 3`) {
			t.Errorf("%v: other output", args)
		}
	}
}

// A run that is interrupted before anything finished, or that fails half-way,
// prints nothing and leaves no file.
func TestFailedRunLeavesNothing(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for name, c := range map[string]struct {
		ctx context.Context
		set string
	}{"interrupted": {cancelled, "seed=1"}, "spent budget": {context.Background(), "event_budget=3000"}} {
		dir := t.TempDir()
		var stdout, stderr bytes.Buffer
		status := run(c.ctx, []string{"stampede", "run", "--calls", filepath.Join(dir, "c.csv"), "--set", c.set},
			&stdout, &stderr)
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		if status != exitFailed || stdout.Len() > 0 || len(files) > 0 {
			t.Errorf("%s: status %d, printed %q, left %v", name, status, &stdout, files)
		}
	}
}

// program is this test binary under the program's name, under which testscript.Main acts as the program.
func program(t *testing.T, dir string) string {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "stampede")
	if err := os.Symlink(binary, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// Two processes that resume one folder, fifty times: one of them, or one after the other, finishes it,
// the other is refused, and every row is there.
func TestTwoResumesLoseNoRow(t *testing.T) {
	dir := t.TempDir()
	stampede := program(t, dir)
	sweep := func(out string, more ...string) *exec.Cmd {
		cmd := exec.Command(
			stampede,
			append([]string{"sweep", "--vary", "policy.gate.semaphore=none,4,8,12", "--reps", "10",
				"--set", "workload.batch.calls=300", "--no-figures", "--out", out}, more...)...)
		cmd.Dir = dir
		return cmd
	}
	if out, err := sweep("whole").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want, err := os.ReadFile(filepath.Join(dir, "whole", "results.csv"))
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := os.ReadFile(filepath.Join(dir, "whole", "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(2, 2))
	refused, rounds := 0, 50
	if testing.Short() {
		rounds = 5
	}
	for round := range rounds {
		folder := filepath.Join(dir, fmt.Sprint("round", round))
		left := want[:random.IntN(len(want)/2)] // by a process that was killed
		if err := errors.Join(os.Mkdir(folder, 0o755),
			os.WriteFile(filepath.Join(folder, "manifest.json"), manifest, 0o644),
			os.WriteFile(filepath.Join(folder, "results.csv"), left, 0o644)); err != nil {
			t.Fatal(err)
		}
		var both [2]*exec.Cmd
		var said [2]bytes.Buffer
		for i := range both {
			both[i] = sweep(folder, "--resume")
			both[i].Stderr = &said[i]
			if err := both[i].Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(random.IntN(20)) * time.Millisecond)
		}
		finished := 0
		for i, cmd := range both {
			err := cmd.Wait()
			switch {
			case err == nil:
				finished++
			case cmd.ProcessState.ExitCode() == exitUsage && strings.Contains(said[i].String(),
				"another process is writing to the folder"):
				refused++
			default:
				t.Errorf("round %d: %v, %s", round, err, &said[i])
			}
		}
		if got, err := os.ReadFile(filepath.Join(folder, "results.csv")); err != nil || finished == 0 ||
			!bytes.Equal(got, want) {
			t.Fatalf("round %d: %d finished; %d of %d rows, %v", round, finished, bytes.Count(got, []byte("\n")),
				bytes.Count(want, []byte("\n")), err)
		}
	}
	if refused == 0 && !testing.Short() {
		t.Error("no process was refused: the test shows nothing")
	}
	t.Logf("%d of %d processes were refused", refused, 2*rounds)
}

// What the folder is answerable for is a mistake in its use, status 2; what the disk is answerable for is a
// failure, status 1.
func TestStatusOfFolders(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	out := func(name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"run --reps 2 --out " + out("run"), exitDone, "wrote "},
		{"report " + out("run"), exitDone, ""},
		{"report " + out("run") + " --base openai", exitUsage,
			`--base: found "openai"; the folder holds one scenario without axes`},
		{"plot " + out("run") + " --base policy=openai", exitUsage,
			`--base: found "policy=openai"; the folder holds one scenario without axes`},
		{"plot " + out("run") + " --x policy", exitUsage,
			`--x: found "policy"; the folder holds one scenario without axes`},
		{"report " + out("none"), exitUsage, "stampede: " + out("none") + " holds no manifest.json"},
		{"plot " + out("none"), exitUsage, "stampede: " + out("none") + " holds no manifest.json"},
		{"sweep --vary policy.gate.semaphore=1 --reps 1 --shard 1/1 --out " + out("part"), exitDone, ""},
		{"sweep --vary policy.gate.semaphore=1 --reps 1 --shard 1/1 --out " + out("part"), exitDone, ""}, // again
		{"sweep --vary policy.gate.semaphore=2 --reps 1 --shard 1/1 --out " + out("part"), exitUsage,
			"holds another sweep"},
		{"merge " + out("none") + " --out " + out("m"), exitUsage, "holds no manifest.json"},
		{"merge " + out("part") + " --out " + out("run"), exitUsage, "is not empty; name another (--out)"},
		{"merge " + out("part") + " --out " + file + "/m", exitFailed, "not a directory"},
		{"merge " + out("part") + " --out " + out("merged"), exitDone, ""},
		{"run --jobs 1000000000", exitUsage, "--jobs: found 1000000000; want 1 to 1024"},
		{"experiment run hedge --jobs 1000000000", exitUsage, "--jobs: found 1000000000; want 1 to 1024"},
		{"sweep --vary policy.gate.semaphore=1 --jobs 1025 --out " + out("s"), exitUsage,
			"--jobs: found 1025; want 1 to 1024"},
	} {
		var stdout, stderr bytes.Buffer
		status := run(context.Background(), append([]string{"stampede"}, strings.Fields(c.args)...), &stdout, &stderr)
		if status != c.status || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%s: status %d, %s; want %d, %q", c.args, status, &stderr, c.status, c.want)
		}
	}
}

// Slurm's number of cores for a task bounds the default, and only that.
func TestJobsOfASlurmTask(t *testing.T) {
	cores := runtime.GOMAXPROCS(0)
	for _, c := range []struct {
		given string
		flag  string
		want  int
	}{
		{"", "0", 0}, {"1", "0", 1}, {"100000", "0", cores}, {"x", "0", 0}, {"0", "0", 0}, {"1", "7", 7},
	} {
		t.Setenv("SLURM_CPUS_PER_TASK", c.given)
		app := &cli.App{Flags: []cli.Flag{jobsFlag()}, Action: func(ctx *cli.Context) error {
			if got, err := jobsOf(ctx); err != nil || got != c.want {
				t.Errorf("SLURM_CPUS_PER_TASK=%q, --jobs %s: %d, %v; want %d", c.given, c.flag, got, err, c.want)
			}
			return nil
		}}
		if err := app.Run([]string{"stampede", "--jobs", c.flag}); err != nil {
			t.Error(err)
		}
	}
}

// A sweep that is killed at twenty random moments, and goes on each time, ends
// with the very bytes of one that was left alone.
func TestKilledSweepResumes(t *testing.T) {
	dir := t.TempDir()
	stampede := program(t, dir)
	args := func(out string, more ...string) *exec.Cmd {
		cmd := exec.Command(
			stampede,
			append(
				[]string{"sweep", "--vary", "policy.gate.semaphore=none,4,8,12", "--vary",
					"policy.retry.deadline=20s,45s", "--reps", "60", "--set", "workload.batch.calls=1200",
					"--no-figures", "--out", out},
				more...)...)
		cmd.Dir = dir
		return cmd
	}
	began := time.Now()
	if out, err := args("whole").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	whole := time.Since(began)
	kills, wanted := 0, 20
	if testing.Short() {
		wanted = 2
	}
	random := rand.New(rand.NewPCG(1, 1))
	for {
		cmd := args("killed", "--resume")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if kills < wanted {
			time.Sleep(time.Duration(random.Int64N(int64(whole) / 5)))
			if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Fatal(err)
			}
			kills++
		}
		err := cmd.Wait()
		if kills == wanted && err == nil {
			break
		}
	}
	for _, name := range []string{"manifest.json", "results.csv"} {
		want, err := os.ReadFile(filepath.Join(dir, "whole", name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(dir, "killed", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs after %d kills", name, kills)
		}
	}
}
