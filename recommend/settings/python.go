package settings

import (
	"slices"

	"stampede/policy"
)

var pythonClients = []Client{
	{
		Name: "openai-python", Preset: "openai-python@3.3.1", Counts: Retries, comment: "#",
		Source: "src/openai/_client.py, _base_client.py, _constants.py (3.3.1, 2026-11-30)",
		Sets:   httpxFields, Instead: gapInstead, fit: silence,
	},
	{
		Name: "anthropic-python", Preset: "anthropic-python@0.121", Counts: Retries, comment: "#",
		Source: "src/anthropic/_client.py, _base_client.py, _constants.py (0.121, 2026-11-30)",
		Sets:   httpxFields, Instead: gapInstead, fit: silence,
	},
	{
		Name: "google-genai-python", Preset: "google-genai-python-retrying@2.19", Counts: Attempts,
		comment: "#",
		Source:  "google/genai/types.py HttpOptions, HttpRetryOptions; _api_client.py (2.19, 2026-11-30)",
		Sets:    slices.Concat(partFields, poolFields, []string{attemptsPath, retryOnPath, gapPath, callPath}),
		Jitters: []policy.Jitter{policy.NoJitter, policy.PlusSpan}, Instead: gapInstead, fit: genaiPython,
	},
	{
		Name: "litellm-router", Preset: "litellm-router@1.104", Counts: Retries, comment: "#", timed: true,
		Source: "litellm/router.py (1.81 .. 1.104, 2026-12-01); docs.litellm.ai, 2026-11-05",
		Sets:   []string{attemptsPath, attemptPath, callPath, gatePath}, Instead: attemptInstead, fit: wholeAttempt,
	},
	{
		Name: "langchain-python", Preset: "langchain-python@1.0", Counts: Retries, comment: "#",
		Source: "libs/partners/openai/langchain_openai/chat_models/base.py (2026-11-30)",
		Sets:   httpxFields, Instead: gapInstead, fit: silence,
	},
	{
		Name: "llamaindex", Preset: "llamaindex@0.1", Counts: Retries, comment: "#", timed: true,
		Source: "llama-index-llms-openai base.py, utils.py (2026-11-30)",
		Sets:   []string{attemptsPath, attemptPath, callPath, gatePath}, Instead: attemptInstead, fit: llamaIndex,
	},
	{
		Name: "tenacity", Preset: "tenacity@9.1", Counts: Attempts, comment: "#",
		Source: "tenacity/stop.py, wait.py (8.3 and later for stop_before_delay; 9.1, 2026-12-01)",
		Sets:   plus(loopFields, neverOnPath, connectPath, attemptPath), Jitters: simpleJitters, Unlimited: true,
		Instead: map[string]string{gapPath: attemptPath, firstBytePath: attemptPath, callDeadlinePath: callPath},
		fit:     ownLoop,
	},
	{
		Name: "backoff", Preset: "backoff@2.2", Counts: Attempts, comment: "#",
		Source: "backoff/_decorator.py, _common.py, _wait_gen.py (2.2, 2026-12-01)",
		Sets: []string{attemptsPath, retryOnPath, neverOnPath, basePath, factorPath, capPath, jitterPath, connectPath,
			attemptPath, callPath, gatePath},
		Jitters: []policy.Jitter{policy.NoJitter, policy.Equal, policy.Full, policy.MinusShare, policy.Around},
		Instead: attemptInstead, Unlimited: true, fit: ownLoop,
	},
	{
		Name: "instructor", Preset: "instructor@1.8", Counts: Attempts, comment: "#",
		Source:  "instructor/core/retry.py initialize_retrying (1.x, 2026-12-01)",
		Sets:    slices.Concat(loopFields, poolFields, []string{neverOnPath, connectPath, writePath, gapPath}),
		Jitters: simpleJitters, Unlimited: true,
		Instead: map[string]string{attemptPath: gapPath, firstBytePath: gapPath, callDeadlinePath: callPath},
		fit: func(w, d *policy.Client) {
			ownLoop(w, d)
			silence(w, d)
			if len(w.Outer) == 0 {
				d.Outer = nil // the loop of tenacity is the only one
			}
		},
	},
	{
		Name: "cohere-python", Preset: "cohere-python@7.0", Counts: Retries, comment: "#", timed: true,
		Source: "src/cohere/core/request_options.py (2026-12-01), core/http_client.py (7.0)",
		Sets:   []string{attemptsPath, attemptPath, callPath, gatePath}, Instead: attemptInstead,
		fit: func(w, d *policy.Client) {
			wholeAttempt(w, d)
			wholeSeconds(d)
			heldByCalls(d)
		},
	},
	{
		Name: "mistral-python", Preset: "mistral-python-retrying@2.5", Counts: Neither, comment: "#",
		Source: "src/mistralai/client/utils/retries.py (2.5, 2026-11-30)",
		Sets:   plus(poolFields, deadlinePath, basePath, factorPath, capPath, gapPath, callPath),
		Instead: map[string]string{
			attemptPath: gapPath, firstBytePath: gapPath, callDeadlinePath: callPath,
		},
		fit: func(w, d *policy.Client) {
			silence(w, d)
			d.Retry.Classify.Connections = w.Retry.Classify.Connections
			needsCap(d)
			needsDeadline(d)
		},
	},
	{
		Name: "botocore", Preset: "botocore-standard@1.43", Counts: Attempts, comment: "#", timed: true,
		Source: "botocore/config.py (1.43.11, 2026-12-01)",
		Sets:   []string{attemptsPath, connectPath, gapPath, gatePath, cubicPath},
		Instead: map[string]string{
			attemptPath: gapPath, firstBytePath: gapPath,
		},
		fit: func(w, d *policy.Client) {
			silence(w, d)
			heldByCalls(d)
		},
	},
}
