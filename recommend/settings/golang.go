package settings

import (
	"reflect"
	"time"

	"stampede/policy"
	"stampede/scenario"
)

// wrapFields are those of a transport that is wrapped: a gate and a pace of each attempt.
var wrapFields = []string{callPath, gatePath, ratePath, connectPath}

var goClients = []Client{
	{
		Name: "openai-go", Preset: "openai-go@3.99", Counts: Retries, comment: "//", goCode: true,
		Source:  "option/requestoption.go, internal/requestconfig/requestconfig.go (v3.98.0, 2026-12-01)",
		Sets:    plus(wrapFields, attemptsPath, capPath, firstBytePath),
		Instead: firstByteInstead,
		fit: func(w, d *policy.Client) {
			untilHeaders(w, d)
			b := &d.Retry.Backoff
			if w.Retry.Backoff.Cap == 0 || !w.Retry.Backoff.On() || w.Retry.Backoff.Growth != policy.Exponential {
				b.Cap = openAICap
			}
			if b.Cap != openAICap { // the option moves both
				d.Retry.RetryAfter.Limit = b.Cap
			}
		},
	},
	{
		Name: "anthropic-go", Preset: "anthropic-go@2.15", Counts: Retries, comment: "//", timed: true, goCode: true,
		Source: "option/requestoption.go, internal/requestconfig/requestconfig.go (v2.15.0, 2026-12-01)",
		Sets:   plus(wrapFields, attemptsPath, attemptPath), Instead: attemptInstead, fit: wholeAttempt,
	},
	{
		Name: "google-genai-go", Preset: "google-genai-go-retrying@1.77", Counts: Attempts, comment: "//", goCode: true,
		Source:  "types.go HTTPOptions, HTTPRetryOptions; common.go (v1.77.0, 2026-12-01)",
		Sets:    plus(wrapFields, attemptsPath, retryOnPath, firstBytePath, basePath, factorPath, capPath, jitterPath),
		Jitters: []policy.Jitter{policy.NoJitter, policy.PlusSpan},
		Instead: firstByteInstead,
		fit: func(w, d *policy.Client) {
			untilHeaders(w, d)
			k := &d.Retry.Classify
			k.Timeouts, k.Connections, k.Streams = d.Timeouts.FirstByte > 0, true, false // any error of the transport
			listStatuses(d)
			needsCap(d)
		},
	},
	{
		Name: "aws-sdk-go", Preset: "aws-sdk-go@1.48", Counts: Attempts, comment: "//", goCode: true,
		Source: "aws/retry/standard.go, aws/ratelimit (v1.48.0, 2026-12-01)",
		Sets: plus(wrapFields, attemptsPath, firstBytePath, basePath, factorPath, capPath, minPath,
			jitterPath, "policy.retry.throttled_backoff"),
		Jitters: simpleJitters, Instead: firstByteInstead, fit: awsGo,
	},
	{
		Name: "cenkalti-backoff", Preset: "cenkalti-backoff@5.0", Counts: Attempts, comment: "//", goCode: true,
		Source: "exponential.go, retry.go (v5.0.3, 2026-12-01)",
		Sets:   plus(loopFields, ratePath, connectPath, attemptPath), Jitters: simpleJitters, Unlimited: true,
		Instead: map[string]string{gapPath: attemptPath, firstBytePath: attemptPath, callDeadlinePath: callPath},
		fit:     goLoop,
	},
	{
		Name: "go-retryablehttp", Preset: "go-retryablehttp@0.7", Counts: Retries, comment: "//", goCode: true,
		Source: "client.go (v0.7.8, 2026-12-01)",
		Sets: []string{attemptsPath, retryOnPath, "policy.retry.x_should_retry", hintPath, basePath, factorPath,
			capPath, minPath, jitterPath, callPath, gatePath, ratePath, connectPath, attemptPath},
		Jitters: simpleJitters, Instead: attemptInstead, fit: goLoop,
	},
}

// openAICap is the cap of the SDK without its option: a test holds it against its preset.
const openAICap = 8 * time.Second

// presetOf is the policy of a preset that the program carries.
func presetOf(name string) policy.Client {
	p, err := scenario.FindPreset("policy", name)
	if err != nil {
		panic(err)
	}
	c, err := p.Client()
	if err != nil {
		panic(err)
	}
	return c
}

// awsGo bounds what the standard retryer does: which errors are retried cannot be set, and its quota is the
// standard one or none.
func awsGo(w, d *policy.Client) {
	untilHeaders(w, d)
	if w.Retry.Throttled != nil && !awsStandard(d) { // a function of the attempt alone
		d.Retry.Throttled = nil
	}
	if !w.Budget.On() {
		d.Budget = policy.Budget{}
	}
}

// awsStandard reports whether a backoff is that of the standard retryer, up to its base and its cap.
func awsStandard(d *policy.Client) bool {
	start := presetOf("aws-sdk-go@1.48").Retry
	own, throttled := start.Backoff, *start.Throttled
	own.Base, own.Cap, throttled.Cap = d.Retry.Backoff.Base, d.Retry.Backoff.Cap, d.Retry.Backoff.Cap
	return d.Retry.Throttled != nil && reflect.DeepEqual(d.Retry.Backoff, own) &&
		reflect.DeepEqual(*d.Retry.Throttled, throttled)
}
