package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Spot is a point in two quantities, each with its interval.
type Spot struct {
	Name   string
	Values string // in the table, after the name; never cut
	X, Y   Point  // of each only Y, Low and High count
	Best   bool   // on the frontier: ringed, numbered, and named in the table below
	// Hollow spots are drawn as rings: they are not of the same kind as the others.
	Hollow bool
	Shade  float64 // a third quantity, as colour
}

// Scatter is points in two quantities, with crosses for their intervals, and a third as colour. The best of
// them are numbered from the left, and a table below names them.
type Scatter struct {
	Title, Subtitle string
	X, Y            string
	ShadeName       string // the third quantity
	BestName        string // what the ringed spots are
	HollowName      string // what hollow spots are, where there are any
	Spots           []Spot
	RulesX, RulesY  []Rule // at values of the axes
}

// rowHeight is that of the table's rows.
const rowHeight = 11 * vg.Length(1)

func (f *Scatter) heading() (title, subtitle *string) { return &f.Title, &f.Subtitle }

func (f *Scatter) size() (vg.Length, vg.Length) {
	rows := min(len(f.best()), MostSeries)
	return width, height + vg.Length(rows+1)*rowHeight
}

// best are the numbered spots, from the left.
func (f *Scatter) best() (out []Spot) {
	for _, s := range f.Spots {
		if s.Best {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b Spot) int {
		if a.X.Y < b.X.Y || a.X.Y == b.X.Y && a.Y.Y < b.Y.Y {
			return -1
		}
		return 1
	})
	return out
}

func (f *Scatter) draw(c draw.Canvas) error {
	c = head(c, f.Title, f.Subtitle)
	best := f.best()
	shown := best[:min(len(best), MostSeries)]
	c = f.table(c, shown, len(best)-len(shown))
	lowShade, highShade := math.Inf(1), math.Inf(-1)
	for _, s := range f.Spots {
		lowShade, highShade = min(lowShade, s.Shade), max(highShade, s.Shade)
	}
	ink := func(s Spot) color.Color {
		if highShade > lowShade {
			return shade((s.Shade - lowShade) / (highShade - lowShade))
		}
		return shade(0.5)
	}
	p := newPlot(f.X, f.Y)
	p.Add(grid())
	lowX, highX, lowY, highY := f.reach()
	rules := append(addRules(p, f.RulesX, true, highX), addRules(p, f.RulesY, false, highY)...)
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
		}
	}
	for _, s := range f.Spots {
		dot, err := plotter.NewScatter(plotter.XYs{{X: s.X.Y, Y: s.Y.Y}})
		if err != nil {
			return err
		}
		dot.GlyphStyle = draw.GlyphStyle{Color: ink(s), Radius: vg.Points(3), Shape: draw.CircleGlyph{}}
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
		}
	}
	p.X.Min, p.X.Max = around(reachOf(f.RulesX, lowX, highX))
	p.Y.Min, p.Y.Max = around(reachOf(f.RulesY, lowY, highY))
	if len(shown) > 0 {
		labels, err := f.numbers(shown, p)
		if err != nil {
			return err
		}
		p.Add(labels)
	}
	var entries []entry
	if len(best) > 0 {
		entries = append(entries, entry{f.BestName, []plot.Thumbnailer{ringThumb{palette[1], 4.5}}})
	}
	if slices.ContainsFunc(f.Spots, func(s Spot) bool { return s.Hollow }) {
		entries = append(entries, entry{f.HollowName, []plot.Thumbnailer{ringThumb{shade(0.5), 3}}})
	}
	entries = append(entries, rules...)
	if highShade >= lowShade {
		c = colourBar(c, f.ShadeName, lowShade, highShade)
	}
	above(c, p, entries)
	return nil
}

