package animation

import "stampede/explore/replay"

// entry is an entry of the legend, and where it stands from the upper left of the legend.
type entry struct {
	state replay.State // replay.States for the vessel
	text  string
	x, y  int
}

// legend arranges the entries in rows.
func (s *scene) legend(policies []Policy) {
	limit := ""
	for _, p := range policies {
		if l := newLevel(p.Replay); l != nil {
			name := l.limit.Name
			if limit != "" && limit != name {
				name = "the limit that refuses most"
			}
			limit = name
		}
	}
	x, y := 0, 0
	for state := range replay.State(replay.States + 1) {
		e := entry{state: state}
		switch {
		case state < replay.States:
			e.text = state.String()
		case limit == "":
			continue
		default:
			e.text = "left of " + limit
		}
		wide := (lineHigh+5)*s.unit + width(e.text, s.unit)
		if x+wide > s.width-2*s.margin && x > 0 {
			x, y = 0, y+(lineHigh+4)*s.unit
		}
		e.x, e.y = x, y
		x += wide + 16*s.unit
		s.entries = append(s.entries, e)
	}
	s.legendHigh = y + lineHigh*s.unit
}

func (s *scene) drawLegend() {
	u := s.unit
	for _, e := range s.entries {
		x, y := s.margin+e.x, s.margin+lineHigh*s.big+8*u+e.y
		if e.state < replay.States {
			mark := newStamp(e.state, lineHigh*u)
			s.dot(x, y, &mark, e.state)
		} else {
			s.drawVessel(box{x + 2*u, y, (lineHigh - 4) * u, lineHigh * u}, .6)
		}
		s.label(x+(lineHigh+5)*u, y, s.width-s.margin-x, e.text, muted, u)
	}
}
