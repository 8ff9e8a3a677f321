package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
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
		Usage:     "run a parameter sweep; write results and figures to a folder",
		ArgsUsage: "[SCENARIO]",
		Description: "Runs every combination of the values of the axes, which are those of the scenario's sweep or " +
			"of --vary, with the same seeds for each. " + scenarioText + " --resume continues an interrupted sweep.",
		UsageText: examples(
			example{"Compare two policies.",
				"stampede sweep my.yaml --vary policy=as_above,openai-python@2.46 --reps 5"},
			example{"Add replications until each interval is within 5 % of its mean.",
				"stampede sweep --vary policy.gate.semaphore=4,8 --precision 5% --out gates"},
			example{"Draw goodput, success, latency and cost over workers, with the knee.",
				"stampede sweep --vary fleet.workers=1,4,16 --reps 5 --figure knee --out knee"},
		),
		Flags: append(
			slices.Concat(scenarioFlags(), goalFlags(), abortFlag("a point")),
			&cli.GenericFlag{
				Name:  "vary",
				Value: &settings{},
				Usage: "vary a field over the values `PATH=A,B,C` or the range PATH=LOW..HIGH [lin|log] [N]. Can be " +
					"repeated; replaces the sweep of the scenario",
			},
			&cli.IntFlag{Name: "points", Usage: "run a sample of `N` points instead of the full grid"},
			&cli.StringFlag{
				Name:        "sample",
				Usage:       "sample points by `METHOD`: halton or latin_hypercube",
				DefaultText: "halton",
			},
			&cli.StringFlag{
				Name:        "out",
				Usage:       "write results and figures to `FOLDER`",
				DefaultText: "NAME-sweep, with the name of the scenario",
			},
			&cli.BoolFlag{Name: "resume", Usage: "continue an interrupted sweep in its folder"},
			seedFlag(),
			&cli.IntFlag{Name: "reps", Usage: "run `N` replications of each point", DefaultText: "the scenario's"},
			&cli.StringFlag{
				Name: "precision",
				Usage: "add replications, at least 10, until the 95 % interval is within this `FRACTION` of the " +
					"mean, such as 2%",
			},
			&cli.StringFlag{
				Name:        "metric",
				Usage:       "use `METRIC` for --precision and to order the report",
				DefaultText: "answered, or goodput_per_min when the number of calls is not given",
			},
			&cli.IntFlag{
				Name:  "max-reps",
				Value: 1000,
				Usage: "run at most `N` replications of a point with --precision",
			},
			&cli.BoolFlag{
				Name:  "control",
				Usage: "also run each point without its temporary faults and spikes, as a control",
			},
			&cli.StringFlag{
				Name: "shard",
				Usage: "run part `I/N` of the points, and continue it when its folder exists. auto/N reads I from " +
					"the array index of Slurm, AWS Batch or Kubernetes (auto1/N when the array starts at 1), " +
					"auto reads both",
			},
			jobsFlag(),
			wideFlag(),
			&cli.StringFlag{
				Name: "figure",
				Usage: "draw only the figures `KINDS`, separated by commas: " +
					strings.Join(figures.KindNames(), ", "),
			},
			&cli.BoolFlag{Name: "no-figures", Usage: "do not draw figures"},
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
	kinds, err := figureKinds(c, "figure")
	if err != nil {
		return err
	}
	if len(kinds) > 0 && c.Bool("no-figures") {
		return usage("found --figure and --no-figures; want one of them")
	}
	var bar *progress
	resume := c.Bool("resume") || plan.Shard.Of > 0 // a part is named by its plan, so that it cannot be flagMistake
	sweep := sweep.Sweep{Plan: plan, Dir: dir, Jobs: jobs, Resume: resume, Progress: func(done, total int) {
		if bar == nil {
			n := count{done, total, plan.Precision.Metric != ""}
			bar = newProgress(c.App.ErrWriter, n, "replications")
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
			"replications; they are kept in "+dir+", continue with --resume")
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
		return wrote(c.App.Writer, "part %d of %d (%d points) to %s; next: stampede merge",
			plan.Shard.Index, plan.Shard.Of, outcome.Points, dir)
	}
	comparison, err := report.Compare(dir, report.CompareOptions{})
	if err != nil {
		return err
	}
	comparison.WriteTables(c.App.Writer, layout(c, c.Bool("wide")))
	fmt.Fprintln(c.App.Writer)
	files := dir
	if !c.Bool("no-figures") {
		names, err := (&figures.Drawing{Dir: dir, Format: "png", Kinds: kinds}).Draw()
		if err != nil {
			return err
		}
		files += ": manifest.json, results.csv, " + strings.Join(names, ", ")
	}
	if err := wrote(c.App.Writer, "%s", files); err != nil {
		return err
	}
	fmt.Fprintln(c.App.Writer)
	comparison.WriteConclusion(c.App.Writer, layout(c, c.Bool("wide")))
	return judgedPoints(comparison)
}

// folderName replaces the characters of a name that do not belong in the name of a folder.
func folderName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, name)
}

// readPlan reads the scenario and applies the flags to its sweep.
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
		if top, _, _ := strings.Cut(a.Path, "."); slices.Contains([]string{"goals", "minimize", "maximize"}, top) {
			return nil, usage("the axis %s: all points of a sweep have the same goals", a.Path)
		}
		if err := t.CheckPath(a); err != nil {
			return nil, usage("the axis %s: no value makes a scenario: %v", a.Path, err)
		}
	}
	p := &sweep.Plan{Template: t, Reps: t.Base.Replications, Control: c.Bool("control")}
	if p.Aims, err = aimsOf(c, t.Base); err != nil {
		return nil, err
	}
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
			return nil, usage("--precision: found %q; want a share above 0 and up to 100%%, such as 2%%", text)
		}
		p.Reps = max(p.Reps, sweep.PrecisionReps)
		p.Precision = sweep.Precision{Metric: metric, Rel: float64(share), MaxReps: c.Int("max-reps")}
		if p.Precision.MaxReps < p.Reps {
			return nil, usage("--max-reps: found %d; want at least the %d replications that each point starts with",
				p.Precision.MaxReps, p.Reps)
		}
		if p.Precision.MaxReps > sweep.MaxReplications {
			return nil, usage("--max-reps: found %d; want at most %d", p.Precision.MaxReps, sweep.MaxReplications)
		}
	} else if c.IsSet("max-reps") {
		return nil, usage("--max-reps needs --precision")
	}
	if p.Control {
		if _, ok := t.Base.Trigger(); !ok {
			return nil, usage("--control: the scenario has no temporary fault or spike to leave out")
		}
	}
	if c.Bool("abort") && len(p.Aims.Goals) == 0 {
		return nil, usage("--abort needs a goal")
	}
	p.Abort = c.Bool("abort")
	if p.Shard, err = sweep.ParseShard(c.String("shard"), os.Getenv); err != nil {
		return nil, usage("--shard: %v", err)
	}
	return p, nil
}
