package explore

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func ask(h http.Handler, method, path string, headers ...string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	h.ServeHTTP(w, r)
	return w
}

var given = Site{Given: []byte("name: mine\n"), Version: "v9"}

func TestScenesFile(t *testing.T) {
	for _, c := range []struct {
		site Site
		want bool
	}{{given, true}, {Site{Version: "v9"}, false}} {
		w := ask(c.site.Handler(), "GET", "/scenes.json")
		var list struct {
			Given   bool
			Version string
			Scenes  []struct {
				ID       string
				Policies []struct{ Set []string }
			}
		}
		if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil {
			t.Fatal(err)
		}
		if list.Given != c.want || list.Version != "v9" || len(list.Scenes) != 8 || list.Scenes[0].ID != "herd" {
			t.Errorf("%+v", list)
		}
		for _, s := range list.Scenes {
			for _, p := range s.Policies {
				if p.Set == nil {
					t.Errorf("%s: the settings of a policy are null; want a list", s.ID)
				}
			}
		}
	}
}

func TestHandlerAnswers(t *testing.T) {
	h := given.Handler()
	for _, c := range []struct {
		what, method, path string
		status             int
		kind               string
	}{
		{"the page", "GET", "/", 200, "text/html; charset=utf-8"},
		{"the page by its name", "GET", "/index.html", 200, "text/html; charset=utf-8"},
		{"its head", "HEAD", "/", 200, "text/html; charset=utf-8"},
		{"a style", "GET", "/style.css", 200, "text/css; charset=utf-8"},
		{"a module", "GET", "/main.js", 200, "text/javascript; charset=utf-8"},
		{"the loader", "GET", "/wasm_exec.js", 200, "text/javascript; charset=utf-8"},
		{"the engine", "GET", "/engine.wasm.gz", 200, "application/octet-stream"},
		{"the scenes", "GET", "/scenes.json", 200, "application/json"},
		{"the schema", "GET", "/schema.json", 200, "application/json"},
		{"the scenario", "GET", "/scenario.yaml", 200, "text/yaml; charset=utf-8"},
		{"the licence of Go", "GET", "/LICENSE", 200, "text/plain; charset=utf-8"},
		{"a vendored licence", "GET", "/vendor/uplot/LICENSE", 200, "text/plain; charset=utf-8"},
		{"nothing", "GET", "/nothing", 404, "text/plain; charset=utf-8"},
		{"a folder", "GET", "/vendor/", 404, "text/plain; charset=utf-8"},
		{"a folder of the program", "GET", "/page/index.html", 404, "text/plain; charset=utf-8"},
		{"a way up", "GET", "/../explore.go", 404, "text/plain; charset=utf-8"},
		{"a change", "POST", "/", 405, "text/plain; charset=utf-8"},
	} {
		w := ask(h, c.method, c.path)
		header := w.Header()
		if w.Code != c.status || header.Get("Content-Type") != c.kind {
			t.Errorf("%s: status %d, %q; want %d, %q", c.what, w.Code, header.Get("Content-Type"), c.status, c.kind)
		}
		if got := header.Get("Content-Encoding"); got != "" {
			t.Errorf("%s: Content-Encoding %q; want none", c.what, got)
		}
		if got := header.Get("Cache-Control"); c.status == 200 && got != "no-cache" {
			t.Errorf("%s: Cache-Control %q", c.what, got)
		}
		if (c.method == "HEAD") != (w.Body.Len() == 0) {
			t.Errorf("%s: a body of %d bytes", c.what, w.Body.Len())
		}
		policy := header.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'self';", "script-src 'self' 'wasm-unsafe-eval';",
			"worker-src 'self' blob:;", "connect-src 'self';", "object-src 'none';"} {
			if !strings.Contains(policy, want) {
				t.Errorf("%s: the Content-Security-Policy is %q; want %s", c.what, policy, want)
			}
		}
		if header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: a browser may guess its type", c.what)
		}
	}
	if got := ask(h, "POST", "/").Header().Get("Allow"); got != "GET, HEAD" {
		t.Errorf("Allow: %q", got)
	}
	if w := ask(Site{}.Handler(), "GET", "/scenario.yaml"); w.Code != 404 {
		t.Errorf("a scenario that was not given: status %d", w.Code)
	}
	// A browser that has a file asks whether it is still the same.
	tag := ask(h, "GET", "/scenes.json").Header().Get("ETag")
	if w := ask(h, "GET", "/scenes.json", "If-None-Match", tag); w.Code != 304 || w.Body.Len() > 0 {
		t.Errorf("a file that did not change: status %d", w.Code)
	}
	if w := ask(Site{}.Handler(), "GET", "/scenes.json", "If-None-Match", tag); w.Code != 200 {
		t.Errorf("a file that changed: status %d", w.Code)
	}
}

