package words

import (
	"strings"
	"testing"
)

func TestPlaceholders(t *testing.T) {
	braces := Placeholder{'{', '}'}
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"no name", "no name"},
		{"{wait}", "<WAIT>"},
		{"in {wait} or {per_day2}.", "in <WAIT> or <PER_DAY2>."},
		{"{a}{b}", "<A><B>"},
		{"{}", "{}"},
		{"{Wait}, {two words}, {wait", "{Wait}, {two words}, {wait"},
		{`{"error":{"message":{message}}}`, `{"error":{"message":<MESSAGE>}}`},
		{"{{wait}}", "{<WAIT>}"},
		{"{loop}", "{loop}"}, // its value is a placeholder, which is not filled in again
	} {
		got := braces.Fill(tt.text, func(name string) string {
			if name == "loop" {
				return "{loop}"
			}
			return "<" + strings.ToUpper(name) + ">"
		})
		if got != tt.want {
			t.Errorf("Fill(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
	for _, tt := range []struct {
		text, want string
		ok         bool
	}{
		{"(rpm)", "rpm", true},
		{"(rpm) ", "rpm", false},
		{"(rpm)(tpm)", "rpm", false},
		{"rpm", "", false},
		{"()", "", false},
		{"(rpm", "rpm", false},
		{"", "", false},
	} {
		name, ok := Placeholder{'(', ')'}.Name(tt.text)
		if ok != tt.ok || ok && name != tt.want {
			t.Errorf("Name(%q) = %q, %t, want %q, %t", tt.text, name, ok, tt.want, tt.ok)
		}
	}
}
