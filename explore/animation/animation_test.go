package animation

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stampede/explore/replay"
	"stampede/policy"
	"stampede/wire"
)

var update = flag.Bool("update", false, "write the golden image anew")

// threeCalls is made by hand. The first call is answered in its only attempt, from 0 to 4 s. The second is refused
// at 1 s and at 5 s, and gives up at 8 s. The third waits for 2 s and is answered at 6 s.
func threeCalls() *replay.Replay {
	return &replay.Replay{
		Calls: []replay.Call{
			{Ended: 4, Outcome: policy.Answered, Useful: 0.25},
			{Ended: 8, Outcome: policy.GaveUpAttempts, Waste: 0.5},
			{Ended: 6, Outcome: policy.Answered, Useful: 0.25, Waste: 0.125},
		},
		Attempts: []replay.Attempt{
			{Call: 0, Sent: 0, Ended: 4, Class: wire.OK, Limit: -1, Number: 1},
			{Call: 1, Sent: 0, Ended: 1, Class: wire.Throttled, Limit: 0, Number: 1},
			{Call: 2, Sent: 2, Ended: 6, Class: wire.OK, Limit: -1, Number: 1},
			{Call: 1, Sent: 4, Ended: 5, Class: wire.Throttled, Limit: 0, Number: 2},
		},
		Levels: []replay.Level{{At: 0, Left: .5}, {At: 4, Left: -.25}},
		Limits: []replay.Limit{{Name: "requests 1/s", Unit: "requests", Amount: 4, Rate: 1}},
		End:    10,
		Until:  10,
	}
}

// theirStates are the states of the three calls at 0, 1, 2, ... s: p at the provider, w waits, r refused a moment
// ago, a answered, g gave up.
var theirStates = []string{"ppw", "prw", "pwp", "pwp", "app", "arp", "awa", "awa", "aga", "aga", "aga"}

// stateColours are those of the explorer in the light theme.
var stateColours = map[byte]color.RGBA{
	'w': {0x00, 0x72, 0xb2, 0xff}, 'p': {0xe6, 0x9f, 0x00, 0xff}, 'r': {0xd5, 0x5e, 0x00, 0xff},
	'a': {0x00, 0x9e, 0x73, 0xff}, 'g': {0x00, 0x00, 0x00, 0xff},
}

var slow = Options{Title: "Three calls", Width: 640, FPS: 1, Seconds: 10}

