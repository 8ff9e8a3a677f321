package dialect_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stampede/dialect"
	"stampede/provider"
	"stampede/wire"
)

const (
	s  = time.Second
	ms = time.Millisecond
	h  = time.Hour
)

// scene is a provider, how many requests it gets first, and the request that it refuses.
type scene struct {
	name   string // of the section in the golden file
	config provider.Config
	before int
	prompt int
	at     time.Duration // since 2026-11-30 00:00 UTC
}

// limits is a provider with limits, some of which are used.
func limits(all ...provider.Limit) provider.Config { return provider.Config{Limits: all} }

// per is a token bucket.
func per(amount int64, of provider.Resource, period time.Duration, used int64) provider.Limit {
	return provider.Limit{Resource: of, Amount: amount, Period: period, Used: used}
}

// window is a fixed window, of which so much has passed at 00:00 UTC.
func window(amount int64, of provider.Resource, period time.Duration, used int64, passed time.Duration) provider.Limit {
	l := per(amount, of, period, used)
	l.Kind, l.Offset = provider.FixedWindow, passed
	return l
}

func hidden(l provider.Limit) provider.Limit { l.Hidden = true; return l }

// full is a provider with one place, without a queue.
func full() provider.Config { return provider.Config{Capacity: provider.Capacity{Slots: 1}} }

const (
	requests = provider.Requests
	tokens   = provider.Tokens
	input    = provider.InputTokens
	output   = provider.OutputTokens
)

var (
	atOnce  = provider.Limit{Resource: provider.Concurrency, Amount: 1}
	prepaid = provider.Limit{Resource: provider.Dollars, Kind: provider.Balance, Amount: 1, Period: s, Used: 1}
	monthly = provider.Limit{Resource: provider.Dollars, Kind: provider.FixedWindow, Amount: 1, Period: 720 * h,
		Used: 1}
)

// pacific is how much of a day in Pacific time has passed at 00:00 UTC in winter.
const pacific = 16 * h

