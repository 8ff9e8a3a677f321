package dialect

import (
	"slices"
	"time"

	"stampede/wire"
)

// plain is OpenAI's format with exact values and statuses of its own.
var plain = format{
	name: "plain",
	refusals: [reasons]Refusal{
		OverLimit:  {Status: 429, Code: "rate_limit_exceeded"},
		TooLarge:   {Status: 429, Code: "rate_limit_exceeded", Silent: true, Advice: wire.DoNotRetry},
		TooSteep:   {Status: 429, Code: "slow_down"},
		Spent:      {Status: 429, Code: "spend_limit_exceeded", Silent: true},
		NoCredit:   {Status: 402, Code: "insufficient_balance", Silent: true},
		TooMany:    {Status: 429, Code: "concurrency_limit_exceeded", Silent: true},
		AtCapacity: {Status: 503, Code: "server_is_overloaded"},
		Oversize:   {Status: 413, Code: "request_too_large", Silent: true},
	},
	quotas: openaiQuotas(allQuotas, nil),
	body:   template(openaiBody),
	hint:   " Please try again in {wait}.",
}

// openai is OpenAI's: error-codes guide read on 2026-10-08/09, refusals in public logs, and for slow_down
// developersdigest.tech of October 2026.
var openai = format{
	name: "openai",
	refusals: [reasons]Refusal{
		OverLimit: {Status: 429, Code: "rate_limit_exceeded", kind: "{unit}",
			text: "Rate limit reached for {model} in organization {organization} on {resource} per {min} ({rpm}): " +
				"Limit {limit}, Used {used}, Requested {requested}.{hint} " + openaiHelp},
		TooLarge: {Status: 429, Code: "rate_limit_exceeded", Silent: true, Advice: wire.DoNotRetry, kind: "{unit}",
			text: "Request too large for {model} in organization {organization} on {resource} per {min} ({rpm}): " +
				"Limit {limit}, Requested {requested}. The input or output tokens must be reduced in order to run " +
				"successfully. " + openaiHelp},
		TooSteep:   {Status: 429, Code: "slow_down", text: "Slow down"},
		Spent:      {Status: 429, Code: "organization_usage_limit_exceeded", Silent: true, text: openaiQuota},
		NoCredit:   {Status: 429, Code: "credit_balance_exhausted", Silent: true, text: openaiQuota},
		TooMany:    {Status: 429, Code: "rate_limit_exceeded"},
		AtCapacity: {Status: 503, Code: "server_is_overloaded"},
	},
	quotas:        openaiQuotas(requestsAndTokens, inMilliseconds),
	body:          template(openaiBody),
	hint:          " Please try again in {wait}.",
	waitInMessage: true,
	printed:       func(wait time.Duration) time.Duration { return wait.Round(time.Millisecond) }, // 84.3 ms as 84ms
}

const (
	openaiBody  = `{"error":{"message":{message},"type":{type},"param":null,"code":{code}}}`
	openaiHelp  = "Visit https://platform.openai.com/account/rate-limits to learn more."
	openaiQuota = "You exceeded your current quota, please check your plan and billing details."
)

// openaiType is the error type that goes with a status or a code.
func openaiType(f *failure) string {
	switch {
	case slices.Contains(outOfQuota, f.Code):
		return "insufficient_quota"
	case f.Status == 429:
		return "rate_limit_error"
	case f.Status == 503:
		return "service_unavailable_error"
	case f.Status >= 500 || f.Status == 408 || f.Status == 409:
		return "server_error"
	}
	return "invalid_request_error"
}

// outOfQuota are OpenAI's codes of type insufficient_quota: no wait cures them.
var outOfQuota = []string{"insufficient_quota", "credit_balance_exhausted", "organization_spend_limit_exceeded",
	"project_spend_limit_exceeded", "organization_usage_limit_exceeded"}

// like refuses with 429 for every reason, with 503 at capacity and with 402 without credit, and sends no
// wait: what is documented of most providers with an API like OpenAI's.
func like(code string) [reasons]Refusal {
	over := Refusal{Status: 429, Code: code, Silent: true}
	return [reasons]Refusal{
		OverLimit: over, TooLarge: over, TooSteep: over, Spent: over, TooMany: over,
		NoCredit:   {Status: 402, Silent: true},
		AtCapacity: {Status: 503, Silent: true},
	}
}
