package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"stampede/figures"
	"stampede/internal/nearest"
	"stampede/measure"
	"stampede/report"
	"stampede/scenario"
	"stampede/sweep"
)

func sweepCommand() *cli.Command {
	return &cli.Command{
		Name:      "sweep",
		Usage:     "ask a scenario many questions at once, into a folder of results and figures",
		ArgsUsage: "[SCENARIO]",
		Description: "Plays every combination of the values of its axes, those of the scenario's sweep and of --vary, with the\n" +
			"same seeds for each. Without a file the embedded scenario is swept. An interrupted sweep goes on with --resume.",
		Flags: append(
			scenarioFlags(),
			&cli.GenericFlag{
				Name:  "vary",
				Value: &settings{},
				Usage: "vary a field over `PATH=A,B,C` or PATH=LOW..HIGH [lin|log] [N]; may be repeated, and replaces the scenario's sweep",
			},
			&cli.IntFlag{Name: "points", Usage: "a sample of `N` points of the space instead of the grid"},
			&cli.StringFlag{
				Name:        "sample",
				Usage:       "how the sample is taken: halton or latin_hypercube",
				DefaultText: "halton",
			},
			&cli.StringFlag{
				Name:        "out",
				Usage:       "the `FOLDER` to write",
				DefaultText: "the scenario's name and -sweep",
			},
			&cli.BoolFlag{Name: "resume", Usage: "go on with the folder of an interrupted sweep"},
			&cli.Uint64Flag{Name: "seed", Usage: "the `SEED` of all random numbers", DefaultText: "the scenario's"},
			&cli.IntFlag{Name: "reps", Usage: "`N` replications of each point", DefaultText: "the scenario's"},
			&cli.StringFlag{
				Name:  "precision",
				Usage: "add replications until the `SHARE`, such as 2%, bounds the half-width of the metric's interval relative to its mean; starts from 10 replications",
			},
			&cli.StringFlag{
				Name:        "metric",
				Usage:       "the `METRIC` that --precision and the report go by",
				DefaultText: "answered, or goodput_per_min without a number of calls",
			},
			&cli.IntFlag{Name: "max-reps", Value: 1000, Usage: "at most `N` replications of a point with --precision"},
			&cli.BoolFlag{
				Name:  "control",
				Usage: "play each point also without its faults and spikes that last for a time",
			},
			&cli.StringFlag{
				Name:  "shard",
				Usage: "run only part `I/N` of the points, and resume it; auto/N takes I from the index of a Slurm, AWS Batch or Kubernetes array (auto1/N: of an array from 1), auto also N",
			},
			jobsFlag(),
			&cli.BoolFlag{Name: "no-figures", Usage: "draw no figures"},
		),
		Action: runSweep,
	}
}

func runSweep(c *cli.Context) error {
	plan, err := readPlan(c)
	if err != nil {
		return err
	}
	dir := c.String("out")
	if dir == "" {
		dir = folderName(plan.Template.Base.Name) + "-sweep"
		if s := plan.Shard; s.Of > 0 {
			dir += fmt.Sprintf("-%d-of-%d", s.Index, s.Of)
		}
	}
	jobs, err := jobsOf(c)
	if err != nil {
		return err
	}
	var bar *progress
	resume := c.Bool("resume") || plan.Shard.Of > 0 // a part is named by its plan, so that it cannot be mistaken
	sweep := sweep.Sweep{Plan: plan, Dir: dir, Jobs: jobs, Resume: resume, Progress: func(done, total int) {
		if bar == nil {
			bar = newProgress(c.App.ErrWriter, total, "replications")
		}
		bar.set(done, total)
	}}
	outcome, err := sweep.Run(c.Context)
	if bar != nil {
		bar.end()
	}
	switch {
	case errors.Is(err, context.Canceled):
		interrupted(c.App.ErrWriter, outcome.Rows, plan.Reps*outcome.Points,
			"replications; they are kept in "+dir+", go on with --resume")
		return err
	case err != nil:
		return folderMistake(err)
	}
	for _, f := range outcome.Failed {
		fmt.Fprintln(c.App.ErrWriter, "stampede:", f)
	}
	if more := outcome.FailedCount - len(outcome.Failed); more > 0 {
		fmt.Fprintf(c.App.ErrWriter, "stampede: and %d more\n", more)
	}
	if plan.Shard.Of > 0 {
		_, err := fmt.Fprintf(c.App.Writer, "wrote part %d of %d, %d points, to %s; next: stampede merge\n",
			plan.Shard.Index, plan.Shard.Of, outcome.Points, dir)
		return err
	}
	comparison, err := report.Compare(dir, report.CompareOptions{})
	if err != nil {
		return err
	}
	comparison.WriteText(c.App.Writer)
	if c.Bool("no-figures") {
		fmt.Fprintf(c.App.Writer, "\nwrote %s\n", dir)
		return nil
	}
	names, err := figures.Folder(dir, "png")
	if err != nil {
		return err
	}
	fmt.Fprintf(c.App.Writer, "\nwrote %s: manifest.json, results.csv, %s\n", dir, strings.Join(names, ", "))
	return nil
}

