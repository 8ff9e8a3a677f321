package cost

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
)

// Read reads a price file in the format of LiteLLM (an object of models, USD
// per token) or of genai-prices (a list of providers, USD per million tokens).
// The name is that of the file and appears in errors.
//
// Of a price with tiers by length the first is taken, of a price with start dates
// the latest, and one that holds only at some hours of the day is passed over.
func Read(r io.Reader, name string) (Book, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return Book{}, err
	}
	b := newBook(name)
	switch text := bytes.TrimLeft(data, blank); {
	case bytes.HasPrefix(text, []byte("{")):
		err = b.readLiteLLM(text)
	case bytes.HasPrefix(text, []byte("[")):
		err = b.readGenAI(text)
	default:
		return Book{}, fmt.Errorf("%s: not a price file: want the JSON object of LiteLLM or the JSON list of genai-prices", name)
	}
	if err != nil {
		return Book{}, fmt.Errorf("%s: %w", name, explain(err, data[len(data)-len(bytes.TrimLeft(data, blank)):], data))
	}
	if len(b.prices) == 0 {
		return Book{}, fmt.Errorf("%s: no model with a price per token", name)
	}
	return b, nil
}

const blank = " \t\r\n\ufeff"

// explain adds the line to an error of the JSON reader, whose offset counts in
// the text behind leading blanks.
func explain(err error, text, data []byte) error {
	offset := int64(-1)
	switch e := err.(type) {
	case *json.SyntaxError:
		offset = e.Offset
	case *json.UnmarshalTypeError:
		offset = e.Offset
	}
	if offset < 0 || offset > int64(len(text)) {
		return err
	}
	offset += int64(len(data) - len(text))
	return fmt.Errorf("line %d: %w", 1+bytes.Count(data[:offset], []byte("\n")), err)
}

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
	Input       *perToken `json:"input_cost_per_token"`
	Cached      *perToken `json:"cache_read_input_token_cost"`
	Written     *perToken `json:"cache_creation_input_token_cost"`
	WrittenHour *perToken `json:"cache_creation_input_token_cost_above_1hr"`
	Output      *perToken `json:"output_cost_per_token"`
	Reasoning   *perToken `json:"output_cost_per_reasoning_token"`

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

// quotes are the tiers. One whose surcharge or discount goes the wrong way is a
// slip of the file and is left out, as is one without an output price.
func (l litellm) quotes() [Tiers]Quote {
	q := [Tiers]Quote{
		Standard: {l.Input.million(), l.Cached.million(), l.Written.million(), l.WrittenHour.million(), l.Output.million(), l.Reasoning.million()},
		Batch:    {Input: l.BatchInput.million(), Output: l.BatchOutput.million()},
		Flex:     {Input: l.FlexInput.million(), Cached: l.FlexCached.million(), Written: l.FlexWritten.million(), Output: l.FlexOutput.million()},
		Priority: {Input: l.PriorityInput.million(), Cached: l.PriorityCached.million(), Written: l.PriorityWritten.million(), Output: l.PriorityOutput.million()},
	}
	if !q[Standard].sold() {
		return [Tiers]Quote{}
	}
	for t := Batch; t < Tiers; t++ {
		if q[t].sold() && (*q[t].Input > *q[Standard].Input) != (t == Priority) {
			q[t] = Quote{}
		}
	}
	return q
}

func (b Book) readLiteLLM(data []byte) error {
	var models map[string]json.RawMessage
	if err := json.Unmarshal(data, &models); err != nil {
		return err
	}
	for _, model := range slices.Sorted(maps.Keys(models)) {
		if model == "sample_spec" {
			continue
		}
		var entry litellm
		if err := json.Unmarshal(models[model], &entry); err != nil {
			return fmt.Errorf("model %q: %w", model, err)
		}
		for tier, q := range entry.quotes() { // empty when priced by image, second or page
			if !q.sold() {
				continue
			}
			if err := b.add(model, Tier(tier), q, "", b.name); err != nil {
				return err
			}
		}
	}
	return nil
}

// amount is a price in genai-prices: a number, or a base with tiers.
type amount float64

func (a *amount) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte("{")) {
		var tiered struct{ Base float64 }
		err := json.Unmarshal(data, &tiered)
		*a = amount(tiered.Base)
		return err
	}
	return json.Unmarshal(data, (*float64)(a))
}

type genaiPrices struct {
	Input   *amount `json:"input_mtok"`
	Output  *amount `json:"output_mtok"`
	Cached  *amount `json:"cache_read_mtok"`
	Written *amount `json:"cache_write_mtok"`
}

// genaiDated is an entry of a price list with conditions.
type genaiDated struct {
	Constraint struct {
		StartDate string `json:"start_date"`
		StartTime string `json:"start_time"`
	}
	Prices genaiPrices
}

func (b Book) readGenAI(data []byte) error {
	var providers []struct {
		ID     string
		Models []struct {
			ID     string
			Prices json.RawMessage
		}
	}
	if err := json.Unmarshal(data, &providers); err != nil {
		return err
	}
	for _, provider := range providers {
		for _, model := range provider.Models {
			prices, from, err := genaiLatest(model.Prices)
			if err != nil {
				return fmt.Errorf("model %q: %w", provider.ID+"/"+model.ID, err)
			}
			q := Quote{Input: (*float64)(prices.Input), Output: (*float64)(prices.Output), Cached: (*float64)(prices.Cached), Written: (*float64)(prices.Written)}
			if !q.sold() {
				continue
			}
			if err := b.add(provider.ID+"/"+model.ID, Standard, q, from, b.name); err != nil {
				return err
			}
		}
	}
	return nil
}

// genaiLatest is the price with the latest start date.
func genaiLatest(data json.RawMessage) (latest genaiPrices, from string, err error) {
	if !bytes.HasPrefix(data, []byte("[")) {
		err = json.Unmarshal(data, &latest)
		return latest, "", err
	}
	var dated []genaiDated
	if err := json.Unmarshal(data, &dated); err != nil {
		return latest, "", err
	}
	for _, d := range dated {
		if d.Constraint.StartTime == "" && d.Constraint.StartDate >= from {
			latest, from = d.Prices, d.Constraint.StartDate
		}
	}
	return latest, from, nil
}
