package cost

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// publishedRates are the rates of the built-in list that a row of published.csv names: on the last day of a price with
// an end and, of one without, on the first day of 2027, when the promotions of Gemini are over.
func publishedRates(t *testing.T, model, tier, above, until string) (rates Rates) {
	t.Helper()
	if until == "" {
		until = "2027-01-01"
	}
	list, err := BuiltinOn(until)
	if err != nil {
		t.Fatal(err)
	}
	word, _ := FindTier(tier)
	p, err := list.Price(model, word)
	if err != nil {
		t.Fatal(err)
	}
	if p.Date == "" || p.Source == "" {
		t.Errorf("%s: no date or source: %+v", model, p)
	}
	if above == "" {
		return p.Rates
	}
	for _, b := range p.Bands {
		if strconv.Itoa(b.Above) == above {
			rates = b.Rates
		}
	}
	return rates
}

// The built-in list has what providers published.
func TestPublishedPrices(t *testing.T) {
	f, err := os.Open(filepath.Join("testdata", "published.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := csv.NewReader(f)
	lines.Comment = '#'
	rows, err := lines.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		rates := publishedRates(t, row[0], row[1], row[6], row[7])
		for i, got := range []int64{rates.Input, rates.Cached, rates.Written, rates.Output} {
			text := row[2+i]
			if text == "" {
				continue
			}
			dollars, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			if want := int64(math.Round(dollars * 1e6)); got != want {
				t.Errorf("%s, %s: %d, want %d", strings.Join(row, ","), rows[0][2+i], got, want)
			}
		}
	}
}

// A promotion holds to the end of its last day and says what comes then. Days with the same prices share a day
// that stands for them.
func TestPromotions(t *testing.T) {
	for _, c := range []struct {
		model, day   string
		tier         Tier
		input        int64
		until, onDay string
		note         string
	}{
		{"gemini-3.8-flash", "2026-12-01", Standard, 750_000, "2026-12-31", "2026-12-31",
			"the price of gemini/gemini-3.8-flash is a promotion until 2026-12-31; then it is $1.5 in, " +
				"$0.15 cached, $7.5 out"},
		{"gemini-3.8-flash", "2026-12-31", Batch, 375_000, "2026-12-31", "2026-12-31",
			"promotion until 2026-12-31; then it is $0.75 in, $0.075 cached, $3.75 out"},
		{"gemini-3.8-flash", "2027-01-01", Standard, 1_500_000, "", "2027-01-01", ""},
		{"gemini-3.8-flash", "2028-02-03", Priority, 2_700_000, "", "2027-01-01", ""},
		{"gpt-6.2-sol", "2027-02-28", Ultrafast, 6_000_000, "2027-02-28", "2027-02-28", "then it is $12 in"},
		{"gpt-6.2-sol", "2027-03-01", Ultrafast, 12_000_000, "", "2027-03-01", ""},
		{"gpt-6.2-sol", "2027-03-01", Standard, 2_000_000, "", "", ""},
		{"gpt-5.6-sol", "2026-12-01", Standard, 4_000_000, "", "",
			"until at least 2026-11-21; the list price is $5 in"},
	} {
		list, err := BuiltinOn(c.day)
		if err != nil {
			t.Fatal(err)
		}
		p, err := list.Price(c.model, c.tier)
		if err != nil || p.Input != c.input || p.Until != c.until || p.OnDay != c.onDay ||
			(p.Note == "") != (c.note == "") || !strings.Contains(p.Note, c.note) {
			t.Errorf("%s, %v on %s: %+v, %v; want %+v", c.model, c.tier, c.day, p, err, c)
		}
	}
	if _, err := BuiltinOn("soon"); err == nil || !strings.Contains(err.Error(), `found the day "soon"`) {
		t.Errorf("a day that is none: %v", err)
	}
}

// DeepSeek's peak is from 01:00 to 04:00 and from 06:00 to 10:00 UTC; 17 of 24 hours cost half.
func TestPeakHours(t *testing.T) {
	for clock, want := range map[string]int64{
		"00:59:59": 150_000, "01:00:00": 300_000, "03:59:59": 300_000, "04:00:00": 150_000,
		"05:59:59": 150_000, "06:00:00": 300_000, "09:59:59": 300_000, "10:00:00": 150_000,
	} {
		at, _ := timeOfDay(clock)
		if p, err := Builtin().PriceAt("deepseek-flash", Standard, at); err != nil || p.Input != want {
			t.Errorf("at %s: %d, %v, want %d", clock, p.Input, err, want)
		}
	}
	p, err := Builtin().Price("deepseek-v4-pro", Standard)
	if err != nil || p.Output != 1_980_000 || !strings.Contains(p.Note, "holds for 17 of 24 hours") ||
		!strings.Contains(p.Note, "weekdays") {
		t.Errorf("%+v, %v", p, err)
	}
}

// What is written to last an hour or longer costs more: $6 instead of $3.75 a million, $12 instead of $7.50 in prompts
// of more than 200,000 tokens; at OpenAI $5 for 12 hours instead of $2.50 for 30 minutes.
func TestWritingToLast(t *testing.T) {
	for _, c := range []struct {
		model    string
		lifetime time.Duration
		written  int
		want     float64
	}{
		{"claude-sonnet-4-5", 5 * time.Minute, 100_000, 0.375},
		{"claude-sonnet-4-5", time.Hour, 100_000, 0.6},
		{"claude-sonnet-4-5", 5 * time.Minute, 400_000, 3},
		{"claude-sonnet-4-5", time.Hour, 400_000, 4.8},
		{"gpt-6.2-sol", 30 * time.Minute, 100_000, 0.25},
		{"gpt-6.2-sol", 12 * time.Hour, 100_000, 0.5},
	} {
		p, err := Builtin().Price(c.model, Standard)
		if err != nil {
			t.Fatal(err)
		}
		w := p.Writing(c.lifetime)
		got := w.Bill(Usage{Prompt: c.written, Written: c.written})
		if got != Money(math.Round(c.want*1e9)) {
			t.Errorf("%s for %v: %v, want $%g", c.model, c.lifetime, got, c.want)
		}
	}
}

// Versions may be written with a dot or a dash; a name as the list has it is preferred.
func TestVersionsOfModels(t *testing.T) {
	for name, want := range map[string]string{
		"claude-opus-5.5": "claude-opus-5-5", "claude-opus-5-5": "claude-opus-5-5", "gpt-6-2-sol": "gpt-6.2-sol",
		"grok-4-7": "xai/grok-4.7", "gpt-5.4": "gpt-5.4",
	} {
		if p, err := Builtin().Price(name, Standard); err != nil || p.Model != want {
			t.Errorf("%s: %q, %v, want %s", name, p.Model, err, want)
		}
	}
	if _, err := Builtin().Price("gpt-oss-120b", Standard); err == nil ||
		!strings.Contains(err.Error(), "sold by several providers") {
		t.Errorf("a model of several: %v", err)
	}
}

func TestBadTablesAreExplained(t *testing.T) {
	const head = "model,tier,input,cached,written,written_1h,output,above,hours,until,date,source,note\n"
	const m = "m,standard,1,,,,2,,,,2026-10-01,page,\n"
	for rows, want := range map[string]string{
		"m,fast,1,,,,2,,,,2026-10-01,page,\n":                    `row 2: m: tier: found "fast"`,
		",standard,1,,,,2,,,,2026-10-01,page,\n":                 "model: found nothing",
		"m,batch,1,,,,2,,,,2026-10-01,page,\n":                   "want the standard tier of a model before its others",
		"m,standard,one,,,,2,,,,2026-10-01,page,\n":              `input: found "one"`,
		"m,standard,1,,,,,,,,2026-10-01,page,\n":                 "input, output: found nothing; want both",
		"m,standard,1,,,,2,,,,,page,\n":                          "date, source: found nothing",
		"m,standard,1,,,,2,,,,October,page,\n":                   `date: found the day "October"`,
		"m,standard,1,,,,2,1000,,,2026-10-01,page,\n":            "above: found 1000 first",
		m + "m,standard,1,,,,2,0,,,2026-10-01,page,\n":           `above: found "0"; want a number of tokens`,
		m + "m,standard,1,,,,2,9,,2026-12-31,2026-10-01,page,\n": "above: found with hours or until",
		m + m: "found the standard tier twice",
		"m,standard,1,,,,2,,,2026-12-31,2026-10-01,page,\n": "hours, until: found first",
		m + "m,standard,1,,,,2,,,soon,2026-10-01,page,\n":   `until: found the day "soon"`,
		m + "m,standard,1,,,,2,,01:00,,2026-10-01,page,\n":  `hours: found "01:00"; want hours such as`,
		m + "m,batch,1,,,,2,,,,2026-10-01,page,\n" +
			"m,batch,1,,,,2,,01:00-02:00,,2026-10-01,page,\n": "hours: found in the batch tier",
		"m,standard,-1,,,,2,,,,2026-10-01,page,\n": "m: -1 dollars per million tokens is out of range",
	} {
		if _, err := readTable([]byte(head+rows), "f", ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want ... %s", rows, err, want)
		}
	}
	if _, err := readTable([]byte("model\nm\n"), "f", ""); err == nil ||
		!strings.Contains(err.Error(), "want a first row with the columns model,tier,") {
		t.Errorf("another head: %v", err)
	}
}
