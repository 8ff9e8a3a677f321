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
	Start, End float64
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
	Values []float64
}

func (f *Timeline) size() (vg.Length, vg.Length) {
	return width, 2*vg.Centimeter + vg.Length(len(f.Panels))*5*vg.Centimeter
}

func (f *Timeline) draw(c draw.Canvas) error {
	c = head(c, f.Title, f.Subtitle)
	const room = 3.4 * vg.Centimeter // for legends
	top := c.Max.Y
	each := (c.Max.Y - c.Min.Y) / vg.Length(len(f.Panels))
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
		for _, s := range f.Shaded {
			end := s.End
			if end <= 0 || end > f.End {
				end = f.End
			}
			area, err := plotter.NewPolygon(plotter.XYs{{X: s.Start, Y: 0}, {X: end, Y: 0}, {X: end, Y: high}, {X: s.Start, Y: high}})
			if err != nil {
				return err
			}
			area.Color, area.LineStyle.Width = faint(palette[4], 0.2), 0
			p.Add(area)
		}
		var entries []entry
		for k, s := range panel.Steps {
			xy := make(plotter.XYs, 0, 2*len(s.Values))
			for b, v := range s.Values {
				xy = append(xy, plotter.XY{X: float64(b) * panel.Width, Y: v}, plotter.XY{X: float64(b+1) * panel.Width, Y: v})
			}
			if len(xy) == 0 {
				continue
			}
			line, err := plotter.NewLine(xy)
			if err != nil {
				return err
			}
			line.LineStyle = lineStyle(k)
			line.Width = vg.Points(0.9)
			p.Add(line)
			entries = append(entries, entry{s.Name, []plot.Thumbnailer{line}})
		}
		if i == 0 {
			for _, s := range f.Shaded {
				entries = append(entries, entry{shorten(s.Name, 24), []plot.Thumbnailer{areaThumb{}}})
			}
		}
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, f.End, 0, high
		bottom := top - each
		area := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: bottom}, Max: vg.Point{X: c.Max.X, Y: top}}}
		p.Draw(draw.Crop(area, 0, -room, 0, 0))
		l := legend(entries)
		l.Draw(draw.Crop(area, area.Max.X-area.Min.X-room+vg.Points(8), 0, 0, 0))
		top = bottom
	}
	return nil
}

type areaThumb struct{}

// Thumbnail implements plot.Thumbnailer.
func (areaThumb) Thumbnail(c *draw.Canvas) {
	c.SetColor(faint(palette[4], 0.3))
	c.Fill(c.Rectangle.Path())
}

// Dots is events of many actors over time: a dot for each at its time and at the
// number of its actor, in a colour for each kind. Waves stand out as columns, and
// their absence as a cloud.
type Dots struct {
	Title, Subtitle string
	X, Y            string
	Kinds           []DotKind
	Shaded          []Span
}

// DotKind is dots of one colour.
type DotKind struct {
	Name string
	At   [][2]float64 // time, actor
}

func (f *Dots) size() (vg.Length, vg.Length) { return width, height }

func (f *Dots) draw(c draw.Canvas) error {
	c = head(c, f.Title, f.Subtitle)
	p := newPlot(f.X, f.Y)
	var entries []entry
	end, most := 0.0, 0.0
	for _, k := range f.Kinds {
		for _, d := range k.At {
			end, most = max(end, d[0]), max(most, d[1])
		}
	}
	for _, s := range f.Shaded {
		if s.Start >= end {
			continue
		}
		stop := s.End
		if stop <= 0 || stop > end {
			stop = end
		}
		area, err := plotter.NewPolygon(plotter.XYs{{X: s.Start, Y: 0}, {X: stop, Y: 0}, {X: stop, Y: most}, {X: s.Start, Y: most}})
		if err != nil {
			return err
		}
		area.Color, area.LineStyle.Width = faint(palette[4], 0.2), 0
		p.Add(area)
		entries = append(entries, entry{shorten(s.Name, 24), []plot.Thumbnailer{areaThumb{}}})
	}
	for i, k := range f.Kinds {
		xy := make(plotter.XYs, len(k.At))
		for j, d := range k.At {
			xy[j] = plotter.XY{X: d[0], Y: d[1]}
		}
		if len(xy) == 0 {
			continue
		}
		dots, err := plotter.NewScatter(xy)
		if err != nil {
			return err
		}
		dots.GlyphStyle = draw.GlyphStyle{Color: palette[i%len(palette)], Radius: vg.Points(1.4), Shape: draw.CircleGlyph{}}
		p.Add(dots)
		entries = append(entries, entry{k.Name, []plot.Thumbnailer{dots}})
	}
	p.X.Min, p.Y.Min = 0, 0
	p.X.Max, p.Y.Max = max(end*1.02, 1e-9), most*1.02+1
	beside(c, p, "", entries)
	return nil
}
