package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"stampede/internal/nearest"
	"stampede/measure"
	"stampede/plots"
	"stampede/report"
)

func plotCommand() *cli.Command {
	return &cli.Command{
		Name: "plot", Usage: "draw the figures of a sweep's or a run's folder", ArgsUsage: "FOLDER",
		Description: "Draws a metric over an axis with interval bands, a heat map of two axes, the frontier of cost, latency and\n" +
			"success, the cost of 1,000 answers as stacked bars, and the distribution of latency; of a run's folder a timeline\n" +
			"and the herd picture, the attempts of each call as dots. Axes that are not shown stay at the base point.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "x", Usage: "the `PATH` of the axis along the figure", DefaultText: "the one that moves the metric most"},
			&cli.StringFlag{Name: "y", Usage: "the `METRIC`", DefaultText: "that of the sweep"},
			&cli.StringFlag{Name: "by", Usage: "the `PATH` of the axis with a series for each value", DefaultText: "the one that moves it next most"},
			&cli.StringFlag{Name: "base", Usage: "the `POINT` at which the other axes stay", DefaultText: "the scenario itself, else 0"},
			&cli.StringFlag{Name: "kinds", Usage: "only these `KINDS` of figure, with commas between: " + strings.Join(kindNames(), ", ")},
			&cli.StringFlag{Name: "format", Value: "png", Usage: "png, svg or pdf"},
			&cli.StringFlag{Name: "out", Usage: "the `FOLDER` for the figures", DefaultText: "the one that is read"},
		},
		Action: runPlot,
	}
}

func runPlot(c *cli.Context) error {
	if c.NArg() != 1 {
		return usage("plot: found %d arguments; want the folder of one sweep or run", c.NArg())
	}
	d := drawing{dir: c.Args().First(), out: c.String("out"), format: c.String("format"), x: c.String("x"), y: c.String("y"), by: c.String("by")}
	if !contains(plots.Formats, d.format) {
		return usage("--format: found %q; %s", d.format, nearest.Unknown(d.format, plots.Formats))
	}
	if d.y != "" && measure.Index(d.y) < 0 {
		return usage("--y: no metric %q; %s", d.y, nearest.Unknown(d.y, measure.MetricNames()))
	}
	if kinds := c.String("kinds"); kinds != "" {
		d.kinds = strings.Split(kinds, ",")
		for _, k := range d.kinds {
			if !contains(kindNames(), k) {
				return usage("--kinds: found %q; %s", k, nearest.Unknown(k, kindNames()))
			}
		}
	}
	base, err := basePoint(c, d.dir)
	if err != nil {
		return err
	}
	d.base = &base
	names, err := d.draw()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.App.Writer, "wrote %s in %s\n", strings.Join(names, ", "), d.out)
	return err
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// drawFolder draws all figures of a folder.
func drawFolder(dir, format string) ([]string, error) {
	return (&drawing{dir: dir, format: format}).draw()
}

// drawing is figures of one folder to be drawn.
type drawing struct {
	dir, out, format string
	x, y, by         string
	base             *int
	kinds            []string

	c             *report.Comparison
	xAxis, byAxis int // of the comparison; -1 for none
}

// kinds of figure, in the order in which they are drawn.
var kinds = []struct {
	name  string
	build func(*drawing) (plots.Figure, error) // nil when the folder has nothing for it
}{
	{"lines", (*drawing).lines},
	{"heat", (*drawing).heat},
	{"frontier", (*drawing).frontier},
	{"cost", (*drawing).cost},
	{"latency", (*drawing).latency},
	{"timeline", (*drawing).timeline},
	{"herd", (*drawing).herd},
}

func kindNames() (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// draw reads the folder and writes the figures; it returns their names.
func (d *drawing) draw() (names []string, err error) {
	if d.out == "" {
		d.out = d.dir
	}
	if err := os.MkdirAll(d.out, 0o755); err != nil {
		return nil, err
	}
	metrics := append([]string{}, report.ReportMetrics...)
	for _, name := range measure.MetricNames() {
		if !contains(metrics, name) {
			metrics = append(metrics, name)
		}
	}
	if d.c, err = report.Compare(d.dir, report.CompareOptions{Metrics: metrics, Objective: d.y, Base: d.base}); err != nil {
		return nil, folderMistake(err)
	}
	if d.y == "" {
		d.y = d.metricName(d.c.Objective)
	}
	if err := d.pickAxes(); err != nil {
		return nil, err
	}
	for _, k := range kinds {
		if len(d.kinds) > 0 && !contains(d.kinds, k.name) {
			continue
		}
		figure, err := k.build(d)
		if err != nil {
			return names, err
		}
		if figure == nil {
			if len(d.kinds) > 0 {
				return names, usage("the folder %s has nothing to draw as %s", d.dir, k.name)
			}
			continue
		}
		name := k.name + "." + d.format
		if k.name == "lines" || k.name == "heat" {
			name = k.name + "-" + d.y + "." + d.format
		}
		if err := plots.Save(figure, filepath.Join(d.out, name)); err != nil {
			return names, err
		}
		names = append(names, name)
	}
	return names, nil
}
