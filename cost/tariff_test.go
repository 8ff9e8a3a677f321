package cost

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// What price files say otherwise is in the table, with the numbers of the files, and nothing else is: their entries
// in testdata are held against the built-in list.
func TestDisagreements(t *testing.T) {
	const litellm, genai = "LiteLLM price file 2026-08-01", "genai-prices 2026-08-21"
	same := func(a, b Rates) bool {
		return a.Input == b.Input && a.Cached == b.Cached && a.Written == b.Written && a.Output == b.Output
	}
	genaiNames := strings.NewReplacer("xai/", "x-ai/", "gemini/", "google/", "fireworks_ai/", "fireworks/")
	list := Builtin()
	for source, file := range map[string]PriceList{
		litellm: excerpt(t, "litellm.json", ""), genai: excerpt(t, "genai-prices.json", ""),
	} {
		for _, model := range list.Models() {
			named := Disagreements(model)
			for tier := range Tier(Tiers) {
				ours, err := list.Price(model, tier)
				if err != nil {
					continue
				}
				theirs, err := file.Price(model, tier)
				if err != nil {
					theirs, err = file.Price(genaiNames.Replace(model), tier)
				}
				i := slices.IndexFunc(named, func(p Price) bool {
					return p.Tier == tier && p.Source+" "+p.Date == source
				})
				switch {
				case i >= 0 && (err != nil || !same(named[i].Rates, theirs.Rates)):
					t.Errorf("%s, %v: the table has %v, %s %v, %v", model, tier, named[i].Rates, source, theirs.Rates,
						err)
				case i >= 0 && same(ours.Rates, theirs.Rates):
					t.Errorf("%s, %v: %s agrees by now", model, tier, source)
				case i < 0 && err == nil && !same(ours.Rates, theirs.Rates) &&
					(tier == Standard || !slices.ContainsFunc(named, func(p Price) bool { return p.Tier == Standard })):
					t.Errorf("%s, %v: %v, but %s has %v", model, tier, ours.Rates, source, theirs.Rates)
				}
			}
		}
	}
	all, err := readDisagreements(disagreements)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if !slices.Contains(list.Models(), p.Model) {
			t.Errorf("%s is not in the built-in list", p.Model)
		}
	}
	const head = "model,tier,input,cached,written,output,date,source\n"
	for rows, want := range map[string]string{
		"m,fast,1,,,2,2026-08-01,f\n":      "row 2: m: want a tier, the input and the output",
		"m,standard,1,,,,2026-08-01,f\n":   "want a tier, the input and the output",
		"m,standard,x,,,2,2026-08-01,f\n":  `input: found "x"`,
		"m,standard,-1,,,2,2026-08-01,f\n": "out of range",
		"m,standard,1,,,2,August,f\n":      `found the day "August"`,
	} {
		if _, err := readDisagreements([]byte(head + rows)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want ... %s", rows, err, want)
		}
	}
}

// Every price of a model stands in a line: tiers, long prompts, hours, and what comes after a promotion. The numbers
// are those of the pages: twice the input and one and a half times the output above 272,000 tokens, and so on.
func TestTariff(t *testing.T) {
	for _, c := range []struct {
		model, day string
		want       []string
		note       string
	}{
		{"claude-haiku-5.5", "2026-12-01", []string{
			"standard||0.1 0.01 0.125 0.5", "standard|prompts above 100,000|0.5 0.05 0.625 2.5",
			"batch||0.05 0.005 0.0625 0.25", "batch|prompts above 100,000|0.25 0.025 0.3125 1.25",
		}, ""},
		{"gemini-3.7-flash", "2026-12-31", []string{
			"standard|until 2026-12-31|0.75 0.075 0.75 3.75", "standard|from 2027-01-01|1.5 0.15 1.5 7.5",
			"batch|until 2026-12-31|0.375 0.0375 0.375 1.875", "batch|from 2027-01-01|0.75 0.075 0.75 3.75",
			"flex|until 2026-12-31|0.375 0.0375 0.375 1.875", "flex|from 2027-01-01|0.75 0.075 0.75 3.75",
			"priority|until 2026-12-31|1.35 0.135 1.35 6.75", "priority|from 2027-01-01|2.7 0.27 2.7 13.5",
		}, ""},
		{"gemini-3.7-flash", "2027-01-01", []string{
			"standard||1.5 0.15 1.5 7.5", "batch||0.75 0.075 0.75 3.75", "flex||0.75 0.075 0.75 3.75",
			"priority||2.7 0.27 2.7 13.5",
		}, ""},
		{"deepseek-flash", "2026-12-01", []string{
			"standard||0.15 0.003 0.15 0.6", "standard|01:00 to 04:00 UTC|0.3 0.006 0.3 1.2",
			"standard|06:00 to 10:00 UTC|0.3 0.006 0.3 1.2",
		}, "holds for 17 of 24 hours"},
	} {
		lines, notes, err := Tariff(c.model, c.day)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range lines {
			per := func(pico int64) float64 { return float64(pico) / 1e6 }
			got = append(got, fmt.Sprintf("%v|%s|%g %g %g %g", l.Tier, l.For, per(l.Input), per(l.Cached),
				per(l.Written), per(l.Output)))
		}
		if !slices.Equal(got, c.want) || (len(notes) == 0) != (c.note == "") ||
			!strings.Contains(strings.Join(notes, ""), c.note) {
			t.Errorf("%s on %s: %q, %q; want %q, %q", c.model, c.day, got, notes, c.want, c.note)
		}
	}
	if _, _, err := Tariff("gpt-7", "2026-12-01"); err == nil || !strings.Contains(err.Error(), `model "gpt-7"`) {
		t.Errorf("a model that is not there: %v", err)
	}
}
