package scenario

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"stampede/internal/nearest"
	"stampede/internal/strict"
)

// FieldDoc is the documentation of one field.
type FieldDoc struct {
	Meaning  string `yaml:"meaning"`
	Unit     string `yaml:"unit"`
	Default  string `yaml:"default"`
	Required string `yaml:"required"` // yes, or the condition
	Example  string `yaml:"example"`
}

// sentence is the documentation as one text, as in the JSON Schema.
func (d FieldDoc) sentence() string {
	text := d.Meaning
	if d.Unit != "" {
		text += " Unit: " + d.Unit + "."
	}
	if d.Required != "" {
		text += " " + d.requirement() + "."
	}
	if d.Default != "" {
		text += " Default: " + d.Default + "."
	}
	return text
}

// requirement says whether, or when, the field must be written.
func (d FieldDoc) requirement() string {
	if d.Required == "yes" {
		return "Required"
	}
	return "Required " + d.Required
}

// fieldDocs reads fields.yaml: the documentation by type and field.
var fieldDocs = sync.OnceValue(func() map[string]FieldDoc {
	root, err := strict.Parse(fieldsText, "fields.yaml")
	if err != nil {
		panic(err) // part of the program
	}
	docs := map[string]FieldDoc{}
	for i, owner := range root.Keys {
		for j, field := range root.Items[i].Keys {
			var doc FieldDoc
			if err := strict.NewDecoder().Decode(root.Items[i].Items[j], &doc); err != nil {
				panic(err)
			}
			docs[owner.Name+"."+field.Name] = doc
		}
	}
	return docs
})

// docOf is the documentation of a field of a type of the file.
func docOf(owner reflect.Type, field string) FieldDoc {
	name, argument, _ := strings.Cut(owner.Name(), "[")
	doc, ok := fieldDocs()[name+"."+field]
	if !ok && owner == reflect.TypeFor[Deployment]() { // a provider's
		doc = fieldDocs()["Provider."+field]
		doc.Default, doc.Required = "as in provider", ""
	}
	if !ok && owner == reflect.TypeFor[KindTimeouts]() {
		doc = fieldDocs()["Timeouts."+field]
		doc.Default = "as in policy.timeouts"
	}
	unit := ""
	if strings.HasSuffix(argument, "Span]") {
		unit = "ms"
	}
	doc.Example = strings.ReplaceAll(doc.Example, "~", unit)
	return doc
}

// Field is a field of the scenario file.
type Field struct {
	Path string // without indices, such as provider.limits.kind
	FieldDoc
	Value  string   // how it is written, such as "a time with its unit"
	Words  []string // none and unlimited with what they mean, where they are allowed
	Fields []Field  // inside it, one level deep
	Choice bool     // exactly one of the fields is written

	typ   reflect.Type // of the value; of one item where the value is a list
	owner reflect.Type
}

// Name is the last part of the path.
func (f Field) Name() string { return f.Path[strings.LastIndexByte(f.Path, '.')+1:] }

// Fields are the fields at the top of the file.
func Fields() []Field { return fieldsIn(reflect.TypeFor[File](), "") }

// FindField is the field at a path, with or without the indices of lists: provider.limits.kind,
// provider.limits.0.kind or provider.limits[0].kind.
func FindField(path string) (Field, error) {
	f := Field{typ: reflect.TypeFor[File]()}
	for _, name := range strings.Split(strings.NewReplacer("[", ".", "]", "").Replace(path), ".") {
		if name != "" && strings.Trim(name, "0123456789") == "" && f.Path != "" {
			continue
		}
		if own, ok := aliases[f.typ.Name()+"."+name]; ok {
			name = own
		}
		inside := fieldsIn(f.typ, f.Path)
		at := -1
		var names []string
		for i, in := range inside {
			names = append(names, in.Name())
			if in.Name() == name {
				at = i
			}
		}
		where := "the scenario"
		if f.Path != "" {
			where = f.Path
		}
		switch {
		case at < 0 && len(inside) == 0:
			return Field{}, fmt.Errorf("%s: %s has no fields", path, where)
		case at < 0:
			hint := nearest.Unknown(name, names)
			if now, ok := renamed[f.typ.Name()+"."+name]; ok {
				hint = fmt.Sprintf("it is now called %q", now)
			} else if paths := pathsTo(name); f.Path == "" && len(paths) > 0 {
				hint = fmt.Sprintf("did you mean %s?", strings.Join(paths, " or "))
			}
			return Field{}, fmt.Errorf("%s: no field %q in %s; %s", path, name, where, hint)
		}
		f = inside[at]
	}
	f.Fields = fieldsIn(f.typ, f.Path)
	return f, nil
}

// pathsTo are the shortest paths to fields of a name, three at most.
func pathsTo(name string) (paths []string) {
	level := Fields()
	for depth := 0; depth < 4 && len(paths) == 0; depth++ {
		var inside []Field
		for _, f := range level {
			if f.Name() == name {
				paths = append(paths, f.Path)
			}
			inside = append(inside, fieldsIn(f.typ, f.Path)...)
		}
		level = inside
	}
	return paths[:min(3, len(paths))]
}

