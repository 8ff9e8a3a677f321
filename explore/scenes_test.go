package explore

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stampede/experiments"
	"stampede/measure"
	"stampede/scenario"
)

// Bounds on a run of a scene, so that a slider answers within 100 ms for three policies in a browser.
const (
	maxEvents = 20_000
	maxCalls  = 5_000
)

// allScenes are the scenes by their ids.
func allScenes(t *testing.T) map[string]Scene {
	t.Helper()
	scenes, err := Scenes()
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]Scene{}
	for _, s := range scenes {
		byID[s.ID] = s
	}
	return byID
}

// with is the scenario of a scene under settings.
func with(t *testing.T, s Scene, set ...string) *scenario.Scenario {
	t.Helper()
	out, err := scenario.Read([]byte(s.Scenario), s.ID, scenario.Options{Set: set})
	if err != nil {
		t.Fatalf("%s with %q: %v", s.ID, set, err)
	}
	return out
}

func TestScenesInOrder(t *testing.T) {
	scenes, err := Scenes()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"herd", "retry-after", "gate", "timeout", "storm", "tiers", "agent-cache", "sandbox"}
	var got []string
	for i, s := range scenes {
		got = append(got, s.ID)
		if s.Order != i+1 {
			t.Errorf("%s: order %d; want %d", s.ID, s.Order, i+1)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("scenes %v; want %v", got, want)
	}
}

