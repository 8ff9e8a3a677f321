package engine

import (
	"fmt"
	"strconv"
	"strings"

	"stampede/scenario"
)

// read is the answer to load.
type read struct {
	Name     string                   `json:"name"`
	Seed     uint64                   `json:"seed"`
	Numbers  []scenario.WrittenNumber `json:"numbers"`
	Policies []Variant                `json:"policies"`
	LeftOut  string                   `json:"leftOut"` // what of the sweep the policies do not show; empty for nothing
}

// Variant is a policy of the page: a name and settings.
type Variant struct {
	Name string   `json:"name"`
	Set  []string `json:"set"`
}

// maxPolicies is how many policies stand side by side.
const maxPolicies = 4

// load reads a scenario.
func (s *Session) load(a arguments) (any, map[string][]byte, error) {
	l, err := s.open(a.Document, a.Set)
	if err != nil {
		return nil, nil, err
	}
	return read{l.Name, l.Seed, s.template.Numbers(), Variants(s.template), LeftOut(s.template)}, nil, nil
}

// Variants are the policies that a scenario's sweep compares: the first values of its first axis.
func Variants(t *scenario.Template) (out []Variant) {
	if axes := t.Sweep.Axes; len(axes) > 0 {
		for i, v := range axes[0].Values[:min(maxPolicies, len(axes[0].Values))] {
			set := []string{}
			if v.Label != scenario.AsAbove {
				set = []string{axes[0].Path + "=" + v.Label}
			}
			out = append(out, Variant{nameOf(axes[0].Path, v.Label, i+1), set})
		}
	}
	if len(out) == 0 {
		out = []Variant{{"as it is", []string{}}}
	}
	return out
}

// longestValue is how many characters of a value still make a name.
const longestValue = 24

// nameOf is a short name for a value of an axis: the end of the path with the value, "jitter none", or with the
// number of a value that is long or has parts.
func nameOf(path, value string, number int) string {
	if value == scenario.AsAbove {
		return value
	}
	parts := strings.Split(path, ".")
	last := len(parts) - 1
	for last > 0 && strings.Trim(parts[last], "0123456789") == "" {
		last-- // faults.0 are faults
	}
	if strings.HasPrefix(value, "{") || len(value) > longestValue {
		value = strconv.Itoa(number)
	}
	return parts[last] + " " + value
}

// LeftOut says what of a scenario's sweep its [Variants] do not show; empty for nothing.
func LeftOut(t *scenario.Template) string {
	axes := t.Sweep.Axes
	if len(axes) == 0 {
		return ""
	}
	first, n := axes[0].Path, len(axes[0].Values)
	if n == 0 {
		return fmt.Sprintf("the sweep draws %s from a range; the scenario is shown without it", first)
	}
	var out []string
	if len(axes) > 1 {
		var others []string
		for _, a := range axes[1:] {
			others = append(others, a.Path)
		}
		out = append(out, fmt.Sprintf("only the first axis of the sweep is shown, %s; not %s", first,
			strings.Join(others, ", ")))
	}
	if n > maxPolicies {
		out = append(out, fmt.Sprintf("only the first %d of %d values of %s are shown", maxPolicies, n, first))
	}
	return strings.Join(out, "; ")
}

// export writes the scenario as a document.
func (s *Session) export(a arguments) (any, map[string][]byte, error) {
	l, err := s.open(a.Document, a.Set)
	if err != nil {
		return nil, nil, err
	}
	text, err := s.template.Export(a.Set, l.Scenario)
	if err != nil {
		return nil, nil, err
	}
	name := a.Name
	if name == "" {
		name = "scenario"
	}
	return struct {
		YAML    string `json:"yaml"`
		Command string `json:"command"`
	}{text, "stampede run " + name + ".yaml --reps 1"}, nil, nil
}
