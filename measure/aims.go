package measure

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"stampede/scenario"
)

// Aims is what is asked of a scenario: goals to meet, and what is to be best among what meets them.
type Aims struct {
	Goals     []Goal
	Objective Objective
	Stated    bool // the objective; else it is the default
}

// AimFlags are aims as the command line has them.
type AimFlags struct {
	Goals    []string // --goal
	Min, Max string   // --min, --max
}

// AimsOf is the aims of a scenario with those of the command line. A goal of a flag replaces the scenario's
// on the same metric and in the same direction; an objective of a flag replaces the scenario's. The error of a
// scenario says where the text stands. The default objective is the lowest usd_per_1000_answers where tokens
// have a price, else the highest goodput_per_min.
func AimsOf(s *scenario.Scenario, flags AimFlags) (Aims, error) {
	a := Aims{Objective: DefaultObjective(s.Model.Price.Charges())}
	var errs []error
	for i, text := range s.Goals {
		path := "goals." + strconv.Itoa(i)
		g, err := ParseGoal(text)
		if err == nil {
			err = a.add(g)
		}
		if err != nil {
			errs = append(errs, s.Errorf(path, "%v", err))
		}
	}
	if s.Minimize != "" && s.Maximize != "" {
		errs = append(errs, s.Errorf("maximize", "stands beside minimize; want one of them"))
	}
	for _, o := range []struct{ path, name string }{{"minimize", s.Minimize}, {"maximize", s.Maximize}} {
		if o.name == "" {
			continue
		}
		i, err := lookupResult(o.name)
		if err != nil {
			errs = append(errs, s.Errorf(o.path, "%v", err))
			continue
		}
		a.Objective, a.Stated = Objective{Metric: i, Largest: o.path == "maximize"}, true
	}
	if err := scenario.JoinMistakes(errs); err != nil {
		return a, err
	}
	return a.With(flags)
}

// DefaultObjective is the lowest cost of answers where they have a price, else the highest goodput.
func DefaultObjective(priced bool) Objective {
	if priced {
		return Objective{Metric: Index("usd_per_1000_answers")}
	}
	return Objective{Metric: Index("goodput_per_min"), Largest: true}
}

// With is the aims with those of the command line over them, as in [AimsOf].
func (a Aims) With(flags AimFlags) (Aims, error) {
	var own Aims
	for _, text := range flags.Goals {
		g, err := ParseGoal(text)
		if err == nil {
			err = own.add(g)
		}
		if err != nil {
			return a, fmt.Errorf("--goal: %w", err)
		}
	}
	kept := slices.DeleteFunc(slices.Clone(a.Goals), func(g Goal) bool {
		return slices.ContainsFunc(own.Goals, g.replaces)
	})
	a.Goals = kept
	for _, g := range own.Goals {
		if err := a.add(g); err != nil {
			return a, fmt.Errorf("--goal: %w", err)
		}
	}
	if flags.Min != "" && flags.Max != "" {
		return a, errors.New("found --min and --max; want one of them")
	}
	for _, o := range []struct{ flag, name string }{{"--min", flags.Min}, {"--max", flags.Max}} {
		if o.name == "" {
			continue
		}
		i, err := lookupResult(o.name)
		if err != nil {
			return a, fmt.Errorf("%s: %w", o.flag, err)
		}
		a.Objective, a.Stated = Objective{Metric: i, Largest: o.flag == "--max"}, true
	}
	return a, nil
}

// add appends a goal, unless another one bounds the same metric in the same direction or no value meets both.
func (a *Aims) add(g Goal) error {
	for _, h := range a.Goals {
		if h.replaces(g) {
			return fmt.Errorf("found %v beside %v; want one of them", g, h)
		}
		if h.Metric == g.Metric && (g.AtLeast && g.Bound > h.Bound || h.AtLeast && h.Bound > g.Bound) {
			return fmt.Errorf("found %v beside %v; no value meets both", g, h)
		}
	}
	a.Goals = append(a.Goals, g)
	return nil
}

// replaces reports whether another goal bounds the same metric in the same direction.
func (g Goal) replaces(h Goal) bool { return g.Metric == h.Metric && g.AtLeast == h.AtLeast }

// Judge judges the goals by finished replications.
func (a Aims) Judge(runs []Run, random bool) (results []GoalResult) {
	for _, g := range a.Goals {
		results = append(results, g.Of(Column(runs, g.Metric), random))
	}
	return results
}

// String writes the objective as people say it.
func (o Objective) String() string {
	if o.Largest {
		return "highest " + registry[o.Metric].Name
	}
	return "lowest " + registry[o.Metric].Name
}
