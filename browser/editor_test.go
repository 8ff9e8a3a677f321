package browser

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const editorText = "#editor textarea"

// write replaces the document in the editor.
func (p *explorer) write(document string) {
	p.Helper()
	p.focus(editorText)
	eval[bool](p.tab, `(document.activeElement.select(), document.execCommand("insertText", false, %s))`, document)
}

// complete types at the end of the document, and asks for what can stand there.
func (p *explorer) complete(word string) {
	p.Helper()
	p.focus(editorText)
	eval[bool](p.tab, `(document.activeElement.setSelectionRange(1e9, 1e9), true)`)
	p.press("\n" + word)
	p.do(chromedp.KeyEvent(" ", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	p.wait(`document.querySelector("[role=listbox]")?.checkVisibility()`)
}

const small = `name: small
workload: {batch: {calls: 20}, prompt_tokens: 100, output_tokens: 50}
fleet: {workers: 4}
provider: {latency: {first_token: 200ms}}
`

// The sandbox runs any scenario that is written into its editor, and its numbers are the command's.
func TestSandboxRuns(t *testing.T) {
	p := openExplorer(t, sceneAddress("sandbox"))
	p.write(small)
	p.wait(`recorded.shown().at(-1)?.args.document === %s`, small)
	p.settle()
	p.equalsCommand()
	if got := p.shown()[0].Result.Values["calls"]; got != 20 {
		t.Errorf("a batch of 20 calls has %v", got)
	}
}

// A mistake in the editor is said in the checker's words, with a link to its line; the numbers stay, and go on when
// it is corrected.
func TestSandboxShowsMistakes(t *testing.T) {
	p := openExplorer(t, sceneAddress("sandbox"))
	p.write(small)
	p.wait(`recorded.shown().at(-1)?.args.document === %s`, small)
	p.settle()
	before := p.texts(".pane dd .value")
	for _, c := range []struct{ what, from, to, line string }{
		{"value of the wrong kind", "200ms", "soon", "Line 4"},
		{"misspelt field", "workers: 4", "wrkers: 4", "Line 3"},
		{"broken YAML", "fleet: {workers: 4}", "fleet: {workers: 4", ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			p.TB = t
			bad := strings.Replace(small, c.from, c.to, 1)
			p.write(bad)
			p.wait(`[...document.querySelectorAll("#editor .mistakes li")].some((e) => e.checkVisibility())`)
			p.settle()
			link := eval[string](p.tab, `document.querySelector("#editor .mistakes .line")?.textContent ?? ""`)
			if !strings.HasPrefix(link, c.line) {
				t.Errorf("the mistake is at %q; want %q", link, c.line)
			}
			want := strings.Join(strings.Fields(refusal(t, bad, "name=small")), " ")
			for _, got := range p.texts("#editor .mistakes li > span") {
				if got = strings.Join(strings.Fields(got), " "); got == "" || !strings.Contains(want, got) {
					t.Errorf("the page says %q; the command says %q", got, want)
				}
			}
			if after := p.texts(".pane dd .value"); !slices.Equal(before, after) {
				t.Error("with the document refused the numbers changed")
			}
			p.write(small)
			p.wait(`![...document.querySelectorAll("#editor .mistakes li")].some((e) => e.checkVisibility())`)
			p.settle()
		})
	}
	p.TB = t
}

// Completion comes from the schema and is taken by the keyboard.
func TestSandboxCompletes(t *testing.T) {
	p := openExplorer(t, sceneAddress("sandbox"))
	p.write("name: small\nworkload: {batch: {calls: 20}}")
	p.complete("pro")
	options := p.texts("[role=option] code")
	if !slices.ContainsFunc(options, func(o string) bool { return strings.HasPrefix(o, "provider") }) {
		t.Fatalf("for pro the editor offers %q", options)
	}
	active := p.attribute(editorText, "aria-activedescendant")
	if got := p.attribute("#"+active, "aria-selected"); active == "" || got != "true" {
		t.Errorf("the option that is active is %q, selected %q", active, got)
	}
	p.press(kb.Enter)
	if got := p.value(editorText); !strings.HasSuffix(strings.TrimSpace(got), "provider:") {
		t.Errorf("the completed document is %q", got)
	}
	p.press(kb.Escape + kb.Tab)
	if eval[bool](p.tab, `document.activeElement === document.querySelector(%s)`, editorText) {
		t.Error("Escape and Tab do not leave the editor")
	}
}
