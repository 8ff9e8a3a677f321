package experiments

import (
	"slices"
	"testing"
)

// Every point of a picture is a finding of its experiment, and has a place on its axis.
func TestPicturesDrawFindings(t *testing.T) {
	pictures := 0
	for _, e := range Catalogue() {
		for _, p := range e.Pictures {
			pictures++
			for _, c := range p.Curves {
				places := len(p.Places)
				if p.Places == nil {
					places = len(c.At)
				}
				if len(c.Keys) != places || places == 0 {
					t.Errorf("%s, %s: %d findings for %d places", p.Name, c.Name, len(c.Keys), places)
				}
				for _, key := range c.Keys {
					if !slices.ContainsFunc(e.References, func(r Reference) bool { return r.Key == key }) {
						t.Errorf("%s, %s: no finding %s", p.Name, c.Name, key)
					}
				}
			}
		}
	}
	if pictures == 0 {
		t.Error("no pictures")
	}
}
