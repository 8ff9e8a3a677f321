package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"stampede/figures"
	"stampede/internal/nearest"
	"stampede/measure"
	"stampede/plots"
)

func plotCommand() *cli.Command {
	return &cli.Command{
		Name: "plot", Usage: "draw the figures of a sweep's or a run's folder", ArgsUsage: "FOLDER",
		Description: "Draws a metric over an axis with interval bands, a heat map of two axes, the frontier of cost, latency and\n" +
			"success, the cost of 1,000 answers as stacked bars, and the distribution of latency; of a run's folder a timeline\n" +
			"and the herd picture, the attempts of each call as dots. Axes that are not shown stay at the base point.",
		Flags: []cli.Flag{
			&cli.StringFlag{
				Name:        "x",
				Usage:       "the `PATH` of the axis along the figure",
				DefaultText: "the one that moves the metric most",
			},
			&cli.StringFlag{Name: "y", Usage: "the `METRIC`", DefaultText: "that of the sweep"},
			&cli.StringFlag{
				Name:        "by",
				Usage:       "the `PATH` of the axis with a series for each value",
				DefaultText: "the one that moves it next most",
			},
			&cli.StringFlag{
				Name:        "base",
				Usage:       "the `POINT` at which the other axes stay",
				DefaultText: "the scenario itself, else 0",
			},
			&cli.StringFlag{
				Name:  "kinds",
				Usage: "only these `KINDS` of figure, with commas between: " + strings.Join(figures.KindNames(), ", "),
			},
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
	d := figures.Drawing{
		Dir: c.Args().First(), Out: c.String("out"), Format: c.String("format"),
		X: c.String("x"), Y: c.String("y"), By: c.String("by"),
	}
	if !slices.Contains(plots.Formats, d.Format) {
		return usage("--format: found %q; %s", d.Format, nearest.Unknown(d.Format, plots.Formats))
	}
	if _, err := measure.Lookup(d.Y); d.Y != "" && err != nil {
		return usage("--y: %v", err)
	}
	if kinds := c.String("kinds"); kinds != "" {
		d.Kinds = strings.Split(kinds, ",")
		for _, k := range d.Kinds {
			if !slices.Contains(figures.KindNames(), k) {
				return usage("--kinds: found %q; %s", k, nearest.Unknown(k, figures.KindNames()))
			}
		}
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
	_, err = fmt.Fprintf(c.App.Writer, "wrote %s in %s\n", strings.Join(names, ", "), d.Out)
	return err
}
