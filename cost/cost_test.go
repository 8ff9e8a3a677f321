package cost

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBillIsExact(t *testing.T) {
	mini := PerMillion("gpt-4o-mini", 0.15, 0.075, 0.6)
	for _, c := range []struct {
		p    Price
		u    Usage
		want Money
	}{
		{mini, Usage{}, 0},
		{mini, Usage{Prompt: 1_000_000}, 150_000_000},                                            // $0.15
		{mini, Usage{Prompt: 1000, Cached: 400, Output: 250}, 270_000},                           // 600*150 + 400*75 + 250*600 nano
		{PerMillion("", 0.003625, 0, 0), Usage{Prompt: 1}, 4},                                    // 3.625 nano, half up
		{PerMillion("", 0.0005, 0, 0), Usage{Prompt: 1}, 1},                                      // exactly half a nano
		{PerMillion("", 75, 75, 75), Usage{Prompt: 2_000_000, Output: 128_000}, 159_600_000_000}, // $159.60
	} {
		if got := c.p.Bill(c.u); got != c.want {
			t.Errorf("%v for %+v: %d nano-dollars, want %d", c.p, c.u, got, c.want)
		}
	}
}

// A retry of a request with 150,000 cached tokens, 2,000 new ones and 8,000 of answer
// costs as much again within the cache's life, four times as much after 5 minutes,
// and six times as much where the cache was to last an hour. Reckoned by
// others as $0.2875, $1.15 and $1.72 ("Failure-path spend", 2026-09-23).
func TestCacheMisses(t *testing.T) {
	opus, err := Builtin().Price("claude-opus-5", Standard)
	if err != nil {
		t.Fatal(err)
	}
	hour := opus
	hour.Written = opus.WrittenHour
	for _, c := range []struct {
		name string
		p    Price
		u    Usage
		want Money
	}{
		{"within the life", opus, Usage{Prompt: 152_000, Cached: 150_000, Written: 2_000, Output: 8_000}, 287_500_000},
		{"after 5 minutes", opus, Usage{Prompt: 152_000, Written: 152_000, Output: 8_000}, 1_150_000_000},
		{"after the hour", hour, Usage{Prompt: 152_000, Written: 152_000, Output: 8_000}, 1_720_000_000},
	} {
		if got := c.p.Bill(c.u); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Prices in dollars per million tokens, as the facts print them.
func TestTiers(t *testing.T) {
	for _, c := range []struct {
		model         string
		tier          Tier
		input, output int64
	}{
		{"gpt-5.4", Standard, 2_500_000, 15_000_000}, {"gpt-5.4", Batch, 1_250_000, 7_500_000}, {"gpt-5.4", Flex, 1_250_000, 7_500_000}, {"gpt-5.4", Priority, 5_000_000, 30_000_000},
		{"gpt-4o", Priority, 4_250_000, 17_000_000}, {"claude-haiku-4-5", Batch, 500_000, 2_500_000},
	} {
		if p, err := Builtin().Price(c.model, c.tier); err != nil || p.Input != c.input || p.Output != c.output {
			t.Errorf("%s %v: %+v, %v", c.model, c.tier, p, err)
		}
	}
	if _, err := Builtin().Price("gpt-4o", Flex); err == nil || !strings.Contains(err.Error(), "it is sold as batch, priority, standard") {
		t.Errorf("a tier that is not sold: %v", err)
	}
	if p, _ := Builtin().Price("gpt-5-nano", Priority); p.Model != "" {
		t.Errorf("a tier without an output price is a slip of the file, got %+v", p)
	}
}

func TestBuiltinPrices(t *testing.T) {
	p, err := Builtin().Price("gpt-4o-mini", Standard)
	if err != nil || p.Input != 150_000 || p.Cached != 75_000 || p.Output != 600_000 {
		t.Errorf("gpt-4o-mini: %+v, %v", p, err)
	}
	if p, _ := Builtin().Price("mistral-large-latest", Standard); p.Cached != p.Input {
		t.Errorf("no cache discount means the full price, got %+v", p)
	}
	_, err = Builtin().Price("gpt-4o-mni", Standard)
	if err == nil || !strings.Contains(err.Error(), `did you mean "gpt-4o-mini"?`) {
		t.Errorf("misspelt model: %v", err)
	}
}

func TestReadPriceFiles(t *testing.T) {
	for name, text := range map[string]string{
		"LiteLLM": `{"sample_spec": {"input_cost_per_token": 0.0, "output_cost_per_token": 0},
			"m": {"input_cost_per_token": 1.5e-07, "output_cost_per_token": 6e-07, "unknown": [1], "output_cost_per_reasoning_token": 6e-07, "input_cost_per_token_flex": 7e-08, "output_cost_per_token_flex": 3e-07,
			"input_cost_per_token_priority": 1.5e-07, "output_cost_per_token_priority": 6e-07}, "image": {"output_cost_per_image": 1}}`,
		"genai-prices": `[{"id": "p", "models": [{"id": "m", "prices": [
			{"prices": {"input_mtok": 9, "output_mtok": 9}},
			{"constraint": {"start_date": "2026-09-01"}, "prices": {"input_mtok": {"base": 0.15, "tiers": [{"start": 1, "price": 3}]}, "output_mtok": 0.6}},
			{"constraint": {"start_time": "00:30:00Z"}, "prices": {"input_mtok": 1, "output_mtok": 1}}]}]}]`,
	} {
		b, err := Read(strings.NewReader(text), name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if p, err := b.Price("m", Standard); err != nil || p.Input != 150_000 || p.Output != 600_000 || p.Cached != 150_000 || b.Len() != 1 {
			t.Errorf("%s: %+v of %d, %v", name, p, b.Len(), err)
		}
		if p, err := b.Price("m", Flex); name == "LiteLLM" && (err != nil || p.Input != 70_000) {
			t.Errorf("flex: %+v, %v", p, err)
		}
		if p, err := b.Price("m", Priority); err == nil {
			t.Errorf("a priority price that is no dearer is a slip, got %+v", p)
		}
	}
}

func TestBadPriceFilesAreExplained(t *testing.T) {
	for text, want := range map[string]string{
		"":             "not a price file",
		"model,price":  "not a price file",
		"{":            "line 1",
		"\n\n{\n3":     "line 4",
		"{\n\"m\": 3}": `model "m"`,
		`{"m": {"input_cost_per_token": -1, "output_cost_per_token": 1}}`: "out of range",
		"[{\"id\": 3}]": "cannot unmarshal",
		"{}":            "no model",
	} {
		_, err := Read(strings.NewReader(text), "f.json")
		if err == nil || !strings.HasPrefix(err.Error(), "f.json: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want f.json: ... %s", text, err, want)
		}
	}
}

func TestAmbiguousModel(t *testing.T) {
	b, _ := Read(strings.NewReader(`[{"id": "a", "models": [{"id": "m", "prices": {"input_mtok": 1, "output_mtok": 1}}]},
		{"id": "b", "models": [{"id": "m", "prices": {"input_mtok": 2, "output_mtok": 2}}]}]`), "f")
	if _, err := b.Price("m", Standard); err == nil || !strings.Contains(err.Error(), "a/m, b/m") {
		t.Errorf("got %v, want both names", err)
	}
}

// The files users really keep: sizes and two prices as printed in the facts.
func TestRealPriceFiles(t *testing.T) {
	for _, c := range []struct {
		file, model   string
		input, output int64
		atLeast       int
	}{
		{"litellm_model_prices_2026-08-01.json", "claude-opus-5", 5_000_000, 25_000_000, 2000},
		{"litellm_model_prices_2026-08-01.json", "deepseek/deepseek-v4-pro", 435_000, 870_000, 2000},
		{"genai_prices_data_slim_2026-08-21.json", "anthropic/claude-sonnet-5", 3_000_000, 15_000_000, 1000}, // from 2026-09-01
	} {
		f, err := os.Open(filepath.Join("..", "..", "shared", "prices", c.file))
		if os.IsNotExist(err) {
			t.Skipf("%s is not beside this checkout", c.file)
		}
		b, err := Read(f, c.file)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		p, err := b.Price(c.model, Standard)
		if err != nil || p.Input != c.input || p.Output != c.output || b.Len() < c.atLeast {
			t.Errorf("%s: %+v of %d models, %v", c.model, p, b.Len(), err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"m": {"input_cost_per_token": 1e-7, "output_cost_per_token": 1}}`)
	f.Add(`[{"id": "a", "models": [{"id": "m", "prices": [{"prices": {"input_mtok": {"base": 1}}}]}]}]`)
	f.Fuzz(func(t *testing.T, text string) {
		b, err := Read(strings.NewReader(text), "f")
		if err != nil {
			return
		}
		for _, model := range b.Models() {
			if p, err := b.Price(model, Standard); err != nil || p.Input < 0 || p.Output < 0 || p.Cached < 0 {
				t.Errorf("%q: %+v, %v", model, p, err)
			}
		}
	})
}
