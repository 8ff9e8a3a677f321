package cost

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"stampede/suggest"
)

// Book is a price list by model name.
type Book struct {
	name   string
	prices map[string]Price
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
	b := Book{name: "the built-in price list", prices: map[string]Price{}}
	for _, row := range rows[1:] {
		p := Price{Model: row[0], Date: row[4], Source: row[5]}
		for i, to := range []*int64{&p.Input, &p.Cached, &p.Output} {
			if row[i+1] == "" { // no discount for cached input
				*to = p.Input
				continue
			}
			dollars, err := strconv.ParseFloat(row[i+1], 64)
			if err != nil {
				panic(err)
			}
			*to = perMillion(dollars)
		}
		b.prices[p.Model] = p
	}
	return b
}

// Read reads a price file in the format of LiteLLM (an object of models, USD
// per token) or of genai-prices (a list of providers, USD per million tokens).
// The name is that of the file and appears in errors.
//
// Of a price with tiers the first is taken, of a price with start dates the
// latest, and one that holds only at some hours of the day is passed over.
func Read(r io.Reader, name string) (Book, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return Book{}, err
	}
	b := Book{name: name, prices: map[string]Price{}}
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

func (b Book) readLiteLLM(data []byte) error {
	var models map[string]json.RawMessage
	if err := json.Unmarshal(data, &models); err != nil {
		return err
	}
	for _, model := range slices.Sorted(maps.Keys(models)) {
		if model == "sample_spec" {
			continue
		}
		var entry struct {
			Input  *float64 `json:"input_cost_per_token"`
			Output *float64 `json:"output_cost_per_token"`
			Cached *float64 `json:"cache_read_input_token_cost"`
		}
		if err := json.Unmarshal(models[model], &entry); err != nil {
			return fmt.Errorf("model %q: %w", model, err)
		}
		if entry.Input == nil || entry.Output == nil {
			continue // priced by image, second or page
		}
		if entry.Cached == nil {
			entry.Cached = entry.Input
		}
		const million = 1e6
		err := b.add(model, *entry.Input*million, *entry.Cached*million, *entry.Output*million, "")
		if err != nil {
			return err
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
	Input  *amount `json:"input_mtok"`
	Output *amount `json:"output_mtok"`
	Cached *amount `json:"cache_read_mtok"`
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
			if prices.Input == nil || prices.Output == nil {
				continue
			}
			if prices.Cached == nil {
				prices.Cached = prices.Input
			}
			err = b.add(provider.ID+"/"+model.ID, float64(*prices.Input), float64(*prices.Cached), float64(*prices.Output), from)
			if err != nil {
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

func (b Book) add(model string, input, cached, output float64, from string) error {
	for _, dollars := range []float64{input, cached, output} {
		if dollars < 0 || dollars > 1e6 || math.IsNaN(dollars) {
			return fmt.Errorf("model %q: %g dollars per million tokens is out of range; allowed is 0 to 1,000,000", model, dollars)
		}
	}
	b.prices[model] = Price{model, perMillion(input), perMillion(cached), perMillion(output), from, b.name}
	return nil
}

// perMillion is a price of so many dollars per million tokens.
func perMillion(dollars float64) int64 { return int64(math.Round(dollars * 1e6)) }

// PerMillion is a price in US dollars per million tokens.
func PerMillion(model string, input, cached, output float64) Price {
	return Price{Model: model, Input: perMillion(input), Cached: perMillion(cached), Output: perMillion(output), Source: "the scenario"}
}

// Len is the number of models in the book.
func (b Book) Len() int { return len(b.prices) }

// Models lists the names in the book in order.
func (b Book) Models() []string { return slices.Sorted(maps.Keys(b.prices)) }

// Price finds a model by its name, or by the part of its name behind the
// provider when that is not ambiguous.
func (b Book) Price(model string) (Price, error) {
	if p, ok := b.prices[model]; ok {
		return p, nil
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
		return Price{}, fmt.Errorf("no price for model %q in %s; %s", model, b.name, suggest.Unknown(model, b.Models()))
	}
	return Price{}, fmt.Errorf("model %q is sold by several providers in %s; write one of %s", model, b.name, suggest.List(found))
}
