package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"stampede/figures"
	"stampede/measure"
	"stampede/report"
	"stampede/scenario"
	"stampede/sweep"
)

func runCommand() *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "simulate one scenario; print its metrics with 95 % confidence intervals",
		ArgsUsage: "[SCENARIO]",
		Description: scenarioText + " An interrupt (Ctrl-C) stops the run after the replications in progress " +
			"and prints the metrics of those that finished.",
		UsageText: examples(
			example{"Run the built-in scenario with the defaults of an SDK.",
				"stampede run --set policy=openai-python@2.46"},
			example{"Run a file; write results, records and figures to a folder.",
				"stampede run my.yaml --reps 20 --out run-20"},
		),
		Flags: append(
			slices.Concat(scenarioFlags(), goalFlags(), abortFlag("the run")),
			seedFlag(),
			&cli.IntFlag{
				Name:        "reps",
				Usage:       "run `N` replications",
				DefaultText: "the scenario's",
			},
			jobsFlag(),
			&cli.StringFlag{Name: "calls", Usage: "write one row per call to the CSV file `FILE`"},
			&cli.StringFlag{Name: "attempts", Usage: "write one row per attempt to the CSV file `FILE`"},
			&cli.StringFlag{
				Name:  "timeline",
				Usage: "write a Chrome trace of the first replication to `FILE`, for Perfetto",
			},
			&cli.StringFlag{
				Name:  "out",
				Usage: "write results, the records of the first replication and figures to `FOLDER`",
			},
			&cli.BoolFlag{Name: "all", Aliases: []string{"wide"}, Usage: "print every metric with its meaning"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		),
		Action: runScenario,
	}
}

func runScenario(c *cli.Context) error {
	t, err := readTemplate(c)
	if err != nil {
		return err
	}
	s := t.Base
	aims, err := aimsOf(c, s)
	if err != nil {
		return err
	}
	if c.IsSet("reps") {
		if s.Replications = c.Int("reps"); s.Replications < 1 || s.Replications > 100_000 {
			return usage("--reps: found %d; want 1 to 100,000", s.Replications)
		}
	}
	jobs, err := jobsOf(c)
	if err != nil {
		return err
	}
	if dir := c.String("out"); dir != "" {
		if err := wantEmpty("--out", dir); err != nil {
			return err
		}
	}
	records, err := openRecords(s, c.String("calls"), c.String("attempts"), inputs(c, s))
	if err != nil {
		return err
	}
	bar := newProgress(c.App.ErrWriter, count{total: s.Replications}, "replications")
	r := measure.Replicator{Jobs: jobs, Done: func(measure.Run) { bar.add() }}
	if records != nil {
		r.Jobs, r.Listen = 1, records.csv.Of // rows of one replication after the other
	}
	var runs []measure.Run
	var cannot *measure.Goal
	abort, err := abortOf(c, aims, s.Replications)
	switch {
	case err != nil:
		return errors.Join(err, records.close(false))
	case abort != nil:
		runs, cannot, err = r.RunUntil(c.Context, s, s.Replications, *abort)
	default:
		runs, err = r.Run(c.Context, s, 0, s.Replications)
	}
	bar.end()
	stopped := errors.Is(err, context.Canceled)
	useless := err != nil && (!stopped || len(runs) == 0)
	if cerr := records.close(!useless); cerr != nil || useless {
		return errors.Join(err, cerr)
	}
	if stopped {
		interrupted(c.App.ErrWriter, len(runs), s.Replications,
			"replications; those that finished are shown, no folder and no timeline are written")
	}
	report := report.NewReport(s, runs)
	report.SetGoals(aims, runs)
	if cannot != nil {
		report.Warnings = append(report.Warnings, fmt.Sprintf("stopped after %d of %d replications: %v cannot be met "+
			"(%v)", len(runs), s.Replications, cannot, abort))
	}
	if stopped {
		report.Warnings = append(report.Warnings,
			fmt.Sprintf("interrupted after %d of %d replications", len(runs), s.Replications))
	}
	write := func(w io.Writer) error { return report.WriteText(w, layout(c, c.Bool("all"))) }
	if c.Bool("json") {
		write = report.WriteJSON
	}
	if werr := write(c.App.Writer); werr != nil || err != nil {
		return errors.Join(err, werr)
	}
	if path := c.String("timeline"); path != "" {
		if err := writeTimeline(s, path, inputs(c, s)); err != nil {
			return err
		}
	}
	if dir := c.String("out"); dir != "" {
		if err := writeRun(c, t, aims, dir, runs); err != nil {
			return err
		}
	}
	if report.Verdict != nil {
		return judged(*report.Verdict, "a goal is ")
	}
	return nil
}

