package strict

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// Encode writes a value that Decode reads as JSON, which is YAML, too: fields
// in the order of the type, values as people write them. A field that is zero
// is left out unless its tag says zero:"keep", because its default is another.
func Encode(v any) ([]byte, error) {
	var out bytes.Buffer
	if err := encode(&out, reflect.ValueOf(v)); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func encode(out *bytes.Buffer, v reflect.Value) error {
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
	if s, ok := v.Interface().(fmt.Stringer); ok {
		return text(out, s.String())
	}
	data, err := json.Marshal(v.Interface())
	out.Write(data)
	return err
}

func fields(out *bytes.Buffer, v reflect.Value) error {
	out.WriteByte('{')
	first := true
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("yaml")
		empty := v.Field(i).IsZero() // an empty list is not one that is not there
		if name == "" || (empty && v.Type().Field(i).Tag.Get("zero") != "keep") {
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
		if err := encode(out, v.Field(i)); err != nil {
			return err
		}
	}
	out.WriteByte('}')
	return nil
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
