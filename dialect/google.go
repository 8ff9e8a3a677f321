package dialect

import (
	"strconv"
	"strings"
	"time"

	"stampede/internal/jsontext"
	"stampede/wire"
)

// gemini is that of the paid tiers of the Gemini API: about 40 bodies of 429 in public issues, forums and
// logs, 2025-12 to 2026-09. There are no headers. The body has the wait twice: with fractions in its
// message, and cut to whole seconds in its RetryInfo, which is what clients read.
var gemini = format{
	name:     "gemini",
	refusals: geminiRefusals,
	body: func(f *failure) string {
		return geminiBody(f, map[string]quotaOf{
			"requests per minute": {"generate_requests_per_model", "GenerateRequestsPerMinutePerProjectPerModel"},
			"requests per day":    {"generate_requests_per_model_per_day", "GenerateRequestsPerDayPerProjectPerModel"},
			"tokens per minute": {"generate_content_paid_tier_input_token_count",
				"GenerateContentPaidTierInputTokensPerModelPerMinute"},
		})
	},
	hint:    " Please retry in {exact}.",
	printed: wholeSeconds,
}

// geminiFree is that of the free tier. Of a day that is used up it prints the end of the minute.
var geminiFree = format{
	name:     "gemini-free",
	refusals: geminiRefusals,
	body: func(f *failure) string {
		return geminiBody(f, map[string]quotaOf{
			"requests per minute": {"generate_content_free_tier_requests",
				"GenerateRequestsPerMinutePerProjectPerModel-FreeTier"},
			"requests per day": {"generate_content_free_tier_requests",
				"GenerateRequestsPerDayPerProjectPerModel-FreeTier"},
			"tokens per minute": {"generate_content_free_tier_input_token_count",
				"GenerateContentInputTokensPerModelPerMinute-FreeTier"},
		})
	},
	hint:    " Please retry in {exact}.",
	printed: wholeSeconds,
	within:  time.Minute,
}

// A request larger than the limit is asked to come back when the minute ends, and never passes.
var geminiRefusals = [reasons]Refusal{
	OverLimit:  {Status: 429, Code: "RESOURCE_EXHAUSTED"},
	TooLarge:   {Status: 429, Code: "RESOURCE_EXHAUSTED", UntilReset: true},
	TooSteep:   {Status: 429, Code: "RESOURCE_EXHAUSTED"},
	Spent:      {Status: 429, Code: "RESOURCE_EXHAUSTED"},
	TooMany:    {Status: 429, Code: "RESOURCE_EXHAUSTED", Silent: true},
	AtCapacity: {Status: 503, Code: "UNAVAILABLE"},
	// google-gemini issues: "Request payload size exceeds the limit".
	Oversize: {Status: 400, Code: "INVALID_ARGUMENT", Silent: true},
}

// vertex is that of Gemini on Vertex AI: a 429 means that the shared capacity is used, and names neither a
// quota nor a wait. Page "Standard PayGo" of 2026-09-28; the message from public logs.
var vertex = format{
	name: "vertex",
	refusals: func() (all [reasons]Refusal) {
		for why := OverLimit; why < Oversize; why++ {
			all[why] = Refusal{Status: 429, Code: "RESOURCE_EXHAUSTED", Silent: true, text: vertexText}
		}
		return all
	}(),
	body: template(`{"error":{"code":{status},"message":{message},"status":{code}}}`),
}

const vertexText = "Resource exhausted. Please try again later. Please refer to " +
	"https://cloud.google.com/vertex-ai/generative-ai/docs/error-code-429 for more details."

// wholeSeconds cuts: a client that waits so long comes up to a second early.
func wholeSeconds(wait time.Duration) time.Duration { return wait.Truncate(time.Second) }

// quotaOf is the metric and the id of a quota of the Gemini API.
type quotaOf struct{ metric, id string }

// geminiBody: {"error": {"code", "message", "status", "details": [QuotaFailure, Help, RetryInfo]}}; of a
// limit without a known quota, and of other errors, RetryInfo alone.
func geminiBody(f *failure, quotas map[string]quotaOf) string {
	message, details := f.message(), []string{}
	detail := func(name, fields string) {
		details = append(details, `{"@type":"type.googleapis.com/google.rpc.`+name+`",`+fields+`}`)
	}
	_, long := period(f.limit.Period)
	quota, known := quotas[f.unit()+" per "+long]
	if known && f.refusal.Status != 0 && f.limit.Resource != "" {
		metric, value := "generativelanguage.googleapis.com/"+quota.metric, decimal(f.Over.Amount)
		dimensions, model := `"location":"global"`, ""
		if f.limit.Model != "" {
			dimensions += `,"model":` + jsontext.String(f.limit.Model)
			model = ", model: " + f.limit.Model
		}
		message = "You exceeded your current quota, please check your plan and billing details. For more " +
			"information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits. To monitor " +
			"your current usage, head to: https://ai.dev/rate-limit. \n* Quota exceeded for metric: " + metric +
			", limit: " + value + model + "\n" + strings.TrimSpace(f.word("hint"))
		detail("QuotaFailure", `"violations":[{"quotaMetric":"`+metric+`","quotaId":"`+quota.id+
			`","quotaDimensions":{`+dimensions+`},"quotaValue":"`+value+`"}]`)
		detail("Help", `"links":[{"description":"Learn more about Gemini API quotas",`+
			`"url":"https://ai.google.dev/gemini-api/docs/rate-limits"}]`)
	}
	if f.Delay.Form == wire.Seconds {
		detail("RetryInfo", `"retryDelay":"`+seconds(f.wait)+`"`)
	}
	rest := ""
	if len(details) > 0 {
		rest = `,"details":[` + strings.Join(details, ",") + `]`
	}
	return `{"error":{"code":` + strconv.Itoa(f.Status) + `,"message":` + jsontext.String(message) + `,"status":` +
		jsontext.String(f.Code) + rest + `}}`
}
