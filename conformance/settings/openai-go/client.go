// Settings of openai-go (preset openai-go@3.99)
// Names read in option/requestoption.go, internal/requestconfig/requestconfig.go (v3.98.0,
//   2026-12-01).
// What the policy says and this client cannot be told:
// - deadline 45s: cannot be set; set instead: policy.timeouts.call 45s
// - retry_on 429, 5xx, timeout, connection: cannot be set; it stays 408, 409, 429, 5xx, timeout,
//   connection
// - never_on insufficient_quota: cannot be set; it stays none
// - backoff exponential 500ms x2 cap 20s full jitter: cannot be set; it stays exponential 500ms x2
//   cap 20s minus up to 25%
// - retry_after in full: cannot be set; it stays up to 20s else give up (retry-after-ms read first)
// - gap timeout 1m: cannot be set; set instead: policy.timeouts.first_byte 1m

package client

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"
)

// New is a client that does what the policy says, over a transport such as Transport().
func New(base http.RoundTripper, more ...option.RequestOption) openai.Client {
	return openai.NewClient(append([]option.RequestOption{
		option.WithMaxRetries(5), // 6 attempts: it counts retries
		// The cap of the backoff, and the longest Retry-After that is obeyed: a longer one ends the call.
		option.WithMaxRetryDelay(20 * time.Second),
		option.WithHTTPClient(&http.Client{Transport: wrap(base)}),
	}, more...)...)
}

// Ask bounds the whole call: waits end there, and what is in flight is cut off.
func Ask(
	ctx context.Context, client openai.Client, question openai.ChatCompletionNewParams,
) (*openai.ChatCompletion, error) {
	ctx, cancel := context.WithTimeout(ctx, 45*time.Second)
	defer cancel()
	return client.Chat.Completions.New(ctx, question)
}

// Transport is what New takes outside tests.
func Transport() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: 5 * time.Second}).DialContext
	t.ResponseHeaderTimeout = 1 * time.Minute
	return t
}

// attempts bounds what attempts do: a wait before a retry holds nothing.
type attempts struct {
	base http.RoundTripper
	gate *semaphore.Weighted
	pace *rate.Limiter
}

func wrap(base http.RoundTripper) http.RoundTripper {
	return &attempts{
		base: base,
		gate: semaphore.NewWeighted(16),
		pace: rate.NewLimiter(100, 20), // a second, and at once
	}
}

// RoundTrip implements http.RoundTripper.
func (a *attempts) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := a.admit(r.Context()); err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	end := sync.OnceFunc(func() {
		a.gate.Release(1)
	})
	resp, err := a.base.RoundTrip(r)
	if err != nil {
		end()
		return nil, err
	}
	resp.Body = body{resp.Body, end}
	return resp, nil
}

// admit waits until an attempt may be sent.
func (a *attempts) admit(ctx context.Context) error {
	if err := a.gate.Acquire(ctx, 1); err != nil {
		return err
	}
	if err := a.pace.Wait(ctx); err != nil {
		a.gate.Release(1)
		return err
	}
	return nil
}

// body ends its attempt when it is closed.
type body struct {
	io.ReadCloser
	end func()
}

// Close implements io.Closer.
func (b body) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}
