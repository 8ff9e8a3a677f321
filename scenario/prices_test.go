package scenario

import (
	"slices"
	"strings"
	"testing"
)

// pricedScenario is a scenario with a price, and a fallback and a deployment with prices of their own.
const pricedScenario = `name: t
workload: {batch: {calls: 10}, prompt_tokens: 100, output_tokens: 50, cached_share: 50%, cache_lifetime: LIFE,
  cache_writes: true}
fleet: {workers: 2}
provider: {limits: [{resource: requests, limit: 5/min}]}
deployments: [{name: eu, price: claude-haiku-5.5}]
fallbacks: [{provider: {}, price: claude-opus-5.5}]
policy: {retry: {attempts: 3, backoff: {constant: 4s}}, fallback: {on: true}}
price: MODEL
`

func readPriced(t *testing.T, model, life, day string) *Scenario {
	t.Helper()
	text := strings.NewReplacer("MODEL", model, "LIFE", life).Replace(pricedScenario)
	s, err := Read([]byte(text), "t", Options{Day: day})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A promotion that is in force is noted; after its last day the price is another and there is no note.
func TestNoteOnPromotions(t *testing.T) {
	for _, c := range []struct {
		model, day string
		input      int64
		note       string
	}{
		{"gemini-3.8-flash", "2026-12-31", 750_000, "is a promotion until 2026-12-31; then it is $1.5 in"},
		{"gemini-3.8-flash", "2027-01-01", 1_500_000, ""},
		{"gemini-3.8-flash", "", 750_000, "is a promotion until 2026-12-31"},
		{"{model: gemini-3.8-flash, tier: batch}", "2026-12-01", 375_000, "then it is $0.75 in"},
		{"gpt-5.6-sol", "2026-12-01", 4_000_000, "until at least 2026-11-21; the list price is $5 in"},
		{"gpt-6.2-sol", "2026-12-01", 2_000_000, ""},
	} {
		s := readPriced(t, c.model, "5m", c.day)
		notes := s.Warnings()
		noted := slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "promotion") })
		if s.Model.Price.Input != c.input || noted != (c.note != "") ||
			!strings.Contains(strings.Join(notes, "; "), c.note) {
			t.Errorf("%s on %q: %d, notes %q; want %d, %q", c.model, c.day, s.Model.Price.Input, notes, c.input, c.note)
		}
	}
}

// A price that depends on the day is an input of the scenario, by a day that stands for all with the same price.
func TestDatedPricesAreInputs(t *testing.T) {
	inputs := func(model, day string) (out []InputFile) {
		t.Helper()
		text := strings.NewReplacer("MODEL", model, "LIFE", "5m").Replace(pricedScenario)
		template, err := NewTemplate([]byte(text), "t", Options{Day: day})
		if err != nil {
			t.Fatal(err)
		}
		if out, err = template.Inputs(); err != nil {
			t.Fatal(err)
		}
		return out
	}
	first, last := inputs("gemini-3.8-flash", "2026-12-01"), inputs("gemini-3.8-flash", "2026-12-31")
	if len(first) != 1 || !slices.Equal(first, last) || first[0].Day != "2026-12-31" ||
		first[0].Name != "built-in price of gemini/gemini-3.8-flash" {
		t.Errorf("%+v, %+v; want one file, the same", first, last)
	}
	if after := inputs("gemini-3.8-flash", "2027-03-01"); len(after) != 1 || after[0].Day != "2027-01-01" {
		t.Errorf("after the promotion: %+v", after)
	}
	if none := inputs("gpt-6.2-sol", "2026-12-01"); len(none) != 0 {
		t.Errorf("a price that depends on no day: %+v", none)
	}
}

// A cache that lasts an hour costs twice the input to write, at every deployment and fallback: opus 5.5 $8 instead
// of $5, haiku 5.5 $0.20 instead of $0.125, and $1 instead of $0.625 in prompts of more than 100,000 tokens.
func TestWritingCachesToLast(t *testing.T) {
	for life, want := range map[string][4]int64{
		"5m": {2_500_000, 125_000, 625_000, 5_000_000},
		"1h": {4_000_000, 200_000, 1_000_000, 8_000_000},
	} {
		m := &readPriced(t, "claude-sonnet-5.5", life, "").Model
		eu := m.Fleet.Deployments[0].Price
		got := [4]int64{m.Price.Written, eu.Written, eu.Bands[0].Written, m.Fallbacks[0].Price.Written}
		if got != want {
			t.Errorf("for %s: %v, want %v", life, got, want)
		}
	}
}

func TestVendors(t *testing.T) {
	for model, want := range map[string]string{
		"gpt-6.2-sol": "azure bedrock openai", "claude-haiku-5-5": "anthropic azure bedrock",
		"deepseek/deepseek-flash": "deepseek", "unheard-of": "",
	} {
		if got := strings.Join(Vendors(model), " "); got != want {
			t.Errorf("%s: %q, want %q", model, got, want)
		}
	}
}
