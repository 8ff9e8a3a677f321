package plots

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Point is a value at a place with its interval.
type Point struct{ X, Y, Low, High float64 }

// Series is points of one kind, in order of X.
type Series struct {
	Name     string
	Points   []Point
	Expected []Point // what theory says of it, then the line, in dashes; the points stand for themselves
}

// mostMarks is how many points of a series can still be told apart; where one has more, the
// lines have no marks.
const mostMarks = 60

// Lines is a quantity over an axis: a line with an interval band for each
// series.
type Lines struct {
	Title, Subtitle string
	X, Y            string   // axis labels, with units
	Names           []string // of the places 0, 1, 2, ... for an axis of names
	LogX, LogY      bool
	Heading         string // of the legend
	Series          []Series
	Bound           []Point // a line that no series can cross; may be empty
	BoundName       string
	ExpectedName    string // of what theory says, in the legend
	Shaded          []Span
	Rules           []Rule // lines across the figure
	WholeY          bool   // the values are counts: ticks at whole numbers only
	Dots            bool   // whiskers and no line between the points, which share nothing else

	ticksX []plot.Tick // instead of those of the axis
}

func (f *Lines) heading() (title, subtitle *string) { return &f.Title, &f.Subtitle }

func (f *Lines) size() (vg.Length, vg.Length) { return width, height }

func (f *Lines) draw(c draw.Canvas) error {
	shown := f.Series[:min(len(f.Series), MostSeries)]
	subtitle := f.Subtitle
	if left := f.Series[len(shown):]; len(left) > 0 {
		var names []string
		for _, s := range left {
			names = append(names, s.Name)
		}
		subtitle = strings.TrimPrefix(subtitle+"; left out: "+shorten(strings.Join(names, ", "), 200), "; ")
	}
	c = head(c, f.Title, subtitle)
	p := newPlot(f.X, f.Y)
	switch {
	case f.Names != nil:
		p.NominalX(f.Names...)
	case f.ticksX != nil:
		p.X.Tick.Marker = plot.ConstantTicks(f.ticksX)
	case f.LogX:
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, logTicks{}
	}
	p.Y.Tick.Marker = ticks{whole: f.WholeY}
	p.Add(grid())
	end, low, high := f.reach(shown)
	rules := addRules(p, f.Rules, false, high)
	low, high = reachOf(f.Rules, low, high)
	if p.Y.Min, p.Y.Max = around(low, high); f.LogY && low > 0 {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks{}
		p.Y.Min, p.Y.Max = low/1.1, high*1.1
	}
	if err := spans(p, f.Shaded, 0, end, p.Y.Min, p.Y.Max); err != nil {
		return err
	}
	entries, err := f.addSeries(p, shown)
	if err != nil {
		return err
	}
	theory, err := f.addExpected(p, shown)
	if err != nil {
		return err
	}
	entries = append(entries, theory...)
	if numbers := f.Names == nil && f.ticksX == nil && !f.LogX; numbers && p.X.Min > 0 && p.X.Min < 0.05*p.X.Max {
		p.X.Min = 0
	}
	if len(f.Bound) > 0 {
		line, err := dashed(f.Bound, palette[7])
		if err != nil {
			return err
		}
		p.Add(line)
		entries = append(entries, entry{f.BoundName, []plot.Thumbnailer{line}})
	}
	beside(c, p, f.Heading, slices.Concat(entries, rules, shadings(f.Shaded, end)))
	return nil
}

