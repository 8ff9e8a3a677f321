package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"
)

func manCommand() *cli.Command {
	return &cli.Command{
		Name: "man", Usage: "print the manual page",
		UsageText: examples(
			example{"Read the manual page.", "stampede man | man -l -"},
			example{"Install it for the current user.", "stampede man > stampede.1"},
		),
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			writeManual(c.App.Writer, c.App)
			return nil
		},
	}
}

// writeManual writes the pages of help as one manual page, in the language of groff's man macros.
func writeManual(w io.Writer, app *cli.App) {
	m := manual{w}
	top := appPage(app)
	m.line(".TH STAMPEDE 1 \"\" \"stampede %s\"", roff(app.Version))
	m.line(".nh\n.ad l")
	m.line(".SH NAME\n%s \\- %s", roff(top.name), roff(top.usage))
	m.line(".SH SYNOPSIS\n.B %s", roff(top.synopsis))
	m.line(".SH DESCRIPTION")
	m.text(top.description)
	m.items(top.flags)
	m.line(".SH COMMANDS")
	m.commands(app.Commands)
	m.line(".SH EXIT STATUS")
	m.items(exitStatuses)
	m.line(".SH ENVIRONMENT")
	m.items(environment)
}

type manual struct{ w io.Writer }

func (m manual) line(format string, args ...any) { fmt.Fprintf(m.w, format+"\n", args...) }

// text writes paragraphs; indented lines stand as they are.
func (m manual) text(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case line == "":
			m.line(".PP")
		case strings.HasPrefix(line, " "):
			m.line(".RS 4\n.nf\n%s\n.fi\n.RE", roff(strings.TrimSpace(line)))
		default:
			m.line("%s", roff(line))
		}
	}
}

func (m manual) items(items []flagText) {
	for _, i := range items {
		m.line(".TP\n.B %s\n%s", roff(i.name), roff(i.meaning))
	}
}

func (m manual) commands(commands []*cli.Command) {
	for _, c := range visible(commands) {
		p := pageOf(c)
		m.line(".SS %s\n%s", roff(p.synopsis), roff(p.sentence()))
		if p.description != "" {
			m.line(".PP")
			m.text(p.description)
		}
		m.items(p.flags)
		for _, e := range p.examples {
			m.line(".PP\n%s\n.PP\n.RS 4\n.nf\n%s\n.fi\n.RE", roff(e.does), roff(e.line))
		}
		m.commands(c.Subcommands)
	}
}

// roff escapes a text of one line: a backslash, a hyphen that is no dash, quotes that are no
// apostrophes, and a dot or an apostrophe that would begin a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, `-`, `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(text)
	if strings.HasPrefix(text, ".") {
		return `\&` + text
	}
	return text
}
