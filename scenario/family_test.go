package scenario

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const table = `
name: cloud-(tier)-(model)
replaced_by: (after)
notes: Shared.
sources:
  page: {title: the page, date: 2026-10-01}
  forum: {title: a forum, date: 2026-09-01}
evidence:
  requests: documented page
  tokens: documented page
  cap: reported forum
  limits: "observed forum: buckets"
  limits.2.kind: inferred page
  round_trip: assumed
  speed: observed forum
cells: {speed: 50}
tiers:
  small: {cap: $5/month, notes: Of the tier (tier).}
  large: {}
models:
  fast: {speed: 100, evidence: {speed: "inferred page: twice the slow one"}}
  slow: {after: cloud-large-fast}
rows:
  - {tier: small, model: slow, requests: 10/min, tokens: 1k/min}
  - {tier: large, model: fast, tokens: 2k/min, evidence: {tokens: "observed forum: one account"}}
provider:
  round_trip: 60ms
  limits:
    - {resource: requests, limit: (requests), rejected: to_zero}
    - {resource: tokens, limit: (tokens), charge: prompt}
    - {resource: dollars, limit: (cap), kind: fixed_window}
  latency: {tokens_per_second: (speed)}
`

// Where a tier and a model say the same cell, that of the tier counts, and its notes come last, each time.
func TestTierBeforeModel(t *testing.T) {
	text := strings.Replace(table, "fast: {speed: 100,", "fast: {cap: $9/month, notes: Of the model., speed: 100,", 1)
	text = strings.Replace(text, "model: slow,", "model: fast,", 1)
	for range 30 {
		got, err := readFamily(fstest.MapFS{"t.yaml": {Data: []byte(text)}}, "t.yaml")
		if err != nil {
			t.Fatal(err)
		}
		shown := got[0].Text()
		for _, want := range []string{"Shared. Of the model. Of the tier small.", "limit: $5/month"} {
			if !strings.Contains(shown, want) {
				t.Fatalf("%q is not in\n%s", want, shown)
			}
		}
	}
}

