package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"stampede/experiments"
)

func experimentCommand() *cli.Command {
	return &cli.Command{
		Name:  "experiment",
		Usage: "list, show and run the built-in experiments, each held against its reference",
		Subcommands: []*cli.Command{
			{Name: "list", Usage: "list the experiments with their questions", Action: listExperiments},
			{Name: "show", Usage: "print an experiment: question, claim, references and the scenario file to copy", ArgsUsage: "NAME", Action: showExperiment},
			{Name: "run", Usage: "run experiments and print what was found beside the references", ArgsUsage: "NAME...",
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "all", Usage: "run all of them"},
					&cli.BoolFlag{Name: "json", Usage: "print JSON: one object, or a list of them for several experiments"},
					&cli.BoolFlag{Name: "markdown", Usage: "print one table in Markdown"},
					&cli.StringFlag{Name: "plot", Usage: "draw the experiment's figures into `DIR` as PNG"},
					&cli.Uint64Flag{Name: "seed", Usage: "run with seed `N` instead of the experiment's own", DefaultText: "the experiment's own"},
					&cli.IntFlag{Name: "jobs", Usage: "`N` replications at a time", DefaultText: "one for each core"},
				},
				Action: runExperiments},
		},
	}
}

func listExperiments(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	for _, e := range experiments.Catalogue() {
		fmt.Fprintf(c.App.Writer, "%-18s %s\n", e.Name, e.Question)
	}
	return nil
}

func showExperiment(c *cli.Context) error {
	if c.NArg() != 1 {
		return usage("experiment show: found %d arguments; want the name of one experiment", c.NArg())
	}
	e, err := experiments.Find(c.Args().First())
	if err != nil {
		return usageError{err}
	}
	e.Show(c.App.Writer)
	return nil
}

func runExperiments(c *cli.Context) error {
	var chosen []*experiments.Experiment
	for _, name := range c.Args().Slice() {
		e, err := experiments.Find(name)
		if err != nil {
			return usageError{err}
		}
		chosen = append(chosen, e)
	}
	switch all := c.Bool("all"); {
	case all && len(chosen) > 0:
		return usage("experiment run: found names and --all; want one of them")
	case all:
		chosen = experiments.Catalogue()
	case len(chosen) == 0:
		return usage("experiment run: found no name; want one or more, or --all")
	}
	dir := c.String("plot")
	if dir != "" {
		if err := drawable(chosen, c.Bool("all")); err != nil {
			return err
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return usage("--plot: %v", err)
		}
	}
	bar := newProgress(c.App.ErrWriter, len(chosen), "experiments")
	var results []*experiments.Result
	var drawn []string
	var stopped error
	for _, e := range chosen {
		r, err := e.Run(c.Context, c.Int("jobs"), c.Uint64("seed"))
		if err != nil {
			stopped = err
			break
		}
		results = append(results, r)
		if dir != "" {
			var names []string
			names, stopped = drawPictures(c, r, dir)
			if drawn = append(drawn, names...); stopped != nil {
				break
			}
		}
		bar.add()
	}
	bar.end()
	if len(drawn) > 0 {
		fmt.Fprintf(c.App.ErrWriter, "wrote %s in %s\n", strings.Join(drawn, ", "), dir)
	}
	switch {
	case c.Bool("markdown"):
		experiments.WriteMarkdown(c.App.Writer, results)
	case c.Bool("json"):
		var all any = results
		if len(chosen) == 1 && len(results) == 1 {
			all = results[0]
		}
		if len(results) > 0 {
			if err := writeJSON(c.App.Writer, all); err != nil {
				return err
			}
		}
	default:
		for _, r := range results {
			r.WriteText(c.App.Writer)
		}
	}
	return stopped
}
