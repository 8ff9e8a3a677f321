package stampede

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	maxColumns = 120
	tabColumns = 4
)

// Packages whose lines or texts have not been gone through yet.
var (
	longLines = []string{}
	ownWords  = []string{}
)

// oldNames are the files that answer a former name with the present one.
var oldNames = []string{"measure/lookup.go", "scenario/renamed.go"}

// forbidden are words and phrases that only we would use, each with what an engineer would
// write. They may not stand in any text that a user meets.
var forbidden = []struct{ phrase, plain string }{
	{`\bplay(s|ed|ing)?\b`, "run"},
	{`\bwhat it gives\b`, "its metrics"},
	{`\bask a scenario\b`, "run a parameter sweep"},
	{`\bquestions at once\b`, "a parameter sweep"},
	{`\bpolicy\.inside\b`, "policy.outer_layers"},
	{`\bhorizon_s\b`, "max_total_backoff_s"},
	{`\bbound_makespan_s\b`, "makespan_lower_bound_s"},
	{`\bnever_came\b`, "not_started"},
	{`\battempts_most\b`, "max_attempts_per_call"},
	{`\bthat came\b`, "that arrived"},
	{`\blet down\b`, "dropped because the retry budget was empty"},
	{`\boutran\b`, "answered first"},
	{`\bwhat the world saw\b`, "duplicates and side effects"},
	{`\bmay be the best\b`, "cannot be ruled out as the best"},
	{`\bare nothing\b|\blooks? like something\b`, "look significant by chance"},
	{`\bDOES NOT HOLD\b`, "outside the reference"},
	{`\bBooks\b`, "Accounting"},
	{`\bspeaks as\b`, "format"},
	{`\bgoes by\b|\bgo by\b`, "uses"},
	{`\bdrovers?\b`, "herdObserver"},
	{`\bghosts?\b`, "cancelled"},
	{`\bfor ever\b`, "forever"},
	{`\bto get there again\b|\bget there again\b`, "recover"},
	{`\bmeans? to say\b|\bthat is to say\b`, "(leave out)"},
}

// sources lists the Go files of the repository.
func sources(t *testing.T) (files []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != "." {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".go") {
			files = append(files, filepath.ToSlash(path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func pending(list []string, path string) bool {
	return slices.ContainsFunc(list, func(dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") })
}

// Lines of code stay within 120 columns.
func TestLinesFit(t *testing.T) {
	for _, path := range sources(t) {
		if pending(longLines, path) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			columns := len([]rune(line)) + (tabColumns-1)*strings.Count(line, "\t")
			if columns > maxColumns {
				t.Errorf("%s:%d: %d columns; at most %d", path, i+1, columns, maxColumns)
			}
		}
	}
}

// Texts that users meet are plain: string literals outside tests, embedded texts and documents
// hold no word that is ours alone.
func TestPlainWords(t *testing.T) {
	var rules []*regexp.Regexp
	for _, f := range forbidden {
		rules = append(rules, regexp.MustCompile(`(?i)`+f.phrase))
	}
	check := func(path string, line int, text string) {
		for i, rule := range rules {
			if found := rule.FindString(text); found != "" {
				t.Errorf("%s:%d: %q; write %q", path, line, found, forbidden[i].plain)
			}
		}
	}
	for _, path := range sources(t) {
		if strings.HasSuffix(path, "_test.go") || pending(ownWords, path) || slices.Contains(oldNames, path) {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				if text, err := strconv.Unquote(l.Value); err == nil {
					check(path, set.Position(l.Pos()).Line, text)
				}
			}
			return true
		})
	}
	for _, pattern := range []string{"README.md", "docs/*.md", "CONTRIBUTING.md", "examples/*", "*/presets/*/*.yaml",
		"scenario/*.yaml", "scenario/embedded/*.yaml", "experiments/*.yaml", "experiments/*/*.yaml",
		"explore/scenes/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			if pending(ownWords, filepath.ToSlash(path)) || strings.HasSuffix(path, ".go") {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				continue // a folder
			}
			for i, line := range strings.Split(string(text), "\n") {
				check(path, i+1, line)
			}
		}
	}
}
