// Package plots draws figures that can go into a document unchanged: titles and
// units, intervals, a legend beside the data, colours that colour-blind people
// tell apart, together with dashes and marks for print without colour. It knows
// numbers and names, nothing of what they mean.
//
// A figure is a plain struct; [Save] draws it as PNG, SVG or PDF by the ending
// of the file's name.
package plots

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Figure is something that can be drawn.
type Figure interface {
	// draw fills the canvas.
	draw(c draw.Canvas) error
	// size is how large the figure wants to be.
	size() (width, height vg.Length)
	// heading is where its title and subtitle stand.
	heading() (title, subtitle *string)
}

// Options change how a figure is drawn. The zero Options change nothing.
type Options struct {
	Title         string  // instead of the figure's own
	Width, Height float64 // in centimetres; 0 means the figure's own
}

// Size of a figure at document scale, and the sharpness of PNG.
const (
	width  = 17 * vg.Centimeter
	height = 10 * vg.Centimeter
	dpi    = 200
)

// MostSeries is how many series a figure shows; the rest are named as left out.
const MostSeries = 12

// Formats are the endings that Save knows.
var Formats = []string{"png", "svg", "pdf"}

// Save draws the figure into a file; the ending says the format. The file comes
// to be whole or not at all.
func Save(f Figure, path string, o Options) error {
	var out bytes.Buffer
	if err := Write(f, &out, strings.TrimPrefix(filepath.Ext(path), "."), o); err != nil {
		return err
	}
	tmp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".part")
	if err := os.WriteFile(tmp, out.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

// Write draws the figure in a format: png, svg or pdf. Text in SVG is drawn as outlines, so that it looks the
// same without the font, with the title and subtitle beside it as text.
func Write(f Figure, w io.Writer, format string, o Options) error {
	wide, high := f.size()
	if o.Width > 0 && o.Height > 0 {
		wide, high = vg.Length(o.Width)*vg.Centimeter, vg.Length(o.Height)*vg.Centimeter
	}
	title, subtitle := f.heading()
	if o.Title != "" {
		*title = o.Title
	}
	var canvas interface {
		vg.CanvasSizer
		io.WriterTo
	}
	switch format {
	case "png":
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(wide, high), vgimg.UseDPI(dpi))}
	case "svg":
		canvas = vgsvg.New(wide, high)
	case "pdf":
		canvas = vgpdf.New(wide, high)
	default:
		return fmt.Errorf("found the format %q; want png, svg or pdf", format)
	}
	area := draw.New(canvas)
	if format == "svg" {
		area.Canvas = &outlined{Canvas: canvas}
	}
	if err := f.draw(area); err != nil {
		return err
	}
	if format != "svg" {
		_, err := canvas.WriteTo(w)
		return err
	}
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return err
	}
	_, err := w.Write(bytes.Map(xmlCharacter, described(out.Bytes(), *title, *subtitle)))
	return err
}

// xmlCharacter puts the replacement character in the place of those that XML forbids, escaped or not
// (XML 1.0, production 2): one in a name would make the whole file unreadable.
func xmlCharacter(r rune) rune {
	if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff {
		return '\ufffd'
	}
	return r
}

// palette is that of M. Okabe and K. Ito, "Color universal design" (2008), black
// last; beyond eight series the colours come again with other dashes and marks.
var palette = []color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255},
	{230, 159, 0, 255}, {86, 180, 233, 255}, {150, 140, 20, 255}, {0, 0, 0, 255},
}

var dashes = [][]vg.Length{nil, {vg.Points(5), vg.Points(2)}, {vg.Points(1.5), vg.Points(2)}}

var marks = []draw.GlyphDrawer{
	draw.CircleGlyph{},
	draw.SquareGlyph{},
	draw.TriangleGlyph{},
	draw.CrossGlyph{},
	draw.PlusGlyph{},
	draw.RingGlyph{},
	draw.BoxGlyph{},
	draw.PyramidGlyph{},
}

func lineStyle(i int) draw.LineStyle {
	return draw.LineStyle{
		Color:  palette[i%len(palette)],
		Width:  vg.Points(1.3),
		Dashes: dashes[i/len(palette)%len(dashes)],
	}
}

func glyphStyle(i int) draw.GlyphStyle {
	return draw.GlyphStyle{Color: palette[i%len(palette)], Radius: vg.Points(2.4), Shape: marks[i%len(marks)]}
}

// faint is a colour for an area behind lines.
func faint(c color.RGBA, share float64) color.Color {
	return color.NRGBA{c.R, c.G, c.B, uint8(255 * share)}
}

// newPlot is an empty plot in the style of the package.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font = sans(9)
		a.Tick.Label.Font = sans(8)
		a.Padding = vg.Points(3)
		a.Tick.Marker = ticks{}
	}
	return p
}

func sans(points float64) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: font.Points(points)}
}

func style(points float64, ink color.Color) draw.TextStyle {
	return draw.TextStyle{Color: ink, Font: sans(points), Handler: text.Plain{Fonts: font.DefaultCache}}
}

