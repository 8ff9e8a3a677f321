package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"stampede/experiments"
	"stampede/scenario"
)

const (
	// tableCommand makes the table of docs/validation.md.
	tableCommand = "stampede experiment run --all --markdown"
	// testCommand runs all tests.
	testCommand = "go test ./... ./conformance/... ./browser/..."
)

var (
	shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")
	// simulates matches commands whose number of replications --reps sets.
	simulates = regexp.MustCompile(`^stampede (run|sweep)\b`)
)

// documents lists the documents of the repository, by paths from its root.
func documents(t *testing.T) (paths []string) {
	t.Helper()
	for _, pattern := range []string{"*.md", "docs/*.md", "examples/*.md"} {
		found, err := filepath.Glob(filepath.Join("..", "..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			paths = append(paths, filepath.ToSlash(strings.TrimPrefix(path, filepath.Join("..", "..")+"/")))
		}
	}
	return paths
}

func document(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every command block of every document runs and succeeds, in order, in a folder of the document's
// own that holds the examples. Simulations run two replications, which changes no path through the
// program. The command that runs all tests is part of this test and only looked at;
// the tests of package experiments run the one that makes the table.
func TestDocumentedCommandsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every example at its full size")
	}
	blocks := map[string]int{}
	tested := false
	for _, path := range documents(t) {
		var lines []string
		for _, block := range shellBlock.FindAllStringSubmatch(document(t, path), -1) {
			blocks[path]++
			lines = append(lines, commandLines(block[1])...)
		}
		if len(lines) == 0 {
			continue
		}
		tested = tested || strings.Contains(strings.Join(lines, "\n"), testCommand)
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			runCommands(t, lines)
		})
	}
	if blocks["README.md"] < 5 || blocks["docs/recipes.md"] < 5 {
		t.Errorf("found only %v command blocks", blocks)
	}
	if !tested {
		t.Errorf("no document says how to run all tests: %s", testCommand)
	}
}

// README's quick start shows how its first command ends.
func TestReadmeShowsTheConclusion(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the embedded sweep at its full size")
	}
	var out, messages bytes.Buffer
	dir := filepath.Join(t.TempDir(), "sweep")
	args := []string{"stampede", "sweep", "--no-figures", "--out", dir}
	if status := run(t.Context(), args, &out, &messages); status != 0 {
		t.Fatalf("status %d: %s", status, messages.String())
	}
	_, conclusion, _ := strings.Cut(out.String(), "wrote "+dir+"\n\n")
	if !strings.Contains(document(t, "README.md"), "\n```text\n"+conclusion+"```\n") {
		t.Errorf("README.md does not hold this, between ```text and ```:\n%s", conclusion)
	}
}

// README's engineer gets the answer that README states.
func TestReadmeAnswersTheEngineer(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every example at its full size")
	}
	var out, messages bytes.Buffer
	args := []string{"stampede", "recommend", "../../examples/engineer.yaml"}
	if status := run(t.Context(), args, &out, &messages); status != exitDone {
		t.Fatalf("status %d: %s", status, messages.String())
	}
	for said, printed := range map[string]string{
		"the tier Grow, the third":                     `provider\.preset +openai-grow-gpt-4o +was`,
		"24 workers per pod instead of 16":             `fleet\.workers +24 +was 16\n`,
		"changes nothing else":                         `policy\.retry\.attempts +3 +as it stands`,
		"99.3 % of the\ncalls":                         `success_ratio +99\.3\d % `,
		"a p95 of 15 s":                                `latency_p95_s +(14\.[5-9]|15\.[0-4])\d* s `,
		"1,000 answers cost $16.32, of which 1.5 % is": `usd_per_1000_answers +\$16\.32 (?s:.*)usd_wasted +1\.5 % `,
	} {
		if !strings.Contains(document(t, "README.md"), said) {
			t.Errorf("README.md does not say %q", said)
		}
		if !regexp.MustCompile(printed).MatchString(out.String()) {
			t.Errorf("%q stands in README.md; recommend prints\n%s", said, out.String())
		}
	}
}

