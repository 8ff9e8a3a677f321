package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"stampede/measure"
	"stampede/report"
)

func reportCommand() *cli.Command {
	return &cli.Command{
		Name: "report", Usage: "compare the points of a sweep: intervals, paired differences, the best set, the frontier, sensitivity",
		ArgsUsage: "FOLDER",
		Flags: []cli.Flag{
			&cli.StringFlag{
				Name:        "base",
				Usage:       "the `POINT` to compare to: its number, or values as in policy=own-the-loop,policy.gate.semaphore=8",
				DefaultText: "the scenario itself, else 0",
			},
			&cli.StringFlag{
				Name:        "metric",
				Usage:       "the `METRIC` that orders the points and names the best",
				DefaultText: "that of the sweep",
			},
			&cli.StringFlag{Name: "metrics", Usage: "the `METRICS` to show, with commas between; all for every one"},
			&cli.BoolFlag{Name: "markdown", Usage: "print Markdown"},
			&cli.BoolFlag{Name: "csv", Usage: "print CSV: every point, every metric shown"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		},
		Action: runReport,
	}
}

func runReport(c *cli.Context) error {
	if c.NArg() != 1 {
		return usage("report: found %d arguments; want the folder of one sweep", c.NArg())
	}
	dir := c.Args().First()
	o := report.CompareOptions{Objective: c.String("metric")}
	if list := c.String("metrics"); list == "all" {
		o.Metrics = measure.MetricNames()
	} else if list != "" {
		o.Metrics = strings.Split(list, ",")
	}
	for _, name := range append(o.Metrics, o.Objective) {
		if _, err := measure.Lookup(name); name != "" && err != nil {
			return usage("%v", err)
		}
	}
	base, err := basePoint(c, dir)
	if err != nil {
		return err
	}
	o.Base = &base
	comparison, err := report.Compare(dir, o)
	if err != nil {
		return folderMistake(err)
	}
	switch {
	case c.Bool("json"):
		return writeJSON(c.App.Writer, comparison)
	case c.Bool("csv"):
		return comparison.WriteCSV(c.App.Writer)
	case c.Bool("markdown"):
		comparison.WriteMarkdown(c.App.Writer)
	default:
		comparison.WriteText(c.App.Writer)
	}
	return nil
}
