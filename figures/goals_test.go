package figures

import (
	"slices"
	"testing"

	"stampede/measure"
	"stampede/plots"
	"stampede/report"
)

// A goal is drawn on the axis of its metric alone. A share ends at 1, so its goal is never far from the data.
func TestGoalsAreLinesOfTheirMetric(t *testing.T) {
	d := Drawing{c: &report.Comparison{}}
	for _, text := range []string{"latency_p95_s<=20s", "success_ratio>=99%", "success_ratio<=100%"} {
		g, err := measure.ParseGoal(text)
		if err != nil {
			t.Fatal(err)
		}
		d.c.Aims.Goals = append(d.c.Aims.Goals, g)
	}
	for metric, want := range map[string][]plots.Rule{
		"latency_p95_s": {{Name: "goal latency_p95_s<=20s", At: 20, Near: true}},
		"success_ratio": {
			{Name: "goal success_ratio>=99%", At: 0.99}, {Name: "goal success_ratio<=100%", At: 1},
		},
		"usd_per_1000_answers": nil,
	} {
		if got := d.goalRules(metric); !slices.Equal(got, want) {
			t.Errorf("%s: got %+v; want %+v", metric, got, want)
		}
	}
}
