package scenario

import (
	"bytes"

	"stampede/internal/strict"
)

// exportWidth is the width of lines of a document that is written.
const exportWidth = 100

// Export writes the document with settings over it as YAML, without its sweep: one that Read reads as the same
// scenario. It keeps what the document says, such as names of presets, where the settings can be written
// into it; else all presets are resolved.
func (t *Template) Export(set []string, s *Scenario) (string, error) {
	want, err := s.Resolved()
	if err != nil {
		return "", err
	}
	if text, ok := t.merged(set); ok {
		again, err := Read([]byte(text), t.Base.Name, t.options)
		if err == nil {
			if got, err := again.Resolved(); err == nil && bytes.Equal(got, want) {
				return text, nil
			}
		}
	}
	node, err := strict.Parse(want, t.Base.Name)
	if err != nil {
		return "", err
	}
	return node.Block(0, exportWidth), nil
}

// merged is the document with settings written into it.
func (t *Template) merged(set []string) (string, bool) {
	document := t.document.Without("sweep")
	for _, overlay := range t.overlays {
		var ok bool
		if document, ok = document.Lay(overlay); !ok {
			return "", false
		}
	}
	laid := *t
	laid.overlays = nil
	if laid.lay(set, "") != nil {
		return "", false
	}
	for _, overlay := range laid.overlays {
		var ok bool
		if document, ok = document.Lay(overlay); !ok {
			return "", false
		}
	}
	return document.Block(0, exportWidth), true
}
