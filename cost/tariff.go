package cost

import (
	"fmt"
	"time"

	"stampede/internal/format"
)

// TariffLine is one line of the prices of a model: a tier, and for what in it the rates hold.
type TariffLine struct {
	Tier Tier
	For  string // such as "prompts above 272,000" or "until 2026-12-31"; empty of a tier's only price
	Rates
	Date, Source string
}

// Tariff is every price of a model of the built-in list, by tier, on a day and after the promotions of that day, and
// what check and run note of them.
func Tariff(model, day string) (lines []TariffLine, notes []string, err error) {
	list, err := BuiltinOn(day)
	if err != nil {
		return nil, nil, err
	}
	l, err := list.find(model)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range l.tiers {
		if p.Model == "" {
			continue
		}
		if p.Note != "" && p.Until == "" {
			notes = append(notes, p.Note)
		}
		when, then := "", ""
		if p.Until != "" {
			when, then = "until "+p.Until, "from "+dayAfter(p.Until)
		}
		lines = append(lines, p.lines(when)...)
		if p.Tier == Standard {
			lines = append(lines, l.otherHours()...)
		}
		if then == "" {
			continue
		}
		later, err := BuiltinOn(dayAfter(p.Until))
		if err == nil {
			p, err = later.Price(p.Model, p.Tier)
		}
		if err != nil {
			return nil, nil, err
		}
		lines = append(lines, p.lines(then)...)
	}
	return lines, notes, nil
}

// lines are those of a price and of its longer prompts.
func (p *Price) lines(when string) []TariffLine {
	out := []TariffLine{{p.Tier, when, p.Rates, p.Date, p.Source}}
	for _, b := range p.Bands {
		above := "prompts above " + format.Thousands(b.Above)
		out = append(out, TariffLine{p.Tier, above, b.Rates, p.Date, p.Source})
	}
	return out
}

// otherHours are the lines of hours that have another price than the largest part of the day.
func (l *listing) otherHours() (out []TariffLine) {
	clock := func(at time.Duration) string {
		return fmt.Sprintf("%02d:%02d", at/time.Hour, at%time.Hour/time.Minute)
	}
	for i, s := range l.day {
		if s.price.Rates == l.tiers[Standard].Rates {
			continue
		}
		end := 24 * time.Hour
		if i+1 < len(l.day) {
			end = l.day[i+1].start
		}
		out = append(out, TariffLine{Standard, clock(s.start) + " to " + clock(end) + " UTC", s.price.Rates,
			s.price.Date, s.price.Source})
	}
	return out
}
