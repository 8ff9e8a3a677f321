// Settings of cenkalti-backoff (preset cenkalti-backoff@5.0)
// Names read in exponential.go, retry.go (v5.0.3, 2026-12-01).
// What the policy says and this client cannot be told:
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

	"github.com/cenkalti/backoff/v5"
	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"
)

// New is a client over a transport such as Transport(), for Do.
func New(base http.RoundTripper) *http.Client { return &http.Client{Transport: wrap(base)} }

// Do makes and sends a request until it is answered or the policy gives up.
func Do(
	ctx context.Context, client *http.Client, request func(context.Context) (*http.Request, error),
) (*http.Response, error) {
	attempt := func() (*http.Response, error) {
		r, err := request(ctx)
		if err != nil {
			return nil, backoff.Permanent(err)
		}
		resp, err := client.Do(r)
		if err == nil && resp.StatusCode < 300 {
			return resp, nil
		}
		again := ctx.Err() == nil && retryable(resp, err)
		var hint error
		if err == nil {
			if wait, ok := retryAfter(resp); ok {
				hint = &backoff.RetryAfterError{Duration: wait}
			}
			err = errors.New(resp.Status)
			resp.Body.Close()
		}
		if !again {
			return nil, backoff.Permanent(err)
		}
		return nil, errors.Join(err, hint)
	}
	resp, err := backoff.Retry(ctx, attempt,
		backoff.WithBackOff(&waits{}),
		backoff.WithMaxTries(6),                    // the first included; 0 is no bound
		backoff.WithMaxElapsedTime(45*time.Second), // the next wait included; 0 is no bound
	)
	return resp, err
}

// waits are those of the policy. A Retry-After does not start them anew.
type waits struct{ made int }

// Reset implements backoff.BackOff.
func (w *waits) Reset() {}

// NextBackOff implements backoff.BackOff.
func (w *waits) NextBackOff() time.Duration {
	w.made++
	return wait(w.made - 1)
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
