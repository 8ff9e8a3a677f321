package overhttp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"stampede/dialect"
	"stampede/law"
	"stampede/provider"
	"stampede/wire"
)

const s = time.Second

func client(t *testing.T, c provider.Config) (*http.Client, *Transport) {
	t.Helper()
	api, err := New(c, 1)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Transport: api}, api
}

// post sends a request and writes when what came back.
func post(ctx context.Context, c *http.Client, path, body string) string {
	start := time.Now()
	req, _ := http.NewRequestWithContext(ctx, "POST", "https://api.example"+path, strings.NewReader(body))
	resp, err := c.Do(req)
	if err != nil {
		return fmt.Sprintf("error at %v", time.Since(start))
	}
	head := time.Since(start)
	data, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	text := fmt.Sprintf("%d at %v, read at %v", resp.StatusCode, head, time.Since(start))
	if after := resp.Header.Get("retry-after"); after != "" {
		text += ", retry-after " + after
	}
	if err != nil {
		text += ", broken"
	}
	for _, where := range []string{"error in the stream", "error in the body"} {
		if strings.Contains(string(data), where) {
			text += ", " + where
		}
	}
	return text
}

// Two requests a minute: the third is refused and told to wait 30 s, in the words of the
// provider; an answer of 20 tokens at 10/s comes after a second and two, and a round trip of
// 100 ms.
func TestAnswersAndRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, api := client(t, provider.Config{
			Dialect: dialect.Anthropic, RoundTrip: 100 * time.Millisecond, RetryAfter: provider.RetryAfter{Round: s},
			Limits:  []provider.Limit{{Resource: provider.Requests, Amount: 2, Period: 60 * s}},
			Latency: provider.Latency{FirstToken: law.Constant(1), TokensPerSecond: law.Constant(10)},
		})
		api.Output = func(uint64) int { return 20 }
		var seen []string
		api.Seen = func(x Exchange) { seen = append(seen, fmt.Sprint(x.Arrived, x.InFlight, x.Reply.Status)) }
		var got []string
		for _, body := range []string{`{"max_tokens": 50}`, `{"max_tokens": 5, "stream": true}`, `{}`} {
			got = append(got, post(t.Context(), c, "/v1/messages", body))
		}
		// The bucket refills a token in 30 s; the third request comes 4.7 s after the first.
		want := "200 at 3.1s, read at 3.1s | 200 at 1.1s, read at 1.6s | 429 at 100ms, read at 100ms, retry-after 26"
		if s := strings.Join(got, " | "); s != want {
			t.Errorf("%s, want %s", s, want)
		}
		if s := strings.Join(seen, " | "); s != "50ms 1 200 | 3.15s 1 200 | 4.75s 0 429" {
			t.Errorf("seen %s", s)
		}
	})
}

