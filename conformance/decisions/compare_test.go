package decisions

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"stampede/policy"
	"stampede/scenario"
)

// clientOf is the policy of a preset.
func clientOf(t *testing.T, name string) policy.Client {
	t.Helper()
	preset, err := scenario.FindPreset("policy", name)
	if err != nil {
		t.Fatal(err)
	}
	client, err := preset.Client()
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// What npm's openai 7.59.0 decides, recorded on 2026-12-01, against the presets of three ranges of its versions. What
// moves between them is read from their source: 6.26 obeys every value, with 1 ms for those that Node's timers do not
// hold, and reads on after a retry-after-ms of 0; up to 6.25 a wait of 0 and one of 60 s are not obeyed either.
func TestCompare(t *testing.T) {
	text, err := os.ReadFile("testdata/openai-node-7.59.0.json")
	if err != nil {
		t.Fatal(err)
	}
	var measured map[string]Decision
	if err := json.Unmarshal(text, &measured); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"openai-node@7.59": nil,
		"openai-node@6.49": {"Retry-After 61", "Retry-After 120", "Retry-After 121", "Retry-After 3600",
			"Retry-After 86400", "Retry-After 1e+12", "Retry-After -1", "Retry-After soon", "date in 1 h",
			"date 30 s ago", "retry-after-ms 0, Retry-After 5", "retry-after-ms -5, Retry-After 5",
			"Retry-After 121, x-should-retry true"},
		"openai-node@6.25": {"Retry-After 0", "Retry-After 60", "retry-after-ms 0, Retry-After 5"},
	} {
		rows, err := Compare(clientOf(t, name), nil, measured)
		if err != nil {
			t.Fatal(err)
		}
		var moved []string
		for _, row := range rows {
			if row.Moved {
				moved = append(moved, row.Replies...)
			}
		}
		slices.Sort(moved)
		slices.Sort(want)
		if !slices.Equal(moved, want) {
			t.Errorf("%s: moved are %q, want %q", name, moved, want)
		}
	}
}

// A reply that a client treats as another is compared with the preset's decision on that.
func TestCompareTreatsAs(t *testing.T) {
	preset := clientOf(t, "openai-node@7.59")
	measured := map[string]Decision{}
	for _, r := range Replies {
		measured[r.Name] = Predicted(preset, r)
	}
	measured["Retry-After 1.5"] = measured["Retry-After 1"] // reads whole seconds
	for _, c := range []struct {
		treats map[string]string
		moved  int
	}{{nil, 1}, {map[string]string{"Retry-After 1.5": "Retry-After 1"}, 0}} {
		rows, err := Compare(preset, c.treats, measured)
		moved := 0
		for _, row := range rows {
			if row.Moved {
				moved++
			}
		}
		if err != nil || moved != c.moved {
			t.Errorf("treats %v: %d rows moved (%v), want %d", c.treats, moved, err, c.moved)
		}
	}
	if _, err := Compare(preset, map[string]string{"429": "430"}, measured); err == nil {
		t.Error("no error for a reply that is not in the list")
	}
	delete(measured, "429")
	if _, err := Compare(preset, nil, measured); err == nil {
		t.Error("no error for a reply that was not measured")
	}
}

// Two retries after 0.375..0.5 and 0.75..1 s, as the presets of OpenAI decide without a hint.
func TestSame(t *testing.T) {
	preset := Decision{Requests: [2]int{3, 3}, Waits: [][2]float64{{0.375, 0.5}, {0.75, 1}}}
	for _, c := range []struct {
		name     string
		requests [2]int
		waits    [][2]float64
		same     bool
	}{
		{"nearly the whole range", [2]int{3, 3}, [][2]float64{{0.38, 0.499}, {0.76, 0.99}}, true},
		{"a millisecond longer", [2]int{3, 3}, [][2]float64{{0.375, 0.501}, {0.75, 1}}, true},
		{"longer", [2]int{3, 3}, [][2]float64{{0.375, 0.51}, {0.75, 1}}, false},
		{"shorter", [2]int{3, 3}, [][2]float64{{0.375, 0.5}, {0.7, 1}}, false},
		{"less jitter", [2]int{3, 3}, [][2]float64{{0.42, 0.5}, {0.84, 1}}, false},
		{"one request more", [2]int{4, 4}, [][2]float64{{0.375, 0.5}, {0.75, 1}, {1.5, 2}}, false},
		{"sometimes one request less", [2]int{2, 3}, [][2]float64{{0.375, 0.5}, {0.75, 1}}, false},
		{"no retry", [2]int{1, 1}, nil, false},
	} {
		if got := preset.Same(Decision{c.requests, c.waits}); got != c.same {
			t.Errorf("%s: same is %v, want %v", c.name, got, c.same)
		}
	}
}

func TestMeasured(t *testing.T) {
	for _, c := range []struct {
		calls [][]float64
		want  string
	}{
		{[][]float64{{}, {}}, "no retry"},
		{[][]float64{{0.4, 1}, {0.5, 1}}, "3 requests, waits 0.40..0.50 1 s"},
		{[][]float64{{2}, {2, 4}}, "2..3 requests, waits 2 4 s"},
		{[][]float64{{1, 1, 1, 1, 1, 1, 1, 1, 1}}, "10 or more requests, waits 1 1 1 1 ... s"},
	} {
		if got := Measured(c.calls).String(); got != c.want {
			t.Errorf("%v: %q, want %q", c.calls, got, c.want)
		}
	}
}
