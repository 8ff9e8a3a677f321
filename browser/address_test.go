package browser

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// What was changed stands in the address, and the address opens what was seen.
func TestAddressRestores(t *testing.T) {
	p := openExplorer(t, sceneAddress("herd"))
	p.set(capText, "12.5s")
	p.keys("#next-seed", kb.Enter)
	p.settle()
	p.keys("#policies summary", kb.Enter)
	p.button("#policies li:last-child", "Remove")
	p.set("#policies li:last-child input", "half & half; or so")
	want, names := p.settings(), p.texts(".pane h3")
	p.wait(`location.hash.includes("seed=2") && location.hash.includes("half")`)
	address := eval[string](p.tab, `location.href`)

	again := newExplorer(t)
	again.openAt(address, "")
	if got := again.settings(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s opens the settings %q; it was made of %q", address, got, want)
	}
	if got := again.texts(".pane h3"); !slices.Equal(got, names) {
		t.Errorf("%s opens the policies %q, not %q", address, got, names)
	}
	if got, want := again.texts(".pane dd .value"), p.texts(".pane dd .value"); !slices.Equal(got, want) {
		t.Errorf("%s opens the numbers %q, not %q", address, got, want)
	}
	if got := again.value(capText); got != "12.5s" {
		t.Errorf("the slider opens at %q", got)
	}
}

// Addresses that were given away keep opening: each of these was made by a page of the version it names.
func TestOldAddressesOpen(t *testing.T) {
	document := "name: old\nworkload: {batch: {calls: 7}, prompt_tokens: 100, output_tokens: 10}\n" +
		"fleet: {workers: 2}\npolicy: openai-python@2.46\n"
	cases := []struct {
		hash, scene string
		set         []string // of the first policy
		name        string   // of the first policy
	}{
		{hash: "", scene: "herd"},
		{hash: "#s=gate", scene: "gate"},
		{hash: "#v=1&s=storm&seed=2", scene: "storm", set: []string{"seed=2"}},
		{
			hash: "#v=1&s=herd&seed=2&" + capPath + "=5s", scene: "herd",
			set: []string{capPath + "=5s", "seed=2"},
		},
		{
			hash:  "#v=1&s=herd&p1=no%20jitter;policy.retry.backoff.exponential.jitter=none&p2=as%20it%20is",
			scene: "herd", name: "no jitter", set: []string{"policy.retry.backoff.exponential.jitter=none"},
		},
		{hash: "#v=1&z=" + packed(t, document), scene: "sandbox", set: []string{}},
		{
			hash: "#v=1&z=" + packed(t, document) + "&seed=11&workload.batch.calls=9", scene: "sandbox",
			set: []string{"workload.batch.calls=9", "seed=11"},
		},
	}
	p := newExplorer(t)
	for _, c := range cases {
		t.Run(c.hash, func(t *testing.T) {
			p.TB = t
			p.open("about:blank") // else only the part behind # changes, and the page stays
			p.openAt(site(t), c.hash)
			if got := p.attribute(`#scenes a[aria-current="page"]`, "data-scene"); got != c.scene {
				t.Errorf("opens the scene %q; want %q", got, c.scene)
			}
			runs := p.shown()
			if len(runs) == 0 {
				t.Fatal("shows no run")
			}
			for _, setting := range c.set {
				if !slices.Contains(runs[0].Args.Set, setting) {
					t.Errorf("the settings are %q; want %q among them", runs[0].Args.Set, setting)
				}
			}
			if c.name != "" && p.texts(".pane h3")[0] != c.name {
				t.Errorf("the first policy is called %q; want %q", p.texts(".pane h3")[0], c.name)
			}
			if strings.Contains(c.hash, "z=") && runs[0].Args.Document != document {
				t.Errorf("the document is %q; want %q", runs[0].Args.Document, document)
			}
			if p.visible("#trouble") {
				t.Errorf("the page says %q", p.texts("#trouble"))
			}
		})
	}
	p.TB = t
}

// packed is a document as an address holds it: base64url of raw deflate.
func packed(t testing.TB, document string) string {
	t.Helper()
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(document)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(out.Bytes())
}

// An address that cannot be read says why, and a scene opens all the same.
func TestBadAddresses(t *testing.T) {
	p := newExplorer(t)
	for hash, want := range map[string]string{
		"#v=9&s=gate":         "version 9",
		"#v=1&s=nowhere":      `"nowhere"`,
		"#v=1&z=AAAA":         "damaged",
		"#v=1&s=herd&seed=-1": `"-1"`,
	} {
		t.Run(hash, func(t *testing.T) {
			p.TB = t
			p.open("about:blank")
			p.openAt(site(t), hash)
			if got := p.texts("#trouble")[0]; !strings.Contains(got, want) || !p.visible("#trouble") {
				t.Errorf("the page says %q; want %s in it", got, want)
			}
			if len(p.shown()) == 0 {
				t.Error("no scene is shown")
			}
		})
	}
	p.TB = t
}

// Scenes are links: they open by the keyboard, and the button "back" returns.
func TestScenesAreLinks(t *testing.T) {
	p := openExplorer(t, sceneAddress("herd"))
	p.keys(`#scenes a[data-scene="gate"]`, kb.Enter)
	p.wait(`document.querySelector("h1").textContent === "The gate"`)
	p.settle()
	gate := len(p.texts(".pane"))
	p.do(chromedp.NavigateBack())
	p.wait(`document.querySelector("h1").textContent === "The herd"`)
	p.settle()
	if herd := len(p.texts(".pane")); herd != 3 || gate != 4 {
		t.Errorf("the gate has %d policies and the herd, after going back, %d; want 4 and 3", gate, herd)
	}
	p.equalsCommand()
}
