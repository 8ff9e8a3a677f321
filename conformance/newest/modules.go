package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"stampede/conformance/clients"
	"stampede/conformance/clients/measure"
)

// modules is the proxy that the go command is configured with.
type modules struct{}

// alone keeps the go command out of the workspace and of version control.
var alone = []string{"GOWORK=off", "GOFLAGS=-mod=mod", "GOVCS=*:off"}

// find asks for the major version of the path and for those after it until there is none. Of a given version the
// major version decides the path.
func (modules) find(folder, path, version string) (string, string, error) {
	base, major := splitMajor(path)
	if version != "" {
		first, _, _ := strings.Cut(version, ".")
		n, err := strconv.Atoi(first)
		if err != nil {
			return "", "", fmt.Errorf("found version %q; want one such as 3.99 or 3.99.0", version)
		}
		path = joinMajor(base, n)
		exact, err := latest(folder, path, "v"+version)
		return path, exact, err
	}
	exact, err := latest(folder, path, "latest")
	if err != nil {
		return "", "", err
	}
	for n := major + 1; ; n++ {
		next := joinMajor(base, n)
		newer, err := latest(folder, next, "latest")
		if err != nil {
			return path, exact, nil // no such module
		}
		path, exact = next, newer
	}
}

// latest is the newest version of a module that a query such as v3.98 matches, without its v.
func latest(folder, path, query string) (string, error) {
	text, err := run(folder, alone, nil, "go", "list", "-m", "-f", "{{.Version}}", path+"@"+query)
	return strings.TrimPrefix(strings.TrimSpace(string(text)), "v"), err
}

// splitMajor takes the major version from a module path; one without is of version 1, or 0.
func splitMajor(path string) (base string, major int) {
	i := strings.LastIndex(path, "/v")
	if i < 0 {
		return path, 1
	}
	n, err := strconv.Atoi(path[i+2:])
	if err != nil {
		return path, 1
	}
	return path[:i], n
}

func joinMajor(base string, major int) string {
	if major < 2 {
		return base
	}
	return fmt.Sprintf("%s/v%d", base, major)
}

// measure compiles the client of this module against the version in a module of its own, and runs it as a test,
// since only tests have bubbles of virtual time.
func (modules) measure(folder string, r result, job measure.Job) (map[string][][]float64, error) {
	job.Out = filepath.Join(folder, "waits.json")
	jobText, err := json.Marshal(job)
	if err != nil {
		return nil, err
	}
	ask, err := clients.Files.ReadFile(r.folder + "/ask.go")
	if err != nil {
		return nil, err
	}
	measuring, err := clients.Files.ReadFile("measure/measure.go")
	if err != nil {
		return nil, err
	}
	files := map[string]string{
		"go.mod":             "module newest\n\ngo 1.26.0\n",
		"job.json":           string(jobText),
		"client/ask.go":      strings.ReplaceAll(string(ask), r.client.path, r.path),
		"measure/measure.go": string(measuring),
		"measure_test.go": fmt.Sprintf(`package newest

import (
	"context"
	"net/http"
	"testing"

	client "newest/client"
	"newest/measure"
)

func TestMeasure(t *testing.T) {
	measure.Run(t, func(ctx context.Context, transport http.RoundTripper) error { return client.%s(ctx, transport) })
}
`, r.ask),
	}
	for name, text := range files {
		name = filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	if _, err := run(folder, alone, nil, "go", "get", r.path+"@v"+r.version); err != nil {
		return nil, err
	}
	environment := append([]string{"MEASURE=" + filepath.Join(folder, "job.json")}, alone...)
	if _, err := run(folder, environment, nil, "go", "test", "-count=1", "-run=TestMeasure", "."); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(job.Out)
	if err != nil {
		return nil, err
	}
	var waits map[string][][]float64
	return waits, json.Unmarshal(text, &waits)
}
