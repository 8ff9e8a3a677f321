package scenario

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"stampede/fleet"
	"stampede/internal/strict"
)

// documented lists every field of the types of the file, with the type that holds it.
func documented(t *testing.T) map[string][]Field {
	t.Helper()
	all := map[string][]Field{}
	order, _ := sections()
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		if seen[typ] {
			return
		}
		seen[typ] = true
		for _, f := range fieldsIn(typ, "") {
			name, _, _ := strings.Cut(typ.Name(), "[")
			all[name+"."+f.Name()] = append(all[name+"."+f.Name()], f)
			walk(f.typ)
		}
	}
	for _, typ := range order {
		walk(typ)
	}
	return all
}

// Every field is documented: what it means, what it has when it is left out or that it is
// required, and an example that the reader takes at that place. The kinds of a choice have no
// default.
func TestEveryFieldIsDocumented(t *testing.T) {
	fields := documented(t)
	if len(fields) < 220 { // 240 on the day this was written
		t.Errorf("found %d fields; want all of the file", len(fields))
	}
	for name, at := range fields {
		for _, f := range at {
			if f.Meaning == "" || f.Example == "" {
				t.Errorf("%s: meaning %q, example %q; want both in fields.yaml", name, f.Meaning, f.Example)
				continue
			}
			if !strings.HasSuffix(f.Meaning, ".") {
				t.Errorf("%s: the meaning is no sentence: %q", name, f.Meaning)
			}
			if said := (f.Default != "") != (f.Required != ""); said == isChoice(f.owner) {
				t.Errorf("%s: default %q, required %q; want one of them, and neither of a choice", name, f.Default,
					f.Required)
			}
			if err := decodeField(f, f.Example); err != nil {
				t.Errorf("%s: the example does not parse in %v: %v", name, f.owner, err)
			}
		}
	}
	for name := range fieldDocs() {
		if fields[name] == nil {
			t.Errorf("fields.yaml documents %s, which is no field", name)
		}
	}
}

// decodeField reads a value of a field where it stands.
func decodeField(f Field, value string) error {
	node, err := strict.Parse([]byte(f.Name()+": "+value), "example")
	if err != nil {
		return err
	}
	in := reflect.New(f.owner)
	strict.Reset(in.Elem())
	return strict.NewDecoder().Decode(node, in.Interface())
}

// A default that the type states is the documented one.
func TestDocumentedDefaultsAreTrue(t *testing.T) {
	checked := 0
	for name, at := range documented(t) {
		owner := at[0].owner
		for i := range owner.NumField() {
			field := owner.Field(i)
			byDefault, ok := field.Tag.Lookup("default")
			if !ok || field.Tag.Get("yaml") != at[0].Name() {
				continue
			}
			checked++
			if said := at[0].Default; said != byDefault && said != "as in provider" {
				t.Errorf("%s: documented default %q, the type has %q", name, said, byDefault)
			}
		}
	}
	if checked < 8 {
		t.Errorf("checked %d defaults; want those of all tags", checked)
	}
}

func TestFindField(t *testing.T) {
	for _, path := range []string{"provider.limits.kind", "provider.limits.0.kind", "provider.limits[0].kind"} {
		f, err := FindField(path)
		if err != nil || f.Path != "provider.limits.kind" || !strings.HasPrefix(f.Value, "one of token_bucket") {
			t.Errorf("%s: %+v, %v", path, f, err)
		}
	}
	f, err := FindField("other_fleets[1].policy.retry")
	if err != nil || len(f.Fields) != len(strictNames[Retry]()) ||
		f.Fields[0].Path != "other_fleets.policy.retry.attempts" {
		t.Errorf("other_fleets[1].policy.retry: %+v, %v", f, err)
	}
	if f, err := FindField("provider.latency.first_token.uniform"); err != nil ||
		f.Example != "{min: 200ms, max: 600ms}" {
		t.Errorf("an example of a time carries no unit: %q, %v", f.Example, err)
	}
	for _, c := range []struct{ path, want string }{
		{"policy.retry.atempts", `did you mean "attempts"?`},
		{"polcy", `did you mean "policy"?`},
		{"per_request", "did you mean fleet.per_request?"},
		{"cooldown", "did you mean policy.fallback.cooldown or policy.route.cooldown?"},
		{"policy.retry.attempts.x", "policy.retry.attempts has no fields"},
		{"", "known: "},
		{"0", "known: "},
	} {
		if _, err := FindField(c.path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v; want %s", c.path, err, c.want)
		}
	}
}

// docs/scenario.md is what the program prints.
func TestReferenceIsCurrent(t *testing.T) {
	var want bytes.Buffer
	Reference(&want)
	got, err := os.ReadFile("../docs/scenario.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Error("docs/scenario.md is not current; run go generate ./scenario")
	}
}

// docs/presets.md is what the program prints.
func TestPresetReferenceIsCurrent(t *testing.T) {
	var want bytes.Buffer
	PresetReference(&want)
	got, err := os.ReadFile("../docs/presets.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Error("docs/presets.md is not current; run go generate ./scenario")
	}
}

