package overhttp

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"stampede/backend"
	"stampede/cost"
	"stampede/law"
	"stampede/provider"
	"stampede/wire"
)

// What a scenario can say about a provider holds over HTTP. Expected values are computed by hand.

// ask sends a chat request with header lines such as "api-key: k" and returns when the answer
// was read, its status and its body.
func ask(t *testing.T, c *http.Client, path, body string, header ...string) (time.Duration, int, string) {
	t.Helper()
	start := time.Now()
	req, _ := http.NewRequestWithContext(t.Context(), "POST", "https://api.example"+path, strings.NewReader(body))
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		req.Header.Set(name, value)
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Error(err)
		return 0, 0, ""
	}
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	resp.Body.Close()
	return time.Since(start), resp.StatusCode, string(data)
}

// Two answers of 10 tokens in one batch: each of the 10 steps takes 100 ms and 100 ms more for each of the
// two streams, 3 s in all, whether the answer is streamed or not.
func TestBatching(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, api := client(t, provider.Config{Capacity: provider.Capacity{
			Slots: 2, Batching: &provider.Batching{Step: s / 10, PerStream: s / 10},
		}})
		api.Output = func(uint64) int { return 10 }
		done := make(chan time.Duration)
		for _, body := range []string{`{"stream": true}`, `{}`} {
			go func() {
				took, _, _ := ask(t, c, "/v1/chat/completions", body)
				done <- took
			}()
		}
		if a, b := <-done, <-done; a != 3*s || b != 3*s {
			t.Errorf("answers after %v and %v, want 3s each", a, b)
		}
	})
}

// A gateway adds 100 ms there and back, tries a refused request once more a second later, and passes 503
// on as 500: there at 50 ms and at 1.05 s, back at 1.1 s.
func TestGateway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, api := client(t, provider.Config{
			Gateway: provider.Gateway{
				Latency: s / 10, Retries: 1, Wait: s, Rewrite: []provider.Rewrite{{From: 503, To: 500}},
			},
			Faults: []provider.Fault{{Share: 1, Effect: provider.Reject{Reply: wire.Reply{Status: 503}}}},
		})
		relayed := 0
		api.Seen = func(x Exchange) { relayed = x.Request.Relay }
		if took, status, _ := ask(t, c, "/", `{}`); took != 1100*time.Millisecond || status != 500 || relayed != 1 {
			t.Errorf("%d after %v and %d tries of the gateway, want 500 after 1.1s and 1", status, took, relayed)
		}
	})
}

// A limit of no room for the key b and the model small: who is meant stands in the header, the query,
// the body or the path. Others are the first tenant's.
func TestTenants(t *testing.T) {
	for _, c := range []struct {
		path, body, header string
		status             int
	}{
		{"/v1/chat/completions", `{"model": "large"}`, "Authorization: Bearer a", 200},
		{"/v1/chat/completions", `{"model": "small"}`, "Authorization: Bearer b", 429},
		{"/v1/chat/completions", `{"model": "large"}`, "Authorization: Bearer b", 200},
		{"/v1/chat/completions", `{"model": "small"}`, "Authorization: Bearer nobody", 200},
		{"/v1/messages", `{"model": "small"}`, "x-api-key: b", 429},
		{"/v1beta/models/small:generateContent", `{}`, "x-goog-api-key: b", 429},
		{"/v1beta/models/large:generateContent?key=b", `{}`, "accept: */*", 200},
		{"/v1beta/models/small:generateContent?key=b", `{}`, "accept: */*", 429},
		{"/openai/deployments/small/chat/completions?api-version=1", `{}`, "api-key: b", 429},
	} {
		synctest.Test(t, func(t *testing.T) {
			client, _ := client(t, provider.Config{
				Tenants: []provider.Tenant{{Key: "a"}, {Key: "b", Model: "small"}},
				Limits: []provider.Limit{{
					Resource: provider.Requests, Amount: 1, Period: 60 * s, Used: 1, Keys: []string{"b"},
				}},
			})
			if _, status, _ := ask(t, client, c.path, c.body, c.header); status != c.status {
				t.Errorf("%s %s %s: %d, want %d", c.path, c.body, c.header, status, c.status)
			}
		})
	}
}

// Ten of the prompt's 15 tokens are in a cache for 10 s after they were used last. They are there at 0 s,
// when the call arrives, at 8 s and at 17 s, but not at 27 s.
func TestCacheOfPrompts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, api := client(t, provider.Config{})
		api.Terms = backend.Terms{Lifetime: 10 * s}
		api.Size = func(r *backend.Request) { r.Prompt, r.Cached = 15, 10 }
		var got []int
		api.Seen = func(x Exchange) { got = append(got, x.Usage.Cached) }
		for _, pause := range []time.Duration{8 * s, 9 * s, 10 * s, 0} {
			_, _, body := ask(t, c, "/", `{}`, "x-stampede-call: 7")
			if want := fmt.Sprintf(`"cached_tokens":%d`, got[len(got)-1]); !strings.Contains(body, want) {
				t.Errorf("%s, want %s", body, want)
			}
			time.Sleep(pause)
		}
		if fmt.Sprint(got) != "[10 10 10 0]" {
			t.Errorf("%v tokens from the cache, want 10, 10, 10 and 0", got)
		}
	})
}

