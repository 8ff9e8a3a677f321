package cost

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"stampede/suggest"
)

// Book is a price list by model name and tier.
type Book struct {
	name   string
	prices map[string]*[Tiers]Price // without a model where the tier is not sold
}

//go:embed prices.csv
var builtin []byte

// Builtin is the small price list that the program carries.
func Builtin() Book {
	lines := csv.NewReader(bytes.NewReader(builtin))
	lines.Comment = '#'
	rows, err := lines.ReadAll()
	if err != nil {
		panic(err) // the table is part of the program
	}
	b := newBook("the built-in price list")
	for _, row := range rows[1:] {
		tier, ok := FindTier(row[1])
		if !ok {
			panic("cost: no tier " + row[1])
		}
		var q Quote
		for i, to := range []**float64{&q.Input, &q.Cached, &q.Written, &q.WrittenHour, &q.Output} {
			if text := row[i+2]; text != "" {
				dollars, err := strconv.ParseFloat(text, 64)
				if err != nil {
					panic(err)
				}
				*to = &dollars
			}
		}
		if err := b.add(row[0], tier, q, row[7], row[8]); err != nil {
			panic(err)
		}
	}
	return b
}

func newBook(name string) Book { return Book{name, map[string]*[Tiers]Price{}} }

// Quote is a price as people write it, in US dollars per million tokens. Input and
// Output are needed; reading and writing a cache cost as input where nothing is
// said, writing for an hour as writing, and reasoning as output.
type Quote struct {
	Input, Cached, Written, WrittenHour, Output, Reasoning *float64
}

// sold reports whether the quote prices tokens at all.
func (q Quote) sold() bool { return q.Input != nil && q.Output != nil }

// Rates turns the quote into rates. It reports prices below 0 or above a million.
func (q Quote) Rates() (r Rates, err error) {
	rate := func(dollars *float64, or int64) int64 {
		if dollars == nil {
			return or
		}
		if !(*dollars >= 0 && *dollars <= 1e6) {
			err = fmt.Errorf("%g dollars per million tokens is out of range; allowed is 0 to 1,000,000", *dollars)
			return 0
		}
		return int64(math.Round(*dollars * 1e6))
	}
	r.Input = rate(q.Input, 0)
	r.Cached = rate(q.Cached, r.Input)
	r.Written = rate(q.Written, r.Input)
	r.WrittenHour = rate(q.WrittenHour, r.Written)
	r.Output = rate(q.Output, 0)
	r.Reasoning = rate(q.Reasoning, r.Output)
	return r, err
}

// PerMillion is a price in US dollars per million tokens, without any for writing a
// cache or for reasoning.
func PerMillion(model string, input, cached, output float64) Price {
	rates, err := Quote{Input: &input, Cached: &cached, Output: &output}.Rates()
	if err != nil {
		panic("cost: " + err.Error())
	}
	return Price{Model: model, Rates: rates}
}

func (b Book) add(model string, tier Tier, q Quote, date, source string) error {
	rates, err := q.Rates()
	if err != nil {
		return fmt.Errorf("model %q: %w", model, err)
	}
	if b.prices[model] == nil {
		b.prices[model] = new([Tiers]Price)
	}
	b.prices[model][tier] = Price{model, tier, rates, date, source}
	return nil
}

// Len is the number of models in the book.
func (b Book) Len() int { return len(b.prices) }

// Models lists the names in the book in order.
func (b Book) Models() []string { return slices.Sorted(maps.Keys(b.prices)) }

// Price finds a model by its name, or by the part of its name behind the
// provider when that is not ambiguous, and what it costs in a tier.
func (b Book) Price(model string, tier Tier) (Price, error) {
	tiers, err := b.find(model)
	if err != nil {
		return Price{}, err
	}
	if p := tiers[tier]; p.Model != "" {
		return p, nil
	}
	var sold []string
	for t := range Tier(Tiers) {
		if tiers[t].Model != "" {
			sold = append(sold, t.String())
		}
	}
	return Price{}, fmt.Errorf("no %v price for model %q in %s; it is sold as %s", tier, model, b.name, suggest.List(sold))
}

func (b Book) find(model string) (*[Tiers]Price, error) {
	if tiers, ok := b.prices[model]; ok {
		return tiers, nil
	}
	var found []string
	for _, name := range b.Models() {
		if strings.HasSuffix(name, "/"+model) {
			found = append(found, name)
		}
	}
	switch len(found) {
	case 1:
		return b.prices[found[0]], nil
	case 0:
		return nil, fmt.Errorf("no price for model %q in %s; %s", model, b.name, suggest.Unknown(model, b.Models()))
	}
	return nil, fmt.Errorf("model %q is sold by several providers in %s; write one of %s", model, b.name, suggest.List(found))
}
