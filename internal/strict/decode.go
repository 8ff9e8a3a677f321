package strict

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"stampede/internal/nearest"
)

// Decoder decodes trees over one another and remembers where each field was
// last written, so that a later check can point there.
type Decoder struct {
	Renamed map[string]string // what a field or word is called now, by Type.former_name or Type=former_word
	Aliases map[string]string // what a field or word that has two names is called here, likewise

	origins map[string]origin
}

// NewDecoder makes a decoder.
func NewDecoder() *Decoder { return &Decoder{origins: map[string]origin{}} }

// Unmarshaler is a type that reads its own node. It may hand nodes back to the
// decoder.
type Unmarshaler interface {
	UnmarshalNode(d *Decoder, n *Node, path string) error
}

// Words is a string type with a fixed vocabulary.
type Words interface{ Words() []string }

// Texter is a type written as one value, such as a duration. ParseText reports
// what is allowed when it does not understand.
type Texter interface{ ParseText(text string) error }

// OneOf is a struct of pointers of which exactly one is set, such as a choice of
// distributions. Over a value that has another choice set, the new one replaces
// it; over the same choice, it is merged.
type OneOf interface{ OneOf() }

// Decode decodes the tree into what v points to. Fields that the tree does not
// mention keep their value. All mistakes are found, not only the first: see [Errors].
func (d *Decoder) Decode(n *Node, v any) error {
	return d.Into(n, reflect.ValueOf(v).Elem(), "")
}

// Errorf is an error at the place where the field of the path, or the nearest
// field around it, was last written.
func (d *Decoder) Errorf(path, format string, args ...any) error {
	e := &Error{Path: path, Message: fmt.Sprintf(format, args...)}
	for at := path; ; at = at[:strings.LastIndexByte(at, '.')] {
		if o, ok := d.origins[at]; ok {
			e.origin = o
			return e
		}
		if !strings.Contains(at, ".") {
			e.origin = d.origins[""]
			return e
		}
	}
}

// forget drops where the fields below a path stood, since others take their place.
func (d *Decoder) forget(path string) {
	maps.DeleteFunc(d.origins, func(at string, _ origin) bool { return strings.HasPrefix(at, path+".") })
}

// Fail is an error at a node.
func (n *Node) Fail(path, format string, args ...any) error {
	return &Error{Path: path, Message: fmt.Sprintf(format, args...), origin: n.origin}
}

// Into decodes a node into a value under a path.
func (d *Decoder) Into(n *Node, v reflect.Value, path string) error {
	d.origins[path] = n.origin
	if v.CanAddr() {
		if u, ok := v.Addr().Interface().(Unmarshaler); ok {
			return u.UnmarshalNode(d, n, path)
		}
	}
	return d.Plain(n, v, path)
}

// Plain decodes like Into but does not ask the type to read itself, so that an
// Unmarshaler can use it on itself.
func (d *Decoder) Plain(n *Node, v reflect.Value, path string) error {
	if v.CanAddr() {
		if t, ok := v.Addr().Interface().(Texter); ok {
			if n.Kind != Scalar {
				return n.Fail(path, "found %v; want one value", n.Kind)
			}
			if err := t.ParseText(n.Text); err != nil {
				return n.Fail(path, "found %q; %v", n.Text, err)
			}
			return nil
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		if n.Kind == Null {
			v.SetZero()
			return nil
		}
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
			Reset(v.Elem())
		}
		return d.Into(n, v.Elem(), path)
	case reflect.Struct:
		return d.fields(n, v, path)
	case reflect.Slice:
		return d.list(n, v, path)
	}
	return d.scalar(n, v, path)
}

// Names lists the fields of a struct type as they are written.
func Names(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("yaml"); name != "" {
			names = append(names, name)
		}
	}
	return names
}

var numbersOf sync.Map // by type

// numbers are the fields of a struct type by their names.
func numbers(t reflect.Type) map[string]int {
	if known, ok := numbersOf.Load(t); ok {
		return known.(map[string]int)
	}
	out := map[string]int{}
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("yaml"); name != "" {
			out[name] = i
		}
	}
	numbersOf.Store(t, out)
	return out
}

