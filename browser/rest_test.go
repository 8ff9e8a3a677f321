package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// At rest the page fills in the replications, and its intervals are those of the command.
func TestIntervals(t *testing.T) {
	p := openExplorer(t, sceneAddress("herd"))
	p.rest()
	for i, r := range p.shown() {
		exported := engine[struct{ YAML string }](p, "export", r.Args)
		printed := map[string]string{}
		out := stampede(t, exported.YAML, "run", "-", "--reps", "30", "--all")
		for _, line := range strings.Split(string(out), "\n") {
			if words := strings.Fields(line); len(words) > 3 {
				printed[words[0]] = strings.Join(words[1:], " ")
			}
		}
		cells := eval[[]struct{ Metric, Interval string }](p.tab, `[...document.querySelectorAll(".pane")][%s]
			.querySelectorAll("dd[data-metric]").values().toArray()
			.map((e) => ({metric: e.dataset.metric, interval: e.querySelector(".interval").textContent}))`, i)
		intervals := 0
		for _, c := range cells {
			text, isMean := strings.CutPrefix(c.Interval, "mean ")
			if !isMean {
				continue // of a number that is the same in all replications
			}
			intervals++
			text = strings.NewReplacer(",", "", "$", "").Replace(text)
			want := printed[c.Metric]
			if !strings.HasPrefix(strings.ReplaceAll(want, ",", ""), text) {
				t.Errorf("policy %d shows %s as %q; the command prints %q", i+1, c.Metric, c.Interval, want)
			}
		}
		if i > 0 && intervals < 3 { // without jitter nearly all is the same each time
			t.Errorf("policy %d shows %d intervals: %q", i+1, intervals, cells)
		}
	}
}

// A scene with a curve shows it at rest, beside its closed form where it has one.
func TestCurves(t *testing.T) {
	for _, scene := range scenes(t) {
		if scene.Curve == nil {
			continue
		}
		t.Run(scene.ID, func(t *testing.T) {
			p := openExplorer(t, sceneAddress(scene.ID))
			p.rest()
			p.wait(`document.querySelector("#curve canvas")?.checkVisibility()`)
			text := p.texts("#curve")[0]
			if want := scene.Curve.Closed != ""; want != strings.Contains(text, "closed form") {
				t.Errorf("the curve says %q; its closed form is %q", text, scene.Curve.Closed)
			}
		})
	}
}

// After a change the former curves stay as thin lines, and the legend names them.
func TestFormerCurves(t *testing.T) {
	p := openExplorer(t, sceneAddress("herd"))
	if got := p.legend(); strings.Contains(got, "before") {
		t.Fatalf("the legend says %q before anything changed", got)
	}
	p.rest()
	p.keys(capSlider, kb.Home)
	p.settle()
	p.wait(`[...document.querySelectorAll("#charts .legend li")]
		.some((e) => !e.hidden && /before/.test(e.textContent))`)
}

// legend is what the legend of the charts shows.
func (p *explorer) legend() string {
	p.Helper()
	return strings.Join(eval[[]string](p.tab, `[...document.querySelectorAll("#charts .legend li")]
		.filter((e) => e.checkVisibility()).map((e) => e.textContent)`), "\n")
}
