// The page reads no price files, and its engine goes without a library for JSON.

//go:build !js

package cost

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// maxBytes bounds a price file: decoded it takes many times its length.
const maxBytes = 16 << 20

// Read reads a price file in the format of LiteLLM (an object of models, USD
// per token) or of genai-prices (a list of providers, USD per million tokens).
// The name is that of the file and appears in errors.
//
// Prices with a start date hold from that date on; they are looked up on the given day,
// written 2026-10-04, where empty is the day of the built-in list. Prices by
// the length of the prompt are bands (see [Band]).
//
// A model whose entry is invalid, or that is not priced by token, is kept with the reason, which
// Price returns as an error. A file without any price is an error.
func Read(r io.Reader, name, day string) (PriceList, error) {
	if day == "" {
		day = builtinDate
	}
	if err := checkDay(day); err != nil {
		return PriceList{}, err
	}
	data, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return PriceList{}, err
	}
	if len(data) > maxBytes {
		return PriceList{}, fmt.Errorf("%s: more than %d bytes; price files have about two million", name, maxBytes)
	}
	b := newPriceList(name)
	switch text := bytes.TrimLeft(data, blank); {
	case bytes.HasPrefix(text, []byte("{")):
		err = b.readLiteLLM(text)
	case bytes.HasPrefix(text, []byte("[")):
		err = b.readGenAI(text, day)
	default:
		return PriceList{}, fmt.Errorf(
			"%s: not a price file: want the JSON object of LiteLLM or the JSON list of genai-prices", name)
	}
	if err != nil {
		return PriceList{}, fmt.Errorf("%s: %w", name,
			explain(err, data[len(data)-len(bytes.TrimLeft(data, blank)):], data))
	}
	if b.Len() == 0 {
		for _, model := range slices.Sorted(maps.Keys(b.models)) {
			return PriceList{}, fmt.Errorf("%s: no model with a price per token; model %q %s", name, model,
				b.models[model].reason)
		}
		return PriceList{}, fmt.Errorf("%s: no model with a price per token", name)
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

// entryReason describes why an entry cannot be read, with the field and what was found.
func entryReason(err error) string {
	e, ok := err.(*json.UnmarshalTypeError)
	if !ok {
		return "has no price: " + err.Error()
	}
	want := map[reflect.Kind]string{
		reflect.String: "a text",
		reflect.Slice:  "a list",
		reflect.Struct: "an object",
	}[e.Type.Kind()]
	if want == "" {
		want = "a number"
	}
	field := strings.ToLower(e.Field[strings.LastIndexByte(e.Field, '.')+1:])
	if field != "" {
		field += ": "
	}
	return fmt.Sprintf("has no price: %sfound a %s; want %s", field, e.Value, want)
}
