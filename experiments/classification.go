package experiments

import (
	"time"

	"stampede/measure"
	"stampede/policy"
	"stampede/wire"
)

// The experiments on which errors are worth another try.

// class is an error that a provider sends, and whether trying again can cure it.
type class struct {
	provider, name string
	reply          wire.Reply
	again          bool
	why            string
}

// refusal is an error by status and code.
func refusal(status int, code string) wire.Reply { return wire.Reply{Status: status, Code: code} }

// inStream is an error event after the status 200.
func inStream(code string) wire.Reply {
	return wire.Reply{Failure: wire.InStream, Status: 200, Code: code}
}

// classes are the error tables of the providers, in their order.
var classes = []class{
	{"openai", "400", refusal(400, "context_length_exceeded"), false, "the request stays too long"},
	{"openai", "401", refusal(401, "invalid_api_key"), false, "the key stays wrong"},
	{"openai", "403", refusal(403, "unsupported_country"), false, "the region stays unsupported"},
	{"openai", "404", refusal(404, "model_not_found"), false, "the model does not exist"},
	{"openai", "408", refusal(408, ""), true, "a timeout passes"},
	{"openai", "409", refusal(409, ""), true, "a conflict passes"},
	{"openai", "429_rate_limit_exceeded", refusal(429, "rate_limit_exceeded"), true, "the limit refills"},
	{
		"openai",
		"429_too_large",
		wire.Reply{Status: 429, Code: "rate_limit_exceeded", ShouldRetry: wire.DoNotRetry},
		false,
		"the request is larger than the limit, and the server says so",
	},
	{"openai", "429_slow_down", refusal(429, "slow_down"), true, "at a lower rate it succeeds"},
	{"openai", "429_insufficient_quota", refusal(429, "insufficient_quota"), false, "the account must be paid first"},
	{
		"openai",
		"429_credit_balance_exhausted",
		refusal(429, "credit_balance_exhausted"),
		false,
		"the account must be paid first",
	},
	{
		"openai",
		"429_organization_spend_limit_exceeded",
		refusal(429, "organization_spend_limit_exceeded"),
		false,
		"the limit must be raised first",
	},
	{
		"openai",
		"429_project_spend_limit_exceeded",
		refusal(429, "project_spend_limit_exceeded"),
		false,
		"the limit must be raised first",
	},
	{
		"openai",
		"429_organization_usage_limit_exceeded",
		refusal(429, "organization_usage_limit_exceeded"),
		false,
		"the limit must be raised first",
	},
	{"openai", "429_resource_unavailable", refusal(429, "resource_unavailable"), true, "flex capacity comes back"},
	{"openai", "500", refusal(500, "server_error"), true, "a fault passes"},
	{"openai", "502", refusal(502, ""), true, "the edge recovers"},
	{"openai", "503", refusal(503, "server_is_overloaded"), true, "an overload passes"},
	{"openai", "504", refusal(504, ""), true, "the edge recovers"},
	{"openai", "520", refusal(520, ""), true, "the edge recovers"},
	{"openai", "524", refusal(524, ""), true, "the edge recovers"},
	{"openai", "200_stream", inStream("server_is_overloaded"), true, "an overload passes, also after the status"},
	{"anthropic", "400", refusal(400, "invalid_request_error"), false, "the request stays wrong"},
	{"anthropic", "401", refusal(401, "authentication_error"), false, "the key stays wrong"},
	{"anthropic", "402", refusal(402, "billing_error"), false, "the account must be paid first"},
	{"anthropic", "403", refusal(403, "permission_error"), false, "access stays forbidden"},
	{"anthropic", "404", refusal(404, "not_found_error"), false, "the resource does not exist"},
	{"anthropic", "409", refusal(409, "conflict_error"), true, "a conflict passes"},
	{"anthropic", "413", refusal(413, "request_too_large"), false, "the request stays too large"},
	{"anthropic", "429", refusal(429, "rate_limit_error"), true, "the limit refills"},
	{
		"anthropic",
		"429_enforced_spend_limit_reached",
		refusal(429, "enforced_spend_limit_reached"),
		false,
		"the limit holds until next month",
	},
	{"anthropic", "500", refusal(500, "api_error"), true, "a fault passes"},
	{"anthropic", "504", refusal(504, "timeout_error"), true, "a timeout passes"},
	{"anthropic", "529", refusal(529, "overloaded_error"), true, "an overload passes"},
	{"anthropic", "200_stream", inStream("overloaded_error"), true, "an overload passes, also after the status"},
	{"azure", "400_content_filter", refusal(400, "content_filter"), false, "the content stays filtered"},
	{"azure", "401", refusal(401, ""), false, "the key stays wrong"},
	{"azure", "403", refusal(403, ""), false, "access stays forbidden"},
	{"azure", "404", refusal(404, ""), false, "the deployment does not exist"},
	{"azure", "408", refusal(408, ""), true, "a timeout passes"},
	{
		"azure",
		"429",
		wire.Reply{Status: 429, Code: "429", RetryAfter: wire.After(3 * time.Second)},
		true,
		"the limit refills",
	},
	{
		"azure",
		"429_high_demand",
		wire.Reply{Status: 429, Code: "429", Millis: wire.After(800 * time.Millisecond)},
		true,
		"the demand passes",
	},
	{
		"azure",
		"429_ptu",
		wire.Reply{Status: 429, Code: "429", Millis: wire.After(5 * time.Second)},
		true,
		"utilisation falls",
	},
	{
		"azure",
		"429_free_trial",
		wire.Reply{Status: 429, Code: "429", RetryAfter: wire.After(24 * time.Hour)},
		false,
		"the limit holds for a day",
	},
	{"azure", "500", refusal(500, ""), true, "a fault passes"},
	{"azure", "503", refusal(503, ""), true, "an overload passes"},
	{"gemini", "400", refusal(400, "INVALID_ARGUMENT"), false, "the request stays wrong"},
	{"gemini", "401", refusal(401, "PERMISSION_DENIED"), false, "the key stays wrong"},
	{"gemini", "402", refusal(402, ""), false, "the account must be paid first"},
	{"gemini", "403", refusal(403, "PERMISSION_DENIED"), false, "access stays forbidden"},
	{"gemini", "404", refusal(404, "NOT_FOUND"), false, "the resource does not exist"},
	{"gemini", "429_per_minute", refusal(429, "RESOURCE_EXHAUSTED"), true, "the limit refills"},
	{
		"gemini",
		"429_per_day",
		refusal(429, "GenerateRequestsPerDayPerProjectPerModel-FreeTier"),
		false,
		"the limit holds until midnight, Pacific time",
	},
	{"gemini", "500", refusal(500, "INTERNAL"), true, "a fault passes"},
	{"gemini", "503", refusal(503, "UNAVAILABLE"), true, "capacity comes back"},
	{"gemini", "504", refusal(504, "DEADLINE_EXCEEDED"), true, "a timeout passes"},
	{"bedrock", "400", refusal(400, "ValidationException"), false, "the request stays wrong"},
	{"bedrock", "403", refusal(403, "AccessDeniedException"), false, "access stays forbidden"},
	{"bedrock", "404", refusal(404, "ResourceNotFound"), false, "the resource does not exist"},
	{"bedrock", "408", refusal(408, "ModelTimeoutException"), true, "a timeout passes"},
	{"bedrock", "424", refusal(424, "ModelErrorException"), true, "a fault of the model passes"},
	{"bedrock", "429", refusal(429, "ThrottlingException"), true, "the limit refills"},
	{"bedrock", "429_not_ready", refusal(429, "ModelNotReadyException"), true, "the model becomes ready"},
	{"bedrock", "500", refusal(500, "InternalServerException"), true, "a fault passes"},
	{"bedrock", "503", refusal(503, "ServiceUnavailableException"), true, "an overload passes"},
	{"bedrock", "200_stream", inStream("throttlingException"), true, "the limit refills, also after the status"},
	{"groq", "413", refusal(413, ""), false, "the request is larger than the limit"},
	{"groq", "429", refusal(429, ""), true, "the limit refills"},
	{"groq", "498", refusal(498, ""), true, "flex capacity comes back"},
	{"groq", "503", refusal(503, ""), true, "an overload passes"},
	{"mistral", "402", refusal(402, ""), false, "the account must be paid first"},
	{"mistral", "422", refusal(422, ""), false, "the request stays wrong"},
	{"mistral", "429", refusal(429, ""), true, "the limit refills"},
	{"mistral", "502", refusal(502, ""), true, "the edge recovers"},
	{"together", "429", refusal(429, ""), true, "its rate adapts"},
	{"together", "503", refusal(503, ""), true, "an overload passes"},
	{"openrouter", "402", refusal(402, ""), false, "the account must be paid first"},
	{"openrouter", "408", refusal(408, ""), true, "a timeout passes"},
	{"openrouter", "503", refusal(503, "provider_overloaded"), true, "an overload passes"},
}

