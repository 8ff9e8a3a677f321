package browser

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"stampede/explore"
)

// The site as a folder works below any address of a plain server of files, asks no other place for anything, and
// goes on when its server has gone.
func TestStaticSite(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "some", "where")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := (explore.Site{}).Write(folder); err != nil {
		t.Fatal(err)
	}
	var missing record
	files := http.FileServer(http.Dir(root))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(r.URL.Path))); err != nil {
			missing.add(r.URL.Path)
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)

	abroad := len(chrome.foreign.all())
	p := newExplorer(t)
	p.openAt(server.URL+"/some/where/", "")
	p.equalsCommand()
	if got := missing.all(); len(got) > 0 {
		t.Errorf("the page asked for files that are not there: %q", got)
	}
	if got := p.foreignRequests(server.URL + "/some/where/"); len(got) > 0 {
		t.Errorf("the page asked other places: %q", got)
	}

	p.rest()
	server.CloseClientConnections()
	server.Close()
	asked := len(p.requests.all())
	p.keys(`#scenes a[data-scene="gate"]`, kb.Enter)
	p.wait(`document.querySelector("h1").textContent === "The gate"`)
	p.settle()
	p.equalsCommand()
	before := p.texts(".pane dd .value")
	p.keys(`#sliders input[type="range"]`, kb.Home)
	p.settle()
	if slices.Equal(before, p.texts(".pane dd .value")) {
		t.Error("without its server the page's slider changes nothing")
	}
	text := string(p.download("Scenario as YAML"))
	if !strings.Contains(text, "workload:") {
		t.Errorf("without its server the page exports %q", text)
	}
	p.keys(`#scenes a[data-scene="sandbox"]`, kb.Enter)
	p.wait(`document.querySelector("#editor textarea")?.checkVisibility()`)
	p.settle()
	p.complete("pro")
	if !p.visible("[role=option]") {
		t.Error("without its server the editor completes nothing")
	}
	for _, request := range p.requests.all()[asked:] {
		if strings.HasPrefix(request, "http") {
			t.Errorf("the page asked its server, which has gone, for %s", request)
		}
	}
	// The worker's own requests are not those of the page; no proxy would be asked for the loopback interface.
	for _, request := range chrome.foreign.all()[abroad:] {
		if !strings.Contains(request, "google") { // Chromium's own
			t.Errorf("a request left the machine: %s", request)
		}
	}
}
