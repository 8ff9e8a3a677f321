package scenario

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/invopop/jsonschema"

	"stampede/internal/strict"
	"stampede/policy"
)

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

// scalars are how values are written.
var scalars = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[Span](): text(
		`^(0|([0-9.]+(ns|us|µs|ms|s|m|h|d))+)$`,
		"A time with its unit, such as 500ms, 45s or 2d.",
		zero,
	),
	reflect.TypeFor[Timer](): text(
		`^(none|unlimited|([0-9.]+(ns|us|µs|ms|s|m|h|d))+)$`,
		"A time with its unit, such as 45s; or none.",
		nil,
	),
	reflect.TypeFor[Places](): text(`^[0-9._]+[kKMGB]?$`, "A whole number from 1.", whole(1)),
	reflect.TypeFor[Warmup](): text(
		`^(auto|0|([0-9.]+(ns|us|µs|ms|s|m|h|d))+)$`,
		"A time with its unit, or auto.",
		zero,
	),
	reflect.TypeFor[Over](): text(
		`^[0-9._]+[kKMGB]?$|^([0-9.]+(ns|us|µs|ms|s|m|h|d))+$`,
		"A number of results, such as 100, or a time, such as 30s.",
		whole(1),
	),
	reflect.TypeFor[CooldownTime](): text(
		`^(retry_after|([0-9.]+(ns|us|µs|ms|s|m|h|d))+)$`,
		"A time with its unit, or retry_after.",
		nil,
	),
	reflect.TypeFor[Status](): {
		Description: "A status, a range such as 502..599, or a class such as 5xx.",
		AnyOf: []*jsonschema.Schema{
			{Type: "string", Pattern: `^([345][0-9][0-9]|[345][0-9][0-9]\.\.[345][0-9][0-9]|[345]xx)$`},
			{Type: "integer", Minimum: json.Number("300"), Maximum: json.Number("599")},
		},
	},
	reflect.TypeFor[TimeOfDay](): text(`^[0-2][0-9]:[0-5][0-9](Z|[+-][0-2][0-9]:[0-5][0-9])?$`,
		"A time of day, such as 08:30, or 00:00-08:00 with an offset from UTC.", nil),
	reflect.TypeFor[Moment](): text(
		`^[0-9][-0-9a-zA-Z:+., /]*$`,
		"A date and time, such as 2026-06-01T12:00:00Z, or a time since the first call, such as 10m.",
		zero,
	),
	reflect.TypeFor[TimeZone](): text(
		`^[A-Za-z0-9_+:/-]+$`,
		"A time zone, such as Europe/Berlin, UTC or +02:00.",
		nil,
	),
	reflect.TypeFor[Count]():  text(`^[0-9._]+[kKMGB]?$`, "A whole number, such as 2000, 30k or 1.5M.", whole(0)),
	reflect.TypeFor[Bytes]():  text(`^[0-9._]+ ?([kMG]i?)?B$`, "A size with its unit, such as 32MB or 20MiB.", nil),
	reflect.TypeFor[Number](): text(`^[0-9.eE+-]+[kKMGB]?$`, "A number from 0.", numeric(0)),
	reflect.TypeFor[Share](): text(
		`^[0-9.eE+-]+%?$`,
		"A share from 0 to 1, such as 0.05 or 5%.",
		&jsonschema.Schema{Type: "number", Minimum: "0", Maximum: "1"},
	),
	reflect.TypeFor[Bound](): text(`^[0-9._]+[kKMGB]?$`, "A whole number from 1.", whole(1)),
	reflect.TypeFor[Rate](): text(
		`^\$?[0-9._]+[kKMGB]?(/.+)?$`,
		"An amount per time, such as 500/min or $10/10m.",
		numeric(0),
	),
	reflect.TypeFor[Portion](): text(
		`^\$?[0-9._]+[kKMGB]?$`,
		"A whole number, such as 30k, or dollars, such as $5.",
		whole(0),
	),
	reflect.TypeFor[PerTime](): text(`^[0-9.eE+-]+[kKM]?/.+$`, "A rate of arrivals, such as 2.5/s or 90/min.", nil),
	reflect.TypeFor[Level](): text(
		`^[0-9.eE+-]+[kKMGB]?(/.+)?$`,
		"A number relative to the others, such as 120, or a rate such as 2/s.",
		numeric(0),
	),
	reflect.TypeFor[Hourly]():  text(`^\$?[0-9.eE+-]+$`, "Dollars per hour, such as 98 or $98.", numeric(0)),
	reflect.TypeFor[Dollars](): text(`^\$?[0-9.eE+-]+$`, "US dollars per million tokens.", numeric(0)),
	reflect.TypeFor[RetryOn](): {
		Description: "A status, a class such as 5xx, timeout, connection or stream.",
		AnyOf: []*jsonschema.Schema{
			{
				Type:    "string",
				Pattern: `^([345][0-9][0-9]|[345][0-9][0-9]\.\.[345][0-9][0-9]|[345]xx|timeout|connection|stream)$`,
			},
			{Type: "integer", Minimum: json.Number("300"), Maximum: json.Number("599")},
		},
	},
}

// text is a value written as text that matches, or as the number that the
// other schema describes, if any.
func text(pattern, description string, number *jsonschema.Schema) *jsonschema.Schema {
	if number == nil {
		return &jsonschema.Schema{Type: "string", Pattern: pattern, Description: description}
	}
	return &jsonschema.Schema{
		Description: description,
		AnyOf:       []*jsonschema.Schema{{Type: "string", Pattern: pattern}, number},
	}
}

func numeric(least int) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "number", Minimum: json.Number(strconv.Itoa(least))}
}

func whole(least int) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: json.Number(strconv.Itoa(least))}
}

// zero is the one number that needs no unit.
var zero = &jsonschema.Schema{Const: 0}

func schemaOf(t reflect.Type) *jsonschema.Schema {
	if s, ok := scalars[t]; ok {
		own := *s // the reflector writes the field's description into it
		return &own
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
				scalars[reflect.TypeFor[Timer]()],
				{Type: "array", Items: scalars[reflect.TypeFor[Timer]()]},
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
	orScalar(s, scalars[reflect.TypeFor[Q]()])
}

// JSONSchemaExtend lets a choice without parameters be its name.
func (Gaps) JSONSchemaExtend(s *jsonschema.Schema)    { choice(s, "poisson", "constant") }
func (Backoff) JSONSchemaExtend(s *jsonschema.Schema) { choice(s, "none") }
func (List) JSONSchemaExtend(s *jsonschema.Schema) {
	orScalar(s, &jsonschema.Schema{Type: "array", Items: scalars[reflect.TypeFor[Span]()]})
}
func (MaxRequest) JSONSchemaExtend(s *jsonschema.Schema) {
	orScalar(s, scalars[reflect.TypeFor[Bytes]()])
}
func (Addition) JSONSchemaExtend(s *jsonschema.Schema) { orScalar(s, scalars[reflect.TypeFor[Span]()]) }
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
func (Step) JSONSchemaExtend(s *jsonschema.Schema) { orScalar(s, scalars[reflect.TypeFor[Level]()]) }

// JSONSchemaExtend lets workers be a number, or a schedule.
func (Workers) JSONSchemaExtend(s *jsonschema.Schema) {
	mapping := *s
	*s = jsonschema.Schema{AnyOf: []*jsonschema.Schema{
		scalars[reflect.TypeFor[Bound]()],
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
func (Deadline) JSONSchemaExtend(s *jsonschema.Schema) { orScalar(s, scalars[reflect.TypeFor[Span]()]) }
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
