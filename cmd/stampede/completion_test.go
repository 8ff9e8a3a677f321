package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestComplete(t *testing.T) {
	commands := newApp(&bytes.Buffer{}, &bytes.Buffer{}).Commands
	for _, c := range []struct {
		what  string
		words []string
		want  []string // among them; nil when there is none
		not   string
	}{
		{"nothing yet", nil, []string{"run", "sweep", "preset"}, "__complete"},
		{"a command", []string{"sw"}, []string{"sweep"}, "run"},
		{"a sub-command", []string{"preset", ""}, []string{"list", "show"}, "run"},
		{"a flag", []string{"run", "my.yaml", "--ca"}, []string{"--calls"}, "--reps"},
		{"a flag after the value of another", []string{"run", "--reps", "3", "--j"}, []string{"--jobs", "--json"},
			"--calls"},
		{"all flags have help", []string{"schema", "--"}, []string{"--help", "--no-color"}, "--set"},
		{"the value of a flag", []string{"report", "d", "--metric", "latency_p9"}, []string{"latency_p95_s"}, "calls"},
		{"a file is the value", []string{"run", "--calls", ""}, nil, ""},
		{"a file is the argument", []string{"run", ""}, nil, ""},
		{"the name of an experiment", []string{"experiment", "run", "--json", "he"}, []string{"hedge"}, "semaphore"},
		{"the name of a preset, with a version", []string{"preset", "show", "openai-python@"},
			[]string{"openai-python@1.47"}, "own-the-loop"},
		{"a format", []string{"plot", "d", "--format", ""}, []string{"svg", "png", "pdf"}, ""},
		{"a field", []string{"explain", "policy.ret"}, []string{"policy.retry."}, "policy.retry"},
		{"a field inside", []string{"explain", "policy.retry.at"}, []string{"policy.retry.attempts"}, ""},
		{"a setting", []string{"run", "--set", "provider.limits.0.li"}, []string{"provider.limits.0.limit="}, ""},
		{"a field that there is not", []string{"explain", "polcy.retry."}, nil, ""},
		{"a shell", []string{"completion", ""}, shells, ""},
		{"a client", []string{"settings", "--for", "openai-"}, []string{"openai-go", "openai-python"}, "own-the-loop"},
		{"a policy", []string{"settings", "o"}, []string{"own-the-loop", "openai-go@1.0"}, "openai-tier-1"},
	} {
		var got []string
		for _, found := range complete(commands, c.words) {
			got = append(got, found.text)
		}
		for _, w := range c.want {
			if !slices.Contains(got, w) {
				t.Errorf("%s: %v has no %s", c.what, got, w)
			}
		}
		if slices.Contains(got, c.not) || c.want == nil && got != nil {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}

// Each shell that is installed completes as the table of words does.
func TestCompletionScripts(t *testing.T) {
	bin := filepath.Dir(program(t, t.TempDir()))
	for shell, script := range map[string]string{
		"bash": `source <(stampede completion bash)
			complete -p stampede | grep -q -- '-F _stampede stampede' || exit 1
			ask() { COMP_LINE="$1" COMP_POINT=${#1}; _stampede stampede; echo "${COMPREPLY[*]}"; }
			ask 'stampede experiment run hed'
			ask 'stampede preset show openai-python@1.4'
			ask 'stampede plot d --format s'
			ask 'stampede run '`,
		"fish": `stampede completion fish | source
			complete -C 'stampede experiment run hed' | cut -f1
			complete -C 'stampede preset show openai-python@1.4' | cut -f1 | string replace openai-python@ ''
			complete -C 'stampede plot d --format s' | cut -f1
			complete -C 'stampede run ' | cut -f1`,
		"zsh": `compdef() { :; }; _describe() { echo ${${(P)2}%%:*}; }; _files() { echo; }
			source <(stampede completion zsh)
			ask() { words=("$@"); CURRENT=${#words}; _stampede; }
			ask stampede experiment run hed
			ask stampede preset show openai-python@1.4 | sed s/openai-python@//
			ask stampede plot d --format s
			ask stampede run ''`,
	} {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skip("not installed")
			}
			cmd := exec.Command(path, "-c", script)
			cmd.Dir = t.TempDir() // without files
			cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+cmd.Dir)
			out, err := cmd.CombinedOutput()
			if got := strings.Fields(string(out)); err != nil || !slices.Equal(got, []string{"hedge", "1.47", "svg"}) {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
