package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bars is a stack for each name: parts that add up, and an interval for the
// whole.
type Bars struct {
	Title, Subtitle string
	Y               string
	Names           []string
	Parts           []Part
	Whole           []Point // by name; may be empty
}

// Part is one layer of the stacks.
type Part struct {
	Name   string
	Values []float64 // by name
}

func (f *Bars) size() (vg.Length, vg.Length) { return width, height }

func (f *Bars) draw(c draw.Canvas) error {
	c = head(c, f.Title, f.Subtitle)
	p := newPlot("", f.Y)
	p.Add(grid())
	var entries []entry
	var below *plotter.BarChart
	high := 0.0
	for i, part := range f.Parts {
		values := make(plotter.Values, len(part.Values))
		for k, v := range part.Values {
			if !math.IsNaN(v) {
				values[k] = v
			}
		}
		bars, err := plotter.NewBarChart(values, (width-6*vg.Centimeter)/vg.Length(len(f.Names))*0.7)
		if err != nil {
			return err
		}
		bars.Color, bars.LineStyle.Width = palette[i%len(palette)], vg.Points(0.3)
		bars.LineStyle.Color = color.White
		if below != nil {
			bars.StackOn(below)
		}
		below = bars
		p.Add(bars)
		entries = append([]entry{{part.Name, []plot.Thumbnailer{bars}}}, entries...)
	}
	var whole []Point
	for k, q := range f.Whole {
		if math.IsNaN(q.Y) {
			continue
		}
		q = clean(q)
		q.X = float64(k)
		whole = append(whole, q)
		high = max(high, q.High)
	}
	if len(whole) > 0 {
		whiskers, err := plotter.NewYErrorBars(spread(whole))
		if err != nil {
			return err
		}
		p.Add(whiskers)
	}
	p.NominalX(shortenAll(f.Names, 30)...)
	if len(f.Names) > 4 {
		p.X.Tick.Label.Rotation = math.Pi / 5
		p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = draw.XRight, draw.YCenter
	}
	p.Y.Min = 0
	p.Y.Max = max(p.Y.Max, high) * 1.05
	beside(c, p, "", entries)
	return nil
}

func shortenAll(names []string, most int) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = shorten(n, most)
	}
	return out
}
