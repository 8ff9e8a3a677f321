package stampede

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layers lists for each package what it may import besides the standard
// library. Arrows run down only; a new edge is a decision and belongs here.
var layers = map[string][]string{
	"cmd/stampede": {
		"stampede/cost", "stampede/experiments", "stampede/explore", "stampede/explore/animation",
		"stampede/explore/engine", "stampede/figures", "stampede/internal/format",
		"stampede/internal/nearest", "stampede/measure", "stampede/plots", "stampede/recommend",
		"stampede/recommend/settings", "stampede/report", "stampede/scenario", "stampede/sweep",
		"github.com/urfave/cli/v2", "golang.org/x/term",
	},
	"explore":       {"stampede/internal/strict", "stampede/scenario"},
	"explore/wasm":  {"stampede/explore/engine"},
	"explore/build": {},
	"explore/animation": {
		"stampede/explore/replay", "stampede/internal/format", "stampede/policy", "golang.org/x/image/font/basicfont",
	},
	"explore/engine": {
		"stampede/cost", "stampede/explore/animation", "stampede/explore/replay", "stampede/fleet",
		"stampede/internal/format", "stampede/internal/nearest", "stampede/internal/strict", "stampede/law",
		"stampede/measure", "stampede/policy", "stampede/scenario", "stampede/sim", "stampede/wire",
	},
	"explore/replay": {
		"stampede/fleet", "stampede/policy", "stampede/provider", "stampede/sim", "stampede/wire",
	},
	"figures": {
		"stampede/experiments", "stampede/internal/format", "stampede/internal/nearest", "stampede/measure",
		"stampede/plots", "stampede/report", "stampede/scenario", "stampede/sweep",
	},
	"plots": {"gonum.org/v1/plot", "golang.org/x/image"},
	"experiments": {
		"stampede/cost", "stampede/fleet", "stampede/internal/format", "stampede/internal/nearest",
		"stampede/measure", "stampede/policy", "stampede/provider", "stampede/scenario", "stampede/sim",
		"stampede/wire", "gonum.org/v1/gonum/stat/distuv",
	},
	"report": {
		"stampede/internal/format", "stampede/internal/nearest", "stampede/measure", "stampede/provider",
		"stampede/scenario", "stampede/sim", "stampede/sweep",
	},
	"recommend": {
		"stampede/internal/format", "stampede/internal/nearest", "stampede/measure", "stampede/recommend/settings",
		"stampede/scenario", "stampede/sim", "stampede/sweep", "gonum.org/v1/gonum/stat/distuv",
	},
	"recommend/settings": {
		"stampede/internal/format", "stampede/internal/nearest", "stampede/policy", "stampede/scenario",
	},
	"sweep": {
		"stampede/internal/format", "stampede/internal/nearest", "stampede/measure", "stampede/scenario",
		"stampede/sim", "github.com/gofrs/flock",
	},
	"measure": {
		"stampede/cost", "stampede/fleet", "stampede/internal/format", "stampede/internal/nearest",
		"stampede/internal/words",
		"stampede/policy", "stampede/provider", "stampede/scenario", "stampede/sim", "stampede/wire",
		"gonum.org/v1/gonum/mathext",
	},
	"scenario": {
		"stampede/cost", "stampede/dialect", "stampede/fleet", "stampede/internal/format",
		"stampede/internal/nearest", "stampede/internal/strict", "stampede/internal/trace", "stampede/internal/words",
		"stampede/law", "stampede/policy", "stampede/provider", "stampede/sim", "stampede/wire",
		"github.com/invopop/jsonschema",
	},
	"internal/trace": {
		"stampede/internal/nearest", "github.com/go-json-experiment/json/jsontext",
		"golang.org/x/text/encoding/unicode", "golang.org/x/text/transform",
	},
	"internal/testkit": {"stampede/scenario"},
	"internal/draw": {
		"stampede/dialect", "stampede/law", "stampede/provider", "stampede/sim", "stampede/wire", "pgregory.net/rapid",
	},
	"fleet": {
		"stampede/backend", "stampede/cost", "stampede/internal/arena", "stampede/internal/format",
		"stampede/internal/words", "stampede/law", "stampede/policy", "stampede/provider", "stampede/sim",
		"stampede/wire",
	},
	"backend": {
		"stampede/cost", "stampede/internal/arena", "stampede/provider", "stampede/sim", "stampede/wire",
	},
	"internal/arena": {},
	"provider/overhttp": {
		"stampede/backend", "stampede/cost", "stampede/provider", "stampede/sim", "stampede/wire",
	},
	"provider": {
		"stampede/dialect", "stampede/internal/format", "stampede/internal/words", "stampede/law", "stampede/sim",
		"stampede/wire",
	},
	"policy": {
		"stampede/internal/format", "stampede/internal/words", "stampede/law", "stampede/sim", "stampede/wire",
	},
	"cost":              {"stampede/internal/format", "stampede/internal/nearest", "stampede/internal/words"},
	"dialect":           {"stampede/internal/jsontext", "stampede/internal/words", "stampede/wire"},
	"law":               {"stampede/internal/format", "gonum.org/v1/gonum/mathext"},
	"wire":              {"stampede/internal/words"},
	"sim":               {"github.com/HdrHistogram/hdrhistogram-go"},
	"internal/strict":   {"stampede/internal/jsontext", "stampede/internal/nearest", "github.com/goccy/go-yaml"},
	"internal/nearest":  {"github.com/agnivade/levenshtein"},
	"internal/format":   {},
	"internal/jsontext": {},
	"internal/words":    {},
}

func TestImportsRunDownOnly(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() &&
			(strings.HasPrefix(entry.Name(), ".") && path != "." || entry.Name() == "testdata" ||
				path == "browser" || path == "conformance") { // modules of their own
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		allowed, known := layers[dir]
		if !known {
			t.Errorf("%s: the package %s is not in the list of layers", path, dir)
		}
		seen[dir] = true
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			first, _, _ := strings.Cut(name, "/")
			standard := first != "stampede" && !strings.Contains(first, ".")
			below := func(root string) bool {
				return !strings.HasPrefix(root, "stampede/") && strings.HasPrefix(name, root+"/")
			}
			if !standard && !slices.Contains(allowed, name) && !slices.ContainsFunc(allowed, below) {
				t.Errorf("%s imports %s; allowed for %s are %v", path, name, dir, allowed)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir := range layers {
		if !seen[dir] {
			t.Errorf("the list of layers names %s, which holds no code", dir)
		}
	}
}
