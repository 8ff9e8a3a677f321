package plots

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Panels is several quantities over one axis, in small panels two abreast, with a line for each series and
// one legend above them.
type Panels struct {
	Title, Subtitle string
	X               string
	Names           []string // of the places 0, 1, 2, ... for an axis of names
	LogX            bool
	Series          []string // their names, in the legend
	Panels          []LinePanel
	Marks           []Mark
	PartName        string // what parts are, where there are any
	RingName        string // what ringed points are, where there are any
}

// LinePanel is one of the panels.
type LinePanel struct {
	Y      string
	Series [][]Point // by the figure's series
	Parts  [][]Point // by series, how much of each value is shaded below it; may be empty
	Ringed [][]bool  // by series, which points are not of the same kind as the others; may be empty
	Rules  []Rule
}

// Mark is a place on the axis of a series, drawn through all panels.
type Mark struct {
	Series int
	X      float64
}

func (f *Panels) heading() (title, subtitle *string) { return &f.Title, &f.Subtitle }

func (f *Panels) size() (vg.Length, vg.Length) {
	rows := (len(f.Panels) + 1) / 2
	return width, 3*vg.Centimeter + vg.Length(rows)*5.2*vg.Centimeter
}

func (f *Panels) draw(c draw.Canvas) error {
	c = head(c, f.Title, f.Subtitle)
	var entries, rules []entry
	for i, name := range f.Series[:min(len(f.Series), MostSeries)] {
		entries = append(entries, entry{name, []plot.Thumbnailer{seriesThumb(i)}})
	}
	var drawn []*plot.Plot
	for k, panel := range f.Panels {
		p, more, err := f.panel(panel, k >= len(f.Panels)-2)
		if err != nil {
			return err
		}
		drawn, rules = append(drawn, p), append(rules, more...)
	}
	any := func(has func(LinePanel) bool) bool { return slices.ContainsFunc(f.Panels, has) }
	if any(func(p LinePanel) bool { return slices.ContainsFunc(slices.Concat(p.Parts...), Point.Positive) }) {
		entries = append(entries, entry{f.PartName, []plot.Thumbnailer{shadeThumb{}}})
	}
	if any(func(p LinePanel) bool { return slices.Contains(slices.Concat(p.Ringed...), true) }) {
		entries = append(entries, entry{f.RingName, []plot.Thumbnailer{ringThumb{ringInk, ringRadius}}})
	}
	c = legendAbove(c, append(entries, rules...))
	rows := (len(drawn) + 1) / 2
	gap := vg.Points(8)
	for column := range 2 {
		half := draw.Crop(c, 0, -(c.Max.X-c.Min.X+gap)/2, 0, 0)
		if column == 1 {
			half = draw.Crop(c, (c.Max.X-c.Min.X+gap)/2, 0, 0, 0)
		}
		var stack []*plot.Plot
		var areas []draw.Canvas
		for k := column; k < len(drawn); k += 2 {
			stack = append(stack, drawn[k])
			area := row(half, k/2, rows)
			areas = append(areas, draw.Crop(area, 0, 0, vg.Points(4), 0))
		}
		align(stack, areas)
	}
	return nil
}

// Positive reports whether the value is above 0.
func (q Point) Positive() bool { return q.Y > 0 }

