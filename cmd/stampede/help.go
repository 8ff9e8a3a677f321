package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"stampede/internal/format"
)

// example is one command line of a command's help, with what it does.
type example struct{ does, line string }

// examples writes examples as the UsageText of a command; examplesOf reads them back. Every command
// has two.
func examples(all ...example) string {
	var b strings.Builder
	for _, e := range all {
		fmt.Fprintf(&b, "# %s\n%s\n", e.does, e.line)
	}
	return b.String()
}

func examplesOf(c *cli.Command) (all []example) {
	lines := strings.Split(strings.TrimSuffix(c.UsageText, "\n"), "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		all = append(all, example{strings.TrimPrefix(lines[i], "# "), lines[i+1]})
	}
	return all
}

// page is the help of the program or of one command, for a terminal and for the manual.
type page struct {
	program     bool
	name        string // with the program and the commands above it
	usage       string
	synopsis    string
	description string
	examples    []example
	commands    []*cli.Command
	flags       []flagText
}

func pageOf(c *cli.Command) page {
	p := page{
		name: c.HelpName, usage: c.Usage, synopsis: c.HelpName,
		description: c.Description, examples: examplesOf(c), commands: visible(c.Subcommands),
		flags: flagTexts(c.Flags),
	}
	if len(p.commands) > 0 {
		p.synopsis += " COMMAND"
	}
	if c.ArgsUsage != "" {
		p.synopsis += " " + c.ArgsUsage
	}
	if len(p.flags) > 0 {
		p.synopsis += " [FLAGS]"
	}
	return p
}

func appPage(app *cli.App) page {
	return page{
		program: true, name: app.Name, usage: app.Usage, synopsis: app.Name + " COMMAND [ARGUMENTS] [FLAGS]",
		description: app.Description, commands: visible(app.Commands), flags: flagTexts(app.Flags),
	}
}

// exitStatuses and environment are the rest of the program's help.
var (
	exitStatuses = []flagText{
		{fmt.Sprint(exitDone), "done"},
		{fmt.Sprint(exitFailed), "failed or interrupted"},
		{fmt.Sprint(exitUsage), "wrong usage, or a mistake in a scenario"},
		{fmt.Sprint(exitMissed), "run: a goal is missed; sweep, report: every point misses one; recommend: no " +
			"setting meets all"},
		{fmt.Sprint(exitUndecided), "run, recommend: a goal is undecided and none missed; sweep, report: no point " +
			"surely meets all goals"},
	}
	environment = []flagText{
		{"NO_COLOR", "print without colour when it is not empty"},
		{"SLURM_CPUS_PER_TASK", "at most so many replications in parallel, unless --jobs is given"},
	}
)

// sentence is the usage as a sentence.
func (p page) sentence() string { return strings.ToUpper(p.usage[:1]) + p.usage[1:] + "." }

func visible(commands []*cli.Command) (out []*cli.Command) {
	for _, c := range commands {
		if !c.Hidden {
			out = append(out, c)
		}
	}
	return out
}

// flagText is what help says of a flag.
type flagText struct {
	name    string // such as --reps N
	meaning string
}

var placeholder = regexp.MustCompile("`([^`]+)`")

func flagTexts(flags []cli.Flag) (out []flagText) {
	for _, f := range flags {
		doc, ok := f.(cli.DocGenerationFlag)
		if !ok || f.Names()[0] == "help" {
			continue
		}
		t := flagText{name: "--" + f.Names()[0], meaning: placeholder.ReplaceAllString(doc.GetUsage(), "$1")}
		if doc.TakesValue() {
			value := "VALUE"
			if m := placeholder.FindStringSubmatch(doc.GetUsage()); m != nil {
				value = m[1]
			}
			t.name += " " + value
			if text := doc.GetDefaultText(); text != "" && text != "0" && text != `""` {
				t.meaning += " (default: " + strings.Trim(text, `"`) + ")"
			}
		}
		out = append(out, t)
	}
	return append(out, flagText{"--help", "print this help"})
}

// Where the meanings of commands and flags begin.
const (
	commandColumn = 14
	flagColumn    = 26
)

func (p page) write(w io.Writer, width int) {
	item := func(name, meaning string, column int) {
		lines := format.Wrap(meaning, width-column)
		if gap := column - 2 - utf8.RuneCountInString(name); gap < 2 {
			fmt.Fprintf(w, "  %s\n%s", name, strings.Repeat(" ", column))
		} else {
			fmt.Fprintf(w, "  %s%s", name, strings.Repeat(" ", gap))
		}
		fmt.Fprintln(w, format.Indent(lines, column))
	}
	fmt.Fprintln(w, format.Indent(format.Wrap(p.name+" - "+p.usage, width), 0))
	fmt.Fprintf(w, "\nUsage:\n  %s\n", p.synopsis)
	if p.description != "" {
		fmt.Fprintf(w, "\n%s\n", format.Indent(format.Wrap(p.description, width), 0))
	}
	if len(p.commands) > 0 {
		fmt.Fprint(w, "\nCommands:\n")
	}
	for _, c := range p.commands {
		item(c.Name, c.Usage, commandColumn)
	}
	if len(p.examples) > 0 {
		fmt.Fprint(w, "\nExamples:\n")
	}
	for _, e := range p.examples {
		fmt.Fprintf(w, "  # %s\n  %s\n", e.does, e.line)
	}
	fmt.Fprint(w, "\nFlags:\n")
	for _, f := range p.flags {
		item(f.name, f.meaning, flagColumn)
	}
	if p.program {
		fmt.Fprint(w, "\nExit status:\n")
		for _, s := range exitStatuses {
			item(s.name, s.meaning, 6)
		}
	}
	if len(p.commands) > 0 {
		fmt.Fprintf(w, "\n%s COMMAND --help prints the flags and examples of a command.\n", p.name)
	}
}

func init() { cli.HelpPrinter = printHelp }

// printHelp prints the page of the program or a command in place of the library's templates.
func printHelp(w io.Writer, _ string, of any) {
	switch of := of.(type) {
	case *cli.App:
		appPage(of).write(w, columns(w))
	case *cli.Command:
		pageOf(of).write(w, columns(w))
	}
}

func helpCommand() *cli.Command {
	return &cli.Command{
		Name: "help", Usage: "print help for a command", ArgsUsage: "[COMMAND]...",
		UsageText: examples(
			example{"List the commands.", "stampede help"},
			example{"Print the flags and examples of one command.", "stampede help preset show"},
		),
		Action: func(c *cli.Context) error {
			commands := c.App.Commands
			var found *cli.Command
			for _, name := range c.Args().Slice() {
				next := find(commands, name)
				if next == nil {
					return unknownCommand(name, commands)
				}
				found, commands = next, next.Subcommands
			}
			if found == nil {
				return cli.ShowAppHelp(c)
			}
			printHelp(c.App.Writer, "", found)
			return nil
		},
	}
}
