package settings

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// packages are what printed Go code uses.
var packages = []string{
	"context", "errors", "io", "math", "math/rand/v2", "net", "net/http", "strconv", "sync", "time",
	"github.com/anthropics/anthropic-sdk-go/v2", "github.com/aws/aws-sdk-go-v2/aws",
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit", "github.com/aws/aws-sdk-go-v2/aws/retry",
	"github.com/cenkalti/backoff/v5", "github.com/hashicorp/go-retryablehttp", "github.com/openai/openai-go/v3",
	"golang.org/x/sync/semaphore", "golang.org/x/time/rate", "google.golang.org/genai", "google.golang.org/grpc",
}

// nameOf is the name that code gives a package.
func nameOf(path string) string {
	switch path {
	case "github.com/anthropics/anthropic-sdk-go/v2":
		return "anthropic"
	case "github.com/openai/openai-go/v3":
		return "openai"
	case "github.com/hashicorp/go-retryablehttp":
		return "retryablehttp"
	}
	parts := strings.Split(path, "/")
	if last := len(parts) - 1; last > 0 && strings.HasPrefix(parts[last], "v") && len(parts[last]) == 2 {
		return parts[last-1]
	}
	return parts[len(parts)-1]
}

// goFile completes Go code without imports: a package clause, the imports of what it uses, and the format of
// gofmt.
func goFile(code string) ([]byte, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package client\n"+code, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				used[x.Name] = true
			}
		}
		return true
	})
	paths := packages
	for _, sdk := range []string{"openai-go/v3", "anthropic-sdk-go/v2"} { // each has its package of options
		if strings.Contains(code, strings.Split(sdk, "-")[0]+".") {
			at := slices.IndexFunc(packages, func(p string) bool { return strings.HasSuffix(p, sdk) })
			paths = append(slices.Clone(paths), packages[at]+"/option")
		}
	}
	var standard, others []string
	for _, path := range paths {
		line := fmt.Sprintf("\t%q\n", path)
		switch {
		case !used[nameOf(path)]:
		case strings.Contains(path, "."):
			others = append(others, line)
		default:
			standard = append(standard, line)
		}
	}
	slices.Sort(others)
	text := "package client\n\nimport (\n" + strings.Join(standard, "") + "\n" + strings.Join(others, "") + ")\n" + code
	return format.Source([]byte(text))
}