// head writes title and subtitle at the top, over the whole width, and returns
// the canvas that is left.
func head(c draw.Canvas, title, subtitle string) draw.Canvas {
	margin := vg.Points(7)
	c = draw.Crop(c, margin, -margin, margin, -margin)
	big := style(12, color.Black)
	small := style(7.5, color.Gray{90})
	for _, part := range []struct {
		style draw.TextStyle
		text  string
		gap   vg.Length
	}{{big, title, vg.Points(3)}, {small, subtitle, vg.Points(1.5)}} {
		for _, line := range wrap(part.text, part.style, c.Max.X-c.Min.X) {
			part.style.YAlign = draw.YTop
			c.FillText(part.style, vg.Point{X: c.Min.X, Y: c.Max.Y}, line)
			c = draw.Crop(c, 0, 0, 0, -part.style.Height(line)-part.gap)
		}
	}
	return draw.Crop(c, 0, 0, 0, -vg.Points(5))
}

// wrap breaks a text at spaces into lines that fit a width.
func wrap(text string, style draw.TextStyle, most vg.Length) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		longer := strings.TrimPrefix(line+" "+word, " ")
		if line != "" && style.Width(longer) > most {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// ticks are at 1, 2, 2.5 or 5 times a power of ten, about six of them.
type ticks struct{ whole bool } // whole numbers only

// Ticks implements plot.Ticker.
func (t ticks) Ticks(low, high float64) (out []plot.Tick) {
	rough := (high - low) / 6
	scale := math.Pow(10, math.Floor(math.Log10(rough)))
	step := 10 * scale
	for _, m := range []float64{1, 2, 2.5, 5} {
		if rough <= m*scale {
			step = m * scale
			break
		}
	}
	if t.whole {
		step = max(1, math.Round(step))
	}
	first := math.Ceil(low/step - 1e-9)
	for k := range 12 { // about six, whatever rounding does
		if v := (first + float64(k)) * step; v <= high+step*1e-9 {
			out = append(out, plot.Tick{Value: v, Label: number(v)})
		}
	}
	return out
}

// logTicks marks 1, 2 and 5 of each decade.
type logTicks struct{}

func (logTicks) Ticks(low, high float64) (out []plot.Tick) {
	decades := math.Log10(high / low)
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for m := 1.0; m < 10; m++ {
			v := m * math.Pow(10, e)
			if v < low*0.999 || v > high*1.001 {
				continue
			}
			t := plot.Tick{Value: v}
			if m == 1 || (decades < 3 && (m == 2 || m == 5)) {
				t.Label = number(v)
			}
			out = append(out, t)
		}
	}
	return out
}

// number writes a number for an axis.
func number(x float64) string {
	switch a := math.Abs(x); {
	case a < 1e-12:
		return "0"
	case a >= 1e6:
		return fmt.Sprintf("%.4gM", x/1e6)
	case a >= 1e4:
		return fmt.Sprintf("%.4gk", x/1e3)
	}
	return fmt.Sprintf("%.4g", x)
}

// entry is a line of a legend.
type entry struct {
	name   string
	thumbs []plot.Thumbnailer
}

// legend is the entries in a column, in the style of the package.
func legend(entries []entry) plot.Legend {
	l := plot.NewLegend()
	l.TextStyle = style(8, color.Black)
	l.Top, l.Left = true, true
	l.Padding = vg.Points(3)
	l.ThumbnailWidth = vg.Points(16)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.name
	}
	for i, name := range shortenAll(names, 38) {
		l.Add(name, entries[i].thumbs...)
	}
	return l
}

// beside draws a plot with its legend to the right of it, where it covers no
// data.
func beside(c draw.Canvas, p *plot.Plot, heading string, entries []entry) {
	if len(entries) == 0 {
		p.Draw(c)
		return
	}
	l := legend(entries)
	room := roomBeside(c, heading, entries)
	p.Draw(draw.Crop(c, 0, -room, 0, 0))
	right := draw.Crop(c, c.Max.X-c.Min.X-room+legendGap, 0, 0, 0)
	if heading != "" {
		words := style(8, color.Gray{90})
		words.YAlign = draw.YTop
		right.FillText(words, vg.Point{X: right.Min.X, Y: right.Max.Y}, heading)
		right = draw.Crop(right, 0, 0, 0, -vg.Points(13))
	}
	l.Draw(right)
}

// legendGap is between a plot and its legend.
const legendGap = 10 * vg.Length(1)

// roomBeside is how much of the width a legend takes, with the gap before it.
func roomBeside(c draw.Canvas, heading string, entries []entry) vg.Length {
	l := legend(entries)
	return max(l.Rectangle(c).Size().X, style(8, color.Gray{90}).Width(heading)) + legendGap
}

// shortenAll cuts long names in their middle, to more than so many letters where different names would become
// equal.
func shortenAll(names []string, most int) []string {
	for {
		out := make([]string, len(names))
		whole, cut := map[string]bool{}, map[string]bool{}
		for i, name := range names {
			out[i] = shorten(name, most)
			whole[name], cut[out[i]] = true, true
		}
		if len(cut) == len(whole) {
			return out
		}
		most++
	}
}

// shorten cuts a long name in its middle.
func shorten(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most/2-1]) + "…" + string(r[len(r)-most/2:])
}
