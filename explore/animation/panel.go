package animation

import (
	"fmt"
	"math"

	"stampede/explore/replay"
	"stampede/internal/format"
)

// panel is a policy's part of a frame.
type panel struct {
	*cursor
	name         string
	x, top, wide int
	grid         box
	across       int        // dots in a row of the grid
	hidden       bool       // calls that have not arrived are not drawn
	dots         []dotState // of the calls
	vessel       box
	level        *level // nil without a limit
	numbers      int    // upper edge
	strips       [2]strip
}

// dotState is the state that a dot shows, and the first frame that may show another.
type dotState struct {
	state replay.State
	until int
}

// hold is for how many seconds a dot keeps its look, so that it changes at most five times in a second, the
// last frame included: two flashes, each a pair of changes. WCAG 2.3.1 allows three.
const hold = 0.25

// show is what a call's dot shows in a frame: what the call is doing, or did when the dot changed a moment ago. The
// last frame shows the end as it is.
func (s *scene) show(v *panel, call, frame int) replay.State {
	l := &v.dots[call]
	if now := v.state(call); now != l.state && (frame >= l.until || frame == s.frames-1) {
		*l = dotState{now, frame + int(math.Ceil(hold*float64(s.fps)))}
	}
	return l.state
}

func (s *scene) drawGrid(v *panel, frame int) {
	cell := s.stamps[0].size
	for i := range v.Calls {
		state := s.show(v, i, frame)
		if state == replay.Idle && v.hidden {
			continue
		}
		x, y := v.grid.x+i%v.across*cell, v.grid.y+i/v.across*cell
		if y+cell > v.grid.bottom() {
			break // more calls than pixels
		}
		s.dot(x, y, &s.stamps[state], state)
	}
}

// drawVessel draws a vessel that is filled as far as a limit has something left.
func (s *scene) drawVessel(b box, left float64) {
	u := s.unit
	s.fill(b, muted)
	inside := box{b.x + u, b.y + u, b.wide - 2*u, b.high - 2*u}
	s.fill(inside, shade)
	filled := int(math.Round(left * float64(inside.high)))
	inside.y += inside.high - filled
	inside.high = filled
	s.fill(inside, water)
}

// Numbers of a panel stand in columns, each above its word.
var words = [...]string{"answered", "attempts", "dollars"}

// columns are where the columns of numbers begin, from the left of a panel, and the scales of the numbers.
type columns struct {
	x, scale [len(words)]int
}

// newColumns spreads columns of so many characters over a width. Where they do not fit, the last ones are small.
func newColumns(l *layout, wide int, characters [len(words)]int) (out columns) {
	for big := len(words); big >= 0; big-- {
		var sizes [len(words)]int
		room := wide
		for i, n := range characters {
			out.scale[i] = l.unit
			if i < big {
				out.scale[i] = l.big
			}
			sizes[i] = max(n*advance*out.scale[i], width(words[i], l.unit))
			room -= sizes[i]
		}
		gap := min(room/(len(words)-1), 2*l.margin)
		for i := 1; i < len(words); i++ {
			out.x[i] = out.x[i-1] + sizes[i-1] + gap
		}
		if gap >= 7*l.unit {
			break
		}
	}
	return out
}

func (s *scene) stillNumbers(v *panel) {
	for i, word := range words {
		s.text(v.x+s.columns.x[i], v.numbers+lineHigh*s.big+3*s.unit, word, muted, s.unit)
	}
}

func (s *scene) drawNumbers(v *panel) {
	for i, number := range s.written(v.cursor) {
		scale := s.columns.scale[i]
		s.text(v.x+s.columns.x[i], v.numbers+ascent*(s.big-scale), number, text, scale)
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
	box
	word   string
	counts []int // of the cursor
	most   int   // in a bin, of all panels
	colour uint8
}

func (s *scene) stillStrip(b *strip) {
	s.fill(b.box, shade)
	most := ", up to " + format.Thousands(b.most)
	label := b.word + " per " + format.Number(s.step) + " s" + most
	if width(label, s.unit) > b.wide {
		label = b.word + most
	}
	s.label(b.x, b.y-(lineHigh+2)*s.unit, b.wide, label, muted, s.unit)
}

// across is an instant's place on the axis of time of a box.
func (s *scene) across(b *box, t float64) int {
	return b.x + int(math.Round(t/s.end*float64(b.wide-s.unit)))
}

// drawStrip draws the bars that have begun, and a line at the present.
func (s *scene) drawStrip(b *strip, t float64) {
	for i, n := range b.counts {
		from := float64(i) * s.step
		if from > t {
			break
		}
		x := s.across(&b.box, from)
		wide := s.across(&b.box, min(from+s.step, s.end)) - x - s.unit
		high := (n*b.high + b.most - 1) / max(b.most, 1) // at least a pixel for one
		s.fill(box{x, b.bottom() - high, max(wide, 1), high}, b.colour)
	}
	s.fill(box{s.across(&b.box, t), b.y, s.unit, b.high}, muted)
}

// stillAxis writes the ends of the axis of time below the lower strip.
func (s *scene) stillAxis(b *strip) {
	y := b.bottom() + 4*s.unit
	s.fill(box{b.x, b.bottom(), b.wide, s.unit}, line)
	s.text(b.x, y, "0", muted, s.unit)
	end := s.clock(s.end)
	s.text(b.right()-width(end, s.unit), y, end, muted, s.unit)
}
