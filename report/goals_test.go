package report

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"stampede/measure"
	"stampede/sweep"
)

// pointOf is a point whose replications have these success ratios and costs.
func pointOf(number int, goals []measure.Goal, success, cost []float64) PointResult {
	p := PointResult{Point: number, Labels: []string{string(rune('a' + number))}, N: len(success)}
	p.Goals = &Goals{random: true}
	for _, g := range goals {
		p.Goals.Results = append(p.Goals.Results, g.Of(success, true))
	}
	var replications []int
	for i := range cost {
		replications = append(replications, i)
	}
	p.aimed = BestCandidate{number, replications, cost}
	return p
}

// Four points and success_ratio>=90%, with t(3, 0.975) = 3.182 for n = 4:
//
//	0  95 +- 1 %: standard deviation 0.8165 %, half-width 1.299 %: met
//	1  the same at a higher cost, by 0.01 in each replication: dearer without a doubt
//	2  the same, and the cost -0.01, +0.01, -0.01, +0.01 around that of 0: not told apart
//	3  90.5 +- 1.299 %: undecided
//	4  80 +- 1.299 %: missed, although cheapest
//	5  met but for a replication without a value: missed
func TestConclude(t *testing.T) {
	g, err := measure.ParseGoal("success_ratio>=90%")
	if err != nil {
		t.Fatal(err)
	}
	goals := []measure.Goal{g}
	around := func(m float64) []float64 { return []float64{m - 0.01, m, m, m + 0.01} }
	cost := func(d ...float64) (out []float64) {
		for i, m := range []float64{0.40, 0.42, 0.44, 0.46} {
			out = append(out, m+d[i%len(d)])
		}
		return out
	}
	lacking := around(0.95)
	lacking[2] = math.NaN()
	c := &Comparison{
		Axes: []string{"policy"},
		Aims: measure.Aims{Goals: goals, Objective: measure.DefaultObjective(true)},
		Points: []PointResult{
			pointOf(0, goals, around(0.95), cost(0)),
			pointOf(1, goals, around(0.95), cost(0.01)),
			pointOf(2, goals, around(0.95), cost(-0.01, 0.012)),
			pointOf(3, goals, around(0.905), cost(0)),
			pointOf(4, goals, around(0.80), cost(-0.3)),
			pointOf(5, goals, lacking, cost(0)),
		},
	}
	c.Manifest = &sweep.Manifest{Points: 6}
	c.conclude()
	if want := []int{0, 2}; !slices.Equal(c.Pick, want) {
		t.Errorf("picked %v; want %v", c.Pick, want)
	}
	if want := [3]int{measure.Undecided: 1, measure.Met: 3, measure.Missed: 2}; c.verdicts != want {
		t.Errorf("counted %v by verdict; want %v", c.verdicts, want)
	}
	if c.Verdict() != measure.Met {
		t.Errorf("together %v; want met", c.Verdict())
	}
	var marks []string
	for i := range c.Points {
		marks = append(marks, c.Points[i].goalMark())
	}
	if want := []string{"g", "g", "g", "?", "", ""}; !slices.Equal(marks, want) {
		t.Errorf("marked %q; want %q", marks, want)
	}
	var text bytes.Buffer
	c.writeGoals(&text, Layout{})
	for _, want := range []string{
		"goals: met at 3 of 6 points (g), undecided at 1 (?), missed at 2\n",
		"lowest usd_per_1000_answers: point 0 (policy a), 0.43 ±0.041; not told apart from it " +
			"(paired by seed, 95 %): point 2\n",
		"  goal at point 0     verdict  mean   95 % interval\n  success_ratio>=90%  met      0.95  [0.937, 0.963]\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("got\n%s\nwant %q in it", &text, want)
		}
	}
	// Without those that meet, the point is named whose mean breaks the bound least.
	c.Points, c.verdicts = c.Points[3:], [3]int{}
	c.conclude()
	if c.Verdict() != measure.Undecided || c.named().Point != 3 {
		t.Errorf("of the rest: %v, named %d; want undecided, 3", c.Verdict(), c.named().Point)
	}
	c.Points, c.verdicts = c.Points[1:], [3]int{}
	c.conclude()
	if c.Verdict() != measure.Missed {
		t.Errorf("of the last: %v; want missed", c.Verdict())
	}
}
