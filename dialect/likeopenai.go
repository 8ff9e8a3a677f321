package dialect

// xai is that of xAI: docs.x.ai, a copy of about 2026-10. An API like OpenAI's; headers are not shown, a wait is
// not documented.
var xai = format{name: "xai", refusals: like(""), body: template(openaiBody)}

// deepseek is that of DeepSeek: api-docs.deepseek.com. An API like OpenAI's, without headers and waits.
var deepseek = format{name: "deepseek", refusals: like(""), body: template(openaiBody)}

// kimi is that of Moonshot: an API like OpenAI's whose types tell its 429 apart, without headers; the messages
// from public issues of 2026, all of which ask for one second.
var kimi = format{
	name: "kimi",
	refusals: func() [reasons]Refusal {
		all := like("rate_limit_reached_error")
		all[NoCredit] = Refusal{Status: 429, Code: "exceeded_current_quota_error", Silent: true}
		all[AtCapacity] = Refusal{Status: 429, Code: "engine_overloaded_error", Silent: true}
		for why := OverLimit; why < reasons; why++ {
			all[why].kind = "{code}"
		}
		all[OverLimit].text = kimiReached + "organization max {rpm}: {limit}, please try again after 1 seconds"
		all[OverLimit].ofTokens = kimiReached + "project {rpm} rate limit, current: {used_with_it}, limit: {limit}, " +
			"please try again after 1 seconds"
		all[OverLimit].daily = kimiReached + "organization {rpm} rate limit, current: {used_with_it}, limit: {limit}"
		all[TooMany].text = kimiReached + "max organization concurrency: {limit}, please try again after 1 seconds"
		return all
	}(),
	body: template(`{"error":{"message":{message},"type":{type}}}`),
}

const kimiReached = "Your account {organization} request reached "
