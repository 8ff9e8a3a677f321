package conformance

import (
	"context"
	"math"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	anthropicoption "github.com/anthropics/anthropic-sdk-go/v2/option"
	openaioption "github.com/openai/openai-go/v3/option"

	"stampede/conformance/clients/anthropic"
	"stampede/conformance/clients/genai"
	"stampede/conformance/clients/measure"
	"stampede/conformance/clients/openai"
	"stampede/conformance/decisions"
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
		return openai.Ask(ctx, transport)
	}},
	{"anthropic-go@2.15", dialect.Anthropic, func(ctx context.Context, transport http.RoundTripper) error {
		return anthropic.Ask(ctx, transport)
	}},
}

// clientOf is the policy of a preset.
func clientOf(t *testing.T, name string) policy.Client {
	t.Helper()
	preset, err := scenario.FindPreset("policy", name)
	if err != nil {
		t.Fatal(err)
	}
	client, err := preset.Client()
	if err != nil {
		t.Fatal(err)
	}
	return client
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

// replies are what the clients are held against; dates count from the first request.
func replies() map[string]wire.Reply {
	out := map[string]wire.Reply{}
	for _, r := range decisions.Replies {
		if r.Failure == wire.None {
			out[r.Name] = r.At(0)
		}
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
			return openai.Ask(ctx, transport, openaioption.WithRequestTimeout(3*time.Second))
		}, 1},
		{"anthropic-go with a request timeout", func(ctx context.Context, transport http.RoundTripper) error {
			return anthropic.Ask(ctx, transport, anthropicoption.WithRequestTimeout(3*time.Second))
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

// Before a scripted transport, as the program newest measures them, the SDKs of this module decide as their presets.
func TestMeasuredSDKs(t *testing.T) {
	for _, client := range []sdk{
		sdks[0], sdks[1],
		{"google-genai-go@1.77", dialect.Gemini, genai.Ask},
		{"google-genai-go-retrying@1.77", dialect.Gemini, genai.AskRetrying},
	} {
		measured := map[string]decisions.Decision{}
		for _, reply := range decisions.Replies {
			var calls [][]float64
			for range decisions.Seeds {
				calls = append(calls, measure.Waits(t, client.ask, reply.Sent(client.dialect), decisions.MaxRequests))
			}
			measured[reply.Name] = decisions.Measured(calls)
		}
		rows, err := decisions.Compare(clientOf(t, client.preset), nil, measured)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if row.Moved {
				t.Errorf("%s, %q: the client decides %s, the preset %s", client.preset, row.Replies, row.Client,
					row.Preset)
			}
		}
	}
}
