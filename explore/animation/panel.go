package animation

import (
	"fmt"
	"image"
	"math"

	"stampede/explore/replay"
	"stampede/internal/format"
)

// panel is a policy's part of a frame.
type panel struct {
	*cursor
	name         string
	x, top, wide int
	grid         image.Rectangle
	across       int  // dots in a row of the grid
	hidden       bool // calls that have not arrived are not drawn
	vessel       image.Rectangle
	level        *level // nil without a limit
	numbers      int    // upper edge
	strips       [2]strip
}

func (s *scene) drawGrid(c canvas, v *panel) {
	cell := s.stamps[0].size
	for i := range v.Calls {
		state := v.state(i)
		if state == replay.Idle && v.hidden {
			continue
		}
		x, y := v.grid.Min.X+i%v.across*cell, v.grid.Min.Y+i/v.across*cell
		if y+cell > v.grid.Max.Y {
			break // more calls than pixels
		}
		c.dot(x, y, &s.stamps[state], state)
	}
}

// drawVessel fills the vessel as far as the limit has something left.
func (s *scene) drawVessel(c canvas, v *panel) {
	if v.level == nil {
		return
	}
	left := min(max(v.level.at(v.t), 0), 1)
	inside := v.vessel.Inset(s.unit)
	inside.Min.Y = inside.Max.Y - int(math.Round(left*float64(inside.Dy())))
	c.fill(inside, water)
	c.border(v.vessel, s.unit, muted)
}

// Numbers of a panel stand in columns, each above its word.
var words = [...]string{"answered", "attempts", "dollars"}

// columns are where the columns of numbers begin, from the left of a panel, and the scale of the numbers. They
// have room for the numbers of the last frame.
type columns struct {
	x     [len(words)]int
	scale int
}

// newColumns spreads columns of so many characters over a width.
func newColumns(l *layout, wide int, characters [len(words)]int) columns {
	for scale := l.big; ; scale = l.unit {
		var sizes [len(words)]int
		room := wide
		for i, n := range characters {
			sizes[i] = max(n*advance*scale, width(words[i], l.unit))
			room -= sizes[i]
		}
		gap := min(room/(len(words)-1), 2*l.margin)
		if gap < 6*l.unit && scale > l.unit {
			continue
		}
		out := columns{scale: scale}
		for i := 1; i < len(words); i++ {
			out.x[i] = out.x[i-1] + sizes[i-1] + gap
		}
		return out
	}
}

func (s *scene) stillNumbers(c canvas, v *panel) {
	for i, word := range words {
		c.text(v.x+s.columns.x[i], v.numbers+lineHigh*s.columns.scale+3*s.unit, word, muted, s.unit)
	}
}

func (s *scene) drawNumbers(c canvas, v *panel) {
	for i, number := range s.written(v.cursor) {
		c.text(v.x+s.columns.x[i], v.numbers, number, text, s.columns.scale)
	}
}

func (s *scene) written(v *cursor) [len(words)]string {
	return [...]string{
		format.Thousands(v.answered), format.Thousands(v.sent), fmt.Sprintf(s.dollars, v.dollars),
	}
}

// dollarsFormat shows three digits of the dollars at the end, and at least cents.
func dollarsFormat(most float64) string {
	digits := 2
	for x := most; x > 0 && x < 1 && digits < 6; x *= 10 {
		digits++
	}
	return fmt.Sprintf("$%%.%df", digits)
}

// strip has counts in bins of time as bars, up to now.
type strip struct {
	image.Rectangle
	word   string
	counts []int // of the cursor
	most   int   // in a bin, of all panels
	colour uint8
}

func (s *scene) stillStrip(c canvas, b *strip) {
	c.fill(b.Rectangle, shade)
	label := fmt.Sprintf("%s per %s s, up to %s", b.word, format.Number(s.step), format.Thousands(b.most))
	if width(label, s.unit) > b.Dx() {
		label = fmt.Sprintf("%s, up to %s", b.word, format.Thousands(b.most))
	}
	s.label(c, b.Min.X, b.Min.Y-(lineHigh+2)*s.unit, b.Dx(), label, muted, s.unit)
}

// drawStrip draws the bars that have begun.
func (s *scene) drawStrip(c canvas, b *strip, t float64) {
	x := func(t float64) int { return b.Min.X + int(math.Round(min(t/s.end, 1)*float64(b.Dx()))) }
	for i, n := range b.counts {
		from := float64(i) * s.step
		if from > t {
			break
		}
		left, right := x(from), x(from+s.step)
		high := (n*b.Dy() + b.most - 1) / max(b.most, 1) // something is never nothing
		c.fill(image.Rect(left, b.Max.Y-high, max(left+1, right-s.unit), b.Max.Y), b.colour)
	}
}

// drawNow marks the instant on the axis of time.
func (s *scene) drawNow(c canvas, b *strip, t float64) {
	x := b.Min.X + int(math.Round(t/s.end*float64(b.Dx()-s.unit)))
	c.fill(image.Rect(x, b.Min.Y, x+s.unit, b.Max.Y), muted)
}

// stillAxis writes the ends of the axis of time below the lower strip.
func (s *scene) stillAxis(c canvas, b *strip) {
	y := b.Max.Y + 4*s.unit
	c.fill(image.Rect(b.Min.X, b.Max.Y, b.Max.X, b.Max.Y+s.unit), line)
	c.text(b.Min.X, y, "0", muted, s.unit)
	end := format.Number(s.end) + " s"
	c.text(b.Max.X-width(end, s.unit), y, end, muted, s.unit)
}
