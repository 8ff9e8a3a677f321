package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"stampede/measure"
	"stampede/report"
	"stampede/scenario"
	"stampede/sweep"
)

// goalFlags are the flags of every command that judges metrics.
func goalFlags() []cli.Flag {
	return []cli.Flag{
		&cli.GenericFlag{
			Name:  "goal",
			Value: &settings{},
			Usage: "set a `GOAL`, as in success_ratio>=99% or latency_p95_s<=20s; replaces the scenario's on the " +
				"same metric in the same direction. Can be repeated",
		},
		&cli.StringFlag{
			Name:        "min",
			Usage:       "name the point with the lowest `METRIC` of those that meet all goals",
			DefaultText: "usd_per_1000_answers where tokens have a price",
		},
		&cli.StringFlag{
			Name:        "max",
			Usage:       "name the point with the highest `METRIC` of those that meet all goals",
			DefaultText: "goodput_per_min where tokens have no price",
		},
	}
}

// abortFlag is the flag that ends replications early.
func abortFlag(what string) []cli.Flag {
	return []cli.Flag{&cli.BoolFlag{
		Name: "abort",
		Usage: "stop " + what + " early when a goal cannot be met any more, by looks after 4, 8, 16, ... " +
			"replications that stop what meets its goals with a probability of at most 2.5 %",
	}}
}

// abortOf is the rule of --abort; nil without it.
func abortOf(c *cli.Context, aims measure.Aims, reps int) (*measure.Abort, error) {
	if !c.Bool("abort") {
		return nil, nil
	}
	if len(aims.Goals) == 0 {
		return nil, usage("--abort needs a goal")
	}
	abort := measure.NewAbort(aims.Goals, reps)
	return &abort, nil
}

// aimFlags are the values of goalFlags.
func aimFlags(c *cli.Context) measure.AimFlags {
	return measure.AimFlags{Goals: *c.Generic("goal").(*settings), Min: c.String("min"), Max: c.String("max")}
}

// aimsOf is the goals and the objective of a scenario and of the command line.
func aimsOf(c *cli.Context, s *scenario.Scenario) (measure.Aims, error) {
	aims, err := measure.AimsOf(s, aimFlags(c))
	if err != nil {
		return aims, usageError{err}
	}
	return aims, nil
}

// folderAims is the goals and the objective of a folder and of the command line.
func folderAims(c *cli.Context, dir string) (*measure.Aims, error) {
	m, err := sweep.ReadManifest(dir)
	if err != nil {
		return nil, folderMistake(err)
	}
	aims, err := m.Aims()
	if err != nil {
		return nil, folderMistake(err)
	}
	if aims, err = aims.With(aimFlags(c)); err != nil {
		return nil, usageError{err}
	}
	return &aims, nil
}

// verdictError is goals that are not met: the command did what it should, and its exit status says so.
type verdictError struct {
	error
	verdict measure.Verdict
}

// judged is the error of a verdict, nil when the goals are met.
func judged(v measure.Verdict, what string) error {
	if v == measure.Met {
		return nil
	}
	return verdictError{fmt.Errorf("%s%v", what, v), v}
}

// judgedPoints is the error of a comparison in which no point meets all goals.
func judgedPoints(c *report.Comparison) error {
	if len(c.Aims.Goals) == 0 {
		return nil
	}
	if v := c.Verdict(); v == measure.Undecided {
		return judged(v, "no point surely meets all goals: ")
	}
	return judged(c.Verdict(), "no point meets all goals: ")
}
