package stampede

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// traps are faults found in other simulators. Each has a test, or several, that would fail in
// a simulator with that fault; the test's comment begins a sentence with "Trap N".
var traps = []string{
	1:  "the state of a call is shared by the calls of a client",
	2:  "every client draws the same jitter, or a policy shifts the arrivals",
	3:  "a collapse is blamed on a spike that happens without it",
	4:  "a timeout and a completion race, and a late reply is free",
	5:  "a default timeout inflates throughput: what is unfinished is folded in",
	6:  "a server idles while its queue holds work",
	7:  "success ratios are compared across closed loops",
	8:  "adaptive throttling counts when replies come, not when requests are sent",
	9:  "a single seed is shown as the truth",
	10: "a typo in a sweep's grid goes unnoticed",
	11: "attempts and retries are off by one",
	12: "admission reads the true output length",
	13: "a fixed window is called a token bucket",
}

var named = regexp.MustCompile(`\bTrap (\d+)\b`)

func TestEveryTrapHasATest(t *testing.T) {
	found := map[int][]string{}
	note := func(text, where string) {
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			n, _ := strconv.Atoi(m[1])
			if n < 1 || n >= len(traps) {
				t.Errorf("%s names trap %d, which is none of %d", where, n, len(traps)-1)
				continue
			}
			found[n] = append(found[n], where)
		}
	}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch {
		case strings.HasSuffix(path, "_test.go"):
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "Test") {
					note(f.Doc.Text(), filepath.Dir(path)+" "+f.Name.Name)
				}
			}
		case strings.Contains(path, filepath.Join("testdata", "script")) && strings.HasSuffix(path, ".txt"):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			note(string(text), path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for n, fault := range traps {
		if n == 0 {
			continue
		}
		if len(found[n]) == 0 {
			t.Errorf("trap %d has no test: %s", n, fault)
		}
		t.Logf("%2d %s: %s", n, fault, strings.Join(found[n], ", "))
	}
}