var scenes = map[string]struct {
	hints provider.RetryAfter
	model string
	of    []scene
}{
	"openai": {provider.RetryAfter{Round: s}, "gpt-4o", []scene{
		{"tokens per minute", limits(per(500, requests, time.Minute, 0), per(30_000, tokens, time.Minute, 22_999)),
			0, 12_528, 0},
		{"requests per day", limits(per(200, requests, 24*h, 200)), 0, 10, 0},
		{"larger than the limit", limits(per(30_000, tokens, time.Minute, 0)), 0, 36_000, 0},
		{"no credit", limits(prepaid), 0, 10, 0},
		{"usage limit of the tier", limits(monthly), 0, 10, 0},
		{"no capacity", full(), 1, 10, 0},
	}},
	"anthropic": {provider.RetryAfter{Round: s}, "claude-sonnet-5", []scene{
		{"input tokens per minute", limits(per(1000, requests, time.Minute, 0), per(2_000_000, input, time.Minute,
			1_999_600), per(400_000, output, time.Minute, 0)), 0, 1000, 0},
		{"spend limit of the tier", limits(monthly), 0, 10, 0},
		{"no capacity", full(), 1, 10, 0},
	}},
	"azure": {provider.RetryAfter{Round: s, Millis: true}, "", []scene{
		{"tokens per minute", limits(provider.Limit{Resource: requests, Kind: provider.FixedWindow, Amount: 2700,
			Period: time.Minute, Quantum: 10 * s}, window(450_000, tokens, time.Minute, 449_500, 0)), 0, 1000,
			5400 * ms},
	}},
	"gemini": {provider.RetryAfter{As: provider.InBody}, "gemini-3.1-pro", []scene{
		{"input tokens per minute", limits(window(1_000_000, input, time.Minute, 999_000, 0)), 0, 2000, 14_188_025_459},
		{"requests per day", limits(window(250, requests, 24*h, 250, pacific)), 0, 10, 3*h + time.Minute},
		{"larger than the limit", limits(window(1_000_000, input, time.Minute, 0, 0)), 0, 1_500_000, 58_533_768_102},
	}},
	"gemini-free": {provider.RetryAfter{As: provider.InBody}, "gemini-2.5-flash", []scene{
		{"requests per day", limits(window(20, requests, 24*h, 20, pacific)), 0, 10, 42*s + 700*ms},
		{"input tokens per minute", limits(window(250_000, input, time.Minute, 249_999, 0)), 0, 1000, 17_080 * ms},
	}},
	"vertex": {provider.RetryAfter{}, "", []scene{
		{"requests per minute", limits(window(30_000, requests, time.Minute, 30_000, 0)), 0, 10, 0}}},
	"bedrock": {provider.RetryAfter{}, "", []scene{
		{"tokens per minute", limits(per(6_000_000, tokens, time.Minute, 6_000_000)), 0, 10, 0},
		{"tokens per day", limits(window(8_640_000_000, tokens, 24*h, 8_640_000_000, 0)), 0, 10, 0},
	}},
	"groq": {provider.RetryAfter{Round: s}, "openai/gpt-oss-120b", []scene{
		{"tokens per minute", limits(hidden(per(30, requests, time.Minute, 0)), per(1000, requests, 24*h, 0),
			per(8000, tokens, time.Minute, 7297)), 0, 974, 0},
		{"tokens per day", limits(hidden(per(200_000, tokens, 24*h, 197_494))), 0, 4035, 0},
		{"larger than the limit", limits(per(8000, tokens, time.Minute, 0)), 0, 9000, 0},
	}},
	"xai":      {of: []scene{{"requests per second", limits(window(150, requests, s, 150, 0)), 0, 10, 0}}},
	"deepseek": {of: []scene{{"requests at once", limits(atOnce), 1, 10, 0}}},
	"mistral": {of: []scene{
		{"requests per minute", limits(per(60, requests, time.Minute, 60)), 0, 10, 0},
		{"no capacity", full(), 1, 10, 0},
	}},
	"cohere": {of: []scene{{"requests per minute", limits(window(500, requests, time.Minute, 500, 0)), 0, 10, 0}}},
	"cohere-trial": {of: []scene{
		{"requests per minute", limits(window(20, requests, time.Minute, 20, 0)), 0, 10, 0},
		{"requests per month", limits(window(1000, requests, 720*h, 1000, 0)), 0, 10, 0},
	}},
	"kimi": {of: []scene{
		{"requests at once", limits(atOnce), 1, 10, 0},
		{"requests per minute", limits(window(20, requests, time.Minute, 20, 0)), 0, 10, 0},
		{"tokens per minute", limits(window(500_000, tokens, time.Minute, 499_600, 0)), 0, 1410, 0},
		{"tokens per day", limits(window(1_500_000, tokens, 24*h, 1_499_800, 0)), 0, 26_410, 0},
		{"no credit", limits(prepaid), 0, 10, 0},
		{"no capacity", full(), 1, 10, 0},
	}},
	"together": {of: []scene{
		{"requests", limits(per(10, requests, s, 10), per(5000, tokens, s, 0)), 0, 10, 0},
		{"tokens", limits(per(10, requests, s, 0), per(5000, tokens, s, 5000)), 0, 10, 0},
		{"no capacity", full(), 1, 10, 0},
	}},
	"fireworks": {of: []scene{
		{"prompt tokens", limits(per(3_600_000, input, time.Minute, 3_600_000), per(36_000, output, time.Minute, 0)),
			0, 10, 0},
	}},
	"cerebras": {of: []scene{
		{"tokens per minute", limits(per(14_400, requests, 24*h, 0), per(60_000, tokens, time.Minute, 57_000)), 0, 5000,
			0},
		{"requests per minute", limits(hidden(per(30, requests, time.Minute, 30))), 0, 10, 0},
	}},
	"openrouter": {of: []scene{
		{"requests per minute", limits(window(20, requests, time.Minute, 20, 0)), 0, 10, 48 * s},
		{"requests per day", limits(window(50, requests, 24*h, 50, 0)), 0, 10, 6 * h},
		{"no credit", limits(prepaid), 0, 10, 0},
	}},
	"cloudflare": {of: []scene{
		{"neurons per day", limits(window(10_000, requests, 24*h, 10_000, 0)), 0, 10, 0},
		{"no capacity", full(), 1, 10, 0},
	}},
	"huggingface-hub": {of: []scene{
		{"requests in 5 minutes", limits(window(2500, requests, 5*time.Minute, 2500, 0)), 0, 10, 143 * s},
	}},
	"vllm":   {of: []scene{{"full queue", full(), 1, 10, 0}}},
	"sglang": {of: []scene{{"full queue", full(), 1, 10, 0}}},
}