// Each file says in a comment which experiment of the catalogue it belongs to, and names one that exists.
func TestScenesNameTheirExperiment(t *testing.T) {
	names := map[string]bool{"": true}
	for _, e := range experiments.Catalogue() {
		names[e.Name] = true
	}
	for id, s := range allScenes(t) {
		text, err := os.ReadFile(filepath.Join("scenes", id+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if !names[s.Experiment] {
			t.Errorf("%s: no experiment %q", id, s.Experiment)
		}
		if id != "sandbox" && !strings.HasPrefix(string(text), "# Catalogue: ") {
			t.Errorf("%s: no comment with the experiment", id)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if len([]rune(line)) > 120 {
				t.Errorf("%s:%d: %d columns; want at most 120", id, i+1, len([]rune(line)))
			}
		}
	}
}

// What asks to predict ends in a question; names of policies are short and differ; the picture lasts 10 to 60 s.
func TestScenesRead(t *testing.T) {
	for id, s := range allScenes(t) {
		if !strings.HasSuffix(s.Predict, "?") || !strings.HasSuffix(s.Look, ".") {
			t.Errorf("%s: want a question and a statement, found %q and %q", id, s.Predict, s.Look)
		}
		seen := map[string]bool{}
		longest := 0.0
		for _, p := range s.Policies {
			if p.Name == "" || len([]rune(p.Name)) > 24 || seen[p.Name] {
				t.Errorf("%s: the name %q of a policy is empty, longer than 24 letters or there twice", id, p.Name)
			}
			seen[p.Name] = true
			run, err := measure.Replicator{}.One(with(t, s, p.Set...), 0, 0)
			if err != nil {
				t.Fatalf("%s: %v", id, err)
			}
			if run.Summary.Events > maxEvents || run.Values[metric("calls")] > maxCalls {
				t.Errorf("%s, %s: %d events and %v calls; want at most %d and %d", id, p.Name, run.Summary.Events,
					run.Values[metric("calls")], maxEvents, maxCalls)
			}
			longest = max(longest, run.Summary.End.Seconds())
		}
		if seconds := longest / s.Speed; seconds < 10 || seconds > 60 {
			t.Errorf("%s: the picture lasts %.0f s; want 10 to 60", id, seconds)
		}
	}
}

// A slider is on a field that the scenario writes as a number in the slider's unit, within the range; no policy
// sets that field, and each policy checks and runs at both ends.
func TestSliders(t *testing.T) {
	for id, s := range allScenes(t) {
		template, err := scenario.NewTemplate([]byte(s.Scenario), id, scenario.Options{})
		if err != nil {
			t.Fatal(err)
		}
		written := map[string]scenario.WrittenNumber{}
		for _, n := range template.Numbers() {
			written[n.Path] = n
		}
		paths := map[string]bool{}
		for _, slider := range slices.Concat(s.Sliders, s.More) {
			at := id + ", " + slider.Path
			if _, err := scenario.FindField(slider.Path); err != nil {
				t.Errorf("%s: %v", at, err)
			}
			if slider.Label == "" || paths[slider.Path] {
				t.Errorf("%s: no label, or there twice", at)
			}
			paths[slider.Path] = true
			n := written[slider.Path]
			if n.Text == "" || n.Unit != slider.Unit || n.Number < slider.Min || n.Number > slider.Max {
				t.Errorf("%s: the scenario says %q; want a number from %v%s to %v%s", at, n.Text, slider.Min,
					slider.Unit, slider.Max, slider.Unit)
			}
			for _, p := range s.Policies {
				for _, set := range p.Set {
					path, _, _ := strings.Cut(set, "=")
					if path == slider.Path || strings.HasPrefix(path, slider.Path+".") {
						t.Errorf("%s: the policy %s sets %s", at, p.Name, path)
					}
				}
				for _, end := range []float64{slider.Min, slider.Max} {
					set := slider.Path + "=" + strconv.FormatFloat(end, 'f', -1, 64) + slider.Unit
					run, err := measure.Replicator{}.One(with(t, s, append(slices.Clone(p.Set), set)...), 0, 0)
					if err != nil {
						t.Errorf("%s, %s: %s: %v", at, p.Name, set, err)
						continue
					}
					if calls := run.Values[metric("calls")]; calls > maxCalls {
						t.Errorf("%s, %s: %s: %v calls; want at most %d", at, p.Name, set, calls, maxCalls)
					}
				}
			}
		}
	}
}

// The sandbox is the scenario that the commands run without a file, with fewer calls and without its sweep.
func TestSandboxIsTheBuiltInScenario(t *testing.T) {
	built, ok := scenario.Embedded(scenario.Default)
	if !ok {
		t.Fatal("no built-in scenario")
	}
	want, _, _ := strings.Cut(strings.Replace(string(built), "calls: 2000", "calls: 800", 1), "\nsweep:")
	if got := allScenes(t)["sandbox"].Scenario; strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("the sandbox is\n%s\nwant\n%s", got, want)
	}
}

func TestMistakesInAScene(t *testing.T) {
	const good = "title: a\npredict: b\nlook: c\nspeed: 1\npolicies: [{name: p, set: []}]\nscenario: d\n"
	if _, err := readScene([]byte(good), "s.yaml"); err != nil {
		t.Fatal(err)
	}
	slider := func(fields string) string { return good + "sliders: [{path: seed, label: l, " + fields + "}]\n" }
	six := good + "sliders: [" + strings.Repeat("{path: seed, min: 0, max: 1, step: 1}, ", 6) + "]\n"
	for _, c := range []struct{ what, text, want string }{
		{"a field that is not known", good + "sped: 2\n", `s.yaml:7:1: sped: unknown field; did you mean "speed"`},
		{"no question", strings.Replace(good, "predict: b\n", "", 1), "title, predict, look and scenario are required"},
		{"no speed", strings.Replace(good, "speed: 1\n", "", 1), "speed: found 0"},
		{"no policy", strings.Replace(good, "{name: p, set: []}", "", 1), "policies: found 0; want 1 to 4"},
		{"too many sliders", six, "sliders: found 6; want at most 5"},
		{"a range that is empty", slider("min: 2, max: 2, step: 1"), "slider seed: want min < max"},
		{"no step", slider("min: 1, max: 2"), "slider seed: want min < max"},
		{"a log scale from zero", slider("min: 0, max: 2, step: 1, scale: log"), "slider seed: want min < max"},
		{"another scale", slider("min: 1, max: 2, step: 1, scale: lin"), `found "lin"`},
	} {
		_, err := readScene([]byte(c.text), "s.yaml")
		if err == nil || !regexp.MustCompile(regexp.QuoteMeta(c.want)).MatchString(err.Error()) {
			t.Errorf("%s: %v; want %s", c.what, err, c.want)
		}
	}
}

// metric is the index of a metric among the values of a run.
func metric(name string) int {
	i, err := measure.Lookup(name)
	if err != nil {
		panic(err)
	}
	return i
}

// Reading a scene and running a policy of it, which a slider of the page repeats for each policy.
func BenchmarkScenes(b *testing.B) {
	scenes, err := Scenes()
	if err != nil {
		b.Fatal(err)
	}
	for _, s := range scenes {
		for _, p := range s.Policies {
			b.Run(s.ID+"/"+p.Name, func(b *testing.B) {
				for b.Loop() {
					built, err := scenario.Read([]byte(s.Scenario), s.ID, scenario.Options{Set: p.Set})
					if err != nil {
						b.Fatal(err)
					}
					if _, err := (measure.Replicator{}).One(built, 0, 0); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
