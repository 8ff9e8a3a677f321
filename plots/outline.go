package plots

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// outlined is a canvas on which text is drawn as the outlines of its letters: it looks the same on machines
// that do not have the font.
type outlined struct {
	vg.Canvas
	buffer sfnt.Buffer
}

// FillString implements vg.Canvas.
func (o *outlined) FillString(f font.Face, at vg.Point, text string) {
	face := f.Face
	scale := fixed.Int26_6(face.UnitsPerEm()) << 6 // draw at one unit of the font a pixel, then shrink
	shrink := float64(f.Font.Size) / float64(face.UnitsPerEm())
	point := func(p fixed.Point26_6) vg.Point {
		return vg.Point{
			X: at.X + vg.Length(float64(p.X)/64*shrink),
			Y: at.Y - vg.Length(float64(p.Y)/64*shrink),
		}
	}
	for _, r := range text {
		glyph, err := face.GlyphIndex(&o.buffer, r)
		if err != nil {
			continue
		}
		segments, err := face.LoadGlyph(&o.buffer, glyph, scale, nil)
		if err != nil {
			continue
		}
		var path vg.Path
		for _, s := range segments {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				if len(path) > 0 {
					path.Close()
				}
				path.Move(point(s.Args[0]))
			case sfnt.SegmentOpLineTo:
				path.Line(point(s.Args[0]))
			case sfnt.SegmentOpQuadTo:
				path.QuadTo(point(s.Args[0]), point(s.Args[1]))
			case sfnt.SegmentOpCubeTo:
				path.CubeTo(point(s.Args[0]), point(s.Args[1]), point(s.Args[2]))
			}
		}
		if len(path) > 0 {
			path.Close()
			o.Canvas.Fill(path)
		}
		if wide, err := face.GlyphAdvance(&o.buffer, glyph, scale, 0); err == nil {
			at.X += vg.Length(float64(wide) / 64 * shrink)
		}
	}
}

// described puts a title and a description into an SVG, for those who do not see it.
func described(svg []byte, title, desc string) []byte {
	i := bytes.Index(svg, []byte("<svg"))
	if i < 0 {
		return svg
	}
	end := bytes.IndexByte(svg[i:], '>')
	if end < 0 {
		return svg
	}
	var text strings.Builder
	for _, part := range []struct{ tag, text string }{{"title", title}, {"desc", desc}} {
		if part.text == "" {
			continue
		}
		fmt.Fprintf(&text, "\n<%s>", part.tag)
		_ = xml.EscapeText(&text, []byte(part.text)) // a Builder does not fail
		fmt.Fprintf(&text, "</%s>", part.tag)
	}
	at := i + end + 1
	return append(append(append([]byte{}, svg[:at]...), text.String()...), svg[at:]...)
}
