// The page reads no price files, and its engine goes without a library for JSON.

//go:build !js

package cost

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// perToken is a price in dollars per token, read as one per million.
type perToken float64

func (p *perToken) million() *float64 {
	if p == nil {
		return nil
	}
	const million = 1e6
	dollars := float64(*p) * million
	return &dollars
}

// litellm is the fields of a model in LiteLLM's file. One field of the batch tier
// is spelt differently.
type litellm struct {
	litellmStandard
	Tiered []litellmTiered `json:"tiered_pricing"` // by the length of the prompt, the shortest first

	BatchInput  *perToken `json:"input_cost_per_token_batches"`
	BatchOutput *perToken `json:"output_cost_per_token_batches"`

	FlexInput   *perToken `json:"input_cost_per_token_flex"`
	FlexCached  *perToken `json:"cache_read_input_token_cost_flex"`
	FlexWritten *perToken `json:"cache_creation_input_token_cost_flex"`
	FlexOutput  *perToken `json:"output_cost_per_token_flex"`

	PriorityInput   *perToken `json:"input_cost_per_token_priority"`
	PriorityCached  *perToken `json:"cache_read_input_token_cost_priority"`
	PriorityWritten *perToken `json:"cache_creation_input_token_cost_priority"`
	PriorityOutput  *perToken `json:"output_cost_per_token_priority"`
}

// litellmTiered is a price with the range of lengths of the prompt for which it holds.
type litellmTiered struct {
	litellmStandard
	Range []float64 `json:"range"`
}

// litellmStandard is the fields of the standard tier. CacheHit is an older name of Cached.
type litellmStandard struct {
	Input       *perToken `json:"input_cost_per_token"`
	Cached      *perToken `json:"cache_read_input_token_cost"`
	CacheHit    *perToken `json:"input_cost_per_token_cache_hit"`
	Written     *perToken `json:"cache_creation_input_token_cost"`
	WrittenHour *perToken `json:"cache_creation_input_token_cost_above_1hr"`
	Output      *perToken `json:"output_cost_per_token"`
	Reasoning   *perToken `json:"output_cost_per_reasoning_token"`
}

// quote is the standard tier. Some models have 0 for writing a cache: it costs nothing on top
// of the input.
func (l litellmStandard) quote() Quote {
	if l.Cached == nil {
		l.Cached = l.CacheHit
	}
	for _, written := range []**perToken{&l.Written, &l.WrittenHour} {
		if *written != nil && **written == 0 {
			*written = nil
		}
	}
	return Quote{
		Input:       l.Input.million(),
		Cached:      l.Cached.million(),
		Written:     l.Written.million(),
		WrittenHour: l.WrittenHour.million(),
		Output:      l.Output.million(),
		Reasoning:   l.Reasoning.million(),
	}
}

// longKey takes the name of a field for longer prompts apart, such as
// input_cost_per_token_above_200k_tokens_priority: the price, the length and the tier.
func longKey(key string) (price string, tokens int, tier Tier, ok bool) {
	at := strings.LastIndex(key, "_above_")
	if at < 0 {
		return "", 0, 0, false
	}
	length, suffix, found := strings.Cut(key[at+len("_above_"):], "k_tokens")
	tier, known := map[string]Tier{"": Standard, "_batches": Batch, "_flex": Flex, "_priority": Priority}[suffix]
	thousands, err := strconv.ParseUint(length, 10, 20)
	return key[:at], 1000 * int(thousands), tier, found && known && err == nil
}

// longPrices are the places in a quote of the prices that fields for longer prompts have.
var longPrices = map[string]func(q *Quote) **float64{
	"input_cost_per_token":                      func(q *Quote) **float64 { return &q.Input },
	"output_cost_per_token":                     func(q *Quote) **float64 { return &q.Output },
	"cache_read_input_token_cost":               func(q *Quote) **float64 { return &q.Cached },
	"cache_creation_input_token_cost":           func(q *Quote) **float64 { return &q.Written },
	"cache_creation_input_token_cost_above_1hr": func(q *Quote) **float64 { return &q.WrittenHour },
	"output_cost_per_reasoning_token":           func(q *Quote) **float64 { return &q.Reasoning },
}

// long are the prices of longer prompts, by tier.
func (q *tieredQuotes) long(data json.RawMessage) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		name, tokens, tier, ok := longKey(key)
		place := longPrices[name]
		if !ok || place == nil {
			continue
		}
		var price *perToken
		if err := json.Unmarshal(fields[key], &price); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		*place(q[tier].above(tokens)) = price.million()
	}
	return nil
}