// Six of 16 tokens are reasoning at 2 tokens a second: nothing is seen for 3 s, then ten words until 8 s.
func TestReasoning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, api := client(t, provider.Config{Latency: provider.Latency{TokensPerSecond: law.Constant(2)}})
		api.Size = func(r *backend.Request) { r.Reasoning = 6 }
		var first time.Duration
		api.Seen = func(x Exchange) { first = x.First }
		took, _, body := ask(t, c, "/", `{"stream": true, "stream_options": {"include_usage": true}}`)
		if first != 3*s || took != 8*s || strings.Count(body, "word ") != 10 ||
			!strings.Contains(body, `"completion_tokens":16,"completion_tokens_details":{"reasoning_tokens":6}`) {
			t.Errorf("first token at %v, read at %v: %s; want 3s, 8s and ten words", first, took, body)
		}
	})
}

// At $1 for a million tokens a prompt of 100 costs 100,000 nano-dollars, an answer of 16 tokens 16,000
// more. Of a limit of 110,000 an hour one answer leaves no room; so do two refusals that are
// billed for their prompts.
func TestLimitOnDollars(t *testing.T) {
	filtered := provider.Fault{For: 5 * s, Share: 1,
		Effect: provider.Reject{Reply: wire.Reply{Status: 400, Code: "content_filter"}}}
	for _, c := range []struct {
		faults []provider.Fault
		want   string
	}{
		{nil, "[200 116000 429 0 429 0]"},
		{[]provider.Fault{filtered}, "[400 100000 400 100000 429 0]"},
	} {
		synctest.Test(t, func(t *testing.T) {
			client, api := client(t, provider.Config{
				Limits:  []provider.Limit{{Resource: provider.Dollars, Amount: 110_000, Period: 3600 * s}},
				Faults:  c.faults,
				Billing: provider.Billing{FilterBilled: true},
			})
			api.Terms.Price = cost.PerMillion("m", 1, 1, 1)
			api.Size = func(r *backend.Request) { r.Prompt = 100 }
			var got []int64
			api.Seen = func(x Exchange) { got = append(got, int64(x.Reply.Status), int64(x.Bill)) }
			for range 3 {
				ask(t, client, "/", `{}`)
				time.Sleep(3 * s)
			}
			if fmt.Sprint(got) != c.want {
				t.Errorf("statuses and bills %v, want %s", got, c.want)
			}
		})
	}
}

// A second request under an idempotency key gets the answer again, at once and unbilled, where the
// provider replays; another key, and another provider, generate anew for a second.
func TestIdempotencyKeys(t *testing.T) {
	for _, replays := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			c, api := client(t, provider.Config{
				ReplaysKeys: replays, Latency: provider.Latency{FirstToken: law.Constant(1)},
			})
			var got []string
			api.Seen = func(x Exchange) { got = append(got, fmt.Sprint(x.Usage.Output)) }
			for _, key := range []string{"k", "k", "l"} {
				took, _, body := ask(t, c, "/", `{}`, "Idempotency-Key: "+key)
				got = append(got, took.String(), fmt.Sprint(strings.Count(body, "word")))
			}
			want := "16 1s 16 16 1s 16 16 1s 16"
			if replays {
				want = "16 1s 16 0 0s 16 16 1s 16"
			}
			if strings.Join(got, " ") != want {
				t.Errorf("replays %v: %v, want %s", replays, got, want)
			}
		})
	}
}

// Requests with one call and one attempt have the same luck; another call or another attempt
// has its own.
func TestLuckByCallAndAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := client(t, provider.Config{Latency: provider.Latency{FirstToken: law.Exponential{Beta: 1}}})
		var took []time.Duration
		for _, header := range [][]string{
			{"x-stampede-call: 5", "x-stainless-retry-count: 1"}, {"x-stampede-call: 5", "x-stainless-retry-count: 1"},
			{"x-stampede-call: 5", "x-stainless-retry-count: 0"}, {"x-stampede-call: 5"},
			{"x-stampede-call: 6", "x-stainless-retry-count: 1"},
		} {
			d, _, _ := ask(t, c, "/", `{}`, header...)
			took = append(took, d)
		}
		if took[0] != took[1] || took[2] != took[3] || took[0] == took[2] || took[0] == took[4] {
			t.Errorf("answers take %v; want the first two alike, the next two alike, the others different", took)
		}
	})
}
