package main

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

func TestRoff(t *testing.T) {
	for text, want := range map[string]string{
		"--set PATH=VALUE": `\-\-set PATH=VALUE`,
		".sh is no file":   `\&.sh is no file`,
		`a\b`:              `a\eb`,
		"'quoted'":         `\(aqquoted\(aq`,
	} {
		if got := roff(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// The manual has every command, flag and example, and groff has nothing to complain of.
func TestManual(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if status := run(context.Background(), []string{"stampede", "man"}, &stdout, &stderr); status != exitDone {
		t.Fatal(stderr.String())
	}
	source := stdout.String()
	eachCommand(newApp(&bytes.Buffer{}, &bytes.Buffer{}).Commands, func(c *cli.Command) {
		p := pageOf(c)
		want := []string{".SS " + roff(p.synopsis)}
		for _, f := range p.flags {
			want = append(want, ".B "+roff(f.name))
		}
		for _, e := range p.examples {
			want = append(want, roff(e.line))
		}
		for _, text := range want {
			if !strings.Contains(source, text+"\n") {
				t.Errorf("%s: the manual has no %s", c.HelpName, text)
			}
		}
	})
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("groff is not installed")
	}
	cmd := exec.Command(groff, "-man", "-Tascii", "-ww", "-z")
	cmd.Stdin = &stdout
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}
