package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
)

// eachCommand calls back for every command that help shows.
func eachCommand(commands []*cli.Command, back func(c *cli.Command)) {
	for _, c := range visible(commands) {
		back(c)
		eachCommand(c.Subcommands, back)
	}
}

// The help of every command has two examples, which run.
func TestHelpExamplesRun(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every example at its full size")
	}
	dir := t.TempDir()
	path := filepath.Dir(program(t, t.TempDir())) + ":" + os.Getenv("PATH")
	shell := func(line string) {
		t.Helper()
		if _, err := exec.LookPath("man"); err != nil {
			line = strings.Replace(line, "| man -l -", "| cat", 1)
		}
		cmd := exec.Command("bash", "-c", untilServed(line))
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+path)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
	}
	// What the examples read: a scenario, a sweep and its parts.
	shell("stampede init my.yaml")
	const small = "stampede sweep --vary policy.gate.semaphore=4,8 --vary policy.retry.attempts=2,6 --reps 2 " +
		"--set workload.batch.calls=50 --no-figures "
	shell(small + "--out my-sweep")
	shell(small + "--shard 1/2 --out part-1")
	shell(small + "--shard 2/2 --out part-2")
	eachCommand(newApp(&bytes.Buffer{}, &bytes.Buffer{}).Commands, func(c *cli.Command) {
		found := examplesOf(c)
		if len(found) < 2 {
			t.Errorf("%s: %d examples; want two", c.HelpName, len(found))
		}
		for _, e := range found {
			switch {
			case !strings.Contains(e.line, c.HelpName+" ") && !strings.HasSuffix(e.line, c.HelpName):
				t.Errorf("%s: the example %q is of another command", c.HelpName, e.line)
			case !strings.HasSuffix(e.does, "."):
				t.Errorf("%s: the example %q is no sentence", c.HelpName, e.does)
			default:
				shell(e.line)
			}
		}
	})
}

// Help fits the terminal; usages begin with a verb and are no sentences.
func TestHelpFits(t *testing.T) {
	check := func(args ...string) {
		var stdout, stderr bytes.Buffer
		args = append([]string{"stampede"}, args...)
		if status := run(context.Background(), args, &stdout, &stderr); status != exitDone {
			t.Errorf("%v: status %d, %s", args, status, &stderr)
		}
		for line := range strings.SplitSeq(stdout.String(), "\n") {
			if n := utf8.RuneCountInString(line); n > plainColumns {
				t.Errorf("%v: %d columns: %s", args, n, line)
			}
		}
		if !strings.Contains(stdout.String(), "\nUsage:\n  stampede") {
			t.Errorf("%v: no usage in\n%s", args, &stdout)
		}
	}
	check()
	check("--help")
	check("help")
	eachCommand(newApp(&bytes.Buffer{}, &bytes.Buffer{}).Commands, func(c *cli.Command) {
		path := strings.Fields(c.HelpName)[1:]
		check(append(path, "--help")...)
		check(append([]string{"help"}, path...)...)
		if first := c.Usage[:1]; first != strings.ToLower(first) || strings.HasSuffix(c.Usage, ".") {
			t.Errorf("%s: usage %q; want a verb first, in lower case, and no full stop", c.HelpName, c.Usage)
		}
	})
}
