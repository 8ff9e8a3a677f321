// Package scenario is the scenario file: one YAML document that says who calls
// which provider, how, and at what price, every value with its unit.
//
// [Read] turns a document, with presets under it and settings over it, into a
// [Scenario]: the file as written and the fleet model built from it. A mistake
// is answered with file, line, column, the path of the field, what was found,
// what is allowed and the nearest known name; all mistakes are reported together.
// file.go is the language, fields.yaml its documentation.
//
// For each field, none switches the feature off, unlimited sets no bound, and null restores the
// default, which fields.yaml states. A mapping or a list that a setting
// holds replaces what is there; += merges it or adds to it; a path reaches inside.
package scenario

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"stampede/cost"
	"stampede/fleet"
	"stampede/internal/strict"
)

// Scenario is a scenario that checks.
type Scenario struct {
	File
	Model fleet.Model
	Files []string // read by the scenario, as it names them

	warnings warnings // that were found while it was read
	decoder  *strict.Decoder
}

// Errorf is an error about a field, such as goals.0, with the place where it was written last. Other packages
// use it for texts that only they understand.
func (s *Scenario) Errorf(path, format string, args ...any) error {
	return s.decoder.Errorf(path, format, args...)
}

// JoinMistakes is one error of several, such as those of Errorf; nil of none.
func JoinMistakes(mistakes []error) error { return strict.Errors(mistakes).Join() }

// Options are what the command line adds to a file.
type Options struct {
	Dir    string         // what file names in the document are relative to
	Set    []string       // settings, PATH=VALUE, over the document and in order
	Prices cost.PriceList // where model names are looked up; zero means the built-in list
	Day    string         // such as 2026-10-04, on which dated prices are looked up; empty: see cost.BuiltinOn
	Files  *Files         // by which they are read; nil means a Files of its own
}

// Default is the embedded scenario.
const Default = "documentation-assistant"

//go:embed embedded/*.yaml
var embedded embed.FS

// Embedded is the text of a scenario that the program carries.
func Embedded(name string) ([]byte, bool) {
	data, err := embedded.ReadFile("embedded/" + name + ".yaml")
	return data, err == nil
}

// EmbeddedNames lists the scenarios that the program carries.
func EmbeddedNames() []string { return fileNames(embedded, "embedded") }

func fileNames(fs embed.FS, dir string) []string {
	entries, err := fs.ReadDir(dir)
	if err != nil {
		panic(err) // embedded
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// ReadTemplate reads a scenario from a file; its folder is where other files are
// looked for.
func ReadTemplate(path string, o Options) (*Template, error) {
	data, err := readInput(path, maxScenario)
	if err != nil {
		return nil, err
	}
	o.Dir = filepath.Dir(path)
	return NewTemplate(data, path, o)
}

// ReadTemplateFrom reads a template from a stream, such as standard input. Files that it names are
// found from the current folder.
func ReadTemplateFrom(r io.Reader, name string, o Options) (*Template, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxScenario+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > maxScenario {
		return nil, fmt.Errorf("%s has more than %d bytes", name, maxScenario)
	}
	return NewTemplate(data, name, o)
}

// ParseFile reads a document without building a model of it: no file that it
// names is opened.
func ParseFile(data []byte, name string) (File, error) {
	node, err := strict.Parse(data, name)
	if err != nil {
		return File{}, err
	}
	var f File
	strict.Reset(reflect.ValueOf(&f).Elem())
	err = newDecoder().Decode(node, &f)
	return f, err
}

// Read reads a scenario from a document; the name is that of the file, for
// errors.
func Read(data []byte, name string, o Options) (*Scenario, error) {
	t, err := NewTemplate(data, name, o)
	if err != nil {
		return nil, err
	}
	return t.Base, nil
}

// read decodes a document and what lies over it, and builds the model.
func read(document *strict.Node, overlays []*strict.Node, o Options) (*Scenario, error) {
	d := newDecoder()
	s := &Scenario{decoder: d}
	strict.Reset(reflect.ValueOf(&s.File).Elem())
	var errs strict.Errors
	for _, node := range append([]*strict.Node{document}, overlays...) {
		errs.Add(d.Decode(node, &s.File))
	}
	b := builder{d: d, options: o, partial: len(errs) > 0}
	var err error
	s.Model, err = b.build(&s.File)
	s.warnings, s.Files = b.warnings, b.files
	if s.Name = oneLine(s.Name); s.Name == "" {
		s.Name = "scenario"
	}
	errs.Add(beyond(errs, err))
	if len(errs) > 0 {
		errs.Sort()
		return nil, errs.Join()
	}
	return s, nil
}

// beyond leaves out the mistakes in sections of the file that could not be read as a whole: they
// may follow from what could not be read.
func beyond(unread strict.Errors, err error) error {
	section := func(err error) string {
		var e *strict.Error
		if errors.As(err, &e) {
			top, _, _ := strings.Cut(e.Path, ".")
			return top
		}
		return ""
	}
	skip := map[string]bool{}
	for _, err := range unread {
		skip[section(err)] = true
	}
	var all, out strict.Errors
	all.Add(err)
	for _, err := range all {
		if at := section(err); !skip[at] && !skip[""] && (at != "" || len(skip) == 0) {
			out.Add(err)
		}
	}
	return out.Join()
}

// Measured is the number of the fleet whose numbers are wanted; negative for all
// together.
func (s *Scenario) Measured() int {
	if s.Measure != "" && s.Measure != All {
		for i, f := range s.Model.Fleets() {
			if f.Name == s.Measure {
				return i
			}
		}
	}
	return -1
}

// oneLine makes a name fit for tables.
func oneLine(s string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(s, "?")), " ")
}

// Resolved writes the scenario with every preset resolved and no sweep, as JSON
// that Read reads.
func (s *Scenario) Resolved() ([]byte, error) {
	f := s.File
	f.Sweep = Sweep{}
	resolvePolicy(&f.Policy)
	resolveProvider(&f.Provider)
	resolveQueue(&f.Workload)
	f.OtherFleets = slices.Clone(f.OtherFleets)
	for i, b := range f.OtherFleets {
		resolveQueue(&f.OtherFleets[i].Workload)
		if b.Policy != nil {
			own := *b.Policy
			resolvePolicy(&own)
			f.OtherFleets[i].Policy = &own
		}
	}
	f.Deployments = slices.Clone(f.Deployments)
	for i := range f.Deployments {
		f.Deployments[i].Standalone, f.Deployments[i].Preset = true, ""
	}
	f.Fallbacks = slices.Clone(f.Fallbacks)
	for i := range f.Fallbacks {
		resolveProvider(&f.Fallbacks[i].Provider)
	}
	return strict.Encode(f)
}
