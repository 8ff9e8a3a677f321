package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"

	"stampede/explore/engine" // besides, a result that the test cache keeps is of these sources
	"stampede/scenario"
)

// Bounds on the engine: what a page loads, and what a server sends that compresses well, in bytes.
const (
	maxRaw    = 7_000_000
	maxBrotli = 1_500_000
)

const dist = "../dist"

// build compiles the engine once for all tests.
var build = sync.OnceValues(compile)

func compiled(t *testing.T) []byte {
	t.Helper()
	if testing.Short() {
		t.Skip("compiling the engine takes half a minute")
	}
	data, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// What the repository holds is what its sources give.
func TestEngineIsOfTheseSources(t *testing.T) {
	version := strings.TrimSpace(string(read(t, filepath.Join(dist, versionName))))
	if version != runtime.Version() {
		t.Skipf("the engine was built by %s, and this is %s", version, runtime.Version())
	}
	read(t, "../wasm/main.go") // so that the test cache knows it
	want := compiled(t)
	r, err := gzip.NewReader(bytes.NewReader(read(t, filepath.Join(dist, engineName))))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("dist holds an engine of other sources: run go generate ./explore")
	}
}

func TestLoaderIsOfTheSameGo(t *testing.T) {
	root, err := goCommand("env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	if version := strings.TrimSpace(string(read(t, filepath.Join(dist, versionName)))); version != runtime.Version() {
		t.Skipf("the loader is that of %s, and this is %s", version, runtime.Version())
	}
	for name, place := range loaderFiles {
		if !bytes.Equal(read(t, filepath.Join(dist, name)),
			read(t, filepath.Join(strings.TrimSpace(string(root)), place))) {
			t.Errorf("dist/%s is not that of %s: run go generate ./explore", name, runtime.Version())
		}
	}
}

func TestPackedBytesDoNotChange(t *testing.T) {
	text := []byte(strings.Repeat("one text ", 1000))
	packed, err := pack(text)
	if err != nil {
		t.Fatal(err)
	}
	// RFC 1952: magic, deflate, no flags, no time, the slowest algorithm, an unknown system.
	if head := []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255}; !bytes.HasPrefix(packed, head) {
		t.Errorf("the head is % x, want % x", packed[:len(head)], head)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, text) {
		t.Errorf("unpacked: %d bytes, %v, want the text", len(got), err)
	}
}

func TestEngineSize(t *testing.T) {
	if n := len(compiled(t)); n > maxRaw {
		t.Errorf("the engine has %d bytes, want at most %d", n, maxRaw)
	}
}

func TestEngineCompressedSize(t *testing.T) {
	var n counter
	w := brotli.NewWriterOptions(&n, brotli.WriterOptions{Quality: 11, LGWin: 24})
	if _, err := w.Write(compiled(t)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if n > maxBrotli {
		t.Errorf("the engine has %d bytes by brotli -q 11, want at most %d", n, maxBrotli)
	}
}

// In JavaScript the engine answers as it does natively, in the memory that a page may take.
func TestEngineAnswers(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node.js is not installed")
	}
	path := filepath.Join(t.TempDir(), "engine.wasm")
	if err := os.WriteFile(path, compiled(t), 0o600); err != nil {
		t.Fatal(err)
	}
	text, _ := scenario.Embedded(scenario.Default)
	type arguments struct {
		Document string   `json:"document"`
		Set      []string `json:"set"`
	}
	calls := []struct {
		Op   string    `json:"op"`
		Args arguments `json:"args"`
	}{
		{"load", arguments{Document: string(text)}},
		{"run", arguments{Document: string(text)}},
		{"export", arguments{Document: string(text), Set: []string{"seed=2"}}},
		{"load", arguments{Document: string(text), Set: []string{"policy.retry.attempts=many"}}},
		{"load", arguments{Document: string(text), Set: []string{
			"workload={trace: {file: calls.csv, time_zone: Europe/Berlin}}",
		}}},
	}
	request, err := json.Marshal(calls)
	if err != nil {
		t.Fatal(err)
	}
	loader := filepath.Join(dist, "wasm_exec.js")
	said, err := exec.Command(node, "testdata/call.cjs", loader, path, string(request)).Output()
	if err != nil {
		t.Fatal(err, string(said))
	}
	var got struct {
		Answers []struct {
			OK     bool
			Result any
		}
		Memory int
	}
	if err := json.Unmarshal(said, &got); err != nil {
		t.Fatal(err)
	}
	var session engine.Session
	for i, c := range calls[:len(calls)-1] {
		args, err := json.Marshal(c.Args)
		if err != nil {
			t.Fatal(err)
		}
		reply, ok := session.Call(c.Op, args)
		var want any
		if err := json.Unmarshal(reply.JSON, &want); err != nil {
			t.Fatal(err)
		}
		if got := got.Answers[i]; got.OK != ok || runtime.GOARCH == "amd64" && !reflect.DeepEqual(got.Result, want) {
			t.Errorf("%s %v: %t, %v\nnatively %t, %v", c.Op, c.Args.Set, got.OK, got.Result, ok, want)
		}
	}
	refused := got.Answers[len(calls)-1]
	if text := fmt.Sprint(refused.Result); refused.OK || !strings.Contains(text, "the page reads no files") {
		t.Errorf("a trace file: %t, %s, want a refusal", refused.OK, text)
	}
	if got.Memory > maxMemory {
		t.Errorf("the engine takes %d bytes of memory, want at most %d", got.Memory, maxMemory)
	}
}

// counter counts the bytes that are written to it.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// The engine speaks to no network and reads no file.
func TestEngineDependencies(t *testing.T) {
	list, err := goCommand("list", "-deps", enginePackage).Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(list))
	if !slices.Contains(packages, "stampede/measure") {
		t.Fatalf("the engine does not import stampede/measure: %v", packages)
	}
	for _, p := range packages {
		for _, unwanted := range []string{
			"net", "crypto", "os/exec", "go/parser", "encoding/json", "gonum.org/v1/gonum/mat",
			"github.com/invopop/jsonschema",
		} {
			if p == unwanted || strings.HasPrefix(p, unwanted+"/") {
				t.Errorf("the engine imports %s", p)
			}
		}
	}
}
