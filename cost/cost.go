// Package cost turns tokens into money, exactly. Money is an integer of
// nano-dollars; a price is an integer of pico-dollars per token, which is the
// same number as micro-dollars per million tokens.
package cost

import "fmt"

// Money is an amount in nano-dollars, 1e-9 of a US dollar.
type Money int64

// Dollars is the amount in US dollars.
func (m Money) Dollars() float64 { return float64(m) / 1e9 }

// String writes dollars and cents, with more digits for small amounts.
func (m Money) String() string {
	if d := m.Dollars(); d > -0.1 && d < 0.1 {
		return fmt.Sprintf("$%.6f", d)
	}
	return fmt.Sprintf("$%.2f", m.Dollars())
}

// Usage is what a provider bills an attempt for. Cached tokens are part of the
// prompt.
type Usage struct{ Prompt, Cached, Output int }

// Price is what one model charges, in pico-dollars per token.
type Price struct {
	Model  string
	Input  int64
	Cached int64 // of prompt tokens read from a cache
	Output int64
	Date   string // from which the price holds or at which it was looked up; empty when unknown
	Source string // where the price comes from
}

// Bill is the price of the usage, rounded half up to a nano-dollar.
func (p Price) Bill(u Usage) Money {
	pico := int64(u.Prompt-u.Cached)*p.Input + int64(u.Cached)*p.Cached + int64(u.Output)*p.Output
	return Money((pico + 500) / 1000)
}

// String writes the price as people do, per million tokens.
func (p Price) String() string {
	if p == (Price{Model: p.Model}) {
		return p.Model
	}
	per := func(pico int64) string { return fmt.Sprintf("$%.4g", float64(pico)/1e6) }
	return fmt.Sprintf("%s: %s in, %s cached, %s out per million tokens", p.Model, per(p.Input), per(p.Cached), per(p.Output))
}

// Cause says why money was wasted. Its words are those of tables, CSV and JSON.
type Cause uint8

const (
	ByTimeout   Cause = iota // the client's own timer cut off an attempt that was generated all the same
	ByAbandoned              // the caller left while an attempt was being generated
	ByError                  // a billed reply that was no answer
	Causes      = iota
)

// String is the word for a cause.
func (c Cause) String() string { return [Causes]string{"timeout", "abandoned", "error"}[c] }

// Waste is money by cause.
type Waste [Causes]Money

// Total is the waste of all causes.
func (w Waste) Total() (sum Money) {
	for _, m := range w {
		sum += m
	}
	return sum
}
