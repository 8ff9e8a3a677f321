package plots

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Span is a stretch of time that is shaded and named.
type Span struct {
	Name       string
	Start, End float64 // an End of 0 or less is that of the figure
}

// Timeline is quantities over time in panels under each other, with stretches of
// time shaded in all of them.
type Timeline struct {
	Title, Subtitle string
	X               string
	End             float64
	Panels          []Panel
	Shaded          []Span
}

// Panel is one of a timeline's panels: steps over equal bins.
type Panel struct {
	Y     string
	Width float64 // of a bin
	Steps []Steps
}

// Steps is a value for each bin from time 0.
type Steps struct {
	Name   string
	Ink    Ink
	Values []float64
}

func (f *Timeline) heading() (title, subtitle *string) { return &f.Title, &f.Subtitle }

func (f *Timeline) size() (vg.Length, vg.Length) {
	return width, 2*vg.Centimeter + vg.Length(len(f.Panels))*5*vg.Centimeter
}

func (f *Timeline) draw(c draw.Canvas) error {
	c = head(c, f.Title, f.Subtitle)
	const room = 3.4 * vg.Centimeter // for legends
	panels, areas := make([]*plot.Plot, len(f.Panels)), make([]draw.Canvas, len(f.Panels))
	for i, panel := range f.Panels {
		p := newPlot("", panel.Y)
		if i == len(f.Panels)-1 {
			p.X.Label.Text = f.X
		}
		p.Add(grid())
		high := 0.0
		for _, s := range panel.Steps {
			for _, v := range s.Values {
				high = max(high, v)
			}
		}
		high = max(high*1.05, 1e-9)
		if err := spans(p, f.Shaded, 0, f.End, 0, high); err != nil {
			return err
		}
		var entries []entry
		for k, s := range panel.Steps {
			xy := make(plotter.XYs, 0, 2*len(s.Values))
			for b, v := range s.Values {
				xy = append(xy, plotter.XY{X: float64(b) * panel.Width, Y: v},
					plotter.XY{X: float64(b+1) * panel.Width, Y: v})
			}
			if len(xy) == 0 {
				continue
			}
			line, err := plotter.NewLine(xy)
			if err != nil {
				return err
			}
			line.LineStyle = stepStyle(s.Ink, k)
			p.Add(line)
			entries = append(entries, entry{s.Name, []plot.Thumbnailer{line}})
		}
		if i == 0 {
			entries = append(entries, shadings(f.Shaded, f.End)...)
		}
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, f.End, 0, high
		area := row(c, i, len(f.Panels))
		panels[i], areas[i] = p, draw.Crop(area, 0, -room, 0, 0)
		l := legend(entries)
		l.Draw(draw.Crop(area, area.Max.X-area.Min.X-room+vg.Points(8), 0, 0, 0))
	}
	align(panels, areas)
	return nil
}

// spans adds the stretches of time that begin before the end.
func spans(p *plot.Plot, shaded []Span, begin, end, low, high float64) error {
	for _, s := range shaded {
		if s.Start >= end || s.End > 0 && s.End <= begin {
			continue
		}
		start, stop := max(s.Start, begin), s.End
		if stop <= 0 || stop > end {
			stop = end
		}
		area, err := plotter.NewPolygon(
			plotter.XYs{{X: start, Y: low}, {X: stop, Y: low}, {X: stop, Y: high}, {X: start, Y: high}})
		if err != nil {
			return err
		}
		area.Color, area.LineStyle.Width = faint(palette[4], 0.2), 0
		p.Add(area)
	}
	return nil
}

// shadings names them in a legend.
func shadings(shaded []Span, end float64) (out []entry) {
	var names []string
	for _, s := range shaded {
		if s.Start < end {
			names = append(names, s.Name)
		}
	}
	for _, name := range shortenAll(names, 24) {
		out = append(out, entry{name, []plot.Thumbnailer{areaThumb{}}})
	}
	return out
}

type areaThumb struct{}

// Thumbnail implements plot.Thumbnailer.
func (areaThumb) Thumbnail(c *draw.Canvas) {
	c.SetColor(faint(palette[4], 0.3))
	c.Fill(c.Rectangle.Path())
}

// row is the place of one of several panels under each other, counted from the top.
func row(c draw.Canvas, i, of int) draw.Canvas {
	each := (c.Max.Y - c.Min.Y) / vg.Length(of)
	c.Max.Y -= vg.Length(i) * each
	c.Min.Y = c.Max.Y - each
	return c
}
