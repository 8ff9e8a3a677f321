package scenario

import (
	"reflect"
	"testing"
)

const oneCall = "fleet: {workers: 1}\n" +
	"workload: {batch: {calls: 1}, prompt_tokens: 1, output_tokens: 1, max_tokens: 1}\n"

// The tiers of a model are the rows of its table, the lowest first. Former presets have their own, and a
// provider with one quota has none.
func TestTiers(t *testing.T) {
	for name, want := range map[string][]string{
		"openai-launch-gpt-4o":    {"openai-build-gpt-4o", "openai-launch-gpt-4o", "openai-grow-gpt-4o"},
		"anthropic-start":         {"anthropic-start", "anthropic-build", "anthropic-scale"},
		"azure-tier-3-gpt-4.1":    {"azure-tier-1-gpt-4.1", "azure-tier-3-gpt-4.1", "azure-tier-6-gpt-4.1"},
		"gemini-tier-1-2.5-flash": {"gemini-tier-1-2.5-flash"},
		"local-stub":              nil,
		"bedrock-sonnet-4.6":      nil,
	} {
		p, err := FindPreset("provider", name)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, tier := range p.Tiers() {
			got = append(got, tier.Name)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: tiers %q; want %q", name, got, want)
		}
	}
}

// Settings from one tier to another make the other out of it, for every tier of every provider.
func TestSettingsFromTier(t *testing.T) {
	for _, p := range Presets() {
		for _, other := range p.Tiers() {
			was, err := NewTemplate([]byte(oneCall+"provider: "+other.Name), other.Name, Options{})
			if err != nil {
				t.Fatal(err)
			}
			became, err := was.Over(p.SettingsFrom(other)...)
			if err != nil {
				t.Errorf("from %s to %s: %v", other.Name, p.Name, err)
				continue
			}
			is, err := NewTemplate([]byte(oneCall+"provider: "+p.Name), p.Name, Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := became.Base.Provider
			if got.Preset = p.Name; !reflect.DeepEqual(got, is.Base.Provider) {
				t.Errorf("from %s to %s:\n got %+v\nwant %+v", other.Name, p.Name, got, is.Base.Provider)
			}
		}
	}
}

// Settings over a template keep what they do not touch, and leave the template as it was.
func TestTemplateOver(t *testing.T) {
	text := oneCall + "provider: {preset: openai-build-gpt-4o, faults: [{share: 1%, status: 503}]}"
	was, err := NewTemplate([]byte(text), "test", Options{Set: []string{"seed=7"}})
	if err != nil {
		t.Fatal(err)
	}
	now, err := was.Over("provider.limits.1.limit=2M/min", "keys=3")
	if err != nil {
		t.Fatal(err)
	}
	p := now.Base.Provider
	if p.Limits[1].Limit.Amount != 2_000_000 || p.Limits[0].Limit.Amount != 5000 || len(p.Faults) != 1 ||
		now.Base.Keys != 3 || now.Base.Seed != 7 {
		t.Errorf("limits %v, faults %v, %d keys, seed %d", p.Limits, p.Faults, now.Base.Keys, now.Base.Seed)
	}
	if was.Base.Provider.Limits[1].Limit.Amount != 450_000 {
		t.Errorf("the template has changed: %v", was.Base.Provider.Limits)
	}
	if _, err := was.Over("provider.limits.9.limit=1/min"); err == nil {
		t.Error("a limit that is not there: want an error")
	}
}
