package recommend

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"stampede/measure"
	"stampede/recommend/settings"
	"stampede/scenario"
)

// ForClient is the question asked of what a client can be told: axes it has no setting for are left out, or set the
// field that comes closest, and of the others the values that it cannot be told. What cannot be set is as in the
// client's preset, unless the scenario uses that client already.
func ForClient(
	c *settings.Client, templates []*scenario.Template, aims measure.Aims, axes []scenario.Axis,
) (*Task, error) {
	var err error
	if len(axes) == 0 {
		if axes, err = DefaultAxes(templates[0]); err != nil {
			return nil, err
		}
	}
	own := make([]*scenario.Template, len(templates))
	for i, t := range templates {
		if own[i] = t; i == 0 && tells(c, t.Base) {
			continue
		}
		if own[i], err = t.Over("policy=" + c.Preset); err != nil {
			return nil, err
		}
	}
	var can scenario.Sweep
	for _, a := range axes {
		a = a.Rounded()
		if near := c.Instead[a.Path]; !c.Can(a.Path) && near != "" && c.Can(near) {
			a.Path = near
		}
		if !c.Can(a.Path) {
			continue
		}
		kept := scenario.Axis{Path: a.Path}
		for _, v := range a.Values {
			if s, err := own[0].With([]scenario.Axis{a}, []scenario.Value{v}); err == nil && tells(c, s) {
				kept.Values = append(kept.Values, v)
			}
		}
		if len(kept.Values) > 0 {
			can.Add(kept)
		}
	}
	if len(can.Axes) == 0 {
		return nil, fmt.Errorf("%s: none of the settings of this space can be set there", c.Name)
	}
	return NewTask(own, aims, can.Axes)
}

// tells reports whether the client does what the policy of a scenario says when it is told.
func tells(c *settings.Client, s *scenario.Scenario) bool {
	wanted := s.Model.Client
	does, err := c.Does(wanted)
	does.Name = wanted.Name
	return err == nil && reflect.DeepEqual(does, wanted)
}

// CodeFor is the settings of a point in the words of a client, with what it cannot be told in comments.
func (t *Task) CodeFor(c *settings.Client, p Point) (string, error) {
	s, err := t.Scenario(p)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	_, err = c.Print(&text, s.Model.Client)
	return text.String(), err
}

// Scenario is the first scenario at a point.
func (t *Task) Scenario(p Point) (*scenario.Scenario, error) {
	values := make([]scenario.Value, len(p))
	for k, v := range p {
		values[k] = t.Axes[k].Values[v]
	}
	return t.Templates[0].With(t.Axes, values)
}

// Against holds the pick of another task on the same scenarios against the pick of this one, on the same luck.
func (t *Task) Against(ctx context.Context, a *Answer, other *Task, pick Point) (Comparison, error) {
	rows, err := explainedRows(ctx, t.Player, a.Pick)
	if err != nil {
		return Comparison{}, err
	}
	others, err := explainedRows(ctx, other.Player, pick)
	if err != nil {
		return Comparison{}, err
	}
	s := newSearch(&t.Question, t.Player)
	return s.compare(&candidate{point: pick, rows: others}, &candidate{point: a.Pick, rows: rows}), nil
}

// explainedRows are the rows of a point on the replications that explain a pick.
func explainedRows(ctx context.Context, player Player, p Point) ([]Row, error) {
	var asks []Ask
	for r := range explained {
		asks = append(asks, Ask{p, fresh + r})
	}
	return player.Play(ctx, asks)
}