// Gemini asks for a stream by its address: events with alt=sse, each a part of the answer and
// the last with its usage; else an array. The answer of 20 tokens ends at maxOutputTokens.
func TestGeminiStreams(t *testing.T) {
	for _, c := range []struct{ path, contentType, begins, ends string }{
		{":streamGenerateContent?alt=sse", "text/event-stream", "data: {\"candidates\":[",
			"\"totalTokenCount\":20}}\n\n"},
		{":streamGenerateContent", "application/json", "[{\"candidates\":[", "\"totalTokenCount\":20}}]"},
		{":generateContent", "application/json", "{\"candidates\":[", "\"totalTokenCount\":20}}"},
	} {
		synctest.Test(t, func(t *testing.T) {
			api, calls := client(t, provider.Config{Dialect: dialect.Gemini})
			calls.Output = func(uint64) int { return 20 }
			body := `{"contents": [], "generationConfig": {"maxOutputTokens": 5}}` // 60 bytes: 15 tokens
			resp, err := api.Post("https://api.example/v1beta/models/m"+c.path, "application/json",
				strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			got := string(data)
			if resp.Header.Get("content-type") != c.contentType || !strings.HasPrefix(got, c.begins) ||
				!strings.HasSuffix(got, c.ends) ||
				strings.Count(got, "word") != 5 {
				t.Errorf("%s: %s, %q; want %s, %q ... %q with five words", c.path, resp.Header.Get("content-type"),
					got, c.contentType, c.begins, c.ends)
			}
		})
	}
}

// A client that leaves after a second of five: where the provider stops, it makes room at once,
// else when it is done; and a request that waits for its turn gets it then.
func TestClientLeaves(t *testing.T) {
	for rule, want := range map[provider.CancelRule]string{provider.Stops: "200 at 6s, read at 6s",
		provider.Keeps: "200 at 10s, read at 10s"} {
		synctest.Test(t, func(t *testing.T) {
			c, _ := client(
				t,
				provider.Config{
					Capacity: provider.Capacity{Slots: 1, Queue: 1},
					Latency:  provider.Latency{FirstToken: law.Constant(5)},
					Cancel:   rule,
				},
			)
			ctx, cancel := context.WithTimeout(t.Context(), s)
			defer cancel()
			first := make(chan string)
			go func() { first <- post(ctx, c, "/", `{}`) }()
			synctest.Wait()
			if got := post(t.Context(), c, "/", `{}`); got != want {
				t.Errorf("%v: %s, want %s", rule, got, want)
			}
			<-first
		})
	}
}

// At one instant a reply beats the client's deadline, also that of a batch.
func TestReplyBeatsTheDeadline(t *testing.T) {
	for _, batching := range []*provider.Batching{nil, {Step: s / 8}} {
		synctest.Test(t, func(t *testing.T) {
			c, api := client(t, provider.Config{
				Latency:  provider.Latency{FirstToken: law.Constant(2)},
				Capacity: provider.Capacity{Slots: 1, Batching: batching},
			})
			api.Output = func(uint64) int { return 16 }
			ctx, cancel := context.WithTimeout(t.Context(), 2*s)
			defer cancel()
			if got, want := post(ctx, c, "/", `{}`), "200 at 2s, read at 2s"; got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

// A client that leaves the queue before its turn gives its place up where the provider stops;
// else its answer of 100 s is generated for nobody when its turn comes. The request behind
// it, sent at 2 s, is answered at 200 s or 300 s. Each request is told of once.
func TestClientLeavesTheQueue(t *testing.T) {
	for rule, want := range map[provider.CancelRule]string{provider.Stops: "200 at 3m18s, read at 3m18s",
		provider.Keeps: "200 at 4m58s, read at 4m58s"} {
		synctest.Test(t, func(t *testing.T) {
			c, api := client(
				t,
				provider.Config{
					Capacity: provider.Capacity{Slots: 1, Queue: 2},
					Latency:  provider.Latency{FirstToken: law.Constant(100)},
					Cancel:   rule,
				},
			)
			var seen atomic.Int32
			api.Seen = func(Exchange) { seen.Add(1) }
			ctx, cancel := context.WithTimeout(t.Context(), s)
			defer cancel()
			done := make(chan string, 2)
			go func() { done <- post(t.Context(), c, "/", `{}`) }()
			synctest.Wait()
			go func() { done <- post(ctx, c, "/", `{}`) }()
			time.Sleep(2 * s)
			if got := post(t.Context(), c, "/", `{}`); got != want {
				t.Errorf("%v: %s, want %s", rule, got, want)
			}
			<-done
			<-done
			if seen.Load() != 3 {
				t.Errorf("told of %d requests, want 3", seen.Load())
			}
		})
	}
}

// A client that leaves a stream after its first token: the request has been told of already.
func TestStreamIsToldOfOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, api := client(t,
			provider.Config{Latency: provider.Latency{FirstToken: law.Constant(1), TokensPerSecond: law.Constant(1)}})
		var seen atomic.Int32
		api.Seen = func(Exchange) { seen.Add(1) }
		ctx, cancel := context.WithTimeout(t.Context(), 3*s)
		defer cancel()
		post(ctx, c, "/", `{"stream": true}`)
		synctest.Wait()
		if seen.Load() != 1 {
			t.Errorf("told of it %d times", seen.Load())
		}
	})
}

// What keeps a connection from a provider is the error that Go's transport gives for it.
func TestErrorsOfConnections(t *testing.T) {
	is := func(target error) func(error) bool { return func(err error) bool { return errors.Is(err, target) } }
	for as, want := range map[provider.Reachability]func(error) bool{
		provider.RefusedConn: is(syscall.ECONNREFUSED),
		provider.ResetConn:   is(syscall.ECONNRESET),
		provider.NoName: func(err error) bool {
			var e *net.DNSError
			return errors.As(err, &e) && e.Name == "api.example"
		},
		provider.NoTLS: func(err error) bool { var e tls.AlertError; return errors.As(err, &e) },
	} {
		api, err := New(provider.Config{
			Faults: []provider.Fault{{Share: 1, Effect: provider.NoConnection{As: as}}},
		}, 1)
		if err != nil {
			t.Fatal(err)
		}
		c := http.Client{Transport: api}
		if _, err := c.Post("https://api.example/v1", "application/json", strings.NewReader("{}")); !want(err) {
			t.Errorf("%v: %v", as, err)
		}
	}
}

// Faults over HTTP: silence until the client leaves, a broken body, an error event inside a
// stream or in place of an answer, a refused connection.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		effect     provider.Effect
		body, want string
	}{
		{provider.Hang{}, `{}`, "error at 10s"},
		{provider.Break{Part: 0.5}, `{}`, "error at 1s"},
		{provider.Break{Part: 0.5, Code: "overloaded_error"}, `{"stream": true}`,
			"200 at 1s, read at 1s, error in the stream"},
		{provider.Break{Part: 0.5, Code: "overloaded_error"}, `{}`, "200 at 1s, read at 1s, error in the body"},
		{provider.Reject{Reply: wire.Reply{Status: 200, Code: "overloaded_error"}}, `{}`,
			"200 at 0s, read at 0s, error in the body"},
		{provider.Reject{Reply: wire.Reply{Status: 200, Code: "overloaded_error"}}, `{"stream": true}`,
			"200 at 0s, read at 0s, error in the stream"},
		{provider.Break{Part: 0.5}, `{"stream": true}`, "200 at 1s, read at 1s, broken"},
		{provider.Break{Part: 0.5, Silent: true}, `{"stream": true}`, "200 at 1s, read at 10s, broken"},
		{provider.Break{Part: 0.5, Silent: true}, `{}`, "error at 10s"},
		{provider.Break{Part: 1, Silent: true}, `{}`, "error at 10s"},
		{provider.NoConnection{As: provider.RefusedConn}, `{}`, "error at 0s"},
		{provider.NoConnection{As: provider.Unreachable}, `{}`, "error at 10s"},
		{provider.NoConnection{As: provider.NoName, After: law.Constant(5)}, `{}`, "error at 5s"},
		{provider.Reject{Reply: wire.Reply{Status: 503}, After: 2 * s}, `{}`, "503 at 2s, read at 2s"},
	} {
		synctest.Test(t, func(t *testing.T) {
			client, _ := client(
				t,
				provider.Config{
					Latency: provider.Latency{FirstToken: law.Constant(1)},
					Faults:  []provider.Fault{{Share: 1, Effect: c.effect}},
				},
			)
			ctx, cancel := context.WithTimeout(t.Context(), 10*s)
			defer cancel()
			if got := post(ctx, client, "/v1/chat/completions", c.body); got != c.want {
				t.Errorf("%v: %s, want %s", c.effect.Describe(), got, c.want)
			}
		})
	}
}
