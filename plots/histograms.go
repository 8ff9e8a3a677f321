package plots

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Histograms is numbers over equal bins in panels under each other, which share both axes so
// that shapes and heights compare at a glance.
type Histograms struct {
	Title, Subtitle string
	X, Y            string
	Width           float64 // of a bin
	Panels          []Histogram
}

// Histogram is one of the panels.
type Histogram struct {
	Name   string
	Values []float64 // of each bin from 0
}

func (f *Histograms) heading() (title, subtitle *string) { return &f.Title, &f.Subtitle }

func (f *Histograms) size() (vg.Length, vg.Length) {
	return width, 2.5*vg.Centimeter + vg.Length(len(f.Panels))*3*vg.Centimeter
}

func (f *Histograms) draw(c draw.Canvas) error {
	c = head(c, f.Title, f.Subtitle)
	end, high := 0.0, 0.0
	var panels []*plot.Plot
	for _, h := range f.Panels {
		end = max(end, f.Width*float64(len(h.Values)))
		for _, v := range h.Values {
			high = max(high, v)
		}
	}
	for i, h := range f.Panels {
		p := newPlot("", f.Y)
		if i == len(f.Panels)-1 {
			p.X.Label.Text = f.X
		}
		p.Add(grid())
		outline := plotter.XYs{{}}
		for b, v := range h.Values {
			outline = append(outline, plotter.XY{X: f.Width * float64(b), Y: v},
				plotter.XY{X: f.Width * float64(b+1), Y: v})
		}
		outline = append(outline, plotter.XY{X: f.Width * float64(len(h.Values))})
		area, err := plotter.NewPolygon(outline)
		if err != nil {
			return err
		}
		area.Color, area.LineStyle.Width = palette[i%len(palette)], 0
		p.Add(area)
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, max(end, 1e-9), 0, max(1.05*high, 1e-9)
		p.Title.Text = h.Name
		p.Title.TextStyle.Font, p.Title.TextStyle.Color = sans(8.5), palette[i%len(palette)]
		p.Title.Padding = vg.Points(2)
		p.Y.Tick.Marker = ticks{whole: true}
		panels = append(panels, p)
	}
	areas := make([]draw.Canvas, len(panels))
	for i := range panels {
		areas[i] = row(c, i, len(panels))
	}
	align(panels, areas)
	return nil
}
