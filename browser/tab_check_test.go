package browser

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// A tab reports what a page does wrong, so that the tests of the explorer can fail: errors and
// warnings in the console, exceptions, rejected promises, loads that fail, requests to other hosts.
func TestTabReportsWhatGoesWrong(t *testing.T) {
	cases := map[string]struct{ script, want string }{
		"console error":    {`console.error("first", 2)`, `console.error: "first" 2`},
		"console warning":  {`console.warn("second")`, `console.warning: "second"`},
		"exception":        {`setTimeout(() => { throw new Error("third") })`, "exception: Uncaught Error: third"},
		"rejected promise": {`Promise.reject(new Error("fourth"))`, "exception: Uncaught (in promise) Error: fourth"},
		"load that fails":  {`fetch("missing")`, "network: Failed to load resource: "},
		"worker":           {worker(`console.error("fifth")`), "worker: fifth"},
		"worker exception": {worker(`setTimeout(() => { throw new Error("sixth") })`), "worker: Uncaught Error: sixth"},
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" && r.URL.Path != "/favicon.ico" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<!doctype html><title>empty</title><input type="range" id="slider" value="50">`))
	}))
	defer site.Close()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := newTab(t)
			p.open(site.URL)
			eval[bool](p, c.script+"; true")
			p.until(func() bool { return len(p.errors.all()) > 0 })
			if got := p.takeErrors(); len(got) != 1 || !strings.HasPrefix(got[0], c.want) {
				t.Errorf("errors %q; want one that begins with %q", got, c.want)
			}
		})
	}
	t.Run("request to another host", func(t *testing.T) {
		p := newTab(t)
		p.open(site.URL)
		// The worker's own requests are not among those of the page; the proxy sees both.
		eval[bool](p, `fetch("http://page.example/").catch(() => 0).then(() => true)`)
		eval[bool](p, "new Promise(done => "+
			worker(`fetch("http://worker.example/").catch(() => 0).then(() => postMessage(1))`)+
			".onmessage = () => done(true))")
		p.until(func() bool { return len(p.errors.all()) >= 3 }) // two of the page, one of the worker
		p.takeErrors()
		if got := p.requests.all(); !slices.Contains(got, "http://page.example/") {
			t.Errorf("requests %q lack the one to page.example", got)
		}
		for _, want := range []string{"GET page.example", "GET worker.example"} {
			if got := chrome.foreign.all(); !slices.Contains(got, want) {
				t.Errorf("the proxy saw %q, not %q", got, want)
			}
		}
	})
	t.Run("keys", func(t *testing.T) {
		p := newTab(t)
		p.open(site.URL)
		p.keys("#slider", kb.ArrowRight+kb.ArrowRight)
		if got := eval[string](p, `document.querySelector("#slider").value`); got != "52" {
			t.Errorf("two steps right of 50 is %s; want 52", got)
		}
	})
}

// worker is the JavaScript that starts a worker whose program is code.
func worker(code string) string {
	return "new Worker(URL.createObjectURL(new Blob([" + strconv.Quote(code) + "])))"
}
