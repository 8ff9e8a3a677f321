package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"stampede/internal/format"
	"stampede/measure"
)

func metricsCommand() *cli.Command {
	return &cli.Command{
		Name:        "metrics",
		Usage:       "list the metrics, or explain one: unit, meaning, and which direction is better",
		ArgsUsage:   "[NAME]",
		Description: "Without NAME, list all metrics.",
		UsageText: examples(
			example{"List all metrics.", "stampede metrics"},
			example{"Explain one metric.", "stampede metrics usd_per_1000_answers"},
		),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			&cli.BoolFlag{Name: "markdown", Usage: "print the documentation of all metrics in Markdown"},
			&cli.StringFlag{Name: "out", Usage: "write to `FILE` instead of standard output"},
		},
		Action: explainMetrics,
	}
}

func explainMetrics(c *cli.Context) error {
	path := c.String("out")
	if path == "" {
		return writeMetrics(c, c.App.Writer)
	}
	file, err := create("--out", path, nil)
	if err != nil {
		return err
	}
	if err := writeMetrics(c, file); err != nil {
		return errors.Join(err, file.discard())
	}
	return file.commit()
}

// metricText is what metrics --json prints of a metric.
type metricText struct {
	Name    string            `json:"name"`
	Unit    string            `json:"unit"`
	Better  measure.Direction `json:"better"`
	Of      measure.Basis     `json:"of"`
	Group   string            `json:"group"`
	Meaning string            `json:"meaning"`
}

func textOf(m measure.Metric) metricText {
	return metricText{m.Name, m.Unit, m.Better, m.Of, m.Group, m.Meaning}
}

func writeMetrics(c *cli.Context, w io.Writer) error {
	out := &errWriter{Writer: w}
	switch {
	case c.NArg() > 1:
		return usage("metrics: found %d arguments; want at most one name", c.NArg())
	case c.Bool("markdown"):
		if err := noArguments(c); err != nil {
			return err
		}
		measure.Reference(out)
	case c.NArg() == 1:
		i, err := measure.Lookup(c.Args().First())
		if err != nil {
			return usageError{err}
		}
		m := measure.Metrics()[i]
		if c.Bool("json") {
			return writeJSON(w, textOf(m))
		}
		printMetric(out, m, columns(c.App.Writer))
	case c.Bool("json"):
		var all []metricText
		for _, m := range measure.Metrics() {
			all = append(all, textOf(m))
		}
		return writeJSON(w, all)
	default:
		listMetrics(out, columns(c.App.Writer))
	}
	return out.err
}

func printMetric(w io.Writer, m measure.Metric, width int) {
	const indent = 11
	better := m.Better.String() + " is better"
	if m.Better == measure.Neither {
		better = "no direction is better"
	}
	fmt.Fprintln(w, m.Name)
	for _, line := range [][2]string{
		{"meaning", m.Meaning}, {"unit", m.Unit}, {"better", better},
		{"covers", m.Of.String() + ": " + m.Of.Meaning()}, {"group", m.Group},
	} {
		fmt.Fprintf(w, "  %-*s%s\n", indent-2, line[0], format.Indent(format.Wrap(line[1], width-indent), indent))
	}
}

// listMetrics writes the metrics under their headings.
func listMetrics(w io.Writer, width int) {
	const column = 28
	group := ""
	for _, m := range measure.Described() {
		if m.Group != group {
			if group != "" {
				fmt.Fprintln(w)
			}
			group = m.Group
			fmt.Fprintln(w, group)
		}
		name := fmt.Sprintf("  %-*s", column-2, m.Name)
		if len(m.Name) > column-4 {
			name = "  " + m.Name + "\n" + strings.Repeat(" ", column)
		}
		fmt.Fprintln(w, name+format.Indent(format.Wrap(m.Meaning, width-column), column))
	}
	fmt.Fprintln(w)
	end := []string{measure.ManyLimits, measure.ManyDeployments, measure.ManyKinds,
		"stampede metrics NAME explains one metric"}
	fmt.Fprintln(w, strings.Join(format.Wrap(strings.Join(end, "; "), width), "\n"))
}