// A file that uses a former name is refused with the name that the field has now, and so is a
// question about it. The change log lists both.
func TestFormerNamesAreRefused(t *testing.T) {
	changes, err := os.ReadFile("../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	known := documented(t)
	for former, now := range renamed {
		owner, last, isField := strings.Cut(former, ".")
		if !isField { // a word
			continue
		}
		row := regexp.MustCompile("(?m)^\\| `([a-z_.]+[.])?" + last + "` \\| `([a-z_.]+[.])?" + now + "` \\|$")
		if !row.Match(changes) {
			t.Errorf("CHANGELOG.md has no row for %s, which is now called %s", former, now)
		}
		if known[former] != nil {
			t.Errorf("%s is a field; it cannot be a former name", former)
		}
		at := known[owner+"."+now]
		if len(at) == 0 {
			t.Errorf("%s is now called %s, which is no field", former, now)
			continue
		}
		_, name, _ := strings.Cut(former, ".")
		node, err := strict.Parse([]byte(name+": 1"), "old.yaml")
		if err != nil {
			t.Fatal(err)
		}
		err = newDecoder().Decode(node, reflect.New(at[0].owner).Interface())
		want := fmt.Sprintf("%s: unknown field; it is now called %q", name, now)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", former, err, want)
		}
	}
	_, err = Read([]byte(base), "old.yaml", Options{Set: []string{"policy.inside.0.retry.attempts=3"}})
	if err == nil || !strings.Contains(err.Error(), `policy.inside: unknown field; it is now called "outer_layers"`) {
		t.Errorf("--set policy.inside: %v", err)
	}
	if _, err := FindField("policy.inside.retry"); err == nil ||
		!strings.Contains(err.Error(), `no field "inside" in policy; it is now called "outer_layers"`) {
		t.Errorf("explain policy.inside: %v", err)
	}
}

// Dispatch has another name, and other words.
func TestOtherNamesOfDispatch(t *testing.T) {
	text := "horizon: 9s\nworkload: {open: {rate: 1/s}, prompt_tokens: 1, output_tokens: 1}\nfleet: {instances: 3, "
	for fields, want := range map[string]fleet.Dealing{
		"dealt: in_turn": fleet.InTurn, "dealt: at_random": fleet.AtRandom, "dispatch: in_turn": fleet.InTurn,
		"dealt: round_robin": fleet.InTurn,
	} {
		if s, err := Read([]byte(text+fields+"}\n"), "f", Options{}); err != nil || s.Model.Dealt != want {
			t.Errorf("%s: %v, want %v", fields, err, want)
		}
	}
	for fields, want := range map[string]string{"dealt: in-turn": `did you mean "in_turn"?`,
		"deald: random": `did you mean "dealt"?`} {
		if _, err := Read([]byte(text+fields+"}\n"), "f", Options{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", fields, err, want)
		}
	}
	_, err := Read([]byte(text+"dealt: in_turn, dispatch: random}\n"), "f", Options{})
	if err == nil || !strings.Contains(err.Error(), `fleet.dealt: stands beside "dispatch", its other name`) {
		t.Errorf("both names: %v", err)
	}
	if f, err := FindField("fleet.dealt"); err != nil || f.Path != "fleet.dispatch" {
		t.Errorf("explain fleet.dealt: %v, %v", f.Path, err)
	}
	s, err := Read([]byte(text+"}\n"), "f", Options{Set: []string{"fleet.dealt=in_turn"}})
	if err != nil || s.Model.Dealt != fleet.InTurn {
		t.Errorf("--set fleet.dealt: %v", err)
	}
}

// What is missing in a list that a setting puts in place of the file's is reported of the setting.
func TestMissingInASetting(t *testing.T) {
	text := strings.Replace(base, "  limits:", "  gateway: {errors: [{share: 1%, status: 502}]}\n  limits:", 1)
	for _, set := range []string{"provider.gateway.errors=[{share: 2%}]", "provider.gateway={errors: [{share: 2%}]}"} {
		_, err := Read([]byte(text), "f.yaml", Options{Set: []string{set}})
		if want := "--set " + set + ": provider.gateway.errors.0.status: found none"; err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v; want %s", set, err, want)
		}
	}
}

// A mistake leads to the documentation of its field, or of the nearest field around it.
func TestMistakenField(t *testing.T) {
	for set, want := range map[string]string{
		"policy.retry.attempts=many":       "policy.retry.attempts",
		"policy.retry.atempts=3":           "policy.retry",
		"provider.limits=[{kind: bucket}]": "provider.limits.kind",
	} {
		_, err := Read([]byte(base), "f.yaml", Options{Set: []string{set}})
		if f, ok := Mistaken(err); !ok || f.Path != want {
			t.Errorf("%s: %q, %v; want %s", set, f.Path, err, want)
		}
	}
	if f, ok := Mistaken(os.ErrNotExist); ok {
		t.Errorf("a missing file is about the field %s", f.Path)
	}
}
