package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// cividis are anchors of the map of Nunez, Anderton and Renslow, "Optimizing
// colormaps with consideration for color vision deficiency", PLOS ONE 13 (2018).
var cividis = []color.RGBA{
	{0, 34, 78, 255}, {53, 69, 108, 255}, {102, 105, 112, 255},
	{148, 142, 119, 255}, {200, 184, 102, 255}, {254, 232, 56, 255},
}

// shade is the colour at the part u of the map, 0 to 1.
func shade(u float64) color.RGBA {
	at := min(max(u, 0), 1) * float64(len(cividis)-1)
	i := min(int(at), len(cividis)-2)
	a, b, t := cividis[i], cividis[i+1], at-float64(i)
	mix := func(x, y uint8) uint8 { return uint8(float64(x) + t*(float64(y)-float64(x)) + 0.5) }
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

// colorScale maps the values of a figure to colours; the zero value has none.
type colorScale struct{ low, high float64 }

func scaleOf(values []float64) colorScale {
	s := colorScale{math.Inf(1), math.Inf(-1)}
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			s.low, s.high = min(s.low, v), max(s.high, v)
		}
	}
	if s.low > s.high {
		return colorScale{}
	}
	return s
}

// part is where a value stands between the least and the greatest, 0 to 1.
func (s colorScale) part(v float64) float64 {
	if s.high <= s.low || math.IsNaN(v) {
		return 0.5
	}
	return (v - s.low) / (s.high - s.low)
}

// write writes a value with as many digits as tell a fiftieth of the range.
func (s colorScale) write(v float64) string {
	step := (s.high - s.low) / 50
	if !(step > 1e-12*math.Abs(v)) || math.Abs(v) >= 1e4 {
		return number(v)
	}
	return decimals(v, int(math.Ceil(-math.Log10(step))))
}

// colorBarWidth is the room that a bar takes, with the gap before it.
const colorBarWidth = 2.1 * vg.Centimeter

// draw draws the bar with its heading in the upper part of a column and returns the rest.
func (s colorScale) draw(c draw.Canvas, heading string) draw.Canvas {
	words := style(8, color.Gray{90})
	words.YAlign = draw.YTop
	for _, line := range wrap(heading, words, c.Max.X-c.Min.X) {
		c.FillText(words, vg.Point{X: c.Min.X, Y: c.Max.Y}, line)
		c.Max.Y -= vg.Points(10)
	}
	c.Max.Y -= vg.Points(5)
	const steps = 64
	high := min(3.6*vg.Centimeter, (c.Max.Y-c.Min.Y)*0.8)
	bottom, wide := c.Max.Y-high, vg.Points(10)
	if s.high <= s.low {
		bottom = c.Max.Y - vg.Points(10)
		c.SetColor(shade(0.5))
		c.Fill(vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: bottom}, Max: vg.Point{X: c.Min.X + wide, Y: c.Max.Y}}.Path())
	}
	label := style(7.5, color.Black)
	label.YAlign = draw.YCenter
	var marks []plot.Tick
	if s.high > s.low {
		for k := range steps {
			y := bottom + high*vg.Length(k)/steps
			c.SetColor(shade((float64(k) + 0.5) / steps))
			c.Fill(vg.Rectangle{
				Min: vg.Point{X: c.Min.X, Y: y},
				Max: vg.Point{X: c.Min.X + wide, Y: min(y+high/steps+vg.Points(0.3), c.Max.Y)},
			}.Path())
		}
		for _, u := range []float64{0, 0.25, 0.5, 0.75, 1} {
			marks = append(marks, plot.Tick{Value: u, Label: s.write(s.low + u*(s.high-s.low))})
		}
	} else {
		marks = []plot.Tick{{Value: 0.5, Label: s.write(s.low)}}
		high = c.Max.Y - bottom
	}
	for _, m := range marks {
		c.FillText(label, vg.Point{X: c.Min.X + wide + vg.Points(4), Y: bottom + high*vg.Length(m.Value)}, m.Label)
	}
	c.Max.Y = bottom - vg.Points(12)
	return c
}
