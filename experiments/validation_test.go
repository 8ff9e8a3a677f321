package experiments

import (
	"os"
	"strings"
	"testing"
)

// The table of references in docs/validation.md is what WriteMarkdown writes of the whole catalogue.
func TestValidationTable(t *testing.T) {
	if testing.Short() {
		t.Skip("the table is that of all replications")
	}
	const path = "../docs/validation.md"
	const begin, end = "<!-- made by: stampede experiment run --all --markdown -->\n", "<!-- end -->"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	table, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no place for the table", path)
	}
	var all []*Result
	for _, e := range Catalogue() {
		all = append(all, resultOf(t, e))
	}
	var want strings.Builder
	WriteMarkdown(&want, all)
	if table == want.String() {
		return
	}
	if os.Getenv("UPDATE_DOCS") == "" {
		t.Errorf("%s says\n%s\nthe catalogue gives\n%s\nrun this test with UPDATE_DOCS=1", path, table, &want)
		return
	}
	if err := os.WriteFile(path, []byte(before+begin+want.String()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
