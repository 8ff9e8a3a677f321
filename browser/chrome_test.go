package browser

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// names are what Chromium is called, in the order of trial.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}

// chrome is the one browser that all tests share; each test gets tabs of its own.
var chrome struct {
	once    sync.Once
	ctx     context.Context
	err     error
	abroad  *httptest.Server // the proxy of every request that leaves the machine: it refuses and remembers
	foreign record
}

// ends are what runs after all tests, the last first.
var ends struct {
	mu   sync.Mutex
	list []func()
}

func atEnd(f func()) {
	ends.mu.Lock()
	defer ends.mu.Unlock()
	ends.list = append(ends.list, f)
}

// record is a list that several goroutines append to.
type record struct {
	mu    sync.Mutex
	lines []string
}

func (r *record) add(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, line)
}

func (r *record) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.lines...)
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, f := range slices.Backward(ends.list) {
		f()
	}
	os.Exit(code)
}

// browserContext starts the browser at its first call.
func browserContext(t testing.TB) context.Context {
	t.Helper()
	path := ""
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium on the path (Debian: apt-get install chromium fonts-dejavu-core)")
	}
	chrome.once.Do(func() { startChrome(path) })
	if chrome.err != nil {
		t.Fatalf("start %s: %v", path, chrome.err)
	}
	return chrome.ctx
}

func startChrome(path string) {
	chrome.abroad = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		chrome.foreign.add(r.Method + " " + r.Host)
		http.Error(w, "these tests have no network", http.StatusForbidden)
	}))
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.NoSandbox, // the tests run as root in containers
		chromedp.DisableGPU,
		chromedp.ProxyServer(chrome.abroad.URL), // never used for the loopback interface
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-field-trial-config", true),
	)
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stop := chromedp.NewContext(allocator)
	chrome.ctx, chrome.err = ctx, chromedp.Do(ctx) // no timeout: it would end the browser
	atEnd(chrome.abroad.Close)
	atEnd(stopAllocator)
	atEnd(stop)
}
