package cost

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"stampede/internal/nearest"
)

//go:embed prices.csv
var builtin []byte

const (
	builtinName = "the built-in price list"

	// builtinDate is that of the newest price of the list that the program carries.
	builtinDate = "2026-11-30"
)

// Builtin is the price list that the program carries, as it is on the day of its newest price.
func Builtin() PriceList {
	b, err := BuiltinOn(builtinDate)
	if err != nil {
		panic(err) // the table is part of the program
	}
	return b
}

// BuiltinOn is the price list that the program carries, as it is on a day such as 2026-12-31:
// promotions have an end. An empty day is that of its newest price.
func BuiltinOn(day string) (PriceList, error) { return readTable(builtin, builtinName, day) }

// BuiltinTable is the text of the price list that the program carries; it must not be changed.
func BuiltinTable() []byte { return builtin }

// columns are those of the table. See its head for what they mean.
var columns = []string{
	"model", "tier", "input", "cached", "written", "written_1h", "output", "above",
	"hours", "until", "date", "source", "note",
}

// Places of columns.
const (
	atModel, atTier, atPrices, atAbove, atHours, atUntil, atDate, atSource, atNote = 0, 1, 2, 7, 8, 9, 10, 11, 12
)

// entry is a price of the table with the condition under which it holds.
type entry struct {
	quote              Quote
	when               condition
	date, source, note string
}

// entries are the prices of a model by tier, the regular one first.
type entries [Tiers][]entry

// readTable reads prices as the table of the program has them, as they are on a day.
func readTable(text []byte, name, day string) (PriceList, error) {
	if day == "" {
		day = builtinDate
	}
	if err := checkDay(day); err != nil {
		return PriceList{}, err
	}
	lines := csv.NewReader(bytes.NewReader(text))
	lines.Comment = '#'
	rows, err := lines.ReadAll()
	if err != nil {
		return PriceList{}, fmt.Errorf("%s: %w", name, err)
	}
	if len(rows) == 0 || !slices.Equal(rows[0], columns) {
		return PriceList{}, fmt.Errorf("%s: want a first row with the columns %s", name, strings.Join(columns, ","))
	}
	models := map[string]*entries{}
	var order []string
	for i, row := range rows[1:] {
		m := models[row[atModel]]
		if m == nil {
			m = new(entries)
			models[row[atModel]] = m
			order = append(order, row[atModel])
		}
		if err := m.read(row, rows[i]); err != nil {
			return PriceList{}, fmt.Errorf("%s: row %d: %s: %w", name, i+2, row[atModel], err)
		}
	}
	b := newPriceList(name)
	for _, model := range order {
		if err := b.addEntries(model, models[model], day); err != nil {
			return PriceList{}, fmt.Errorf("%s: %s: %w", name, model, err)
		}
	}
	return b, nil
}

// read takes a row, given the one before it.
func (m *entries) read(row, before []string) error {
	tier, ok := FindTier(row[atTier])
	if !ok {
		return fmt.Errorf("tier: found %q; %s", row[atTier], nearest.Unknown(row[atTier], TierWords[:]))
	}
	if row[atModel] == "" {
		return fmt.Errorf("model: found nothing; want its name")
	}
	if tier != Standard && len(m[Standard]) == 0 {
		return fmt.Errorf("tier: found %v first; want the standard tier of a model before its others", tier)
	}
	e := entry{date: row[atDate], source: row[atSource], note: row[atNote]}
	if err := e.quote.read(row[atPrices:atAbove]); err != nil {
		return err
	}
	if row[atAbove] != "" {
		if row[atModel] != before[atModel] || row[atTier] != before[atTier] {
			return fmt.Errorf("above: found %s first; want it after the row of the model and tier for shorter prompts",
				row[atAbove])
		}
		if row[atHours] != "" || row[atUntil] != "" {
			return fmt.Errorf("above: found with hours or until; want those in the row for shorter prompts alone")
		}
		last := &m[tier][len(m[tier])-1].quote
		above, err := strconv.Atoi(row[atAbove])
		if err != nil || above <= 0 || len(last.Long) > 0 && above <= last.Long[len(last.Long)-1].Above {
			return fmt.Errorf("above: found %q; want a number of tokens, larger than in the rows before", row[atAbove])
		}
		last.Long = append(last.Long, LongQuote{above, e.quote})
		return nil
	}
	if !e.quote.sold() {
		return fmt.Errorf("input, output: found nothing; want both")
	}
	if err := e.when.read(row[atHours], row[atUntil]); err != nil {
		return err
	}
	if e.date == "" || e.source == "" {
		return fmt.Errorf("date, source: found nothing; want where the price stands and when it was read")
	}
	if err := checkDay(e.date); err != nil {
		return fmt.Errorf("date: %w", err)
	}
	conditional := row[atHours] != "" || row[atUntil] != ""
	switch {
	case conditional && len(m[tier]) == 0:
		return fmt.Errorf("hours, until: found first; want the regular price of the model and tier in a row before")
	case !conditional && len(m[tier]) > 0:
		return fmt.Errorf("found the %v tier twice; want hours or until in the second row", tier)
	case row[atHours] != "" && tier != Standard:
		return fmt.Errorf("hours: found in the %v tier; want them in the standard tier", tier)
	}
	m[tier] = append(m[tier], e)
	return nil
}

