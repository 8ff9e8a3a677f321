package explore

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"path"
	"strings"
	"time"
)

// securityPolicy lets the page load its own files, start the engine and keep what it makes as blobs, and
// nothing else.
const securityPolicy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; " +
	"img-src 'self' data: blob:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'"

// contentTypes are those of the files of a site, by extension. The engine is no transfer encoding of a file:
// the page unpacks it.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".json": "application/json",
	".yaml": "text/yaml; charset=utf-8",
	".svg":  "image/svg+xml",
	".png":  "image/png",
	".gz":   "application/octet-stream",
}

// Handler serves the site at /. Below another address it works through [http.StripPrefix].
func (s Site) Handler() http.Handler {
	files, err := s.files()
	if err != nil {
		panic(err) // of files that are part of the program
	}
	tags := map[string]string{}
	for name, text := range files {
		tags[name] = fmt.Sprintf(`"%x"`, sha256.Sum256(text))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", securityPolicy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			header.Set("Allow", "GET, HEAD")
			http.Error(w, "405 method not allowed", http.StatusMethodNotAllowed)
			return
		}
		name := strings.TrimPrefix(r.URL.Path, "/")
		if name == "" && r.URL.Path != "" {
			name = indexName
		}
		text, ok := files[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		header.Set("Cache-Control", "no-cache")
		header.Set("ETag", tags[name])
		header.Set("Content-Type", contentType(name))
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(text))
	})
}

func contentType(name string) string {
	if t, ok := contentTypes[path.Ext(name)]; ok {
		return t
	}
	return "text/plain; charset=utf-8" // a licence
}