// above is the quote for prompts of more than so many tokens, added where there is none.
func (q *Quote) above(tokens int) *Quote {
	for i := range q.Long {
		if q.Long[i].Above == tokens {
			return &q.Long[i].Quote
		}
	}
	q.Long = append(q.Long, LongQuote{Above: tokens})
	return &q.Long[len(q.Long)-1].Quote
}

// tieredQuotes are quotes by tier.
type tieredQuotes [Tiers]Quote

// quotes returns the price of each tier. A tier without an output price is left out, as is one that
// is an error in the file: a batch dearer, or a priority cheaper, than the standard tier.
func (l litellm) quotes() tieredQuotes {
	q := tieredQuotes{
		Standard: l.quote(),
		Batch:    {Input: l.BatchInput.million(), Output: l.BatchOutput.million()},
		Flex: {
			Input:   l.FlexInput.million(),
			Cached:  l.FlexCached.million(),
			Written: l.FlexWritten.million(),
			Output:  l.FlexOutput.million(),
		},
		Priority: {
			Input:   l.PriorityInput.million(),
			Cached:  l.PriorityCached.million(),
			Written: l.PriorityWritten.million(),
			Output:  l.PriorityOutput.million(),
		},
	}
	if !q[Standard].sold() && len(l.Tiered) > 0 {
		q[Standard] = l.Tiered[0].quote()
		for _, t := range l.Tiered[1:] {
			if len(t.Range) > 0 && t.Range[0] >= 0 && t.Range[0] <= 1e9 {
				*q[Standard].above(int(t.Range[0])) = t.quote()
			}
		}
	}
	if !q[Standard].sold() {
		return tieredQuotes{}
	}
	for t := Batch; t < Tiers; t++ {
		if q[t].sold() && (*q[t].Input > *q[Standard].Input) != (t >= Priority) {
			q[t] = Quote{}
		}
	}
	return q
}

func (b PriceList) readLiteLLM(data []byte) error {
	var models map[string]json.RawMessage
	if err := json.Unmarshal(data, &models); err != nil {
		return err
	}
	for _, model := range slices.Sorted(maps.Keys(models)) {
		if model == "sample_spec" {
			continue
		}
		if reason := b.addLiteLLM(model, models[model]); reason != "" {
			b.exclude(model, reason)
		}
	}
	return nil
}

// addLiteLLM records a model or returns why it has no price.
func (b PriceList) addLiteLLM(model string, data json.RawMessage) (reason string) {
	if model == "" {
		return "has no name"
	}
	var entry litellm
	if err := json.Unmarshal(data, &entry); err != nil {
		return entryReason(err)
	}
	quotes := entry.quotes()
	if err := quotes.long(data); err != nil {
		return entryReason(err)
	}
	standard := quotes[Standard]
	if !standard.sold() || standard.free() {
		if units := otherUnits(data); len(units) > 0 {
			return "is priced by " + strings.Join(units, " and ") + ", not by token"
		}
	}
	switch {
	case !standard.sold() && entry.Input != nil:
		return "has no price for output tokens"
	case !standard.sold():
		return "has no price per token"
	}
	for tier, q := range quotes {
		if !q.sold() {
			continue
		}
		if err := b.add(model, Tier(tier), q, "", b.name); err != nil {
			return "has no price: " + err.Error() + "; prices in LiteLLM's file are per token"
		}
	}
	return ""
}

// unitOfKey finds the unit in the name of a field that prices what a model makes or reads, such as
// input_cost_per_audio_per_second_above_128k_tokens. It is empty in other names.
func unitOfKey(key string) (unit string) {
	of, unit, _ := strings.Cut(key, "_cost_per_")
	if !slices.Contains([]string{"input", "output", "ocr", "annotation"}, of) {
		return ""
	}
	unit, _, _ = strings.Cut(unit, "_above_")
	return strings.ReplaceAll(unit, "_", " ")
}

// otherUnits are the units other than tokens of text in which a model has a price.
func otherUnits(data json.RawMessage) (units []string) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil {
		return nil
	}
	var tiered []json.RawMessage
	if json.Unmarshal(fields["tiered_pricing"], &tiered) == nil && len(tiered) > 0 {
		units = otherUnits(tiered[0])
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		unit := unitOfKey(key)
		var dollars float64
		if unit == "" || json.Unmarshal(fields[key], &dollars) != nil || dollars == 0 {
			continue
		}
		switch {
		case unit == "token" || unit == "reasoning token" || strings.HasPrefix(unit, "token "):
			continue
		case strings.HasPrefix(unit, "second") || strings.HasSuffix(unit, " per second"):
			unit = "second"
		}
		if !slices.Contains(units, unit) {
			units = append(units, unit)
		}
	}
	return units
}
