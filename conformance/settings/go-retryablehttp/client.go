// Settings of go-retryablehttp (preset go-retryablehttp@0.7)
// Names read in client.go (v0.7.8, 2026-12-01).
// What the policy says and this client cannot be told:
// - deadline 45s: cannot be set; set instead: policy.timeouts.call 45s
// - never_on insufficient_quota: cannot be set; it stays none
// - gap timeout 1m: cannot be set; set instead: policy.timeouts.attempt 1m

package client

import (
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"
)

// New is a client that does what the policy says, over a transport such as Transport().
func New(base http.RoundTripper) *retryablehttp.Client {
	c := retryablehttp.NewClient()
	c.HTTPClient = &http.Client{Transport: wrap(base)}
	c.RetryMax = 5 // 6 attempts: it counts retries
	c.CheckRetry = func(ctx context.Context, resp *http.Response, err error) (bool, error) {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		return retryable(resp, err), nil
	}
	c.Backoff = func(_, _ time.Duration, i int, resp *http.Response) time.Duration {
		if resp != nil {
			if hint, ok := retryAfter(resp); ok {
				return hint
			}
		}
		return wait(i)
	}
	return c
}

// Do bounds the whole call: waits end there, and what is in flight is cut off.
func Do(client *retryablehttp.Client, r *retryablehttp.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(r.Context(), 45*time.Second)
	resp, err := client.Do(r.WithContext(ctx))
	if err != nil {
		cancel()
		return nil, err
	}
	resp.Body = answer{resp.Body, cancel}
	return resp, nil
}

// answer ends its call when it is closed.
type answer struct {
	io.ReadCloser
	cancel func()
}

// Close implements io.Closer.
func (a answer) Close() error {
	defer a.cancel()
	return a.ReadCloser.Close()
}

// wait is the time before retry i, counted from 0: exponential 500ms x2 cap 20s full jitter.
func wait(i int) time.Duration {
	return time.Duration(float64(time.Second) * (min(20, 0.5*math.Pow(2, float64(i))) * rand.Float64()))
}

// retryable reports whether another attempt may cure what came back.
func retryable(resp *http.Response, err error) bool {
	var late interface{ Timeout() bool }
	switch {
	case errors.As(err, &late) && late.Timeout():
		return true
	case err != nil:
		return true
	}
	if advice := resp.Header.Get("x-should-retry"); resp.StatusCode >= 300 && (advice == "true" || advice == "false") {
		return advice == "true"
	}
	return resp.StatusCode == 429 || resp.StatusCode >= 500
}

// retryAfter is the wait that the server asks for.
func retryAfter(resp *http.Response) (wait time.Duration, ok bool) {
	text := resp.Header.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds < 1e9 {
		wait = time.Duration(seconds * float64(time.Second))
	} else if at, err := http.ParseTime(text); err == nil {
		wait = time.Until(at)
	}
	return wait, wait > 0
}

// Transport is what New takes outside tests.
func Transport() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: 5 * time.Second}).DialContext
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
	ctx, cancel := context.WithTimeout(r.Context(), 1*time.Minute)
	r = r.WithContext(ctx)
	end := sync.OnceFunc(func() {
		cancel()
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
