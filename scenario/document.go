package scenario

import (
	"fmt"
	"strings"

	"stampede/internal/strict"
)

// documentWidth is where a field of a document that is written goes on over several lines.
const documentWidth = 100

// Document writes the scenario as YAML for people, which Read reads: every preset and every setting resolved,
// with its sweep.
func (s *Scenario) Document() ([]byte, error) {
	text, err := s.Resolved()
	if err != nil {
		return nil, err
	}
	node, err := strict.Parse(text, s.Name)
	if err != nil {
		return nil, err
	}
	return []byte(node.Block(0, documentWidth) + s.File.Sweep.document()), nil
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
