package sweep

import (
	"bytes"
	"reflect"
	"slices"
	"strings"

	"stampede/measure"
	"stampede/scenario"
)

// Plan is a sweep before it is run: which points, how many replications of
// each, and which part of them.
type Plan struct {
	Template  *scenario.Template
	Reps      int       // replications of each point, or the first ones
	Precision Precision // zero for a fixed number of replications
	Control   bool      // each point also without its trigger
	Metric    string    // that orders reports; empty for that of the aims or of the scenario
	Aims      measure.Aims
	Abort     bool // a point ends early when it cannot meet its goals
	Shard     Shard

	search *Search // in place of the grid or the sample
}

// TriggerAxis is the axis on which a plan with control puts each point with and
// without its trigger.
const TriggerAxis = "trigger"

// Axes names the axes of the plan in order.
func (p *Plan) Axes() []string {
	var names []string
	for _, a := range p.Template.Sweep.Axes {
		names = append(names, a.Path)
	}
	if p.Control {
		names = append(names, TriggerAxis)
	}
	return names
}

// Objective is the metric by which the plan's points are compared.
func (p *Plan) Objective() string {
	if p.Metric != "" {
		return p.Metric
	}
	if p.Aims.Stated {
		return measure.Metrics()[p.Aims.Objective.Metric].Name
	}
	return objectiveOf(p.Template.Base)
}

// Points is the number of points.
func (p *Plan) Points() int {
	if p.search != nil {
		return len(p.search.Replications)
	}
	n := p.Template.Sweep.Size()
	if p.Control {
		n *= 2
	}
	return n
}

// Point makes the scenario of a point. The labels are there even when the
// scenario cannot be built.
func (p *Plan) Point(i int) (labels []string, s *scenario.Scenario, err error) {
	t := p.Template
	calm := false
	if p.Control {
		calm, i = i%2 == 1, i/2
	}
	values := t.Sweep.Point(i, t.Base.Seed)
	for _, v := range values {
		labels = append(labels, v.Label)
	}
	s, err = t.With(t.Sweep.Axes, values)
	if p.Control {
		labels = append(labels, map[bool]string{false: "on", true: "off"}[calm])
		if err == nil && calm {
			s, err = t.WithoutTrigger(s)
		}
	}
	return labels, s, err
}

// base finds the point that changes nothing: the scenario as written, or 0. A
// value that changes it when set alone is in no such point, unless another axis
// reaches into the same part; so few points have to be built, and of those at most
// two thousand are.
func (p *Plan) base(resolved []byte) (int, error) {
	if p.search != nil {
		return 0, nil // it knows its own
	}
	t := p.Template
	axes := t.Sweep.Axes
	unchanged := make([]map[string]bool, len(axes)) // by label; nil where the axis alone does not tell
	for k, a := range axes {
		if t.Sweep.Points > 0 && a.Range() != "" {
			return 0, nil // its values are drawn
		}
		others := slices.Delete(slices.Clone(axes), k, k+1)
		if slices.ContainsFunc(others, func(b scenario.Axis) bool { return overlap(a.Path, b.Path) }) {
			continue
		}
		unchanged[k] = map[string]bool{}
		for _, v := range a.Values {
			s, err := t.With([]scenario.Axis{a}, []scenario.Value{v})
			if err != nil {
				continue // what the scenario has already can be set
			}
			if unchanged[k][v.Label], err = Same(s, t.Base, resolved); err != nil {
				return 0, err
			}
		}
	}
	built := 0
	for i := range t.Sweep.Size() {
		values := t.Sweep.Point(i, t.Base.Seed)
		changes := false
		for k, v := range values {
			changes = changes || unchanged[k] != nil && !unchanged[k][v.Label]
		}
		if changes {
			continue
		}
		if built++; built > 2000 {
			break
		}
		s, err := t.With(axes, values)
		if err != nil {
			continue
		}
		found, err := Same(s, t.Base, resolved)
		if err != nil {
			return 0, err
		}
		if found {
			if p.Control {
				i *= 2
			}
			return i, nil
		}
	}
	return 0, nil
}

// Same reports whether a scenario is the base, whose resolved text is given: by its text, or by what is run. A
// field that is not set and one that says none have different texts and make the same model.
func Same(s, base *scenario.Scenario, resolved []byte) (bool, error) {
	text, err := s.Resolved()
	if err != nil || bytes.Equal(text, resolved) {
		return err == nil, err
	}
	return s.Seed == base.Seed && s.Warmup == base.Warmup && s.Measured() == base.Measured() &&
		reflect.DeepEqual(s.Collapse, base.Collapse) && reflect.DeepEqual(s.Model, base.Model), nil
}

// overlap reports whether one path leads into what the other sets.
func overlap(a, b string) bool {
	a, b = strings.TrimSuffix(a, ".preset")+".", strings.TrimSuffix(b, ".preset")+"."
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

// objectiveOf is the metric by which policies for a scenario are compared: the
// answers, where the number of calls is given, else answers per minute. Neither
// rewards failing fast.
func objectiveOf(s *scenario.Scenario) string {
	if s.Model.Fleets()[max(0, s.Measured())].Workload.Calls > 0 && s.Warmup == (scenario.Warmup{}) {
		return "answered"
	}
	return "goodput_per_min"
}
