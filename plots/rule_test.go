package plots

import (
	"bytes"
	"strings"
	"testing"
)

// A goal is drawn up to three times as high as the data, so that they keep a third of the axis; one beyond is named
// alone. A line that a person asked for is always drawn.
func TestRulesKeepTheDataReadable(t *testing.T) {
	for _, c := range []struct {
		rule  Rule
		high  float64 // of an axis whose data go from 8 to 10
		entry string
	}{
		{Rule{Name: "goal", At: 30, Near: true}, 30, "goal"},
		{Rule{Name: "goal", At: 31, Near: true}, 10, "goal, beyond the axis"},
		{Rule{Name: "line", At: 31}, 31, "line"},
		{Rule{Name: "goal", At: 9, Near: true}, 10, "goal"},
	} {
		entries := addRules(newPlot("x", "y"), []Rule{c.rule}, false, 10)
		if _, high := reachOf([]Rule{c.rule}, 8, 10); high != c.high || entries[0].name != c.entry {
			t.Errorf("%+v: the axis reaches %v, the legend says %q; want %v, %q", c.rule, high, entries[0].name, c.high,
				c.entry)
		}
	}
}

// Each figure with axes of metrics draws its rules: with one inside the axis, which moves nothing else, the picture
// has one line of dashes more. A legend that does not fit one row takes two.
func TestFiguresDrawRules(t *testing.T) {
	const dashes = "stroke-dasharray:7,3"
	rule := []Rule{{Name: "goal " + strings.Repeat("of a long name ", 9), At: 1, Place: 0.95}}
	l, s, b, q := lines(), scatter(), bars(), quantiles()
	l.Rules, s.RulesX, s.RulesY, b.Rules, q.Rules = rule, rule, rule, rule, rule
	for name, c := range map[string]struct {
		figure Figure
		lines  int // with those of the legend
	}{"lines": {l, 2}, "scatter": {s, 4}, "bars": {b, 2}, "quantiles": {q, 2}} {
		var out bytes.Buffer
		if err := Write(c.figure, &out, "svg", Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := strings.Count(strings.ReplaceAll(out.String(), " ", ""), dashes); got != c.lines {
			t.Errorf("%s: %d dashed lines; want %d", name, got, c.lines)
		}
	}
}
