package main

import (
	"fmt"
	"math"
	"os"
	"slices"
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
			{
				Name:      "show",
				Usage:     "print an experiment: question, claim, references and the scenario file to copy",
				ArgsUsage: "NAME",
				Action:    showExperiment,
			},
			{
				Name:      "run",
				Usage:     "run experiments and print what was found beside the references",
				ArgsUsage: "NAME...",
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "all", Usage: "run all of them"},
					&cli.BoolFlag{
						Name:  "json",
						Usage: "print JSON: one object, or a list of them for several experiments",
					},
					&cli.BoolFlag{Name: "markdown", Usage: "print one table in Markdown"},
					&cli.StringFlag{Name: "plot", Usage: "draw the experiment's figures into `DIR` as PNG"},
					&cli.Uint64Flag{
						Name:        "seed",
						Usage:       "run with seed `N` instead of the experiment's own",
						DefaultText: "the experiment's own",
					},
					&cli.IntFlag{
						Name:  "seeds",
						Usage: "run with `N` seeds in a row, and say with how many of them each reference holds",
						Value: 1,
					},
					jobsFlag(),
				},
				Action: runExperiments,
			},
		},
	}
}

func listExperiments(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	width := 0
	for _, e := range experiments.Catalogue() {
		width = max(width, len(e.Name))
	}
	for _, e := range experiments.Catalogue() {
		fmt.Fprintf(c.App.Writer, "%-*s %s\n", width, e.Name, e.Question)
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

// mostSeeds is how many seeds can be asked for.
const mostSeeds = 10_000

func runExperiments(c *cli.Context) error {
	chosen, err := chosenExperiments(c)
	if err != nil {
		return err
	}
	jobs, err := jobsOf(c)
	if err != nil {
		return err
	}
	seeds, dir := c.Int("seeds"), c.String("plot")
	switch {
	case seeds < 1 || seeds > mostSeeds:
		return usage("--seeds: found %d; want 1 to %d", seeds, mostSeeds)
	case c.Uint64("seed") > math.MaxUint64-mostSeeds:
		return usage("--seed: found %d; want at most %d", c.Uint64("seed"), uint64(math.MaxUint64-mostSeeds))
	case c.Bool("json") && c.Bool("markdown"):
		return usage("experiment run: found --json and --markdown; want one of them")
	case c.IsSet("plot") && dir == "":
		return usage("--plot: found no name; want that of a folder")
	}
	if dir != "" {
		if err := drawable(chosen, c.Bool("all")); err != nil {
			return err
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return usage("--plot: %v; want a folder, or the name of a new one", err)
		}
	}
	bar := newProgress(c.App.ErrWriter, len(chosen)*seeds, "experiments")
	var results []*experiments.Result
	var drawn []string
	text := !c.Bool("json") && !c.Bool("markdown") // which appears as it comes
	for _, e := range chosen {
		var r *experiments.Result
		r, err = e.Run(c.Context, experiments.Trial{Jobs: jobs, Seed: c.Uint64("seed"), Seeds: seeds, Done: bar.add})
		if r != nil {
			results = append(results, r)
			if text {
				r.WriteText(c.App.Writer)
			}
		}
		if err == nil && dir != "" {
			var names []string
			names, err = drawPictures(c, r, dir)
			drawn = append(drawn, names...)
		}
		if err != nil {
			break
		}
	}
	bar.end()
	if err != nil && c.Context.Err() != nil {
		interrupted(c.App.ErrWriter, len(results), len(chosen), "experiments; those that finished are shown")
	}
	if len(drawn) > 0 {
		fmt.Fprintf(c.App.ErrWriter, "wrote %s in %s\n", strings.Join(drawn, ", "), dir)
	}
	if writing := writeResults(c, results, len(chosen) == 1); writing != nil {
		return writing
	}
	return err
}

// chosenExperiments are those that the arguments name.
func chosenExperiments(c *cli.Context) (chosen []*experiments.Experiment, err error) {
	for _, name := range c.Args().Slice() {
		e, err := experiments.Find(name)
		if err != nil {
			return nil, usageError{err}
		}
		if slices.Contains(chosen, e) {
			return nil, usage("experiment run: found %s twice", name)
		}
		chosen = append(chosen, e)
	}
	switch all := c.Bool("all"); {
	case all && len(chosen) > 0:
		return nil, usage("experiment run: found names and --all; want one of them")
	case all:
		return experiments.Catalogue(), nil
	case len(chosen) == 0:
		return nil, usage("experiment run: found no name; want one or more, or --all")
	}
	return chosen, nil
}

// writeResults prints what was found: as JSON one object when one experiment was asked for.
func writeResults(c *cli.Context, results []*experiments.Result, one bool) error {
	switch {
	case c.Bool("markdown"):
		experiments.WriteMarkdown(c.App.Writer, results)
	case c.Bool("json") && one && len(results) == 1:
		return writeJSON(c.App.Writer, results[0])
	case c.Bool("json") && !one:
		return writeJSON(c.App.Writer, slices.Concat([]*experiments.Result{}, results)) // [] when there is none
	}
	return nil
}
