package scenario

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

func compile(t *testing.T) *jsonschema.Schema { return compiler(t)("") }

// compiler compiles the part of the schema at a fragment, such as #/$defs/Retry.
func compiler(t *testing.T) func(fragment string) *jsonschema.Schema {
	t.Helper()
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("scenario.json", doc); err != nil {
		t.Fatal(err)
	}
	return func(fragment string) *jsonschema.Schema {
		schema, err := c.Compile("scenario.json" + fragment)
		if err != nil {
			t.Fatal(err)
		}
		return schema
	}
}

// The documented examples, which the reader takes, validate against the schema where they stand.
func TestExamplesValidate(t *testing.T) {
	compile := compiler(t)
	for name, at := range documented(t) {
		for _, f := range at {
			if f.owner == reflect.TypeFor[Sweep]() {
				continue // its fields are paths
			}
			fragment := "#/$defs/" + schemaName(f.owner)
			if f.owner == reflect.TypeFor[File]() {
				fragment = ""
			}
			if err := validate(t, compile(fragment), []byte(f.Name()+": "+f.Example)); err != nil {
				t.Errorf("%s: %s does not validate: %v", name, f.Example, err)
			}
		}
	}
}

func validate(t *testing.T, schema *jsonschema.Schema, text []byte) error {
	t.Helper()
	data, err := yaml.YAMLToJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return schema.Validate(v)
}

// Every scenario that is shipped validates against the schema.
func TestShippedScenariosValidate(t *testing.T) {
	schema := compile(t)
	var files []string
	for _, pattern := range []string{"embedded/*.yaml", "../experiments/*.yaml", "../experiments/cases/*.yaml",
		"../examples/*.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) < 3 {
			t.Fatalf("%s: found %d scenarios, %v", pattern, len(found), err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, schema, text); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// What the reader refuses by kind or name, the schema refuses, too.
func TestSchemaRefuses(t *testing.T) {
	schema := compile(t)
	if err := validate(t, schema, []byte(base)); err != nil {
		t.Fatalf("the base: %v", err)
	}
	for _, text := range []string{
		"nam: x", "fleet: [2]", "policy: {retry: {atempts: 3}}", "policy: {retry: {deadline: soon}}",
		"workload: {prompt_tokens: {constant: 1, exponential: {mean: 2}}}", "provider: {cancel: keeps}",
		"policy: {retry: {backoff: {exponential: {jitter: fulll}}}}", "policy: {retry: {retry_on: [200]}}",
		"policy: {retry: {deadline: 45}}",
		"workload: {max_tokens: 2.5}", "fleet: {workers: 0}", "workload: {cached_share: 5}",
	} {
		if validate(t, schema, []byte(text)) == nil {
			t.Errorf("%s validates", text)
		}
	}
}

func quantiles(tokens []int32) (out [7]int32) {
	sorted := slices.Sorted(slices.Values(tokens))
	for i, p := range []float64{0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1} {
		at := p * float64(len(sorted)-1) // linear between order statistics, rounded
		low := int(at)
		high := min(low+1, len(sorted)-1)
		x := float64(sorted[low]) + (at-float64(low))*float64(sorted[high]-sorted[low])
		out[i] = int32(math.RoundToEven(x))
	}
	return out
}

func abs(x float64) float64 { return max(x, -x) }

// What the reader takes for nothing and for everything, the schema takes.
func TestSchemaTakesWords(t *testing.T) {
	schema := compile(t)
	for _, text := range []string{"policy: none", "policy: {timeouts: none}",
		"policy: {retry: {attempts: unlimited, deadline: none}}", "workload: {patience: unlimited, batch: null}",
		"provider: {capacity: {slots: 4, queue: unlimited}, faults: none}",
		"policy: {timeouts: {attempt: [2s, none]}}",
		"policy: {breaker: {consecutive_failures: 5, counts_as_failure: [terminal]}}"} {
		if err := validate(t, schema, []byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"workload: {cache_lifetime: none}", "policy: {breaker: {open: none}}",
		"provider: {faults: [{for: none}]}"} {
		if validate(t, schema, []byte(text)) == nil {
			t.Errorf("%s validates", text)
		}
	}
}
