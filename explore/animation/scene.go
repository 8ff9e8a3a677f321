package animation

import (
	"fmt"
	"math"

	"stampede/explore/replay"
	"stampede/internal/format"
)

// scene is an animation with one frame of it. Frames are drawn in their order.
type scene struct {
	timing
	layout
	title   string
	panels  []*panel
	stamps  [replay.States]stamp
	step    float64 // width of a bin of the strip, in virtual seconds
	dollars string  // the format of dollars
	columns columns // of numbers
	base    []uint8 // what is the same in all frames
	entries []entry // of the legend
	frame
	palette *palette
}

// layout is the measures of a frame, in pixels.
type layout struct {
	width, height int
	unit          int // scale of small text, and of gaps
	big           int // scale of titles and numbers
	margin, gap   int // at the border, and between panels
	names         int // scale of the names of policies
	legendHigh    int
}

func newLayout(wide int) layout {
	l := layout{width: wide, height: (wide*9/16 + 1) / 2 * 2, unit: 1, big: 2}
	switch {
	case wide >= 1440:
		l.unit, l.big = 2, 4
	case wide < 720:
		l.big = 1
	}
	l.margin, l.gap = wide/40, wide/40
	return l
}

func newScene(policies []Policy, o Options) *scene {
	s := &scene{timing: newTiming(policies, &o), layout: newLayout(o.Width), title: o.Title}
	colours := &light
	if o.Dark {
		colours = &dark
	}
	s.frame, s.palette = newFrame(s.width, s.height), colours.palette()
	s.legend(policies)
	s.arrange(policies)
	s.fill(box{0, 0, s.width, s.height}, paper)
	s.drawStill()
	s.base = append(s.base, s.pix...)
	return s
}

// arrange divides the frame among the policies.
func (s *scene) arrange(policies []Policy) {
	n := len(policies)
	wide := (s.width - 2*s.margin - (n-1)*s.gap) / n
	s.names = s.big
	calls := 0
	for _, p := range policies {
		calls = max(calls, len(p.Replay.Calls))
		if width(p.Name, s.big) > wide {
			s.names = s.unit
		}
	}
	u := s.unit
	top := s.margin + lineHigh*s.big + 8*u + s.legendHigh + 14*u
	grid := top + lineHigh*s.names + 8*u
	bottom := s.height - s.margin - (lineHigh+4)*u
	high := s.height * 13 / 200 // of a strip
	upper := bottom - 2*high - (lineHigh+6)*u
	numbers := upper - (lineHigh+18)*u - lineHigh*(s.big+u)
	s.step = nice(s.end / float64(max(1, wide/(3*u))))
	bins := int(s.end/s.step) + 1
	var most [2]int
	var characters [len(words)]int
	var last []*cursor
	dollars := 0.0
	for _, p := range policies {
		end := newCursor(p.Replay, 0, s.step, bins)
		end.to(s.end)
		for i := range bins {
			most[0], most[1] = max(most[0], end.attempts[i]), max(most[1], end.answers[i])
		}
		dollars = max(dollars, end.dollars)
		last = append(last, end)
	}
	s.dollars = dollarsFormat(dollars)
	for _, end := range last {
		for i, number := range s.written(end) {
			characters[i] = max(characters[i], len(number))
		}
	}
	s.columns = newColumns(&s.layout, wide, characters)
	for i, p := range policies {
		x := s.margin + i*(wide+s.gap)
		v := &panel{
			name: p.Name, x: x, top: top, wide: wide, numbers: numbers,
			cursor: newCursor(p.Replay, s.flash(), s.step, bins),
			level:  newLevel(p.Replay), hidden: !together(p.Replay), dots: make([]dotState, len(p.Replay.Calls)),
		}
		v.strips = [...]strip{
			{box{x, upper, wide, high}, "attempts", v.attempts, most[0], grey},
			{box{x, bottom - high, wide, high}, "answers", v.answers, most[1],
				shadeOf(replay.Answered, shadesOfState)},
		}
		v.grid = box{x, grid, wide, numbers - 10*u - grid}
		if v.level != nil {
			v.vessel = box{x + wide - 22*u, grid, 22 * u, v.grid.high}
			v.grid.wide -= 34 * u
		}
		s.panels = append(s.panels, v)
	}
	cell := 28 * u
	for _, v := range s.panels {
		cell = min(cell, largestCell(v.grid, calls))
	}
	for i := range s.stamps {
		s.stamps[i] = newStamp(replay.State(i), cell)
	}
	for _, v := range s.panels {
		v.across = v.grid.wide / cell
	}
}

// largestCell is the largest square of which so many fit into a box.
func largestCell(b box, n int) int {
	cell := max(1, min(b.wide, b.high))
	for cell > 1 && (b.wide/cell)*(b.high/cell) < n {
		cell--
	}
	return cell
}

// nice rounds up to 1, 2 or 5 times a power of ten.
func nice(x float64) float64 {
	power := 1.0
	for x > 0 && x <= power {
		power /= 10
	}
	for x > power {
		switch {
		case x <= 2*power:
			return 2 * power
		case x <= 5*power:
			return 5 * power
		}
		power *= 10
	}
	return power
}

// draw draws a frame. Frames are drawn in their order.
func (s *scene) draw(frame int) {
	copy(s.pix, s.base)
	t := s.at(frame)
	clock := s.clock(t)
	s.text(s.width-s.margin-width(clock, s.big), s.margin, clock, text, s.big)
	for _, v := range s.panels {
		v.to(t)
		s.drawGrid(v, frame)
		if v.level != nil {
			s.drawVessel(v.vessel, v.level.at(t))
		}
		s.drawNumbers(v)
		for i := range v.strips {
			s.drawStrip(&v.strips[i], t)
		}
	}
}

// clock writes an instant, always with as many digits.
func (s *scene) clock(t float64) string {
	switch {
	case s.end < 10:
		return fmt.Sprintf("%.2f s", t)
	case s.end < 1000:
		return fmt.Sprintf("%.1f s", t)
	}
	return format.Thousands(int(math.Round(t))) + " s"
}

// drawStill draws what all frames share.
func (s *scene) drawStill() {
	clock := width(s.clock(s.end), s.big)
	s.label(s.margin, s.margin, s.width-2*s.margin-clock-s.gap, s.title, text, s.big)
	s.drawLegend()
	for _, v := range s.panels {
		s.label(v.x, v.top, v.wide, v.name, text, s.names)
		if s.names < s.big {
			s.label(v.x+s.unit, v.top, v.wide-s.unit, v.name, text, s.names) // twice: bold
		}
		s.stillNumbers(v)
		for i := range v.strips {
			s.stillStrip(&v.strips[i])
		}
		s.stillAxis(&v.strips[1])
	}
}

// label writes a text that is cut where it is wider than there is room.
func (s *scene) label(x, y, wide int, t string, colour uint8, scale int) {
	if width(t, scale) > wide {
		t = format.Cut(ascii.Replace(t), wide/(advance*scale)-2) // the ellipsis takes 3
	}
	s.text(x, y, t, colour, scale)
}
