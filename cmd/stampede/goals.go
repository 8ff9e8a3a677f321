package main

import (
	"github.com/urfave/cli/v2"

	"stampede/measure"
	"stampede/scenario"
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