// The refusals of each dialect, whole: status, headers and body, as the files beside this one hold them. They are
// written by hand after the source that they name; nothing writes them again.
func TestRefusals(t *testing.T) {
	for _, name := range dialect.Names() {
		if name == "plain" { // no provider's
			continue
		}
		text, err := os.ReadFile(filepath.Join("testdata", "refusals", name+".txt"))
		if err != nil {
			t.Error(err)
			continue
		}
		sections := golden(t, name, string(text))
		of := scenes[name]
		if len(sections) != len(of.of) || len(of.of) == 0 {
			t.Errorf("%s: %d sections for %d refusals", name, len(sections), len(of.of))
		}
		for _, c := range of.of {
			c.config.RetryAfter = of.hints
			c.config.Dialect, _ = dialect.Find(name)
			c.config.Tenants = []provider.Tenant{{Model: of.model}}
			var got bytes.Buffer
			if err := refused(t, c).Print(&got); err != nil {
				t.Fatal(err)
			}
			if want := sections[c.name]; got.String() != want {
				t.Errorf("%s, %s:\n got  %s\n want %s", name, c.name, &got, want)
			}
		}
	}
}

// refused is what the provider of a scene refuses with.
func refused(t *testing.T, c scene) dialect.Message {
	t.Helper()
	p, err := provider.New(c.config, 1)
	if err != nil {
		t.Fatal(err)
	}
	var reply wire.Reply
	for i := range c.before + 1 {
		r := provider.Request{Call: uint64(i), Attempt: 1, Prompt: c.prompt, Admitted: c.at}
		v := p.Receive(c.at, &r, 0, &reply)
		if i == c.before && v.Kind != provider.Refused {
			t.Fatalf("%s: the request is not refused", c.name)
		}
	}
	start := time.Date(2026, time.November, 30, 0, 0, 0, 0, time.UTC)
	return c.config.Dialect.Write(reply, c.config.Over(&reply), start, c.at)
}

// golden splits a file into its sections. A body may stand in lines.
func golden(t *testing.T, name, text string) map[string]string {
	t.Helper()
	sections := map[string]string{}
	parts := strings.Split("\n"+text, "\n## ")
	if !strings.HasPrefix(parts[0], "\n# ") {
		t.Errorf("%s: no source in the first line", name)
	}
	for _, part := range parts[1:] {
		title, rest, _ := strings.Cut(part, "\n")
		lines := slices.DeleteFunc(strings.Split(rest, "\n"), func(l string) bool { return strings.HasPrefix(l, "# ") })
		head, body, _ := strings.Cut(strings.Join(lines, "\n"), "\n\n")
		var compact bytes.Buffer
		if err := json.Compact(&compact, []byte(body)); err != nil {
			t.Errorf("%s, %s: %v", name, title, err)
		}
		sections[title] = fmt.Sprintf("%s\n\n%s\n", head, &compact)
	}
	return sections
}
