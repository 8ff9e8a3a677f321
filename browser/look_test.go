package browser

import (
	"math"
	"testing"

	"stampede/explore"

	"github.com/chromedp/chromedp/kb"
)

// No content is wider than its place: the page never scrolls sideways, and pictures stay in their policy.
func TestNothingOverflows(t *testing.T) {
	p := newExplorer(t)
	eachScene(t, p, func(t *testing.T, scene explore.Scene) {
		p.pause()
		p.keys("#scrub", kb.PageUp)
		marks := p.marks()
		if len(marks) == 0 {
			t.Error("no chart marks the time")
		}
		for _, width := range []int64{320, 390, 768, 1280, 3840} {
			p.resize(width, 900)
			p.still()
			if got := eval[int64](p.tab, `document.scrollingElement.scrollWidth`); got > width {
				t.Errorf("at %d pixels the page is %d wide: %q", width, got, p.beyond(width))
			}
			for i, at := range p.marks() {
				if i >= len(marks) {
					t.Fatalf("%d charts mark the time; before %d", i+1, len(marks))
				}
				if math.Abs(at-marks[i]) > 0.01 {
					t.Errorf("at %d pixels chart %d marks the time at %.3f, not at %.3f", width, i+1, at, marks[i])
				}
			}
			for _, line := range p.outgrown() {
				t.Errorf("at %d pixels %s", width, line)
			}
		}
	})
}

// marks are where the charts mark the time, as shares of their widths.
func (p *explorer) marks() []float64 {
	return eval[[]float64](p.tab, `[...document.querySelectorAll("#charts .now")].map((e) => {
		const plot = e.parentElement.getBoundingClientRect()
		return (e.getBoundingClientRect().left - plot.left) / plot.width
	})`)
}

// beyond are the elements that reach beyond a width.
func (p *explorer) beyond(width int64) []string {
	return eval[[]string](p.tab, `[...document.querySelectorAll("body *")]
		.filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > %s + 0.5)
		.map((e) => e.cloneNode(false).outerHTML).slice(0, 5)`, width)
}

// outgrown says which canvases reach beyond the element around them or into another picture, or show another size
// than they draw.
func (p *explorer) outgrown() []string {
	return eval[[]string](p.tab, `(() => {
		const wrong = []
		const seen = [...document.querySelectorAll("canvas")].filter((c) => c.checkVisibility())
		for (const c of seen) {
			let around = c.parentElement
			while (getComputedStyle(around).display === "contents") around = around.parentElement
			const own = c.getBoundingClientRect(), place = around.getBoundingClientRect()
			if (own.right > place.right + 1 || own.left < place.left - 1) {
				wrong.push(`+"`${c.className}: ${own.left} to ${own.right} in ${place.left} to ${place.right}`"+`)
			}
			for (const other of seen.slice(0, seen.indexOf(c)).map((e) => e.getBoundingClientRect())) {
				if (Math.min(own.right, other.right) - Math.max(own.left, other.left) > 1 &&
					Math.min(own.bottom, other.bottom) - Math.max(own.top, other.top) > 1) {
					wrong.push(`+"`${c.className}: a canvas lies over another, at ${own.left} and ${own.top}`"+`)
				}
			}
			if (Math.abs(c.width / c.height - own.width / own.height) > 0.05 * c.width / c.height) {
				wrong.push(`+"`${c.className}: ${c.width} x ${c.height} shown as ${own.width} x ${own.height}`"+`)
			}
		}
		return wrong
	})()`)
}
