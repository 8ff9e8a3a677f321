package strict

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// Encode writes a value that Decode reads as JSON, which is YAML, too: fields
// in the order of the type, values as people write them. A field that is what it would be
// if it were not written is left out, unless its default is not its zero.
func Encode(v any) ([]byte, error) {
	var out bytes.Buffer
	if err := encode(&out, reflect.ValueOf(v)); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// exact is a value whose String is rounded for people; Exact reads back as the same value.
type exact interface{ Exact() string }

// mapping is a value that is written as a mapping of its own keys.
type mapping interface {
	Mapping() (keys []string, values []any)
}

func encode(out *bytes.Buffer, v reflect.Value) error {
	if m, ok := v.Interface().(mapping); ok {
		return pairs(out, m)
	}
	switch v.Kind() {
	case reflect.Pointer:
		return encode(out, v.Elem())
	case reflect.Struct:
		if s, ok := v.Interface().(fmt.Stringer); ok {
			return text(out, s.String())
		}
		return fields(out, v)
	case reflect.Slice:
		out.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				out.WriteByte(',')
			}
			if err := encode(out, v.Index(i)); err != nil {
				return err
			}
		}
		out.WriteByte(']')
		return nil
	}
	if s, ok := v.Interface().(exact); ok {
		return text(out, s.Exact())
	}
	if s, ok := v.Interface().(fmt.Stringer); ok {
		return text(out, s.String())
	}
	data, err := json.Marshal(v.Interface())
	out.Write(data)
	return err
}

func pairs(out *bytes.Buffer, m mapping) error {
	keys, values := m.Mapping()
	out.WriteByte('{')
	for i, key := range keys {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := text(out, key); err != nil {
			return err
		}
		out.WriteByte(':')
		if err := encode(out, reflect.ValueOf(values[i])); err != nil {
			return err
		}
	}
	out.WriteByte('}')
	return nil
}

func fields(out *bytes.Buffer, v reflect.Value) error {
	out.WriteByte('{')
	first := true
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("yaml")
		if name == "" {
			continue
		}
		if _, keep := v.Type().Field(i).Tag.Lookup("default"); !keep && same(v.Field(i), defaults(v.Type()).Field(i)) {
			continue
		}
		if !first {
			out.WriteByte(',')
		}
		first = false
		if err := text(out, name); err != nil {
			return err
		}
		out.WriteByte(':')
		var err error
		if word := wordFor(v.Type().Field(i), v.Field(i)); word != "" {
			err = text(out, word)
		} else {
			err = encode(out, v.Field(i))
		}
		if err != nil {
			return err
		}
	}
	out.WriteByte('}')
	return nil
}

// same reports whether two values of a field mean the same: an empty list is none.
func same(a, b reflect.Value) bool {
	if a.Kind() == reflect.Slice && a.Len() == 0 && b.Len() == 0 {
		return true
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

func text(out *bytes.Buffer, s string) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return err
	}
	out.Write(bytes.TrimRight(line.Bytes(), "\n"))
	return nil
}
