package report

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"stampede/scenario"
	"stampede/sweep"
)

// AxisRole says what an axis does at the named point, the other axes held.
type AxisRole struct {
	Axis   string `json:"axis"`
	Role   Role   `json:"role"`
	Reason string `json:"reason,omitempty"` // why its values play the same
}

// Role is what an axis does.
type Role string

const (
	Decides     Role = "decides"      // another value is worse, or misses a goal
	TiedAxis    Role = "tied"         // its values differ and cannot be told apart
	SameHere    Role = "same_here"    // its values play the same at this point
	SameAll     Role = "same"         // its values play the same at every point
	Condition   Role = "condition"    // not a setting: held as in the scenario
	NotCompared Role = "not_compared" // no other point differs in this axis alone
)

// quietMetrics are 0, or 1 of attempts_per_call, where a part of a policy had nothing to do.
var quietMetrics = []struct {
	metric string
	quiet  float64
	part   string // of the paths of axes
	reason string
}{
	{"attempts_per_call", 1, ".retry.", "no call needed a second attempt"},
	{"gave_up_deadline", 0, ".deadline", "no call passed its deadline"},
	{"attempts_timeout", 0, ".timeouts.", "no attempt timed out"},
}

// roles says what each axis does at a point, by those that differ from it in one axis alone.
func (c *Comparison) roles(p *PointResult, points, tied []*PointResult) (out []AxisRole) {
	conditions := c.conditions()
	for k, axis := range c.Axes {
		role := AxisRole{Axis: axis}
		if slices.Contains(conditions, k) {
			if role.Role = Condition; axis == sweep.TriggerAxis {
				continue
			}
			out = append(out, role)
			continue
		}
		lines := c.linesAlong(k, points)
		var line, several []*PointResult
		sameAll := true
		for _, l := range lines {
			if slices.Contains(l, p) {
				line = l
			}
			if len(l) > 1 {
				several = append(several, l...)
				sameAll = sameAll && playSame(l)
			}
		}
		switch {
		case len(line) < 2:
			role.Role = NotCompared
		case sameAll:
			role.Role, role.Reason = SameAll, quietReason(axis, several)
		case playSame(line):
			role.Role, role.Reason = SameHere, quietReason(axis, line)
		case slices.ContainsFunc(line, func(q *PointResult) bool {
			return !slices.Contains(tied, q) || c.beats(p, q, len(tied))
		}):
			role.Role = Decides
		default:
			role.Role = TiedAxis
		}
		out = append(out, role)
	}
	return out
}

// linesAlong groups points that differ in one axis alone, in the order of the points.
func (c *Comparison) linesAlong(axis int, points []*PointResult) (lines [][]*PointResult) {
	at := map[string]int{}
	for _, p := range points {
		labels := slices.Clone(p.Labels)
		labels[axis] = ""
		key := strings.Join(labels, "\x00")
		i, known := at[key]
		if !known {
			i = len(lines)
			at[key] = i
			lines = append(lines, nil)
		}
		lines[i] = append(lines[i], p)
	}
	return lines
}

// playSame reports whether points give the same in every replication.
func playSame(points []*PointResult) bool {
	return !slices.ContainsFunc(points, func(p *PointResult) bool { return p.facts.play != points[0].facts.play })
}

// quietReason says why an axis had nothing to do at points, where a metric tells it.
func quietReason(axis string, points []*PointResult) string {
	for i, q := range quietMetrics {
		if strings.Contains(axis, q.part) &&
			!slices.ContainsFunc(points, func(p *PointResult) bool { return !p.facts.quiet[i] }) {
			return q.reason
		}
	}
	return ""
}

// scenarioLabels are the values of the axes that the scenario itself has: those of the base point where that
// is the scenario, else what the scenario says where an axis has such a value, else those of the base point.
func (c *Comparison) scenarioLabels() []string {
	if c.own != nil {
		return c.own
	}
	c.own = make([]string, len(c.Axes))
	for i, p := range c.Points {
		if i == 0 || p.Point == c.Manifest.Base {
			copy(c.own, p.Labels)
		}
	}
	c.ownKnown = true
	if c.Manifest.Base > 0 {
		return c.own
	}
	var file any
	_ = json.Unmarshal(c.Manifest.Scenario, &file)
	for k, axis := range c.Axes {
		found := false
		for _, label := range c.Manifest.Axes[k].Values {
			if found = label == scenario.AsAbove || saysValue(file, axis, label); found {
				c.own[k] = label
				break
			}
		}
		c.ownKnown = c.ownKnown && (found || axis == sweep.TriggerAxis)
	}
	return c.own
}

// saysValue reports whether a resolved scenario has a value at a path.
func saysValue(file any, path, label string) bool {
	if above, ok := strings.CutSuffix(path, ".preset"); ok {
		path = above + ".name"
	}
	for _, part := range strings.Split(path, ".") {
		switch node := file.(type) {
		case map[string]any:
			file = node[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(node) {
				return false
			}
			file = node[i]
		default:
			file = nil
		}
	}
	text := ""
	switch value := file.(type) {
	case nil:
		return label == "none" || label == "null" || label == "unlimited"
	case string:
		text = value
	case float64:
		text = strconv.FormatFloat(value, 'f', -1, 64)
	case map[string]any: // as {full: {}}, {constant: 16}, or {count: 16, every: 30s}
		for key, inner := range value {
			if m, ok := inner.(map[string]any); ok && len(m) == 0 && len(value) == 1 {
				text = key
			}
		}
		for _, key := range []string{"constant", "count"} {
			if inner, ok := value[key].(string); ok {
				text = inner
			}
		}
	}
	x, isNumber := scenario.NumberOf(text)
	y, alsoNumber := scenario.NumberOf(label)
	return text == label || isNumber && alsoNumber && x == y
}

// reasons lists what quietReason says.
func reasons() (list []string) {
	for _, q := range quietMetrics {
		list = append(list, q.reason)
	}
	return list
}
