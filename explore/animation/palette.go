package animation

import "stampede/explore/replay"

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

// look is the colours of a theme, as 0xRRGGBB: those from paper to grey, and those of states. These are the page's:
// Okabe and Ito's, which people with any kind of colour blindness tell apart.
type look struct {
	plain  [states - paper]uint32
	states [replay.States]uint32
}

var light = look{
	[...]uint32{0xffffff, 0x1b1f24, 0x57606a, 0xd0d7de, 0xf0f2f5, 0x86b6d8, 0xa3acb6},
	[...]uint32{0x9aa3ab, 0x0072b2, 0xe69f00, 0xd55e00, 0x009e73, 0x000000},
}

var dark = look{
	[...]uint32{0x14171b, 0xe8eaed, 0xa3adb8, 0x3a424c, 0x23282f, 0x5a9cc7, 0x6b7580},
	[...]uint32{0x7b858e, 0x2a93d5, 0xe69f00, 0xd55e00, 0x009e73, 0xffffff},
}

// palette is the colours as 0xRRGGBB, by index.
type palette [colours]uint32

func (l *look) palette() *palette {
	p := &palette{}
	copy(p[paper:], l.plain[:])
	for state, c := range l.states {
		for quarters := 1; quarters <= shadesOfState; quarters++ {
			p[shadeOf(replay.State(state), quarters)] = mix(l.plain[0], c, quarters)
		}
	}
	return p
}

// mix puts so many quarters of a colour over another.
func mix(under, over uint32, quarters int) (out uint32) {
	for shift := 0; shift < 24; shift += 8 {
		u, o := int(under>>shift&0xff), int(over>>shift&0xff)
		out |= uint32((u*(shadesOfState-quarters)+o*quarters+shadesOfState/2)/shadesOfState) << shift
	}
	return out
}
