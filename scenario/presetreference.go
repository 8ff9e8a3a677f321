package scenario

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"stampede/cost"
	"stampede/internal/format"
)

//go:generate go run ../cmd/stampede preset list --markdown --out ../docs/presets.md

// PresetReference writes the documentation of all presets in Markdown: providers with their limits
// and how well these are known, policies with their versions, and models with a price.
func PresetReference(w io.Writer) {
	fmt.Fprint(w, `# Presets

Providers, policies and prices that the program knows by name. `+"`stampede preset show NAME`"+` prints one with the
source of each of its values. The page is generated: `+"`go generate ./scenario`"+`.

How well a number is known:

- documented: it stands on the provider's own page;
- reported: a third party cites that page;
- observed: it stood in answers of the provider, or was measured;
- inferred: it follows from others that are known better;
- assumed: it has no source. `+"`run`, `sweep` and `check`"+` say when such a limit, or an inferred one, is in force.

Where limits of a preset differ in this, the table has a mark for each, in their order.

## Providers

| Preset | Limits | Known | As of |
|---|---|---|---|
`)
	former := ""
	for _, p := range Presets() {
		if p.Provider == nil {
			continue
		}
		if p.ReplacedBy != "" {
			former += fmt.Sprintf("| `%s@%s` | `%s` |\n", p.Name, p.Versions, p.ReplacedBy)
			continue
		}
		limits, known := p.limitsText()
		fmt.Fprintf(w, "| `%s` | %s | %s | %s |\n", p.Name, limits, known, p.Provenance().Date)
	}
	fmt.Fprintf(w, "\nFormer presets, and what replaced them:\n\n| Preset | Now |\n|---|---|\n%s", former)
	fmt.Fprint(w, "\n## Policies\n\n| Preset | Versions | Source | As of |\n|---|---|---|---|\n")
	for _, p := range Presets() {
		if p.Policy != nil {
			fmt.Fprintf(w, "| `%s` | %s | %s | %s |\n", p.Name, p.VersionRange(), format.Markdown(p.Source), p.Date)
		}
	}
	fmt.Fprint(w, "\n## Prices\n\n| Model | Standard price | Source | As of |\n|---|---|---|---|\n")
	book := cost.Builtin()
	for _, model := range book.Models() {
		if price, err := book.Price(model, cost.Standard); err == nil {
			_, text, _ := strings.Cut(fmt.Sprint(price), ": ")
			fmt.Fprintf(w, "| `%s` | %s | %s | %s |\n", model, format.Markdown(text),
				format.Markdown(price.Source), price.Date)
		}
	}
}

// limitsText lists the limits of a provider, and how well their amounts are known.
func (p *Preset) limitsText() (limits, known string) {
	var amounts, marks []string
	for _, f := range p.Facts {
		if own := p.limitOf(f); own != nil {
			amounts = append(amounts, strings.ReplaceAll(string(own.Resource), "_", " ")+" "+f.Value)
			marks = append(marks, string(f.Mark))
		}
	}
	if len(amounts) == 0 {
		return "none", ""
	}
	if distinct := slices.Compact(slices.Clone(marks)); len(distinct) == 1 {
		marks = distinct
	}
	return strings.Join(amounts, ", "), strings.Join(marks, ", ")
}
