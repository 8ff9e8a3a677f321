package dialect

// Oversized is what the provider answers to a request that is larger than it reads. What is not here
// answers 413 without a code.
//
//	Anthropic   docs.anthropic.com/en/api/errors: 413 request_too_large, from Cloudflare, above 32 MB
//	Gemini      google-gemini issues: 400 INVALID_ARGUMENT, "Request payload size exceeds the limit"
func (d Dialect) Oversized() Refusal {
	switch d {
	case Plain, Anthropic:
		return Refusal{Status: 413, Code: "request_too_large", Silent: true}
	case Gemini:
		return Refusal{Status: 400, Code: "INVALID_ARGUMENT", Silent: true}
	}
	return Refusal{Status: 413, Silent: true}
}
