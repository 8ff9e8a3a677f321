package format

import "testing"

func TestFold(t *testing.T) {
	for _, c := range []struct {
		what, text, want string
	}{
		{"fits", "  ab cd ef", "  ab cd ef"},
		{"goes on two deeper", "  ab cd efg hi", "  ab cd\n    efg hi"},
		{"a word that is too long", "abcdefghijklm no", "abcdefghijklm\n  no"},
		{"brackets in a sentence", "a, b {c: d}", "a, b {c:\n  d}"},
		{"columns", "name  text of it", "name  text\n      of\n      it"},
	} {
		if got := Fold(c.text, 10); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
	for _, c := range []struct {
		what, text, want string
	}{
		{"a comment", "# ab cd efg", "# ab cd\n#   efg"},
		{"a comment behind a value", "  a: 1   # ab cd", "  # ab cd\n  a: 1"},
		{"a mapping", "a: {b: 1, c: 2}", "a: {b: 1,\n    c: 2}"},
		{"a folded block", "a: >-\n  ab cd efg hi\nb: ab cd efg", "a: >-\n  ab cd\n  efg hi\nb: ab cd\n    efg"},
		{"a literal block", "a: |\n  ab cd efg hi", "a: |\n  ab cd efg hi"},
	} {
		if got := FoldYAML(c.text, 10); got != c.want {
			t.Errorf("YAML, %s: %q, want %q", c.what, got, c.want)
		}
	}
}
