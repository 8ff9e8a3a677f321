package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"stampede/measure"
	"stampede/report"
)

func reportCommand() *cli.Command {
	return &cli.Command{
		Name: "report", Usage: "compare the points of a sweep: metrics, differences, Pareto frontier, sensitivity",
		ArgsUsage: "FOLDER",
		UsageText: examples(
			example{"Order the points by their 95 % latency.", "stampede report my-sweep --metric latency_p95_s"},
			example{"Compare with point 1 and print Markdown.", "stampede report my-sweep --base 1 --markdown"}),
		Flags: append(goalFlags(),
			&cli.StringFlag{
				Name: "base",
				Usage: "compare with `POINT`: its number, or its values as in " +
					"policy=own-the-loop,policy.gate.semaphore=8",
				DefaultText: "the scenario itself if it is a point of the sweep, else 0",
			},
			&cli.StringFlag{
				Name:        "metric",
				Usage:       "order the points by `METRIC` and mark the best",
				DefaultText: "the metric of the sweep",
			},
			&cli.StringFlag{Name: "metrics", Usage: "print the metrics `METRICS`, separated by commas, or all"},
			wideFlag(),
			&cli.BoolFlag{Name: "markdown", Usage: "print Markdown"},
			&cli.BoolFlag{Name: "csv", Usage: "print CSV, one row for each point"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		),
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
	if o.Aims, err = folderAims(c, dir); err != nil {
		return err
	}
	if o.Objective == "" {
		o.Objective = c.String("min") + c.String("max") // one of them
	}
	comparison, err := report.Compare(dir, o)
	if err != nil {
		return folderMistake(err)
	}
	switch {
	case c.Bool("json"):
		err = writeJSON(c.App.Writer, comparison)
	case c.Bool("csv"):
		err = comparison.WriteCSV(c.App.Writer)
	case c.Bool("markdown"):
		comparison.WriteMarkdown(c.App.Writer)
	default:
		comparison.WriteText(c.App.Writer, layout(c, c.Bool("wide")))
	}
	if err != nil {
		return err
	}
	return judgedPoints(comparison)
}
