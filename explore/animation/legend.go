package animation

import (
	"image"

	"stampede/explore/replay"
)

// entry is a line of the legend: a swatch and what it stands for.
type entry struct {
	draw func(c canvas, x, y int) // in a square of a line's height
	text string
}

func (s *scene) entries(policies []Policy) (out []entry) {
	u := s.unit
	for state := range replay.State(replay.States) {
		mark := newStamp(state, lineHigh*u)
		out = append(out, entry{func(c canvas, x, y int) { c.dot(x, y, &mark, state) }, state.String()})
	}
	limit := ""
	for _, p := range policies {
		if l := newLevel(p.Replay); l != nil {
			name := p.Replay.Limits[l.limit].Name
			if limit != "" && limit != name {
				name = "the limit that refuses most"
			}
			limit = name
		}
	}
	if limit == "" {
		return out
	}
	return append(out, entry{func(c canvas, x, y int) {
		r := image.Rect(x+2*u, y, x+(lineHigh-2)*u, y+lineHigh*u)
		c.fill(r, shade)
		c.fill(image.Rect(r.Min.X, y+5*u, r.Max.X, r.Max.Y), water)
		c.border(r, u, muted)
	}, "left of " + limit})
}

// places are where the entries stand, from the upper left of the legend, and how many rows there are.
func (s *scene) places(entries []entry) (at []image.Point, rows int) {
	x, y, wide := 0, 0, s.width-2*s.margin
	for _, e := range entries {
		size := (lineHigh+5)*s.unit + width(e.text, s.unit)
		if x+size > wide {
			x, y = 0, y+(lineHigh+4)*s.unit
			rows++
		}
		at = append(at, image.Pt(x, y))
		x += size + 16*s.unit
	}
	return at, rows + 1
}

func (s *scene) legendHigh(policies []Policy) int {
	_, rows := s.places(s.entries(policies))
	return rows*(lineHigh+4)*s.unit - 4*s.unit
}

func (s *scene) drawLegend(c canvas, policies []Policy) {
	entries := s.entries(policies)
	at, _ := s.places(entries)
	x, y := s.margin, s.margin+lineHigh*s.big+8*s.unit
	for i, e := range entries {
		e.draw(c, x+at[i].X, y+at[i].Y)
		c.text(x+at[i].X+(lineHigh+5)*s.unit, y+at[i].Y, e.text, muted, s.unit)
	}
}
