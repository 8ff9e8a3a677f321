package browser

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"stampede/explore"

	"github.com/chromedp/chromedp/kb"
)

// The numbers of the page are those of the command line on the exported scenario, to the last digit: for
// each policy of each scene, as it opens and after a slider was moved.
func TestNumbersAreThoseOfTheCommand(t *testing.T) {
	p := newExplorer(t)
	eachScene(t, p, func(t *testing.T, scene explore.Scene) {
		p.equalsCommand()
		if len(scene.Sliders) == 0 {
			return
		}
		before := p.shown()
		p.keys(`#sliders input[type="range"]`, kb.ArrowRight)
		p.settle()
		if after := p.shown(); len(after) > 0 && fmt.Sprint(after[0].Args.Set) == fmt.Sprint(before[0].Args.Set) {
			t.Errorf("a slider moved, and the settings are still %q", after[0].Args.Set)
		}
		p.equalsCommand()
	})
}

// equalsCommand compares the runs that the page shows with those of the command.
func (p *explorer) equalsCommand() {
	p.Helper()
	runs := p.shown()
	if len(runs) == 0 {
		p.Fatal("the page shows no run")
	}
	for i, r := range runs {
		name := fmt.Sprintf("policy %d with %q", i+1, r.Args.Set)
		exported := engine[struct{ YAML, Command string }](p, "export", r.Args)
		values := commandValues(p, exported.YAML)
		texts := commandTexts(p, exported.YAML)
		for metric, got := range r.Result.Values {
			if _, ok := values[metric]; !ok {
				p.Errorf("%s: %s is %v in the page and has no value by the command", name, metric, got)
			}
		}
		for metric, want := range values {
			if got, ok := r.Result.Values[metric]; !ok || got != want {
				p.Errorf("%s: %s is %v in the page and %v by the command", name, metric, got, want)
			}
			if want, printed := texts[metric]; printed && r.Result.Shown[metric] != want {
				got := r.Result.Shown[metric]
				p.Errorf("%s: %s is shown as %q in the page and as %q by the command", name, metric, got, want)
			}
		}
		if len(texts) < 80 {
			p.Errorf("%s: only %d metrics of the command were found", name, len(texts))
		}
		p.pageShows(i, texts)
	}
}

// pageShows compares the numbers beside the picture of a policy with what the command prints: without the
// commas, signs of currency and units around it, the text is the same.
func (p *explorer) pageShows(policy int, texts map[string]string) {
	p.Helper()
	cells := eval[[]struct{ Metric, Text string }](p.tab, `[...document.querySelectorAll(".pane")][%s]
		.querySelectorAll("dd[data-metric]").values().toArray()
		.map((e) => ({metric: e.dataset.metric, text: e.querySelector(".value").textContent}))`, policy)
	if len(cells) < 5 {
		p.Errorf("policy %d shows %d numbers", policy+1, len(cells))
	}
	for _, c := range cells {
		got := firstNumber.FindString(strings.ReplaceAll(c.Text, ",", ""))
		if want := texts[c.Metric]; got != want {
			p.Errorf("policy %d shows %s as %q; the command prints %q", policy+1, c.Metric, c.Text, want)
		}
	}
}

var firstNumber = regexp.MustCompile(`-?[0-9][0-9.]*(e[+-]?[0-9]+)?`)

// commandValues are the metrics of one replication of a scenario that have a value.
func commandValues(t testing.TB, yaml string) map[string]float64 {
	t.Helper()
	type estimate struct{ Mean *float64 }
	var result struct {
		Metrics []struct {
			Name string
			estimate
		}
		Limits []struct {
			Metric    string
			UsedRatio estimate `json:"used_ratio"`
			Refused   estimate
		}
	}
	if err := json.Unmarshal(stampede(t, yaml, "run", "-", "--reps", "1", "--json"), &result); err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	add := func(name string, e estimate) {
		if e.Mean != nil {
			values[name] = *e.Mean
		}
	}
	for _, m := range result.Metrics {
		add(m.Name, m.estimate)
	}
	for _, l := range result.Limits {
		add(l.Metric+"_used_ratio", l.UsedRatio)
		add(l.Metric+"_refused", l.Refused)
	}
	return values
}

// commandTexts are the same as the command prints them, but for those of limits, which stand in a table of their own.
func commandTexts(t testing.TB, yaml string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, line := range strings.Split(string(stampede(t, yaml, "run", "-", "--reps", "1", "--all")), "\n") {
		if words := strings.Fields(line); len(words) > 1 && strings.HasPrefix(line, "  ") {
			if _, seen := texts[words[0]]; !seen {
				texts[words[0]] = words[1]
			}
		}
	}
	return texts
}

// Where few calls are answered, latency and cost are marked as of those alone, with words for the mark.
func TestFewAreMarked(t *testing.T) {
	p := openExplorer(t, sceneAddress("herd")) // without jitter 160 of 300 are answered, else all
	p.rest()
	const note = "cost and latency cover only the 53.3 % of calls that were answered"
	marked := eval[[]string](p.tab, `[...document.querySelectorAll(".pane")].map((pane) =>
		[...pane.querySelectorAll("dt:has(.mark:not(:empty))")].map((e) => e.textContent + ": " +
			e.querySelector(".mark").title).join("; "))`)
	want := "p95 latency\u00a0!: " + note + "; per 1,000 answers\u00a0!: " + note
	if len(marked) != 3 || marked[0] != want || marked[1] != "" || marked[2] != "" {
		t.Errorf("marked are %q; want %q in the first of three", marked, want)
	}
	if got := p.texts(".few:not([hidden])"); len(got) != 1 || got[0] != "! "+note {
		t.Errorf("the page says %q; want %q", got, "! "+note)
	}
}
