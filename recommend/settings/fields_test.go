package settings

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"stampede/law"
	"stampede/policy"
)

// leaves calls back for each value of a struct, with its path in Go.
func leaves(v reflect.Value, path string, back func(path string, v reflect.Value)) {
	if v.Kind() != reflect.Struct {
		back(path, v)
		return
	}
	for i := range v.NumField() {
		leaves(v.Field(i), path+"."+v.Type().Field(i).Name, back)
	}
}

// Whatever changes in a policy, but its name, is a field: nothing that a client cannot be told stays unsaid.
func TestFieldsCoverThePolicy(t *testing.T) {
	var wanted policy.Client
	leaves(reflect.ValueOf(&wanted).Elem(), "", func(path string, v reflect.Value) {
		if path == ".Name" {
			return
		}
		switch v.Kind() {
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Int, reflect.Int64:
			v.SetInt(1)
		case reflect.Uint8, reflect.Uint16:
			v.SetUint(1)
		case reflect.Float64:
			v.SetFloat(1)
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
		case reflect.Interface:
			v.Set(reflect.ValueOf(law.Law(law.Constant(1))))
		default:
			t.Fatalf("%s: a %v", path, v.Kind())
		}
		var zero policy.Client
		if !slices.ContainsFunc(fields, func(f field) bool { return !f.same(&zero, &wanted) }) {
			t.Errorf("no field has %s", path)
		}
		v.SetZero()
	})
}

// What no client of the table has is named for each of them.
func TestUnsaidNamesEachField(t *testing.T) {
	wanted := ownTheLoop(t)
	wanted.Gate = policy.Gate{AIMD: policy.AIMD{Start: 20, Min: 20, Max: 200, Factor: 0.9}}
	wanted.Throttle = policy.Throttle{K: 2, Window: time.Minute}
	wanted.Hedge = policy.Hedge{After: time.Second}
	wanted.Fallback = policy.Fallback{On: true}
	wanted.IdempotencyKey = true
	wanted.Retry.Broken = policy.Regenerate
	wanted.Outer = []policy.Layer{{Name: "queue", Retry: policy.Retry{Attempts: 2}}}
	for _, name := range Names() {
		c, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		unsaid, err := c.Unsaid(wanted)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"policy.gate", "policy.throttle", "policy.hedge", "policy.fallback",
			"policy.idempotency_key", "policy.retry.broken_stream", "policy.outer_layers"} {
			if !slices.ContainsFunc(unsaid, func(u Unsaid) bool { return u.Path == path }) {
				t.Errorf("%s does not say that %s cannot be set: %v", name, path, unsaid)
			}
		}
	}
}
