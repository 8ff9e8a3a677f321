package settings

import "stampede/policy"

var javaScriptClients = []Client{
	{
		Name: "openai-node", Preset: "openai-node@7.59", Counts: Retries, comment: "//", timed: true,
		Source: "client.d.ts, client.js (npm 7.59.0, 2026-12-01)",
		Sets:   plus(fetchFields, attemptPath), Instead: attemptInstead, fit: wholeAttempt,
	},
	{
		Name: "anthropic-typescript", Preset: "anthropic-typescript@1.14", Counts: Retries, comment: "//", timed: true,
		Source: "client.d.ts, client.js (npm 1.14.0, 2026-12-01)",
		Sets:   plus(fetchFields, firstBytePath), Instead: firstByteInstead, fit: untilHeaders,
	},
	{
		Name: "groq-node", Preset: "groq-node@1.6", Counts: Retries, comment: "//", timed: true,
		Source: "client.d.ts, client.js (npm 1.6.0, 2026-12-01)",
		Sets:   plus(fetchFields, firstBytePath), Instead: firstByteInstead, fit: untilHeaders,
	},
	{
		Name: "google-genai-js", Preset: "google-genai-js-retrying@3.3", Counts: Attempts, comment: "//",
		Source:  "dist/node/node.d.ts HttpOptions, HttpRetryOptions; index.cjs (npm 3.3.0, 2026-12-01)",
		Sets:    plus(partFields, attemptsPath, retryOnPath, attemptPath, callPath, gatePath),
		Jitters: []policy.Jitter{policy.NoJitter, policy.Stretch}, Instead: attemptInstead,
		fit: func(w, d *policy.Client) {
			wholeAttempt(w, d)
			d.Retry.Classify.Timeouts, d.Retry.Classify.Connections, d.Retry.Classify.Streams = true, false, false
			listStatuses(d)
			needsCap(d)
			stretchWhole(d)
			heldByCalls(d)
		},
	},
	{
		Name: "langchain-js", Preset: "langchain-js@1.4", Counts: Retries, comment: "//",
		Source: "@langchain/core dist/utils/async_caller.js (npm 1.4.0), @langchain/openai (npm 1.5.8, 2026-12-01)",
		Sets:   plus(fetchFields, attemptPath), Instead: attemptInstead,
		fit: func(w, d *policy.Client) {
			wholeAttempt(w, d)
			heldByCalls(d) // its queue holds the place while it waits to retry
		},
	},
	{
		Name: "vercel-ai", Preset: "vercel-ai@7.0", Counts: Retries, comment: "//",
		Source: "dist/index.d.ts (npm ai 7.0.173, 2026-12-01)",
		Sets:   fetchFields, Instead: callInstead,
	},
	{
		Name: "cohere-js", Preset: "cohere-js@8.1", Counts: Retries, comment: "//", timed: true,
		Source: "BaseClient.d.ts, core/fetcher/requestWithRetries.js (npm 8.1.0, 2026-12-01)",
		Sets:   plus(fetchFields, attemptPath), Instead: attemptInstead, fit: wholeAttempt,
	},
	{
		Name: "mistral-js", Preset: "mistral-js-retrying@2.7", Counts: Neither, comment: "//",
		Source: "esm/lib/config.d.ts, retries.js (npm 2.7.0, 2026-12-01)",
		Sets:   []string{deadlinePath, basePath, capPath, attemptPath, callPath, gatePath},
		Instead: map[string]string{
			gapPath: attemptPath, firstBytePath: attemptPath, callDeadlinePath: callPath,
		},
		fit: func(w, d *policy.Client) {
			wholeAttempt(w, d)
			if b := w.Retry.Backoff; b.Growth == policy.PowerLaw {
				d.Retry.Backoff.Base, d.Retry.Backoff.Exponent, d.Retry.Backoff.Cap = b.Base, b.Exponent, b.Cap
			}
			d.Retry.Classify.Connections = w.Retry.Classify.Connections
			needsCap(d)
			needsDeadline(d)
			if d.Retry.RetryAfter.Obey == policy.UpTo {
				d.Retry.RetryAfter.Limit = d.Retry.Backoff.Cap // what the server asks for is cut as well
			}
		},
	},
	{
		Name: "p-retry", Preset: "p-retry@9.0", Counts: Retries, comment: "//",
		Source:  "p-retry index.js (npm 9.0.0), p-limit (npm 7.3.3, 2026-12-01)",
		Sets:    plus(partFields, attemptsPath, retryOnPath, neverOnPath, attemptPath, callPath, gatePath),
		Jitters: []policy.Jitter{policy.NoJitter, policy.Stretch}, Unlimited: true, Instead: attemptInstead,
		fit: func(w, d *policy.Client) {
			ownLoop(w, d)
			stretchWhole(d)
		},
	},
}

// stretchWhole makes a stretch one of up to the wait itself: the libraries only switch it.
func stretchWhole(d *policy.Client) {
	if b := &d.Retry.Backoff; b.Jitter == policy.Stretch {
		b.Share = 1
	}
}
