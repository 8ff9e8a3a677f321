package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"stampede/cost"
	"stampede/internal/format"
	"stampede/internal/nearest"
	"stampede/scenario"
)

func presetCommand() *cli.Command {
	return &cli.Command{
		Name:  "preset",
		Usage: "list and show the built-in policies, providers and prices",
		UsageText: examples(
			example{"List the presets of one vendor.", "stampede preset list openai"},
			example{"Print what an SDK does by default.", "stampede preset show openai-python@2.46"},
		),
		Subcommands: []*cli.Command{
			{
				Name: "list", Usage: "list presets: kind, name, versions, date and source", ArgsUsage: "[WORD]...",
				Description: "With words, lists the presets whose kind or name contains all of them; the prices of a " +
					"model are also found by who sells it. The source is " +
					"printed where the terminal is wide enough for it, and always by preset show and --json.",
				UsageText: examples(
					example{"List the prices of one vendor's models.", "stampede preset list price openai"},
					example{"List all providers as JSON.", "stampede preset list provider --json"},
				),
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "former", Usage: "list those that others replaced as well"},
					&cli.BoolFlag{Name: "json", Usage: "print JSON"},
					&cli.BoolFlag{Name: "markdown", Usage: "print the documentation of all presets in Markdown"},
					&cli.StringFlag{Name: "out", Usage: "write the Markdown to `FILE` instead of standard output"},
				},
				Action: listPresets,
			},
			{
				Name: "show", Usage: "print a preset and what it does", ArgsUsage: "NAME[@VERSION]",
				UsageText: examples(
					example{"Print what an SDK does by default.", "stampede preset show openai-python@2.46"},
					example{"Print the prices of a model in every tier.", "stampede preset show gpt-6.2-sol"}),
				Flags:  []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print JSON"}, pricesOnFlag()},
				Action: showPreset,
			},
		},
	}
}

// presetRow is a line of the list.
type presetRow struct {
	Kind     string `json:"kind"`
	Name     string `json:"name"`
	Versions string `json:"versions,omitempty"`
	Date     string `json:"date"`
	Source   string `json:"source"`
	Replaced string `json:"replaced_by,omitempty"`

	vendors string // who sells a model, to find it by
}

// presetRows are all presets and the models with a price.
func presetRows() (rows []presetRow, err error) {
	for _, p := range scenario.Presets() {
		rows = append(rows, rowOf(p))
	}
	book := cost.Builtin()
	for _, model := range book.Models() {
		p, err := book.Price(model, cost.Standard)
		if err != nil {
			return nil, err
		}
		rows = append(rows, presetRow{Kind: "price", Name: model, Date: p.Date, Source: p.Source,
			vendors: strings.Join(scenario.Vendors(model), "\n")})
	}
	return rows, nil
}

func rowOf(p *scenario.Preset) presetRow {
	from := p.Provenance()
	return presetRow{
		Kind: p.Kind(), Name: p.Name, Versions: p.VersionRange(), Date: from.Date, Source: from.Source,
		Replaced: p.ReplacedBy,
	}
}

// has reports whether the row's kind, name and vendors contain each of the words.
func (r presetRow) has(words []string) bool {
	text := strings.ToLower(r.Kind + "\n" + r.Name + "\n" + r.vendors)
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, strings.ToLower(w)) })
}

func listPresets(c *cli.Context) error {
	if c.Bool("markdown") {
		if err := noArguments(c); err != nil {
			return err
		}
		return toOut(c, func(w io.Writer) error {
			out := &errWriter{Writer: w}
			scenario.PresetReference(out)
			return out.err
		})
	}
	if c.String("out") != "" {
		return usage("preset list: found --out without --markdown")
	}
	rows, err := presetRows()
	if err != nil {
		return err
	}
	words := c.Args().Slice()
	var names []string
	shown := []presetRow{}
	former := 0
	for _, r := range rows {
		if names = append(names, r.Name); !r.has(words) {
			continue
		}
		if r.Replaced != "" && !c.Bool("former") {
			former++
			continue
		}
		shown = append(shown, r)
	}
	if len(shown)+former == 0 {
		return usage("preset list: no preset contains %q; %s", strings.Join(words, " "),
			nearest.Unknown(words[0], append(slices.Compact(names), "policy", "provider", "price")))
	}
	if c.Bool("json") {
		return writeJSON(c.App.Writer, shown)
	}
	width := columns(c.App.Writer)
	if err := writePresets(c.App.Writer, shown, width); err != nil || former == 0 {
		return err
	}
	_, err = fmt.Fprint(c.App.Writer, format.Fold(fmt.Sprintf(
		"\n%s not shown, which others replaced; add --former\n", format.Plural(former, "former preset")), width))
	return err
}

