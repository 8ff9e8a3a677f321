// Stampede simulates client fleets calling rate-limited LLM APIs on a virtual
// clock. This program is a function of its arguments, its files and its
// standard streams; one file holds each sub-command.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime/debug"
	"syscall"

	"github.com/urfave/cli/v2"

	"stampede/internal/nearest"
	"stampede/measure"
)

func main() {
	// A simulation has a small live heap, some 40 MB, and allocates much: collecting when the heap is
	// nine times the live data, not twice, leaves the cores to the simulation.
	debug.SetGCPercent(800)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() { // a second interrupt is not caught any more
		<-ctx.Done()
		stop()
	}()
	os.Exit(run(ctx, os.Args, os.Stdout, os.Stderr))
}

// Exit statuses.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2 // wrong usage, or a mistake in a scenario
	// Of goals:
	exitMissed    = 3
	exitUndecided = 4
)

// usageError is a mistake of the user: the exit status is 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// run is the program: it returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	out := &errWriter{Writer: stdout}
	stderr = printable{to: stderr}
	app := newApp(printable{to: out}, stderr)
	args, err := flagsFirst(app, args)
	if err == nil {
		err = app.RunContext(ctx, args)
	}
	if err == nil {
		err = out.err
	}
	if err == nil {
		return exitDone
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	fmt.Fprintf(stderr, "stampede: %v\n", err)
	var goals verdictError
	if errors.As(err, &goals) {
		return map[measure.Verdict]int{measure.Missed: exitMissed, measure.Undecided: exitUndecided}[goals.verdict]
	}
	var mistake usageError
	if errors.As(err, &mistake) {
		return exitUsage
	}
	return exitFailed
}

func newApp(stdout, stderr io.Writer) *cli.App {
	app := &cli.App{
		Name:  "stampede",
		Usage: "simulate retries, rate limits and costs of programs that call LLM APIs",
		Description: "Stampede is a discrete-event simulator of fleets of clients that call rate-limited LLM APIs. " +
			"It runs retries, timeouts, concurrency limits, quotas and prices on a virtual clock, without a real call.",
		Commands: []*cli.Command{
			runCommand(), sweepCommand(), recommendCommand(), reportCommand(), plotCommand(), mergeCommand(),
			exploreCommand(), animateCommand(), experimentCommand(), presetCommand(), settingsCommand(),
			checkCommand(), initCommand(), explainCommand(), metricsCommand(), schemaCommand(),
			completionCommand(), completeCommand(), manCommand(), helpCommand(),
		},
		Flags:  []cli.Flag{noColorFlag(), cli.HelpFlag},
		Writer: stdout, ErrWriter: stderr,
		Version:         version(),
		HideHelpCommand: true,
		ExitErrHandler:  func(*cli.Context, error) {},
		OnUsageError:    flagMistake,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return unknownCommand(c.Args().First(), c.App.Commands)
			}
			return cli.ShowAppHelp(c)
		},
	}
	for _, c := range app.Commands {
		prepare(c)
	}
	app.Setup()
	setFullNames(app.Commands, app.Name)
	return app
}

// flagMistake words an error of the flag parser like the other errors. Flags are texts, switches and
// whole numbers.
func flagMistake(_ *cli.Context, err error, _ bool) error {
	m := badFlag.FindStringSubmatch(err.Error())
	if m == nil {
		return usageError{err}
	}
	return usage("--%s: found %s; want a whole number", m[2], m[1])
}

var badFlag = regexp.MustCompile(`^invalid value (".*") for flag -([a-z-]+): (?:parse error|value out of range)$`)

// prepare gives a command what all commands have: the flag --no-color and the wording of flag errors.
func prepare(c *cli.Command) {
	c.HideHelpCommand = true
	c.OnUsageError = flagMistake
	if len(c.Subcommands) == 0 {
		c.Flags, c.Before = append(c.Flags, noColorFlag()), allowColour
	}
	for _, sub := range c.Subcommands {
		prepare(sub)
	}
	if len(c.Subcommands) > 0 {
		c.Action = func(ctx *cli.Context) error {
			if ctx.Args().Present() {
				return unknownCommand(ctx.Args().First(), c.Subcommands)
			}
			printHelp(ctx.App.Writer, "", c)
			return nil
		}
	}
}

// setFullNames gives each command its full name, such as stampede preset list.
func setFullNames(commands []*cli.Command, above string) {
	for _, c := range commands {
		c.HelpName = above + " " + c.Name
		setFullNames(c.Subcommands, c.HelpName)
	}
}

func unknownCommand(name string, commands []*cli.Command) error {
	var known []string
	for _, c := range commands {
		if c.Name != "help" && !c.Hidden {
			known = append(known, c.Name)
		}
	}
	if nearest.Nearest(name, known) == "" {
		return usage("no command %q; --help lists the commands", name)
	}
	return usage("no command %q; %s", name, nearest.Unknown(name, known))
}
