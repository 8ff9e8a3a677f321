package browser

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

const (
	capPath   = "policy.retry.backoff.exponential.cap"
	capSlider = `#sliders input[type="range"][data-path="` + capPath + `"]`
	capText   = `#sliders input[type="text"][data-path="` + capPath + `"]`
)

// set replaces the text of an input by the keyboard, and leaves it with Enter.
func (p *explorer) set(selector, text string) {
	p.Helper()
	p.focus(selector)
	eval[bool](p.tab, `(document.activeElement.select(), true)`)
	p.keys(selector, text+kb.Enter)
	p.settle()
}

// value is that of an input.
func (p *explorer) value(selector string) string {
	p.Helper()
	return eval[string](p.tab, `document.querySelector(%s).value`, selector)
}

// attribute is one of an element; empty where it has none.
func (p *explorer) attribute(selector, name string) string {
	p.Helper()
	return eval[string](p.tab, `document.querySelector(%s).getAttribute(%s) ?? ""`, selector, name)
}

// settings are those of the runs that are shown, by policy.
func (p *explorer) settings() (all [][]string) {
	for _, r := range p.shown() {
		all = append(all, r.Args.Set)
	}
	return all
}

// allHave says whether every policy has a setting.
func allHave(settings [][]string, want string) bool {
	lacks := func(s []string) bool { return !slices.Contains(s, want) }
	return len(settings) > 0 && !slices.ContainsFunc(settings, lacks)
}

// A slider moves by the keys of a range, sets its path for all policies, changes their numbers, and goes back.
func TestSliderByKeyboard(t *testing.T) {
	p := openExplorer(t, sceneAddress("herd"))
	before := p.texts(".pane dd .value")
	first := p.value(capText)

	p.keys(capSlider, kb.Home)
	p.settle()
	value := p.value(capText)
	if !allHave(p.settings(), capPath+"="+value) || value == first {
		t.Errorf("the key Home shows %q and sets %q", value, p.settings())
	}
	if got := p.attribute(capSlider, "aria-valuetext"); got != value {
		t.Errorf("the slider is read aloud as %q, not %q", got, value)
	}
	if after := p.texts(".pane dd .value"); slices.Equal(before, after) {
		t.Error("no number changed with the slider")
	}
	p.keys(capSlider, kb.ArrowRight)
	p.settle()
	if next := p.value(capText); next == value {
		t.Errorf("an arrow key leaves the value at %q", value)
	}

	p.keys(`#sliders .slider:has(`+capSlider[len("#sliders "):]+`) .reset`, kb.Enter)
	p.settle()
	if after := p.texts(".pane dd .value"); !slices.Equal(before, after) {
		t.Errorf("after the reset the numbers are %q, not %q", after, before)
	}
}

// Any value can be typed. What the checker refuses is said in its own sentence, and the last numbers stay.
func TestTypedValue(t *testing.T) {
	p := openExplorer(t, sceneAddress("herd"))
	p.set(capText, "7.5s")
	if !allHave(p.settings(), capPath+"=7.5s") {
		t.Fatalf("7.5s was typed; the settings are %q", p.settings())
	}
	p.equalsCommand()

	before := p.texts(".pane dd .value")
	mistake := quoted(t, `document.getElementById(
		document.querySelector(%s).getAttribute("aria-describedby"))`, capText)
	for _, bad := range []string{"7.5", "-5s", "soon"} {
		p.set(capText, bad)
		p.wait(`!!` + mistake + ` && !` + mistake + `.hidden`)
		got := eval[string](p.tab, mistake+".textContent")
		if want := refusal(t, scenario(t, "herd"), capPath+"="+bad); !strings.Contains(want, got) || got == "" {
			t.Errorf("for %q the page says %q; the command says %q", bad, got, want)
		}
		if got := p.attribute(capText, "aria-invalid"); got != "true" {
			t.Errorf("aria-invalid of %q is %q", bad, got)
		}
		if after := p.texts(".pane dd .value"); !slices.Equal(before, after) {
			t.Errorf("with %q refused the numbers changed", bad)
		}
	}
	p.set(capText, "7.5s")
	if p.visible("#sliders .mistake") {
		t.Errorf("the mistake stays after it was corrected: %q", p.texts("#sliders .mistake"))
	}
}

// refusal is what the command says of a setting that it refuses.
func refusal(t testing.TB, yaml, setting string) string {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.Background(), path, "run", "-", "--set", setting)
	cmd.Stdin = strings.NewReader(yaml)
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("the command takes %s", setting)
	}
	return string(out)
}

// scenario is the document of a scene.
func scenario(t testing.TB, id string) string {
	t.Helper()
	for _, s := range scenes(t) {
		if s.ID == id {
			return s.Scenario
		}
	}
	t.Fatalf("there is no scene %q", id)
	return ""
}

// "Next seed" sets the same seed for all policies, and the numbers change where luck counts.
func TestNextSeed(t *testing.T) {
	p := openExplorer(t, sceneAddress("herd"))
	before := p.texts(".pane dd .value")
	p.keys("#next-seed", kb.Enter)
	p.settle()
	if !allHave(p.settings(), "seed=2") {
		t.Errorf("the settings after seed 1 are %q", p.settings())
	}
	if got := p.value("#seed"); got != "2" {
		t.Errorf("the seed is shown as %q", got)
	}
	if slices.Equal(before, p.texts(".pane dd .value")) {
		t.Error("another seed gives the same numbers")
	}
	p.equalsCommand()
	p.set("#seed", "1")
	if after := p.texts(".pane dd .value"); !slices.Equal(before, after) {
		t.Errorf("seed 1 again gives %q; before %q", after, before)
	}
	p.set("#seed", "many")
	if !p.visible("#seed-mistake") {
		t.Error("a seed that is no number is not refused")
	}
}

