package conformance

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anthropics/anthropic-sdk-go/v2"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/openai/openai-go/v3"
	openaioption "github.com/openai/openai-go/v3/option"

	"stampede/dialect"
	"stampede/policy"
	"stampede/provider"
	"stampede/provider/overhttp"
	"stampede/scenario"
	"stampede/wire"
)

// sdk is a real client: it asks once and returns its error.
type sdk struct {
	preset  string
	dialect dialect.Dialect
	ask     func(ctx context.Context, transport http.RoundTripper) error
}

var sdks = []sdk{
	{"openai-go@3.98", dialect.OpenAI, func(ctx context.Context, transport http.RoundTripper) error {
		client := openai.NewClient(openaioption.WithAPIKey("k"),
			openaioption.WithHTTPClient(&http.Client{Transport: transport}))
		_, err := client.Chat.Completions.New(
			ctx,
			openai.ChatCompletionNewParams{
				Model:    "m",
				Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hello")},
			},
		)
		return err
	}},
	{"anthropic-go@2.15", dialect.Anthropic, func(ctx context.Context, transport http.RoundTripper) error {
		client := anthropic.NewClient(anthropicoption.WithAPIKey("k"),
			anthropicoption.WithHTTPClient(&http.Client{Transport: transport}))
		_, err := client.Messages.New(
			ctx,
			anthropic.MessageNewParams{
				Model:     "m",
				MaxTokens: 100,
				Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("hello"))},
			},
		)
		return err
	}},
}

