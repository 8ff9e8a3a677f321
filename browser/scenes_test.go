package browser

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// Every scene opens with a running picture: the time goes on and the dots change. It can be paused, and the
// keyboard moves the time.
func TestScenesPlay(t *testing.T) {
	for _, scene := range scenes(t) {
		t.Run(scene.ID, func(t *testing.T) {
			p := openExplorer(t, sceneAddress(scene.ID))
			if got, want := p.texts("h1")[0], scene.Title; got != want {
				t.Errorf("the title is %q; want %q", got, want)
			}
			if got := p.texts("#predict")[0]; got == "" {
				t.Error("nothing asks for a prediction")
			}
			if got, want := len(p.texts(".pane h3")), max(1, len(scene.Policies)); got != want {
				t.Errorf("%d policies are shown; want %d", got, want)
			}
			if p.texts("#play")[0] != "Pause" {
				t.Fatal("the scene does not begin to play")
			}
			p.moves()

			p.pause()
			paused := p.still()
			if p.afterFrames(30) != paused {
				t.Error("the picture moves while it is paused")
			}

			p.keys("#scrub", kb.Home)
			first := p.still()
			if got := eval[float64](p.tab, `Number(document.querySelector("#scrub").value)`); got != 0 {
				t.Errorf("the key Home leaves the time at %v of 400", got)
			}
			p.keys("#scrub", kb.End)
			if last := p.still(); last == first {
				t.Error("the picture of the end is that of the beginning")
			}
			if end := p.end(); p.texts("#time")[0] == "" || end <= 0 {
				t.Errorf("the end is at %v s", end)
			}

			p.keys("#again", kb.Enter)
			p.moves()
			p.keys("#scrub", kb.End)
			if got := p.value("#scrub"); got != "400" {
				t.Errorf("while the scene plays, the key End moves the time to %s of 400", got)
			}
		})
	}
}

// picture is what the canvases of all policies and the clock show, as a text that differs when they do.
func (p *explorer) picture() string {
	p.Helper()
	return eval[string](p.tab, `[...document.querySelectorAll(".pane canvas")].map((c) => c.toDataURL()).join() +
		document.querySelector("#time").textContent`)
}

// afterFrames is the picture some frames later.
func (p *explorer) afterFrames(n int) string {
	p.Helper()
	eval[bool](p.tab, `new Promise((done) => {
		let left = %s
		const frame = () => left-- > 0 ? requestAnimationFrame(frame) : done(true)
		frame()
	})`, n)
	return p.picture()
}

// pause stops the clock.
func (p *explorer) pause() {
	p.Helper()
	if p.texts("#play")[0] == "Pause" {
		p.keys("#play", kb.Enter)
	}
	p.wait(`document.querySelector("#play").textContent === "Play"`)
}

// still is the picture once it is at rest: a dot keeps its look for some frames after the time has stopped, so
// that none flashes.
func (p *explorer) still() string {
	p.Helper()
	before := p.picture()
	for range 30 {
		after := p.afterFrames(15)
		if after == before {
			return after
		}
		before = after
	}
	p.Fatal("the picture does not come to rest")
	return ""
}

// moves waits until time and dots have changed.
func (p *explorer) moves() {
	p.Helper()
	eval[bool](p.tab, `(window.seenBefore = {
		time: document.querySelector("#time").textContent,
		dots: [...document.querySelectorAll(".pane canvas")].map((c) => c.toDataURL()),
	}, true)`)
	p.wait(`document.querySelector("#time").textContent !== seenBefore.time`)
	p.wait(`[...document.querySelectorAll(".pane canvas")].some((c, i) => c.toDataURL() !== seenBefore.dots[i])`)
}

// end is the last event of all policies, in seconds.
func (p *explorer) end() (end float64) {
	for _, r := range p.shown() {
		end = max(end, r.Result.End)
	}
	return end
}
