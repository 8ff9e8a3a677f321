package recommend

import (
	"context"
	"slices"
	"strings"

	"stampede/scenario"
)

// Preset is a whole policy held against the pick.
type Preset struct {
	Name string
	Comparison
}

// Presets are the policies that a recommendation is compared with: what the most used clients do by default, and two
// rules written by hand.
var Presets = []string{
	"no-retry", "openai-python@2.52", "anthropic-python@0.35", "google-genai-python-retrying", "botocore-standard",
	"starting-points", "own-the-loop",
}

// presentPolicy names the policy of the scenario with what else the pick sets.
const presentPolicy = "present policy"

// ComparePresets plays whole policies on the luck of the pick, which comes first, and of the scenario as it stands,
// which comes second. The policies have what else the pick sets; where that is not what the scenario has, its policy
// is among them. One that is no policy of this scenario is left out.
func (t *Task) ComparePresets(ctx context.Context, a *Answer, names []string) ([]Preset, error) {
	if a.Pick == nil || len(names) == 0 {
		return nil, nil
	}
	pickRows, err := explainedRows(ctx, t.Player, a.Pick)
	if err != nil {
		return nil, err
	}
	rest := t.rest(a.Pick)
	templates := make([]*scenario.Template, len(t.Templates))
	for i, template := range t.Templates {
		if templates[i], err = template.Over(rest...); err != nil {
			return nil, err
		}
	}
	if len(rest) > 0 {
		names = append([]string{scenario.AsAbove}, names...)
	}
	axis := scenario.Axis{Path: "policy"}
	for _, name := range names {
		one, err := scenario.ParseAxis("policy=" + name)
		if err != nil {
			return nil, err
		}
		if templates[0].CheckPath(one) == nil {
			axis.Values = append(axis.Values, one.Values[0])
		}
	}
	player := NewPlayer(templates, []scenario.Axis{axis}, &t.Question, t.Player.Jobs)
	player.Show, player.Draw, player.Weights = t.Player.Show, t.Player.Draw, t.Player.Weights
	s := newSearch(&t.Question, player)
	pick := &candidate{point: a.Pick, rows: pickRows}
	startRows, err := explainedRows(ctx, t.Player, t.Question.Start)
	if err != nil {
		return nil, err
	}
	start := &candidate{point: t.Question.Start, rows: startRows}
	out := []Preset{{"recommended", s.compare(pick, pick)}, {"as it stands", s.compare(start, pick)}}
	for i, v := range axis.Values {
		rows, err := explainedRows(ctx, player, Point{i})
		if err != nil {
			return out, err
		}
		name := v.Label
		if name == scenario.AsAbove {
			name = presentPolicy
		}
		out = append(out, Preset{name, s.compare(&candidate{rows: rows}, pick)})
	}
	return out, nil
}

// rest are the settings of a point outside the policy, as PATH=VALUE.
func (t *Task) rest(p Point) []string {
	return slices.DeleteFunc(t.Settings(p), func(set string) bool {
		return strings.HasPrefix(set, "policy.") || strings.HasPrefix(set, "policy=")
	})
}
