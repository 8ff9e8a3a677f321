package main

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"stampede/figures"
	"stampede/internal/nearest"
	"stampede/measure"
	"stampede/plots"
)

func plotCommand() *cli.Command {
	return &cli.Command{
		Name: "plot", Usage: "draw the figures of a folder that sweep or run wrote", ArgsUsage: "FOLDER",
		Description: "For a sweep: a metric over an axis with confidence bands, a heat map of two axes, the Pareto " +
			"frontier of cost, latency and success, the cost of 1,000 answers as stacked bars, and the distribution " +
			"of latency. Axes that a figure does not show stay at the base point. For a run: a timeline, and the " +
			"herd picture with one dot for each attempt. knee, which is drawn when it is asked for, is a capacity " +
			"planner's chart: goodput, success, latency and cost over workers or load, a line for each tier, and the " +
			"knee of its goodput.",
		UsageText: examples(
			example{"Draw the makespan as SVG.", "stampede plot my-sweep --y makespan_s --format svg"},
			example{"Draw only the heat map, in another folder.", "stampede plot my-sweep --kinds heat --out pictures"},
		),
		Flags: []cli.Flag{
			&cli.StringFlag{
				Name:        "x",
				Usage:       "put the axis `PATH` on the horizontal axis",
				DefaultText: "the one with the largest effect on the metric",
			},
			&cli.StringFlag{Name: "y", Usage: "draw `METRIC`", DefaultText: "the metric of the sweep"},
			&cli.StringFlag{
				Name:        "by",
				Usage:       "draw one series for each value of the axis `PATH`",
				DefaultText: "the one with the second largest effect",
			},
			&cli.StringFlag{
				Name:        "base",
				Usage:       "keep the other axes at `POINT`",
				DefaultText: "the scenario itself if it is a point of the sweep, else 0",
			},
			&cli.StringFlag{
				Name: "kinds",
				Usage: "draw only the figures `KINDS`, separated by commas: " + strings.Join(figures.KindNames(),
					", "),
			},
			&cli.StringFlag{Name: "format", Value: "png", Usage: "write figures as `FORMAT`: png, svg or pdf"},
			&cli.StringFlag{Name: "title", Usage: "write `TEXT` as the title", DefaultText: "what the results show"},
			&cli.StringFlag{
				Name:        "size",
				Usage:       "draw figures of `WIDTHxHEIGHT` centimetres, such as 25.4x14.3 for a slide",
				DefaultText: "17 wide, as high as needed",
			},
			&cli.GenericFlag{
				Name:  "hline",
				Value: &settings{},
				Usage: "draw a line at `VALUE` or VALUE=NAME across the figure of the metric; may be repeated",
			},
			&cli.BoolFlag{
				Name:  "whole",
				Usage: "show the whole run in the herd picture, not only the time around its trigger",
			},
			&cli.StringFlag{Name: "out", Usage: "write figures to `FOLDER`", DefaultText: "the folder that is read"},
		},
		Action: runPlot,
	}
}

func runPlot(c *cli.Context) error {
	if c.NArg() != 1 {
		return usage("plot: found %d arguments; want the folder of one sweep or run", c.NArg())
	}
	d := figures.Drawing{
		Dir: c.Args().First(), Out: c.String("out"), Format: c.String("format"),
		X: c.String("x"), Y: c.String("y"), By: c.String("by"), Whole: c.Bool("whole"),
		Options: plots.Options{Title: c.String("title")},
	}
	if size := c.String("size"); size != "" {
		wide, high, _ := strings.Cut(size, "x")
		var errs [2]error
		d.Options.Width, errs[0] = strconv.ParseFloat(wide, 64)
		d.Options.Height, errs[1] = strconv.ParseFloat(high, 64)
		for i, x := range []float64{d.Options.Width, d.Options.Height} {
			if errs[i] != nil || !(x >= 5 && x <= 200) {
				return usage("--size: found %q; want WIDTHxHEIGHT in centimetres, each from 5 to 200", size)
			}
		}
	}
	for _, text := range *c.Generic("hline").(*settings) {
		value, name, named := strings.Cut(text, "=")
		y, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsNaN(y) || math.IsInf(y, 0) {
			return usage("--hline: found %q; want a number, or a number and a name such as 20=goal", text)
		}
		if !named {
			name = value
		}
		d.Rules = append(d.Rules, plots.Rule{Name: name, At: y})
	}
	if !slices.Contains(plots.Formats, d.Format) {
		return usage("--format: found %q; %s", d.Format, nearest.Unknown(d.Format, plots.Formats))
	}
	if _, err := measure.Lookup(d.Y); d.Y != "" && err != nil {
		return usage("--y: %v", err)
	}
	var err error
	if d.Kinds, err = figureKinds(c, "kinds"); err != nil {
		return err
	}
	base, err := basePoint(c, d.Dir)
	if err != nil {
		return err
	}
	d.Base = &base
	names, err := d.Draw()
	if err != nil {
		return folderMistake(err)
	}
	return wrote(c.App.Writer, "%s in %s", strings.Join(names, ", "), d.Out)
}

// figureKinds are the kinds of figure that a flag names; none stands for those that are always drawn.
func figureKinds(c *cli.Context, flag string) ([]string, error) {
	if c.String(flag) == "" {
		return nil, nil
	}
	kinds := strings.Split(c.String(flag), ",")
	for _, k := range kinds {
		if !slices.Contains(figures.KindNames(), k) {
			return nil, usage("--%s: found %q; %s", flag, k, nearest.Unknown(k, figures.KindNames()))
		}
	}
	return kinds, nil
}
