package dialect

import "stampede/wire"

// together is Together's: page "Rate limits" of 2026. Above the dynamic rate it refuses with 429 and a type that
// tells requests from tokens, below it, for want of capacity, with 503. The headers are per second.
var together = format{
	name: "together",
	refusals: func() [reasons]Refusal {
		all := like("dynamic_request_limited")
		for why := OverLimit; why <= TooMany; why++ {
			if all[why].Code != "" {
				all[why].Tokens, all[why].kind = "dynamic_token_limited", "{code}"
			}
		}
		return all
	}(),
	// x-ratelimit-limit: 10, x-ratelimit-remaining: 0, x-ratelimit-reset: 1; x-tokenlimit-limit, -remaining.
	quotas: quotaLines{
		names: [...]string{"x-ratelimit", "x-tokenlimit", "", ""},
		limit: "%s-limit", remaining: "%s-remaining", reset: "%s-reset", round: inSeconds,
		timeless: [wire.QuotaKinds]bool{wire.TokenQuota: true},
	},
	body: template(`{"error":{"message":{message},"type":{type},"param":null,"code":null}}`),
}

// fireworks is that of Fireworks: page of October 2026. The headers report the limits alone; that on the
// prompt without its cached tokens is left out.
var fireworks = format{
	name:     "fireworks",
	refusals: like(""),
	quotas: quotaLines{
		names: [...]string{"", "", "prompt", "generated"},
		limit: "x-ratelimit-limit-tokens-%s",
	},
	body: template(openaiBody),
}
