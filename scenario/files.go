//go:build !js

package scenario

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"stampede/cost"
	"stampede/internal/strict"
)

// Files reads the files that a scenario names, each once. However many points are built from a
// file, and whatever happens to it meanwhile, all see what was read first. The zero Files is ready.
type Files struct {
	mu     sync.Mutex
	read   map[string]input
	prices []InputFile // built-in prices that depend on the day
}

type input struct {
	data   []byte
	sha    string
	prices cost.PriceList // of a price file
	day    string         // on which its prices were looked up
}

// InputFile is a file that was read, by what is in it, or a built-in price that depends on the day.
type InputFile struct {
	Name   string `json:"name"` // without its folder, so that it is the same on any machine
	SHA256 string `json:"sha256"`
	Day    string `json:"prices_on,omitempty"` // of a price file, on which dated prices were looked up
}

// Read returns the contents of a regular file; they must not be changed.
func (f *Files) Read(path string) ([]byte, error) {
	path = filepath.Clean(path)
	f.mu.Lock()
	defer f.mu.Unlock()
	if in, ok := f.read[path]; ok {
		return in.data, nil
	}
	data, err := readInput(path, maxInput)
	if err != nil {
		return nil, err
	}
	if f.read == nil {
		f.read = map[string]input{}
	}
	f.read[path] = input{data: data, sha: sha(data)}
	return data, nil
}

func sha(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

// Prices returns the prices of a file as they are on a day; see [cost.Read]. The name is for errors.
func (f *Files) Prices(path, name, day string) (cost.PriceList, error) {
	data, err := f.Read(path)
	if err != nil {
		return cost.PriceList{}, err
	}
	path = filepath.Clean(path)
	f.mu.Lock()
	defer f.mu.Unlock()
	in := f.read[path]
	if in.prices.Len() == 0 || in.day != day {
		if in.prices, err = cost.Read(bytes.NewReader(data), name, day); err != nil {
			return cost.PriceList{}, err
		}
		in.day = day
		f.read[path] = in
	}
	return in.prices, nil
}

// dated records a built-in price that depends on the day, so that a sweep is not continued with another.
func (f *Files) dated(p cost.Price) {
	f.mu.Lock()
	defer f.mu.Unlock()
	in := InputFile{"built-in price of " + p.Model, sha(cost.BuiltinTable()), p.OnDay}
	if !slices.Contains(f.prices, in) {
		f.prices = append(f.prices, in)
	}
}

// List names the files read so far, in order of name.
func (f *Files) List() []InputFile {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := slices.Clone(f.prices)
	for path, in := range f.read {
		out = append(out, InputFile{filepath.Base(path), in.sha, in.day})
	}
	slices.SortFunc(out, func(a, b InputFile) int {
		return strings.Compare(a.Name+"\x00"+a.SHA256, b.Name+"\x00"+b.SHA256)
	})
	return out
}

// Inputs reads every file that a value of an axis names, so that a missing one is found before
// anything runs, and lists all files that the sweep depends on.
func (t *Template) Inputs() ([]InputFile, error) {
	for _, a := range t.Sweep.Axes {
		for _, v := range a.Values {
			for _, file := range namedFiles(v.node.Under(a.Path, ""), "") {
				path := t.options.path(file.name)
				_, err := t.options.Files.Read(path)
				if err == nil && file.of == "price" {
					_, err = t.options.Files.Prices(path, file.name, t.options.Day)
				}
				if err != nil {
					return nil, fmt.Errorf("the axis %s, value %s: %w", a.Path, v.Label, err)
				}
			}
		}
	}
	return t.options.Files.List(), nil
}

// namedFile is a file that a document names: the field around the field named file, trace or price, and its value.
type namedFile struct{ of, name string }

func namedFiles(n *strict.Node, of string) (files []namedFile) {
	for i, item := range n.Items {
		key := of
		if n.Kind == strict.Mapping {
			if key = n.Keys[i].Name; key == "file" && item.Kind == strict.Scalar {
				files = append(files, namedFile{of, item.Text})
			}
		}
		files = append(files, namedFiles(item, key)...)
	}
	return files
}

// path is where a file that the document names is found.
func (o *Options) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(o.Dir, name)
}
