package animation

import (
	"strings"
	"testing"

	"stampede/explore/replay"
	"stampede/wire"
)

// A bucket of 4 that gets 1 a second back: full before the first sample, from there up a straight line to full, and
// never below empty.
func TestLevelOfABucket(t *testing.T) {
	checkLevel(t, newLevel(threeCalls()), [][2]float64{
		{0, .5}, {1, .75}, {2, 1}, {3.9, 1}, {4, 0}, {5, 0}, {6, .25}, {8, .75}, {20, 1},
	})
}

// A fixed window of 10 s, of which 4 s had passed, has everything again at 6 s, 16 s, ...
func TestLevelOfAWindow(t *testing.T) {
	checkLevel(t, &level{
		limit:   &replay.Limit{Unit: "requests", Amount: 4, Window: 10, Offset: 4},
		samples: []replay.Level{{At: 1, Left: .5}, {At: 7, Left: .25}},
	}, [][2]float64{{0, 1}, {1, .5}, {5.9, .5}, {6, 1}, {7, .25}, {15.9, .25}, {16, 1}, {99, 1}})
}

// Of 4 places two are taken from 1 s and one from 2 s. The client of one leaves at 3 s: the sample at 4 s shows that
// its request still holds its place, and nothing says so after the last sample.
func TestLevelOfPlaces(t *testing.T) {
	r := &replay.Replay{
		Limits: []replay.Limit{{Unit: "concurrency", Amount: 4}},
		Attempts: []replay.Attempt{
			{Received: 1, Ended: 3, Limit: -1}, {Received: 1, Ended: 6, Limit: -1}, {Received: 2, Ended: 5, Limit: -1},
			{Received: 4, Ended: 4, Class: wire.Throttled, Limit: 0}, {Received: replay.Never, Ended: 9, Limit: -1},
		},
		Levels: []replay.Level{{At: 1, Left: .5}, {At: 2, Left: .25}, {At: 4, Left: .25}, {At: 5.5, Left: .75}},
	}
	checkLevel(t, newLevel(r), [][2]float64{
		{0, 1}, {1, .5}, {2, .25}, {3, .5}, {4, .25}, {5, .5}, {5.5, .75}, {6, 1},
	})
}

// checkLevel wants a level at instants.
func checkLevel(t *testing.T, l *level, want [][2]float64) {
	t.Helper()
	for _, row := range want {
		if found := l.at(row[0]); found != row[1] {
			t.Errorf("at %v s: %v; want %v", row[0], found, row[1])
		}
	}
}

// The vessel is of the limit that refuses most, else of the one that comes nearest to empty.
func TestLimitOfTheVessel(t *testing.T) {
	r := &replay.Replay{
		Limits: make([]replay.Limit, 3),
		Levels: []replay.Level{{At: 0, Limit: 1, Left: .5}, {At: 0, Limit: 2, Left: .25}, {At: 1, Limit: 2, Left: 1}},
	}
	if l := newLevel(r); l == nil || l.limit != &r.Limits[2] || len(l.samples) != 2 {
		t.Errorf("%+v; want the last limit with its 2 samples", l)
	}
	r.Attempts = []replay.Attempt{{Class: wire.Throttled, Limit: 1}}
	if l := newLevel(r); l == nil || l.limit != &r.Limits[1] {
		t.Errorf("%+v; want the limit that refused", l)
	}
	r.Levels = nil
	if l := newLevel(r); l != nil {
		t.Errorf("%+v; want none, since no limit was asked", l)
	}
}

// The vessel is filled to half at the first sample: water in its lower half only.
func TestVesselIsFilledFromBelow(t *testing.T) {
	s := newScene([]Policy{{"by hand", threeCalls()}}, slow)
	s.draw(0)
	v := s.panels[0].vessel
	at := func(y int) uint8 { return s.row(y)[v.x+v.wide/2] }
	half := v.y + v.high/2
	if at(half-2) != shade || at(half+2) != water || at(v.bottom()-2) != water {
		t.Errorf("colours %d, %d around the middle and %d at the bottom; want %d, %d, %d",
			at(half-2), at(half+2), at(v.bottom()-2), shade, water, water)
	}
}

