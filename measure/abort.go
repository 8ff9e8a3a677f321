package measure

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"stampede/internal/format"
	"stampede/scenario"
	"stampede/sim"
)

// Abort is the rule by which replications end early when they cannot meet their goals. It looks after 4, 8, 16, ...
// replications, and stops when the interval of a goal's metric lies outside its bound, at the level
//
//	1 - 0.05/(looks x goals)
//
// (Bonferroni): whoever meets all goals is stopped with a probability of at most 2.5 %, as often as it looks. A
// replication without a value stops it as well. What it decides rests on the first replications alone, not on the
// order in which they finish.
type Abort struct {
	goals []Goal
	looks []int
}

// NewAbort is the rule for a number of replications that is not exceeded.
func NewAbort(goals []Goal, reps int) Abort {
	a := Abort{goals: goals}
	for n := 4; n < reps; n *= 2 {
		a.looks = append(a.looks, n)
	}
	return a
}

// Next is the first look after n replications, at most the given number.
func (a Abort) Next(n, reps int) int {
	for _, look := range a.looks {
		if look > n {
			return min(look, reps)
		}
	}
	return reps
}

// Hopeless is the first goal that cannot be met, by the values of the goals' metrics in the first replications.
// The number of those must be that of a look.
func (a Abort) Hopeless(values func(goal int) []float64, random bool) (Goal, bool) {
	for i, g := range a.goals {
		v := values(i)
		if slices.Contains(a.looks, len(v)) && a.missed(g, v, random) {
			return g, true
		}
	}
	return Goal{}, false
}

func (a Abort) missed(g Goal, values []float64, random bool) bool {
	m := registry[g.Metric]
	e := m.Estimate(values, random, 1-0.05/float64(len(a.looks)*len(a.goals)))
	switch {
	case e.N < len(values):
		return true
	case !random || m.Fixed:
		return g.Excess(e.Mean) > 0
	case e.Unseen > 0 && e.Low == e.High: // nothing is known of the replications that differ
		return false
	}
	return min(g.Excess(e.Low), g.Excess(e.High)) > 0
}

// String says the rule.
func (a Abort) String() string {
	var looks []string
	for _, n := range a.looks {
		looks = append(looks, fmt.Sprint(n))
	}
	return fmt.Sprintf("looks after %s replications, each at %s %% for each goal; what meets its goals is stopped "+
		"with a probability of at most 2.5 %%", strings.Join(looks, ", "),
		format.Number(100-5/float64(max(1, len(a.looks)*len(a.goals)))))
}

// RunUntil runs replications like Run, and stops after the first look at which a goal cannot be met.
func (r Replicator) RunUntil(ctx context.Context, s *scenario.Scenario, reps int, a Abort) (
	runs []Run, missed *Goal, err error) {
	r.drawn = nil
	warmup, err := guardedWarmup(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	for len(runs) < reps {
		more, err := r.span(ctx, s, warmup, len(runs), a.Next(len(runs), reps))
		if runs = append(runs, more...); err != nil {
			return runs, nil, err
		}
		values := func(goal int) []float64 { return Column(runs, a.goals[goal].Metric) }
		if g, ok := a.Hopeless(values, s.Model.Random()); ok && len(runs) < reps {
			return runs, &g, nil
		}
	}
	return runs, nil, nil
}

func guardedWarmup(ctx context.Context, s *scenario.Scenario) (warmup sim.Time, err error) {
	err = Guard(func() (err error) { warmup, err = WarmupOf(ctx, s); return err })
	return warmup, err
}
