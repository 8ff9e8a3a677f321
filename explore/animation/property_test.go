package animation

import (
	"bytes"
	"cmp"
	"image"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"stampede/explore/replay"
	"stampede/policy"
	"stampede/wire"
)

// drawReplay makes a replay at random. Times are whole, so that many events fall together.
func drawReplay(t *rapid.T) *replay.Replay {
	at := rapid.IntRange(0, 12)
	r := &replay.Replay{Limits: make([]replay.Limit, 2)}
	for range rapid.IntRange(0, 30).Draw(t, "calls") {
		c := replay.Call{Arrived: float64(at.Draw(t, "arrived")), Useful: .5, Waste: .25}
		c.Ended = c.Arrived + float64(at.Draw(t, "lasts"))
		if rapid.IntRange(0, 9).Draw(t, "open") == 0 {
			c.Ended = replay.Never
		}
		if rapid.Bool().Draw(t, "gave up") {
			c.Outcome = policy.GaveUpAttempts
		}
		r.Calls = append(r.Calls, c)
	}
	slices.SortStableFunc(r.Calls, func(a, b replay.Call) int { return cmp.Compare(a.Arrived, b.Arrived) })
	for i := range r.Calls {
		c := &r.Calls[i]
		for range rapid.IntRange(0, 4).Draw(t, "attempts") { // hedges overlap
			sent := c.Arrived + float64(at.Draw(t, "sent"))
			a := replay.Attempt{Call: i, Sent: sent, Ended: sent + float64(at.Draw(t, "takes"))/3, Limit: -1}
			a.Class = rapid.SampledFrom([]wire.Class{wire.OK, wire.Throttled, wire.Overloaded}).Draw(t, "class")
			if a.Class == wire.Throttled {
				a.Limit = rapid.IntRange(0, 1).Draw(t, "limit")
			}
			r.Attempts = append(r.Attempts, a)
			r.End = max(r.End, a.Ended)
		}
		r.End = max(r.End, c.Ended)
	}
	slices.SortStableFunc(r.Attempts, func(a, b replay.Attempt) int { return cmp.Compare(a.Sent, b.Sent) })
	for _, at := range rapid.SliceOfN(rapid.IntRange(0, 12), 0, 20).Draw(t, "levels") {
		l := replay.Level{At: float64(at), Limit: rapid.IntRange(0, 1).Draw(t, "of")}
		l.Left = float64(rapid.IntRange(-2, 4).Draw(t, "left")) / 4
		r.Levels = append(r.Levels, l)
	}
	slices.SortStableFunc(r.Levels, func(a, b replay.Level) int { return cmp.Compare(a.At, b.At) })
	return r
}

// The cursor gives at each instant what StateAt says of all attempts, and counts what has happened until then.
func TestCursorIsStateAt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawReplay(t)
		flash := rapid.SampledFrom([]float64{0, .25, 1, 3}).Draw(t, "flash")
		c := newCursor(r, flash, 1, 30)
		for now := 0.0; now <= r.End+1; now += rapid.SampledFrom([]float64{.25, 1, 5}).Draw(t, "step") {
			c.to(now)
			sent, answered, dollars := 0, 0, 0.0
			for i := range r.Calls {
				var own []replay.Attempt
				for _, a := range r.Attempts {
					if a.Call == i {
						own = append(own, a)
					}
				}
				call := &r.Calls[i]
				state := call.StateAt(now, flash, own)
				if found := c.state(i); found != state {
					t.Fatalf("at %v call %d is %v; want %v, of %+v", now, i, found, state, own)
				}
				if state == replay.Answered {
					answered++
				}
				if call.Ended != replay.Never && call.Ended <= now || call.Ended == replay.Never && now >= r.End {
					dollars += .75
				}
			}
			for _, a := range r.Attempts {
				if a.Sent <= now {
					sent++
				}
			}
			if c.sent != sent || c.answered != answered || math.Abs(c.dollars-dollars) > 1e-9 {
				t.Fatalf("at %v: %d attempts, %d answered, %v dollars; want %d, %d, %v",
					now, c.sent, c.answered, c.dollars, sent, answered, dollars)
			}
			if sum(c.attempts) != sent || sum(c.answers) != answered {
				t.Fatalf("at %v: bins hold %d and %d; want %d and %d",
					now, sum(c.attempts), sum(c.answers), sent, answered)
			}
		}
	})
}

