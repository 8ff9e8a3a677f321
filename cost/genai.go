// The page reads no price files, and its engine goes without a library for JSON.

//go:build !js

package cost

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// amount is a price in genai-prices: a number, or a base with tiers. The price of a tier is that of
// all tokens of its type once the prompt is longer than its start (the schema of genai-prices).
type amount struct {
	base  float64
	tiers []struct {
		Start int
		Price float64
	}
}

func (a *amount) UnmarshalJSON(data []byte) error {
	if !bytes.HasPrefix(data, []byte("{")) {
		return json.Unmarshal(data, &a.base)
	}
	var tiered struct {
		Base  float64
		Tiers []struct {
			Start int
			Price float64
		}
	}
	err := json.Unmarshal(data, &tiered)
	a.base, a.tiers = tiered.Base, tiered.Tiers
	return err
}

// million is the price of prompts of more than so many tokens, or the base; nil without any.
func (a *amount) million(above int) *float64 {
	if a == nil {
		return nil
	}
	price, from := a.base, 0
	for _, t := range a.tiers {
		if t.Start <= above && t.Start >= from {
			price, from = t.Price, t.Start
		}
	}
	return &price
}

type genaiPrices struct {
	Input    *amount `json:"input_mtok"`
	Output   *amount `json:"output_mtok"`
	Cached   *amount `json:"cache_read_mtok"`
	Written  *amount `json:"cache_write_mtok"`
	Requests *amount `json:"requests_kcount"`
}

func (p genaiPrices) quote() Quote {
	above := func(tokens int) Quote {
		return Quote{
			Input:   p.Input.million(tokens),
			Output:  p.Output.million(tokens),
			Cached:  p.Cached.million(tokens),
			Written: p.Written.million(tokens),
		}
	}
	q := above(-1)
	for _, start := range p.starts() {
		q.Long = append(q.Long, LongQuote{start, above(start)})
	}
	return q
}

// starts are the lengths of prompts at which some price changes.
func (p genaiPrices) starts() (out []int) {
	for _, a := range []*amount{p.Input, p.Output, p.Cached, p.Written} {
		if a == nil {
			continue
		}
		for _, t := range a.tiers {
			out = append(out, max(0, t.Start))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// genaiPrice is a price with the condition under which it holds: from a date on, or in some
// hours of each day.
type genaiPrice struct {
	Constraint struct {
		StartDate string `json:"start_date"`
		StartTime string `json:"start_time"`
		EndTime   string `json:"end_time"`
	}
	Prices genaiPrices
}

// condition reads the condition of the price.
func (p *genaiPrice) condition() (c condition, err error) {
	if c.from = p.Constraint.StartDate; c.from != "" {
		if _, err := time.Parse(time.DateOnly, c.from); err != nil {
			return c, fmt.Errorf("start_date: found %q; want a date such as 2026-09-01", c.from)
		}
	}
	if p.Constraint.StartTime != "" || p.Constraint.EndTime != "" {
		start, err1 := timeOfDay(p.Constraint.StartTime)
		end, err2 := timeOfDay(p.Constraint.EndTime)
		if err1 != nil || err2 != nil {
			return c, fmt.Errorf("found the hours %q to %q; want two times such as 16:30:00Z",
				p.Constraint.StartTime, p.Constraint.EndTime)
		}
		c.hours = []hours{{start, end}}
	}
	return c, nil
}

// genaiPricesOf are the prices of a model: one, or a list with conditions.
func genaiPricesOf(data json.RawMessage) (list []genaiPrice, when []condition, err error) {
	if !bytes.HasPrefix(data, []byte("[")) {
		list = make([]genaiPrice, 1)
		return list, make([]condition, 1), json.Unmarshal(data, &list[0].Prices)
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, nil, err
	}
	if len(list) == 0 {
		return nil, nil, fmt.Errorf("found an empty list")
	}
	for i := range list {
		c, err := list[i].condition()
		if err != nil {
			return nil, nil, err
		}
		when = append(when, c)
	}
	return list, when, nil
}

func (b PriceList) readGenAI(data []byte, day string) error {
	var providers []json.RawMessage
	if err := json.Unmarshal(data, &providers); err != nil {
		return err
	}
	for i, text := range providers {
		var provider struct {
			ID     string
			Models []json.RawMessage
		}
		if err := json.Unmarshal(text, &provider); err != nil {
			b.exclude(fmt.Sprintf("provider %d", i+1), entryReason(err))
			continue
		}
		for k, text := range provider.Models {
			var model struct {
				ID     string
				Prices json.RawMessage
			}
			if err := json.Unmarshal(text, &model); err != nil {
				b.exclude(fmt.Sprintf("%s/model %d", provider.ID, k+1), entryReason(err))
				continue
			}
			name := provider.ID + "/" + model.ID
			if reason := b.addGenAI(name, model.Prices, day); reason != "" {
				b.exclude(name, reason)
			}
		}
	}
	return nil
}

// addGenAI records a model or returns why it has no price. Where the price depends on the time
// of day, the one that holds for the largest part of the day is used.
func (b PriceList) addGenAI(model string, data json.RawMessage, day string) (reason string) {
	list, when, err := genaiPricesOf(data)
	if err != nil {
		return entryReason(err)
	}
	const maxPrices = 1000 // every one is searched for each period of the day
	if len(list) > maxPrices {
		return fmt.Sprintf("has %d prices; want at most %d", len(list), maxPrices)
	}
	var l listing
	parts, longest, held := periods(when, day)
	for _, p := range parts {
		price, reason := b.genaiPrice(model, &list[p.index])
		if reason != "" {
			return reason
		}
		if p.index == longest {
			l.tiers[Standard] = price
		}
		l.day = append(l.day, stretch{p.start, price})
	}
	if held < 24*time.Hour {
		l.tiers[Standard].Note = partOfDay(model, held)
	}
	b.models[model] = &l
	return ""
}

// genaiPrice converts a price, or returns why it cannot be used.
func (b PriceList) genaiPrice(model string, p *genaiPrice) (price Price, reason string) {
	q := p.Prices.quote()
	switch {
	case !q.sold() && p.Prices.Requests != nil:
		return price, "is priced by request, not by token"
	case !q.sold() && q.Input != nil:
		return price, "has no price for output tokens"
	case !q.sold():
		return price, "has no price per token"
	}
	price, err := b.price(model, Standard, q, p.Constraint.StartDate, b.name)
	if err != nil {
		return price, "has no price: " + err.Error()
	}
	if r := p.Prices.Requests; r != nil && r.base > 0 {
		price.Note = fmt.Sprintf("%s also costs $%g per 1,000 requests, which is left out", model, r.base)
	}
	return price, ""
}
