package scenario

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"stampede/internal/format"
)

// Text is the preset's file; of a row of a table, the preset written out as a file of its own.
func (p *Preset) Text() string {
	if p.Policy != nil {
		return p.text
	}
	const width = 100
	from := p.Provenance()
	var b strings.Builder
	for _, field := range [][2]string{
		{"name", p.Name}, {"versions", p.Versions}, {"replaced_by", p.ReplacedBy}, {"date", from.Date},
		{"evidence", from.Evidence}, {"source", from.Source}, {"notes", p.Notes},
	} {
		switch {
		case field[1] == "":
		case len(field[0])+len(field[1]) < width && !strings.Contains(field[1], ": "):
			fmt.Fprintf(&b, "%s: %s\n", field[0], field[1])
		default:
			fmt.Fprintf(&b, "%s: >-\n  %s\n", field[0], field[1])
		}
	}
	fmt.Fprintf(&b, "provider:\n%s", p.node.Items[0].Block(2, width))
	return b.String()
}

// explainFacts prints where each value comes from.
func (p *Preset) explainFacts(w io.Writer) error {
	const valueColumns = 26
	pathColumns := 0
	for _, f := range p.Facts {
		pathColumns = max(pathColumns, len(f.Path))
	}
	var b strings.Builder
	var sources []string
	fmt.Fprintf(&b, "\n%-*s  %-*s  EVIDENCE\n", pathColumns, "FIELD", valueColumns, "VALUE")
	remarks := map[string]bool{}
	for i, f := range p.Facts {
		fmt.Fprintf(&b, "%-*s  %-*s  %s", pathColumns, f.Path, valueColumns, format.Cut(f.Value, valueColumns), f.Mark)
		for _, s := range f.Sources {
			text := s.Title + ", " + s.Date
			if !slices.Contains(sources, text) {
				sources = append(sources, text)
			}
			fmt.Fprintf(&b, " [%d]", slices.Index(sources, text)+1)
		}
		b.WriteString("\n")
		last := i == len(p.Facts)-1 || p.Facts[i+1].said != f.said // of the fields that share the statement
		if f.Remark != "" && last && !remarks[f.said] {
			remarks[f.said] = true
			b.WriteString("    " + f.Remark + "\n")
		}
	}
	for i, text := range sources {
		fmt.Fprintf(&b, "[%d] %s\n", i+1, text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// presetNotes say in a line each what one should know of the preset of a provider: that another took
// its place, and which of its limits in force are not known from the provider's pages or answers.
func presetNotes(p *Preset, of *Provider, whose string) (notes []string) {
	if p.ReplacedBy != "" {
		notes = append(notes, fmt.Sprintf("%s: %s is out of date; %s replaced it", whose, p.Title(), p.ReplacedBy))
	}
	var guessed []string
	for _, f := range p.Facts {
		if own := p.limitOf(f); own != nil && weaker(f.Mark, Inferred) >= 0 && of.has(own) {
			guessed = append(guessed, fmt.Sprintf("%s %s (%s)", own.Resource, f.Value, f.Mark))
		}
	}
	if len(guessed) > 0 {
		notes = append(notes, fmt.Sprintf("%s: no page and no answer of the provider states these limits of %s: %s",
			whose, p.Name, strings.Join(guessed, ", ")))
	}
	return notes
}

// limitOf is the limit whose amount a fact is about, or nil.
func (p *Preset) limitOf(f Fact) *Limit {
	index, amount := strings.CutSuffix(strings.TrimPrefix(f.Path, "limits."), ".limit")
	i, err := strconv.Atoi(index)
	if !amount || err != nil || i >= len(p.Provider.Limits) {
		return nil
	}
	return &p.Provider.Limits[i]
}

// has reports whether a limit of the same amount is in force.
func (p *Provider) has(own *Limit) bool {
	return slices.ContainsFunc(
		p.Limits,
		func(l Limit) bool { return l.Resource == own.Resource && l.Limit == own.Limit },
	)
}