func write(t *testing.T, policies []Policy, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(context.Background(), &b, policies, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func decode(t interface{ Fatal(...any) }, data []byte) *gif.GIF {
	g, err := gif.DecodeAll(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// compose calls show with each frame as a viewer shows it.
func compose(g *gif.GIF, show func(i int, frame *image.RGBA)) {
	full := image.NewRGBA(image.Rect(0, 0, g.Config.Width, g.Config.Height))
	for i, part := range g.Image {
		draw.Draw(full, part.Rect, part, part.Rect.Min, draw.Over)
		show(i, full)
	}
}

// The dots of each frame have the colours of the states that the calls are in, and no other.
func TestDotsHaveTheColourOfTheirState(t *testing.T) {
	policies := []Policy{{"by hand", threeCalls()}}
	s := newScene(policies, slow)
	grid, cell := s.panels[0].grid, s.stamps[0].size
	byColour := map[color.RGBA]byte{}
	for state, c := range stateColours {
		byColour[c] = state
	}
	frames := 0
	compose(decode(t, write(t, policies, slow)), func(frame int, full *image.RGBA) {
		frames++
		for call := range 3 {
			found := map[byte]int{}
			for y := range cell {
				for x := range cell {
					if state, ok := byColour[full.RGBAAt(grid.x+call*cell+x, grid.y+y)]; ok {
						found[state]++
					}
				}
			}
			if want := theirStates[frame][call]; len(found) != 1 || found[want] < cell {
				t.Errorf("at %d s call %d has the pixels %v; want only %c", frame, call, found, want)
			}
		}
	})
	if frames != len(theirStates) {
		t.Errorf("%d frames; want one a second from 0 to 10 s", frames)
	}
}

// The frames before the last take as long as was asked for, and the last stays for 2 s.
func TestLengthAndSize(t *testing.T) {
	for _, row := range []struct {
		o              Options
		frames, length int // hundredths of a second
		width, height  int
	}{
		{Options{Width: 960, FPS: 12, Seconds: 3}, 37, 500, 960, 540},
		{Options{Width: 640, FPS: 7, Seconds: 2}, 15, 400, 640, 360},
		{Options{Width: 642, FPS: 3, Speed: 1.25}, 25, 1000, 642, 362}, // 10 s at 1.25 times the speed
		{Options{Width: 640, FPS: 1, Speed: 0.1}, 21, 2200, 640, 360},  // 100 s: at most 20
		{Options{Width: 640, FPS: 1, Speed: 100}, 6, 700, 640, 360},    // 0.1 s: at least 5
		{Options{Width: 640, FPS: 1}, 11, 1200, 640, 360},              // 10 s where nothing says
	} {
		g := decode(t, write(t, []Policy{{"by hand", threeCalls()}}, row.o))
		length := 0
		for _, d := range g.Delay {
			length += d
		}
		if len(g.Image) != row.frames || length != row.length || g.Delay[len(g.Delay)-1] != 200 {
			t.Errorf("%+v: %d frames of %v, together %d; want %d, together %d, the last 200",
				row.o, len(g.Image), g.Delay, length, row.frames, row.length)
		}
		if g.Config.Width != row.width || g.Config.Height != row.height || g.LoopCount != 0 {
			t.Errorf("%+v: %d x %d, looping %d; want %d x %d, without end",
				row.o, g.Config.Width, g.Config.Height, g.LoopCount, row.width, row.height)
		}
	}
}

func TestSameInputSameBytes(t *testing.T) {
	policies := []Policy{{"a", threeCalls()}, {"b", threeCalls()}}
	first := write(t, policies, slow)
	if !bytes.Equal(first, write(t, policies, slow)) {
		t.Error("the same replays and options give other bytes")
	}
	other := slow
	other.Dark = true
	if bytes.Equal(first, write(t, policies, other)) {
		t.Error("the dark theme gives the same bytes")
	}
}

// The frame at 5 s, in both themes beside each other's golden image.
func TestGoldenFrame(t *testing.T) {
	for name, isDark := range map[string]bool{"light.png": false, "dark.png": true} {
		o := Options{Title: "Three calls", Width: 960, FPS: 1, Seconds: 10, Dark: isDark}
		var found *image.RGBA
		policies := []Policy{{"by hand", threeCalls()}, {"the same", threeCalls()}}
		compose(decode(t, write(t, policies, o)), func(i int, full *image.RGBA) {
			if i == 5 {
				found = image.NewRGBA(full.Rect)
				copy(found.Pix, full.Pix)
			}
		})
		path := filepath.Join("testdata", name)
		if *update {
			var b bytes.Buffer
			if err := errors.Join(png.Encode(&b, found), os.WriteFile(path, b.Bytes(), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		golden, err := png.Decode(file)
		file.Close()
		if err != nil {
			t.Fatal(err)
		}
		want := image.NewRGBA(golden.Bounds())
		draw.Draw(want, want.Rect, golden, image.Point{}, draw.Src)
		if want.Rect != found.Rect || !bytes.Equal(want.Pix, found.Pix) {
			t.Errorf("the frame differs from %s; look at it, and write it anew with -update", path)
		}
	}
}

func TestOptionsOutOfBounds(t *testing.T) {
	for _, row := range []struct {
		o        Options
		policies int
		want     string
	}{
		{Options{Width: 639, FPS: 12}, 1, "width: found 639; want 640 to 1920"},
		{Options{Width: 799, FPS: 12}, 4, "width: found 799; want 800 to 1920"},
		{Options{Width: 1921, FPS: 12}, 1, "width: found 1921"},
		{Options{Width: 640}, 1, "fps: found 0; want 1 to 50"},
		{Options{Width: 640, FPS: 51}, 1, "fps: found 51"},
		{Options{Width: 640, FPS: 12, Seconds: 61}, 1, "seconds: found 61; want 1 to 60"},
		{Options{Width: 640, FPS: 12, Speed: -1}, 1, "speed: found -1"},
		{Options{Width: 960, FPS: 12}, 5, "policies: found 5; want 1 to 4"},
		{Options{Width: 960, FPS: 12}, 0, "policies: found 0"},
	} {
		err := Write(context.Background(), &bytes.Buffer{}, make([]Policy, row.policies), row.o)
		if err == nil || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("%+v: %v; want %q", row.o, err, row.want)
		}
	}
}

// An interrupt between two frames ends it.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o, last := slow, 0
	o.Progress = func(done, total int) {
		if last = done; done == 3 {
			cancel()
		}
	}
	err := Write(ctx, &bytes.Buffer{}, []Policy{{"by hand", threeCalls()}}, o)
	if !errors.Is(err, context.Canceled) || last != 3 {
		t.Errorf("%d frames, %v; want 3, cancelled", last, err)
	}
}

// What cannot be written is reported.
func TestWriteFails(t *testing.T) {
	err := Write(context.Background(), full{}, []Policy{{"by hand", threeCalls()}}, slow)
	if !errors.Is(err, errFull) {
		t.Errorf("%v; want that the disk is full", err)
	}
}

var errFull = errors.New("the disk is full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// A run in which nothing happens has frames all the same.
func TestEmptyReplay(t *testing.T) {
	g := decode(t, write(t, []Policy{{"nothing", &replay.Replay{}}}, Options{Width: 640, FPS: 1}))
	if len(g.Image) != 11 {
		t.Errorf("%d frames; want 11 in 10 s", len(g.Image))
	}
}

// Four replays with the most calls there are fit, one dot a call.
func TestMostCallsFit(t *testing.T) {
	many := &replay.Replay{Calls: make([]replay.Call, replay.MaxCalls), End: 1, Until: 1}
	for i := range many.Calls {
		many.Calls[i] = replay.Call{Ended: 1, Outcome: policy.Answered}
	}
	for _, wide := range []int{800, 960, 1920} {
		s := newScene([]Policy{{"a", many}, {"b", many}, {"c", many}, {"d", many}}, Options{Width: wide, FPS: 1})
		v := s.panels[3]
		if rows := v.grid.high / s.stamps[0].size; v.across*rows < replay.MaxCalls {
			t.Errorf("%d wide: %d dots fit; want %d", wide, v.across*rows, replay.MaxCalls)
		}
	}
}
