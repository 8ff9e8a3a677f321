package cost

import (
	"fmt"
	"slices"
)

// Band is the rates of requests whose prompts are longer than so many tokens. They hold for the
// whole request: one token more makes all of it dearer.
type Band struct {
	Above int // tokens of the prompt
	Rates
}

// maxBands is how many lengths a price can tell apart.
const maxBands = 16

// Bill is the price of the usage of one request, at the rates for the length of its prompt.
func (p *Price) Bill(u Usage) Money {
	rates := &p.Rates
	for i := range p.Bands {
		if u.Prompt > p.Bands[i].Above {
			rates = &p.Bands[i].Rates
		}
	}
	return rates.Bill(u)
}

// LongQuote is what a quote becomes for prompts of more than so many tokens. A missing price is
// that of the quote; of prices for the cache and for reasoning, in the proportion of its input and
// output.
type LongQuote struct {
	Above int
	Quote
}

// Set takes the rates of a quote. It reports prices that are out of range, and too many.
func (p *Price) Set(q Quote) (err error) {
	if len(q.Long) > maxBands {
		return fmt.Errorf("%d prices by the length of the prompt; allowed are %d", len(q.Long), maxBands)
	}
	if p.Rates, err = q.Rates(); err == nil {
		p.Bands, err = q.bands(p.Rates)
	}
	return err
}

// bands are the rates of a quote by the length of the prompt, the shortest first.
func (q Quote) bands(base Rates) (out []Band, err error) {
	for _, l := range q.Long {
		if l.Input == nil {
			l.Input = q.Input
		}
		if l.Output == nil {
			l.Output = q.Output
		}
		rates, err := l.completeFrom(base).Rates()
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(out, func(b Band) bool { return b.Above > l.Above })
		if at < 0 {
			at = len(out)
		}
		out = slices.Insert(out, at, Band{l.Above, rates})
	}
	return out, nil
}

// longFrom gives a tier without prices by length those of the standard tier, in the proportion of
// its input and output.
func (q Quote) longFrom(standard Price) Quote {
	if len(q.Long) > 0 || !q.sold() {
		return q
	}
	for _, band := range standard.Bands {
		input, output := *q.Input, *q.Output
		if standard.Input > 0 {
			input *= float64(band.Input) / float64(standard.Input)
		}
		if standard.Output > 0 {
			output *= float64(band.Output) / float64(standard.Output)
		}
		q.Long = append(q.Long, LongQuote{band.Above, Quote{Input: &input, Output: &output}})
	}
	return q
}
