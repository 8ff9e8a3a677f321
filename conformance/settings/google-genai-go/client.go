// Settings of google-genai-go (preset google-genai-go-retrying@1.77)
// Names read in types.go HTTPOptions, HTTPRetryOptions; common.go (v1.77.0, 2026-12-01).
// What the policy says and this client cannot be told:
// - deadline 45s: cannot be set; set instead: policy.timeouts.call 45s
// - retry_on 429, 5xx, timeout, connection: cannot be set; it stays 429, 500, 502, 503, 504, 520,
//   522, 524, 529, timeout, connection
// - never_on insufficient_quota: cannot be set; it stays none
// - x_should_retry obey: cannot be set; it stays ignore
// - jitter full: cannot be set; it stays plus 1s
// - retry_after in full: cannot be set; it stays ignored
// - gap timeout 1m: cannot be set; set instead: policy.timeouts.first_byte 1m

package client

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"
	"google.golang.org/genai"
)

// New is a client that does what the policy says, over a transport such as Transport().
func New(ctx context.Context, base http.RoundTripper) (*genai.Client, error) {
	return genai.NewClient(ctx, &genai.ClientConfig{
		HTTPClient: &http.Client{Transport: wrap(base)},
		HTTPOptions: genai.HTTPOptions{
			// Timeout here would bound all attempts and waits together.
			RetryOptions: &genai.HTTPRetryOptions{
				Attempts:        genai.Ptr[int32](6),     // the first included
				InitialDelay:    genai.Ptr[float64](0.5), // seconds, as MaxDelay and Jitter
				ExpBase:         genai.Ptr[float64](2),
				MaxDelay:        genai.Ptr[float64](20),
				Jitter:          genai.Ptr[float64](1),
				HTTPStatusCodes: []int32{429, 500, 502, 503, 504, 520, 522, 524, 529},
			},
		},
	})
}

// Ask bounds the whole call: waits end there, and what is in flight is cut off.
func Ask(
	ctx context.Context, client *genai.Client, model string, contents []*genai.Content,
	config *genai.GenerateContentConfig,
) (*genai.GenerateContentResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, 45*time.Second)
	defer cancel()
	return client.Models.GenerateContent(ctx, model, contents, config)
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