// writePresets prints a table that fits the terminal: a long source is cut, and left out where
// little of it would be left. Where no room is left for versions, their first follows the name, as
// in a scenario.
func writePresets(w io.Writer, rows []presetRow, width int) error {
	const (
		dateColumns      = 10 // a day; some dates are followed by more, which preset show prints
		minSourceColumns = 20
	)
	table := [][5]string{{"KIND", "NAME", "VERSIONS", "DATE", "SOURCE"}}
	for _, r := range rows {
		date, _, _ := strings.Cut(r.Date, " ")
		table = append(table,
			[5]string{r.Kind, r.Name, cmp.Or(r.Versions, "-"), format.Cut(date, dateColumns), r.Source})
	}
	wide, left := columnWidths(table, width)
	if left+2 < 0 { // the last column needs no space after it
		for i, r := range rows {
			if first, _, _ := strings.Cut(r.Versions, " "); first != "" {
				table[i+1][1] += "@" + first
			}
			table[i+1][2] = ""
		}
		table[0][2] = ""
		wide, left = columnWidths(table, width)
	}
	if left < minSourceColumns {
		left = 0
	}
	for _, row := range table {
		line := ""
		for i, n := range wide {
			if n > 0 {
				line += fmt.Sprintf("%-*s  ", n, row[i])
			}
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(line+format.Cut(row[4], left), " ")); err != nil {
			return err
		}
	}
	return nil
}

// columnWidths are the widths of all columns but the last, two spaces apart, and what is left for
// that one. An empty column takes no room.
func columnWidths(table [][5]string, width int) (wide [4]int, left int) {
	left = width
	for i := range wide {
		for _, row := range table {
			wide[i] = max(wide[i], utf8.RuneCountInString(row[i]))
		}
		if wide[i] > 0 {
			left -= wide[i] + 2
		}
	}
	return wide, left
}

// presetText is what preset show --json prints of a policy or a provider.
type presetText struct {
	presetRow
	Evidence    string          `json:"evidence"`
	Notes       string          `json:"notes"`
	Fields      []scenario.Fact `json:"fields,omitempty"` // of a provider: where each value comes from
	Explanation []string        `json:"explanation"`
	File        string          `json:"file"` // YAML
}

func showPreset(c *cli.Context) error {
	if c.NArg() != 1 {
		return usage("preset show: found %d arguments; want the name of one preset", c.NArg())
	}
	name := c.Args().First()
	day, err := pricesOn(c)
	if err != nil {
		return err
	}
	prices, err := pricesOf(name, day)
	if err != nil {
		return err
	}
	p, err := scenario.FindPreset("", name)
	switch {
	case err != nil && prices == nil:
		return usageError{err}
	case err != nil && c.Bool("json"):
		return writeJSON(c.App.Writer, prices.json())
	case err != nil:
		return prices.write(c.App.Writer, columns(c.App.Writer))
	}
	var explanation bytes.Buffer
	if err := p.Explain(&explanation); err != nil {
		return err
	}
	if c.Bool("json") {
		return writeJSON(c.App.Writer, presetText{
			rowOf(p), p.Provenance().Evidence, p.Notes, p.Facts,
			strings.Split(strings.TrimSpace(explanation.String()), "\n"), p.Text(),
		})
	}
	width := columns(c.App.Writer)
	if prices != nil {
		fmt.Fprintf(&explanation, "\nThe prices of the model: stampede preset show %s\n", prices.model)
	}
	_, err = fmt.Fprint(c.App.Writer, format.FoldYAML(p.Text(), width), format.Fold(explanation.String(), width))
	return err
}
