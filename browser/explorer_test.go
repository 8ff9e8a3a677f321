package browser

import (
	_ "embed"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"stampede/explore"
)

//go:embed recorder.js
var recorder string

// explorer is a tab that shows the explorer.
type explorer struct {
	*tab
	saved string // name of the last file that was downloaded
}

// ran is a run that the page asked its engine for, with the answer.
type ran struct {
	Args struct {
		Document string   `json:"document"`
		Set      []string `json:"set"`
	} `json:"args"`
	Result struct {
		Values map[string]float64 `json:"values"`
		Shown  map[string]string  `json:"shown"`
		End    float64            `json:"end"`
		Calls  int                `json:"calls"`
	} `json:"result"`
}

// newExplorer is an empty tab that is ready to open the explorer.
func newExplorer(t testing.TB) *explorer {
	t.Helper()
	p := newTab(t)
	params := page.AddScriptToEvaluateOnNewDocumentParams{Source: recorder}
	if _, err := chromedp.Call(p.ctx, page.AddScriptToEvaluateOnNewDocument, params); err != nil {
		t.Fatal(err)
	}
	return &explorer{tab: p}
}

// openExplorer opens an address of the explorer, "#v=1&s=herd", in a tab of its own.
func openExplorer(t testing.TB, hash string) *explorer {
	t.Helper()
	p := newExplorer(t)
	p.openAt(site(t), hash)
	return p
}

// openAt opens the explorer that is served at an address, and waits until it shows runs.
func (p *explorer) openAt(address, hash string) {
	p.Helper()
	p.open(address + hash)
	p.settle()
	p.wait(`document.querySelector("#waiting").hidden`)
}

// settle waits until the page shows the runs of its settings.
func (p *explorer) settle() {
	p.Helper()
	p.wait(`window.recorded?.settled()`)
}

// rest waits until the page has filled in all replications and curves of its settings.
func (p *explorer) rest() {
	p.Helper()
	p.settle()
	p.wait(`document.querySelector("#said").textContent !== ""`)
	p.wait(`document.querySelector("#filling").textContent === "" && recorded.idle()`)
}

// shown are the runs that the page shows, one a policy.
func (p *explorer) shown() []ran {
	p.Helper()
	return eval[[]ran](p.tab, `recorded.shown()`)
}

// texts are the texts of all elements that a CSS selector finds, as they are read aloud.
func (p *explorer) texts(selector string) []string {
	p.Helper()
	return eval[[]string](p.tab, `[...document.querySelectorAll(%s)].map((e) => e.textContent.trim())`, selector)
}

// visible says whether one element that a selector finds is shown.
func (p *explorer) visible(selector string) bool {
	p.Helper()
	return eval[bool](p.tab, `[...document.querySelectorAll(%s)].some((e) => e.checkVisibility())`, selector)
}

// engine asks an engine of its own in the page, which is the page's own program.
func engine[T any](p *explorer, op string, args any) T {
	p.Helper()
	text := eval[string](p.tab, `(async () => {
		const {Engine} = await import(new URL("engine.js", document.baseURI))
		const engine = window.ownEngine ??= await Engine.open()
		await engine.start(1)
		return JSON.stringify((await engine.call(0, %s, %s)).result)
	})()`, op, args)
	var result T
	if err := json.Unmarshal([]byte(text), &result); err != nil {
		p.Fatal(err)
	}
	return result
}

// scenes are those of the site; with -short the first alone.
func scenes(t testing.TB) []explore.Scene {
	t.Helper()
	list, err := explore.Scenes()
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		list = list[:1]
	}
	return list
}

// eachScene opens all scenes in one tab, one after the other as a reader does, each a subtest.
func eachScene(t *testing.T, p *explorer, check func(t *testing.T, scene explore.Scene)) {
	outer := p.TB
	defer func() { p.TB = outer }()
	for i, scene := range scenes(t) {
		t.Run(scene.ID, func(t *testing.T) {
			p.TB = t
			if i == 0 {
				p.openAt(site(t), sceneAddress(scene.ID))
			} else {
				eval[string](p.tab, `location.hash = %s`, sceneAddress(scene.ID))
				p.wait(`document.querySelector("h1").textContent === %s`, scene.Title)
				p.settle()
			}
			check(t, scene)
		})
	}
}

func sceneAddress(id string) string { return "#v=1&s=" + url.QueryEscape(id) }

// foreignRequests are the requests of a tab to other places than those that begin with an address.
func (p *explorer) foreignRequests(address string) (foreign []string) {
	for _, r := range p.requests.all() {
		if !strings.HasPrefix(r, address) && !strings.HasPrefix(r, "blob:") && !strings.HasPrefix(r, "data:") {
			foreign = append(foreign, r)
		}
	}
	return foreign
}
