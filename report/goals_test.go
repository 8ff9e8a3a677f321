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

// pointOf is a point whose replications have these success ratios.
func pointOf(number int, goals []measure.Goal, success []float64) PointResult {
	p := PointResult{Point: number, Labels: []string{string(rune('a' + number))}, N: len(success)}
	p.Goals = &Goals{random: true}
	for _, g := range goals {
		p.Goals.Results = append(p.Goals.Results, g.Of(success, true))
	}
	return p
}

// Four points and success_ratio>=90%, with t(3, 0.975) = 3.182 for n = 4:
//
//	0  95 +- 1 %: standard deviation 0.8165 %, half-width 1.299 %: met
//	1  90.5 +- 1.299 %: undecided
//	2  80 +- 1.299 %: missed
//	3  met but for a replication without a value: missed
func TestJudgePoints(t *testing.T) {
	g, err := measure.ParseGoal("success_ratio>=90%")
	if err != nil {
		t.Fatal(err)
	}
	goals := []measure.Goal{g}
	around := func(m float64) []float64 { return []float64{m - 0.01, m, m, m + 0.01} }
	lacking := around(0.95)
	lacking[2] = math.NaN()
	point := 0
	c := &Comparison{
		Axes: []string{"policy"},
		Aims: measure.Aims{Goals: goals, Objective: measure.DefaultObjective(true)},
		Points: []PointResult{
			pointOf(0, goals, around(0.95)),
			pointOf(1, goals, around(0.905)),
			pointOf(2, goals, around(0.80)),
			pointOf(3, goals, lacking),
		},
		Manifest:   &sweep.Manifest{Points: 4},
		Conclusion: &Conclusion{Point: &point},
	}
	c.judgePoints()
	if want := [3]int{measure.Undecided: 1, measure.Met: 1, measure.Missed: 2}; c.verdicts != want {
		t.Errorf("counted %v by verdict; want %v", c.verdicts, want)
	}
	if c.Verdict() != measure.Met {
		t.Errorf("together %v; want met", c.Verdict())
	}
	var marks []string
	for i := range c.Points {
		marks = append(marks, c.Points[i].goalMark())
	}
	if want := []string{"g", "?", "", ""}; !slices.Equal(marks, want) {
		t.Errorf("marked %q; want %q", marks, want)
	}
	var text bytes.Buffer
	c.writeGoals(&text, Layout{})
	for _, want := range []string{
		"goals: met at 1 of 4 points (g), undecided at 1 (?), missed at 2\n",
		"  goal at point 0     verdict  mean   95 % interval\n  success_ratio>=90%  met      0.95  [0.937, 0.963]\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("got\n%s\nwant %q in it", &text, want)
		}
	}
	for from, want := range map[int]measure.Verdict{1: measure.Undecided, 2: measure.Missed} {
		rest := &Comparison{Axes: c.Axes, Aims: c.Aims, Points: c.Points[from:], Manifest: c.Manifest}
		rest.judgePoints()
		if rest.Verdict() != want {
			t.Errorf("points from %d: %v, want %v", from, rest.Verdict(), want)
		}
	}
}

// Where all replications have the same value it decides, and the table does not set a bound on the share of
// replications beside the goal: "at least 47 %" of 4 would read as a success ratio that misses it.
func TestGoalTableOfOneValue(t *testing.T) {
	g, err := measure.ParseGoal("success_ratio>=99%")
	if err != nil {
		t.Fatal(err)
	}
	of := &Goals{[]measure.GoalResult{g.Of([]float64{1, 1, 1, 1}, true)}, true}
	var text bytes.Buffer
	of.table("").text(&text, Layout{})
	if want := "success_ratio>=99%  met         1  the same in all 4\n"; !strings.Contains(text.String(), want) {
		t.Errorf("got\n%s\nwant %q in it", &text, want)
	}
}
