package main

import (
	"os"

	"github.com/urfave/cli/v2"

	"stampede/internal/nearest"
	"stampede/scenario"
)

func initCommand() *cli.Command {
	return &cli.Command{
		Name:        "init",
		Usage:       "write a commented scenario to start from",
		ArgsUsage:   "[FILE]",
		Description: "Without FILE, or with -, the scenario is printed. A file that exists is not overwritten.",
		UsageText: examples(
			example{"Write a scenario to edit.", "stampede init new.yaml"},
			example{"Print the scenario that run and sweep use without a file.",
				"stampede init --from documentation-assistant"},
		),
		Flags: []cli.Flag{&cli.StringFlag{Name: "from", Value: "commented",
			Usage: "copy the built-in scenario `NAME`: " + nearest.List(scenario.EmbeddedNames())}},
		Action: func(c *cli.Context) error {
			text, ok := scenario.Embedded(c.String("from"))
			if !ok {
				return usage("--from: found %q; %s", c.String("from"),
					nearest.Unknown(c.String("from"), scenario.EmbeddedNames()))
			}
			switch {
			case c.NArg() == 0 || c.NArg() == 1 && c.Args().First() == "-":
				_, err := c.App.Writer.Write(text)
				return err
			case c.NArg() > 1:
				return usage("init: found %d arguments; want at most one file", c.NArg())
			}
			path := c.Args().First()
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
			if err != nil {
				return usageError{err}
			}
			if _, err := f.Write(text); err != nil {
				return err
			}
			if err := f.Close(); err != nil {
				return err
			}
			return wrote(c.App.Writer, "%s; next: stampede check %s, stampede run %s", path, path, path)
		},
	}
}
