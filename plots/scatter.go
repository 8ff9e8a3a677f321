package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Spot is a point in two quantities, each with its interval.
type Spot struct {
	Name   string
	X, Y   Point   // of each only Y, Low and High count
	Best   bool    // on the frontier: numbered, and named in the table
	Hollow bool    // drawn as a ring: not of the same kind as the others
	Value  float64 // gives the colour
}

// Scatter is points in two quantities, with crosses for their intervals. Those of the frontier
// have numbers, which the table below the figure names.
type Scatter struct {
	Title, Subtitle string
	X, Y            string
	Value           string // what the colours stand for, with its unit
	BestName        string // what the numbered spots are
	HollowName      string // what hollow spots are, where there are any
	Spots           []Spot
}

// best are the spots of the frontier from left to right, and how many of them find no room in
// the table.
func (f *Scatter) best() (out []Spot, left int) {
	for _, s := range f.Spots {
		if s.Best {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b Spot) int {
		switch {
		case a.X.Y < b.X.Y:
			return -1
		case a.X.Y > b.X.Y:
			return 1
		}
		return 0
	})
	shown := min(len(out), MostSeries)
	return out[:shown], len(out) - shown
}

const tableRow = 10 * vg.Length(1)

func (f *Scatter) size() (vg.Length, vg.Length) {
	best, left := f.best()
	rows := len(best)
	if left > 0 {
		rows++
	}
	return width, height + vg.Length(rows)*tableRow
}

func (f *Scatter) draw(c draw.Canvas) error {
	c = head(c, f.Title, f.Subtitle)
	best, left := f.best()
	c = f.table(c, best, left)
	var values []float64
	for _, s := range f.Spots {
		values = append(values, s.Value)
	}
	scale := scaleOf(values)
	p := newPlot(f.X, f.Y)
	p.Add(grid(), spots{f, scale, best})
	lowX, highX, lowY, highY := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, s := range f.Spots {
		x, y := clean(s.X), clean(s.Y)
		lowX, highX, lowY, highY = min(lowX, x.Low), max(highX, x.High), min(lowY, y.Low), max(highY, y.High)
	}
	p.X.Min, p.X.Max = around(lowX, highX)
	p.Y.Min, p.Y.Max = around(lowY, highY)
	var entries []entry
	if len(best) > 0 {
		entries = append(entries, entry{f.BestName, []plot.Thumbnailer{dotThumb{bestRing()}}})
	}
	if slices.ContainsFunc(f.Spots, func(s Spot) bool { return s.Hollow }) {
		entries = append(entries, entry{f.HollowName, []plot.Thumbnailer{hollowThumb{}}})
	}
	room := max(roomBeside(c, "", entries), colorBarWidth)
	p.Draw(draw.Crop(c, 0, -room, 0, 0))
	right := draw.Crop(c, c.Max.X-c.Min.X-room+legendGap, 0, 0, 0)
	if f.Value != "" && len(values) > 0 {
		right = scale.draw(right, f.Value)
	}
	l := legend(entries)
	l.Draw(right)
	return nil
}

// table names the numbers at the bottom and returns the canvas above.
func (f *Scatter) table(c draw.Canvas, best []Spot, left int) draw.Canvas {
	words, numbers := style(8, color.Black), style(8, palette[Vermilion])
	numbers.XAlign = draw.XRight
	most := (c.Max.X - c.Min.X) - vg.Points(20)
	y := c.Min.Y
	if left > 0 {
		c.FillText(style(8, color.Gray{90}), vg.Point{X: c.Min.X + vg.Points(20), Y: y}, fmt.Sprintf("and %d more", left))
		y += tableRow
	}
	for i, s := range slices.Backward(best) {
		c.FillText(numbers, vg.Point{X: c.Min.X + vg.Points(14), Y: y}, strconv.Itoa(i+1))
		name := s.Name
		for n := len([]rune(name)); n > 20 && words.Width(name) > most; n -= 2 {
			name = shorten(s.Name, n)
		}
		c.FillText(words, vg.Point{X: c.Min.X + vg.Points(20), Y: y}, name)
		y += tableRow
	}
	if y > c.Min.Y {
		c.Min.Y = y + vg.Points(4)
	}
	return c
}

