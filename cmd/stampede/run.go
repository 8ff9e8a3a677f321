package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"stampede/experiments"
)

func runCommand() *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "simulate a scenario and print what it gives, with intervals",
		ArgsUsage: "[SCENARIO]",
		Description: "Without a file the embedded scenario is simulated. Flags may stand before or after the file.\n" +
			"An interrupt ends the run after the replications under way and reports those that finished.",
		Flags: append(scenarioFlags(),
			&cli.Uint64Flag{Name: "seed", Usage: "the `SEED` of all random numbers, instead of the scenario's", DefaultText: "the scenario's"},
			&cli.IntFlag{Name: "reps", Usage: "`N` replications, instead of the scenario's", DefaultText: "the scenario's"},
			&cli.IntFlag{Name: "jobs", Usage: "`N` replications at a time", DefaultText: "one for each core"},
			&cli.StringFlag{Name: "calls", Usage: "write a row for each call to a CSV `FILE`"},
			&cli.StringFlag{Name: "attempts", Usage: "write a row for each attempt to a CSV `FILE`"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		),
		Action: runScenario,
	}
}

func runScenario(c *cli.Context) error {
	s, err := readScenario(c)
	if err != nil {
		return err
	}
	if c.IsSet("reps") {
		if s.Replications = c.Int("reps"); s.Replications < 1 || s.Replications > 100_000 {
			return usage("--reps: found %d; want 1 to 100,000", s.Replications)
		}
	}
	if c.Int("jobs") < 0 {
		return usage("--jobs: found %d; want 0 or more", c.Int("jobs"))
	}
	bar := newProgress(c.App.ErrWriter, s.Replications, "replications")
	r := experiments.Replicator{Jobs: c.Int("jobs"), Done: func(experiments.Run) { bar.add() }}
	records, err := openRecords(c.String("calls"), c.String("attempts"), inputs(c, s))
	if err != nil {
		return err
	}
	if records != nil {
		r.Jobs, r.Listen = 1, records.csv.Of // rows of one replication after the other
	}
	runs, err := r.Play(c.Context, s, 0, s.Replications)
	bar.end()
	stopped := errors.Is(err, context.Canceled)
	useless := err != nil && (!stopped || len(runs) == 0)
	if cerr := records.close(!useless); cerr != nil || useless {
		return errors.Join(err, cerr)
	}
	if stopped {
		interrupted(c.App.ErrWriter, len(runs), s.Replications, "replications")
	}
	report := experiments.NewReport(s, runs)
	if stopped {
		report.Warnings = append(report.Warnings, fmt.Sprintf("interrupted after %d of %d replications", len(runs), s.Replications))
	}
	write := report.WriteText
	if c.Bool("json") {
		write = report.WriteJSON
	}
	if werr := write(c.App.Writer); werr != nil {
		return werr
	}
	return err
}

// records are the CSV files of a run; nil when none was asked for.
type records struct {
	csv   experiments.CSV
	files []*output
	texts []*bufio.Writer
}

func openRecords(calls, attempts string, inputs []string) (*records, error) {
	if calls == "" && attempts == "" {
		return nil, nil
	}
	if filepath.Clean(calls) == filepath.Clean(attempts) {
		return nil, usage("--calls and --attempts: found %q for both; want two files", calls)
	}
	r := &records{}
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

// close puts the files in their place, or discards them when they are not to be
// kept or could not be written whole.
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
