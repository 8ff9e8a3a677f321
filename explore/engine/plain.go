package engine

import (
	"fmt"
	"math"
	"reflect"
	"strings"
)

// A plain value is what JavaScript and Go both have: nil, a bool, a float64, a string, a []any or a map[string]any of
// plain values. Fields of structs have the names and the omitempty of their json tags, as in package
// encoding/json, which the page's engine goes without: it is 0.3 MB.

// plain is the plain value of an answer. A list or a pointer that is nil is nil.
func plain(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Bool:
		return v.Bool()
	case reflect.Int, reflect.Int64:
		return float64(v.Int())
	case reflect.Uint64:
		return float64(v.Uint())
	case reflect.Float64:
		return v.Float()
	case reflect.String:
		return v.String()
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return plain(v.Elem())
	case reflect.Slice:
		if v.IsNil() {
			return nil
		}
		out := make([]any, v.Len())
		for i := range out {
			out[i] = plain(v.Index(i))
		}
		return out
	case reflect.Map:
		out := make(map[string]any, v.Len())
		for i := v.MapRange(); i.Next(); {
			out[i.Key().String()] = plain(i.Value())
		}
		return out
	case reflect.Struct:
		out := make(map[string]any, v.NumField())
		for i := range v.NumField() {
			name, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			if options == "" || !v.Field(i).IsZero() {
				out[name] = plain(v.Field(i))
			}
		}
		return out
	}
	panic("engine: no plain value of a " + v.Type().String())
}

// fill reads arguments from a plain value. What is absent or nil stays as it is; fields of no name are passed over.
func fill(into reflect.Value, from any, path string) error {
	if from == nil {
		return nil
	}
	switch into.Kind() {
	case reflect.Bool:
		if x, ok := from.(bool); ok {
			into.SetBool(x)
			return nil
		}
	case reflect.Int:
		if x, ok := from.(float64); ok && x == math.Trunc(x) && math.Abs(x) <= math.MaxInt32 {
			into.SetInt(int64(x))
			return nil
		}
	case reflect.Float64:
		if x, ok := from.(float64); ok {
			into.SetFloat(x)
			return nil
		}
	case reflect.String:
		if x, ok := from.(string); ok {
			into.SetString(x)
			return nil
		}
	case reflect.Slice:
		if list, ok := from.([]any); ok {
			into.Set(reflect.MakeSlice(into.Type(), len(list), len(list)))
			for i, x := range list {
				if err := fill(into.Index(i), x, fmt.Sprintf("%s.%d", path, i)); err != nil {
					return err
				}
			}
			return nil
		}
	case reflect.Struct:
		if fields, ok := from.(map[string]any); ok {
			for i := range into.NumField() {
				name := into.Type().Field(i).Tag.Get("json")
				if err := fill(into.Field(i), fields[name], path+"."+name); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return fmt.Errorf("%s: found %v; want %v", path, from, into.Kind())
}
