package dialect

// mistral is Mistral's: docs.mistral.ai and refusals in public issues of 2026. No wait and no reset is sent.
var mistral = format{
	name: "mistral",
	refusals: func() [reasons]Refusal {
		all := like("1300")
		for why := OverLimit; why <= TooMany; why++ {
			if all[why].Code != "" {
				all[why].kind, all[why].text = "rate_limited", "Rate limit exceeded"
			}
		}
		all[AtCapacity] = Refusal{Status: 429, Code: "3505", Silent: true, kind: "service_tier_capacity_exceeded",
			text: "Service tier capacity exceeded for this model."}
		return all
	}(),
	// x-ratelimit-limit-req-minute: 60, x-ratelimit-remaining-req-minute: 59; and so for tokens-minute.
	quotas: quotaLines{
		names: [...]string{"req-minute", "tokens-minute", "", ""},
		limit: "x-ratelimit-limit-%s", remaining: "x-ratelimit-remaining-%s",
	},
	body: template(`{"object":"error","message":{message},"type":{type},"param":null,"code":{code}}`),
}
