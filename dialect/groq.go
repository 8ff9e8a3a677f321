package dialect

// groq is Groq's: page "Rate limits" read on 2026-09-28, refusals in public logs. The headers report only
// requests a day and tokens a minute; other limits are hidden.
var groq = format{
	name: "groq",
	refusals: [reasons]Refusal{
		OverLimit: {Status: 429, Code: "rate_limit_exceeded", kind: "{unit}",
			text: "Rate limit reached for model " + groqWhich + ", Used {used}, " +
				"Requested {requested}.{hint} " + groqHelp},
		TooLarge: {Status: 413, Code: "rate_limit_exceeded", Silent: true, kind: "{unit}",
			text: "Request too large for model " + groqWhich + ", Requested {requested}, please reduce your message " +
				"size and try again. " + groqHelp},
		TooSteep:   {Status: 429, Code: "rate_limit_exceeded"},
		Spent:      {Status: 429, Code: "rate_limit_exceeded", Silent: true},
		TooMany:    {Status: 429, Code: "rate_limit_exceeded", Silent: true},
		AtCapacity: {Status: 503, Silent: true},
	},
	quotas:        openaiQuotas(requestsAndTokens, inMilliseconds),
	body:          template(`{"error":{"message":{message},"type":{type},"code":{code}}}`),
	hint:          " Please try again in {wait}.",
	waitInMessage: true,
}

const (
	groqWhich = "`{model}` in organization `{organization}` service tier `on_demand` on {resource} per {minute} " +
		"({rpm}): Limit {limit}"
	groqHelp = "Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing"
)
