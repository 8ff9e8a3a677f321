// Settings of aws-sdk-go (preset aws-sdk-go@1.48)
// Names read in aws/retry/standard.go, aws/ratelimit (v1.48.0, 2026-12-01).
// What the policy says and this client cannot be told:
// - deadline 45s: cannot be set; set instead: policy.timeouts.call 45s
// - retry_on 429, 5xx, timeout, connection: cannot be set; it stays 429, 500, 502, 503, 504,
//   timeout, connection
// - never_on insufficient_quota: cannot be set; it stays none
// - x_should_retry obey: cannot be set; it stays ignore
// - retry_after in full: cannot be set; it stays ignored
// - gap timeout 1m: cannot be set; set instead: policy.timeouts.first_byte 1m

package client

import (
	"context"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"
)

// Configure makes a configuration do what the policy says, over a transport such as Transport().
func Configure(config *aws.Config, base http.RoundTripper) {
	config.HTTPClient = &http.Client{Transport: wrap(base)}
	retryer := Retryer() // one for all calls, since they share its quota
	config.Retryer = func() aws.Retryer { return retryer }
}

// Retryer retries as the policy says.
func Retryer() aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = 6 // the first included, as AWS_MAX_ATTEMPTS
		o.Backoff = retry.BackoffDelayerFunc(func(attempt int, _ error) (time.Duration, error) {
			return wait(attempt - 1), nil // attempts count from 1
		})
		o.RateLimiter = ratelimit.None // no retry budget
	})
}

// wait is the time before retry i, counted from 0: exponential 500ms x2 cap 20s full jitter.
func wait(i int) time.Duration {
	return time.Duration(float64(time.Second) * (min(20, 0.5*math.Pow(2, float64(i))) * rand.Float64()))
}

// Bounded is the context of a call: waits end when it does, and what is in flight is cut off.
func Bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, 45*time.Second)
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