// There are one to four policies, which can be added, changed and removed.
func TestPolicies(t *testing.T) {
	p := openExplorer(t, sceneAddress("herd"))
	p.keys("#policies summary", kb.Enter)
	count := len(p.shown())
	for count < 4 {
		p.button("#policies", "Add a policy")
		count++
		if got := len(p.texts(".pane")); got != count {
			t.Fatalf("%d policies are shown; want %d", got, count)
		}
	}
	if !eval[bool](p.tab, `[...document.querySelectorAll("#policies button")]
		.find((b) => b.textContent === "Add a policy").disabled`) {
		t.Error("a fifth policy can be added")
	}
	last := "#policies li:last-child "
	p.set(last+"input", "patient")
	p.focus(last + "textarea")
	eval[bool](p.tab, `(document.activeElement.select(), true)`)
	p.keys(last+"textarea", capPath+"=50s")
	p.settle()
	if got := p.settings()[3]; fmt.Sprint(got) != "["+capPath+"=50s]" {
		t.Errorf("the settings of the fourth policy are %q", got)
	}
	if got := p.texts(".pane h3")[3]; got != "patient" {
		t.Errorf("the fourth policy is called %q", got)
	}
	p.equalsCommand()
	for count > 1 {
		p.button(last, "Remove")
		count--
		if got := len(p.texts(".pane")); got != count {
			t.Fatalf("%d policies are shown; want %d", got, count)
		}
	}
	p.equalsCommand()
}

// names are what the pictures, the charts and the files to share are called.
func (p *explorer) names() [3][]string {
	p.Helper()
	return [3][]string{p.texts(".pane h3"), p.texts("#charts figcaption"), p.texts("#share-policy option")}
}

// Another name of a policy is shown everywhere, and nothing is run for it.
func TestRenamedPolicyIsNotRunAgain(t *testing.T) {
	p := openExplorer(t, sceneAddress("timeout"))
	p.rest()
	p.keys("#policies summary", kb.Enter)
	asked := eval[int](p.tab, `recorded.asked.length`)
	intervals := p.texts(".interval")
	p.set("#policies li:last-child input", "mine")
	p.rest()
	if n := eval[int](p.tab, `recorded.asked.length`) - asked; n != 0 {
		t.Errorf("the engine is asked %d times for a name", n)
	}
	if got := p.texts(".interval"); !slices.Equal(got, intervals) {
		t.Errorf("the intervals are %q; before %q", got, intervals)
	}
	for _, names := range p.names() {
		if len(names) == 0 || names[len(names)-1] != "mine" {
			t.Errorf("%q; want mine as the last", names)
		}
	}
}

// Pictures keep their names until others take their place: also where a policy is removed and then a mistake is made.
func TestNamesStayWithTheirPictures(t *testing.T) {
	p := openExplorer(t, sceneAddress("herd"))
	before, numbers := p.names(), p.texts(".pane dd .value")
	p.set(capText, "soon")
	p.keys("#policies summary", kb.Enter)
	p.button("#policies li:first-child", "Remove")
	if got := p.names(); fmt.Sprint(got) != fmt.Sprint(before) {
		t.Errorf("with a mistake the names are %q; want those of the pictures, %q", got, before)
	}
	if got := p.texts(".pane dd .value"); !slices.Equal(got, numbers) {
		t.Errorf("with a mistake the numbers are %q; want %q", got, numbers)
	}
	if got := p.texts("#filling")[0]; got != "" {
		t.Errorf("with a mistake the page says %q; nothing is running", got)
	}
	p.set(capText, "20s")
	for i, names := range p.names() {
		if want := before[i][1:]; !slices.Equal(names, want) {
			t.Errorf("without the first policy the names are %q; want %q", names, want)
		}
	}
}

// button presses the button of a text by the keyboard.
func (p *explorer) button(within, text string) {
	p.Helper()
	found := eval[bool](p.tab, `(() => {
		const b = [...document.querySelectorAll(%s)].flatMap((e) => [...e.querySelectorAll("button")])
			.find((b) => b.textContent.trim() === %s && b.checkVisibility())
		b?.focus()
		return !!b && document.activeElement === b
	})()`, within, text)
	if !found {
		p.Fatalf("no button %q within %s can be focused", text, within)
	}
	p.press(kb.Enter)
	p.settle()
}

// The texts of a scene are of the scene as it opens, and say so once a setting is another.
func TestTextsSayOfWhatTheyAre(t *testing.T) {
	p := openExplorer(t, sceneAddress("herd"))
	before := p.texts("#predict, #look-text")
	p.keys(capSlider, kb.ArrowRight)
	p.settle()
	for i, text := range p.texts("#predict, #look-text") {
		if want := "As the scene opens: " + before[i]; text != want {
			t.Errorf("after a change the page says %q; want %q", text, want)
		}
	}
	p.button("body", "Reset everything")
	p.settle()
	if got := p.texts("#predict, #look-text"); !slices.Equal(got, before) {
		t.Errorf("after the reset the page says %q; want %q", got, before)
	}
}
