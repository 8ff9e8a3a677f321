package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"stampede/cost"
	"stampede/internal/format"
)

// modelPrices are the prices of a model of the built-in list on a day.
type modelPrices struct {
	model  string
	sold   []cost.Price // by tier
	tariff []cost.TariffLine
	notes  []string
	others []cost.Price // what price files say otherwise
}

// pricesOf are the prices of a model, or nil when the list has no such model.
func pricesOf(name, day string) (*modelPrices, error) {
	list, err := cost.BuiltinOn(day)
	if err != nil {
		return nil, err
	}
	var m modelPrices
	for tier := range cost.Tier(cost.Tiers) {
		if p, err := list.Price(name, tier); err == nil {
			m.sold = append(m.sold, p)
		}
	}
	if len(m.sold) == 0 {
		return nil, nil
	}
	m.model = m.sold[0].Model
	m.others = cost.Disagreements(m.model)
	m.tariff, m.notes, err = cost.Tariff(m.model, day)
	return &m, err
}

// priceText is what preset show --json prints of a model's price in a tier.
type priceText struct {
	Model     string           `json:"model"`
	Tier      string           `json:"tier"`
	Price     string           `json:"price"`
	Until     string           `json:"until,omitempty"` // the last day of a promotion
	Date      string           `json:"date"`
	Source    string           `json:"source"`
	Note      string           `json:"note,omitempty"`
	Otherwise []otherPriceText `json:"otherwise,omitempty"` // in price files
}

type otherPriceText struct {
	Price  string `json:"price"`
	Date   string `json:"date"`
	Source string `json:"source"`
}

// json is what preset show --json prints.
func (m *modelPrices) json() (out []priceText) {
	for _, p := range m.sold {
		text := priceText{m.model, p.Tier.String(), p.String(), p.Until, p.Date, p.Source, p.Note, nil}
		for _, o := range m.others {
			if o.Tier == p.Tier {
				text.Otherwise = append(text.Otherwise, otherPriceText{o.String(), o.Date, o.Source})
			}
		}
		out = append(out, text)
	}
	return out
}

// write prints a table of the tiers, then the sources, what price files say otherwise, and notes.
func (m *modelPrices) write(w io.Writer, width int) error {
	text := m.model + ", US dollars per million tokens\n\n" + m.table() + "\n" + m.sources()
	if len(m.others) > 0 {
		text += "\n"
	}
	for _, o := range m.others {
		tier := ""
		if o.Tier != cost.Standard {
			tier = " (" + o.Tier.String() + ")"
		}
		text += fmt.Sprintf("%s %s says %v%s.\n", o.Source, o.Date, o.Rates, tier)
	}
	for _, note := range m.notes {
		text += fmt.Sprintf("\nNote: %s.\n", note)
	}
	_, err := io.WriteString(w, format.Fold(text, width))
	return err
}

// sources has a line for each source, with the tiers that have their prices from it.
func (m *modelPrices) sources() (text string) {
	var sources []string
	tiers := map[string][]string{}
	for _, line := range m.tariff {
		source := line.Source + ", " + line.Date
		if len(tiers[source]) == 0 {
			sources = append(sources, source)
		}
		if tier := line.Tier.String(); !slices.Contains(tiers[source], tier) {
			tiers[source] = append(tiers[source], tier)
		}
	}
	for _, source := range sources {
		text += strings.Join(tiers[source], ", ") + ": " + source + "\n"
	}
	return text
}

// table has a line for each price. A column in which no line has a price of its own is left out.
func (m *modelPrices) table() string {
	const lastingColumn = 5
	dollars := func(pico int64) string { return strconv.FormatFloat(float64(pico)/1e6, 'g', 5, 64) }
	rows := [][]string{{"TIER", "FOR", "INPUT", "CACHED", "WRITTEN", "WRITTEN 1H", "OUTPUT", "REASONING"}}
	for i, l := range m.tariff {
		tier := l.Tier.String()
		if i > 0 && l.Tier == m.tariff[i-1].Tier {
			tier = ""
		}
		own := func(rate, or int64) string { // - where it costs what other tokens do
			if rate == or {
				return "-"
			}
			return dollars(rate)
		}
		rows = append(rows, []string{
			tier, l.For, dollars(l.Input), own(l.Cached, l.Input), own(l.Written, l.Input),
			own(l.WrittenHour, l.Written), dollars(l.Output), own(l.Reasoning, l.Output),
		})
	}
	wide := make([]int, len(rows[0]))
	for k := range wide {
		if !slices.ContainsFunc(rows[1:], func(row []string) bool { return row[k] != "-" && row[k] != "" }) {
			continue // no column
		}
		for _, row := range rows {
			wide[k] = max(wide[k], len(row[k]))
		}
	}
	text := ""
	for _, row := range rows {
		line := ""
		for k, cell := range row {
			switch {
			case wide[k] == 0:
			case k < 2:
				line += fmt.Sprintf("%-*s  ", wide[k], cell)
			default:
				line += fmt.Sprintf("%*s  ", wide[k], cell)
			}
		}
		text += strings.TrimRight(line, " ") + "\n"
	}
	if wide[lastingColumn] > 0 {
		text += "WRITTEN 1H: to a cache that lasts an hour or longer\n"
	}
	return text
}
