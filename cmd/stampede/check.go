package main

import "github.com/urfave/cli/v2"

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
		Flags: scenarioFlags(),
		Action: func(c *cli.Context) error {
			s, err := readScenario(c)
			if err != nil {
				return err
			}
			s.Explain(c.App.Writer)
			return nil
		},
	}
}
