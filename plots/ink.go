package plots

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Ink is how one kind of thing looks in every figure: a colour with a mark and dashes of its own, so that
// it is told apart without colour as well. The zero Ink is that of its place among the others.
type Ink uint8

// The inks, in the order of places.
const (
	ByPlace Ink = iota
	Blue
	Orange
	Green
	Purple
	Amber
	Sky
	Olive
	Black
)

// index is the place of the ink in the palette, for something at a place.
func (i Ink) index(place int) int {
	if i == ByPlace {
		return place
	}
	return int(i) - 1
}

// inkDashes are those of lines over time, by ink.
var inkDashes = [][]vg.Length{
	{vg.Points(6), vg.Points(2), vg.Points(1.5), vg.Points(2)}, {vg.Points(4), vg.Points(2)}, nil,
	{vg.Points(1.5), vg.Points(2)}, {vg.Points(8), vg.Points(2)}, {vg.Points(3), vg.Points(1)},
	{vg.Points(1), vg.Points(1)}, nil,
}

// inkMarks are those of events, by ink.
var inkMarks = []draw.GlyphDrawer{
	draw.SquareGlyph{}, draw.CrossGlyph{}, draw.CircleGlyph{}, draw.TriangleGlyph{},
	draw.RingGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.PlusGlyph{},
}

// stepStyle is a line over time.
func stepStyle(ink Ink, place int) draw.LineStyle {
	i := ink.index(place)
	return draw.LineStyle{Color: palette[i%len(palette)], Width: vg.Points(1), Dashes: inkDashes[i%len(inkDashes)]}
}

// dotStyle is an event of one of many actors.
func dotStyle(ink Ink, place int) draw.GlyphStyle {
	i := ink.index(place)
	return draw.GlyphStyle{Color: palette[i%len(palette)], Radius: vg.Points(1.6), Shape: inkMarks[i%len(inkMarks)]}
}
