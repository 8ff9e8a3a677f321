package dialect

// anthropic is Anthropic's: pages "Rate limits" and "Errors" of 2026, the message from public logs. The wait is
// sent in Retry-After on every 429 but that of the spend limit.
var anthropic = format{
	name: "anthropic",
	refusals: [reasons]Refusal{
		OverLimit:  {Status: 429, Code: "rate_limit_error", text: anthropicOver},
		TooLarge:   {Status: 429, Code: "rate_limit_error", text: anthropicOver},
		TooSteep:   {Status: 429, Code: "rate_limit_error"},
		Spent:      {Status: 429, Code: "enforced_spend_limit_reached", Silent: true},
		NoCredit:   {Status: 402, Code: "billing_error", Silent: true},
		TooMany:    {Status: 429, Code: "rate_limit_error"},
		AtCapacity: {Status: 529, Code: "overloaded_error", Silent: true, text: "Overloaded"},
		// Above 32 MB, from Cloudflare.
		Oversize: {Status: 413, Code: "request_too_large", Silent: true},
	},
	// anthropic-ratelimit-requests-limit: 50, -remaining: 49, -reset: 2026-02-25T20:02:32Z; and so for tokens,
	// input-tokens and output-tokens.
	quotas: quotaLines{
		names: allQuotas,
		limit: "anthropic-ratelimit-%s-limit", remaining: "anthropic-ratelimit-%s-remaining",
		reset: "anthropic-ratelimit-%s-reset", write: asInstant, round: atSecond, thousands: true, sum: true,
	},
	body:   anthropicBody,
	kindOf: anthropicType,
	hint:   " Please try again in {wait}.",
}

const anthropicOver = "This request would exceed your organization's rate limit of {limit_in_groups} {resource} per " +
	"{minute} (org: {organization}, model: {model}). For details, refer to: " +
	"https://docs.claude.com/en/api/rate-limits. You can see the response headers for current usage. Please reduce " +
	"the prompt length or the maximum tokens requested, or try again later."

// anthropicBody: {"type": "error", "error": {"type", "message", "details"?}}.
func anthropicBody(f *failure) string {
	if code := f.Code; code != "" && code != f.kind() {
		return template(`{"type":"error","error":{"type":{type},"message":{message},` +
			`"details":{"error_code":{code}}}}`)(f)
	}
	return template(`{"type":"error","error":{"type":{type},"message":{message}}}`)(f)
}

// anthropicType is the error type that goes with a status.
func anthropicType(f *failure) string {
	kind := map[int]string{
		400: "invalid_request_error", 401: "authentication_error", 402: "billing_error", 403: "permission_error",
		404: "not_found_error", 409: "conflict_error", 413: "request_too_large", 429: "rate_limit_error",
		504: "timeout_error", 529: "overloaded_error",
	}[f.Status]
	if kind == "" {
		return "api_error"
	}
	return kind
}
