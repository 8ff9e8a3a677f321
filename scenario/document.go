package scenario

import (
	"fmt"
	"strings"

	"stampede/internal/strict"
)

// Document writes the document, with the settings of the template over it, as YAML that Read reads: what Export
// writes, and its sweep.
func (t *Template) Document() ([]byte, error) {
	text, err := t.Export(nil, t.Base)
	return []byte(text + t.Sweep.document()), err
}

// document writes a sweep as the last field of a document, or nothing where there is none.
func (s *Sweep) document() string {
	if len(s.Axes) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("sweep:\n")
	for _, a := range s.Axes {
		if a.span != nil && (len(a.Values) == 0 || s.Points > 0) { // a sample draws from the range
			fmt.Fprintf(&b, "  %s: %s\n", a.Path, a.Range())
			continue
		}
		list := strict.Node{Kind: strict.Sequence}
		for _, v := range a.Values {
			list.Items = append(list.Items, v.node)
		}
		fmt.Fprintf(&b, "  %s: %s\n", a.Path, list.Quoted())
	}
	if s.Points > 0 {
		fmt.Fprintf(&b, "  points: %d\n", s.Points)
	}
	if s.Sample != "" {
		fmt.Fprintf(&b, "  sample: %s\n", s.Sample)
	}
	return b.String()
}
