package strict

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strconv"

	"stampede/internal/jsontext"
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
			text(out, s.String())
			return nil
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
		text(out, s.Exact())
		return nil
	}
	if s, ok := v.Interface().(fmt.Stringer); ok {
		text(out, s.String())
		return nil
	}
	switch v.Kind() {
	case reflect.String:
		text(out, v.String())
	case reflect.Bool:
		out.WriteString(strconv.FormatBool(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		out.WriteString(strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		out.WriteString(strconv.FormatUint(v.Uint(), 10))
	case reflect.Float64:
		if x := v.Float(); math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("no JSON for the number %v", x)
		}
		out.WriteString(jsontext.Number(v.Float()))
	default:
		return fmt.Errorf("no JSON for a %v", v.Type())
	}
	return nil
}

func pairs(out *bytes.Buffer, m mapping) error {
	keys, values := m.Mapping()
	out.WriteByte('{')
	for i, key := range keys {
		if i > 0 {
			out.WriteByte(',')
		}
		text(out, key)
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
		text(out, name)
		out.WriteByte(':')
		if word := wordFor(v.Type().Field(i), v.Field(i)); word != "" {
			text(out, word)
		} else if err := encode(out, v.Field(i)); err != nil {
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

func text(out *bytes.Buffer, s string) { out.WriteString(jsontext.String(s)) }
