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

	start, end time.Duration // since midnight UTC
}

// timed reports whether the price holds in some hours only.
func (p *genaiPrice) timed() bool { return p.Constraint.StartTime != "" || p.Constraint.EndTime != "" }

// holds reports whether the price holds on a day at a time of it. Hours whose end is not
// after their start go over midnight.
func (p *genaiPrice) holds(day string, at time.Duration) bool {
	switch {
	case p.Constraint.StartDate > day:
		return false
	case !p.timed():
		return true
	case p.start < p.end:
		return p.start <= at && at < p.end
	}
	return at >= p.start || at < p.end
}

// genaiPricesOf are the prices of a model: one, or a list with conditions.
func genaiPricesOf(data json.RawMessage) ([]genaiPrice, error) {
	if !bytes.HasPrefix(data, []byte("[")) {
		one := make([]genaiPrice, 1)
		return one, json.Unmarshal(data, &one[0].Prices)
	}
	var list []genaiPrice
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("found an empty list")
	}
	for i := range list {
		p := &list[i]
		if p.Constraint.StartDate != "" {
			if _, err := time.Parse(time.DateOnly, p.Constraint.StartDate); err != nil {
				return nil, fmt.Errorf("start_date: found %q; want a date such as 2026-09-01", p.Constraint.StartDate)
			}
		}
		if p.timed() {
			var err1, err2 error
			p.start, err1 = timeOfDay(p.Constraint.StartTime)
			p.end, err2 = timeOfDay(p.Constraint.EndTime)
			if err1 != nil || err2 != nil {
				return nil, fmt.Errorf("found the hours %q to %q; want two times such as 16:30:00Z",
					p.Constraint.StartTime, p.Constraint.EndTime)
			}
		}
	}
	return list, nil
}

// timeOfDay reads a time such as 16:30:00Z, or with another offset, or without one for UTC, as
// the time since midnight UTC.
func timeOfDay(text string) (time.Duration, error) {
	t, err := time.Parse("15:04:05Z07:00", text)
	if err != nil {
		if t, err = time.Parse("15:04:05", text); err != nil {
			return 0, err
		}
	}
	t = t.UTC()
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute +
		time.Duration(t.Second())*time.Second, nil
}

// inForce is the price that holds on a day at a time of it. Conditions are tried from the last
// to the first; when none holds it is the first (the schema of genai-prices).
func inForce(list []genaiPrice, day string, at time.Duration) *genaiPrice {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].holds(day, at) {
			return &list[i]
		}
	}
	return &list[0]
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
	list, err := genaiPricesOf(data)
	if err != nil {
		return entryReason(err)
	}
	const maxPrices = 1000 // every one is searched for each period of the day
	if len(list) > maxPrices {
		return fmt.Sprintf("has %d prices; want at most %d", len(list), maxPrices)
	}
	starts := []time.Duration{0, 24 * time.Hour}
	for _, p := range list {
		if p.timed() {
			starts = append(starts, p.start, p.end)
		}
	}
	slices.Sort(starts)
	starts = slices.Compact(starts)
	var l listing
	held := map[*genaiPrice]time.Duration{} // of the day
	longest := &list[0]
	for i, start := range starts[:len(starts)-1] {
		p := inForce(list, day, start)
		price, reason := b.genaiPrice(model, p)
		if reason != "" {
			return reason
		}
		if held[p] += starts[i+1] - start; held[p] >= held[longest] {
			longest, l.tiers[Standard] = p, price
		}
		l.day = append(l.day, stretch{start, price})
	}
	if len(held) > 1 {
		l.tiers[Standard].Note = fmt.Sprintf(
			"the price of %s depends on the time of day; this one holds for %.3g of 24 hours. "+
				"starts_at takes the one in force at its time (UTC)",
			model,
			held[longest].Hours(),
		)
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
