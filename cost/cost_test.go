package cost

import (
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestBillIsExact(t *testing.T) {
	mini := PerMillion("gpt-4o-mini", 0.15, 0.075, 0.6)
	for _, c := range []struct {
		p    Price
		u    Usage
		want Money
	}{
		{mini, Usage{}, 0},
		{mini, Usage{Prompt: 1_000_000}, 150_000_000}, // $0.15
		// 600*150 + 400*75 + 250*600 nano
		{mini, Usage{Prompt: 1000, Cached: 400, Output: 250}, 270_000},
		// 3.625 nano, half up
		{PerMillion("", 0.003625, 0, 0), Usage{Prompt: 1}, 4},
		// exactly half a nano
		{PerMillion("", 0.0005, 0, 0), Usage{Prompt: 1}, 1},
		{PerMillion("", 75, 75, 75), Usage{Prompt: 2_000_000, Output: 128_000}, 159_600_000_000}, // $159.60
		// 4e9 tokens at $10,000 a million are $40M, 4e19 pico-dollars: more than 64 bits hold.
		{PerMillion("", 10_000, 10_000, 10_000), Usage{Prompt: 2_000_000_000, Output: 2_000_000_000},
			40_000_000_000_000_000},
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

// The length of the prompt chooses the rates of the whole request: gpt-5.4 costs $2.50 and $15 to 272,000 tokens,
// and $5, $0.50 cached and $22.50 above. So does a batch, at half of both.
func TestLongPrompts(t *testing.T) {
	read := func(text string) PriceList {
		t.Helper()
		b, err := Read(strings.NewReader(text), "f", "2026-10-04")
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	const litellm = `{"m": {"input_cost_per_token": 2e-6, "output_cost_per_token": 1e-5,
		"cache_read_input_token_cost": 2e-7, "input_cost_per_token_priority": 4e-6,
		"output_cost_per_token_priority": 2e-5, "input_cost_per_token_above_200k_tokens": 4e-6,
		"output_cost_per_token_above_200k_tokens": 1.5e-5, "input_cost_per_token_above_200k_tokens_priority": 7e-6,
		"output_cost_per_token_above_200k_tokens_priority": 3e-5}}`
	const genai = `[{"id": "p", "models": [{"id": "m", "prices": {
		"input_mtok": {"base": 2, "tiers": [{"start": 200000, "price": 4}]}, "cache_read_mtok": 0.2,
		"output_mtok": {"base": 10, "tiers": [{"start": 128000, "price": 12}, {"start": 200000, "price": 15}]}}}]}]`
	for _, c := range []struct {
		name  string
		list  PriceList
		model string
		tier  Tier
		u     Usage
		want  float64 // dollars
	}{
		{"just not long", Builtin(), "gpt-5.4", Standard, Usage{Prompt: 272_000, Output: 1000}, 0.68 + 0.015},
		{"one token more", Builtin(), "gpt-5.4", Standard, Usage{Prompt: 272_001, Output: 1000}, 1.360005 + 0.0225},
		{"cached tokens are of the prompt", Builtin(), "gpt-5.4", Standard,
			Usage{Prompt: 300_000, Cached: 200_000, Output: 1000}, 0.5 + 0.1 + 0.0225},
		{"a batch", Builtin(), "gpt-5.4", Batch, Usage{Prompt: 300_000, Output: 1000}, 0.75 + 0.01125},
		{"written to the cache", Builtin(), "claude-sonnet-4-5", Standard, Usage{Prompt: 400_000, Written: 400_000}, 3},
		{"LiteLLM", read(litellm), "m", Standard, Usage{Prompt: 200_001, Cached: 100_001, Output: 1000},
			0.4 + 0.0400004 + 0.015}, // cached in proportion: $0.40
		{"LiteLLM, priority", read(litellm), "m", Priority, Usage{Prompt: 300_000, Output: 1000}, 2.1 + 0.03},
		{"genai-prices, at the start of a tier", read(genai), "m", Standard, Usage{Prompt: 128_000, Output: 1000},
			0.256 + 0.01},
		{"genai-prices, its second price", read(genai), "m", Standard, Usage{Prompt: 150_000, Output: 1000},
			0.3 + 0.012},
		{"genai-prices, its third", read(genai), "m", Standard, Usage{Prompt: 300_000, Output: 1000}, 1.2 + 0.015},
		{"tiered_pricing of LiteLLM", excerpt(t, "litellm.json", ""), "dashscope/qwen-flash", Standard,
			Usage{Prompt: 300_000, Output: 1000}, 0.075 + 0.002},
	} {
		p, err := c.list.Price(c.model, c.tier)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Bill(c.u); got != Money(math.Round(c.want*1e9)) {
			t.Errorf("%s: %v of %v, want $%g", c.name, got, p, c.want)
		}
	}
}

// $98 an hour are 1,633,333,333 nano-dollars in a minute, rounded down; a price over centuries is more than can be
// counted.
func TestCapacityByTheHour(t *testing.T) {
	for _, c := range []struct {
		dollars float64
		d       time.Duration
		want    Money
	}{
		{98, time.Hour, 98_000_000_000},
		{98, time.Minute, 1_633_333_333},
		{98, 0, 0},
		{98, -time.Hour, 0},
		{0.000_000_001, 90 * time.Minute, 1},
		{MaxPerHour, 876 * time.Hour, 8_760_000_000_000_000_000},
		{MaxPerHour, 290 * 365 * 24 * time.Hour, MaxMoney},
	} {
		if got := PerHour(c.dollars).Over(c.d); got != c.want {
			t.Errorf("$%g an hour over %v: %d, want %d", c.dollars, c.d, got, c.want)
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
		{"gpt-5.4", Standard, 2_500_000, 15_000_000}, {"gpt-5.4", Batch, 1_250_000, 7_500_000},
		{"gpt-5.4", Flex, 1_250_000, 7_500_000}, {"gpt-5.4", Priority, 5_000_000, 30_000_000},
		{"gpt-4o", Priority, 4_250_000, 17_000_000}, {"claude-haiku-4-5", Batch, 500_000, 2_500_000},
	} {
		if p, err := Builtin().Price(c.model, c.tier); err != nil || p.Input != c.input || p.Output != c.output {
			t.Errorf("%s %v: %+v, %v", c.model, c.tier, p, err)
		}
	}
	if _, err := Builtin().Price("gpt-4o", Flex); err == nil ||
		!strings.Contains(err.Error(), "it is sold as batch, priority, standard") {
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
			"m": {"input_cost_per_token": 1.5e-07, "output_cost_per_token": 6e-07, "unknown": [1],
			"output_cost_per_reasoning_token": 6e-07, "input_cost_per_token_flex": 7e-08,
			"output_cost_per_token_flex": 3e-07,
			"input_cost_per_token_priority": 1.5e-07, "output_cost_per_token_priority": 6e-07},
			"image": {"output_cost_per_image": 1}}`,
		"genai-prices": `[{"id": "p", "models": [{"id": "m", "prices": [
			{"prices": {"input_mtok": 9, "output_mtok": 9}},
			{"constraint": {"start_date": "2026-09-01"}, "prices": {"input_mtok": {"base": 0.15, "tiers": [{"start": 1,
			"price": 3}]}, "output_mtok": 0.6}},
			{"constraint": {"start_time": "00:30:00Z", "end_time": "08:30:00Z"}, "prices": {"input_mtok": 1,
			"output_mtok": 1}}]}]}]`,
	} {
		b, err := Read(strings.NewReader(text), name, "2026-10-04")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if p, err := b.Price("m", Standard); err != nil || p.Input != 150_000 || p.Output != 600_000 ||
			p.Cached != 150_000 ||
			b.Len() != 1 {
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
		"[{\"id\": 3}]": `"provider 1" has no price: id: found a number; want a text`,
		"{}":            "no model",
		`{"m": {"input_cost_per_token": "free",` +
			` "output_cost_per_token": 1e-6}}`: "input_cost_per_token: found a string; want a number",
		`{"m": {"input_cost_per_token": 0.15,` +
			` "output_cost_per_token": 0.6}}`: "are per token",
		`[{"id": "p", "models": [{"id": "m", "prices": [{"constraint": {"start_time": "8"},` +
			` "prices": {"input_mtok": 1, "output_mtok": 1}}]}]}]`: "want two times",
	} {
		_, err := Read(strings.NewReader(text), "f.json", "")
		if err == nil || !strings.HasPrefix(err.Error(), "f.json: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want f.json: ... %s", text, err, want)
		}
	}
}

func TestAmbiguousModel(t *testing.T) {
	b, _ := Read(
		strings.NewReader(`[{"id": "a", "models": [{"id": "m", "prices": {"input_mtok": 1, "output_mtok": 1}}]},
		{"id": "b", "models": [{"id": "m", "prices": {"input_mtok": 2, "output_mtok": 2}}]}]`),
		"f",
		"",
	)
	if _, err := b.Price("m", Standard); err == nil || !strings.Contains(err.Error(), "a/m, b/m") {
		t.Errorf("got %v, want both names", err)
	}
}

func excerpt(t *testing.T, file, day string) PriceList {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := Read(f, file, day)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Entries as users keep them; expected are the numbers of the file, per million tokens.
func TestPriceFilesAsUsersKeepThem(t *testing.T) {
	const litellm, genai = "litellm.json", "genai-prices.json"
	for _, c := range []struct {
		what, file, day, model         string
		tier                           Tier
		input, cached, written, output float64
		note                           string
	}{
		{"plain", litellm, "", "claude-opus-5", Standard, 5, 0.5, 6.25, 25, ""},
		{"the cached price under its older name", litellm, "", "deepseek/deepseek-v3.2", Standard, 0.28, 0.028, 0.28,
			0.4, ""},
		{"0 for writing a cache is no surcharge", litellm, "", "deepseek/deepseek-chat", Standard, 0.28, 0.028, 0.28,
			0.42, ""},
		{"a batch at half the input reads its cache at half the price", litellm, "", "gpt-4.1", Batch, 1, 0.25, 1, 4,
			""},
		{"a cached price of the tier's own", litellm, "", "gpt-4.1", Priority, 3.5, 0.875, 3.5, 14, ""},
		{"the first tier of the prompt's length", litellm, "", "dashscope/qwen-flash", Standard, 0.05, 0.05, 0.05, 0.4,
			""},
		{"zero is said", litellm, "", "anthropic.claude-mythos-preview", Standard, 0, 0, 0, 0, "is 0 in litellm.json"},
		{"the day before a price starts", genai, "2026-08-31", "anthropic/claude-sonnet-5", Standard, 2, 0.2, 2.5, 10,
			""},
		{"the day on which it starts", genai, "2026-09-01", "anthropic/claude-sonnet-5", Standard, 3, 0.3, 3.75, 15,
			""},
		{"before any dated price, the first", genai, "2020-01-01", "o3", Standard, 10, 0.5, 10, 40, ""},
		{"the latest dated price", genai, "2026-08-21", "o3", Standard, 2, 0.5, 2, 8, ""},
		{"16 of 24 hours", genai, "2026-08-21", "deepseek-chat", Standard, 0.27, 0.07, 0.27, 1.1,
			"holds for 16 of 24 hours"},
		{"a price per request besides", genai, "", "sonar", Standard, 1, 1, 1, 1, "$12 per 1,000 requests"},
	} {
		p, err := excerpt(t, c.file, c.day).Price(c.model, c.tier)
		want, _ := Quote{Input: &c.input, Cached: &c.cached, Written: &c.written, Output: &c.output}.Rates()
		got := p.Rates
		got.WrittenHour, want.WrittenHour = 0, 0
		if err != nil || got != want || (p.Note == "") != (c.note == "") || !strings.Contains(p.Note, c.note) {
			t.Errorf("%s: %+v, note %q, %v; want %+v, note %q", c.what, got, p.Note, err, want, c.note)
		}
	}
	for model, want := range map[string]string{
		"1024-x-1024/50-steps/bedrock/amazon.nova-canvas-v1:0": "is priced by image, not by token",
		"azure/gpt-realtime-whisper":                           "is priced by second, not by token",
		"amazon.rerank-v1:0":                                   "is priced by query, not by token",
		"gpt-image-1":                                          "is priced by image token, not by token",
		"wandb/openai/gpt-oss-120b": "15000 dollars per million tokens is out of range; " +
			"allowed is 0 to 10,000; prices in LiteLLM's file are per token",
	} {
		if _, err := excerpt(t, litellm, "").Price(model, Standard); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want ... %s", model, err, want)
		}
	}
	for _, b := range []PriceList{excerpt(t, litellm, ""), Builtin()} {
		for _, model := range b.Models() {
			standard, _ := b.Price(model, Standard)
			for _, tier := range []Tier{Batch, Flex} {
				if p, err := b.Price(model, tier); err == nil && p.Cached > standard.Cached {
					t.Errorf("%s: cached %d in %v, %d in the standard tier", model, p.Cached, tier, standard.Cached)
				}
			}
		}
	}
}

// Conditions are tried from the last to the first: the timed price of 0.27 holds from 00:30
// to 16:30 UTC, the first of 0.135 in the other 8 hours.
func TestPricesByTimeOfDay(t *testing.T) {
	b := excerpt(t, "genai-prices.json", "2026-08-21")
	for clock, want := range map[string]int64{
		"00:00:00": 135_000, "00:29:59": 135_000, "00:30:00": 270_000,
		"16:29:59": 270_000, "16:30:00": 135_000, "23:59:59": 135_000,
	} {
		at, _ := timeOfDay(clock)
		if p, err := b.PriceAt("deepseek/deepseek-chat", Standard, at); err != nil || p.Input != want {
			t.Errorf("at %s: %d, %v, want %d", clock, p.Input, err, want)
		}
	}
	// Hours over midnight, 22:00 to 06:00 in UTC+2, are 20:00 to 04:00 UTC; a later entry without
	// a condition hides all before it.
	over := `[{"id": "p", "models": [{"id": "m", "prices": [{"prices": {"input_mtok": 2, "output_mtok": 2}},
		{"constraint": {"start_time": "22:00:00+02:00", "end_time": "06:00:00+02:00"}, "prices": {"input_mtok": 1,
		"output_mtok": 1}}]},
		{"id": "hidden", "prices": [{"constraint": {"start_time": "00:00:00Z", "end_time": "12:00:00Z"},
		"prices": {"input_mtok": 1, "output_mtok": 1}},
		{"prices": {"input_mtok": 2, "output_mtok": 2}}]}]}]`
	if b, _ = Read(strings.NewReader(over), "f", ""); b.Len() != 2 {
		t.Fatalf("%d models", b.Len())
	}
	for clock, want := range map[string]int64{
		"19:59:59": 2_000_000, "20:00:00": 1_000_000, "00:00:00": 1_000_000,
		"03:59:59": 1_000_000, "04:00:00": 2_000_000,
	} {
		at, _ := timeOfDay(clock)
		if p, err := b.PriceAt("m", Standard, at); err != nil || p.Input != want {
			t.Errorf("at %s: %d, %v, want %d", clock, p.Input, err, want)
		}
		if p, err := b.PriceAt("hidden", Standard, at); err != nil || p.Input != 2_000_000 || p.Note != "" {
			t.Errorf("hidden at %s: %+v, %v", clock, p, err)
		}
	}
}

// One entry that makes no sense leaves the others alone.
func TestBadEntriesAreKeptApart(t *testing.T) {
	const good = `"input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6`
	b, err := Read(
		strings.NewReader(
			`{"good": {`+good+`}, "negative": {"input_cost_per_token": -1, "output_cost_per_token": 1e-6},
		"string": {"input_cost_per_token": "1e-6", "output_cost_per_token": 1e-6}, "number": 3,
		"per-million": {"input_cost_per_token": 1, "output_cost_per_token": 2}}`,
		),
		"f",
		"",
	)
	if err != nil || b.Len() != 1 {
		t.Fatalf("%d models, %v", b.Len(), err)
	}
	for model, want := range map[string]string{
		"good": "", "negative": "out of range", "string": "input_cost_per_token: found a string; want a number",
		"number":      "found a number; want an object",
		"per-million": "1000000 dollars per million tokens is out of range",
	} {
		if _, err := b.Price(model, Standard); (err == nil) != (want == "") ||
			err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", model, err, want)
		}
	}
	b, err = Read(
		strings.NewReader(
			`[3, {"id": "p", "models": [3, {"id": "string", "prices": {"input_mtok": "1", "output_mtok": 1}},
		{"id": "dated", "prices": [{"constraint": {"start_date": "soon"}, "prices": {"input_mtok": 1,
		"output_mtok": 1}}]}, {"id": "good", "prices": {"input_mtok": 1, "output_mtok": 1}}]}]`,
		),
		"f",
		"",
	)
	if err != nil || b.Len() != 1 {
		t.Fatalf("%d models, %v", b.Len(), err)
	}
	for model, want := range map[string]string{"p/string": "input_mtok: found a string", "p/dated": `found "soon"`} {
		if _, err := b.Price(model, Standard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", model, err, want)
		}
	}
}

// Whatever the text, a price file is read or refused within a gigabyte and a minute, and its prices
// are not below 0.
func FuzzRead(f *testing.F) {
	f.Add(`{"m": {"input_cost_per_token": 1e-7, "output_cost_per_token": 1}}`)
	f.Add(`[{"id": "a", "models": [{"id": "m", "prices": [{"prices": {"input_mtok": {"base": 1}}}]}]}]`)
	f.Add(
		`{"": {"input_cost_per_token": 0, "output_cost_per_token": 0}, "m": {"input_cost_per_token": 1e-7,` +
			` "output_cost_per_token": 1e-7}}`,
	)
	timed := `{"constraint": {"start_time": "01:00:00Z", "end_time": "02:00:00Z"}, "prices": {"input_mtok": 1,` +
		` "output_mtok": 1}}`
	f.Add(`[{"id": "p", "models": [{"id": "m", "prices": [` + strings.Repeat(timed+",", 1200) + timed + `]}]}]`)
	f.Add(strings.Repeat("[", 20_000))
	f.Add(strings.Repeat(`{"a":`, 20_000))
	f.Add(`[{"id": "\u001b[31m", "models": [{"id": "m", "prices": {"input_mtok": 1e400, "output_mtok": -1}}]}]`)
	for _, name := range []string{"litellm.json", "genai-prices.json"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := time.Now()
		b, err := Read(strings.NewReader(text), "f", "")
		runtime.ReadMemStats(&after)
		if mb, took := (after.TotalAlloc-before.TotalAlloc)>>20, time.Since(began); mb > 1024 || took > time.Minute {
			t.Fatalf("allocated %d MB in %v", mb, took)
		}
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

// Price files name the lengths in any order. A prompt of 200,000 tokens is not above 200,000.
func TestBandsInAnyOrder(t *testing.T) {
	dollars := func(x float64) *float64 { return &x }
	long := func(above int, input float64) LongQuote {
		return LongQuote{Above: above, Quote: Quote{Input: dollars(input)}}
	}
	var p Price
	q := Quote{Input: dollars(1), Output: dollars(10)}
	q.Long = []LongQuote{long(200_000, 3), long(400_000, 4), long(100_000, 2)}
	if err := p.Set(q); err != nil {
		t.Fatal(err)
	}
	for tokens, want := range map[int]float64{ // dollars per million tokens
		100_000: 1, 100_001: 2, 200_000: 2, 200_001: 3, 400_000: 3, 400_001: 4,
	} {
		got, dollars := p.Bill(Usage{Prompt: tokens}), float64(tokens)*want/1e6
		if math.Abs(got.Dollars()-dollars) > 1e-9 {
			t.Errorf("%d tokens: %v, want $%g", tokens, got, dollars)
		}
	}
}
