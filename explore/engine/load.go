package engine

import (
	"stampede/scenario"
)

// read is the answer to load.
type read struct {
	Name         string                   `json:"name"`
	Seed         uint64                   `json:"seed"`
	Replications int                      `json:"replications"`
	Policy       string                   `json:"policy"`
	Provider     string                   `json:"provider"`
	Price        string                   `json:"price"`
	Notes        []string                 `json:"notes"`
	Goals        []string                 `json:"goals"`
	Numbers      []scenario.WrittenNumber `json:"numbers"`
	Policies     []Variant                `json:"policies"`
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
	out := read{
		Name: l.Name, Seed: l.Seed, Replications: l.Replications,
		Policy: l.Model.Fleets()[max(0, l.Measured())].Client.String(), Provider: l.DescribeProvider(),
		Price: l.Model.Price.String(), Notes: append([]string{}, l.Warnings()...), Goals: []string{},
		Numbers: s.template.Numbers(), Policies: Variants(s.template),
	}
	for _, g := range l.aims.Goals {
		out.Goals = append(out.Goals, g.String())
	}
	return out, nil, nil
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
