package dialect

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"stampede/wire"
)

const s, ms = time.Second, time.Millisecond

// The header lines that were captured or documented, from
// the facts behind them.
func TestHeaders(t *testing.T) {
	start := time.Date(2026, time.February, 25, 20, 1, 30, 0, time.UTC)
	quotas := func(i int, q wire.Quota) (out wire.Quotas) { out[i] = q; return out }
	for _, c := range []struct {
		dialect Dialect
		reply   wire.Reply
		now     time.Duration
		want    string // lines that must be there, by |
	}{
		{OpenAI,
			wire.Reply{Quotas: quotas(wire.RequestQuota,
				wire.Quota{Limit: 30_000, Remaining: 29_999, Reset: 60 * s / 30_000})}, 0,
			"x-ratelimit-limit-requests: 30000|x-ratelimit-remaining-requests: 29999|x-ratelimit-reset-requests: 2ms"},
		{OpenAI, wire.Reply{Quotas: quotas(wire.TokenQuota, wire.Quota{Limit: 150_000, Remaining: 0, Reset: 360 * s})},
			0, "x-ratelimit-reset-tokens: 6m0s"},
		{OpenAI,
			wire.Reply{Quotas: quotas(wire.RequestQuota,
				wire.Quota{Limit: 10_000, Remaining: 9_999, Reset: 8640 * ms})}, 0,
			"x-ratelimit-reset-requests: 8.64s"},
		{OpenAI, wire.Reply{Quotas: quotas(wire.RequestQuota, wire.Quota{Limit: 200, Remaining: 199, Reset: 432 * s})},
			0, "x-ratelimit-reset-requests: 7m12s"},
		{OpenAI, wire.Reply{Quotas: quotas(wire.RequestQuota, wire.Quota{Limit: 200, Remaining: 200})}, 0,
			"x-ratelimit-reset-requests: 0s"},
		{OpenAI, wire.Reply{Status: 429, RetryAfter: wire.After(56 * s)}, 0, "retry-after: 56"},
		{OpenAI, wire.Reply{Status: 429, ShouldRetry: wire.DoNotRetry}, 0, "x-should-retry: false"},
		{Groq,
			wire.Reply{Quotas: quotas(wire.RequestQuota,
				wire.Quota{Limit: 14_400, Remaining: 14_370, Reset: 179560 * ms})}, 0,
			"x-ratelimit-remaining-requests: 14370|x-ratelimit-reset-requests: 2m59.56s"},
		{Groq,
			wire.Reply{Quotas: quotas(wire.TokenQuota, wire.Quota{Limit: 18_000, Remaining: 17_997, Reset: 940 * ms})},
			0, "x-ratelimit-reset-tokens: 940ms"},
		{Anthropic,
			wire.Reply{Quotas: quotas(wire.InputQuota,
				wire.Quota{Limit: 30_000, Remaining: 12_501, Reset: 61100 * ms})}, 500 * ms,
			"anthropic-ratelimit-input-tokens-limit: 30000|anthropic-ratelimit-input-tokens-remaining: " +
				"13000|anthropic-ratelimit-input-tokens-reset: 2026-02-25T20:02:32Z"},
		{Azure, wire.Reply{Quotas: quotas(wire.RequestQuota, wire.Quota{Limit: 20, Remaining: 19, Reset: 54001 * ms})},
			0, "x-ratelimit-limit-requests: 20|x-ratelimit-reset-requests: 55"},
		{Azure, wire.Reply{Status: 429, RetryAfter: wire.After(2 * s), Millis: wire.After(1234 * ms)}, 0,
			"retry-after-ms: 1234|retry-after: 2"},
		{Plain, wire.Reply{Status: 503, RetryAfter: wire.At(90 * s)}, 0, "retry-after: Wed, 25 Feb 2026 20:03:00 GMT"},
		{Plain, wire.Reply{Status: 503, RetryAfter: wire.After(1500 * ms)}, 0, "retry-after: 1.5"},
		{Plain, wire.Reply{Status: 503, RetryAfter: wire.Hint{Form: wire.Garbage}}, 0, "retry-after: soon"},
		{Bedrock, wire.Reply{Status: 429, Code: "ThrottlingException"}, 0, "x-amzn-errortype: ThrottlingException"},
	} {
		for i, q := range c.reply.Quotas {
			if q.Limit > 0 {
				c.reply.Quotas[i] = c.dialect.Read(i, c.now, q)
			}
		}
		var lines []string
		for _, f := range c.dialect.Write(c.reply, Limit{}, start, c.now).Header {
			lines = append(lines, f.Name+": "+f.Value)
		}
		for _, want := range strings.Split(c.want, "|") {
			if !strings.Contains("\n"+strings.Join(lines, "\n")+"\n", "\n"+want+"\n") {
				t.Errorf("%v: %q is not among\n%s", c.dialect, want, strings.Join(lines, "\n"))
			}
		}
	}
}

