package plots

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Mark is the shape of a point.
type Mark int

const (
	Circle Mark = iota
	Square
	Triangle
	Cross
	Plus
	Ring
	Box
	Pyramid
)

// Color is a place in the palette.
type Color int

const (
	Blue Color = iota
	Vermilion
	Green
	Purple
	Orange
	Sky
	Olive
	Black
)

// Dash is a pattern of lines.
type Dash int

const (
	Solid Dash = iota
	Dashed
	Dotted
	DashDot
)

// Look is a colour together with the shape and the pattern that say the same in print without
// colour. A figure whose items have no look gives them one by their order.
type Look struct {
	Color Color
	Mark  Mark
	Dash  Dash
}

// lookAt is the look of item i of a figure that gives looks by order.
func lookAt(i int) *Look {
	return &Look{
		Color: Color(i % len(palette)),
		Mark:  Mark(i % len(marks)),
		Dash:  Dash(i / len(palette) % 3),
	}
}

// or is the look, or the one by order where there is none.
func (l *Look) or(i int) *Look {
	if l == nil {
		return lookAt(i)
	}
	return l
}

func (l *Look) line() draw.LineStyle {
	return draw.LineStyle{Color: palette[l.Color], Width: vg.Points(1.3), Dashes: dashes[l.Dash]}
}

func (l *Look) glyph(radius vg.Length) draw.GlyphStyle {
	return draw.GlyphStyle{Color: palette[l.Color], Radius: radius, Shape: marks[l.Mark]}
}
