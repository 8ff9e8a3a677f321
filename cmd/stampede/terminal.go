package main

import (
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"stampede/internal/format"
	"stampede/report"
)

// plainColumns is the width of output that goes to no terminal; minColumns is the width that
// tables and help are laid out for on a narrower terminal.
const (
	plainColumns = 80
	minColumns   = 40
)

// terminalOf is the terminal that a stream of the program goes to; nil when it goes elsewhere.
func terminalOf(w io.Writer) *os.File {
	switch to := w.(type) {
	case printable:
		return terminalOf(to.to)
	case *errWriter:
		return terminalOf(to.Writer)
	case *os.File:
		if term.IsTerminal(int(to.Fd())) {
			return to
		}
	}
	return nil
}

// columns is the width to lay output out for: that of the terminal, 80 when it goes elsewhere.
func columns(w io.Writer) int {
	f := terminalOf(w)
	if f == nil {
		return plainColumns
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		return plainColumns
	}
	return max(width, minColumns)
}

// noColorFlag is a flag of every command.
func noColorFlag() cli.Flag {
	return &cli.BoolFlag{
		Name:  "no-color",
		Usage: "print without colour, as with the environment variable NO_COLOR",
	}
}

// colour reports whether the output of a command may be coloured: it goes to a terminal, and
// neither --no-color nor NO_COLOR (no-color.org) nor a terminal without colours forbids it.
func colour(c *cli.Context) bool {
	return terminalOf(c.App.Writer) != nil && wantsColour(c.Bool("no-color"), os.Getenv)
}

func wantsColour(off bool, env func(string) string) bool {
	return !off && env("NO_COLOR") == "" && env("TERM") != "dumb"
}

// allowColour lets the colours of a command's output pass.
func allowColour(c *cli.Context) error {
	if w, ok := c.App.Writer.(printable); ok && colour(c) {
		w.colour = true
		c.App.Writer = w
	}
	return nil
}

// wideFlag asks for all columns of a table.
func wideFlag() cli.Flag {
	return &cli.BoolFlag{
		Name:  "wide",
		Usage: "show more metrics with their intervals, in a table wider than the terminal",
	}
}

// wrote says what a command wrote, within the width of the stream.
func wrote(w io.Writer, text string, args ...any) error {
	const indent = 2
	lines := format.Wrap("wrote "+fmt.Sprintf(text, args...), columns(w)-indent)
	_, err := fmt.Fprintln(w, format.Indent(lines, indent))
	return err
}

// layout is that of tables on the output of a command.
func layout(c *cli.Context, wide bool) report.Layout {
	return report.Layout{Width: columns(c.App.Writer), Wide: wide, Colour: colour(c)}
}
