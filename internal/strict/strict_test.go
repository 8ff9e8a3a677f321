package strict

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// manyFields is a mapping of so many fields, one a line.
func manyFields(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d: 1\n", i)
	}
	return b.String()
}

// aliases is a list of ten of the list before, and so on: 10^levels values in some 50 bytes a level.
func aliases(levels int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 1\n")
	for i := range levels {
		fmt.Fprintf(&b, "a%d: &a%d [%s*a%d]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 9), i)
	}
	return b.String()
}

// What takes the YAML library, or what comes after it, time or memory beyond its length is refused
// before it does.
func TestDocumentsThatAreTooLarge(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"brackets":        {strings.Repeat("[", 200_000), "nested more than 100 levels deep"},
		"braces":          {strings.Repeat("{a: ", 200_000), "nested more than 100 levels deep"},
		"quoted closings": {strings.Repeat(`[ "]", `, 200_000), "nested more than 100 levels deep"},
		"dashes":          {strings.Repeat("- ", 200_000), "nested more than 100 levels deep"},
		"questions":       {strings.Repeat("? ", 200_000), "nested more than 100 levels deep"},
		"anchors":         {strings.Repeat("&a ", 200_000), "nested more than 100 levels deep"},
		"tags":            {strings.Repeat("!!str ", 200_000), "nested more than 100 levels deep"},
		"indented":        {indented(200), "nested more than 100 levels deep"},
		"aliases":         {aliases(9), "more than 1048576 values, with aliases written out"},
		"fields":          {manyFields(40_000), "a mapping of more than 2000 fields"},
		"fields in braces": {"{" + strings.ReplaceAll(manyFields(40_000), "\n", ", ") + "}",
			"a mapping of more than 2000 fields"},
		"bytes":  {strings.Repeat("x", 5<<20), "5242880 bytes; want at most 4194304"},
		"values": {"[" + strings.Repeat("1,", 1<<20) + "1]", "more than 1048576 tokens"},
		"values below long names": {strings.Repeat("{"+strings.Repeat("k", 5000)+": ", 50) + "[" +
			strings.Repeat("1,", 1000),
			"under names of up to 5000 bytes"},
	} {
		began := time.Now()
		_, err := Parse([]byte(c.text), "f")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %.300v, want in it %q", name, err, c.want)
		} else if len(err.Error()) > 1000 {
			t.Errorf("%s: an error of %d bytes", name, len(err.Error()))
		}
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
	for name, text := range map[string]string{
		"fields":  manyFields(2000),
		"rows":    "rows:\n" + strings.Repeat("  - {at: 1s, prompt_tokens: 5, output_tokens: 6}\n", 50_000),
		"list":    "[" + strings.Repeat("1,", 400_000) + "1]",
		"levels":  strings.Repeat("[", 99) + strings.Repeat("]", 99),
		"aliases": aliases(5),
	} {
		if _, err := Parse([]byte(text), "f"); err != nil {
			t.Errorf("%s within the bounds: %.300v", name, err)
		}
	}
}

func indented(levels int) string {
	var b strings.Builder
	for i := range levels {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

// What YAML has beyond names, values, lists, mappings, anchors and aliases is refused, not misread.
func TestUnsupportedYAML(t *testing.T) {
	for text, want := range map[string]string{
		"a: !!str abc":         "tags such as !!str are not supported",
		"a: !mine [1]":         "tags such as !mine are not supported",
		"!!str a: 1":           "found a name with a tag",
		"&x a: 1":              "found a name with a tag, an anchor, an alias or ?",
		"? a\n: 1":             "found a name with a tag, an anchor, an alias or ?",
		"b: &x 1\n*x : 2":      "found a name with a tag, an anchor, an alias or ?",
		"b: &x {c: 1}\n<<: *x": "merge keys are not supported",
		"a: *x":                "no anchor &x before this alias",
		"a: &x [*x]":           "no anchor &x before this alias",
		"a: 1\n---\nb: 2":      "a second document",
	} {
		if _, err := Parse([]byte(text), "f"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want in it %q", text, err, want)
		}
	}
}

// An error does not repeat a value of any length.
func TestErrorsOfLongValues(t *testing.T) {
	e := &Error{Path: strings.Repeat("é", 1_000_000), Message: strings.Repeat("x", 1_000_000)}
	if text := e.Error(); len(text) > 2100 || !strings.HasSuffix(text, "xx...") {
		t.Errorf("an error of %d bytes: %.99s", len(text), text)
	}
}

// Of a long line an error shows the part around the mistake.
func TestExcerpt(t *testing.T) {
	long := strings.Repeat("a", 300) + "X" + strings.Repeat("b", 300)
	for _, c := range []struct {
		line   string
		column int
		want   string
	}{
		{"key: value", 6, "key: value\n     ^"},
		{"\tkey", 2, " key\n ^"},
		{"key", 9, "key\n   ^"},
		{long, 301, "..." + strings.Repeat("a", 60) + "X" + strings.Repeat("b", 56) + "...\n" +
			strings.Repeat(" ", 63) + "^"},
	} {
		part, before := excerpt(c.line, c.column)
		if got := part + "\n" + strings.Repeat(" ", before) + "^"; got != c.want {
			t.Errorf("column %d:\n%s\nwant\n%s", c.column, got, c.want)
		}
	}
}

func TestTheEmptyNameIsNoField(t *testing.T) {
	node, err := Parse([]byte(`{a: 2, "": 1}`), "f")
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		A       int `yaml:"a"`
		Derived int // not written
	}
	err = NewDecoder().Decode(node, &v)
	if err == nil || !strings.Contains(err.Error(), "unknown field; known: a") || v.A != 2 || v.Derived != 0 {
		t.Errorf("%v, %+v; want an unknown field, a 2 and nothing else", err, v)
	}
}

// A node in one line reads back as the same node, also where an item has a comma or a bracket.
func TestQuotedReadsBack(t *testing.T) {
	for _, text := range []string{
		`{charge: "max(max_tokens, estimate)", limit: 5/min}`,
		`[a, [b, "c, d"], {e: "f: g"}, ""]`,
	} {
		n, err := Parse([]byte(text), "test")
		if err != nil {
			t.Fatal(err)
		}
		if got := n.Quoted(); got != text {
			t.Errorf("%s is written %s", text, got)
		}
	}
}