// panel is one panel as a plot, and the entries of its rules.
func (f *Panels) panel(panel LinePanel, last bool) (*plot.Plot, []entry, error) {
	lines := Lines{LogX: f.LogX}
	for i, points := range panel.Series {
		lines.Series = append(lines.Series, Series{Name: f.Series[i], Points: points})
	}
	lines.Series = lines.Series[:min(len(lines.Series), MostSeries)]
	p := newPlot("", panel.Y)
	if last {
		p.X.Label.Text = f.X
	}
	switch {
	case f.Names != nil:
		p.NominalX(f.Names...)
	case f.LogX:
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, logTicks{}
	}
	p.Y.Tick.Marker = ticks{}
	p.Add(grid())
	_, low, high := lines.reach(lines.Series)
	rules := addRules(p, panel.Rules, false, high)
	low, high = reachOf(panel.Rules, low, high)
	low, high = around(min(low, 0), high)
	for i, m := range f.Marks {
		p.Add(markLine{m, float64(i) - 0.5*float64(len(f.Marks)-1)})
	}
	for i := range lines.Series {
		if i < len(panel.Parts) {
			if err := addPart(p, panel.Series[i], panel.Parts[i], i); err != nil {
				return nil, nil, err
			}
		}
	}
	if _, err := lines.addSeries(p, lines.Series); err != nil {
		return nil, nil, err
	}
	for i := range lines.Series {
		if i < len(panel.Ringed) {
			p.Add(rings{panel.Series[i], panel.Ringed[i]})
		}
	}
	p.Y.Min, p.Y.Max = low, high
	if !(p.X.Min <= p.X.Max) { // nothing is drawn
		p.X.Min, p.X.Max = 1, 2
	}
	return p, rules, nil
}

// addPart shades the part of the values below them.
func addPart(p *plot.Plot, whole, part []Point, series int) error {
	var above, below plotter.XYs
	flush := func() error {
		if len(above) > 1 {
			slices.Reverse(below)
			area, err := plotter.NewPolygon(slices.Concat(above, below))
			if err != nil {
				return err
			}
			area.Color, area.LineStyle.Width = faint(palette[series%len(palette)], 0.2), 0
			edge, err := plotter.NewLine(below)
			if err != nil {
				return err
			}
			edge.LineStyle = draw.LineStyle{Color: palette[series%len(palette)], Width: vg.Points(0.5)}
			p.Add(area, edge)
		}
		above, below = nil, nil
		return nil
	}
	for i, q := range whole {
		if math.IsNaN(q.Y + part[i].Y) {
			if err := flush(); err != nil {
				return err
			}
			continue
		}
		above = append(above, plotter.XY{X: q.X, Y: q.Y})
		below = append(below, plotter.XY{X: q.X, Y: q.Y - part[i].Y})
	}
	return flush()
}

// markLine draws a mark. Marks at one place stand beside each other.
type markLine struct {
	Mark
	beside float64
}

// Plot implements plot.Plotter.
func (m markLine) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	at := x(m.X) + vg.Points(1.2*m.beside)
	style := draw.LineStyle{
		Color: palette[m.Series%len(palette)], Width: vg.Points(0.9), Dashes: []vg.Length{vg.Points(2), vg.Points(2)},
	}
	c.StrokeLine2(style, at, c.Min.Y, at, c.Max.Y)
}

// The ring around a point.
const ringRadius = 3.8

var ringInk = color.Gray{110}

// rings draws rings around points.
type rings struct {
	points []Point
	which  []bool
}

// Plot implements plot.Plotter.
func (r rings) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, q := range r.points {
		if r.which[i] && !math.IsNaN(q.Y) {
			style := draw.GlyphStyle{Color: ringInk, Radius: vg.Points(ringRadius), Shape: draw.RingGlyph{}}
			c.DrawGlyph(style, vg.Point{X: x(q.X), Y: y(q.Y)})
		}
	}
}

// seriesThumb is the line and the mark of a series.
type seriesThumb int

// Thumbnail implements plot.Thumbnailer.
func (t seriesThumb) Thumbnail(c *draw.Canvas) {
	middle := c.Center()
	c.StrokeLine2(lineStyle(int(t)), c.Min.X, middle.Y, c.Max.X, middle.Y)
	c.DrawGlyph(glyphStyle(int(t)), middle)
}

// shadeThumb is a shaded part.
type shadeThumb struct{}

// Thumbnail implements plot.Thumbnailer.
func (shadeThumb) Thumbnail(c *draw.Canvas) {
	c.SetColor(faint(palette[7], 0.3))
	c.Fill(c.Rectangle.Path())
}
