package recommend

import (
	"context"

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

// ComparePresets plays whole policies on the luck of the pick, which comes first. One that is no policy of this
// scenario is left out.
func (t *Task) ComparePresets(ctx context.Context, a *Answer, names []string) ([]Preset, error) {
	if a.Pick == nil || len(names) == 0 {
		return nil, nil
	}
	of := func(player Player, p Point) ([]Row, error) {
		var asks []Ask
		for r := range explained {
			asks = append(asks, Ask{p, fresh + r})
		}
		return player.Play(ctx, asks)
	}
	pickRows, err := of(t.Player, a.Pick)
	if err != nil {
		return nil, err
	}
	axis := scenario.Axis{Path: "policy"}
	for _, name := range names {
		one, err := scenario.ParseAxis("policy=" + name)
		if err != nil {
			return nil, err
		}
		if t.Templates[0].CheckPath(one) == nil {
			axis.Values = append(axis.Values, one.Values[0])
		}
	}
	player := NewPlayer(t.Templates, []scenario.Axis{axis}, &t.Question, t.Player.Jobs)
	player.Show, player.Draw, player.Weights = t.Player.Show, t.Player.Draw, t.Player.Weights
	s := newSearch(&t.Question, player)
	pick := &candidate{point: a.Pick, rows: pickRows}
	out := []Preset{{"recommended", s.compare(pick, pick)}}
	for i, v := range axis.Values {
		rows, err := of(player, Point{i})
		if err != nil {
			return out, err
		}
		out = append(out, Preset{v.Label, s.compare(&candidate{rows: rows}, pick)})
	}
	return out, nil
}
