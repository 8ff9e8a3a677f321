package plots

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Room is how far each of some settings can move: a row for each, with a mark for each of its values in their order,
// whose colour and shape say what becomes of the goals there. The value that was picked has a ring.
type Room struct {
	Title, Subtitle string
	Rows            []RoomRow
}

// RoomRow is a setting.
type RoomRow struct {
	Name   string
	Values []RoomValue
}

// RoomValue is a value of a setting.
type RoomValue struct {
	Name   string
	Effect string // on the objective; may be empty
	State  RoomState
	Picked bool
}

// RoomState says what becomes of the goals at a value.
type RoomState uint8

const (
	Keeps  RoomState = iota // all goals are met
	Breaks                  // one is missed
	Open                    // it is not known
)

var roomStates = []struct {
	name  string
	ink   Ink
	shape draw.GlyphDrawer
}{
	{"goals met", Blue, draw.CircleGlyph{}},
	{"a goal missed", Orange, draw.CrossGlyph{}},
	{"undecided", Black, draw.BoxGlyph{}},
}

// roomRow is the height of a row.
const roomRow = 1.35 * vg.Centimeter

func (f *Room) heading() (title, subtitle *string) { return &f.Title, &f.Subtitle }

func (f *Room) size() (vg.Length, vg.Length) {
	return width, 2.4*vg.Centimeter + vg.Length(len(f.Rows))*roomRow
}

func (f *Room) draw(c draw.Canvas) error {
	c = head(c, f.Title, f.Subtitle)
	var entries []entry
	for state := range roomStates {
		mark := dotThumb{roomStyle(RoomState(state))}
		entries = append(entries, entry{roomStates[state].name, []plot.Thumbnailer{mark}})
	}
	entries = append(entries, entry{"recommended", []plot.Thumbnailer{ringThumb{color.Black, 5.5}}})
	c = legendAbove(c, entries)
	names := style(9, color.Black)
	names.XAlign, names.YAlign = draw.XRight, draw.YCenter
	left, most := vg.Length(0), 1
	for _, row := range f.Rows {
		left, most = max(left, names.Width(row.Name)), max(most, len(row.Values))
	}
	left = min(left, 0.4*(c.Max.X-c.Min.X)) + vg.Points(14)
	each := (c.Max.X - c.Min.X - left) / vg.Length(most)
	for i, row := range f.Rows {
		area := rowOf(c, i, len(f.Rows))
		middle := (area.Min.Y+area.Max.Y)/2 + vg.Points(6)
		line := draw.LineStyle{Color: color.Gray{205}, Width: vg.Points(0.8)}
		x := func(k int) vg.Length { return c.Min.X + left + each*(vg.Length(k)+0.5) }
		c.StrokeLine2(line, x(0), middle, x(len(row.Values)-1), middle)
		c.FillText(names, vg.Point{X: c.Min.X + left - vg.Points(14), Y: middle}, row.Name)
		for k, v := range row.Values {
			at := vg.Point{X: x(k), Y: middle}
			c.DrawGlyph(roomStyle(v.State), at)
			words := style(8, color.Black)
			words.XAlign, words.YAlign = draw.XCenter, draw.YTop
			if v.Picked {
				c.DrawGlyph(draw.GlyphStyle{Color: color.Black, Radius: vg.Points(5.5), Shape: draw.RingGlyph{}}, at)
			}
			text := v.Name
			for n := len([]rune(text)); n > 6 && words.Width(text) > each-vg.Points(4); n-- {
				text = shorten(v.Name, n)
			}
			c.FillText(words, vg.Point{X: at.X, Y: middle - vg.Points(7.5)}, text)
			effect := style(7, color.Gray{110})
			effect.XAlign, effect.YAlign = draw.XCenter, draw.YTop
			c.FillText(effect, vg.Point{X: at.X, Y: middle - vg.Points(17)}, v.Effect)
		}
	}
	return nil
}

// rowOf is one of n rows of equal height.
func rowOf(c draw.Canvas, i, n int) draw.Canvas {
	each := (c.Max.Y - c.Min.Y) / vg.Length(n)
	return draw.Crop(c, 0, 0, each*vg.Length(n-1-i), -each*vg.Length(i))
}

func roomStyle(s RoomState) draw.GlyphStyle {
	state := roomStates[s]
	i := state.ink.index(0)
	return draw.GlyphStyle{Color: palette[i], Radius: vg.Points(3.2), Shape: state.shape}
}
