package recommend

import (
	"encoding/json"
	"strings"
	"testing"

	"stampede/internal/testkit"
	"stampede/measure"
	"stampede/scenario"
)

// What is said of a size fits 80 columns, and says the same as the JSON.
func TestGrownIsTold(t *testing.T) {
	template := testkit.Template(t, strings.Replace(testkit.Small, ", nonsense", "", 1))
	goals := []measure.Goal{goal(t, "success_ratio>=95%").Goal, goal(t, "latency_p95_s<=9s").Goal}
	task, err := NewTask([]*scenario.Template{template}, measure.Aims{
		Goals: goals, Objective: objective("usd_per_1000_answers"),
	}, template.Sweep.Axes)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := task.Answer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for what, unit := range map[string]string{
		"limits":            "factor on all limits",
		"provider.limits.0": "limit on requests",
		"workers":           "number of workers in an instance",
	} {
		g, err := task.Grow(t.Context(), answer, what)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		g.Width = 80
		if err := g.Write(&text); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(text.String()) {
			if len([]rune(strings.TrimRight(line, "\n"))) > 80 {
				t.Errorf("%s: %d columns: %s", what, len(line)-1, line)
			}
		}
		words := strings.Join(strings.Fields(text.String()), " ")
		data, err := json.Marshal(g)
		if err != nil {
			t.Fatal(err)
		}
		var told struct {
			Verdict  string
			Smallest string
			Sizes    []struct{ Size, Verdict string }
		}
		if err := json.Unmarshal(data, &told); err != nil {
			t.Fatal(err)
		}
		if told.Verdict != g.Verdict.String() || len(told.Sizes) != len(g.Steps) {
			t.Errorf("%s: %s, %d sizes; want %v and %d", what, told.Verdict, len(told.Sizes), g.Verdict, len(g.Steps))
		}
		if want := told.Smallest + ", what the scenario has, is the smallest " + unit; g.Verdict == measure.Met &&
			!strings.Contains(words, told.Smallest+" is the smallest "+unit) &&
			!strings.Contains(words, want) || g.Verdict != measure.Met && told.Smallest != "" {
			t.Errorf("%s: %q is the smallest in JSON; the text is\n%s", what, told.Smallest, text.String())
		}
	}
}
