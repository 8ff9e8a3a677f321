package main

import (
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"stampede/experiments"
	"stampede/figures"
	"stampede/plots"
)

// checkFigures refuses experiments without figures.
func checkFigures(chosen []*experiments.Experiment, all bool) error {
	if all {
		return nil
	}
	var with []string
	for _, e := range experiments.Catalogue() {
		if len(e.Pictures) > 0 {
			with = append(with, e.Name)
		}
	}
	for _, e := range chosen {
		if len(e.Pictures) == 0 {
			return usage("--plot: %s has no figure; those that have: %s", e.Name, strings.Join(with, ", "))
		}
	}
	return nil
}

// drawPictures draws the figures of an experiment into a folder and names the files.
func drawPictures(c *cli.Context, r *experiments.Result, dir string) (names []string, err error) {
	jobs, err := jobsOf(c)
	if err != nil {
		return nil, err
	}
	for _, p := range r.Experiment.Pictures {
		content, err := r.Content(c.Context, jobs, p)
		if err != nil {
			return names, err
		}
		name := p.Name + ".png"
		if err := plots.Save(figures.OfPicture(p, content), filepath.Join(dir, name), plots.Options{}); err != nil {
			return names, err
		}
		names = append(names, name)
	}
	return names, nil
}
