package scenario

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stampede/internal/strict"
)

// settable is a field of a scenario with values for it.
type settable struct {
	path string
	of   reflect.StructField
}

var settables = func() (out []settable) {
	walk(reflect.TypeFor[File](), "", nil, func(at string, field reflect.StructField) {
		if !strings.HasPrefix(at, "sweep") && !strings.HasPrefix(at, "workload.trace.file") &&
			!strings.HasSuffix(at, "price.file") {
			out = append(out, settable{at, field})
		}
	})
	return out
}()

// value draws a value of a type as it may be written; empty when none can be drawn.
func value(t *rapid.T, of reflect.StructField) string {
	words := append(strict.WordsOf(of), "null")
	if rapid.IntRange(0, 5).Draw(t, "word") == 0 {
		return rapid.SampledFrom(words).Draw(t, "which")
	}
	kind := of.Type
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	share := rapid.Float64Range(0, 1).Draw(t, "share")
	whole := rapid.IntRange(1, 40).Draw(t, "whole")
	span := Span(rapid.Int64Range(1, 1e11).Draw(t, "span")).String()
	law := func(q string) string {
		return rapid.SampledFrom([]string{q, "{uniform: {min: 0, max: " + q + "}}", "{exponential: {mean: " + q + "}}",
			"{lognormal: {mean: " + q + ", cv: 0.7}}",
			"{gamma: {mean: " + q + ", cv: 1.5}}", "{mixture: [{weight: 0, law: " + q +
				"}, {weight: 0.3, law: {exponential: {mean: " + q + "}}}]}", "{empirical: [" + q + ", " + q + "]}"}).
			Draw(t, "law")
	}
	switch v := reflect.New(kind).Interface().(type) {
	case *Span, *Timer, *Warmup:
		return span
	case *EachTimeout:
		return rapid.SampledFrom([]string{span, "[" + span + ", none]"}).Draw(t, "each")
	case *Law[Span]:
		return law(span)
	case *Law[Count]:
		return law(strconv.Itoa(whole))
	case *Law[Number]:
		return law(strconv.FormatFloat(share+0.1, 'g', -1, 64))
	case *List:
		return rapid.SampledFrom([]string{"[" + span + ", 8s]", "{waits: [0s, " + span + "], jitter: full}"}).
			Draw(t, "list")
	case *Addition:
		return rapid.SampledFrom([]string{span, "{share: 10%, max: " + span + "}", "{share: 50%}"}).Draw(t, "plus")
	case *Count, *Bound, *Places, *Over, *Portion:
		return strconv.Itoa(whole)
	case *Number:
		return strconv.FormatFloat(3*share, 'g', -1, 64)
	case *Share:
		return strconv.FormatFloat(share, 'g', -1, 64)
	case *PerTime:
		return fmt.Sprintf("%d/%s", whole, rapid.SampledFrom([]string{"s", "min", "h", "day", "7s"}).Draw(t, "per"))
	case *Rate:
		return fmt.Sprintf("%d/%s", whole, rapid.SampledFrom([]string{"s", "min", "h", "day", "month", "7s",
			"1ms"}).Draw(t, "per"))
	case *Dollars:
		return strconv.FormatFloat(10*share, 'g', -1, 64)
	case strict.Words:
		return rapid.SampledFrom(v.Words()).Draw(t, "of")
	}
	switch kind.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(share < 0.5)
	case reflect.Int:
		return strconv.Itoa(whole)
	case reflect.Uint64:
		return strconv.FormatUint(rapid.Uint64().Draw(t, "uint"), 10)
	case reflect.Struct:
		if kind.NumField() == 0 {
			return "{}"
		}
	case reflect.Slice:
		if w, ok := reflect.Zero(kind.Elem()).Interface().(strict.Words); ok {
			return "[" + rapid.SampledFrom(w.Words()).Draw(t, "of") + "]"
		}
		if kind.Elem() == reflect.TypeFor[RetryOn]() {
			return rapid.SampledFrom([]string{"[]", "[429, 5xx]", "[502..599, timeout]", "[stream, connection]"}).
				Draw(t, "on")
		}
	}
	return ""
}

// randomScenario is a random scenario: one that is written out, a preset or two in it, and up to
// twelve fields with other values, of which those stay that leave a scenario that checks.
func randomScenario(t *rapid.T) *Scenario {
	text := rapid.SampledFrom([]string{base, rich, rich}).Draw(t, "text")
	var kept []string
	s, err := Read([]byte(text), "f", Options{})
	if err != nil {
		t.Fatal(err)
	}
	try := func(set string) {
		if next, err := Read([]byte(text), "f", Options{Set: append(kept[:len(kept):len(kept)], set)}); err == nil {
			kept, s = append(kept, set), next
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "presets") {
		p := rapid.SampledFrom(Presets()).Draw(t, "preset")
		name := p.Name
		if p.Versions != "" {
			name += "@" + strings.Fields(p.Versions)[0]
		}
		try(p.Kind() + "=" + name)
	}
	for range rapid.IntRange(0, 12).Draw(t, "settings") {
		field := rapid.SampledFrom(settables).Draw(t, "field")
		if v := value(t, field.of); v != "" {
			try(field.path + "=" + v)
		}
	}
	t.Logf("with %q", kept)
	return s
}

// What a scenario resolves to, which is what a manifest holds, reads back as the same model and
// resolves to the same text.
func TestRandomScenariosReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := randomScenario(t)
		text, err := s.Resolved()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Read(text, "resolved", Options{})
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		if !reflect.DeepEqual(s.Model, again.Model) {
			t.Fatalf("read back as\n%+v, was\n%+v, from\n%s", again.Model, s.Model, text)
		}
		if s.Seed != again.Seed || s.Replications != again.Replications || s.Warmup != again.Warmup ||
			s.Measure != again.Measure {
			t.Fatalf("read back with another head from %s", text)
		}
		if twice, _ := again.Resolved(); string(twice) != string(text) {
			t.Fatalf("resolves to\n%s, was\n%s", twice, text)
		}
	})
}
