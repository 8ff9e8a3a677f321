package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// SCREENSHOTS=FOLDER writes a picture of each scene, wide and narrow, light and dark, for people to look at. The
// time is in the first third of the run, paused.
func TestScreenshots(t *testing.T) {
	folder := os.Getenv("SCREENSHOTS")
	if folder == "" {
		t.Skip("writes pictures into the folder SCREENSHOTS")
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, scene := range scenes(t) {
		p := openExplorer(t, sceneAddress(scene.ID))
		p.rest()
		for _, look := range looks {
			p.resize(look.width, look.height)
			p.prefer("prefers-color-scheme", look.scheme)
			eval[bool](p.tab, `((e) => {
				e.value = 80
				e.dispatchEvent(new Event("input", {bubbles: true}))
				return true
			})(document.querySelector("#scrub"))`)
			p.still()
			shot, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(folder, fmt.Sprintf("%s-%d-%s.png", scene.ID, look.width, look.scheme))
			if err := os.WriteFile(path, shot, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// looks are the sizes and colours that the page is looked at in.
var looks = []struct {
	width, height int64
	scheme        string
}{{1280, 900, "light"}, {1280, 900, "dark"}, {390, 844, "light"}, {390, 844, "dark"}}
