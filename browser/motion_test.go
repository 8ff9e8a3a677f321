package browser

import (
	"testing"

	"stampede/explore"

	"github.com/chromedp/chromedp/kb"
)

// For readers who ask for reduced motion nothing moves by itself: the end is shown, with the curves, and the
// picture plays when they ask for it.
func TestReducedMotion(t *testing.T) {
	p := newExplorer(t)
	p.prefer("prefers-reduced-motion", "reduce")
	eachScene(t, p, func(t *testing.T, scene explore.Scene) {
		if got := p.texts("#play")[0]; got != "Play" {
			t.Fatalf("the button says %q: the picture plays by itself", got)
		}
		if before, after := p.still(), p.afterFrames(30); before != after {
			t.Error("the picture moves")
		}
		if got := p.value("#scrub"); got != "400" {
			t.Errorf("the clock stands at %s of 400, not at the end", got)
		}
		if !p.visible("#charts canvas") {
			t.Error("no curve is shown")
		}
		running := eval[int](p.tab, `document.getAnimations().filter((a) => a.playState === "running").length`)
		if running > 0 {
			t.Errorf("%d animations of the style sheet run", running)
		}
		p.keys("#play", kb.Enter)
		p.moves()
	})
}
