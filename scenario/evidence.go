package scenario

import (
	"cmp"
	"slices"
	"strings"

	"stampede/internal/nearest"
	"stampede/internal/strict"
)

// Mark says how well a number is known.
type Mark string

const (
	Documented Mark = "documented" // on the provider's own page
	Reported   Mark = "reported"   // by a third party that cites the provider's page
	Observed   Mark = "observed"   // in answers of the provider, or measured
	Inferred   Mark = "inferred"   // from numbers that are known better; the remark says how
	Assumed    Mark = "assumed"    // no source
)

// Words implements strict.Words: the marks, the best known first.
func (Mark) Words() []string {
	return []string{string(Documented), string(Reported), string(Observed), string(Inferred), string(Assumed)}
}

// weaker orders marks, the best known first.
func weaker(a, b Mark) int {
	return cmp.Compare(slices.Index(a.Words(), string(a)), slices.Index(a.Words(), string(b)))
}

// Fact is a part of a preset and where its values come from.
type Fact struct {
	Path    string   `json:"path"`  // in the provider, such as limits.1.limit
	Value   string   `json:"value"` // of the field, or of the fields of the part that share the evidence
	Mark    Mark     `json:"mark"`
	Sources []Source `json:"sources"`
	Remark  string   `json:"remark,omitempty"`

	said string // the cell or the field of the table that has the evidence
}

// Source is where numbers were read.
type Source struct {
	Title string `yaml:"title" json:"title"`
	Date  string `yaml:"date" json:"date"` // of the source, or when it was read
}

// with is the fact with the value of one more field.
func (f Fact) with(path, value string) Fact {
	if path != f.Path {
		value = strings.TrimPrefix(strings.TrimPrefix(path, f.Path), ".") + " " + value
	}
	if f.Value != "" {
		value = f.Value + ", " + value
	}
	f.Value = value
	return f
}

// read reads a statement: a mark, the names of its sources, and after a colon a remark, as in
// "inferred pages, forum: the numbers of the tier that it replaced".
func (f *Fact) read(n, sources *strict.Node) error {
	head, remark, _ := strings.Cut(n.Text, ":")
	f.Remark = strings.TrimSpace(remark)
	names := strings.FieldsFunc(head, func(r rune) bool { return r == ' ' || r == ',' })
	if len(names) == 0 || !slices.Contains(f.Mark.Words(), names[0]) {
		return n.Fail(
			"evidence",
			"found %q; want one of %s, and the names of sources",
			n.Text,
			nearest.List(f.Mark.Words()),
		)
	}
	f.Mark = Mark(names[0])
	for _, name := range names[1:] {
		from := sources.Field(name)
		if from == nil {
			return n.Fail("evidence", "found the source %q; sources lacks it", name)
		}
		var s Source
		if err := strict.NewDecoder().Decode(from, &s); err != nil {
			return err
		}
		f.Sources = append(f.Sources, s)
	}
	if len(f.Sources) == 0 && f.Mark != Assumed {
		return n.Fail("evidence", "found %q without a source; want the name of one", n.Text)
	}
	return nil
}

// Cite names the sources with their dates.
func (f *Fact) Cite() string {
	var parts []string
	for _, s := range f.Sources {
		parts = append(parts, s.Title+" "+s.Date)
	}
	return strings.Join(parts, "; ")
}

// amount reports whether the fact is about the amount of a limit.
func (f *Fact) amount() bool {
	return strings.HasPrefix(f.Path, "limits.") && strings.HasSuffix(f.Path, ".limit")
}

// Provenance is where a preset comes from, as a whole.
type Provenance struct {
	Source   string
	Date     string // when the source was looked at
	Evidence string // how it was looked at
}

// Provenance is what the file of a policy says. Of a provider it is what the facts say one by one: the sources,
// the date of the oldest source of a limit (of anything when there is no limit), and the weakest
// mark of each part.
func (p *Preset) Provenance() Provenance {
	if p.Policy != nil {
		return Provenance{p.Source, p.Date, p.Evidence}
	}
	var out Provenance
	var titles, parts []string
	marks := map[string]Mark{}
	limited := slices.ContainsFunc(p.Facts, func(f Fact) bool { return f.amount() })
	for _, f := range p.Facts {
		part, _, _ := strings.Cut(f.Path, ".")
		if part == "limits" && !f.amount() {
			part = "rules of limits"
		}
		if !slices.Contains(parts, part) {
			parts = append(parts, part)
			marks[part] = Documented
		}
		if weaker(f.Mark, marks[part]) > 0 {
			marks[part] = f.Mark
		}
		for _, s := range f.Sources {
			if title := s.Title + " (" + s.Date + ")"; !slices.Contains(titles, title) {
				titles = append(titles, title)
			}
			if (f.amount() || !limited) && (out.Date == "" || s.Date < out.Date) {
				out.Date = s.Date
			}
		}
	}
	out.Source, out.Date = cmp.Or(strings.Join(titles, "; "), "Stampede"), cmp.Or(out.Date, "2026-11-30")
	slices.SortStableFunc(parts, func(a, b string) int { return weaker(marks[a], marks[b]) })
	for i, part := range parts {
		switch {
		case i == 0:
			out.Evidence = string(marks[part]) + ": " + part
		case marks[part] == marks[parts[i-1]]:
			out.Evidence += ", " + part
		default:
			out.Evidence += "; " + string(marks[part]) + ": " + part
		}
	}
	return out
}
