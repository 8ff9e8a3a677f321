package animation

import (
	"image"
	"math"
	"strings"

	"golang.org/x/image/font/basicfont"

	"stampede/explore/replay"
)

// canvas is a frame that is drawn on.
type canvas struct{ *image.Paletted }

// fill fills a rectangle.
func (c canvas) fill(r image.Rectangle, colour uint8) {
	r = r.Intersect(c.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := c.Pix[y*c.Stride+r.Min.X : y*c.Stride+r.Max.X]
		for i := range row {
			row[i] = colour
		}
	}
}

// border draws the border of a rectangle, inside of it.
func (c canvas) border(r image.Rectangle, wide int, colour uint8) {
	c.fill(image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+wide), colour)
	c.fill(image.Rect(r.Min.X, r.Max.Y-wide, r.Max.X, r.Max.Y), colour)
	c.fill(image.Rect(r.Min.X, r.Min.Y, r.Min.X+wide, r.Max.Y), colour)
	c.fill(image.Rect(r.Max.X-wide, r.Min.Y, r.Max.X, r.Max.Y), colour)
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
	disc := func(x, y, radius float64) bool { return x*x+y*y <= radius*radius }
	inside := map[replay.State]func(x, y float64) bool{ // from the middle of the cell, in cells
		replay.Idle:       func(x, y float64) bool { return disc(x, y, .28) && !disc(x, y, .28-max(1/size, .07)) },
		replay.Waiting:    func(x, y float64) bool { return disc(x, y, .4) && !disc(x, y, .4-max(1.5/size, .13)) },
		replay.AtProvider: func(x, y float64) bool { return disc(x, y, .42) },
		replay.Refused: func(x, y float64) bool {
			x, y = math.Abs(x), math.Abs(y)
			return max(x, y) <= .4 && math.Abs(x-y) <= max(1.2/size, .14)
		},
		replay.Answered: func(x, y float64) bool {
			half := math.Floor(.8*size/2) / size // whole pixels
			if cell%2 == 1 {
				half = (math.Floor(.4*size-.5) + .5) / size
			}
			return max(math.Abs(x), math.Abs(y)) <= half
		},
		replay.GaveUp: func(x, y float64) bool { return y <= .36 && y+.44 >= 1.78*math.Abs(x) },
	}[s]
	if cell < smallest {
		gap := min(1, size-1) / size
		inside = func(x, y float64) bool { return x < .5-gap && y < .5-gap }
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
func (c canvas) dot(x, y int, s *stamp, state replay.State) {
	for row := range s.size {
		out := c.Pix[(y+row)*c.Stride+x:][:s.size]
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
)

var glyphs = basicfont.Face7x13.Mask.(*image.Alpha)

// ascii are characters that the font lacks, as they are written with those it has.
var ascii = strings.NewReplacer("·", "-", "–", "-", "—", "-", "×", "x", "µ", "u", "…", "...", "≤", "<=", "≥", ">=",
	"’", "'", "‘", "'", "“", `"`, "”", `"`, "€", "EUR", "ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "é", "e", "è", "e")

// width is how wide a text is.
func width(s string, scale int) int {
	return scale * (advance*len([]rune(ascii.Replace(s))) - (advance - glyphWide))
}

// text writes a text with its upper left corner at x, y, scaled by a power of 2.
func (c canvas) text(x, y int, s string, colour uint8, scale int) {
	for _, r := range ascii.Replace(s) {
		g := glyph(r)
		for range bitsOf(scale) {
			g = g.double()
		}
		for i, set := range g.set {
			if p := image.Pt(x+i%g.wide, y+i/g.wide); set && p.In(c.Rect) {
				c.Pix[p.Y*c.Stride+p.X] = colour
			}
		}
		x += advance * scale
	}
}

func bitsOf(scale int) (bits int) {
	for ; scale > 1; scale /= 2 {
		bits++
	}
	return bits
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
