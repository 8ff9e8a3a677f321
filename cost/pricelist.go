package cost

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"stampede/internal/nearest"
)

// PriceList holds prices by model name and tier.
type PriceList struct {
	name   string
	models map[string]*listing
}

// listing is the entry of a model in a price list.
type listing struct {
	tiers  [Tiers]Price // without a model where the tier is not sold
	day    []stretch    // the standard tier over the day; empty where it has one price
	reason string       // why there is no price per token; empty where there is one
}

// stretch is a part of the day, from its start in time since midnight UTC to that of the
// next, with its price.
type stretch struct {
	start time.Duration
	price Price
}

func newPriceList(name string) PriceList { return PriceList{name, map[string]*listing{}} }

// Quote is a price as people write it, in US dollars per million tokens. Input and
// Output are required. A missing price defaults: Cached and Written to Input,
// WrittenHour to Written, Reasoning to Output.
type Quote struct {
	Input, Cached, Written, WrittenHour, Output, Reasoning *float64

	Long []LongQuote // of longer prompts
}

// sold reports whether the quote has a price per token.
func (q Quote) sold() bool { return q.Input != nil && q.Output != nil }

// free reports whether every price of the quote is 0.
func (q Quote) free() bool {
	for _, p := range []*float64{q.Input, q.Cached, q.Written, q.WrittenHour, q.Output, q.Reasoning} {
		if p != nil && *p != 0 {
			return false
		}
	}
	return true
}

// MaxPerMillion is the highest price, in US dollars per million tokens. The dearest
// models cost hundreds; above this a price is in the wrong unit.
const MaxPerMillion = 10_000

// Rates turns the quote into rates. It reports prices below 0 or above MaxPerMillion.
func (q Quote) Rates() (r Rates, err error) {
	rate := func(dollars *float64, or int64) int64 {
		if dollars == nil {
			return or
		}
		if !(*dollars >= 0 && *dollars <= MaxPerMillion) {
			if err == nil {
				err = fmt.Errorf("%s dollars per million tokens is out of range; allowed is 0 to 10,000",
					strconv.FormatFloat(*dollars, 'f', -1, 64))
			}
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

// completeFrom fills the missing prices of a tier from the standard tier: its cache prices get the
// discount or surcharge of its input, its reasoning price that of its output, as OpenAI and
// Anthropic price their tiers. Without it a cached token of a batch, at half the price of new
// input, would cost more than a cached token of the standard tier, at a tenth.
func (q Quote) completeFrom(standard Rates) Quote {
	scaled := func(own, of *float64, from, rate int64) *float64 {
		if own != nil || of == nil || from == 0 {
			return own
		}
		dollars := *of * float64(rate) / float64(from)
		return &dollars
	}
	q.Cached = scaled(q.Cached, q.Input, standard.Input, standard.Cached)
	q.Written = scaled(q.Written, q.Input, standard.Input, standard.Written)
	q.WrittenHour = scaled(q.WrittenHour, q.Input, standard.Input, standard.WrittenHour)
	q.Reasoning = scaled(q.Reasoning, q.Output, standard.Output, standard.Reasoning)
	return q
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

// add records a model's price in a tier; the standard tier must be added first.
func (b PriceList) add(model string, tier Tier, q Quote, date, source string) error {
	l := b.models[model]
	if l == nil {
		l = new(listing)
	}
	if tier != Standard {
		q = q.completeFrom(l.tiers[Standard].Rates).longFrom(l.tiers[Standard])
	}
	p, err := b.price(model, tier, q, date, source)
	if err != nil {
		return err
	}
	l.tiers[tier], b.models[model] = p, l
	return nil
}

func (b PriceList) price(model string, tier Tier, q Quote, date, source string) (Price, error) {
	p := Price{Model: model, Tier: tier, Date: date, Source: source}
	err := p.Set(q)
	if q.free() {
		p.Note = fmt.Sprintf("the price of %s is 0 in %s: every attempt costs nothing", model, b.name)
	}
	return p, err
}

// exclude records why a model has no price per token.
func (b PriceList) exclude(model, reason string) { b.models[model] = &listing{reason: reason} }

// Len is the number of models with a price.
func (b PriceList) Len() (n int) {
	for _, l := range b.models {
		if l.reason == "" {
			n++
		}
	}
	return n
}

// Models lists the names of the models with a price in order.
func (b PriceList) Models() (names []string) {
	for _, name := range slices.Sorted(maps.Keys(b.models)) {
		if b.models[name].reason == "" {
			names = append(names, name)
		}
	}
	return names
}

// Price is the price of a model in a tier. The model is found by its full name, or without the
// provider's prefix when that is unambiguous, with versions written as 5.5 or 5-5. A price that depends
// on the time of day is the one that holds for the largest part of the day.
func (b PriceList) Price(model string, tier Tier) (Price, error) {
	l, err := b.find(model)
	if err != nil {
		return Price{}, err
	}
	if p := l.tiers[tier]; p.Model != "" {
		return p, nil
	}
	var sold []string
	for t := range Tier(Tiers) {
		if l.tiers[t].Model != "" {
			sold = append(sold, t.String())
		}
	}
	return Price{}, fmt.Errorf("no %v price for model %q in %s; it is sold as %s", tier, model, b.name,
		nearest.List(sold))
}

// PriceAt is Price at a time of day, given as the time since midnight UTC.
func (b PriceList) PriceAt(model string, tier Tier, at time.Duration) (Price, error) {
	p, err := b.Price(model, tier)
	if err != nil || tier != Standard {
		return p, err
	}
	l, err := b.find(model)
	for _, s := range l.day {
		if s.start <= at {
			p = s.price
		}
	}
	return p, err
}

func (b PriceList) find(model string) (*listing, error) {
	l, ok := b.models[model]
	if !ok {
		named := b.named(func(name string) bool { return strings.HasSuffix(name, "/"+model) })
		if len(named) == 0 {
			plain := "/" + undotted(model)
			named = b.named(func(name string) bool { return strings.HasSuffix("/"+undotted(name), plain) })
		}
		sold := slices.DeleteFunc(slices.Clone(named), func(name string) bool { return b.models[name].reason != "" })
		switch {
		case len(sold) > 1:
			return nil, fmt.Errorf("model %q is sold by several providers in %s; write one of %s", model, b.name,
				nearest.List(sold))
		case len(sold) == 1:
			l = b.models[sold[0]]
		case len(named) > 0:
			l = b.models[named[0]]
		default:
			return nil, fmt.Errorf("no price for model %q in %s; %s", model, b.name,
				nearest.Unknown(model, b.Models()))
		}
	}
	if l.reason != "" {
		return nil, fmt.Errorf("model %q in %s %s", model, b.name, l.reason)
	}
	return l, nil
}

// named lists the names that match, in order.
func (b PriceList) named(match func(name string) bool) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(b.models)) {
		if match(name) {
			names = append(names, name)
		}
	}
	return names
}

// undotted is a model's name with its version as 5-5: Anthropic writes claude-opus-5-5 what others call
// claude-opus-5.5.
func undotted(model string) string { return strings.ReplaceAll(model, ".", "-") }
