package settings

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"text/template"

	"stampede/internal/format"
	"stampede/policy"
)

// Unsaid is a field of a policy that a client cannot be told.
type Unsaid struct {
	Path    string `json:"path"`
	Name    string `json:"name"`
	Wanted  string `json:"wanted"`
	Does    string `json:"does"`              // what the client does
	Instead string `json:"instead,omitempty"` // the field that is printed in its place
}

// String says it in a line.
func (u Unsaid) String() string {
	line := fmt.Sprintf("%s %s: cannot be set", u.Name, u.Wanted)
	switch {
	case u.Instead != "":
		line += "; set instead: " + u.Instead
	case u.Wanted == u.Does:
		line += " in full; some of its fields stay as they are"
	default:
		line += "; it stays " + u.Does
	}
	return line
}

// Unsaid lists what of a policy the client cannot be told, in the order of the scenario file.
func (c *Client) Unsaid(wanted policy.Client) (all []Unsaid, err error) {
	does, err := c.Does(wanted)
	if err != nil {
		return nil, err
	}
	full := does
	wanted, does = own(wanted), own(does)
	for _, f := range fields {
		if f.same(&wanted, &does) || slices.ContainsFunc(all, func(u Unsaid) bool { return u.Name == f.name }) {
			continue
		}
		if c.skips(f, &wanted, &does) {
			continue
		}
		u := Unsaid{Path: f.path, Name: f.name, Wanted: f.text(&wanted), Does: f.text(&does)}
		if near := c.Instead[f.path]; near != "" && f.text(&wanted) != "none" {
			u.Instead = near + " " + textOf(near, &full)
		}
		all = append(all, u)
	}
	return all, nil
}

// skips reports whether a difference needs no line of its own: it belongs to one that has a line, or was
// made to say another field.
func (c *Client) skips(f field, wanted, does *policy.Client) bool {
	w, d := &wanted.Retry.Backoff, &does.Retry.Backoff
	parts := c.Can(basePath) && w.On() && w.Growth == d.Growth && w.Law == nil && w.Window == 0
	switch f.path {
	case basePath, factorPath, capPath, minPath, jitterPath:
		return !parts // the whole backoff has a line
	case backoffPath:
		if parts {
			return w.Offset == d.Offset
		}
		return w.Describe() == d.Describe()
	case callPath: // it stands for a deadline
		return wanted.Timeouts.Call == 0 && does.Timeouts.Call == wall(wanted, c.Can(deadlinePath))
	}
	for _, g := range fields { // it stands for another field
		if c.Instead[g.path] == f.path && !g.same(wanted, does) && g.text(wanted) != "none" {
			return true
		}
	}
	return false
}

// textOf is the value of a field in words.
func textOf(path string, c *policy.Client) string {
	i := slices.IndexFunc(fields, func(f field) bool { return f.path == path })
	return fields[i].text(c)
}

//go:embed templates
var templateFiles embed.FS

var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(functions).ParseFS(templateFiles, "templates/*.tmpl"))
})

// commentColumns is the width of the comments that are printed.
const commentColumns = 100

// Print prints the settings of the client that come closest to a policy, and returns what it could not say.
func (c *Client) Print(w io.Writer, wanted policy.Client) ([]Unsaid, error) {
	does, err := c.Does(wanted)
	if err != nil {
		return nil, err
	}
	unsaid, err := c.Unsaid(wanted)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	comment := func(first, next, line string) {
		for i, part := range format.Wrap(line, commentColumns-len(c.comment)-len(next)-1) {
			fmt.Fprintln(&text, c.comment, first+part)
			if i == 0 {
				first = next
			}
		}
	}
	comment("", "", fmt.Sprintf("Settings of %s (preset %s)", c.Name, c.Preset))
	if wanted.Name != "" {
		comment("", "", "for the policy "+wanted.Name+".")
	}
	comment("", "  ", "Names read in "+c.Source+".")
	if len(unsaid) > 0 {
		comment("", "", "What the policy says and this client cannot be told:")
	}
	for _, u := range unsaid {
		comment("- ", "  ", u.String())
	}
	var code bytes.Buffer
	does = own(does)
	if err := templates().ExecuteTemplate(&code, c.Name+".tmpl", page{&does, c}); err != nil {
		return nil, err
	}
	body := code.Bytes()
	if c.goCode {
		if body, err = goFile(code.String()); err != nil {
			return nil, err
		}
	}
	fmt.Fprintf(&text, "\n%s\n", bytes.TrimSpace(body))
	for line := range strings.SplitSeq(strings.TrimRight(text.String(), "\n"), "\n") {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
			return nil, err
		}
	}
	return unsaid, nil
}
