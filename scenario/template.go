package scenario

import (
	"fmt"
	"slices"
	"strings"

	"stampede/cost"
	"stampede/internal/strict"
)

// Template is a scenario from which points are made.
type Template struct {
	text     []byte
	document *strict.Node
	overlays []*strict.Node
	options  Options
	Sweep    Sweep
	Base     *Scenario // without any axis
}

// NewTemplate reads a document like Read and keeps it for With. Axes given in
// the options come after those of the document.
func NewTemplate(data []byte, name string, o Options) (*Template, error) {
	document, err := strict.Parse(data, name)
	if err != nil {
		return nil, err
	}
	if o.Prices.Len() == 0 {
		if o.Prices, err = cost.BuiltinOn(o.Day); err != nil {
			return nil, err
		}
	}
	if o.Files == nil {
		o.Files = &Files{}
	}
	t := &Template{text: data, document: document, options: o}
	if err := t.lay(o.Set, "--set "); err != nil {
		return nil, err
	}
	if t.Base, err = t.With(nil, nil); err != nil {
		return nil, err
	}
	t.Sweep = t.Base.File.Sweep
	return t, nil
}

// Text is the document as it was read.
func (t *Template) Text() []byte { return t.text }

// Over is the template with further settings PATH=VALUE over it.
func (t *Template) Over(settings ...string) (*Template, error) {
	out := *t
	out.overlays = slices.Clone(t.overlays)
	if err := out.lay(settings, ""); err != nil {
		return nil, err
	}
	base, err := out.With(nil, nil)
	out.Base = base
	return &out, err
}

// lay puts settings over what is there; their place in errors begins with a flag.
func (t *Template) lay(settings []string, flag string) error {
	for _, set := range settings {
		path, value, found := strings.Cut(set, "=")
		if !found {
			return fmt.Errorf("--set %s: want PATH=VALUE, as in policy.gate.semaphore=8, or PATH+=VALUE", set)
		}
		overlay, err := strict.Setting(strings.TrimSpace(path), value, flag+set)
		if err != nil {
			return err
		}
		t.overlays = append(t.overlays, overlay)
	}
	return nil
}

// With makes the scenario in which each axis has its value. Whatever the order of the axes, one
// that reaches into what another sets comes after it.
func (t *Template) With(axes []Axis, values []Value) (*Scenario, error) {
	overlays := t.overlays[:len(t.overlays):len(t.overlays)]
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return strings.Count(axes[i].Path, ".") - strings.Count(axes[j].Path, ".")
	})
	for _, i := range order {
		v := values[i]
		if v.Label == AsAbove {
			continue
		}
		overlays = append(overlays, v.node.Under(axes[i].Path, fmt.Sprintf("%s=%s", axes[i].Path, v.Label)))
	}
	return read(t.document, overlays, t.options)
}

// CheckPath reports an axis that no value can make a scenario of, with the
// first reason.
func (t *Template) CheckPath(a Axis) error {
	var first error
	for _, v := range a.Values {
		_, err := t.With([]Axis{a}, []Value{v})
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}
