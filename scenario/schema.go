// The page's engine reads the schema as a file: a reflector of Go types would add a quarter to its size.

//go:build !js

package scenario

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"

	"stampede/internal/strict"
	"stampede/policy"
)

//go:embed fields.yaml
var fieldsText []byte

// Schema is the JSON Schema of the scenario file, made from the types that read
// it. Editors complete and check with it.
func Schema() ([]byte, error) {
	r := &jsonschema.Reflector{
		FieldNameTag: "yaml", RequiredFromJSONSchemaTags: true, Anonymous: true, ExpandedStruct: true,
		Namer: schemaName, Mapper: schemaOf,
	}
	s := r.Reflect(&File{})
	addFields(s, reflect.TypeFor[File](), s.Definitions, map[reflect.Type]bool{})
	s.Title = "Stampede scenario"
	s.Description = "Who calls which LLM API, how, and at what price. " +
		"none switches something off, unlimited sets no bound, null restores the default."
	return json.MarshalIndent(s, "", "  ")
}

// addFields gives each field its documentation and says which of the words none and unlimited it
// takes, and what they mean; null unsets any field.
func addFields(s *jsonschema.Schema, t reflect.Type, all jsonschema.Definitions, seen map[reflect.Type]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	if named, ok := all[schemaName(t)]; ok {
		s = named
	}
	for s != nil && s.Properties == nil && len(s.AnyOf) > 0 { // a mapping that may also be one value
		s = s.AnyOf[len(s.AnyOf)-1]
	}
	for i := range t.NumField() {
		field := t.Field(i)
		if s == nil || s.Properties == nil || field.Tag.Get("yaml") == "" {
			continue
		}
		if p, ok := s.Properties.Get(field.Tag.Get("yaml")); ok {
			words, value := &jsonschema.Schema{}, *p
			value.Description = ""
			description := docOf(t, field.Tag.Get("yaml")).sentence()
			for _, word := range strict.WordsOf(field) {
				words.Enum = append(words.Enum, word)
				description += fmt.Sprintf(" %s: %s.", word, field.Tag.Get(word))
			}
			choices := []*jsonschema.Schema{&value, {Type: "null"}}
			if len(words.Enum) > 0 {
				choices = append(choices, words)
			}
			*p = jsonschema.Schema{Description: description, AnyOf: choices}
		}
		addFields(nil, field.Type, all, seen)
	}
}

// schemaName turns the name of a generic type, Law[stampede/scenario.Span],
// into LawOfSpan.
func schemaName(t reflect.Type) string {
	name, argument, generic := strings.Cut(t.Name(), "[")
	if generic {
		argument = strings.TrimSuffix(argument[strings.LastIndexByte(argument, '.')+1:], "]")
		name += "Of" + argument
	}
	return name
}

// scalarSchema is the schema of values of a type that are written as one scalar.
func scalarSchema[T any]() *jsonschema.Schema { return scalars[reflect.TypeFor[T]()].schema() }

func (s scalar) schema() *jsonschema.Schema {
	text := &jsonschema.Schema{Type: "string", Pattern: s.pattern}
	if s.number == noNumber {
		text.Description = s.description
		return text
	}
	return &jsonschema.Schema{
		Description: s.description,
		AnyOf:       []*jsonschema.Schema{text, s.number.schema()},
	}
}

func (n numeral) schema() *jsonschema.Schema {
	return map[numeral]*jsonschema.Schema{
		zero:     {Const: 0},
		whole:    {Type: "integer", Minimum: "0"},
		positive: {Type: "integer", Minimum: "1"},
		fraction: {Type: "number", Minimum: "0"},
		share:    {Type: "number", Minimum: "0", Maximum: "1"},
		status:   {Type: "integer", Minimum: "300", Maximum: "599"},
	}[n]
}

func schemaOf(t reflect.Type) *jsonschema.Schema {
	if s, ok := scalars[t]; ok {
		return s.schema() // anew: the reflector writes the field's description into it
	}
	if t.Kind() == reflect.String && t.Implements(reflect.TypeFor[interface{ Words() []string }]()) {
		s := &jsonschema.Schema{Type: "string"}
		for _, w := range reflect.Zero(t).Interface().(interface{ Words() []string }).Words() {
			s.Enum = append(s.Enum, w)
		}
		if slices.Contains(s.Enum, any("true")) { // YAML and JSON read it as no text
			return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "boolean"}, s}}
		}
		return s
	}
	if t == reflect.TypeFor[Where]() {
		value := &jsonschema.Schema{Type: "string"}
		return &jsonschema.Schema{
			Type: "object",
			AdditionalProperties: &jsonschema.Schema{
				AnyOf: []*jsonschema.Schema{
					value, {Type: "number"}, {Type: "boolean"}, {Type: "null"}, {Type: "array"},
				},
			},
		}
	}
	if t == reflect.TypeFor[EachTimeout]() {
		return &jsonschema.Schema{
			AnyOf: []*jsonschema.Schema{
				scalarSchema[Timer](),
				{Type: "array", Items: scalarSchema[Timer]()},
			},
		}
	}
	return nil
}

