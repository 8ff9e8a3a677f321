package browser

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stampede/explore"
)

// The accessibility checker, which npm fetches; its licence (MPL-2.0) keeps it out of the repository. The checksum
// is that of the registry's metadata.
const (
	axePackage   = "axe-core@4.14.1"
	axeIntegrity = "sha512-FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="
)

var errNoNPM = errors.New("no npm, which fetches the accessibility checker")

// axe is the checker's script.
var axe = sync.OnceValues(func() (string, error) {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", errNoNPM
	}
	dir, err := os.MkdirTemp("", "stampede-axe")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, npm, "pack", "--silent", "--pack-destination", dir, axePackage)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %w\n%s", errNoNPM, err, out)
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(archives) != 1 {
		return "", fmt.Errorf("npm packed %q: %v", archives, err)
	}
	packed, err := os.ReadFile(archives[0])
	if err != nil {
		return "", err
	}
	sum := sha512.Sum512(packed)
	if got := "sha512-" + base64.StdEncoding.EncodeToString(sum[:]); got != axeIntegrity {
		return "", fmt.Errorf("%s has the checksum %s; want %s", axePackage, got, axeIntegrity)
	}
	return fileOf(strings.NewReader(string(packed)), "package/axe.min.js")
})

// fileOf is a file of a tar.gz.
func fileOf(packed io.Reader, name string) (string, error) {
	unzipped, err := gzip.NewReader(packed)
	if err != nil {
		return "", err
	}
	files := tar.NewReader(unzipped)
	for {
		header, err := files.Next()
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		if header.Name == name {
			text, err := io.ReadAll(files)
			return string(text), err
		}
	}
}

// checker loads the accessibility checker into a page, or skips the test where it cannot be fetched.
func (p *explorer) checker() {
	p.Helper()
	script, err := axe()
	if errors.Is(err, errNoNPM) {
		p.Skip(err)
	}
	if err != nil {
		p.Fatal(err)
	}
	eval[bool](p.tab, script+"; true")
}

// violations are what the checker finds: rule, what it asks for, and the elements.
func (p *explorer) violations() []string {
	p.Helper()
	return eval[[]string](p.tab, `axe.run(document, {resultTypes: ["violations"]}).then(({violations}) => violations
		.map((v) => v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) +
			n.any.map((a) => " (" + a.message + ")").join("")).join(" | ")))`)
}

// No rule of axe-core is violated: in each scene with all its parts open, in light and dark, wide and narrow.
func TestAccessibility(t *testing.T) {
	p := newExplorer(t)
	eachScene(t, p, func(t *testing.T, scene explore.Scene) {
		p.pause()
		p.checker()
		eval[bool](p.tab, `(document.querySelectorAll("details").forEach((d) => d.open = true), true)`)
		for _, look := range looks {
			p.resize(look.width, look.height)
			p.prefer("prefers-color-scheme", look.scheme)
			p.still()
			for _, line := range p.violations() {
				t.Errorf("%d pixels, %s: %s", look.width, look.scheme, line)
			}
		}
	})
}

// The same holds while the page says what is wrong.
func TestAccessibilityOfMistakes(t *testing.T) {
	p := openExplorer(t, "#v=9&s=herd")
	p.pause()
	p.checker()
	p.set(capText, "soon")
	p.set("#seed", "many")
	for _, scheme := range []string{"light", "dark"} {
		p.prefer("prefers-color-scheme", scheme)
		for _, line := range p.violations() {
			t.Errorf("%s: %s", scheme, line)
		}
	}
}

// The checker finds what is wrong, so that its silence means something.
func TestAccessibilityCheckerFinds(t *testing.T) {
	p := openExplorer(t, sceneAddress("herd"))
	p.checker()
	eval[bool](p.tab, `(document.querySelector("#seed").labels[0].remove(), true)`)
	if got := strings.Join(p.violations(), "\n"); !strings.Contains(got, "label: ") {
		t.Errorf("an input lost its label, and the checker finds %q", got)
	}
}
