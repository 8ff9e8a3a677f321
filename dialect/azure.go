package dialect

import "time"

// azure is that of Azure OpenAI: quota page of 2026-05-06, refusals in public logs, and for high demand
// developersdigest.tech of October 2026.
var azure = format{
	name: "azure",
	refusals: [reasons]Refusal{
		OverLimit: {Status: 429, Code: "429", text: "Requests to the ChatCompletions_Create Operation under Azure " +
			"OpenAI API version 2024-10-21 have exceeded {call} rate limit of your current OpenAI S0 pricing tier." +
			"{hint} Please go here: https://aka.ms/oai/quotaincrease if you would like to further increase the " +
			"default rate limit."},
		TooLarge:   {Status: 429, Code: "429", Silent: true},
		TooSteep:   {Status: 429, Code: "429"},
		Spent:      {Status: 429, Code: "429", Silent: true},
		TooMany:    {Status: 429, Code: "429", Silent: true},
		AtCapacity: {Status: 429, Code: "429"}, // "system under high demand"
	},
	// x-ratelimit-limit-requests: 20, -remaining-requests: 19, -reset-requests: 10, in whole seconds; and so for
	// tokens.
	quotas: quotaLines{
		names: requestsAndTokens,
		limit: "x-ratelimit-limit-%s", remaining: "x-ratelimit-remaining-%s", reset: "x-ratelimit-reset-%s",
		round: inSeconds,
	},
	body:          template(`{"error":{"code":{code_or_status},"message":{message}}}`),
	hint:          " Please retry after {seconds} seconds.",
	waitInMessage: true,
	printed:       func(wait time.Duration) time.Duration { return upTo(wait, time.Second) },
}
