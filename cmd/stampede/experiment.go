package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"stampede/experiments"
	"stampede/internal/format"
)

func experimentCommand() *cli.Command {
	return &cli.Command{
		Name:  "experiment",
		Usage: "list, show and run the built-in experiments, which compare results with references",
		UsageText: examples(
			example{"List the experiments.", "stampede experiment list"},
			example{"Run one and compare it with its references.", "stampede experiment run semaphore"},
		),
		Subcommands: []*cli.Command{
			{
				Name: "list", Usage: "list the experiments and the question that each answers",
				UsageText: examples(
					example{"List the experiments.", "stampede experiment list"},
					example{"List them as JSON.", "stampede experiment list --json"},
				),
				Flags:  []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print JSON"}},
				Action: listExperiments,
			},
			{
				Name:      "show",
				Usage:     "print an experiment: question, claim, references and its scenario",
				ArgsUsage: "NAME",
				UsageText: examples(
					example{"Print an experiment.", "stampede experiment show thundering-herd"},
					example{"Copy its scenario to a file.", "stampede experiment show thundering-herd > herd.yaml"},
				),
				Action: showExperiment,
			},
			{
				Name:      "run",
				Usage:     "run experiments; print each result beside its reference",
				ArgsUsage: "NAME...",
				UsageText: examples(
					example{"Run one experiment and draw its figures.",
						"stampede experiment run thundering-herd --plot pictures"},
					example{"Run two experiments with three seeds each.",
						"stampede experiment run sdk-retry-after semaphore --seeds 3"},
				),
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "all", Usage: "run all experiments"},
					&cli.BoolFlag{
						Name:  "json",
						Usage: "print JSON: an object for one experiment, a list for several",
					},
					&cli.BoolFlag{Name: "markdown", Usage: "print a Markdown table"},
					&cli.StringFlag{
						Name:  "plot",
						Usage: "draw the figures of the experiment as PNG files in `FOLDER`",
					},
					&cli.Uint64Flag{
						Name:        "seed",
						Usage:       "use `N` as the seed of all random numbers",
						DefaultText: "the experiment's",
					},
					&cli.IntFlag{
						Name:  "seeds",
						Usage: "run with `N` consecutive seeds and report for how many of them each reference holds",
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
	if c.Bool("json") {
		type row struct {
			Name     string `json:"name"`
			Question string `json:"question"`
			Claim    string `json:"claim"`
			Source   string `json:"source"`
		}
		var rows []row
		for _, e := range experiments.Catalogue() {
			rows = append(rows, row{e.Name, e.Question, e.Claim, e.Source})
		}
		return writeJSON(c.App.Writer, rows)
	}
	width := 0
	for _, e := range experiments.Catalogue() {
		width = max(width, len(e.Name))
	}
	for _, e := range experiments.Catalogue() {
		question := format.Wrap(e.Question, columns(c.App.Writer)-width-1)
		fmt.Fprintf(c.App.Writer, "%-*s %s\n", width, e.Name, format.Indent(question, width+1))
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
	var text bytes.Buffer
	e.Show(&text)
	_, err = io.WriteString(c.App.Writer, format.FoldYAML(text.String(), columns(c.App.Writer)))
	return err
}

// maxSeeds bounds --seeds.
const maxSeeds = 10_000

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
	case seeds < 1 || seeds > maxSeeds:
		return usage("--seeds: found %d; want 1 to %d", seeds, maxSeeds)
	case c.Uint64("seed") > math.MaxUint64-maxSeeds:
		return usage("--seed: found %d; want at most %d", c.Uint64("seed"), uint64(math.MaxUint64-maxSeeds))
	case c.Bool("json") && c.Bool("markdown"):
		return usage("experiment run: found --json and --markdown; want one of them")
	case c.IsSet("plot") && dir == "":
		return usage("--plot: found no name; want that of a folder")
	}
	if dir != "" {
		if err := checkFigures(chosen, c.Bool("all")); err != nil {
			return err
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return usage("--plot: %v; want a folder, or the name of a new one", err)
		}
	}
	what := "experiments"
	if seeds > 1 {
		what = "experiment runs" // one for each seed
	}
	bar := newProgress(c.App.ErrWriter, count{total: len(chosen) * seeds}, what)
	var results []*experiments.Result
	var drawn []string
	text := !c.Bool("json") && !c.Bool("markdown") // which appears as it comes
	for _, e := range chosen {
		var r *experiments.Result
		r, err = e.Run(c.Context, experiments.Trial{Jobs: jobs, Seed: c.Uint64("seed"), Seeds: seeds, Done: bar.add})
		if r != nil {
			results = append(results, r)
			if text {
				bar.erase()
				r.WriteText(c.App.Writer, columns(c.App.Writer), colour(c))
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
		err = errors.Join(err, wrote(c.App.ErrWriter, "%s in %s", strings.Join(drawn, ", "), dir))
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
