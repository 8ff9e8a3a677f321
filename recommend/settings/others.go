package settings

import (
	"math"
	"time"

	"stampede/policy"
)

var otherClients = []Client{
	{
		Name: "polly", Preset: "polly@8.7", Counts: Retries, comment: "//",
		Source: "Polly.Core RetryStrategyOptions, TimeoutStrategyOptions (8.7, 2026-11-30); pollydocs.org",
		Sets: []string{attemptsPath, retryOnPath, hintPath, basePath, factorPath, capPath, minPath, jitterPath,
			attemptPath, callPath, gatePath},
		Jitters: append(simpleJitters[:len(simpleJitters):len(simpleJitters)], policy.Smooth),
		Instead: attemptInstead,
		fit: func(w, d *policy.Client) {
			ownLoop(w, d)
			if b := &d.Retry.Backoff; b.Jitter == policy.Smooth {
				b.Factor = 2 // that jitter is the library's own
			}
			if h := &d.Retry.RetryAfter; h.Obey == policy.UpTo && h.Beyond == policy.GiveUp {
				h.Beyond = policy.Discard
			}
		},
	},
	{
		Name: "resilience4j", Preset: "resilience4j@2.4", Counts: Attempts, comment: "#",
		Source: "CommonRetryConfigurationProperties, CommonTimeLimiter and CommonBulkhead likewise (2.4, 2026-11-30)",
		Sets:   plus(partFields, attemptsPath, attemptPath, gatePath),
		Jitters: []policy.Jitter{
			policy.NoJitter, policy.Around,
		},
		Instead: map[string]string{gapPath: attemptPath, firstBytePath: attemptPath},
		fit: func(w, d *policy.Client) {
			wholeAttempt(w, d)
			if !w.Breaker.On() {
				d.Breaker = policy.Breaker{} // it is a module of its own
			}
		},
	},
	{
		Name: "spring-ai", Preset: "spring-ai@1.0", Counts: Attempts, comment: "#",
		Source: "SpringAiRetryProperties, SpringAiRetryAutoConfiguration (1.0, 2026-12-01)",
		Sets:   []string{attemptsPath, retryOnPath, basePath, factorPath, capPath},
		fit: func(w, d *policy.Client) {
			b := &d.Retry.Backoff
			b.Factor = max(1, math.Round(b.Factor)) // it is an int
			needsCap(d)
			k := &d.Retry.Classify
			k.Timeouts, k.Connections, k.Streams = false, false, false
		},
	},
	{
		Name: "envoy", Preset: "envoy@1.30", Counts: Retries, comment: "#",
		Source:  "api/envoy/config/route/v3/route_components.proto RetryPolicy (2026-12-01); router_filter.rst",
		Sets:    []string{attemptsPath, retryOnPath, attemptPath, callPath, gatePath},
		Instead: attemptInstead, fit: envoy,
	},
	{
		Name: "grpc", Preset: "grpc@1.85", Counts: Attempts, comment: "//",
		Source: "service_config.go, proposal A6 (grpc-go 1.85, 2026-11-30)",
		Sets:   []string{attemptsPath, basePath, factorPath, capPath, callPath}, Instead: callInstead,
		fit: func(w, d *policy.Client) {
			if d.Retry.Attempts > grpcAttempts {
				d.Retry.Attempts = grpcAttempts
			}
			needsCap(d)
			if !w.Budget.On() {
				d.Budget = policy.Budget{}
			}
		},
	},
}

// grpcAttempts is where gRPC cuts maxAttempts.
const grpcAttempts = 5

// envoyMaxHint is the longest wait of a header that Envoy takes by default.
const envoyMaxHint = 5 * time.Minute

// envoy bounds what a route does. Its wait before retry n, from 1, is uniform below (2^n - 1) base.
func envoy(w, d *policy.Client) {
	wholeAttempt(w, d)
	if len(w.Timeouts.Attempt) == 0 && w.Timeouts.Gap == 0 && w.Timeouts.FirstByte == 0 {
		d.Timeouts.Attempt = nil
	}
	k := &d.Retry.Classify
	k.Streams = false
	k.Timeouts = covers(k.Statuses, 500, 599) // an attempt that timed out is a 504 of the proxy's
	b := &w.Retry.Backoff
	if b.On() && b.Growth == policy.Exponential && b.Law == nil && b.Window == 0 {
		base := b.Base
		if b.Offset == -b.Base/2 {
			base = b.Base / 2
		}
		own := &d.Retry.Backoff
		own.Base, own.Offset, own.Cap = 2*base, -base, b.Cap
		if b.Cap == 0 {
			own.Cap = time.Hour
		}
	}
	if h := w.Retry.RetryAfter; h.Obey == policy.Ignore {
		d.Retry.RetryAfter = policy.RetryAfter{}
	} else {
		d.Retry.RetryAfter = policy.RetryAfter{
			Obey: policy.UpTo, Limit: first(h.Limit, envoyMaxHint), Beyond: policy.Discard, PlusShare: 0.5,
		}
	}
	if !w.Budget.On() {
		d.Budget = policy.Budget{}
	}
}

// covers reports whether all statuses from one to another are among those of a list.
func covers(all []policy.Statuses, from, to int) bool {
	for _, s := range all {
		if s.From <= from && s.To >= to {
			return true
		}
	}
	return false
}
