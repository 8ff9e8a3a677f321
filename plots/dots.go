package plots

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Dots is events of many actors over time, in panels under each other that share the axis of
// time: a mark for each at its time and at the number of its actor, in a look for each kind.
// Waves stand out as columns, and their absence as a cloud.
type Dots struct {
	Title, Subtitle string
	X               string
	Start, End      float64 // of the axis of time; an End of 0 is that of the events
	Kinds           []Kind  // of events; the last lies on top
	Panels          []DotPanel
	Shaded          []Span
}

// Kind is a kind of events.
type Kind struct {
	Name string
	Look *Look // nil: by order
}

// DotPanel is one of the panels.
type DotPanel struct {
	Name string // above the panel
	Y    string
	At   [][][2]float64 // by kind: time, actor
}

func (f *Dots) size() (vg.Length, vg.Length) {
	return width, height + vg.Length(max(len(f.Panels)-1, 0))*3*vg.Centimeter
}

func (f *Dots) draw(c draw.Canvas) error {
	c = head(c, f.Title, f.Subtitle)
	begin, end, most, seen := f.reach()
	entries := shadings(f.Shaded, end)
	for kind, k := range f.Kinds {
		if seen[kind] {
			entries = append(entries, entry{k.Name, []plot.Thumbnailer{dotThumb{k.Look.or(kind).glyph(vg.Points(2.2))}}})
		}
	}
	var panels []*plot.Plot
	for i, panel := range f.Panels {
		p := newPlot("", panel.Y)
		if i == len(f.Panels)-1 {
			p.X.Label.Text = f.X
		}
		if p.Title.Text = panel.Name; panel.Name != "" {
			p.Title.TextStyle.Font, p.Title.Padding = sans(9.5), vg.Points(3)
		}
		if err := spans(p, f.Shaded, end, 0, most); err != nil {
			return err
		}
		if err := f.add(p, panel, begin, end); err != nil {
			return err
		}
		p.X.Min, p.X.Max = begin, begin+max((end-begin)*1.02, 1e-9)
		p.Y.Min, p.Y.Max = 0, most*1.02+1
		p.Y.Tick.Marker = ticks{whole: true}
		panels = append(panels, p)
	}
	room := roomBeside(c, "", entries)
	areas := column(draw.Crop(c, 0, -room, 0, 0), panels)
	if len(areas) > 0 {
		area := areas[0]
		area.Min.X, area.Max.X = c.Max.X-room+legendGap, c.Max.X
		l := legend(entries)
		l.Draw(area)
	}
	return nil
}

// reach is the time that is shown, the highest actor there, and which kinds there are.
func (f *Dots) reach() (begin, end, most float64, seen []bool) {
	begin, end = f.Start, f.End
	seen = make([]bool, len(f.Kinds))
	last := 0.0
	for _, panel := range f.Panels {
		for kind, at := range panel.At {
			for _, d := range at {
				if f.End > 0 && (d[0] < f.Start || d[0] > f.End) {
					continue
				}
				last, most, seen[kind] = max(last, d[0]), max(most, d[1]), true
			}
		}
	}
	if end <= 0 {
		end = last
	}
	return begin, max(end, begin), most, seen
}

// add draws the events of a panel that fall into the time shown.
func (f *Dots) add(p *plot.Plot, panel DotPanel, begin, end float64) error {
	for kind, at := range panel.At {
		var xy plotter.XYs
		for _, d := range at {
			if d[0] >= begin && d[0] <= end && !math.IsNaN(d[1]) {
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
		dots.GlyphStyle = f.Kinds[kind].Look.or(kind).glyph(vg.Points(1.6))
		p.Add(dots)
	}
	return nil
}

// dotThumb is a dot in a legend.
type dotThumb struct{ draw.GlyphStyle }

// Thumbnail implements plot.Thumbnailer.
func (d dotThumb) Thumbnail(c *draw.Canvas) { c.DrawGlyph(d.GlyphStyle, c.Center()) }
