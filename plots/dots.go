package plots

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Dots is events of many actors over time, in panels under each other that share the axis of
// time: a dot for each at its time and at the number of its actor, in a colour for each kind.
// Waves stand out as columns, and their absence as a cloud.
type Dots struct {
	Title, Subtitle string
	X               string
	Kinds           []string // names of the kinds of events; the last lies on top
	Panels          []DotPanel
	Shaded          []Span
}

// DotPanel is one of the panels.
type DotPanel struct {
	Y  string
	At [][][2]float64 // by kind: time, actor
}

func (f *Dots) size() (vg.Length, vg.Length) {
	return width, height + vg.Length(max(len(f.Panels)-1, 0))*5*vg.Centimeter
}

func (f *Dots) draw(c draw.Canvas) error {
	c = head(c, f.Title, f.Subtitle)
	end, most := 0.0, 0.0
	seen := make([]bool, len(f.Kinds))
	for _, panel := range f.Panels {
		for kind, at := range panel.At {
			for _, d := range at {
				end, most, seen[kind] = max(end, d[0]), max(most, d[1]), true
			}
		}
	}
	entries := shadings(f.Shaded, end)
	for kind, name := range f.Kinds {
		if seen[kind] {
			entries = append(entries, entry{name, []plot.Thumbnailer{dotThumb{dotStyle(kind)}}})
		}
	}
	for i, panel := range f.Panels {
		p := newPlot("", panel.Y)
		if i == len(f.Panels)-1 {
			p.X.Label.Text = f.X
		}
		if err := spans(p, f.Shaded, end, 0, most); err != nil {
			return err
		}
		for kind, at := range panel.At {
			if len(at) == 0 {
				continue
			}
			xy := make(plotter.XYs, len(at))
			for j, d := range at {
				xy[j] = plotter.XY{X: d[0], Y: d[1]}
			}
			dots, err := plotter.NewScatter(xy)
			if err != nil {
				return err
			}
			dots.GlyphStyle = dotStyle(kind)
			p.Add(dots)
		}
		p.X.Min, p.Y.Min = 0, 0
		p.X.Max, p.Y.Max = max(end*1.02, 1e-9), most*1.02+1
		area := row(c, i, len(f.Panels))
		if i > 0 { // the legend stands beside the first panel; all are as wide
			p.Draw(draw.Crop(area, 0, -roomBeside(c, "", entries), 0, 0))
			continue
		}
		beside(area, p, "", entries)
	}
	return nil
}

func dotStyle(kind int) draw.GlyphStyle {
	return draw.GlyphStyle{Color: palette[kind%len(palette)], Radius: vg.Points(1.4), Shape: draw.CircleGlyph{}}
}

// dotThumb is a dot in a legend.
type dotThumb struct{ draw.GlyphStyle }

// Thumbnail implements plot.Thumbnailer.
func (d dotThumb) Thumbnail(c *draw.Canvas) { c.DrawGlyph(d.GlyphStyle, c.Center()) }
