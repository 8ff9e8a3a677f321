package animation

import (
	"image"
	"math"
	"strings"

	"golang.org/x/image/font/basicfont"

	"stampede/explore/replay"
)

// frame is pixels that are drawn on, as indexes into the palette.
type frame struct {
	wide, high int
	pix        []uint8
}

func newFrame(wide, high int) frame { return frame{wide, high, make([]uint8, wide*high)} }

func (f *frame) row(y int) []uint8 { return f.pix[y*f.wide:][:f.wide] }

// box is a part of a frame.
type box struct{ x, y, wide, high int }

func (b box) right() int  { return b.x + b.wide }
func (b box) bottom() int { return b.y + b.high }

// fill fills a box, which must lie inside the frame.
func (f *frame) fill(b box, colour uint8) {
	for y := b.y; y < b.bottom(); y++ {
		row := f.row(y)[b.x:][:b.wide]
		for i := range row {
			row[i] = colour
		}
	}
}

// stamp is a dot of one state: quarters of each pixel that it covers.
type stamp struct {
	size     int
	quarters []uint8
}

// smallest is the size in pixels below which a dot is a square.
const smallest = 6

// newStamp draws the shape of a state in a square cell, which leaves a gap to its neighbours.
func newStamp(s replay.State, cell int) stamp {
	size := float64(cell)
	odd := float64(cell%2) / 2
	half := math.Floor(float64(.4*size)-odd) + odd // of a square, so that its edges are those of pixels
	// The conversions keep a compiler from fusing a product with a sum: the same pixels on each machine.
	inside := func(x, y float64) bool { // from the middle of the cell, in cells
		switch across, away := math.Abs(x), math.Sqrt(float64(x*x)+float64(y*y)); {
		case cell < smallest:
			gap := min(1, size-1) / size
			return x < .5-gap && y < .5-gap
		case s == replay.Idle:
			return away <= .28 && away > .28-max(1/size, .07)
		case s == replay.Waiting:
			return away <= .4 && away > .4-max(1.5/size, .13)
		case s == replay.AtProvider:
			return away <= .42
		case s == replay.Refused:
			return max(across, math.Abs(y)) <= .4 && math.Abs(across-math.Abs(y)) <= max(1.2/size, .14)
		case s == replay.Answered:
			return max(across, math.Abs(y)) <= half/size
		default: // a triangle
			return y <= .36 && y+.44 >= 1.78*across
		}
	}
	out := stamp{cell, make([]uint8, cell*cell)}
	const samples = 4 // of a pixel, each way
	for y := range cell {
		for x := range cell {
			n := 0
			for sub := range samples * samples {
				sx, sy := float64(sub%samples)+.5, float64(sub/samples)+.5
				if inside((float64(x)+sx/samples)/size-.5, (float64(y)+sy/samples)/size-.5) {
					n++
				}
			}
			out.quarters[y*cell+x] = uint8((n*shadesOfState + samples*samples/2) / (samples * samples))
		}
	}
	return out
}

// dot puts a stamp on the paper with its upper left corner at x, y.
func (f *frame) dot(x, y int, s *stamp, state replay.State) {
	for row := range s.size {
		out := f.row(y + row)[x:][:s.size]
		for i, q := range s.quarters[row*s.size:][:s.size] {
			if q > 0 {
				out[i] = shadeOf(state, int(q))
			}
		}
	}
}

// The font: each glyph is 6 pixels wide and takes 7.
const (
	glyphWide = 6
	advance   = 7
	lineHigh  = 13
	ascent    = 11 // above the line that letters stand on
)

var glyphs = basicfont.Face7x13.Mask.(*image.Alpha)

// ascii are characters that the font lacks, as they are written with those it has.
var ascii = strings.NewReplacer("·", "-", "–", "-", "—", "-", "×", "x", "µ", "u", "…", "...", "≤", "<=", "≥", ">=",
	"’", "'", "‘", "'", "“", `"`, "”", `"`, "€", "EUR", "ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "é", "e", "è", "e")

// width is how wide a text is.
func width(s string, scale int) int {
	return scale * (advance*len([]rune(ascii.Replace(s))) - (advance - glyphWide))
}

// text writes a text with its upper left corner at x, y, scaled by a power of 2. Letters outside are left out.
func (f *frame) text(x, y int, s string, colour uint8, scale int) {
	for _, r := range ascii.Replace(s) {
		g := glyph(r)
		for size := 1; size < scale; size *= 2 {
			g = g.double()
		}
		inside := x >= 0 && y >= 0 && x+g.wide <= f.wide && y+lineHigh*scale <= f.high
		for i, set := range g.set {
			if set && inside {
				f.row(y + i/g.wide)[x+i%g.wide] = colour
			}
		}
		x += advance * scale
	}
}

// bitmap is a glyph.
type bitmap struct {
	wide int
	set  []bool
}

func glyph(r rune) bitmap {
	place := '\u007f' - ' ' // of the glyph for what the font lacks
	if r >= ' ' && r < '\u007f' {
		place = r - ' '
	}
	g := bitmap{glyphWide, make([]bool, glyphWide*lineHigh)}
	for i := range g.set {
		g.set[i] = glyphs.Pix[(int(place)*lineHigh+i/glyphWide)*glyphs.Stride+i%glyphWide] > 0
	}
	return g
}

func (b bitmap) at(x, y int) bool {
	return x >= 0 && x < b.wide && y >= 0 && y*b.wide+x < len(b.set) && b.set[y*b.wide+x]
}

// double makes a glyph twice as large. A quarter of a pixel takes the colour of its two neighbours where these are
// equal and their opposites differ, which rounds slanted strokes (the rule is known as EPX or Scale2x).
func (b bitmap) double() bitmap {
	out := bitmap{2 * b.wide, make([]bool, 4*len(b.set))}
	for i := range out.set {
		x, y := i%out.wide, i/out.wide
		own := b.at(x/2, y/2)
		dx, dy := 2*(x%2)-1, 2*(y%2)-1
		side, end := b.at(x/2+dx, y/2), b.at(x/2, y/2+dy)
		if side == end && b.at(x/2-dx, y/2) != side && b.at(x/2, y/2-dy) != end {
			own = side
		}
		out.set[i] = own
	}
	return out
}