// folderName makes a name fit for a folder.
func folderName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, name)
}

// readPlan reads the scenario and what the flags make of its sweep.
func readPlan(c *cli.Context) (*sweep.Plan, error) {
	t, err := readTemplate(c)
	if err != nil {
		return nil, err
	}
	if vary := *c.Generic("vary").(*settings); len(vary) > 0 {
		t.Sweep.Axes = nil
		for _, v := range vary {
			axis, err := scenario.ParseAxis(v)
			if err != nil {
				return nil, usage("--vary %s: %v", v, err)
			}
			t.Sweep.Add(axis)
		}
	}
	if c.IsSet("points") {
		if c.Int("points") < 1 {
			return nil, usage("--points: found %d; want 1 or more", c.Int("points"))
		}
		t.Sweep.Points = scenario.Count(c.Int("points"))
	}
	if s := scenario.Sample(c.String("sample")); s != "" {
		if s != "halton" && s != "latin_hypercube" {
			return nil, usage("--sample: found %q; %s", s, nearest.Unknown(string(s), s.Words()))
		}
		t.Sweep.Sample = s
	}
	if err := t.Sweep.Check(); err != nil {
		return nil, usage("%v", err)
	}
	for _, a := range t.Sweep.Axes {
		if err := t.CheckPath(a); err != nil {
			return nil, usage("the axis %s: no value makes a scenario: %v", a.Path, err)
		}
	}
	p := &sweep.Plan{Template: t, Reps: t.Base.Replications, Control: c.Bool("control")}
	if c.IsSet("reps") {
		if p.Reps = c.Int("reps"); p.Reps < 1 || p.Reps > 100_000 {
			return nil, usage("--reps: found %d; want 1 to 100,000", p.Reps)
		}
	}
	metric := c.String("metric")
	if metric == "" {
		metric = p.Objective()
	}
	p.Metric = metric
	if _, err := measure.Lookup(metric); err != nil {
		return nil, usage("--metric: %v", err)
	}
	if text := c.String("precision"); text != "" {
		var share scenario.Share
		if err := share.ParseText(text); err != nil || share == 0 {
			return nil, usage("--precision: found %q; want a share above 0, such as 2%%", text)
		}
		p.Reps = max(p.Reps, sweep.PrecisionReps)
		p.Precision = sweep.Precision{Metric: metric, Rel: float64(share), MaxReps: c.Int("max-reps")}
		if p.Precision.MaxReps < p.Reps {
			return nil, usage("--max-reps: found %d; want at least the %d replications that each point begins with",
				p.Precision.MaxReps, p.Reps)
		}
		if p.Precision.MaxReps > sweep.MaxReplications {
			return nil, usage("--max-reps: found %d; want at most %d", p.Precision.MaxReps, sweep.MaxReplications)
		}
	} else if c.IsSet("max-reps") {
		return nil, usage("--max-reps goes with --precision")
	}
	if p.Control {
		if _, ok := t.Base.Trigger(); !ok {
			return nil, usage(
				"--control: the scenario has no fault and no spike that lasts for a time; there is nothing to leave out",
			)
		}
	}
	p.Shard, err = parseShard(c.String("shard"), os.Getenv)
	return p, err
}