// No dot changes more than five times in the frames of any second: at most two flashes.
func TestDotsDoNotFlash(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := Options{Width: MinWidth, FPS: rapid.IntRange(1, MaxFPS).Draw(t, "fps"), Seconds: 3}
		s := newScene([]Policy{{"one", drawReplay(t)}}, o)
		v := s.panels[0]
		changes := make([][]int, len(v.Calls)) // frames, by call
		before := make([]replay.State, len(v.Calls))
		for frame := range s.frames {
			v.to(s.at(frame))
			for i := range v.Calls {
				state := s.show(v, i, frame)
				if frame > 0 && state != before[i] {
					changes[i] = append(changes[i], frame)
				}
				before[i] = state
				if frame == s.frames-1 && state != v.state(i) {
					t.Fatalf("call %d ends as %v; want %v", i, state, v.state(i))
				}
			}
		}
		for i, frames := range changes {
			for k := 5; k < len(frames); k++ {
				if frames[k]-frames[k-5] < o.FPS {
					t.Fatalf("call %d changes six times in %d frames of %d a second", i, frames[k]-frames[k-5]+1, o.FPS)
				}
			}
		}
	})
}

func sum(counts []int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// Frames of any pixels are what a viewer shows after reading their differences.
func TestDifferencesComposeToFrames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := newFrame(rapid.IntRange(1, 9).Draw(t, "wide"), rapid.IntRange(1, 9).Draw(t, "high"))
		f.fill(box{0, 0, f.wide, f.high}, paper)
		var frames [][]uint8
		var b bytes.Buffer
		e := newEncoder(&b, &f, light.palette())
		for i := range rapid.IntRange(1, 6).Draw(t, "frames") {
			for range rapid.IntRange(0, 4).Draw(t, "changes") {
				at := rapid.IntRange(0, len(f.pix)-1).Draw(t, "pixel")
				f.pix[at] = uint8(rapid.IntRange(1, colours-1).Draw(t, "colour"))
			}
			if err := e.add(&f, i); err != nil {
				t.Fatal(err)
			}
			frames = append(frames, slices.Clone(f.pix))
		}
		if err := e.end(); err != nil {
			t.Fatal(err)
		}
		checkFrames(t, b.Bytes(), frames, light.palette())
	})
}

// checkFrames wants that a GIF shows frames.
func checkFrames(t *rapid.T, data []byte, frames [][]uint8, p *palette) {
	g := decode(t, data)
	if len(g.Image) != len(frames) {
		t.Fatalf("%d frames; want %d", len(g.Image), len(frames))
	}
	compose(g, func(i int, shown *image.RGBA) {
		for at, colour := range frames[i] {
			c, shown := p[colour], shown.Pix[4*at:]
			if want := []uint8{uint8(c >> 16), uint8(c >> 8), uint8(c), 0xff}; !slices.Equal(shown[:4], want) {
				t.Fatalf("frame %d shows %v at pixel %d; want %v", i, shown[:4], at, want)
			}
		}
	})
}

// The same of whole animations.
func TestAnimationShowsItsFrames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		policies := []Policy{{"one", drawReplay(t)}, {"another", drawReplay(t)}}
		o := Options{Width: 640, FPS: 1, Seconds: 2, Dark: rapid.Bool().Draw(t, "dark")}
		var b bytes.Buffer
		if err := Write(t.Context(), &b, policies, o); err != nil {
			t.Fatal(err)
		}
		s := newScene(policies, o)
		var frames [][]uint8
		for i := range s.frames {
			s.draw(i)
			frames = append(frames, slices.Clone(s.pix))
		}
		checkFrames(t, b.Bytes(), frames, s.palette)
	})
}
