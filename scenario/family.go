package scenario

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"stampede/internal/strict"
	"stampede/internal/words"
)

// A family is the table of the presets of one provider. What they share stands once, with (cell)
// where they differ:
//
//	name: openai-(tier)-(model)
//	tiers: {build: {cap: $500/month}}
//	models: {gpt-4o: {speed: 108}}
//	rows:
//	  - {tier: build, model: gpt-4o, requests: 5000/min}
//	provider:
//	  limits: [{resource: requests, limit: (requests)}, {resource: dollars, limit: (cap)}]
//	  latency: {tokens_per_second: (speed)}
//
// A cell is looked for in the row, in its tier, in its model, and in cells. A field whose cell is
// nowhere is left out, and so is the item of a list that lost a field: a row without cap has no
// limit on dollars. A cell that is null leaves out its field alone. The evidence of a cell is looked
// for in the same places.
type family struct {
	Name       string `yaml:"name"`
	Versions   string `yaml:"versions"`
	ReplacedBy string `yaml:"replaced_by"`
	Notes      string `yaml:"notes"` // those of its model, its tier and the row follow
	Sources    raw    `yaml:"sources"`
	Evidence   raw    `yaml:"evidence"`
	Cells      raw    `yaml:"cells"`
	Tiers      raw    `yaml:"tiers"`
	Models     raw    `yaml:"models"`
	Rows       []raw  `yaml:"rows"`
	Provider   raw    `yaml:"provider"`
}

// raw is a part of a document that is kept as it is.
type raw struct{ *strict.Node }

// UnmarshalNode implements strict.Unmarshaler.
func (r *raw) UnmarshalNode(_ *strict.Decoder, n *strict.Node, _ string) error {
	r.Node = n
	return nil
}