// The headers of Anthropic speak of all tokens as the sum of input and output.
func TestAnthropicSumsTokens(t *testing.T) {
	var q wire.Quotas
	q[wire.InputQuota] = wire.Quota{Limit: 30_000, Remaining: 10_000, Reset: 40 * s}
	q[wire.OutputQuota] = wire.Quota{Limit: 8_000, Remaining: 8_000}
	text := fmt.Sprint(Anthropic.Write(wire.Reply{Status: 200, Quotas: q}, Limit{}, time.Unix(0, 0), 0).Header)
	for _, want := range []string{
		"{anthropic-ratelimit-tokens-limit 38000}", "{anthropic-ratelimit-tokens-remaining 18000}",
		"{anthropic-ratelimit-tokens-reset 1970-01-01T00:00:40Z}",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
}

// The shapes of error bodies.
func TestBodies(t *testing.T) {
	for _, c := range []struct {
		dialect Dialect
		reply   wire.Reply
		want    string
	}{
		{OpenAI, wire.Reply{Status: 429, Code: "rate_limit_exceeded", Delay: wire.After(1146 * ms)},
			`{"error":{"message":"Rate limit reached. Please try again in 1.146s.","type":"rate_limit_error",` +
				`"param":null,"code":"rate_limit_exceeded"}}`},
		{OpenAI, wire.Reply{Status: 429, Code: "insufficient_quota"},
			`{"error":{"message":"Rate limit reached.","type":"insufficient_quota","param":null,` +
				`"code":"insufficient_quota"}}`},
		{OpenAI, wire.Reply{Status: 503, Code: "server_is_overloaded"},
			`{"error":{"message":"The server is overloaded.","type":"service_unavailable_error","param":null,` +
				`"code":"server_is_overloaded"}}`},
		{Anthropic, wire.Reply{Status: 529, Code: "overloaded_error"},
			`{"type":"error","error":{"type":"overloaded_error","message":"The server is overloaded."}}`},
		{Anthropic, wire.Reply{Status: 429, Code: "enforced_spend_limit_reached"},
			`{"type":"error","error":{"type":"rate_limit_error","message":"Rate limit reached.",` +
				`"details":{"error_code":"enforced_spend_limit_reached"}}}`},
		{Azure, wire.Reply{Status: 429, Code: "429", Delay: wire.After(2100 * ms)},
			`{"error":{"code":"429","message":"Rate limit reached. Please retry after 3 seconds."}}`},
		{OpenAI, wire.Reply{Status: 502},
			`{"error":{"message":"The server had an error.","type":"server_error","param":null,"code":null}}`},
		{OpenAI, wire.Reply{Status: 429, Code: "organization_usage_limit_exceeded"},
			`{"error":{"message":"Rate limit reached.","type":"insufficient_quota","param":null,` +
				`"code":"organization_usage_limit_exceeded"}}`},
		{Gemini, wire.Reply{Status: 429, Code: "RESOURCE_EXHAUSTED", Delay: wire.After(3957525076)},
			`{"error":{"code":429,"message":"Rate limit reached. Please retry in 3.957525076s.",` +
				`"status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo",` +
				`"retryDelay":"3.957525076s"}]}}`},
		{Bedrock, wire.Reply{Status: 429, Code: "ThrottlingException"}, `{"message":"Rate limit reached."}`},
		{OpenAI, wire.Reply{Status: 200}, ``},
	} {
		if got := c.dialect.Write(c.reply, Limit{}, time.Unix(0, 0), 0).Body; got != c.want {
			t.Errorf("%v:\n got  %s\n want %s", c.dialect, got, c.want)
		}
	}
}

// Every dialect refuses for every reason with an error status, writes a body that
// is JSON, and is found by its name.
func TestEveryDialectIsComplete(t *testing.T) {
	for _, name := range Names() {
		d, ok := Find(name)
		if !ok || d.String() != name {
			t.Errorf("%s leads to %v", name, d)
		}
		for why := OverLimit; why < reasons; why++ {
			r := d.Refuses(why)
			reply := wire.Reply{Status: r.Status, Code: r.Code}
			if r.Status < 400 || reply.Class() == wire.OK {
				t.Errorf("%s: reason %d has status %d", name, why, r.Status)
			}
			var body map[string]any
			if err := json.Unmarshal([]byte(d.Write(reply, Limit{}, time.Unix(0, 0), 0).Body), &body); err != nil {
				t.Errorf("%s: reason %d: %v", name, why, err)
			}
		}
	}
}

// A date of any number of seconds is a date within a lifetime of the start.
func TestDatesAreHeld(t *testing.T) {
	w := writer{start: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	for seconds, want := range map[float64]string{
		90: "Thu, 01 Jan 2026 00:01:30 GMT", -1: "Wed, 31 Dec 2025 23:59:59 GMT",
		// 2e9 s are 23,148 d 3 h 33 min 20 s
		1e300: "Wed, 18 May 2089 03:33:20 GMT", math.Inf(-1): "Thu, 16 Aug 1962 20:26:40 GMT",
	} {
		if got := w.hint(wire.Hint{Form: wire.Date, Value: seconds}, 1); got != want {
			t.Errorf("%g s: %s, want %s", seconds, got, want)
		}
	}
}