// clientOf is the policy of a preset, as a scenario builds it.
func clientOf(t *testing.T, name string) policy.Client {
	t.Helper()
	s, err := scenario.Read(
		[]byte("workload: {burst: {calls: 1}, prompt_tokens: 1, output_tokens: 1}\npolicy: "+name+"\n"), "conformance",
		scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s.Model.Client
}

// waits lets a real client ask once of a provider that always gives the same reply, and
// returns the waits between its requests and whether it was done within a week.
func waits(t *testing.T, client sdk, reply wire.Reply, seed uint64) (out []time.Duration, done bool) {
	synctest.Test(t, func(t *testing.T) {
		api, err := overhttp.New(
			provider.Config{
				Dialect: client.dialect,
				Faults:  []provider.Fault{{Share: 1, Effect: provider.Reject{Reply: reply}}},
			},
			seed,
		)
		if err != nil {
			t.Fatal(err)
		}
		var at []time.Duration
		api.Seen = func(x overhttp.Exchange) { at = append(at, x.Arrived) }
		ctx, cancel := context.WithTimeout(t.Context(), 7*24*time.Hour)
		defer cancel()
		if err := client.ask(ctx, api); err == nil {
			t.Errorf("%s: no error after %+v", client.preset, reply)
		}
		done = ctx.Err() == nil
		for i := 1; i < len(at); i++ {
			out = append(out, at[i]-at[i-1])
		}
	})
	return out, done
}

// predicted are the waits of the preset after the same replies at the uniform number u, and
// whether they depend on it.
func predicted(c policy.Client, reply wire.Reply, u float64) (out []time.Duration, jittered bool) {
	now := time.Duration(0)
	for attempt := 1; ; attempt++ {
		d := c.Retry.Decide(&policy.Facts{Now: now, Attempt: attempt, Reply: &reply, U: u})
		if !d.Again {
			return out, jittered
		}
		jittered = jittered || !d.Hinted
		out = append(out, d.Wait)
		now += d.Wait
	}
}

// replies are what the clients are held against: every form of Retry-After of the table of
// edge cases, the statuses that are retried and those that are not, and x-should-retry.
func replies() map[string]wire.Reply {
	seconds := func(v float64) wire.Hint { return wire.Hint{Form: wire.Seconds, Value: v} }
	after := func(h wire.Hint) wire.Reply { return wire.Reply{Status: 429, RetryAfter: h} }
	millis := func(ms, s float64) wire.Reply {
		return wire.Reply{Status: 429, Millis: seconds(ms / 1000), RetryAfter: seconds(s)}
	}
	out := map[string]wire.Reply{
		"RA 5": after(seconds(5)), "RA 0": after(seconds(0)), "RA -1": after(seconds(-1)),
		"RA 60": after(seconds(60)), "RA 61": after(seconds(61)), "RA 120": after(seconds(120)),
		"RA 121": after(seconds(121)), "RA 86400": after(seconds(86400)), "RA 1e12": after(seconds(1e12)),
		"RA 1.5": after(seconds(1.5)), "RA soon": after(wire.Hint{Form: wire.Garbage}),
		"date +30 s": after(wire.At(30 * time.Second)), "date +1 h": after(wire.At(time.Hour)),
		"date in the past": after(wire.Hint{Form: wire.Date, Value: -30}),
		"ms 250 + RA 5":    millis(250, 5), "ms 0 + RA 5": millis(0, 5), "ms -5 + RA 5": millis(-5, 5),
		"429 x-should-retry false":       {Status: 429, ShouldRetry: wire.DoNotRetry},
		"400 x-should-retry true":        {Status: 400, ShouldRetry: wire.Retry},
		"429 RA 121 x-should-retry true": {Status: 429, ShouldRetry: wire.Retry, RetryAfter: seconds(121)},
		"503 RA 7":                       {Status: 503, RetryAfter: seconds(7)},
		"429 insufficient_quota":         {Status: 429, Code: "insufficient_quota"},
	}
	for _, status := range []int{400, 401, 403, 404, 408, 409, 413, 422, 425, 429, 500, 501, 502, 503, 504, 520, 529} {
		out[fmt.Sprint(status)] = wire.Reply{Status: status}
	}
	return out
}

// For every reply the waits of the real client are those of its preset: exactly, where
// they do not depend on luck, and else within their range.
func TestSDKsFollowTheirPresets(t *testing.T) {
	for _, client := range sdks {
		preset := clientOf(t, client.preset)
		for name, reply := range replies() {
			got, done := waits(t, client, reply, 1)
			low, jittered := predicted(preset, reply, 1)
			high, _ := predicted(preset, reply, 0)
			ok := done && len(got) == len(low)
			for i := range min(len(got), len(low)) {
				ok = ok && got[i] >= low[i] && got[i] <= high[i] && (jittered || got[i] == low[i])
			}
			if !ok {
				t.Errorf("%s, %s: the client waits %v (done %v), the preset %v to %v", client.preset, name, got, done,
					low, high)
			}
		}
	}
}

// The first waits of 2,000 calls are distributed as the preset says: uniform from 0.375 to
// 0.5 s. Kolmogorov-Smirnov at 1 in 1,000: 1.95/sqrt(n).
func TestJitterOfTheSDKs(t *testing.T) {
	for _, client := range sdks {
		preset := clientOf(t, client.preset)
		const n = 2000
		var sample []float64
		for i := range n {
			got, _ := waits(t, client, wire.Reply{Status: 500}, uint64(i))
			sample = append(sample, got[0].Seconds())
		}
		slices.Sort(sample)
		slow, fast := preset.Retry.Backoff.Wait(0, 0, 0).Seconds(), preset.Retry.Backoff.Wait(0, 0, 1).Seconds()
		distance := 0.0
		for i, x := range sample {
			f := (x - fast) / (slow - fast)
			distance = max(distance, math.Abs(f-float64(i)/n), math.Abs(f-float64(i+1)/n))
		}
		if distance > 1.95/math.Sqrt(n) {
			t.Errorf("%s: the waits lie %.4f from uniform on %g..%g s", client.preset, distance, fast, slow)
		}
	}
}

// A provider that never answers: with a timeout of 3 s of each request openai-go does not try
// again and anthropic-go does; with the caller's deadline neither does.
func TestTimeoutsOfTheSDKs(t *testing.T) {
	for _, c := range []struct {
		name string
		ask  func(ctx context.Context, transport http.RoundTripper) error
		want int
	}{
		{"openai-go with a request timeout", func(ctx context.Context, transport http.RoundTripper) error {
			client := openai.NewClient(openaioption.WithAPIKey("k"),
				openaioption.WithHTTPClient(&http.Client{Transport: transport}),
				openaioption.WithRequestTimeout(3*time.Second))
			_, err := client.Chat.Completions.New(ctx,
				openai.ChatCompletionNewParams{Model: "m",
					Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hello")}})
			return err
		}, 1},
		{"anthropic-go with a request timeout", func(ctx context.Context, transport http.RoundTripper) error {
			client := anthropic.NewClient(anthropicoption.WithAPIKey("k"),
				anthropicoption.WithHTTPClient(&http.Client{Transport: transport}),
				anthropicoption.WithRequestTimeout(3*time.Second))
			_, err := client.Messages.New(ctx,
				anthropic.MessageNewParams{Model: "m", MaxTokens: 100,
					Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("hello"))}})
			return err
		}, 3},
		{"openai-go, the caller's deadline", func(ctx context.Context, transport http.RoundTripper) error {
			ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
			defer cancel()
			return sdks[0].ask(ctx, transport)
		}, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			api, err := overhttp.New(provider.Config{Faults: []provider.Fault{{Share: 1, Effect: provider.Hang{}}}}, 1)
			if err != nil {
				t.Fatal(err)
			}
			requests := 0
			api.Seen = func(overhttp.Exchange) { requests++ }
			start := time.Now()
			err = c.ask(t.Context(), api)
			if took := time.Since(start); err == nil || requests != c.want ||
				took > time.Duration(c.want)*3*time.Second+1500*time.Millisecond {
				t.Errorf("%s: %d requests in %v (%v), want %d", c.name, requests, took, err, c.want)
			}
		})
	}
}
