package scenario

import (
	"fmt"
	"io"
	"reflect"
	"strings"
)

//go:generate go run ../cmd/stampede explain --markdown --out ../docs/scenario.md

// Reference writes the documentation of all fields in Markdown, one section for each type of
// mapping under the paths at which it stands.
func Reference(w io.Writer) {
	fmt.Fprint(w, `# The scenario file

A scenario is one YAML file that says who calls which LLM API, how, and at what price. This page
lists every field; `+"`stampede explain PATH`"+` prints the same in a terminal, and `+"`stampede schema`"+`
prints a JSON Schema for editors. The page is generated: `+"`go generate ./scenario`"+`.

Times carry their unit (`+"`500ms`, `45s`, `10m`, `24h`, `2d`"+`), as do rates (`+"`500/min`, `8/s`"+`). Sizes may
be written `+"`30k` or `1.5M`, shares `5%` or `0.05`"+`. `+"`none`"+` switches something off, `+"`unlimited`"+` sets no
bound, and `+"`null`"+` restores the default.
`)
	order, paths := sections()
	for _, t := range order {
		fmt.Fprintf(w, "\n## %s\n\n", sectionTitle(t, paths))
		if at := paths[t]; len(at) > 1 && !genericLaw(t) {
			fmt.Fprintf(w, "Also at `%s`.\n\n", strings.Join(at[1:], "`, `"))
		}
		if isChoice(t) {
			fmt.Fprint(w, "Exactly one of these fields is written.\n\n")
		}
		fmt.Fprint(w, "| Field | Meaning | Value | Default | Example |\n|---|---|---|---|---|\n")
		for _, f := range fieldsIn(t, "") {
			name := "`" + f.Name() + "`"
			if _, ok := paths[f.typ]; ok {
				name = fmt.Sprintf("[%s](#%s)", name, anchor(sectionTitle(f.typ, paths)))
			}
			byDefault := f.Default
			if f.Required != "" {
				byDefault = strings.ToLower(f.requirement()[:1]) + f.requirement()[1:]
			}
			value := f.Value
			if f.Unit != "" {
				value += " (" + f.Unit + ")"
			}
			if len(f.Words) > 0 {
				value += "; " + strings.Join(f.Words, "; ")
			}
			fmt.Fprintf(w, "| %s | %s | %s | %s | `%s` |\n", name, f.Meaning, value, byDefault, f.Example)
		}
	}
}

// genericLaw reports whether a type is a part of a distribution, which is documented once for
// all quantities.
func genericLaw(t reflect.Type) bool { return strings.Contains(t.Name(), "[") }

// sectionTitle is the heading of a type: the path at which it stands, nearest the top of the file.
func sectionTitle(t reflect.Type, paths map[reflect.Type][]string) string {
	path := paths[t][0]
	switch {
	case strings.HasPrefix(t.Name(), "Law["):
		return "Distributions"
	case genericLaw(t):
		return "Distributions: " + path[strings.LastIndexByte(path, '.')+1:]
	case path == "":
		return "Top level"
	}
	return path
}

func anchor(title string) string {
	return strings.NewReplacer(".", "", ":", "", " ", "-").Replace(strings.ToLower(title))
}

// sections lists the types that have fields, each once and the outer before the inner, and the
// paths at which each stands, the shortest first. Of a distribution one stands for those of all
// quantities.
func sections() (order []reflect.Type, paths map[reflect.Type][]string) {
	paths = map[reflect.Type][]string{}
	type place struct {
		t    reflect.Type
		path string
	}
	queue := []place{{reflect.TypeFor[File](), ""}}
	for len(queue) > 0 { // by depth
		at := queue[0]
		queue = queue[1:]
		fields := fieldsIn(at.t, at.path)
		if len(fields) == 0 {
			continue
		}
		paths[at.t] = append(paths[at.t], at.path)
		if len(paths[at.t]) > 1 {
			continue // its fields are listed under its first path
		}
		for _, f := range fields {
			queue = append(queue, place{f.typ, f.Path})
		}
	}
	var laws []reflect.Type
	titles := map[string]bool{}
	var walk func(t reflect.Type, path string)
	walk = func(t reflect.Type, path string) {
		if at := paths[t]; len(at) == 0 || at[0] != path {
			return
		}
		switch title := sectionTitle(t, paths); {
		case !genericLaw(t):
			order = append(order, t)
		case !titles[title]:
			titles[title] = true
			laws = append(laws, t)
		}
		for _, f := range fieldsIn(t, path) {
			walk(f.typ, f.Path)
		}
	}
	walk(reflect.TypeFor[File](), "")
	return append(order, laws...), paths
}