var classification = Experiment{
	Name:     "classification",
	Question: "Which errors does a client retry that reads error codes, and which one that reads the status only?",
	Claim: "A client that reads codes, hints and errors inside streams retries exactly the errors that time can " +
		"cure. By status alone it retries nine errors in vain and misses the three that come after status 200.",
	Source: "error references of OpenAI, Anthropic, Azure, Gemini, Bedrock and others; the nine are OpenAI's five " +
		"quota errors and its too-large error, Anthropic's spend limit, Azure's free trial and Gemini's daily limit",
	Arms: []Arm{
		{"code_aware", nil},
		{
			"status_only",
			[]string{"policy.retry.never_on=[]", "policy.retry.retry_on=[408, 409, 424, 429, 498, 5xx]",
				"policy.retry.x_should_retry=ignore", "policy.retry.retry_after=ignore"},
		},
	},
	References: classReferences(),
	measure: func(l *lab) (map[string]Sample, error) {
		out := map[string]Sample{}
		vain, missed := 0.0, 0.0
		for _, arm := range []string{"code_aware", "status_only"} {
			s, err := l.arm(arm)
			if err != nil {
				return nil, err
			}
			for _, c := range classes {
				again := s.Model.Client.Retry.Decide(&policy.Facts{Attempt: 1, Reply: &c.reply}).Again
				if arm == "code_aware" {
					out[c.key()] = Sample{Values: []float64{measure.Indicator(again)}}
					continue
				}
				vain += measure.Indicator(again && !c.again)
				missed += measure.Indicator(!again && c.again)
			}
		}
		out["in_vain_status_only"] = Sample{Values: []float64{vain}}
		out["missed_status_only"] = Sample{Values: []float64{missed}}
		return out, nil
	},
}

func (c *class) key() string { return c.provider + "_" + c.name }

func classReferences() (out []Reference) {
	for _, c := range classes {
		r := exactly(c.key(), measure.Indicator(c.again), "1 = retry, 0 = do not retry")
		r.Choice = &Choice{"retry", "do not retry", c.why}
		out = append(out, r)
	}
	return append(out, exactly("in_vain_status_only", 9, "errors"), exactly("missed_status_only", 3, "errors"))
}
