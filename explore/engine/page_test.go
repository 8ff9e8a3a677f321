package engine

import (
	"os"
	"regexp"
	"testing"

	"stampede/measure"
)

// The metrics that the page lists are in the registry: a name that is not would leave its row out without a word.
func TestMetricsOfThePage(t *testing.T) {
	text, err := os.ReadFile("../page/numbers.js")
	if err != nil {
		t.Fatal(err)
	}
	pattern := regexp.MustCompile(`(?:metric|of): '([a-z0-9_]+)'|shown\.([a-z0-9_]+)`)
	names := pattern.FindAllStringSubmatch(string(text), -1)
	if len(names) < 9 {
		t.Fatalf("found %d names in numbers.js; want 9 rows or more", len(names))
	}
	for _, m := range names {
		if _, err := measure.Lookup(m[1] + m[2]); err != nil {
			t.Error(err)
		}
	}
}