// What is written: of the three calls until 6 s, two answers, four attempts, 62.5 cents.
func TestNumbers(t *testing.T) {
	s := newScene([]Policy{{"by hand", threeCalls()}}, slow)
	v := s.panels[0]
	v.to(6)
	if found := s.written(v.cursor); found != [...]string{"2", "4", "$0.62"} {
		t.Errorf("%v; want 2, 4 and $0.62, since 0.625 is rounded to even", found)
	}
	for most, want := range map[float64]string{0: "$%.2f", 1234: "$%.2f", .5: "$%.3f", .072: "$%.4f", 1e-12: "$%.6f"} {
		if found := dollarsFormat(most); found != want {
			t.Errorf("up to %v: %s; want %s", most, found, want)
		}
	}
}

// Shapes are told apart without colour: no two of them cover the same pixels. Small dots are squares.
func TestShapes(t *testing.T) {
	for _, cell := range []int{6, 7, 9, 13, 14, 28} {
		seen := map[string]replay.State{}
		for state := range replay.State(replay.States) {
			m := newStamp(state, cell)
			if other, known := seen[string(m.quarters)]; known {
				t.Errorf("%d pixels: %v and %v look the same", cell, state, other)
			}
			seen[string(m.quarters)] = state
			for i := range cell {
				if m.quarters[i*cell+cell-1] != m.quarters[i*cell] {
					t.Errorf("%d pixels: %v is not in the middle of its cell", cell, state)
				}
			}
		}
	}
	for cell, want := range map[int]string{1: "\x04", 3: "\x04\x04\x00\x04\x04\x00\x00\x00\x00"} {
		if m := newStamp(replay.Answered, cell); string(m.quarters) != want {
			t.Errorf("%d pixels: %v", cell, m.quarters)
		}
	}
}

// Letters stand as in the font, 7 pixels apart; none is written partly outside.
func TestText(t *testing.T) {
	f := newFrame(16, 13)
	f.text(0, 0, "-|", text, 1)
	f.text(-1, 0, "#", text, 1)
	f.text(7, 0, "##", text, 2)
	var b strings.Builder
	for y := range f.high {
		for _, p := range f.row(y) {
			b.WriteByte(".......#"[p*7/text])
		}
		b.WriteByte('\n')
	}
	const stroke = "..........#.....\n"
	if want := blank + blank + strings.Repeat(stroke, 4) + ".#####....#.....\n" + strings.Repeat(stroke, 4) + blank +
		blank; b.String() != want {
		t.Errorf("found\n%swant\n%s", &b, want)
	}
	for s, want := range map[string]int{"": -1, "l-": 13, "…": 20, "\u4e16": 6} {
		if width(s, 1) != want || width(s, 2) != 2*want {
			t.Errorf("%q is %d wide, and %d twice as large; want %d and %d", s, width(s, 1), width(s, 2), want, 2*want)
		}
	}
	f.text(0, 0, "\u4e16\x00\x7f", text, 1) // has a mark for what the font lacks
}

const blank = "................\n"

// A stroke that slants has its corners filled when it is made larger.
func TestDouble(t *testing.T) {
	slant := bitmap{2, []bool{true, false, false, true}}.double()
	var b strings.Builder
	for i, set := range slant.set {
		b.WriteByte(".#"[map[bool]int{true: 1}[set]])
		if i%slant.wide == slant.wide-1 {
			b.WriteByte('\n')
		}
	}
	want := "##..\n###.\n.###\n..##\n"
	if b.String() != want {
		t.Errorf("found\n%swant\n%s", &b, want)
	}
}

func TestNice(t *testing.T) {
	for x, want := range map[float64]float64{0: 1, .7: 1, 1: 1, 1.01: 2, 3: 5, 6: 10, .0013: .002, 157.4 / 96: 2} {
		if found := nice(x); found != want {
			t.Errorf("%v: %v; want %v", x, found, want)
		}
	}
}

// What comes after the end of what is known stands in no strip.
func TestEndOfAClippedReplay(t *testing.T) {
	r := &replay.Replay{Calls: []replay.Call{{Ended: 9}, {Arrived: 5, Ended: 6}}, End: 20}
	for _, row := range []struct {
		until float64
		most  int // answers in a bin
	}{{20, 1}, {5, 0}} {
		r.Until = row.until
		s := newScene([]Policy{{"a", r}}, slow)
		if s.end != row.until || s.at(s.frames-1) != row.until {
			t.Errorf("until %v s: it ends at %v", row.until, s.end)
		}
		if most := s.panels[0].strips[1].most; most != row.most {
			t.Errorf("until %v s: at most %d answers in a bin; want %d", row.until, most, row.most)
		}
	}
}
