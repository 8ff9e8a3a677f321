package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

func TestColourIsForTerminals(t *testing.T) {
	for _, c := range []struct {
		off         bool
		variable    string
		value       string
		want        bool
		explanation string
	}{
		{false, "", "", true, "a terminal"},
		{true, "", "", false, "--no-color"},
		{false, "NO_COLOR", "1", false, "NO_COLOR"},
		{false, "NO_COLOR", "", true, "an empty NO_COLOR asks for nothing (no-color.org)"},
		{false, "TERM", "dumb", false, "a terminal without colours"},
	} {
		env := func(name string) string {
			if name == c.variable {
				return c.value
			}
			return ""
		}
		if got := wantsColour(c.off, env); got != c.want {
			t.Errorf("%s: %v", c.explanation, got)
		}
	}
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if w := (printable{to: &errWriter{Writer: f}}); terminalOf(w) != nil || columns(w) != 80 {
		t.Errorf("a file: terminal %v, %d columns", terminalOf(w), columns(w))
	}
}

// Colours of a table pass to a terminal; what a name does to it ends with its line.
func TestColoursPassWhereTheyAreOn(t *testing.T) {
	const text = "\x1b[32mbetter\x1b[0m\nred \x1b[31mname\nplain \x1b]0;title\a\x1b[2J\n"
	for colour, want := range map[bool]string{
		true: "\x1b[32mbetter\x1b[0m\nred \x1b[31mname\x1b[0m\nplain " + `\u001b]0;title\u0007\u001b[2J` + "\n",
		false: `\u001b[32mbetter\u001b[0m` + "\n" + `red \u001b[31mname` + "\n" +
			`plain \u001b]0;title\u0007\u001b[2J` + "\n",
	} {
		var out bytes.Buffer
		if _, err := (printable{&out, colour}).Write([]byte(text)); err != nil || out.String() != want {
			t.Errorf("colour %v: %q, %v; want %q", colour, &out, err, want)
		}
	}
}

// Every command takes --no-color.
func TestNoColorIsAFlagOfEveryCommand(t *testing.T) {
	var stdout, stderr bytes.Buffer
	for _, args := range []string{"experiment list --no-color", "check --no-color", "--no-color preset list"} {
		if status := run(context.Background(), strings.Fields("stampede "+args), &stdout, &stderr); status != exitDone {
			t.Errorf("%s: status %d, %s", args, status, &stderr)
		}
	}
}
