package animation

import (
	"image/color"

	"stampede/explore/replay"
)

// Colours of a frame, as indexes into its palette.
const (
	clear = iota // transparent: as in the frame before
	paper
	text
	muted   // text that matters less
	line    // rules and borders
	shade   // behind the vessel and the strip
	water   // what a limit has left
	grey    // attempts
	states  // shades of the colours of states: see shadeOf
	colours = states + shadesOfState*replay.States
)

// shadesOfState are those of a state's colour, from a quarter of it to all of it over the paper: for edges.
const shadesOfState = 4

// shadeOf is the colour of a state where it covers so many quarters of a pixel.
func shadeOf(s replay.State, quarters int) uint8 {
	return uint8(states + shadesOfState*int(s) + quarters - 1)
}

// look is the colours of a theme. Those of states are Okabe and Ito's, which people with any kind of colour
// blindness tell apart, as on the page.
type look struct {
	paper, text, muted, line, shade, water, grey uint32
	states                                       [replay.States]uint32
}

var light = look{
	paper: 0xffffff, text: 0x1b1f24, muted: 0x57606a, line: 0xd0d7de, shade: 0xf0f2f5, water: 0x56b4e9, grey: 0xa3acb6,
	states: [...]uint32{0x8a939d, 0x0072b2, 0xe69f00, 0xd55e00, 0x009e73, 0x000000},
}

var dark = look{
	paper: 0x14171b, text: 0xe8eaed, muted: 0xa3adb8, line: 0x3a424c, shade: 0x23282f, water: 0x3a86b8, grey: 0x6b7580,
	states: [...]uint32{0x7a838d, 0x56b4e9, 0xe69f00, 0xff7a1a, 0x00b887, 0xffffff},
}

func (l *look) palette() color.Palette {
	p := make(color.Palette, 0, colours)
	p = append(p, color.RGBA{})
	for _, c := range []uint32{l.paper, l.text, l.muted, l.line, l.shade, l.water, l.grey} {
		p = append(p, mix(c, c, 0))
	}
	for _, c := range l.states {
		for quarters := 1; quarters <= shadesOfState; quarters++ {
			p = append(p, mix(l.paper, c, quarters))
		}
	}
	return p
}

// mix puts so many quarters of a colour over another.
func mix(under, over uint32, quarters int) color.RGBA {
	part := func(shift int) uint8 {
		u, o := int(under>>shift&0xff), int(over>>shift&0xff)
		return uint8((u*(shadesOfState-quarters) + o*quarters + shadesOfState/2) / shadesOfState)
	}
	return color.RGBA{part(16), part(8), part(0), 0xff}
}