// orScalar lets a mapping also be written as one value.
func orScalar(s *jsonschema.Schema, scalar *jsonschema.Schema) {
	mapping := *s
	*s = jsonschema.Schema{AnyOf: []*jsonschema.Schema{scalar, &mapping}}
}

func exactlyOne(s *jsonschema.Schema) {
	one := uint64(1)
	s.MinProperties, s.MaxProperties = &one, &one
}

// JSONSchemaExtend lets a law be one value, or exactly one kind of law.
func (l Law[Q]) JSONSchemaExtend(s *jsonschema.Schema) {
	exactlyOne(s)
	orScalar(s, scalarSchema[Q]())
}

// JSONSchemaExtend lets a choice without parameters be its name.
func (Gaps) JSONSchemaExtend(s *jsonschema.Schema)    { choice(s, "poisson", "constant") }
func (Backoff) JSONSchemaExtend(s *jsonschema.Schema) { choice(s, "none") }
func (List) JSONSchemaExtend(s *jsonschema.Schema) {
	orScalar(s, &jsonschema.Schema{Type: "array", Items: scalarSchema[Span]()})
}
func (MaxRequest) JSONSchemaExtend(s *jsonschema.Schema) {
	orScalar(s, scalarSchema[Bytes]())
}
func (Addition) JSONSchemaExtend(s *jsonschema.Schema) { orScalar(s, scalarSchema[Span]()) }
func (Jitter) JSONSchemaExtend(s *jsonschema.Schema) {
	var alone []any // those without a parameter
	for _, word := range policy.JitterWords.Names() {
		if j, _ := policy.JitterWords.Parse(word); j.Takes() == policy.TakesNothing {
			alone = append(alone, word)
		}
	}
	choice(s, alone...)
}

func choice(s *jsonschema.Schema, names ...any) {
	exactlyOne(s)
	orScalar(s, &jsonschema.Schema{Type: "string", Enum: names})
}

// JSONSchemaExtend lets a profile be numbers, as by_hour is.
func (Step) JSONSchemaExtend(s *jsonschema.Schema) { orScalar(s, scalarSchema[Level]()) }

// JSONSchemaExtend lets workers be a number, or a schedule.
func (Workers) JSONSchemaExtend(s *jsonschema.Schema) {
	mapping := *s
	*s = jsonschema.Schema{AnyOf: []*jsonschema.Schema{
		scalarSchema[Bound](),
		{Type: "array", Items: &jsonschema.Schema{Ref: "#/$defs/WorkersAt"}},
		&mapping,
	}}
}

// JSONSchemaExtend lets a preset be its name.
func (Policy) JSONSchemaExtend(s *jsonschema.Schema) { orScalar(s, &jsonschema.Schema{Type: "string"}) }
func (Layer) JSONSchemaExtend(s *jsonschema.Schema)  { orScalar(s, &jsonschema.Schema{Type: "string"}) }
func (Provider) JSONSchemaExtend(s *jsonschema.Schema) {
	orScalar(s, &jsonschema.Schema{Type: "string"})
}
func (Deployment) JSONSchemaExtend(s *jsonschema.Schema) {
	orScalar(s, &jsonschema.Schema{Type: "string"})
}
func (Redeliver) JSONSchemaExtend(s *jsonschema.Schema) {
	orScalar(s, &jsonschema.Schema{Type: "string"})
}
func (Price) JSONSchemaExtend(s *jsonschema.Schema)    { orScalar(s, &jsonschema.Schema{Type: "string"}) }
func (Deadline) JSONSchemaExtend(s *jsonschema.Schema) { orScalar(s, scalarSchema[Span]()) }
func (Connection) JSONSchemaExtend(s *jsonschema.Schema) {
	orScalar(s, schemaOf(reflect.TypeFor[Reach]()))
}
func (RetryAfter) JSONSchemaExtend(s *jsonschema.Schema) {
	orScalar(s, &jsonschema.Schema{Type: "string", Enum: []any{"ignore", "in_full"}})
}

// JSONSchema says that uncertain maps paths to tolerances.
func (Uncertain) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type:                 "object",
		AdditionalProperties: &jsonschema.Schema{Type: "string", Pattern: `%$|\.\.`},
	}
}

// JSONSchema says that a sweep maps paths to lists of values or to ranges.
func (Sweep) JSONSchema() *jsonschema.Schema {
	properties := jsonschema.NewProperties()
	points, sample := schemaOf(reflect.TypeFor[Count]()), schemaOf(reflect.TypeFor[Sample]())
	points.Description = docOf(reflect.TypeFor[Sweep](), "points").sentence()
	sample.Description = docOf(reflect.TypeFor[Sweep](), "sample").sentence()
	properties.Set("points", points)
	properties.Set("sample", sample)
	return &jsonschema.Schema{Type: "object", Properties: properties, AdditionalProperties: &jsonschema.Schema{
		AnyOf: []*jsonschema.Schema{{Type: "array"}, {Type: "string", Pattern: `\.\.`}},
	}}
}