// A row takes its cells from itself, its tier, its model and what all share, in this order; a limit
// without its amount is left out, and each value has the evidence of where it came from.
func TestFamily(t *testing.T) {
	got, err := readFamily(fstest.MapFS{"t.yaml": {Data: []byte(table)}}, "t.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`name: cloud-small-slow
replaced_by: cloud-large-fast
date: 2026-09-01
evidence: >-
  inferred: rules of limits; assumed: round_trip
source: the page (2026-10-01); a forum (2026-09-01)
notes: Shared. Of the tier small.
provider:
  round_trip: 60ms
  limits:
    - {resource: requests, limit: 10/min, rejected: to_zero}
    - {resource: tokens, limit: 1k/min, charge: prompt}
    - {resource: dollars, limit: $5/month, kind: fixed_window}
  latency: {tokens_per_second: 50}
`, `name: cloud-large-fast
date: 2026-09-01
evidence: >-
  observed: limits, rules of limits; inferred: latency; assumed: round_trip
source: a forum (2026-09-01); the page (2026-10-01)
notes: Shared.
provider:
  round_trip: 60ms
  limits: [{resource: tokens, limit: 2k/min, charge: prompt}]
  latency: {tokens_per_second: 100}
`}
	want[0] = strings.Replace(want[0], "inferred: rules of limits; assumed: round_trip",
		"reported: limits; observed: latency; inferred: rules of limits; assumed: round_trip", 1)
	if len(got) != len(want) {
		t.Fatalf("%d presets, want %d", len(got), len(want))
	}
	for i, p := range got {
		if p.Text() != want[i] {
			t.Errorf("got\n%s\nwant\n%s", p.Text(), want[i])
		}
	}
	var b strings.Builder
	if err := got[1].explainFacts(&b); err != nil {
		t.Fatal(err)
	}
	if want := `
FIELD                      VALUE                       EVIDENCE
round_trip                 60ms                        assumed
limits.0.limit             2k/min                      observed [1]
    one account
limits.0.charge            prompt                      observed [1]
    buckets
latency.tokens_per_second  100                         inferred [2]
    twice the slow one
[1] a forum, 2026-09-01
[2] the page, 2026-10-01
`; b.String() != want {
		t.Errorf("got%s\nwant%s", b.String(), want)
	}
}

// What is wrong with a table is said where it stands.
func TestFamilyErrors(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"tier: small,", "tier: smal,", `t.yaml:24:12: rows: found the tier "smal"; tiers lacks it`},
		{"documented page\n  tokens", "documneted page\n  tokens",
			`found "documneted page"; want one of assumed, documented`},
		{"reported forum", "reported fora", `found the source "fora"; sources lacks it`},
		{"inferred page\n", "inferred\n", `found "inferred" without a source; want the name of one`},
		{"2k/min", "2k/mni", `limits.0.limit: found "2k/mni"`},
		{"notes: Shared.", "note: Shared.", `unknown field; did you mean "notes"`},
	} {
		text := strings.Replace(table, c.old, c.new, 1)
		_, err := readFamily(fstest.MapFS{"t.yaml": {Data: []byte(text)}}, "t.yaml")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %s", c.new, err, c.want)
		}
	}
}

// Every value of a provider's preset says how it is known.
func TestEveryValueHasEvidence(t *testing.T) {
	for _, p := range Presets() {
		for _, f := range p.Facts {
			if f.Mark == "" {
				t.Errorf("%s: %s %s has no evidence", p.Title(), f.Path, f.Value)
			}
		}
		if p.Provider != nil && len(p.Facts) == 0 {
			t.Errorf("%s: no facts", p.Title())
		}
	}
}

// The limits of each account and model, as the pages and refusals that the presets cite state them:
// read once more and written down here in their units, a minute unless another span stands there.
func TestPresetsHaveTheLimitsOfTheirSources(t *testing.T) {
	tiers := func(name string, tiers []string, limits ...string) map[string]string {
		out := map[string]string{}
		for i, tier := range tiers {
			out[strings.Replace(name, "*", tier, 1)] = limits[i]
		}
		return out
	}
	openai := []string{"build", "launch", "grow"}
	anthropic := []string{"start", "build", "scale"}
	var all []map[string]string
	for _, model := range []string{"gpt-4o", "gpt-4.1"} {
		all = append(all, tiers(
			"openai-*-"+model,
			openai,
			"requests 5k/min, tokens 450k/min, dollars $500/month",
			"requests 10k/min, tokens 2M/min, dollars $5k/month",
			"requests 10k/min, tokens 30M/min, dollars $200k/month",
		))
	}
	for _, model := range []string{"gpt-4o-mini", "gpt-4.1-mini"} {
		all = append(all, tiers(
			"openai-*-"+model,
			openai,
			"requests 5k/min, tokens 2M/min, dollars $500/month",
			"requests 10k/min, tokens 10M/min, dollars $5k/month",
			"requests 30k/min, tokens 150M/min, dollars $200k/month",
		))
	}
	for _, model := range []string{"gpt-5", "gpt-5.4", "gpt-5.5", "gpt-5.6-sol", "gpt-5.6-terra", "gpt-6-astra",
		"gpt-6-sol", "gpt-6.1-sol", "gpt-6.2-sol", "gpt-6.2-astra"} {
		all = append(all, tiers(
			"openai-*-"+model,
			openai,
			"requests 5k/min, tokens 1M/min, dollars $500/month",
			"requests 10k/min, tokens 4M/min, dollars $5k/month",
			"requests 15k/min, tokens 40M/min, dollars $200k/month",
		))
	}
	for _, model := range []string{"gpt-5-mini", "gpt-5-nano", "gpt-5.4-mini", "gpt-5.4-nano", "gpt-5.6-luna",
		"gpt-6-luna"} {
		all = append(all, tiers(
			"openai-*-"+model,
			openai,
			"requests 5k/min, tokens 2M/min, dollars $500/month",
			"requests 10k/min, tokens 10M/min, dollars $5k/month",
			"requests 30k/min, tokens 180M/min, dollars $200k/month",
		))
	}
	for _, model := range []string{"", "-sonnet-5", "-opus-5.5", "-haiku-4.5", "-haiku-5.5"} {
		all = append(all, tiers("anthropic-*"+model, anthropic,
			"requests 1k/min, input_tokens 2M/min, output_tokens 400k/min, dollars $500/month",
			"requests 5k/min, input_tokens 5M/min, output_tokens 1M/min, dollars $1k/month",
			"requests 10k/min, input_tokens 10M/min, output_tokens 2M/min, dollars $200k/month"))
	}
	all = append(all, tiers("anthropic-*-fable", anthropic,
		"requests 1k/min, input_tokens 500k/min, output_tokens 100k/min, dollars $500/month",
		"requests 2k/min, input_tokens 1.5M/min, output_tokens 300k/min, dollars $1k/month",
		"requests 4k/min, input_tokens 4M/min, output_tokens 800k/min, dollars $200k/month"),
		map[string]string{
			"openai-free-gpt-5.2-codex": "tokens 10k/min, dollars $100/month",
			"gemini-free-flash":         "requests 5/min, requests 20/day, input_tokens 250k/min",
			"gemini-free-flash-lite":    "requests 500/day, input_tokens 250k/min",
			"gemini-tier-1-2.5-flash":   "requests 10k/day, input_tokens 1M/min, dollars $10/10m, dollars $250/month",
			"gemini-tier-1-3.1-pro": "requests 25/min, requests 250/day, input_tokens 1M/min, dollars $10/10m, " +
				"dollars $250/month",
			"gemini-tier-1-3-flash":        "input_tokens 1M/min, dollars $10/10m, dollars $250/month",
			"gemini-tier-1-3.6-flash":      "input_tokens 2M/min, dollars $10/10m, dollars $250/month",
			"gemini-tier-1-3.5-flash-lite": "input_tokens 4M/min, dollars $10/10m, dollars $250/month",
			"gemini-tier-2-3.1-pro":        "requests 25/min, input_tokens 1M/min, dollars $50/10m, dollars $2k/month",
			"gemini-tier-2-3.8-flash":      "input_tokens 3M/min, dollars $50/10m, dollars $2k/month",
			"vertex-flash-tier-3":          "requests 30k/min",
			"azure-tier-1-gpt-5":           "requests 10k/min, tokens 1M/min",
			"azure-tier-3-gpt-5":           "requests 90k/min, tokens 9M/min",
			"azure-tier-6-gpt-5":           "requests 450k/min, tokens 45M/min",
			"azure-tier-1-gpt-5.4":         "requests 10k/min, tokens 1M/min",
			"azure-tier-3-gpt-5.4":         "requests 40k/min, tokens 4M/min",
			"azure-tier-6-gpt-5.4":         "requests 150k/min, tokens 15M/min",
			"azure-tier-1-gpt-6-sol":       "requests 1k/min, tokens 1M/min",
			"azure-tier-3-gpt-6-sol":       "requests 4k/min, tokens 4M/min",
			"azure-tier-6-gpt-6-sol":       "requests 15k/min, tokens 15M/min",
			"azure-tier-1-gpt-4.1":         "requests 1k/min, tokens 1M/min",
			"azure-tier-3-gpt-4.1":         "requests 9k/min, tokens 9M/min",
			"azure-tier-6-gpt-4.1":         "requests 45k/min, tokens 45M/min",
			"azure-ptu-gpt-5.5":            "tokens 18k/min",     // 15 x 1,200
			"azure-ptu-gpt-5.4":            "tokens 36k/min",     // 15 x 2,400
			"azure-ptu-gpt-5":              "tokens 71.25k/min",  // 15 x 4,750
			"azure-ptu-gpt-5-mini":         "tokens 356.25k/min", // 15 x 23,750
			"azure-ptu-gpt-4.1":            "tokens 45k/min",     // 15 x 3,000
			"azure-ptu-gpt-4o":             "tokens 37.5k/min",   // 15 x 2,500
			"bedrock-sonnet-4.6":           "requests 10k/min, tokens 6M/min, tokens 8.64B/day",
			"bedrock-sonnet-5.5":           "tokens 6M/min, tokens 8.64B/day",
			"bedrock-haiku-4.5":            "requests 10k/min, tokens 5M/min, tokens 7.2B/day",
			"bedrock-opus-4.8":             "tokens 30M/min, tokens 43.2B/day",
			"bedrock-fable-5.1":            "tokens 10M/min, tokens 14.4B/day",
			"bedrock-opus-5.5":             "tokens 30M/min, tokens 43.2B/day",
			"groq-free-gpt-oss-120b":       "requests 30/min, requests 1k/day, tokens 8k/min, tokens 200k/day",
			"groq-dev-gpt-oss-120b":        "requests 1k/min, requests 500k/day, tokens 250k/min",
			"xai-tier-0-grok-4.7":          "requests 150/s, tokens 50M/min",
			"xai-tier-0-grok-4.3":          "requests 37/s, tokens 10M/min",
			"deepseek-flash":               "concurrency 2500",
			"deepseek-pro":                 "concurrency 500",
			"cerebras-dev-gpt-oss-120b":    "requests 1k/min, tokens 1M/min, tokens 3M/min",
			"fireworks-small-model": "requests 6k/min, input_tokens 3.6M/min, input_tokens 216M/min, " +
				"input_tokens 54M/min, output_tokens 2.16M/min",
			"openrouter-free":            "requests 20/min, requests 50/day",
			"cohere-trial":               "requests 20/min, requests 1k/month",
			"cohere-production":          "requests 500/min",
			"mistral-free":               "requests 1/s, tokens 500k/min, tokens 1B/month",
			"kimi-tier-0":                "requests 3/min, concurrency 1, tokens 500k/min, tokens 1.5M/day",
			"kimi-tier-1":                "requests 200/min, concurrency 50, tokens 2M/min",
			"cloudflare-workers-ai-text": "requests 300/min",
			"huggingface-hub":            "requests 2500/5m",
			"vllm-one-gpu":               "",
			"vllm-bounded-queue":         "",
			"sglang-bounded-queue":       "",
			"local-stub":                 "",
		})
	want := map[string]string{}
	for _, part := range all {
		for name, limits := range part {
			want[name] = limits
		}
	}
	for _, p := range Presets() {
		if p.Provider == nil || p.ReplacedBy != "" {
			continue
		}
		limits, known := want[p.Name]
		if !known {
			t.Errorf("%s: the sources have no row here", p.Name)
		}
		delete(want, p.Name)
		var got, sources []string
		for _, l := range p.Provider.Limits {
			got = append(got, string(l.Resource)+" "+l.Limit.String())
		}
		for row := range strings.SplitSeq(limits, ", ") {
			resource, amount, found := strings.Cut(row, " ")
			var rate Rate
			if err := rate.ParseText(amount); found && err != nil {
				t.Fatalf("%s: %v", row, err)
			}
			if found {
				sources = append(sources, resource+" "+rate.String())
			}
		}
		if !slices.Equal(got, sources) {
			t.Errorf("%s: %s\nwant %s", p.Name, got, sources)
		}
	}
	for name := range want {
		t.Errorf("%s: no such preset", name)
	}
}

// A former preset is found by its name and by its dated name, says what replaced it, and that is a
// preset of today.
func TestFormerPresets(t *testing.T) {
	former := 0
	for _, p := range Presets() {
		if p.Provider == nil || p.ReplacedBy == "" {
			continue
		}
		former++
		if found, err := FindPreset("provider", p.Name+"@"+p.Versions); err != nil || found != p {
			t.Errorf("%s@%s: %v", p.Name, p.Versions, err)
		}
		if _, err := FindPreset("provider", p.Name+"@2024"); err == nil {
			t.Errorf("%s@2024: found", p.Name)
		}
		now, err := FindPreset("provider", p.ReplacedBy)
		if err != nil || now.ReplacedBy != "" {
			t.Errorf("%s was replaced by %s: %v", p.Name, p.ReplacedBy, err)
		}
	}
	if former != 24 {
		t.Errorf("%d former presets, want 24", former)
	}
}

// One line says that a preset was replaced, and one which of its limits in force are guesses; a
// limit that the scenario sets itself is none.
func TestNotesOfPresets(t *testing.T) {
	file := "workload: {batch: {calls: 1}, prompt_tokens: 1, output_tokens: 1, max_tokens: 1}\nfleet: {workers: 1}\n" +
		"price: {input: 1, output: 1}\nprovider: "
	for provider, want := range map[string][]string{
		"openai-tier-2-gpt-4o": {"provider: openai-tier-2-gpt-4o@2025 is out of date; openai-build-gpt-4o replaced it"},
		"openai-launch-gpt-4o": nil,
		"anthropic-start":      nil,
		"fireworks-small-model": {"provider: no page and no answer of the provider states these limits of " +
			"fireworks-small-model: input_tokens 3.6M/min (inferred)"},
		"{preset: fireworks-small-model, limits: [{resource: input_tokens, limit: 4M/min}]}": nil,
	} {
		s, err := Read([]byte(file+provider), "f", Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, w := range s.Warnings() {
			if strings.HasPrefix(w, "provider: ") {
				got = append(got, w)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", provider, got, want)
		}
	}
}
