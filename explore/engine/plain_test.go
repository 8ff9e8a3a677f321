package engine

import (
	"encoding/json"
	"reflect"
	"testing"
)

type inner struct {
	Names []string `json:"names"`
	Low   *float64 `json:"low"`
}

type outer struct {
	Seed  uint64           `json:"seed"`
	Count int              `json:"count"`
	Half  float64          `json:"half"`
	Yes   bool             `json:"yes"`
	Text  string           `json:"text"`
	Inner inner            `json:"inner"`
	List  []inner          `json:"list"`
	ByKey map[string]inner `json:"byKey"`
	More  []string         `json:"more,omitempty"`
}

// A plain value is what encoding/json reads of what it writes.
func TestPlainIsThatOfJSON(t *testing.T) {
	x := -0.5
	for _, v := range []outer{
		{},
		{
			1 << 53, -3, 1.5, true, "<é>", inner{[]string{}, &x}, []inner{{[]string{"a", "b"}, nil}},
			map[string]inner{"k": {}}, []string{"c"},
		},
	} {
		if v.ByKey == nil {
			v.ByKey = map[string]inner{} // a nil one is not written
		}
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var want any
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		if got := plain(reflect.ValueOf(v)); !reflect.DeepEqual(got, want) {
			t.Errorf("%+v: %v, want %v", v, got, want)
		}
	}
}

// Arguments are read as encoding/json reads them.
func TestFillIsThatOfJSON(t *testing.T) {
	for _, text := range []string{
		`{}`, `null`, `{"document": "a", "set": ["b", "c"], "replication": 3, "replay": true, "other": 1}`,
		`{"set": [], "values": null, "seconds": 1.5, "policies": [{"name": "d", "set": ["e"]}, {}]}`,
		`{"replication": -2147483647}`,
	} {
		var want, got arguments
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		var tree any
		if err := json.Unmarshal([]byte(text), &tree); err != nil {
			t.Fatal(err)
		}
		if err := fill(reflect.ValueOf(&got).Elem(), tree, "run"); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		`{"replication": 1.5}`:           "run.replication: found 1.5; want int",
		`{"replication": 1e300}`:         "run.replication: found 1e+300; want int",
		`{"set": ["a", 2]}`:              "run.set.1: found 2; want string",
		`{"policies": [{"name": true}]}`: "run.policies.0.name: found true; want string",
		`[]`:                             "run: found []; want struct",
	} {
		var tree any
		if err := json.Unmarshal([]byte(text), &tree); err != nil {
			t.Fatal(err)
		}
		var a arguments
		if err := fill(reflect.ValueOf(&a).Elem(), tree, "run"); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
