package engine

import (
	"bytes"
	"context"

	"stampede/explore/animation"
	"stampede/explore/replay"
	"stampede/measure"
	"stampede/scenario"
)

// shown is a policy of an animation.
type shown struct {
	Name     string   `json:"name"`
	Document string   `json:"document"`
	Set      []string `json:"set"`
}

// animate draws a replication of each policy.
func (s *Session) animate(a arguments) (any, map[string][]byte, error) {
	o := animation.Options{
		Title: a.Title, Width: a.Width, FPS: a.FPS, Seconds: a.Seconds, Speed: a.Speed, Dark: a.Dark,
	}
	if err := o.Check(len(a.Policies)); err != nil {
		return nil, nil, err
	}
	var policies []animation.Policy
	one := Session{document: s.document, template: s.template}
	for _, p := range a.Policies {
		l, err := one.open(p.Document, p.Set)
		if err != nil {
			return nil, nil, err
		}
		policy, err := Animated(p.Name, l.Scenario, a.Replication)
		if err != nil {
			return nil, nil, explain(err)
		}
		policies = append(policies, policy)
	}
	var gif bytes.Buffer
	err := animation.Write(context.Background(), &gif, policies, o)
	return struct{}{}, map[string][]byte{"gif": gif.Bytes()}, err
}

// Animated runs a replication of a scenario for an animation.
func Animated(name string, s *scenario.Scenario, replication int) (animation.Policy, error) {
	r, err := replay.Of(&s.Model, s.Seed, replication)
	if err != nil {
		return animation.Policy{}, err
	}
	for i, limit := range measure.LimitNames(&s.Model) {
		r.Limits[i].Name = limit
	}
	return animation.Policy{Name: name, Replay: r}, nil
}
