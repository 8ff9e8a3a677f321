package format

import "testing"

func TestCellsAreNoFormulas(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "a": "a", "12": "12", "a=b": "a=b", "a-b": "a-b",
		"-1": "-1", "+1.5": "+1.5", "-3e-9": "-3e-9", "-5%": "-5%", // numbers stay numbers
		"=1+1": "'=1+1", "+1+1": "'+1+1", "-1+1": "'-1+1", "-1s": "'-1s", "-": "'-", "@SUM(A1)": "'@SUM(A1)",
		"\t=1": "'\t=1", "\r=1": "'\r=1",
		"'": "''", "'=1": "''=1",
	} {
		got := Cell(s)
		if got != want || string(CellText([]byte(got))) != s {
			t.Errorf("%q: %q, read back %q; want %q", s, got, CellText([]byte(got)), want)
		}
	}
}

func TestMarkdownHasNoMarkupOfNames(t *testing.T) {
	for s, want := range map[string]string{
		"retry_after": "retry_after", "<img src=x>": `\<img src=x>`, "[a](http://b)": `\[a](http://b)`,
		"`x`": "\\`x\\`", "a|b": `a\|b`, `a\|b`: `a\\\|b`, "a\nb": "a b",
	} {
		if got := Markdown(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
