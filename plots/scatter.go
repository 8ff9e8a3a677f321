package plots

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Spot is a point in two quantities, each with its interval.
type Spot struct {
	Name string
	X, Y Point // of each only Y, Low and High count
	Best bool  // on the frontier: marked and named
	// Hollow spots are drawn as rings: they are not of the same kind as the others.
	Hollow bool
	// Shade, 0 to 1, colours the spot.
	Shade float64
}

// Scatter is points in two quantities, with crosses for their intervals and the
// frontier marked.
type Scatter struct {
	Title, Subtitle     string
	X, Y                string
	ShadeLow, ShadeHigh string // what shade 0 and 1 stand for
	HollowName          string // what hollow spots are, where there are any
	Spots               []Spot
}

func (f *Scatter) size() (vg.Length, vg.Length) { return width, height }

func (f *Scatter) draw(c draw.Canvas) error {
	c = head(c, f.Title, f.Subtitle)
	p := newPlot(f.X, f.Y)
	p.Add(grid())
	lowX, highX, lowY, highY := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	var names plotter.XYLabels
	for _, s := range f.Spots {
		for _, cross := range []plotter.XYs{
			{{X: clean(s.X).Low, Y: s.Y.Y}, {X: clean(s.X).High, Y: s.Y.Y}},
			{{X: s.X.Y, Y: clean(s.Y).Low}, {X: s.X.Y, Y: clean(s.Y).High}},
		} {
			line, err := plotter.NewLine(cross)
			if err != nil {
				return err
			}
			line.LineStyle = draw.LineStyle{Color: color.Gray{190}, Width: vg.Points(0.6)}
			p.Add(line)
			for _, q := range cross {
				lowX, highX, lowY, highY = min(lowX, q.X), max(highX, q.X), min(lowY, q.Y), max(highY, q.Y)
			}
		}
	}
	for _, s := range f.Spots {
		dot, err := plotter.NewScatter(plotter.XYs{{X: s.X.Y, Y: s.Y.Y}})
		if err != nil {
			return err
		}
		dot.GlyphStyle = draw.GlyphStyle{Color: shade(s.Shade), Radius: vg.Points(3), Shape: draw.CircleGlyph{}}
		if s.Hollow {
			dot.GlyphStyle.Shape = draw.RingGlyph{}
		}
		p.Add(dot)
		if s.Best {
			ring, err := plotter.NewScatter(plotter.XYs{{X: s.X.Y, Y: s.Y.Y}})
			if err != nil {
				return err
			}
			ring.GlyphStyle = draw.GlyphStyle{Color: palette[1], Radius: vg.Points(5), Shape: draw.RingGlyph{}}
			p.Add(ring)
			names.XYs = append(names.XYs, plotter.XY{X: s.X.Y, Y: s.Y.Y})
			names.Labels = append(names.Labels, "   "+shorten(s.Name, 40)+"   ")
		}
	}
	if len(names.XYs) > 0 && len(names.XYs) <= MostSeries {
		labels, err := plotter.NewLabels(names)
		if err != nil {
			return err
		}
		for i := range labels.TextStyle {
			labels.TextStyle[i].Font = sans(7)
			labels.TextStyle[i].YAlign = draw.YBottom
			if names.XYs[i].X > (lowX+highX)/2 {
				labels.TextStyle[i].XAlign = draw.XRight
			}
		}
		p.Add(labels)
	}
	p.X.Min, p.X.Max = around(lowX, highX)
	p.Y.Min, p.Y.Max = around(lowY, highY)
	entries := []entry{{"no other is better in all", []plot.Thumbnailer{spotThumb{1, true}}}}
	if f.ShadeLow != "" {
		entries = append(entries, entry{f.ShadeHigh, []plot.Thumbnailer{spotThumb{1, false}}},
			entry{f.ShadeLow, []plot.Thumbnailer{spotThumb{0, false}}})
	}
	if slices.ContainsFunc(f.Spots, func(s Spot) bool { return s.Hollow }) {
		entries = append(entries, entry{f.HollowName, []plot.Thumbnailer{hollowThumb{}}})
	}
	beside(c, p, "", entries)
	return nil
}

func clean(q Point) Point {
	if !(q.Low <= q.Y && q.Y <= q.High) || math.IsInf(q.Low, 0) || math.IsInf(q.High, 0) {
		q.Low, q.High = q.Y, q.Y
	}
	return q
}

type spotThumb struct {
	shade float64
	ring  bool
}

// Thumbnail implements plot.Thumbnailer.
func (t spotThumb) Thumbnail(c *draw.Canvas) {
	style := draw.GlyphStyle{Color: shade(t.shade), Radius: vg.Points(3), Shape: draw.CircleGlyph{}}
	if t.ring {
		style = draw.GlyphStyle{Color: palette[1], Radius: vg.Points(4.5), Shape: draw.RingGlyph{}}
	}
	c.DrawGlyph(style, c.Center())
}

// hollowThumb is a hollow spot for a legend.
type hollowThumb struct{}

// Thumbnail implements plot.Thumbnailer.
func (hollowThumb) Thumbnail(c *draw.Canvas) {
	c.DrawGlyph(draw.GlyphStyle{Color: shade(0.5), Radius: vg.Points(3), Shape: draw.RingGlyph{}}, c.Center())
}
