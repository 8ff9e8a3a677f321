package plots

import (
	"fmt"
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
	Value           string // what the colours stand for, with its unit
	NamesX, NamesY  []string
	Cells           [][]Point // [y][x]; Y is the value
}

func (f *Heat) heading() (title, subtitle *string) { return &f.Title, &f.Subtitle }

func (f *Heat) size() (vg.Length, vg.Length) { return width, height }

func (f *Heat) draw(c draw.Canvas) error {
	c = head(c, f.Title, f.Subtitle)
	p := newPlot(f.X, f.Y)
	p.NominalX(f.NamesX...)
	p.NominalY(f.NamesY...)
	p.Add(heatCells{f})
	p.X.Min, p.X.Max = -0.5, float64(len(f.NamesX))-0.5
	p.Y.Min, p.Y.Max = -0.5, float64(len(f.NamesY))-0.5
	low, high, _ := f.reach()
	if !math.IsInf(low, 0) {
		c = colourBar(c, f.Value, low, high)
	}
	p.Draw(c)
	return nil
}

// reach is the least and the greatest value, and all of them.
func (f *Heat) reach() (low, high float64, values []float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, row := range f.Cells {
		for _, q := range row {
			if !math.IsNaN(q.Y) {
				low, high, values = min(low, q.Y), max(high, q.Y), append(values, q.Y)
			}
		}
	}
	return low, high, values
}

// cividis are anchors of the map of Nunez, Anderton and Renslow, "Optimizing
// colormaps with consideration for color vision deficiency", PLOS ONE 13 (2018).
var cividis = []color.RGBA{
	{0, 34, 78, 255}, {53, 69, 108, 255}, {102, 105, 112, 255}, {148, 142, 119, 255}, {200, 184, 102, 255},
	{254, 232, 56, 255},
}

// shade is the colour at the part u of the map, 0 to 1.
func shade(u float64) color.RGBA {
	at := min(max(u, 0), 1) * float64(len(cividis)-1)
	i := min(int(at), len(cividis)-2)
	a, b, t := cividis[i], cividis[i+1], at-float64(i)
	mix := func(x, y uint8) uint8 { return uint8(float64(x) + t*(float64(y)-float64(x)) + 0.5) }
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

type heatCells struct{ *Heat }

// Plot implements plot.Plotter.
func (h heatCells) Plot(c draw.Canvas, p *plot.Plot) {
	low, high, values := h.reach()
	write := withHalf(values)
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
				u := 0.5
				if high > low {
					u = (q.Y - low) / (high - low)
				}
				fill, label = shade(u), write(q)
				if u < 0.55 {
					ink = color.White
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

// withHalf writes values of those there are, each with half its interval on a second line: the half with two
// significant digits, the value with as many decimals, so that values read the same only where their intervals
// overlap. Values without an interval, and those that would take more than seven digits, are written by distinct.
func withHalf(values []float64) func(Point) string {
	plain := distinct(values)
	return func(q Point) string {
		half := (q.High - q.Low) / 2
		if !(half > 0) || math.IsInf(half, 0) {
			return plain(q.Y)
		}
		half = twoDigits(half)
		digits := decimals(half)
		if most := max(math.Abs(q.Y), half); most >= 1e6 || most >= math.Pow10(7-digits) {
			return plain(q.Y) + "\n±" + number(half)
		}
		return withDecimals(q.Y, digits) + "\n±" + withDecimals(half, digits)
	}
}

// withDecimals writes a number with so many decimals.
func withDecimals(x float64, decimals int) string { return fmt.Sprintf("%.*f", decimals, x) }

// twoDigits rounds to two significant digits.
func twoDigits(x float64) float64 {
	scale := math.Pow(10, math.Floor(math.Log10(x))-1)
	return math.Round(x/scale) * scale
}

// decimals is how many digits a number of two significant digits has behind the point.
func decimals(x float64) int { return max(0, 1-int(math.Floor(math.Log10(x)+1e-9))) }