// The recipe on tiers shows what its first command prints of them.
func TestRecipeShowsTheTiers(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every example at its full size")
	}
	const title = "How much would do: tier\n"
	var out, messages bytes.Buffer
	args := []string{"stampede", "recommend", "../../examples/tiers.yaml", "--vary", "policy.retry.attempts=4,8",
		"--goal", "success_ratio>=99%", "--grow", "tier"}
	if status := run(t.Context(), args, &out, &messages); status != exitMissed {
		t.Fatalf("status %d: %s", status, messages.String())
	}
	_, shown, found := strings.Cut(document(t, "docs/recipes.md"), title)
	shown, _, closed := strings.Cut(shown, "```\n")
	if _, printed, _ := strings.Cut(out.String(), title); !found || !closed || !strings.HasPrefix(printed, shown) {
		t.Errorf("docs/recipes.md shows\n%s\nof\n%s", shown, printed)
	}
}

// Every example runs, and so does every command in the comments that begin it.
func TestExamplesRun(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every example at its full size")
	}
	paths, err := filepath.Glob("../../examples/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) < 8 {
		t.Fatalf("found %d examples", len(paths))
	}
	for _, path := range paths {
		name := "examples/" + filepath.Base(path)
		if !strings.Contains(document(t, "examples/README.md"), filepath.Base(path)) {
			t.Errorf("examples/README.md does not name %s", name)
		}
		text := document(t, name)
		lines := []string{"stampede check " + name, "stampede run " + name}
		var comment strings.Builder
		for line := range strings.Lines(text) {
			rest, ok := strings.CutPrefix(line, "#")
			if !ok {
				break
			}
			comment.WriteString(strings.TrimLeft(rest, " "))
		}
		for _, line := range commandLines(comment.String()) {
			if strings.HasPrefix(line, "stampede ") {
				lines = append(lines, line)
			}
		}
		if len(lines) < 3 {
			t.Errorf("the comment of %s shows no command", name)
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			runCommands(t, lines)
		})
	}
}

// commandLines are the commands of a block: one a line, but a quotation may go over lines.
func commandLines(block string) (lines []string) {
	open := ""
	for line := range strings.Lines(block) {
		if open == "" && !strings.HasPrefix(line, "stampede ") && !strings.HasPrefix(line, "go ") {
			continue // prose around the commands of an example
		}
		open += line
		if strings.Count(open, "'")%2 == 0 {
			lines, open = append(lines, strings.TrimSpace(open)), ""
		}
	}
	return lines
}

// workplace is the root of the repository, a folder that holds the examples, and one that holds the program.
func workplace(t *testing.T) (root, dir, bin string) {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir, bin = t.TempDir(), t.TempDir()
	program(t, bin)
	if err := os.Symlink(filepath.Join(root, "examples"), filepath.Join(dir, "examples")); err != nil {
		t.Fatal(err)
	}
	return root, dir, bin
}

// searched are the searches in examples that some document has run. They take long, write nothing, and stand in
// several documents.
var searched sync.Map

