package plots

import (
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bars is a bar for each name, from top to bottom: parts that add up, and an interval for the
// whole. Each part has a pattern besides its colour.
type Bars struct {
	Title, Subtitle string
	Y               string
	Names           []string
	Parts           []Part
	Whole           []Point // by name; may be empty
}

// Part is one stretch of the bars.
type Part struct {
	Name   string
	Look   *Look     // nil: by order; the dash gives the pattern
	Values []float64 // by name
}

// nameWidth is the room for the names; what is longer takes several lines.
const nameWidth = width * 0.36

func (f *Bars) size() (vg.Length, vg.Length) {
	lines := 0
	for _, name := range f.lines() {
		lines += max(2, 1+strings.Count(name, "\n"))
	}
	return width, max(height, 4.2*vg.Centimeter+vg.Length(lines)*vg.Points(10))
}

// lines are the names, broken to fit their room.
func (f *Bars) lines() (out []string) {
	for _, name := range f.Names {
		out = append(out, strings.Join(wrap(name, style(8, color.Black), nameWidth), "\n"))
	}
	return out
}

func (f *Bars) draw(c draw.Canvas) error {
	c = head(c, f.Title, f.Subtitle)
	p := newPlot(f.Y, "")
	p.Add(grid())
	names := f.lines()
	slices.Reverse(names)
	p.NominalY(names...)
	p.Y.Tick.Label.Font = sans(8)
	p.Add(barRows{f})
	p.X.Min, p.X.Max = 0, max(f.high()*1.15, 1e-9)
	p.Y.Min, p.Y.Max = -0.6, float64(len(f.Names))-0.4
	var entries []entry
	for i, part := range f.Parts {
		entries = append(entries, entry{part.Name, []plot.Thumbnailer{partThumb{part.Look.or(i)}}})
	}
	beside(c, p, "", entries)
	return nil
}

// high is the end of the longest bar or interval.
func (f *Bars) high() (high float64) {
	for k := range f.Names {
		sum := 0.0
		for _, part := range f.Parts {
			sum += part.at(k)
		}
		high = max(high, sum)
	}
	for _, q := range f.Whole {
		if !math.IsNaN(q.Y) {
			high = max(high, clean(q).High)
		}
	}
	return high
}

// at is the value of a name; nothing where it is missing.
func (p *Part) at(k int) float64 {
	if k >= len(p.Values) || math.IsNaN(p.Values[k]) || math.IsInf(p.Values[k], 0) {
		return 0
	}
	return p.Values[k]
}

type barRows struct{ *Bars }

// Plot implements plot.Plotter.
func (f barRows) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for k := range f.Names {
		row := float64(len(f.Names) - 1 - k)
		begin := 0.0
		for i, part := range f.Parts {
			end := begin + part.at(k)
			area := vg.Rectangle{
				Min: vg.Point{X: x(begin), Y: y(row - 0.32)},
				Max: vg.Point{X: x(end), Y: y(row + 0.32)},
			}
			if end > begin {
				pattern(&c, area, part.Look.or(i))
			}
			begin = end
		}
		if k >= len(f.Whole) || math.IsNaN(f.Whole[k].Y) {
			continue
		}
		q := clean(f.Whole[k])
		ink := draw.LineStyle{Color: color.Black, Width: vg.Points(0.8)}
		c.StrokeLine2(ink, x(q.Low), y(row), x(q.High), y(row))
		for _, end := range []float64{q.Low, q.High} {
			c.StrokeLine2(ink, x(end), y(row)-vg.Points(2.5), x(end), y(row)+vg.Points(2.5))
		}
		words := style(8, color.Black)
		words.YAlign = draw.YCenter
		if at := x(q.High) + vg.Points(5); at+words.Width(number(q.Y)) < c.Max.X {
			c.FillText(words, vg.Point{X: at, Y: y(row)}, number(q.Y))
		}
	}
}

// pattern fills an area with the colour of a look, and with white lines where its dash is not solid:
// rising, falling or both ways.
func pattern(c *draw.Canvas, area vg.Rectangle, look *Look) {
	c.SetColor(palette[look.Color])
	c.Fill(area.Path())
	ink := draw.LineStyle{Color: color.White, Width: vg.Points(0.7)}
	if look.Dash == Dashed || look.Dash == DashDot {
		hatch(c, area, ink, 1)
	}
	if look.Dash == Dotted || look.Dash == DashDot {
		hatch(c, area, ink, -1)
	}
}

// hatch draws parallel lines that rise or fall at 45 degrees, within an area.
func hatch(c *draw.Canvas, area vg.Rectangle, ink draw.LineStyle, slope vg.Length) {
	high := area.Size().Y
	for x := area.Min.X - high; x < area.Max.X; x += vg.Points(4) {
		from, to := max(x, area.Min.X), min(x+high, area.Max.X)
		if from >= to {
			continue
		}
		y := func(at vg.Length) vg.Length {
			if slope > 0 {
				return area.Min.Y + (at - x)
			}
			return area.Max.Y - (at - x)
		}
		c.StrokeLine2(ink, from, y(from), to, y(to))
	}
}

// partThumb is a part in a legend.
type partThumb struct{ *Look }

// Thumbnail implements plot.Thumbnailer.
func (t partThumb) Thumbnail(c *draw.Canvas) { pattern(c, c.Rectangle, t.Look) }