func (d *Decoder) fields(n *Node, v reflect.Value, path string) error {
	t := v.Type()
	if n.Kind != Mapping {
		what := n.Kind.String()
		if n.Kind == Scalar {
			what = strconv.Quote(n.Text)
		}
		return n.Fail(path, "found %s; want a mapping of %s", what, nearest.List(Names(t)))
	}
	_, oneOf := v.Interface().(OneOf)
	if oneOf && len(n.Keys) != 1 {
		return n.Fail(path, "found %d fields; want exactly one of %s", len(n.Keys), nearest.List(Names(t)))
	}
	var errs Errors
	number := numbers(t)
	for i, key := range n.Keys {
		item, at := n.Items[i], Join(path, key.Name)
		index, ok := number[key.Name]
		if alias, known := d.Aliases[t.Name()+"."+key.Name]; !ok && known {
			if n.field(alias) != nil {
				errs.Add(&Error{Path: at, origin: key.origin,
					Message: fmt.Sprintf("stands beside %q, its other name", alias)})
				continue
			}
			at = Join(path, alias)
			index, ok = number[alias]
		}
		if !ok {
			hint := nearest.Unknown(key.Name, append(d.others(t.Name()+"."), Names(t)...))
			if name, index, ok := strings.Cut(strings.TrimSuffix(key.Name, "]"), "["); ok {
				hint = fmt.Sprintf("an item of a list is written as in %s.%s", name, index)
			}
			if name, ok := d.Renamed[t.Name()+"."+key.Name]; ok {
				hint = fmt.Sprintf("it is now called %q", name)
			}
			errs.Add(&Error{Path: at, origin: key.origin, Message: "unknown field; " + hint})
			continue
		}
		field, unset := v.Field(index), defaults(t).Field(index)
		if oneOf && field.IsZero() {
			v.SetZero()
		}
		d.origins[at] = key.origin
		if !word(item, t.Field(index), field, unset) {
			if item.whole {
				field.Set(unset)
				d.forget(at)
			}
			err := d.Into(item, field, at)
			if err == nil {
				err = refuseZero(item, t.Field(index), field, at)
			}
			errs.Add(allowWords(err, item, t.Field(index), at))
		}
		if oneOf && field.IsZero() && len(errs) == 0 {
			errs.Add(item.Fail(at, "found nothing; want a value"))
		}
	}
	return errs.Join()
}

// list decodes a list, or, from a mapping whose keys are indexes, single items
// of the list that is there.
func (d *Decoder) list(n *Node, v reflect.Value, path string) error {
	var errs Errors
	switch n.Kind {
	case Null:
		v.SetZero()
		return nil
	case Sequence:
		before := 0
		if n.adds {
			before = v.Len()
		} else if v.Len() > 0 {
			d.forget(path)
		}
		out := reflect.MakeSlice(v.Type(), before+len(n.Items), before+len(n.Items))
		reflect.Copy(out, v.Slice(0, before))
		for i, item := range n.Items {
			Reset(out.Index(before + i))
			errs.Add(d.Into(item, out.Index(before+i), Join(path, strconv.Itoa(before+i))))
		}
		v.Set(out)
		return errs.Join()
	case Mapping:
		copied := reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()), v)
		for i, key := range n.Keys {
			index, err := strconv.Atoi(key.Name)
			if err != nil || index < 0 || index >= v.Len() {
				has := fmt.Sprintf("found %q in place of a list", key.Name)
				if v.Len() > 0 {
					has = fmt.Sprintf("found index %q; the list has the items 0 to %d", key.Name, v.Len()-1)
				}
				return &Error{Path: Join(path, key.Name), origin: key.origin, Message: has}
			}
			if n.Items[i].whole {
				Reset(copied.Index(index))
			}
			errs.Add(d.Into(n.Items[i], copied.Index(index), Join(path, key.Name)))
		}
		v.Set(copied)
		return errs.Join()
	}
	return n.Fail(path, "found %q; want a list", n.Text)
}

// others are the other names of fields or words that are written with a prefix, in order.
func (d *Decoder) others(prefix string) (names []string) {
	for written := range d.Aliases {
		if name, ok := strings.CutPrefix(written, prefix); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (d *Decoder) scalar(n *Node, v reflect.Value, path string) error {
	if n.Kind != Scalar {
		return n.Fail(path, "found %v; want one value", n.Kind)
	}
	if w, ok := v.Interface().(Words); ok {
		if word, ok := d.Aliases[v.Type().Name()+"="+n.Text]; ok {
			v.SetString(word)
			return nil
		}
		if !slices.Contains(w.Words(), n.Text) {
			hint := nearest.Unknown(n.Text, append(d.others(v.Type().Name()+"="), w.Words()...))
			if word, ok := d.Renamed[v.Type().Name()+"="+n.Text]; ok {
				hint = fmt.Sprintf("it is now called %q", word)
			}
			return n.Fail(path, "found %q; %s", n.Text, hint)
		}
		v.SetString(n.Text)
		return nil
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(n.Text)
		return nil
	case reflect.Bool:
		if n.Text != "true" && n.Text != "false" {
			return n.Fail(path, "found %q; want true or false", n.Text)
		}
		v.SetBool(n.Text == "true")
		return nil
	case reflect.Int:
		x, err := strconv.ParseInt(strings.ReplaceAll(n.Text, "_", ""), 10, 64)
		if err != nil {
			return n.Fail(path, "found %q; want a whole number", n.Text)
		}
		v.SetInt(x)
		return nil
	case reflect.Uint64:
		x, err := strconv.ParseUint(strings.ReplaceAll(n.Text, "_", ""), 10, 64)
		if err != nil {
			return n.Fail(path, "found %q; want a whole number from 0", n.Text)
		}
		v.SetUint(x)
		return nil
	case reflect.Float64:
		x, err := strconv.ParseFloat(n.Text, 64)
		if err != nil || x != x || x > 1e300 || x < -1e300 {
			return n.Fail(path, "found %q; want a number", n.Text)
		}
		v.SetFloat(x)
		return nil
	}
	panic("strict: no way to decode " + v.Type().String())
}

// Join appends a name to a path.
func Join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