func bestRing() draw.GlyphStyle {
	return draw.GlyphStyle{Color: palette[Vermilion], Radius: vg.Points(4.5), Shape: draw.RingGlyph{}}
}

// spots draws the points of a scatter.
type spots struct {
	*Scatter
	scale colorScale
	best  []Spot
}

// Plot implements plot.Plotter.
func (f spots) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	at := func(x, y float64) vg.Point { return vg.Point{X: toX(x), Y: toY(y)} }
	gray := draw.LineStyle{Color: color.Gray{190}, Width: vg.Points(0.6)}
	var taken []vg.Point
	for _, s := range f.Spots {
		x, y := clean(s.X), clean(s.Y)
		c.StrokeLines(gray, []vg.Point{at(x.Low, y.Y), at(x.High, y.Y)}, []vg.Point{at(x.Y, y.Low), at(x.Y, y.High)})
		taken = append(taken, at(s.X.Y, s.Y.Y))
	}
	for _, s := range f.Spots {
		spotGlyph(s.Hollow, f.scale.part(s.Value), &c, at(s.X.Y, s.Y.Y))
	}
	words := style(8, palette[Vermilion])
	words.XAlign, words.YAlign = draw.XCenter, draw.YCenter
	for i, s := range f.best {
		spot := at(s.X.Y, s.Y.Y)
		c.DrawGlyph(bestRing(), spot)
		place := freePlace(spot, taken)
		taken = append(taken, place)
		if d := math.Hypot(float64(place.X-spot.X), float64(place.Y-spot.Y)); d > 12 {
			c.StrokeLine2(gray, spot.X, spot.Y, place.X, place.Y)
		}
		c.FillText(words, place, strconv.Itoa(i+1))
	}
}

// spotGlyph draws a spot: full with a thin edge, which shows the light colours on white, or hollow.
func spotGlyph(hollow bool, part float64, c *draw.Canvas, at vg.Point) {
	const radius = 3
	if !hollow {
		c.DrawGlyph(draw.GlyphStyle{Color: shade(part), Radius: radius, Shape: draw.CircleGlyph{}}, at)
		c.DrawGlyph(draw.GlyphStyle{Color: color.Gray{60}, Radius: radius, Shape: draw.RingGlyph{}}, at)
		return
	}
	var ring vg.Path
	ring.Move(vg.Point{X: at.X + radius, Y: at.Y})
	ring.Arc(at, radius, 0, 2*math.Pi)
	ring.Close()
	c.SetLineStyle(draw.LineStyle{Color: shade(part), Width: vg.Points(1.2)})
	c.Stroke(ring)
}

// hollowThumb is a hollow spot in a legend.
type hollowThumb struct{}

// Thumbnail implements plot.Thumbnailer.
func (hollowThumb) Thumbnail(c *draw.Canvas) { spotGlyph(true, 0.2, c, c.Center()) }

// freePlace is where a number near a spot covers nothing that is already there; the place with
// the most room where all are taken.
func freePlace(spot vg.Point, taken []vg.Point) (place vg.Point) {
	roomiest := -1.0
	for _, radius := range []float64{10, 18, 26, 34} {
		for k := range 8 {
			angle := math.Pi/4 + float64(k)*math.Pi/4
			try := vg.Point{X: spot.X + vg.Length(radius*math.Cos(angle)), Y: spot.Y + vg.Length(radius*math.Sin(angle))}
			room := math.Inf(1)
			for _, t := range taken {
				room = min(room, math.Hypot(float64(try.X-t.X), float64(try.Y-t.Y)))
			}
			if room >= 9 {
				return try
			}
			if room > roomiest {
				roomiest, place = room, try
			}
		}
	}
	return place
}

func clean(q Point) Point {
	if !(q.Low <= q.Y && q.Y <= q.High) || math.IsInf(q.Low, 0) || math.IsInf(q.High, 0) {
		q.Low, q.High = q.Y, q.Y
	}
	return q
}