// A host that sends no headers gets the same policy from the page.
func TestThePageHasTheSecurityPolicy(t *testing.T) {
	page := ask(given.Handler(), "GET", "/")
	m := regexp.MustCompile(`(?s)<meta http-equiv="Content-Security-Policy" content="([^"]*)">`).
		FindSubmatch(page.Body.Bytes())
	if m == nil {
		t.Fatal("the page has no policy")
	}
	got, want := strings.Join(strings.Fields(string(m[1])), " "), page.Header().Get("Content-Security-Policy")
	if got != want {
		t.Errorf("the page says %q; the header %q", got, want)
	}
}

// All addresses in the page are relative and lead to files of the site, wherever it lies.
var (
	attributes = regexp.MustCompile(`(?:src|href)="([^"]*)"`)
	imports    = regexp.MustCompile(`(?m)(?:^import\b[^;]*?|\bimport\(\s*)['"]([^'"]+)['"]`)
	fetches    = regexp.MustCompile(`\b(?:fetch|Worker)\(\s*['"]([^'"]+)['"]`)
	relatives  = regexp.MustCompile(`new URL\(\s*['"]([^'"]+)['"]`)
)

func TestTheSiteWorksBelowAnAddress(t *testing.T) {
	files, err := given.files()
	if err != nil {
		t.Fatal(err)
	}
	below := http.StripPrefix("/talks/herd", given.Handler())
	links := 0
	for name, text := range files {
		var patterns []*regexp.Regexp
		switch filepath.Ext(name) {
		case ".html":
			patterns = []*regexp.Regexp{attributes}
		case ".js":
			if name != loaderName {
				patterns = []*regexp.Regexp{imports, fetches, relatives}
			}
		}
		for _, pattern := range patterns {
			for _, m := range pattern.FindAllSubmatch(text, -1) {
				link := string(m[1])
				if strings.HasPrefix(link, "#") || strings.HasPrefix(link, "data:") ||
					strings.HasPrefix(link, "https://") && pattern == attributes { // to read on, not to load
					continue
				}
				links++
				if strings.HasPrefix(link, "/") || strings.Contains(link, ":") {
					t.Errorf("%s: %q is not relative", name, link)
					continue
				}
				path := filepath.ToSlash(filepath.Join("/talks/herd", filepath.Dir(name), link))
				if strings.HasSuffix(link, "/") || link == "." {
					path += "/"
				}
				if w := ask(below, "GET", path); w.Code != 200 {
					t.Errorf("%s: %q leads to %s, status %d", name, link, path, w.Code)
				}
			}
		}
	}
	if links < 20 {
		t.Errorf("found %d links; want 20 or more", links)
	}
	if w := ask(below, "GET", "/talks/herd/"); !bytes.Equal(w.Body.Bytes(), files[indexName]) {
		t.Errorf("the page below an address: status %d", w.Code)
	}
}

// What is written is what is served, file by file, and nothing else.
func TestWrittenIsWhatIsServed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "site")
	if err := given.Write(dir); err != nil {
		t.Fatal(err)
	}
	files, err := given.files()
	if err != nil {
		t.Fatal(err)
	}
	h := given.Handler()
	var written []string
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if info.Mode().Perm()&0o555 != 0o555 {
				t.Errorf("%s: mode %v; a server has to read it", path, info.Mode())
			}
			return nil
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		written = append(written, name)
		text, err := os.ReadFile(path)
		if w := ask(h, "GET", "/"+name); w.Code != 200 || !bytes.Equal(w.Body.Bytes(), text) {
			t.Errorf("%s: served with status %d, or other bytes", name, w.Code)
		}
		if info.Mode().Perm()&0o444 != 0o444 {
			t.Errorf("%s: mode %v; a server has to read it", name, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range files {
		if !slices.Contains(written, name) {
			t.Errorf("%s is not written", name)
		}
	}
	for _, name := range []string{"index.html", "engine.wasm.gz", "wasm_exec.js", "LICENSE", "scenes.json",
		"schema.json", "scenario.yaml", "vendor/uplot/LICENSE"} {
		if !slices.Contains(written, name) {
			t.Errorf("%s is not written", name)
		}
	}
}

func TestWriteIntoFolders(t *testing.T) {
	empty := t.TempDir()
	if err := (Site{}).Write(empty); err != nil {
		t.Errorf("a folder that is empty: %v", err)
	}
	if err := (Site{}).Write(empty); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a folder that is not: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := (Site{}).Write(file); err == nil {
		t.Error("a file: no error")
	}
}
