// Package explore is the explorer: a page that shows a scenario as a running picture, made by the same
// engine as the command line, compiled to WebAssembly.
//
// A [Site] is a set of files that needs nothing but a server of files, at any address and also below one:
//
//	index.html, style.css, *.js, vendor/    the page, from page/
//	engine.wasm.gz, wasm_exec.js, LICENSE   the engine, Go's loader for it and its licence, from dist/, of one build
//	scenes.json                             the scenes, from scenes/*.yaml
//	schema.json                             the JSON Schema of scenario files, for the editor
//	scenario.yaml                           the scenario that was given; only where one was
//
// Data flows one way. The page holds a document and settings, and hands both to the engine in a worker. The
// engine runs them and answers with numbers and a replay, and the page draws these. The page computes no
// metric, and neither it nor the engine asks any other address.
//
// [Site.Handler] serves the files, [Site.Write] writes the same bytes to a folder for any static host.
package explore

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"stampede/scenario"
)

//go:embed page dist
var built embed.FS

// Names of files that the program knows.
const (
	indexName    = "index.html"
	engineName   = "engine.wasm.gz"
	loaderName   = "wasm_exec.js"
	licenceName  = "LICENSE" // of the loader, which is Go's
	scenesName   = "scenes.json"
	schemaName   = "schema.json"
	scenarioName = "scenario.yaml"
)

// ErrNoEngine is the error of a program that was built without the engine.
var ErrNoEngine = errors.New("this build has no engine for the page: run go generate ./explore and build again")

// Site is the page with what it shows.
type Site struct {
	Given   []byte // a scenario, which the page opens in its sandbox; nil for none
	Version string // of the program, which the page names
}

// index is scenes.json.
type index struct {
	Given   bool    `json:"given"`
	Version string  `json:"version"`
	Scenes  []Scene `json:"scenes"`
}

// CheckEngine returns [ErrNoEngine] where the program was built without the engine. The rest of the site is
// there all the same.
func CheckEngine() error {
	for _, name := range []string{engineName, loaderName} {
		if _, err := built.ReadFile("dist/" + name); err != nil {
			return ErrNoEngine
		}
	}
	return nil
}

// files are the files of the site by their names, with slashes.
func (s Site) files() (map[string][]byte, error) {
	files := map[string][]byte{}
	common, err := commonFiles()
	if err != nil {
		return nil, err
	}
	for name, text := range common {
		files[name] = text
	}
	scenes, err := Scenes()
	if err != nil {
		return nil, err
	}
	files[scenesName], err = json.Marshal(index{s.Given != nil, s.Version, scenes})
	if s.Given != nil {
		files[scenarioName] = s.Given
	}
	return files, err
}

// commonFiles are the files that all sites have in common.
var commonFiles = sync.OnceValues(func() (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(built, "page", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files[strings.TrimPrefix(path, "page/")], err = built.ReadFile(path)
		return err
	})
	for _, name := range []string{engineName, loaderName, licenceName} {
		if text, err := built.ReadFile("dist/" + name); err == nil {
			files[name] = text
		}
	}
	schema, schemaErr := scenario.Schema()
	if err = errors.Join(err, schemaErr); err != nil {
		return nil, fmt.Errorf("explore: %w", err)
	}
	files[schemaName] = schema
	return files, nil
})
