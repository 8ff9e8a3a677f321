package engine

import (
	"stampede/scenario"
)

// read is the answer to load.
type read struct {
	Name     string                   `json:"name"`
	Seed     uint64                   `json:"seed"`
	Numbers  []scenario.WrittenNumber `json:"numbers"`
	Policies []Variant                `json:"policies"`
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
	return read{l.Name, l.Seed, s.template.Numbers(), Variants(s.template)}, nil, nil
}

// Variants are the policies that a scenario's sweep compares: the first values of its first axis.
func Variants(t *scenario.Template) (out []Variant) {
	if axes := t.Sweep.Axes; len(axes) > 0 {
		for _, v := range axes[0].Values[:min(maxPolicies, len(axes[0].Values))] {
			set := []string{}
			if v.Label != scenario.AsAbove {
				set = []string{axes[0].Path + "=" + v.Label}
			}
			out = append(out, Variant{v.Label, set})
		}
	}
	if len(out) == 0 {
		out = []Variant{{"as it is", []string{}}}
	}
	return out
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
