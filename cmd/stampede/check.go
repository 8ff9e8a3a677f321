package main

import (
	"bytes"
	"errors"
	"io"

	"github.com/urfave/cli/v2"

	"stampede/internal/format"
	"stampede/scenario"
)

func checkCommand() *cli.Command {
	return &cli.Command{
		Name:        "check",
		Usage:       "check a scenario; print what it describes and which limit binds, without running it",
		ArgsUsage:   "[SCENARIO]",
		Description: scenarioText + " Up to ten mistakes of a file are reported at once; the exit status is then 2.",
		UsageText: examples(
			example{"Check the built-in scenario.", "stampede check"},
			example{"See what a smaller gate allows, before running it.",
				"stampede check my.yaml --set policy.gate.semaphore=4"},
		),
		Flags: append(scenarioFlags(), &cli.BoolFlag{
			Name: "json", Usage: "print JSON: a summary, or the mistakes with file, line and path",
		}),
		Action: checkScenario,
	}
}

func checkScenario(c *cli.Context) error {
	t, err := readTemplate(c)
	switch {
	case err != nil && c.Bool("json"):
		mistakes := map[string][]scenario.Mistake{"mistakes": scenario.Mistakes(err)}
		return errors.Join(err, writeJSON(c.App.Writer, mistakes))
	case err != nil:
		return err
	case c.Bool("json"):
		return writeJSON(c.App.Writer, t.Base.Summary())
	}
	var text bytes.Buffer
	t.Base.Explain(&text)
	_, err = io.WriteString(c.App.Writer, format.Fold(text.String(), columns(c.App.Writer)))
	return err
}
