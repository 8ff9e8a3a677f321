// Command build compiles the explorer's engine to WebAssembly and writes it with Go's loader to explore/dist:
//
//	engine.wasm.gz   the engine, compressed
//	wasm_exec.js     Go's loader for it, which must be of the same version of Go
//	LICENSE          Go's, under which the loader is passed on
//	VERSION          that version
//
// The same sources, version of Go and modules give the same bytes on any machine. Run it by
//
//	go generate ./explore
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// enginePackage is what is compiled.
const enginePackage = "stampede/explore/wasm"

// withoutInlining are packages that read and describe scenarios, and do not run in a simulation. Inlining makes them
// larger: with it the module has 7.36 MB, without it 6.97 MB. Package measure would take off 0.04 MB more, and a run
// of the herd with 1,000 calls would take 2 to 6 % longer.
var withoutInlining = []string{
	"encoding/base64", "encoding/csv", "fmt", "github.com/goccy/...", "internal/fmtsort",
	"internal/reflectlite", "os", "path", "reflect", "stampede/cost", "stampede/dialect", "stampede/explore/engine",
	"stampede/internal/format", "stampede/internal/jsontext", "stampede/internal/nearest",
	"stampede/internal/strict", "stampede/internal/trace", "stampede/scenario", "strings", "syscall/js", "time",
}

// The compiler inlines the calls that a profile of the command shows to be hot: of these, those that make up the first
// half of all time, which makes a run faster by a tenth and the module larger by 0.02 MB. With the usual 99 % it would
// be larger by 0.15 MB, and no faster.
const (
	profiled = "stampede/cmd/stampede" // its folder holds the profile, default.pgo
	hottest  = "-gcflags=all=-d=pgoinlinecdfthreshold=50"
)

// experiments are parts of the runtime of Go 1.26 that the engine goes without. The collector that marks by blocks of
// memory and the allocators of their own sizes are 0.05 MB, and no faster where there are neither vectors nor threads.
const experiments = "nogreenteagc,nosizespecializedmalloc"

// Files of the folder dist.
const (
	engineName  = "engine.wasm.gz"
	versionName = "VERSION"
)

// loaderFiles are the files of dist that are Go's own, by their place below its root.
var loaderFiles = map[string]string{
	"wasm_exec.js": "lib/wasm/wasm_exec.js",
	"LICENSE":      "LICENSE",
}

// main runs in the folder of package explore.
func main() {
	if err := write("dist"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write builds all files of the folder.
func write(dir string) error {
	engine, err := compile()
	if err != nil {
		return err
	}
	packed, err := pack(engine)
	if err != nil {
		return err
	}
	root, err := goCommand("env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	files := map[string][]byte{engineName: packed, versionName: []byte(runtime.Version() + "\n")}
	for name, place := range loaderFiles {
		files[name], err = os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), filepath.FromSlash(place)))
		if err != nil {
			return err
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// compile is the engine as WebAssembly.
func compile() ([]byte, error) {
	dir, err := os.MkdirTemp("", "stampede-engine")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	command, err := goCommand("list", "-find", "-f", "{{.Dir}}", profiled).Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", profiled, err)
	}
	profile := filepath.Join(strings.TrimSpace(string(command)), "default.pgo")
	out := filepath.Join(dir, "engine.wasm")
	args := []string{"build", "-trimpath", "-buildvcs=false", "-pgo=" + profile, hottest,
		"-ldflags=-s -w -buildid=", "-o", out}
	for _, p := range withoutInlining {
		args = append(args, "-gcflags="+p+"=-l")
	}
	if said, err := goCommand(append(args, enginePackage)...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build %s: %w\n%s", enginePackage, err, said)
	}
	module, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	return shrink(module)
}

// goCommand is a command of Go for the engine's platform. Nothing that the caller's environment says about builds
// changes it.
func goCommand(args ...string) *exec.Cmd {
	c := exec.Command("go", args...)
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=", "GOWASM=", "GOEXPERIMENT="+experiments,
		"CGO_ENABLED=0")
	return c
}

// pack compresses the engine. The head has neither a name nor a time, so that it does not change.
func pack(engine []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(engine); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}