// read takes the prices of a row.
func (q *Quote) read(prices []string) error {
	to := []**float64{&q.Input, &q.Cached, &q.Written, &q.WrittenHour, &q.Output}
	for i, text := range prices {
		if text == "" {
			continue
		}
		dollars, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("%s: found %q; want US dollars per million tokens", columns[atPrices+i], text)
		}
		*to[i] = &dollars
	}
	return nil
}

// read takes hours such as "01:00-04:00 06:00-10:00", in UTC, and the last day.
func (c *condition) read(of, until string) error {
	for _, part := range strings.Fields(of) {
		from, to, found := strings.Cut(part, "-")
		start, err1 := timeOfDay(from)
		end, err2 := timeOfDay(to)
		if !found || err1 != nil || err2 != nil {
			return fmt.Errorf("hours: found %q; want hours such as 01:00-04:00 06:00-10:00 (UTC)", of)
		}
		c.hours = append(c.hours, hours{start, end})
	}
	if c.until = until; until != "" {
		if err := checkDay(until); err != nil {
			return fmt.Errorf("until: %w", err)
		}
	}
	return nil
}

// checkDay reports a day that is none.
func checkDay(day string) error {
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return fmt.Errorf("found the day %q; want a date such as %s", day, builtinDate)
	}
	return nil
}

// addEntries records the prices of a model that hold on a day.
func (b PriceList) addEntries(model string, m *entries, day string) error {
	for tier := range Tier(Tiers) {
		if len(m[tier]) == 0 {
			continue
		}
		var when []condition
		for _, e := range m[tier] {
			when = append(when, e.when)
		}
		parts, longest, held := periods(when, day)
		var stretches []stretch
		for _, p := range append(parts, period{index: longest}) {
			e := &m[tier][p.index]
			if err := b.add(model, tier, e.quote, e.date, e.source); err != nil {
				return err
			}
			price := &b.models[model].tiers[tier]
			price.OnDay = sameDay(when, day)
			if price.Until = e.when.until; price.Until != "" {
				then := m[tier][inForce(when, dayAfter(price.Until), p.start)]
				rates, err := then.quote.Rates()
				if err != nil {
					return err
				}
				price.Note = fmt.Sprintf("the price of %s is a promotion until %s; then it is %v", model,
					price.Until, rates)
			}
			if e.note != "" {
				price.Note = e.note
			}
			stretches = append(stretches, stretch{p.start, *price})
		}
		if held < 24*time.Hour {
			l := b.models[model]
			l.day = stretches[:len(parts)]
			l.tiers[tier].Note = partOfDay(model, held)
			if note := m[tier][longest].note; note != "" {
				l.tiers[tier].Note += "; " + note
			}
		}
	}
	return nil
}

// sameDay is a day on which the same prices hold, one for all such days: the last of a promotion or
// the first after all of them. It is empty where the prices are the same on every day.
func sameDay(list []condition, day string) (out string) {
	last := ""
	for _, c := range list {
		if last = max(last, c.until); c.until >= day && (out == "" || c.until < out) {
			out = c.until
		}
	}
	if out == "" && last != "" {
		out = dayAfter(last)
	}
	return out
}

// dayAfter is the day after one that is valid.
func dayAfter(day string) string {
	t, _ := time.Parse(time.DateOnly, day)
	return t.AddDate(0, 0, 1).Format(time.DateOnly)
}
