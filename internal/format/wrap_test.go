package format

import (
	"slices"
	"testing"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		what, text string
		width      int
		want       []string
	}{
		{"fits", "a bc", 4, []string{"a bc"}},
		{"one too long", "a bc", 3, []string{"a", "bc"}},
		{"a word wider than the line", "a bcdef g", 3, []string{"a", "bcdef", "g"}},
		{"characters count, not bytes", "ä ö", 3, []string{"ä ö"}},
		{"line ends stay", "a b\n\nc", 9, []string{"a b", "", "c"}},
		{"indented lines stay", "a b\n  c  d e", 3, []string{"a b", "  c  d e"}},
		{"nothing", "", 3, []string{""}},
	} {
		if got := Wrap(c.text, c.width); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"a bcd", 3, "a…"}, {"äöü", 3, "äöü"}, {"abc", 0, ""}} {
		if got := Cut(c.text, c.width); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{
		0: "0", 999: "999", 1000: "1,000", 5760: "5,760", 100000: "100,000", 1234567: "1,234,567", -1000: "-1,000",
		-999: "-999",
	} {
		if got := Thousands(n); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}