func runCommands(t *testing.T, lines []string) {
	root, dir, bin := workplace(t)
	for _, line := range lines {
		line = strings.Replace(line, "go run ./cmd/stampede", "stampede", 1)
		if strings.HasPrefix(line, "stampede recommend examples/") && !strings.Contains(line, "--out") {
			if _, done := searched.LoadOrStore(line, true); done {
				continue
			}
		}
		cmd := exec.Command("bash", "-c", untilServed(line))
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
		switch {
		case line == testCommand || line == tableCommand:
			continue
		case strings.HasPrefix(line, "go run ./newest"): // what it finds depends on the day: only that it builds
			cmd.Dir = filepath.Join(root, "conformance")
			cmd.Args[2] = "go build -o " + os.DevNull + " ./newest"
		case strings.HasPrefix(line, "go install "):
			cmd.Dir = root
			cmd.Env = append(cmd.Env, "GOBIN="+t.TempDir())
		case simulates.MatchString(line) && !strings.Contains(line, "--reps") && !strings.Contains(line, "--precision"):
			cmd.Args[2] = simulates.ReplaceAllString(line, "$0 --reps 2")
		}
		if strings.HasPrefix(line, "stampede recommend ") {
			cmd.Args[2] += " --budget 100"
		}
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if errors.As(err, &exit) && (exit.ExitCode() == exitMissed || exit.ExitCode() == exitUndecided) {
			err = nil // that a goal is not met is an answer
		} else if strings.Contains(string(out), errNone.Error()) {
			err = nil // so is that none can
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
	}
}

// The Go code of docs/library.md is that of examples which the tests of the packages run. UPDATE_DOCS=1 copies it.
func TestLibraryCodeIsTheExamples(t *testing.T) {
	const path = "docs/library.md"
	block := regexp.MustCompile("(?s)<!-- (\\S+) (\\S+) -->\n```go\n(.*?)```")
	text := document(t, path)
	if got, want := len(block.FindAllString(text, -1)), strings.Count(text, "```go\n"); got != want || got < 5 {
		t.Errorf("%s: %d of %d blocks of Go name an example", path, got, want)
	}
	updated := block.ReplaceAllStringFunc(text, func(found string) string {
		parts := block.FindStringSubmatch(found)
		return fmt.Sprintf("<!-- %s %s -->\n```go\n%s```", parts[1], parts[2], code(t, parts[1], parts[2]))
	})
	if updated == text {
		return
	}
	if os.Getenv("UPDATE_DOCS") == "" {
		t.Errorf("the code of %s is not that of the examples; run this test with UPDATE_DOCS=1", path)
		return
	}
	if err := os.WriteFile("../../"+path, []byte(updated), 0o644); err != nil {
		t.Fatal(err)
	}
}

// code is a function of a file, or the body of an example.
func code(t *testing.T, path, name string) string {
	t.Helper()
	_, after, found := strings.Cut(document(t, path), "\nfunc "+name+"(")
	signature, rest, opened := strings.Cut(after, "{\n")
	body, _, closed := strings.Cut(rest, "\n}\n")
	if !found || !opened || !closed {
		t.Fatalf("%s has no function %s", path, name)
	}
	if !strings.HasPrefix(name, "Example") {
		return "func " + name + "(" + signature + "{\n" + body + "\n}\n"
	}
	var out strings.Builder
	for line := range strings.Lines(body + "\n") {
		out.WriteString(strings.TrimPrefix(line, "\t"))
	}
	return out.String()
}

// Links between documents lead to files.
func TestLinksLeadToFiles(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	for _, path := range documents(t) {
		for _, found := range link.FindAllStringSubmatch(document(t, path), -1) {
			if _, err := os.Stat(filepath.Join("..", "..", filepath.Dir(path), found[1])); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}

// The README fits a reader's first look, and its counts are those of the program.
func TestReadmeIsShort(t *testing.T) {
	text := document(t, "README.md")
	if lines := strings.Count(text, "\n"); lines > 200 {
		t.Errorf("README.md has %d lines; at most 200", lines)
	}
	embedded, _ := scenario.Embedded(scenario.Default)
	template, err := scenario.NewTemplate(embedded, scenario.Default, scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	policies := 1
	for _, axis := range template.Sweep.Axes {
		policies *= len(axis.Values)
	}
	for _, want := range []string{
		fmt.Sprintf("It compares %d policies", policies),
		fmt.Sprintf("holds %d such questions", len(experiments.Catalogue())),
	} {
		if !strings.Contains(strings.ReplaceAll(text, "\n", " "), want) {
			t.Errorf("README.md does not say %q", want)
		}
	}
}

// docs/validation.md says how its table is made, and the command prints its rows: those of two quick
// experiments here, all of them in the test of package experiments that runs the catalogue.
func TestValidationRows(t *testing.T) {
	text := document(t, "docs/validation.md")
	if !strings.Contains(text, "\n"+tableCommand+"\n") ||
		!strings.Contains(text, "<!-- made by: "+tableCommand+" -->\n") {
		t.Errorf("docs/validation.md does not say how its table is made: %s", tableCommand)
	}
	var stdout, stderr bytes.Buffer
	args := []string{"stampede", "experiment", "run", "thundering-herd", "sdk-retry-after", "--markdown"}
	if status := run(context.Background(), args, &stdout, &stderr); status != 0 {
		t.Fatal(stderr.String())
	}
	if rows := strings.Count(stdout.String(), "\n| "); rows < 5 {
		t.Errorf("%d rows", rows)
	}
	for line := range strings.Lines(stdout.String()) {
		if !strings.Contains(text, line) {
			t.Errorf("docs/validation.md lacks %s", line)
		}
	}
}
