package browser

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// When the engine panics, the page says so with the engine's words, starts it again, and goes on.
func TestEngineThatPanics(t *testing.T) {
	p := openExplorer(t, sceneAddress("herd"))
	p.rest()
	before := p.texts(".pane dd .value")
	eval[bool](p.tab, `(recorded.workers[1].postMessage({stumble: true}), true)`)
	p.keys("#next-seed", kb.Enter)
	p.wait(`document.querySelector("#trouble").checkVisibility()`)
	if got := p.texts("#trouble")[0]; !strings.Contains(got, "panic: ") {
		t.Errorf("the page says %q; want the message of the panic", got)
	}
	if got := p.texts("#trouble")[0]; len(got) > 300 {
		t.Errorf("the page says %d bytes", len(got))
	}
	p.settle()
	p.keys("#next-seed", kb.Enter)
	p.settle()
	p.wait(`recorded.shown().length === 3 && recorded.shown().every(({args}) => args.set.includes("seed=3"))`)
	p.wait(`!document.querySelector("#trouble").checkVisibility()`)
	p.equalsCommand()
	for _, line := range p.takeErrors() {
		if line = strings.TrimPrefix(line, "worker: "); !strings.HasPrefix(line, "exit code: 2") {
			t.Errorf("in the console: %s", line)
		}
	}
	if slices.Equal(before, p.texts(".pane dd .value")) {
		t.Error("after the panic the page shows the numbers of before")
	}
}
