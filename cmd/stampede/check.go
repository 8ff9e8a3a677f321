package main

import "github.com/urfave/cli/v2"

func checkCommand() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "read a scenario, explain it in words and say what limits it; run nothing",
		ArgsUsage: "[SCENARIO]",
		Flags:     scenarioFlags(),
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