// writeTimeline runs the first replication once more and writes it as a Chrome
// trace.
func writeTimeline(s *scenario.Scenario, path string, inputs []string) error {
	o, err := create("--timeline", path, inputs)
	if err != nil {
		return err
	}
	trace := measure.NewTrace(s)
	_, err = s.Model.Run(s.Seed, 0, trace)
	if err == nil {
		text := bufio.NewWriterSize(o, 1<<16)
		err = errors.Join(trace.Write(text), text.Flush())
	}
	if err != nil {
		return errors.Join(err, o.discard())
	}
	return o.commit()
}

// writeRun writes the folder of a run: results, the records of the first
// replication, and figures.
func writeRun(c *cli.Context, t *scenario.Template, aims measure.Aims, dir string, runs []measure.Run) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := sweep.WriteRun(dir, t, aims, runs); err != nil {
		return folderMistake(err)
	}
	records, err := openRecords(t.Base, filepath.Join(dir, figures.CallsName),
		filepath.Join(dir, figures.AttemptsName), nil)
	if err != nil {
		return err
	}
	_, err = t.Base.Model.Run(t.Base.Seed, 0, records.csv.Of(0))
	if cerr := records.close(err == nil); err != nil || cerr != nil {
		return errors.Join(err, cerr)
	}
	names, err := figures.Folder(dir, "png")
	if err != nil {
		return err
	}
	return wrote(c.App.ErrWriter, "%s: manifest.json, results.csv, %s, %s, %s", dir, figures.CallsName,
		figures.AttemptsName, strings.Join(names, ", "))
}

// records are the CSV files of a run; nil when none was asked for.
type records struct {
	csv   measure.CSV
	files []*output
	texts []*bufio.Writer
}

func openRecords(s *scenario.Scenario, calls, attempts string, inputs []string) (*records, error) {
	if calls == "" && attempts == "" {
		return nil, nil
	}
	if filepath.Clean(calls) == filepath.Clean(attempts) {
		return nil, usage("--calls and --attempts: found %q for both; want two files", calls)
	}
	r := &records{csv: measure.CSV{Model: &s.Model}}
	for _, f := range []struct {
		flag, path string
		to         *io.Writer
	}{{"--calls", calls, &r.csv.Calls}, {"--attempts", attempts, &r.csv.Attempts}} {
		if f.path == "" {
			continue
		}
		o, err := create(f.flag, f.path, inputs)
		if err != nil {
			for _, opened := range r.files {
				err = errors.Join(err, opened.discard())
			}
			return nil, err
		}
		text := bufio.NewWriterSize(o, 1<<16)
		r.files, r.texts, *f.to = append(r.files, o), append(r.texts, text), text
	}
	r.csv.WriteHeaders()
	return r, nil
}

// close commits the files, or discards them when they are not to be kept or could not be written.
func (r *records) close(keep bool) error {
	if r == nil {
		return nil
	}
	err := r.csv.Err()
	for i, f := range r.files {
		if err == nil {
			err = r.texts[i].Flush()
		}
		if err != nil || !keep {
			err = errors.Join(err, f.discard())
			continue
		}
		err = f.commit()
	}
	return err
}