// fieldsIn lists the fields of a type of the file; none of a type that is written as one value.
func fieldsIn(t reflect.Type, path string) (fields []Field) {
	add := func(name string, typ reflect.Type, tagged reflect.StructField) {
		f := Field{Path: strict.Join(path, name), FieldDoc: docOf(t, name), owner: t}
		f.Value, f.typ = written(typ)
		f.Choice = isChoice(f.typ)
		none, unlimited := tagged.Tag.Get("none"), tagged.Tag.Get("unlimited")
		switch {
		case none != "" && none == unlimited:
			f.Words = []string{"none or unlimited: " + none}
		default:
			for _, word := range strict.WordsOf(tagged) {
				f.Words = append(f.Words, word+": "+tagged.Tag.Get(word))
			}
		}
		fields = append(fields, f)
	}
	if t == reflect.TypeFor[Sweep]() { // its other fields are paths
		add("points", reflect.TypeFor[Count](), reflect.StructField{})
		add("sample", reflect.TypeFor[Sample](), reflect.StructField{})
		return fields
	}
	if t.Kind() != reflect.Struct || reflect.PointerTo(t).Implements(reflect.TypeFor[strict.Texter]()) {
		return nil
	}
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("yaml"); name != "" {
			add(name, t.Field(i).Type, t.Field(i))
		}
	}
	return fields
}

// choices lists the kinds of a choice that are written as their name alone.
func choices(t reflect.Type) string {
	var names string
	for i := range t.NumField() {
		if t.Field(i).Type == reflect.TypeFor[*struct{}]() {
			names += t.Field(i).Tag.Get("yaml") + ", "
		}
	}
	if names == "" {
		return ""
	}
	return names + "or "
}

func isChoice(t reflect.Type) bool { return t.Implements(reflect.TypeFor[strict.OneOf]()) }

// written says how a value of a type is written, and which type it or one item of it has.
func written(t reflect.Type) (string, reflect.Type) {
	if t.Kind() == reflect.Pointer {
		return written(t.Elem())
	}
	if t == reflect.TypeFor[EachTimeout]() {
		value, item := written(reflect.TypeFor[Timer]())
		return value + ", or a list of these", item
	}
	if t == reflect.TypeFor[Where]() {
		return "a mapping of columns to a value or a list of values", reflect.TypeFor[string]()
	}
	if t.Kind() == reflect.Slice {
		value, item := written(t.Elem())
		return "a list; each item: " + value, item
	}
	if s, ok := scalars[t]; ok {
		return strings.ToLower(s.description[:1]) + strings.TrimSuffix(s.description[1:], "."), t
	}
	if w, ok := reflect.Zero(t).Interface().(strict.Words); ok {
		return "one of " + strings.Join(w.Words(), ", "), t
	}
	switch t.Kind() {
	case reflect.String:
		return "text", t
	case reflect.Bool:
		return "true or false", t
	case reflect.Int, reflect.Uint64:
		return "a whole number", t
	}
	switch t {
	case reflect.TypeFor[struct{}]():
		return "its name alone", t
	case reflect.TypeFor[Policy](), reflect.TypeFor[Layer](), reflect.TypeFor[Provider](),
		reflect.TypeFor[Deployment]():
		return "the name of a preset, or a mapping", t
	case reflect.TypeFor[Redeliver]():
		return "the name of a queue, or a mapping", t
	case reflect.TypeFor[Price]():
		return "the name of a model, or a mapping", t
	case reflect.TypeFor[List]():
		return "a list of times, or a mapping", t
	case reflect.TypeFor[MaxRequest]():
		return "a size with its unit, such as 32MB, or a mapping", t
	case reflect.TypeFor[Addition](), reflect.TypeFor[Deadline]():
		return "a time with its unit, or a mapping", t
	case reflect.TypeFor[Connection]():
		kind, _ := written(reflect.TypeFor[Reach]())
		return kind + "; or a mapping", t
	case reflect.TypeFor[RetryAfter]():
		return "ignore, in_full, or a mapping", t
	case reflect.TypeFor[Law[Span]](), reflect.TypeFor[Law[Count]](), reflect.TypeFor[Law[Number]]():
		value, _ := written(t.Field(0).Type)
		return value + "; or a distribution", t
	case reflect.TypeFor[Workers]():
		return "a whole number from 1; a list of {at, count}; or a mapping", t
	case reflect.TypeFor[Uncertain]():
		return "a mapping of paths to shares such as ±20% or to ranges such as 10s..60s", t
	case reflect.TypeFor[Sweep]():
		return "a mapping of paths to lists of values or to ranges such as 1..64 log 7", t
	}
	if isChoice(t) {
		return choices(t) + "a mapping with exactly one field", t
	}
	return "a mapping", t
}

// Mistaken is the documented field that the first mistake of a scenario is about, or the nearest
// one around it.
func Mistaken(err error) (Field, bool) {
	var mistake *strict.Error
	if !errors.As(err, &mistake) {
		return Field{}, false
	}
	for path := mistake.Path; path != ""; path = path[:max(0, strings.LastIndexByte(path, '.'))] {
		if f, err := FindField(path); err == nil {
			return f, true
		}
	}
	return Field{}, false
}
