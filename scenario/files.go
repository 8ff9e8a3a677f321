package scenario

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"stampede/scenario/strict"
)

// Files reads the files that a scenario names, each once. However many points are built from a
// file, and whatever happens to it meanwhile, all see what was read first. The zero Files is ready.
type Files struct {
	mu   sync.Mutex
	read map[string]input
}

type input struct {
	data []byte
	sha  string
}

// InputFile is a file that was read, by what is in it.
type InputFile struct {
	Name   string `json:"name"` // without its folder, so that it is the same on any machine
	SHA256 string `json:"sha256"`
}

// Read returns the contents of a regular file; they must not be changed.
func (f *Files) Read(path string) ([]byte, error) {
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
	f.read[path] = input{data, fmt.Sprintf("%x", sha256.Sum256(data))}
	return data, nil
}

// List names the files read so far, in order of name.
func (f *Files) List() []InputFile {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []InputFile
	for path, in := range f.read {
		out = append(out, InputFile{filepath.Base(path), in.sha})
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
			for _, name := range namedFiles(v.node.Under(a.Path, "")) {
				if _, err := t.options.Files.Read(t.options.path(name)); err != nil {
					return nil, fmt.Errorf("the axis %s, value %s: %w", a.Path, v.Label, err)
				}
			}
		}
	}
	return t.options.Files.List(), nil
}

// namedFiles lists the values of fields named file, those of traces and of prices.
func namedFiles(n *strict.Node) (names []string) {
	for i, item := range n.Items {
		if n.Kind == strict.Mapping && n.Keys[i].Name == "file" && item.Kind == strict.Scalar {
			names = append(names, item.Text)
		}
		names = append(names, namedFiles(item)...)
	}
	return names
}

// path is where a file that the document names is found.
func (o *Options) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(o.Dir, name)
}
