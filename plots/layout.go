package plots

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// align draws plots into areas under each other so that their data begin and end at the same place: what
// happens at one time stands in one column.
func align(panels []*plot.Plot, areas []draw.Canvas) {
	left, right := vg.Length(0), vg.Length(0)
	for i, p := range panels {
		data := p.DataCanvas(areas[i])
		left = max(left, data.Min.X-areas[i].Min.X)
		right = max(right, areas[i].Max.X-data.Max.X)
	}
	for i, p := range panels {
		data := p.DataCanvas(areas[i])
		p.Draw(draw.Crop(areas[i], left-(data.Min.X-areas[i].Min.X), areas[i].Max.X-data.Max.X-right, 0, 0))
	}
}

// barWidth is how much of the width a colour bar takes, its labels included.
const barWidth = 2.2 * vg.Centimeter

// colourBar draws the scale of colours from low to high at the right of a canvas and returns what is left.
func colourBar(c draw.Canvas, name string, low, high float64) draw.Canvas {
	words := style(8, color.Gray{90})
	words.YAlign = draw.YTop
	bar := draw.Crop(c, c.Max.X-c.Min.X-barWidth+vg.Points(10), 0, 0, 0)
	for _, line := range wrap(name, words, bar.Max.X-bar.Min.X) {
		bar.FillText(words, vg.Point{X: bar.Min.X, Y: bar.Max.Y}, line)
		bar = draw.Crop(bar, 0, 0, 0, -words.Height(line)-vg.Points(2))
	}
	bar = draw.Crop(bar, 0, 0, vg.Points(20), -vg.Points(4))
	const steps = 64
	each := (bar.Max.Y - bar.Min.Y) / steps
	thick := vg.Points(9)
	for i := range steps {
		r := vg.Rectangle{
			Min: vg.Point{X: bar.Min.X, Y: bar.Min.Y + vg.Length(i)*each},
			Max: vg.Point{X: bar.Min.X + thick, Y: min(bar.Min.Y+(vg.Length(i)+1.5)*each, bar.Max.Y)}, // no seams
		}
		bar.SetColor(shade((float64(i) + 0.5) / steps))
		bar.Fill(r.Path())
	}
	label := style(8, color.Black)
	label.YAlign = draw.YCenter
	marks := []plot.Tick{{Value: low, Label: number(low)}}
	if high > low {
		marks = []plot.Tick{{Value: low, Label: number(low)}, {Value: high, Label: number(high)}}
		for _, m := range (ticks{}).Ticks(low, high) { // those that leave room for the ends
			if at := (m.Value - low) / (high - low); at > 0.06 && at < 0.94 {
				marks = append(marks, m)
			}
		}
	}
	for _, m := range marks {
		if m.Label == "" {
			continue
		}
		at := 0.5
		if high > low {
			at = (m.Value - low) / (high - low)
		}
		y := bar.Min.Y + vg.Length(at)*(bar.Max.Y-bar.Min.Y)
		line := draw.LineStyle{Color: color.Black, Width: vg.Points(0.5)}
		bar.StrokeLine2(line, bar.Min.X+thick, y, bar.Min.X+thick+vg.Points(3), y)
		bar.FillText(label, vg.Point{X: bar.Min.X + thick + vg.Points(5), Y: y}, m.Label)
	}
	return draw.Crop(c, 0, -barWidth, 0, 0)
}

// distinct writes values with as many digits, three to six, as tell those apart that differ by more than
// a millionth.
func distinct(values []float64) func(float64) string {
	for digits := 3; digits < 6; digits++ {
		seen := map[string]float64{}
		same := false
		for _, v := range values {
			text := digitsOf(v, digits)
			if w, ok := seen[text]; ok && math.Abs(v-w) > 1e-6*math.Abs(v) {
				same = true
			}
			seen[text] = v
		}
		if !same {
			return func(x float64) string { return digitsOf(x, digits) }
		}
	}
	return func(x float64) string { return digitsOf(x, 6) }
}

// digitsOf writes a number with so many significant digits, and all of those before the point.
func digitsOf(x float64, digits int) string {
	if a := math.Abs(x); a >= 1e6 {
		return fmt.Sprintf("%.*gM", digits, x/1e6)
	} else if a >= math.Pow10(digits) {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.*g", digits, x)
}

// above draws a plot with its legend over it, where it covers no data.
func above(c draw.Canvas, p *plot.Plot, entries []entry) { p.Draw(legendAbove(c, entries)) }

// legendAbove writes a legend at the top of a canvas, in as many rows as it takes, and returns what is left.
func legendAbove(c draw.Canvas, entries []entry) draw.Canvas {
	if len(entries) == 0 {
		return c
	}
	left := c.Min.X + vg.Points(36)
	x := left
	words := style(8, color.Black)
	words.YAlign = draw.YCenter
	for _, e := range entries {
		if x > left && x+vg.Points(19)+words.Width(e.name) > c.Max.X {
			x, c = left, draw.Crop(c, 0, 0, 0, -vg.Points(12))
		}
		row := draw.Crop(c, 0, 0, c.Max.Y-c.Min.Y-vg.Points(11), 0)
		middle := (row.Min.Y + row.Max.Y) / 2
		thumb := draw.Canvas{Canvas: row.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: row.Min.Y + vg.Points(1)},
			Max: vg.Point{X: x + vg.Points(16), Y: row.Max.Y - vg.Points(1)},
		}}
		for _, t := range e.thumbs {
			t.Thumbnail(&thumb)
		}
		row.FillText(words, vg.Point{X: x + vg.Points(19), Y: middle}, e.name)
		x += vg.Points(19) + words.Width(e.name) + vg.Points(14)
	}
	return draw.Crop(c, 0, 0, 0, -vg.Points(14))
}

// hatch draws slanted lines over a rectangle, a pattern for print without colour.
func hatch(c draw.Canvas, r vg.Rectangle, ink color.Color, gap vg.Length) {
	line := draw.LineStyle{Color: ink, Width: vg.Points(0.5)}
	wide, high := r.Max.X-r.Min.X, r.Max.Y-r.Min.Y
	for d := gap; d < wide+high; d += gap { // from (Min.X+d, Min.Y) up and to the left
		x0, y0 := r.Min.X+d, r.Min.Y
		if x0 > r.Max.X {
			y0 += x0 - r.Max.X
			x0 = r.Max.X
		}
		x1, y1 := r.Min.X, r.Min.Y+d
		if y1 > r.Max.Y {
			x1 += y1 - r.Max.Y
			y1 = r.Max.Y
		}
		c.StrokeLine2(line, x0, y0, x1, y1)
	}
}
