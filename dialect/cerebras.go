package dialect

// cerebras is that of Cerebras: inference-docs.cerebras.ai of 2026-07 and refusals in public issues. The 429
// tells which of the limits refused. The headers report only requests a day and tokens a minute; other limits
// are hidden.
var cerebras = format{
	name: "cerebras",
	refusals: func() [reasons]Refusal {
		all := like("request_quota_exceeded")
		for why := OverLimit; why <= TooSteep; why++ {
			all[why].Tokens, all[why].kind = "token_quota_exceeded", "too_many_{unit}_error"
			all[why].text = "{capital_unit} per {minute} limit exceeded - too many {unit} {processed}."
		}
		return all
	}(),
	// x-ratelimit-limit-requests-day: 14400, -remaining-, -reset-requests-day: 33011.38, in seconds; and so for
	// tokens-minute.
	quotas: quotaLines{
		names: [...]string{"requests-day", "tokens-minute", "", ""},
		limit: "x-ratelimit-limit-%s", remaining: "x-ratelimit-remaining-%s", reset: "x-ratelimit-reset-%s",
		write: asFraction,
	},
	body: template(`{"message":{message},"type":{type},"param":"quota","code":{code}}`),
}
