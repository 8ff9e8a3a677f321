package main

import (
	"bytes"
	"context"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/urfave/cli/v2"

	"stampede/internal/format"
	"stampede/scenario"
)

// No line of what a command prints by default is wider than 80 columns where it goes to no terminal.
// A line that is one word, such as an address, may be.
func TestOutputFits(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	const small = " --set workload.batch.calls=60 --reps 3"
	commands := []string{
		"run" + small, "run --reps 1 --set workload.batch.calls=10 --set policy=no-retry",
		"sweep --vary policy=own-the-loop,openai-python@2.46 --vary policy.gate.semaphore=none,2 --no-figures --out " +
			dir + small,
		"run --out " + filepath.Join(dir, "run") + small,
		"report " + dir, "report --metric latency_p95_s " + dir,
		"experiment list", "experiment run thundering-herd sdk-retry-after classification --seeds 2",
		"preset list", "check", "explain", "explain provider.limits", "metrics", "metrics collapsed",
		"preset show gpt-4o-mini", "help",
	}
	for _, kind := range []string{"experiment show", "preset show"} {
		for _, value := range argumentValues("stampede " + kind) {
			commands = append(commands, kind+" "+value.text)
		}
	}
	var stdout, stderr bytes.Buffer
	eachCommand(newApp(&stdout, &stderr).Commands, func(c *cli.Command) {
		commands = append(commands, strings.TrimPrefix(c.HelpName, "stampede ")+" --help")
	})
	for _, line := range commands {
		stdout.Reset()
		stderr.Reset()
		args := strings.Fields("stampede " + line)
		if status := run(context.Background(), args, &stdout, &stderr); status == exitUsage {
			t.Fatalf("%s: %s", line, &stderr)
		}
		for text := range strings.Lines(stdout.String() + stderr.String()) {
			text = strings.TrimRight(text, "\n")
			if strings.Contains(strings.TrimSpace(text), " ") && utf8.RuneCountInString(text) > plainColumns {
				t.Errorf("%s: %d columns: %s", line, utf8.RuneCountInString(text), text)
			}
		}
	}
}

// The list of presets fits a terminal of 60 columns: versions follow the names there. In a wide one it
// names the sources.
func TestPresetListFits(t *testing.T) {
	rows, err := presetRows()
	if err != nil {
		t.Fatal(err)
	}
	for width, want := range map[int]string{
		60:  "policy    openai-node@4.14                    2026-12-01",
		80:  "policy    openai-node                         4.14 .. 4.24   2026-12-01",
		120: "KIND      NAME                                VERSIONS       DATE        SOURCE",
	} {
		var out strings.Builder
		if err := writePresets(&out, rows, width); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
				t.Errorf("%d columns in a terminal of %d: %s", n, width, line)
			}
		}
		if !strings.Contains("\n"+out.String(), "\n"+want+"\n") {
			t.Errorf("%d columns: no line %q", width, want)
		}
	}
}

// What show prints of a preset is the same YAML as its file, on narrower lines.
func TestFoldingKeepsPresets(t *testing.T) {
	for _, p := range scenario.Presets() {
		folded := format.FoldYAML(p.Text(), plainColumns)
		if squeeze(folded) != squeeze(p.Text()) {
			t.Errorf("%s: folding changes words:\n%s", p.Name, folded)
		}
		var was, is any
		if err := yaml.Unmarshal([]byte(p.Text()), &was); err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal([]byte(folded), &is); err != nil || !reflect.DeepEqual(was, is) {
			t.Errorf("%s: %v; folded it reads\n%v\nwant\n%v", p.Name, err, is, was)
		}
	}
}

func squeeze(text string) string { return strings.Join(strings.Fields(text), " ") }
