package plots

import (
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Heat is a quantity over two axes of names: a coloured field for each pair with
// the value, and half its interval, written in it.
type Heat struct {
	Title, Subtitle string
	X, Y            string
	NamesX, NamesY  []string
	Cells           [][]Point // [y][x]; Y is the value
	Value           string    // what the colours stand for, with its unit
}

func (f *Heat) size() (vg.Length, vg.Length) { return width, height }

func (f *Heat) draw(c draw.Canvas) error {
	c = head(c, f.Title, f.Subtitle)
	p := newPlot(f.X, f.Y)
	p.NominalX(f.NamesX...)
	p.NominalY(f.NamesY...)
	var values []float64
	for _, row := range f.Cells {
		for _, q := range row {
			values = append(values, q.Y)
		}
	}
	scale := scaleOf(values)
	p.Add(heatCells{f, scale})
	p.X.Min, p.X.Max = -0.5, float64(len(f.NamesX))-0.5
	p.Y.Min, p.Y.Max = -0.5, float64(len(f.NamesY))-0.5
	p.Draw(draw.Crop(c, 0, -colorBarWidth, 0, 0))
	scale.draw(draw.Crop(c, c.Max.X-c.Min.X-colorBarWidth+legendGap, 0, 0, 0), f.Value)
	return nil
}

type heatCells struct {
	*Heat
	scale colorScale
}

// Plot implements plot.Plotter.
func (h heatCells) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for j, row := range h.Cells {
		for i, q := range row {
			area := vg.Rectangle{
				Min: vg.Point{X: x(float64(i) - 0.5), Y: y(float64(j) - 0.5)},
				Max: vg.Point{X: x(float64(i) + 0.5), Y: y(float64(j) + 0.5)},
			}
			fill, label := color.Color(color.White), "n/a"
			ink := color.Color(color.Black)
			if !math.IsNaN(q.Y) {
				u := h.scale.part(q.Y)
				fill, label = shade(u), h.scale.write(q.Y)
				if u < 0.55 {
					ink = color.White
				}
				if half := (q.High - q.Low) / 2; half > 0 && !math.IsInf(half, 0) {
					label += "\n±" + number(twoDigits(half))
				}
			}
			c.SetColor(fill)
			c.Fill(area.Path())
			if value, _, _ := strings.Cut(label, "\n"); area.Size().Y < vg.Points(22) {
				label = value // the interval has no room
			}
			if area.Size().Y < vg.Points(9) || area.Size().X < vg.Points(24) {
				continue // neither has the value; the colour tells
			}
			words := style(8, ink)
			words.XAlign, words.YAlign = draw.XCenter, draw.YCenter
			c.FillText(words, vg.Point{X: (area.Min.X + area.Max.X) / 2, Y: (area.Min.Y + area.Max.Y) / 2}, label)
		}
	}
}

func twoDigits(x float64) float64 {
	scale := math.Pow(10, math.Floor(math.Log10(x))-1)
	return math.Round(x/scale) * scale
}
