package browser

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/gif"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

// openHerd opens the herd, paused, with a slider moved, so that exports are not of the scene as it is.
func openHerd(t *testing.T) *explorer {
	t.Helper()
	p := openExplorer(t, sceneAddress("herd"))
	p.pause()
	p.set(capText, "12s")
	return p
}

// choose selects the policy whose files are saved.
func (p *explorer) choose(policy int) {
	p.Helper()
	eval[bool](p.tab, `((e) => {
		e.selectedIndex = %s
		e.dispatchEvent(new Event("change", {bubbles: true}))
		return true
	})(document.querySelector("#share-policy"))`, policy)
}

// The exported scenario, run by the command that the page gives, gives the numbers of the page.
func TestExportedScenario(t *testing.T) {
	p := openHerd(t)
	for policy := range p.shown() {
		p.choose(policy)
		yaml := string(p.download("Scenario as YAML"))
		file := p.saved
		p.pageShows(policy, commandTexts(t, yaml))

		p.button("#share", "Copy command")
		p.wait(`document.querySelector("#share [role=status]").textContent.includes("opied")`)
		said := p.texts("#share [role=status]")[0]
		command := regexp.MustCompile(`stampede run (\S+) --reps 1`).FindStringSubmatch(said)
		if command == nil || command[1] != file {
			t.Fatalf("the page says %q; want a command that runs %s", said, file)
		}
	}
}

// The attempts of the page are the file that the command writes.
func TestExportedAttempts(t *testing.T) {
	p := openHerd(t)
	p.choose(2)
	got := p.download("Attempts as CSV")
	exported := engine[struct{ YAML string }](p, "export", p.shown()[2].Args)
	path := filepath.Join(t.TempDir(), "attempts.csv")
	stampede(t, exported.YAML, "run", "-", "--reps", "1", "--attempts", path)
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the page saves %d bytes, the command %d: %s", len(got), len(want), firstDifference(got, want))
	}
}

// firstDifference is the first line in which two texts differ.
func firstDifference(a, b []byte) string {
	left, right := strings.Split(string(a), "\n"), strings.Split(string(b), "\n")
	for i := range min(len(left), len(right)) {
		if left[i] != right[i] {
			return left[i] + " and " + right[i]
		}
	}
	return "one is longer"
}

// The figure is well-formed SVG that names its policies and needs nothing else, and the PNG is that, doubled.
func TestExportedFigure(t *testing.T) {
	p := openHerd(t)
	svg := p.download("Picture as SVG")
	decoder := xml.NewDecoder(bytes.NewReader(svg))
	var width, height int
	var words []string
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the figure is no XML: %v", err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			if e.Name.Local == "svg" {
				width, height = number(t, e, "width"), number(t, e, "height")
			}
			for _, a := range e.Attr {
				if strings.Contains(a.Value, "://") && a.Name.Space != "" || e.Name.Local == "script" {
					t.Errorf("the figure needs <%s %s=%q>", e.Name.Local, a.Name.Local, a.Value)
				}
			}
		case xml.CharData:
			words = append(words, string(e))
		}
	}
	for _, name := range append(p.texts(".pane h3"), p.texts("h1")...) {
		if !strings.Contains(strings.Join(words, "\n"), name) {
			t.Errorf("the figure does not say %q", name)
		}
	}
	if bytes.Count(svg, []byte("<use ")) < 3*300 {
		t.Errorf("the figure has %d dots; want one for each of 3 x 300 calls", bytes.Count(svg, []byte("<use ")))
	}

	picture, err := png.Decode(bytes.NewReader(p.download("Picture as PNG")))
	if err != nil {
		t.Fatal(err)
	}
	if got := picture.Bounds().Size(); width == 0 || got.X != 2*width || got.Y != 2*height {
		t.Errorf("the PNG is %v of an SVG of %d x %d; want it doubled", got, width, height)
	}
	colours := map[[3]uint32]bool{}
	for x := range picture.Bounds().Dx() {
		for y := 0; y < picture.Bounds().Dy(); y += 7 {
			r, g, b, _ := picture.At(x, y).RGBA()
			colours[[3]uint32{r, g, b}] = true
		}
	}
	if len(colours) < 5 {
		t.Errorf("the PNG has %d colours", len(colours))
	}
}

func number(t testing.TB, e xml.StartElement, name string) (n int) {
	t.Helper()
	for _, a := range e.Attr {
		if a.Name.Local == name {
			for _, digit := range a.Value {
				n = 10*n + int(digit-'0')
			}
		}
	}
	return n
}

// The animation of a scene is the file that stampede animate writes.
func TestExportedAnimation(t *testing.T) {
	p := openExplorer(t, sceneAddress("gate"))
	p.pause()
	saved := p.download("Animation as GIF")
	animation, err := gif.DecodeAll(bytes.NewReader(saved))
	if err != nil {
		t.Fatal(err)
	}
	if len(animation.Image) <= 10 {
		t.Errorf("the animation has %d frames; want more than 10", len(animation.Image))
	}
	path := filepath.Join(t.TempDir(), "gate.gif")
	stampede(t, "", "animate", "--scene", "gate", "--out", path)
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(saved, want) {
		t.Errorf("the page saves %d bytes, stampede animate %d others", len(saved), len(want))
	}
}

// "Copy address" copies the address that opens what is seen.
func TestCopiedAddress(t *testing.T) {
	p := openHerd(t)
	params := browser.SetPermissionParams{
		Permission:       &browser.PermissionDescriptor{Name: "clipboard-read"},
		Setting:          browser.PermissionSettingGranted,
		BrowserContextID: chromedp.FromContext(p.ctx).BrowserContextID,
	}
	if _, err := chromedp.CallBrowser(p.ctx, browser.SetPermission, params); err != nil {
		t.Fatal(err)
	}
	p.button("#share", "Copy address")
	p.wait(`document.querySelector("#share [role=status]").textContent !== ""`)
	copied := eval[string](p.tab, `navigator.clipboard.readText()`)
	again := newExplorer(t)
	again.openAt(copied, "")
	if got := again.settings(); !allHave(got, capPath+"=12s") {
		t.Errorf("%s opens the settings %q", copied, got)
	}
}