// addSeries draws what was measured: points for themselves, or a line in a band.
func (f *Lines) addSeries(p *plot.Plot, shown []Series) (entries []entry, err error) {
	marked := !slices.ContainsFunc(shown, func(s Series) bool { return len(s.Points) > mostMarks })
	for i, s := range shown {
		points := slices.Clone(s.Points)
		slices.SortStableFunc(points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
		for _, part := range parts(points) {
			if f.Dots { // beside each other
				for k := range part {
					part[k].X += 0.16 * (float64(i) - 0.5*float64(len(shown)-1))
				}
			}
			band, line, dots, err := s.shapes(part, i)
			if err != nil {
				return nil, err
			}
			thumbs := []plot.Thumbnailer{line, dots}
			switch {
			case s.Expected != nil, f.Dots:
				whiskers, err := plotter.NewYErrorBars(spread(part))
				if err != nil {
					return nil, err
				}
				whiskers.LineStyle.Color = palette[i%len(palette)]
				if slices.ContainsFunc(part, func(q Point) bool { return q.High > q.Low }) {
					p.Add(whiskers)
				}
				p.Add(dots)
				thumbs = thumbs[1:]
			case marked:
				p.Add(band, line, dots)
			default: // the dashes tell the lines apart where there are no marks
				line.Dashes = dashes[i%len(dashes)]
				p.Add(band, line)
				thumbs = thumbs[:1]
			}
			if len(entries) <= i {
				entries = append(entries, entry{s.Name, thumbs})
			}
		}
		if len(entries) <= i {
			entries = append(entries, entry{s.Name + " (no value)", nil})
		}
	}
	return entries, nil
}

// addExpected draws what theory says, with one entry for all series.
func (f *Lines) addExpected(p *plot.Plot, shown []Series) (entries []entry, err error) {
	for i, s := range shown {
		if len(s.Expected) == 0 {
			continue
		}
		theory, err := dashed(s.Expected, palette[i%len(palette)])
		if err != nil {
			return nil, err
		}
		p.Add(theory)
		if entries == nil {
			gray, err := dashed(s.Expected, color.RGBA{90, 90, 90, 255})
			if err != nil {
				return nil, err
			}
			entries = []entry{{f.ExpectedName, []plot.Thumbnailer{gray}}}
		}
	}
	return entries, nil
}

// reach is how far right, low and high anything is drawn.
func (f *Lines) reach(shown []Series) (end, low, high float64) {
	end, low, high = math.Inf(-1), math.Inf(1), math.Inf(-1)
	see := func(points []Point) {
		for _, part := range parts(points) {
			for _, q := range part {
				end, low, high = max(end, q.X), min(low, q.Low, q.Y), max(high, q.High, q.Y)
			}
		}
	}
	for _, s := range shown {
		see(s.Points)
		see(s.Expected)
	}
	see(f.Bound)
	return end, low, high
}

// dashed is a line that was not measured.
func dashed(points []Point, ink color.Color) (*plotter.Line, error) {
	xy := make(plotter.XYs, len(points))
	for i, q := range points {
		xy[i] = plotter.XY{X: q.X, Y: q.Y}
	}
	line, err := plotter.NewLine(xy)
	if err != nil {
		return nil, err
	}
	line.LineStyle = draw.LineStyle{Color: ink, Width: vg.Points(1), Dashes: []vg.Length{vg.Points(2), vg.Points(2)}}
	return line, nil
}

// spread is points with their intervals, in the words of the plotter.
func spread(points []Point) struct {
	plotter.XYs
	plotter.YErrors
} {
	var out struct {
		plotter.XYs
		plotter.YErrors
	}
	for _, q := range points {
		out.XYs = append(out.XYs, plotter.XY{X: q.X, Y: q.Y})
		out.YErrors = append(out.YErrors, struct{ Low, High float64 }{q.Y - q.Low, q.High - q.Y})
	}
	return out
}

// around is a range that holds the values with a little room, and zero when it
// is near.
func around(low, high float64) (float64, float64) {
	if math.IsInf(low, 0) || math.IsInf(high, 0) {
		return 0, 1
	}
	if low >= 0 && low < 0.5*high {
		low = 0
	}
	room := 0.05 * (high - low)
	if size := max(math.Abs(low), math.Abs(high)); high-low < 1e-6*size || size == 0 { // the same but for rounding
		if room = 0.05 * size; size == 0 {
			room = 0.5
		}
	}
	if low == 0 {
		return 0, high + room
	}
	return low - room, high + room
}

// parts splits points where a value is missing.
func parts(points []Point) (out [][]Point) {
	var part []Point
	for _, q := range points {
		if math.IsNaN(q.Y) || math.IsInf(q.Y, 0) {
			if part != nil {
				out = append(out, part)
			}
			part = nil
			continue
		}
		if !(q.Low <= q.Y && q.Y <= q.High) || math.IsInf(q.Low, 0) || math.IsInf(q.High, 0) {
			q.Low, q.High = q.Y, q.Y
		}
		part = append(part, q)
	}
	if part != nil {
		out = append(out, part)
	}
	return out
}

func (s *Series) shapes(points []Point, i int) (*plotter.Polygon, *plotter.Line, *plotter.Scatter, error) {
	xy := make(plotter.XYs, len(points))
	outline := make(plotter.XYs, 0, 2*len(points)+2)
	for k, q := range points {
		xy[k] = plotter.XY{X: q.X, Y: q.Y}
		outline = append(outline, plotter.XY{X: q.X, Y: q.High})
	}
	for _, q := range slices.Backward(points) {
		outline = append(outline, plotter.XY{X: q.X, Y: q.Low})
	}
	band, err := plotter.NewPolygon(outline)
	if err != nil {
		return nil, nil, nil, err
	}
	band.Color = faint(palette[i%len(palette)], 0.18)
	band.LineStyle.Width = 0
	line, err := plotter.NewLine(xy)
	if err != nil {
		return nil, nil, nil, err
	}
	line.LineStyle = lineStyle(i)
	dots, err := plotter.NewScatter(xy)
	if err != nil {
		return nil, nil, nil, err
	}
	dots.GlyphStyle = glyphStyle(i)
	return band, line, dots, nil
}

func grid() *plotter.Grid {
	g := plotter.NewGrid()
	style := draw.LineStyle{Color: faint(palette[7], 0.1), Width: vg.Points(0.5)}
	g.Vertical, g.Horizontal = style, style
	return g
}

// Quantiles is the distribution of a quantity by quantile, each series with its
// interval band; the axis stretches the tail, p at -log10(1-p), so that 90, 99
// and 99.9 % are equally far apart.
type Quantiles struct {
	Title, Subtitle string
	Y               string
	Heading         string
	Series          []Series // X is the quantile, 0 < X < 1
	Rules           []Rule   // at the quantile of their Place
}

func (f *Quantiles) heading() (title, subtitle *string) { return &f.Title, &f.Subtitle }

func (f *Quantiles) size() (vg.Length, vg.Length) { return width, height }

func (f *Quantiles) draw(c draw.Canvas) error {
	stretch := func(p float64) float64 { return -math.Log10(1 - p) }
	lines := Lines{Title: f.Title, Subtitle: f.Subtitle, X: "quantile, %", Y: f.Y, Heading: f.Heading}
	at := map[float64]bool{}
	for _, s := range f.Series {
		t := Series{Name: s.Name}
		for _, q := range s.Points {
			at[q.X] = true
			q.X = stretch(q.X)
			t.Points = append(t.Points, q)
		}
		lines.Series = append(lines.Series, t)
	}
	for _, r := range f.Rules {
		r.Place = stretch(r.Place)
		lines.Rules = append(lines.Rules, r)
	}
	for p := range at {
		lines.ticksX = append(lines.ticksX, plot.Tick{Value: stretch(p), Label: number(100 * p)})
	}
	slices.SortFunc(lines.ticksX, func(a, b plot.Tick) int { return cmp.Compare(a.Value, b.Value) })
	return lines.draw(c)
}
