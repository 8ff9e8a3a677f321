package plots

import (
	"math"

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
	Inks            []Ink    // of the kinds; may be empty
	Panels          []DotPanel
	Shaded          []Span
	From, To        float64 // the stretch of time that is shown; all of it when To is 0
}

// DotPanel is one of the panels.
type DotPanel struct {
	Name string // above the panel; may be empty
	Y    string
	At   [][][2]float64 // by kind: time, actor
}

func (f *Dots) heading() (title, subtitle *string) { return &f.Title, &f.Subtitle }

func (f *Dots) size() (vg.Length, vg.Length) {
	return width, height + vg.Length(max(len(f.Panels)-1, 0))*5*vg.Centimeter
}

func (f *Dots) draw(c draw.Canvas) error {
	c = head(c, f.Title, f.Subtitle)
	end, least, most := 0.0, math.Inf(1), 0.0
	start := 0.0
	if f.To > 0 {
		start = f.From
	}
	seen := make([]bool, len(f.Kinds))
	for _, panel := range f.Panels {
		for kind, at := range panel.At {
			for _, d := range at {
				if f.outside(d[0]) {
					continue
				}
				end, least, most, seen[kind] = max(end, d[0]), min(least, d[1]), max(most, d[1]), true
			}
		}
	}
	if f.To > 0 {
		end = f.To
	} else {
		least = 0
	}
	least = min(least, most)
	entries := shadings(f.Shaded, end)
	for kind, name := range f.Kinds {
		if seen[kind] {
			entries = append(entries, entry{name, []plot.Thumbnailer{dotThumb{f.style(kind)}}})
		}
	}
	room := roomBeside(c, "", entries)
	panels, areas := make([]*plot.Plot, len(f.Panels)), make([]draw.Canvas, len(f.Panels))
	for i, panel := range f.Panels {
		p := newPlot("", panel.Y)
		if i == len(f.Panels)-1 {
			p.X.Label.Text = f.X
		}
		if p.Title.Text = panel.Name; panel.Name != "" {
			p.Title.TextStyle.Font, p.Title.Padding = sans(9.5), vg.Points(3)
		}
		if err := spans(p, f.Shaded, start, end, least, most); err != nil {
			return err
		}
		for kind, at := range panel.At {
			if len(at) == 0 {
				continue
			}
			xy := make(plotter.XYs, 0, len(at))
			for _, d := range at {
				if !f.outside(d[0]) {
					xy = append(xy, plotter.XY{X: d[0], Y: d[1]})
				}
			}
			if len(xy) == 0 {
				continue
			}
			dots, err := plotter.NewScatter(xy)
			if err != nil {
				return err
			}
			dots.GlyphStyle = f.style(kind)
			p.Add(dots)
		}
		p.Y.Tick.Marker = ticks{whole: true}
		p.X.Min, p.Y.Min = start, least
		p.X.Max, p.Y.Max = max(end+0.02*(end-start), start+1e-9), most+0.02*(most-least)+1
		area := row(c, i, len(f.Panels))
		panels[i], areas[i] = p, draw.Crop(area, 0, -room, 0, 0)
		if i == 0 {
			l := legend(entries)
			l.Draw(draw.Crop(area, area.Max.X-area.Min.X-room+legendGap, 0, 0, 0))
		}
	}
	align(panels, areas)
	return nil
}

// outside reports whether a time is not shown.
func (f *Dots) outside(t float64) bool { return f.To > 0 && (t < f.From || t > f.To) }

// style is that of a kind of events.
func (f *Dots) style(kind int) draw.GlyphStyle {
	if kind < len(f.Inks) {
		return dotStyle(f.Inks[kind], kind)
	}
	return dotStyle(ByPlace, kind)
}

// dotThumb is a dot in a legend.
type dotThumb struct{ draw.GlyphStyle }

// Thumbnail implements plot.Thumbnailer.
func (d dotThumb) Thumbnail(c *draw.Canvas) { c.DrawGlyph(d.GlyphStyle, c.Center()) }