// reach is how far anything is drawn on both axes.
func (f *Scatter) reach() (lowX, highX, lowY, highY float64) {
	lowX, highX, lowY, highY = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, s := range f.Spots {
		x, y := clean(s.X), clean(s.Y)
		lowX, highX = min(lowX, x.Low, s.X.Y), max(highX, x.High, s.X.Y)
		lowY, highY = min(lowY, y.Low, s.Y.Y), max(highY, y.High, s.Y.Y)
	}
	return lowX, highX, lowY, highY
}

// numbers are the numbers of spots; those that lie on each other share a place, as in 2-5.
func (f *Scatter) numbers(shown []Spot, p *plot.Plot) (*plotter.Labels, error) {
	nearX, nearY := 0.02*(p.X.Max-p.X.Min), 0.03*(p.Y.Max-p.Y.Min)
	var at plotter.XYLabels
	taken := make([]bool, len(shown))
	for i, s := range shown {
		if taken[i] {
			continue
		}
		var numbers []int
		for k, other := range shown[i:] {
			if !taken[i+k] && math.Abs(other.X.Y-s.X.Y) <= nearX && math.Abs(other.Y.Y-s.Y.Y) <= nearY {
				taken[i+k] = true
				numbers = append(numbers, i+k+1)
			}
		}
		at.XYs = append(at.XYs, plotter.XY{X: s.X.Y, Y: s.Y.Y})
		at.Labels = append(at.Labels, "  "+runs(numbers))
	}
	labels, err := plotter.NewLabels(at)
	if err != nil {
		return nil, err
	}
	for i := range labels.TextStyle {
		labels.TextStyle[i].Font = sans(8)
		labels.TextStyle[i].YAlign = draw.YBottom
	}
	return labels, nil
}

// runs writes rising numbers with their runs shortened: 1, 3-5.
func runs(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		if j > i {
			parts = append(parts, fmt.Sprintf("%d-%d", numbers[i], numbers[j]))
		} else {
			parts = append(parts, fmt.Sprint(numbers[i]))
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

// table names the numbered spots at the foot of a canvas and returns what is left above it.
func (f *Scatter) table(c draw.Canvas, shown []Spot, left int) draw.Canvas {
	rows := len(shown)
	if left > 0 {
		rows++
	}
	if rows == 0 {
		return c
	}
	foot := vg.Length(rows) * rowHeight
	words := style(7.5, color.Black)
	words.YAlign = draw.YTop
	for i, s := range shown {
		y := c.Min.Y + foot - vg.Length(i)*rowHeight
		c.FillText(words, vg.Point{X: c.Min.X, Y: y}, fmt.Sprintf("%d", i+1))
		c.FillText(words, vg.Point{X: c.Min.X + vg.Points(16), Y: y},
			s.row(func(text string) bool { return words.Width(text) <= c.Max.X-c.Min.X-vg.Points(18) }))
	}
	if left > 0 {
		c.FillText(words, vg.Point{X: c.Min.X + vg.Points(16), Y: c.Min.Y + rowHeight},
			fmt.Sprintf("and %d more without a number", left))
	}
	return draw.Crop(c, 0, 0, foot+vg.Points(8), 0)
}

// row is the spot's row of the table; its name is cut until the row fits.
func (s Spot) row(fits func(string) bool) string {
	values := ""
	if s.Values != "" {
		values = ": " + s.Values
	}
	text := s.Name + values
	for r := []rune(s.Name); !fits(text) && len(r) > 8; {
		r = r[:len(r)-2]
		text = string(r) + "…" + values
	}
	return text
}

func clean(q Point) Point {
	if !(q.Low <= q.Y && q.Y <= q.High) || math.IsInf(q.Low, 0) || math.IsInf(q.High, 0) {
		q.Low, q.High = q.Y, q.Y
	}
	return q
}

// ringThumb is a ring for a legend.
type ringThumb struct {
	ink    color.Color
	radius float64
}

// Thumbnail implements plot.Thumbnailer.
func (t ringThumb) Thumbnail(c *draw.Canvas) {
	c.DrawGlyph(draw.GlyphStyle{Color: t.ink, Radius: vg.Points(t.radius), Shape: draw.RingGlyph{}}, c.Center())
}
