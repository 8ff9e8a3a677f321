// Package cost computes what tokens cost, in exact integers. Money is in nano-dollars; a price is
// in pico-dollars per token, which is the same number as micro-dollars per million tokens:
// $0.15 per million tokens = 150,000 pico-dollars per token, and 1,000 tokens at it = 150,000 nano-dollars.
//
// [Rates.Bill] is the only place that multiplies tokens by rates; [Price.Bill] chooses them by the length of
// the prompt. A [PriceList] finds a [Price] by
// model and [Tier]; [Builtin] is the list in the program, [Read] reads those of LiteLLM and
// genai-prices. [Waste] is money spent on tokens that nobody used, by [Cause].
package cost

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"time"

	"stampede/internal/format"
	"stampede/internal/words"
)

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

// Usage is what a provider bills an attempt for, in tokens. Those read from a
// cache and those written to one are part of the prompt, those of reasoning part of
// the output.
type Usage struct{ Prompt, Cached, Written, Output, Reasoning int }

// Plus is both usages together.
func (u Usage) Plus(v Usage) Usage {
	return Usage{
		u.Prompt + v.Prompt,
		u.Cached + v.Cached,
		u.Written + v.Written,
		u.Output + v.Output,
		u.Reasoning + v.Reasoning,
	}
}

// Price is what one model charges in one tier, in pico-dollars per token.
type Price struct {
	Model string
	Tier  Tier
	Rates
	Bands  []Band // of longer prompts, the shortest first
	Hourly Hourly // of the capacity behind it, besides its tokens
	Date   string // from which the price holds or at which it was looked up; empty when unknown
	Until  string // the last day of a promotion; empty of a price without an end
	OnDay  string // a day that stands for all on which it holds; empty where it depends on no day
	Source string // where the price comes from
	Note   string // a caveat for the reader; usually empty
}

// Rates are pico-dollars per token.
type Rates struct {
	Input       int64
	Cached      int64 // of the prompt, read from a cache
	Written     int64 // of the prompt, written to a cache
	WrittenHour int64 // to one that lasts an hour or longer
	Output      int64
	Reasoning   int64 // of the output, that nobody sees
}

// Tier is how urgent a request is. Its words are those of scenarios.
type Tier uint8

const (
	Standard  Tier = iota
	Batch          // within a day
	Flex           // slower, at the price of a batch
	Priority       // first; the fast mode of OpenAI and Anthropic
	Ultrafast      // on machines of its own
	Tiers     = iota
)

// TierWords are the words of tiers.
var TierWords = words.Table[Tier]{"standard", "batch", "flex", "priority", "ultrafast"}

// FindTier finds a tier by its word.
func FindTier(word string) (Tier, bool) { return TierWords.Parse(word) }

// String is the word for a tier.
func (t Tier) String() string { return TierWords.Word(t) }

// Bill is the price of the usage, rounded half up to a nano-dollar:
//
//	(prompt - cached - written) Input + cached Cached + written Written
//	+ (output - reasoning) Output + reasoning Reasoning
//
// The sum is taken in 128 bits: a billion tokens at MaxPerMillion are 1e19 pico-dollars.
func (p *Rates) Bill(u Usage) Money {
	var high, pico, carry uint64
	pico = 500
	add := func(tokens int, rate int64) {
		h, l := bits.Mul64(uint64(tokens), uint64(rate))
		pico, carry = bits.Add64(pico, l, 0)
		high += h + carry
	}
	add(u.Prompt-u.Cached-u.Written, p.Input)
	add(u.Cached, p.Cached)
	add(u.Written, p.Written)
	add(u.Output-u.Reasoning, p.Output)
	add(u.Reasoning, p.Reasoning)
	nano, _ := bits.Div64(high, pico, 1000)
	return Money(nano)
}

// Writing is the price where what is written to a cache is to last so long.
func (p Price) Writing(lifetime time.Duration) Price {
	if lifetime < time.Hour {
		return p
	}
	p.Written = p.WrittenHour
	p.Bands = slices.Clone(p.Bands)
	for i := range p.Bands {
		p.Bands[i].Written = p.Bands[i].WrittenHour
	}
	return p
}

// MaxMoney is the largest amount, $9,223,372,036.85.
const MaxMoney = Money(math.MaxInt64)

// Charges reports whether anything costs money.
func (p Price) Charges() bool { return p.Rates != (Rates{}) || p.Hourly > 0 }

// String writes the price as people do, per million tokens.
func (p Price) String() string {
	if p.Rates == (Rates{}) && p.Hourly > 0 {
		return p.Model + ": " + p.Hourly.String()
	} else if p.Rates == (Rates{}) {
		return p.Model
	}
	s := p.Model
	if p.Tier != Standard {
		s += " (" + p.Tier.String() + ")"
	}
	s += ": " + p.Rates.String() + " per million tokens"
	for _, b := range p.Bands {
		s += fmt.Sprintf("; prompts above %s: %v", format.Thousands(b.Above), b.Rates)
	}
	if p.Hourly > 0 {
		s += "; " + p.Hourly.String()
	}
	return s
}

// String writes the rates per million tokens.
func (r Rates) String() string {
	per := func(pico int64) string { return fmt.Sprintf("$%.4g", float64(pico)/1e6) }
	s := fmt.Sprintf("%s in, %s cached, ", per(r.Input), per(r.Cached))
	if r.Written != r.Input {
		s += per(r.Written) + " written, "
	}
	s += per(r.Output) + " out"
	if r.Reasoning != r.Output {
		s += ", " + per(r.Reasoning) + " reasoning"
	}
	return s
}

// Cause is why money was wasted. Its words are those of tables, CSV and JSON.
type Cause uint8

const (
	ByTimeout Cause = iota
	ByAbandoned
	ByError
	ByHedge
	ByRedelivery
	Causes = iota
)

// CauseWords are the words of causes and what the money was billed for.
var CauseWords = words.Glossary[Cause]{
	ByTimeout:    {"timeout", "attempts that the client timed out and the provider still generated"},
	ByAbandoned:  {"abandoned", "attempts whose caller left"},
	ByError:      {"error", "replies that were not an answer"},
	ByHedge:      {"hedge", "hedged attempts when another answered first"},
	ByRedelivery: {"redelivery", "answers to calls that another delivery had answered before"},
}

// String is the word for a cause.
func (c Cause) String() string { return CauseWords.Word(c) }

// Meaning is what the money was billed for.
func (c Cause) Meaning() string { return CauseWords.Meaning(c) }

// Waste is money by cause.
type Waste [Causes]Money

// Total is the waste of all causes.
func (w Waste) Total() (sum Money) {
	for _, m := range w {
		sum += m
	}
	return sum
}
