package plots

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Rule is a line across a figure at a value, such as a goal. It lies behind the data.
type Rule struct {
	Name string
	At   float64
	// Place is where on the other axis the rule holds; 0 stands for everywhere.
	Place float64
	// Near rules are drawn where they leave the data a third of the axis; else the legend names them as beyond it.
	Near bool
}

// far reports whether a rule would press the data, which reach so high, together.
func (r Rule) far(high float64) bool { return r.Near && r.At > 3*high }

// ruleLine draws a rule.
type ruleLine struct {
	Rule
	vertical bool
	around   float64 // how far a rule at a place goes to each side
}

var ruleStyle = draw.LineStyle{
	Color: color.Gray{60}, Width: vg.Points(1), Dashes: []vg.Length{vg.Points(7), vg.Points(3)},
}

// Plot implements plot.Plotter.
func (r ruleLine) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	switch {
	case r.vertical:
		c.StrokeLine2(ruleStyle, x(r.At), c.Min.Y, x(r.At), c.Max.Y)
	case r.Place > 0:
		from, to := max(c.Min.X, x(r.Place-r.around)), min(c.Max.X, x(r.Place+r.around))
		c.StrokeLine2(ruleStyle, from, y(r.At), to, y(r.At))
	default:
		c.StrokeLine2(ruleStyle, c.Min.X, y(r.At), c.Max.X, y(r.At))
	}
}

// Thumbnail implements plot.Thumbnailer.
func (r ruleLine) Thumbnail(c *draw.Canvas) {
	middle := c.Center()
	if r.vertical {
		c.StrokeLine2(ruleStyle, middle.X, c.Min.Y, middle.X, c.Max.Y)
		return
	}
	c.StrokeLine2(ruleStyle, c.Min.X, middle.Y, c.Max.X, middle.Y)
}

// addRules draws rules, horizontal or vertical, on axes whose data reach so high. They are added before the
// data, so that they lie behind it; their entries of the legend stand last.
func addRules(p *plot.Plot, rules []Rule, vertical bool, high float64) (entries []entry) {
	for _, r := range rules {
		if r.far(high) {
			entries = append(entries, entry{r.Name + ", beyond the axis", nil})
			continue
		}
		line := ruleLine{r, vertical, 0.13}
		p.Add(line)
		entries = append(entries, entry{r.Name, []plot.Thumbnailer{line}})
	}
	return entries
}

// reachOf widens a range by the rules that are drawn.
func reachOf(rules []Rule, low, high float64) (float64, float64) {
	data := high
	for _, r := range rules {
		if !r.far(data) {
			low, high = min(low, r.At), max(high, r.At)
		}
	}
	return low, high
}
