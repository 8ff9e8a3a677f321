package main

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"stampede": main})
}

// Each script is a session at the command line.
func TestScripts(t *testing.T) {
	shared, err := filepath.Abs(filepath.Join("..", "..", "..", "shared"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("SHARED", shared)
			return nil
		},
		Condition: func(name string) (bool, error) {
			_, err := os.Stat(filepath.Join(shared, name))
			return err == nil, nil
		},
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
	})
}

// tableCommand makes the table of the README.
const tableCommand = "stampede experiment run --all --markdown"

// Every command block of the README runs and succeeds; those that need a file
// get the one that the block before made. The block that runs all tests is
// only looked at, since this test is part of it.
func TestReadmeCommandsRun(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(blocks) < 3 {
		t.Fatalf("found %d command blocks in the README", len(blocks))
	}
	dir := t.TempDir()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "bin", "stampede")
	if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(binary, program); err != nil { // testscript.Main acts as the program of this name
		t.Fatal(err)
	}
	tested := false
	for _, block := range blocks {
		for _, line := range strings.Split(strings.TrimSpace(block[1]), "\n") {
			if line == "go test ./... ./conformance/..." {
				tested = true
				continue
			}
			line = strings.Replace(line, "go run ./cmd/stampede", "stampede", 1)
			if line == tableCommand { // TestReadmeTableIsTheCommands runs it
				continue
			}
			if strings.HasPrefix(line, "go install ") || strings.HasPrefix(line, "#") || line == "" {
				continue
			}
			cmd := exec.Command("bash", "-c", line)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", line, err, out)
			}
		}
	}
	if !tested {
		t.Error("the README does not say how to run all tests")
	}
}

func TestFlagsWorkOnBothSidesOfTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(file, []byte("workload: {burst: {calls: 5}, prompt_tokens: 1, output_tokens: 1}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var want string
	for _, args := range [][]string{
		{"run", "--reps", "3", "--json", file}, {"run", file, "--reps", "3", "--json"}, {"run", "--reps=3", file, "--json"}, {"run", "--json", "--reps", "3", "--", file},
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
		status := run(c.ctx, []string{"stampede", "run", "--calls", filepath.Join(dir, "c.csv"), "--set", c.set}, &stdout, &stderr)
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		if status != failed || stdout.Len() > 0 || len(files) > 0 {
			t.Errorf("%s: status %d, printed %q, left %v", name, status, &stdout, files)
		}
	}
}

// The table of references in the README is what the command prints.
func TestReadmeTableIsTheCommands(t *testing.T) {
	const begin, end = "<!-- made by: " + tableCommand + " -->\n", "<!-- end -->"
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	table, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatal("the README has no place for the table")
	}
	if !strings.Contains(before, "\ngo run ./cmd/"+tableCommand+"\n") {
		t.Errorf("the README does not say how the table is made: %s", tableCommand)
	}
	var stdout, stderr bytes.Buffer
	if status := run(context.Background(), strings.Fields(tableCommand), &stdout, &stderr); status != 0 {
		t.Fatal(stderr.String())
	}
	if table == stdout.String() {
		return
	}
	if os.Getenv("UPDATE_README") == "" {
		t.Errorf("the README says\n%s\nthe command prints\n%s\nrun this test with UPDATE_README=1", table, &stdout)
		return
	}
	if err := os.WriteFile("../../README.md", []byte(before+begin+stdout.String()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A sweep that is killed at twenty random moments, and goes on each time, ends
// with the very bytes of one that was left alone.
func TestKilledSweepResumes(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "stampede")
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(binary, program); err != nil {
		t.Fatal(err)
	}
	args := func(out string, more ...string) *exec.Cmd {
		cmd := exec.Command(program, append([]string{"sweep", "--vary", "policy.gate.semaphore=none,4,8,12", "--vary", "policy.retry.deadline=20s,45s", "--reps", "60",
			"--set", "workload.batch.calls=1200", "--no-figures", "--out", out}, more...)...)
		cmd.Dir = dir
		return cmd
	}
	began := time.Now()
	if out, err := args("whole").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	whole := time.Since(began)
	kills := 0
	random := rand.New(rand.NewPCG(1, 1))
	for {
		cmd := args("killed", "--resume")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if kills < 20 {
			time.Sleep(time.Duration(random.Int64N(int64(whole) / 5)))
			if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Fatal(err)
			}
			kills++
		}
		err := cmd.Wait()
		if kills == 20 && err == nil {
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