// readFamily reads a table and writes out its rows.
func readFamily(files fs.ReadFileFS, path string) ([]*Preset, error) {
	text, err := files.ReadFile(path)
	if err != nil {
		return nil, err
	}
	node, err := strict.Parse(text, path)
	if err != nil {
		return nil, err
	}
	var f family
	if err := newDecoder().Decode(node, &f); err != nil {
		return nil, err
	}
	var out []*Preset
	for _, row := range f.Rows {
		p, err := f.preset(row.Node)
		if err != nil {
			return nil, err
		}
		if tier := row.Field("tier"); tier != nil {
			p.Tier, p.table = tier.Text, path
			if model := row.Field("model"); model != nil {
				p.table += " " + model.Text
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// preset writes out a row.
func (f *family) preset(row *strict.Node) (*Preset, error) {
	r := rowReader{family: f, layers: []*strict.Node{row}}
	for i, cell := range []string{"tier", "model"} { // in this order, which decides where both have a cell
		group := [...]raw{f.Tiers, f.Models}[i]
		if key := row.Field(cell); key != nil && group.Node != nil {
			layer := group.Field(key.Text)
			if layer == nil {
				return nil, key.Fail("rows", "found the %s %q; %ss lacks it", cell, key.Text, cell)
			}
			r.layers = append(r.layers, layer)
		}
	}
	r.layers = append(r.layers, f.Cells.Node)
	node, _, err := r.fill(f.Provider.Node, place{}, said{})
	if err != nil {
		return nil, err
	}
	p := &Preset{Notes: r.notes(), Facts: r.facts, Provider: &Provider{}}
	p.Name, _ = r.text("name", f.Name)
	p.Versions, _ = r.text("versions", f.Versions)
	if by, complete := r.text("replaced_by", f.ReplacedBy); complete {
		p.ReplacedBy = by
	}
	p.node = &strict.Node{Kind: strict.Mapping, Keys: []strict.Key{{Name: "provider"}}, Items: []*strict.Node{node}}
	if err := newDecoder().Decode(p.node, p); err != nil {
		return nil, fmt.Errorf("preset %s: %w", p.Name, err)
	}
	return p, nil
}

// rowReader fills in the cells of one row, and notes the evidence of each field.
type rowReader struct {
	*family
	layers []*strict.Node // where cells are looked for, in this order
	facts  []Fact
}

// cell is what a cell holds, or nil.
func (r *rowReader) cell(name string) *strict.Node {
	for _, layer := range r.layers {
		if n := layer.Field(name); n != nil {
			return n
		}
	}
	return nil
}

// text is a text with its cells filled in; the row, its tier or its model may have one of its own.
// What stands in parentheses and is no cell stays, and the text is not complete.
func (r *rowReader) text(own, shared string) (text string, complete bool) {
	if n := r.cell(own); n != nil {
		shared = n.Text
	}
	complete = true
	text = cellName.Fill(shared, func(name string) string {
		n := r.cell(name)
		if n == nil {
			complete = false
			return "(" + name + ")"
		}
		return n.Text
	})
	return text, complete
}

var cellName = words.Placeholder{Open: '(', Close: ')'}

// notes are the notes of the family and of what the row is made of.
func (r *rowReader) notes() string {
	all, _ := r.text("", r.Notes)
	for i := len(r.layers) - 1; i >= 0; i-- {
		if n := r.layers[i].Field("notes"); n != nil {
			more, _ := r.text("", n.Text)
			all = strings.TrimSpace(all) + " " + strings.TrimSpace(more)
		}
	}
	return strings.TrimSpace(all)
}

// evidence is what is said of a cell or a field, in the row, its tier, its model or the family.
func (r *rowReader) evidence(of string) *strict.Node {
	for _, layer := range append(r.layers, &strict.Node{
		Kind: strict.Mapping, Keys: []strict.Key{{Name: "evidence"}}, Items: []*strict.Node{r.Evidence.Node},
	}) {
		if n := layer.Field("evidence").Field(of); n != nil {
			return n
		}
	}
	return nil
}

// place is where a part of the provider stands: its path in the table and in the preset. They differ, since items
// of lists may be left out.
type place struct{ table, path string }

func (p place) in(table, path string) place {
	return place{strict.Join(p.table, table), strict.Join(p.path, path)}
}

// said is the evidence that holds for a part: the cell or the part of the table that has it, and
// the part of the preset that it is about.
type said struct{ of, path string }

// fill writes out a part of the shared provider. It is nil when the row lacks its cell; lost says
// that it lacks that of a field within.
func (r *rowReader) fill(n *strict.Node, at place, by said) (out *strict.Node, lost bool, err error) {
	if at.table != "" && r.evidence(at.table) != nil {
		by = said{at.table, at.path}
	}
	switch n.Kind {
	case strict.Scalar:
		name, ok := cellName.Name(n.Text)
		if !ok {
			return n, false, r.note(by, at.path, n.Text)
		}
		if out = r.cell(name); out == nil || out.Kind == strict.Null {
			return nil, out == nil, nil
		}
		if r.evidence(name) != nil {
			by = said{name, at.path}
		}
		return out, false, r.note(by, at.path, out.Flow())
	case strict.Sequence:
		out = &strict.Node{Kind: n.Kind}
		for i, item := range n.Items {
			facts := slices.Clone(r.facts)
			got, lost, err := r.fill(item, at.in(strconv.Itoa(i), strconv.Itoa(len(out.Items))), by)
			if err != nil {
				return nil, false, err
			}
			if lost {
				r.facts = facts
				continue
			}
			out.Items = append(out.Items, got)
		}
		return out, false, nil
	case strict.Mapping:
		out = &strict.Node{Kind: n.Kind}
		for i, item := range n.Items {
			name := n.Keys[i].Name
			got, less, err := r.fill(item, at.in(name, name), by)
			if err != nil {
				return nil, false, err
			}
			if got == nil {
				lost = lost || less
				continue
			}
			out.Keys, out.Items = append(out.Keys, strict.Key{Name: name}), append(out.Items, got)
		}
		if lost && len(out.Items) == 0 {
			return nil, true, nil
		}
		return out, lost, nil
	}
	return n, false, nil
}

// note adds a field to the facts: to that of its part, if there is one with the same evidence. Each
// field of a limit has a fact of its own. What a limit is on needs none.
func (r *rowReader) note(by said, path, value string) error {
	if strings.HasSuffix(path, ".resource") || strings.HasSuffix(path, ".name") {
		return nil
	}
	if by.path == "limits" {
		by.path = path
	}
	for i, f := range r.facts {
		if f.said == by.of && f.Path == by.path {
			r.facts[i] = f.with(path, value)
			return nil
		}
	}
	fact := Fact{Path: by.path, said: by.of}.with(path, value)
	if by.of != "" {
		if err := fact.read(r.evidence(by.of), r.Sources.Node); err != nil {
			return err
		}
	}
	r.facts = append(r.facts, fact)
	return nil
}
