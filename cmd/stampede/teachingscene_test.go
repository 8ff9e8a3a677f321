package main

import (
	"encoding/json"
	"maps"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stampede/explore"
	"stampede/explore/engine"
	"stampede/internal/format"
	"stampede/scenario"
)

// scenes shows replication 0 of each policy of each address: what the page shows when it opens.
func (b *teachingLab) scenes(t *testing.T, metrics, addresses []string) string {
	t.Helper()
	byID := map[string]explore.Scene{}
	for _, s := range teachingScenes(t) {
		byID[s.ID] = s
	}
	var rows [][]string
	sliders := false
	for _, address := range addresses {
		scene, moved := openAddress(t, byID, address)
		label := ""
		for _, path := range slices.Sorted(maps.Keys(moved)) {
			name := or(sliderOf(scene, path).Label, path)
			label += ", " + name + " " + spaced(moved[path])
		}
		label = strings.TrimPrefix(label, ", ")
		sliders = sliders || label != ""
		for _, p := range scene.Policies {
			values, price, provider := runScene(t, scene.Scenario, sceneSettings(p, moved))
			row, cells := []string{or(label, "as it opens"), p.Name}, map[string]float64{}
			for _, name := range metrics {
				value, ok := values[name]
				if !ok {
					value = math.NaN()
				}
				cells[name] = value
				if ok {
					row = append(row, grouped(format.Number(scale(name)*value)))
				} else {
					row = append(row, "none")
				}
			}
			name := strings.TrimPrefix(label+", "+p.Name, ", ")
			b.cells[name], b.prices[name], b.providers[name] = cells, price, provider
			rows = append(rows, row)
		}
	}
	head := append([]string{"slider", "policy"}, header(metrics)...)
	if !sliders {
		head = head[1:]
		for i := range rows {
			rows[i] = rows[i][1:]
		}
	}
	return markdownTable(head, rows)
}

// grouped writes 1322 as 1,322, as the page does.
func grouped(number string) string {
	whole, fraction, _ := strings.Cut(number, ".")
	n, err := strconv.Atoi(whole)
	if err != nil || n < 1000 {
		return number
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	return format.Thousands(n) + fraction
}

// spaced puts a space between a number and its unit.
func spaced(value string) string {
	return regexp.MustCompile(`^([\d.]+)([a-z%]+)$`).ReplaceAllString(value, "$1 $2")
}

// runScene runs replication 0.
func runScene(t *testing.T, text string, set []string) (values map[string]float64, price, provider string) {
	t.Helper()
	args, err := json.Marshal(map[string]any{"document": text, "set": set, "replication": 0})
	if err != nil {
		t.Fatal(err)
	}
	var session engine.Session
	reply, ok := session.Call("run", args)
	if !ok {
		t.Fatalf("%v: %s", set, reply.JSON)
	}
	var ran struct{ Values map[string]float64 }
	if err := json.Unmarshal(reply.JSON, &ran); err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Read([]byte(text), "scene", scenario.Options{Set: set})
	if err != nil {
		t.Fatal(err)
	}
	return ran.Values, s.Model.Price.String(), s.DescribeProvider()
}

// openAddress reads the part of an address behind the page's.
func openAddress(t *testing.T, scenes map[string]explore.Scene, address string) (explore.Scene, map[string]string) {
	t.Helper()
	scene, set := explore.Scene{}, map[string]string{}
	for pair := range strings.SplitSeq(strings.TrimPrefix(address, "#"), "&") {
		name, value, _ := strings.Cut(pair, "=")
		value, err := url.PathUnescape(value)
		if err != nil {
			t.Fatalf("%s: %v", address, err)
		}
		switch name {
		case "v":
		case "s":
			found, ok := scenes[value]
			if !ok {
				t.Fatalf("%s: no scene %q", address, value)
			}
			scene = found
		default:
			set[name] = value
		}
	}
	return scene, set
}

// sceneSettings are those of a policy with sliders moved.
func sceneSettings(p explore.Policy, moved map[string]string) []string {
	set := slices.Clone(p.Set)
	for _, path := range slices.Sorted(maps.Keys(moved)) {
		set = append(set, path+"="+moved[path])
	}
	return set
}

// inRange fails where a scene has no such slider, or one that does not reach the value.
func inRange(t *testing.T, scene explore.Scene, path, value string) {
	t.Helper()
	if path == "seed" {
		return
	}
	s := sliderOf(scene, path)
	x, err := strconv.ParseFloat(strings.TrimSuffix(value, s.Unit), 64)
	if s.Path == "" || err != nil || x < s.Min || x > s.Max {
		t.Errorf("scene %s has no slider %s that reaches %s", scene.ID, path, value)
	}
}

func sliderOf(scene explore.Scene, path string) explore.Slider {
	for _, s := range slices.Concat(scene.Sliders, scene.More) {
		if s.Path == path {
			return s
		}
	}
	return explore.Slider{}
}
