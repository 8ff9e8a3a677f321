package plots

import (
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bars is a lying stack for each name, the first at the top: parts that add up, and an interval for the
// whole. Parts behind the first are hatched as well as coloured.
type Bars struct {
	Title, Subtitle string
	X               string // the quantity, with its unit
	Names           []string
	Parts           []Part
	Whole           []Point // by name; may be empty
	Rules           []Rule  // at values of the quantity
}

// Part is one layer of the stacks.
type Part struct {
	Name   string
	Values []float64 // by name
}

func (f *Bars) heading() (title, subtitle *string) { return &f.Title, &f.Subtitle }

func (f *Bars) size() (vg.Length, vg.Length) {
	return width, max(7*vg.Centimeter, 3.4*vg.Centimeter+vg.Length(len(f.Names))*0.85*vg.Centimeter)
}

func (f *Bars) draw(c draw.Canvas) error {
	c = head(c, f.Title, f.Subtitle)
	p := newPlot(f.X, "")
	g := grid()
	g.Horizontal.Color = nil
	p.Add(g)
	rules := addRules(p, f.Rules, true, f.reach())
	p.Add(stacks{f})
	names := make([]string, len(f.Names))
	words := style(8, color.Black)
	for i, name := range f.Names {
		names[len(names)-1-i] = strings.Join(wrap(name, words, 0.42*(c.Max.X-c.Min.X)), "\n")
	}
	p.NominalY(names...)
	p.Y.Min, p.Y.Max = -0.6, float64(len(f.Names))-0.4
	_, far := reachOf(f.Rules, 0, f.reach())
	p.X.Min, p.X.Max = 0, far*1.05
	var entries []entry
	for i, part := range f.Parts {
		entries = append(entries, entry{part.Name, []plot.Thumbnailer{partThumb(i)}})
	}
	above(c, p, append(entries, rules...))
	return nil
}

// reach is how far the longest stack or interval goes.
func (f *Bars) reach() float64 {
	far := 1e-12
	for i := range f.Names {
		sum := 0.0
		for _, part := range f.Parts {
			if v := part.Values[i]; !math.IsNaN(v) {
				sum += v
			}
		}
		far = max(far, sum)
		if i < len(f.Whole) && !math.IsNaN(f.Whole[i].Y) {
			far = max(far, clean(f.Whole[i]).High)
		}
	}
	return far
}

// stacks draws the bars.
type stacks struct{ *Bars }

// Plot implements plot.Plotter.
func (s stacks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i := range s.Names {
		middle := float64(len(s.Names) - 1 - i)
		from := 0.0
		for k, part := range s.Parts {
			v := part.Values[i]
			if math.IsNaN(v) || v <= 0 {
				continue
			}
			fillPart(c, k, vg.Rectangle{
				Min: vg.Point{X: x(from), Y: y(middle - 0.34)}, Max: vg.Point{X: x(from + v), Y: y(middle + 0.34)},
			})
			from += v
		}
		if i < len(s.Whole) && !math.IsNaN(s.Whole[i].Y) {
			q := clean(s.Whole[i])
			line := draw.LineStyle{Color: color.Black, Width: vg.Points(0.8)}
			c.StrokeLine2(line, x(q.Low), y(middle), x(q.High), y(middle))
			for _, end := range []float64{q.Low, q.High} {
				c.StrokeLine2(line, x(end), y(middle-0.12), x(end), y(middle+0.12))
			}
		}
	}
}

// partInks are the colours of parts, the first for what is wanted.
var partInks = []int{0, 1, 3, 4, 5, 6, 2, 7}

// fillPart draws a piece of the part at a place.
func fillPart(c draw.Canvas, place int, r vg.Rectangle) {
	c.SetColor(palette[partInks[place%len(partInks)]])
	c.Fill(r.Path())
	if place > 0 {
		hatch(c, r, color.White, vg.Points(3+1.5*float64((place-1)%3)))
	}
}

type partThumb int

// Thumbnail implements plot.Thumbnailer.
func (t partThumb) Thumbnail(c *draw.Canvas) { fillPart(*c, int(t), c.Rectangle) }
