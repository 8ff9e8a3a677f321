// Package animation draws replays of one to four policies side by side as a moving GIF, for slides.
//
// A frame shows the title, the virtual clock and, for each policy, its calls as dots, what the limit that refuses
// most has left, answers, attempts and dollars so far, and attempts and answers per time. Dots have the colours
// and the shapes of the explorer's page.
//
// The package is part of the page's engine, whose size is tight: frames are drawn by its own small code, and it
// takes no more of the libraries for images than the bitmap font and the compressor of GIF.
package animation

import (
	"context"
	"fmt"
	"io"
	"math"

	"stampede/explore/replay"
)

// Policy is a replay with the name that stands above it.
type Policy struct {
	Name   string
	Replay *replay.Replay
}

// Options say how an animation looks. Width and FPS have no default: see DefaultWidth and DefaultFPS.
type Options struct {
	Title   string
	Width   int     // of a frame in pixels; it is 16 to 9 high
	FPS     int     // frames a second
	Seconds float64 // before the last frame stays; 0 means as long as Speed says, from 5 to 20
	Speed   float64 // virtual seconds in a second of the animation; 0 means that it takes 10 seconds
	Dark    bool

	Progress func(done, total int) // after each frame; may be nil
}

// Defaults of the page and of the command line.
const (
	DefaultWidth = 960
	DefaultFPS   = 12
)

// Bounds of options.
const (
	MinWidth, MaxWidth = 640, 1920 // four policies want 800
	MaxFPS             = 50        // browsers slow down what has less than 20 ms a frame
	MaxSeconds         = 60
	MaxPolicies        = 4
)

const (
	shortest, longest = 5, 20 // seconds, as long as Speed says
	unknown           = 10    // seconds where nothing says how long
	rest              = 200   // hundredths of a second for which the last frame stays
	flash             = 0.35  // seconds for which a refusal is shown, as on the page
)

// Check reports the first option that is out of bounds for so many policies.
func (o *Options) Check(policies int) error {
	least := max(MinWidth, 200*policies)
	switch {
	case policies < 1 || policies > MaxPolicies:
		return fmt.Errorf("policies: found %d; want 1 to %d", policies, MaxPolicies)
	case o.Width < least || o.Width > MaxWidth:
		return fmt.Errorf("width: found %d; want %d to %d pixels", o.Width, least, MaxWidth)
	case o.FPS < 1 || o.FPS > MaxFPS:
		return fmt.Errorf("fps: found %d; want 1 to %d frames a second", o.FPS, MaxFPS)
	case o.Seconds != 0 && !(o.Seconds >= 1 && o.Seconds <= MaxSeconds):
		return fmt.Errorf("seconds: found %v; want 1 to %d", o.Seconds, MaxSeconds)
	case !(o.Speed >= 0) || math.IsInf(o.Speed, 0):
		return fmt.Errorf("speed: found %v; want a number of virtual seconds a second", o.Speed)
	}
	return nil
}

// Write writes the animation of one to four policies. The same replays and options give the same bytes. It stops
// between two frames when the context is done.
func Write(ctx context.Context, w io.Writer, policies []Policy, o Options) error {
	if err := o.Check(len(policies)); err != nil {
		return err
	}
	s := newScene(policies, o)
	out := newEncoder(w, &s.frame, s.palette)
	for i := range s.frames {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.draw(i)
		if err := out.add(&s.frame, s.delay(i)); err != nil {
			return err
		}
		if o.Progress != nil {
			o.Progress(i+1, s.frames)
		}
	}
	return out.end()
}

// timing is which instant a frame shows, and for how long.
type timing struct {
	end    float64 // virtual seconds of the last frame
	play   float64 // seconds until then
	fps    int
	frames int
}

func newTiming(policies []Policy, o *Options) timing {
	t := timing{fps: o.FPS, play: o.Seconds}
	for _, p := range policies {
		t.end = max(t.end, p.Replay.Until)
	}
	if t.end == 0 {
		t.end = 1 // nothing happens
	}
	switch {
	case t.play == 0 && o.Speed == 0:
		t.play = unknown
	case t.play == 0:
		t.play = min(max(t.end/o.Speed, shortest), longest)
	}
	t.frames = 1 + max(1, int(math.Round(t.play*float64(o.FPS))))
	return t
}

// at is the instant of a frame; the last shows the end.
func (t *timing) at(frame int) float64 {
	if frame == t.frames-1 {
		return t.end // without an error of rounding
	}
	return t.end * float64(frame) / float64(t.frames-1)
}

// flash is for how many virtual seconds a refusal is shown.
func (t *timing) flash() float64 { return flash * t.end / t.play }

// delay is for how long a frame stays, in hundredths of a second. Their sum has no error of rounding but one.
func (t *timing) delay(frame int) int {
	if frame == t.frames-1 {
		return rest
	}
	until := func(n int) int { return int(math.Round(100 * float64(n) / float64(t.fps))) }
	return until(frame+1) - until(frame)
}
