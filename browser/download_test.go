package browser

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

// download presses a button of the share panel and returns the file that the browser saves.
func (p *explorer) download(button string) []byte {
	p.Helper()
	folder := p.TempDir()
	params := browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder,
		BrowserContextID: chromedp.FromContext(p.ctx).BrowserContextID,
	}
	if _, err := chromedp.CallBrowser(p.ctx, browser.SetDownloadBehavior, params); err != nil {
		p.Fatal(err)
	}
	p.button("#share", button)
	var path string
	p.until(func() bool {
		entries, err := os.ReadDir(folder)
		if err != nil {
			p.Fatal(err)
		}
		for _, entry := range entries {
			if !strings.HasSuffix(entry.Name(), ".crdownload") && !strings.HasPrefix(entry.Name(), ".") {
				path = filepath.Join(folder, entry.Name())
			}
		}
		return path != ""
	})
	data, err := os.ReadFile(path)
	if err != nil {
		p.Fatal(err)
	}
	p.saved = filepath.Base(path)
	return data
}
