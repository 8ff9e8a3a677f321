package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"stampede/scenario"
)

func explainCommand() *cli.Command {
	return &cli.Command{
		Name:        "explain",
		Usage:       "explain a field of the scenario file: meaning, values, default and example",
		ArgsUsage:   "[PATH]",
		Description: "Without PATH, list the fields at the top of the file.",
		UsageText: examples(
			example{"Explain a group of fields.", "stampede explain policy.retry"},
			example{"Explain one field of a limit.", "stampede explain provider.limits.kind"},
		),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "markdown", Usage: "print the documentation of all fields in Markdown"},
			&cli.StringFlag{Name: "out", Usage: "write to `FILE` instead of standard output"},
		},
		Action: explainField,
	}
}

func explainField(c *cli.Context) error {
	return toOut(c, func(w io.Writer) error { return writeExplanation(c, w) })
}

// toOut writes to the file of --out, whole or not at all, or to standard output.
func toOut(c *cli.Context, write func(io.Writer) error) error {
	path := c.String("out")
	if path == "" {
		return write(c.App.Writer)
	}
	file, err := create("--out", path, nil)
	if err != nil {
		return err
	}
	if err := write(file); err != nil {
		return errors.Join(err, file.discard())
	}
	return file.commit()
}

func writeExplanation(c *cli.Context, w io.Writer) error {
	out := &errWriter{Writer: w}
	switch {
	case c.NArg() > 1:
		return usage("explain: found %d arguments; want at most one path", c.NArg())
	case c.Bool("markdown"):
		if err := noArguments(c); err != nil {
			return err
		}
		scenario.Reference(out)
	case c.NArg() == 1:
		f, err := scenario.FindField(c.Args().First())
		if err != nil {
			return usageError{err}
		}
		f.Print(out)
	default:
		fmt.Fprintln(out, "Fields of the scenario file (stampede explain PATH shows more)")
		scenario.PrintFields(out, scenario.Fields())
	}
	return out.err
}

// withField adds to the mistakes of a scenario where the field of the first one is explained.
func withField(err error) error {
	if f, ok := scenario.Mistaken(err); ok {
		return fmt.Errorf("%w\nSee stampede explain %s", err, f.Path)
	}
	return err
}
