// Package dialect holds the wire format of each provider: the status and the error code of a
// refusal, the headers that report how much of a limit is left, and the error body.
//
// The facts stand in one table, [dialects]. A provider asks it what to refuse with
// and what its headers show; [Dialect.Write] turns a reply into status, header
// lines and body. The package knows no provider and keeps no clock.
package dialect

import (
	"time"

	"stampede/wire"
)

// Dialect is the format of one provider's errors and headers.
type Dialect uint8

const (
	// Plain is OpenAI's format with exact values; no real provider uses it.
	Plain Dialect = iota
	OpenAI
	Anthropic
	Azure
	Groq
	Gemini
	Bedrock
	VLLM
	count
)

// String is the word for a dialect.
func (d Dialect) String() string { return dialects[d].name }

// Names lists the dialects.
func Names() (names []string) {
	for d := range count {
		names = append(names, d.String())
	}
	return names
}

// Find finds a dialect by its name.
func Find(name string) (Dialect, bool) {
	for d := range count {
		if d.String() == name {
			return d, true
		}
	}
	return Plain, false
}

// Reason is why a provider refuses a request.
type Reason uint8

const (
	OverLimit  Reason = iota // the limit has no room now
	TooLarge                 // the request is larger than the limit ever admits
	TooSteep                 // traffic grows faster than a ramp allows
	Spent                    // a limit on dollars
	NoCredit                 // a balance that is gone
	TooMany                  // a limit on requests at once
	AtCapacity               // the capacity is full
	reasons
)

// Refusal is what a provider answers for a reason.
type Refusal struct {
	Status int
	Code   string
	Silent bool // without Retry-After in any form
	Advice wire.Advice
}

// wireFormat is one row of the table.
type wireFormat struct {
	name     string
	refusals [reasons]Refusal
	shows    [wire.QuotaKinds]bool
	// waitInMessage: the message of a refusal contains the exact wait.
	waitInMessage bool
	// roundTo is the multiple to which remaining tokens are rounded; 0 and 1 do not round.
	roundTo int64
	// reset rounds the time until a reset as the client reads it from the header.
	reset   func(now, reset time.Duration) time.Duration
	body    func(r wire.Reply, message string) map[string]any // of an error
	headers func(w *writer, r wire.Reply)
}

// dialects is what OpenAI's and Anthropic's pages, Microsoft's and AWS's documentation,
// captured replies and, for slow_down and Azure's high demand, developersdigest.tech
// (October 2026) document of each. Where it is not documented how a provider refuses for a
// reason, it is assumed to refuse as for a limit without room. A wait is sent where one
// is known and the refusal is not silent.
var dialects = [count]wireFormat{
	Plain: {
		name: "plain",
		refusals: [reasons]Refusal{
			OverLimit:  {Status: 429, Code: "rate_limit_exceeded"},
			TooLarge:   {Status: 429, Code: "rate_limit_exceeded", Silent: true, Advice: wire.DoNotRetry},
			TooSteep:   {Status: 429, Code: "slow_down"},
			Spent:      {Status: 429, Code: "spend_limit_exceeded", Silent: true},
			NoCredit:   {Status: 402, Code: "insufficient_balance", Silent: true},
			TooMany:    {Status: 429, Code: "concurrency_limit_exceeded", Silent: true},
			AtCapacity: {Status: 503, Code: "server_is_overloaded"},
		},
		shows: [wire.QuotaKinds]bool{true, true, true, true},
		reset: exactly, body: openaiBody, headers: openaiHeaders,
	},
	OpenAI: {
		name: "openai",
		refusals: [reasons]Refusal{
			OverLimit:  {Status: 429, Code: "rate_limit_exceeded"},
			TooLarge:   {Status: 429, Code: "rate_limit_exceeded", Silent: true, Advice: wire.DoNotRetry},
			TooSteep:   {Status: 429, Code: "slow_down"},
			Spent:      {Status: 429, Code: "organization_usage_limit_exceeded", Silent: true},
			NoCredit:   {Status: 429, Code: "credit_balance_exhausted", Silent: true},
			TooMany:    {Status: 429, Code: "rate_limit_exceeded"},
			AtCapacity: {Status: 503, Code: "server_is_overloaded"},
		},
		shows:         [wire.QuotaKinds]bool{wire.RequestQuota: true, wire.TokenQuota: true},
		waitInMessage: true,
		reset:         inMilliseconds, body: openaiBody, headers: openaiHeaders,
	},
	Anthropic: {
		name: "anthropic",
		refusals: [reasons]Refusal{
			OverLimit:  {Status: 429, Code: "rate_limit_error"},
			TooLarge:   {Status: 429, Code: "rate_limit_error"},
			TooSteep:   {Status: 429, Code: "rate_limit_error"},
			Spent:      {Status: 429, Code: "enforced_spend_limit_reached", Silent: true},
			NoCredit:   {Status: 402, Code: "billing_error", Silent: true},
			TooMany:    {Status: 429, Code: "rate_limit_error"},
			AtCapacity: {Status: 529, Code: "overloaded_error", Silent: true},
		},
		shows:   [wire.QuotaKinds]bool{true, true, true, true},
		roundTo: 1000,
		reset:   asDate, body: anthropicBody, headers: anthropicHeaders,
	},
	Azure: {
		name: "azure",
		refusals: [reasons]Refusal{
			OverLimit:  {Status: 429, Code: "429"},
			TooLarge:   {Status: 429, Code: "429", Silent: true},
			TooSteep:   {Status: 429, Code: "429"},
			Spent:      {Status: 429, Code: "429", Silent: true},
			TooMany:    {Status: 429, Code: "429", Silent: true},
			AtCapacity: {Status: 429, Code: "429"}, // "system under high demand"
		},
		shows:         [wire.QuotaKinds]bool{wire.RequestQuota: true, wire.TokenQuota: true},
		waitInMessage: true,
		reset:         inSeconds, body: azureBody, headers: azureHeaders,
	},
	Groq: {
		name: "groq",
		refusals: [reasons]Refusal{
			OverLimit:  {Status: 429, Code: "rate_limit_exceeded"},
			TooLarge:   {Status: 413, Code: "rate_limit_exceeded", Silent: true},
			TooSteep:   {Status: 429, Code: "rate_limit_exceeded"},
			Spent:      {Status: 429, Code: "rate_limit_exceeded", Silent: true},
			TooMany:    {Status: 429, Code: "rate_limit_exceeded", Silent: true},
			AtCapacity: {Status: 503, Silent: true},
		},
		shows:         [wire.QuotaKinds]bool{wire.RequestQuota: true, wire.TokenQuota: true},
		waitInMessage: true,
		reset:         inMilliseconds, body: openaiBody, headers: openaiHeaders,
	},
	Gemini: {
		name: "gemini",
		refusals: [reasons]Refusal{
			OverLimit:  {Status: 429, Code: "RESOURCE_EXHAUSTED"},
			TooLarge:   {Status: 429, Code: "RESOURCE_EXHAUSTED", Silent: true},
			TooSteep:   {Status: 429, Code: "RESOURCE_EXHAUSTED"},
			Spent:      {Status: 429, Code: "RESOURCE_EXHAUSTED"},
			TooMany:    {Status: 429, Code: "RESOURCE_EXHAUSTED", Silent: true},
			AtCapacity: {Status: 503, Code: "UNAVAILABLE"},
		},
		reset: exactly, body: geminiBody, headers: noHeaders,
	},
	Bedrock: {
		name: "bedrock",
		refusals: [reasons]Refusal{
			OverLimit:  {Status: 429, Code: "ThrottlingException", Silent: true},
			TooLarge:   {Status: 429, Code: "ThrottlingException", Silent: true},
			TooSteep:   {Status: 429, Code: "ThrottlingException", Silent: true},
			Spent:      {Status: 429, Code: "ThrottlingException", Silent: true},
			TooMany:    {Status: 429, Code: "ThrottlingException", Silent: true},
			AtCapacity: {Status: 503, Code: "ServiceUnavailableException", Silent: true},
		},
		reset: exactly, body: bedrockBody, headers: bedrockHeaders,
	},
	VLLM: {
		name: "vllm",
		refusals: [reasons]Refusal{
			OverLimit:  {Status: 429, Silent: true},
			TooLarge:   {Status: 429, Silent: true},
			TooSteep:   {Status: 429, Silent: true},
			Spent:      {Status: 429, Silent: true},
			TooMany:    {Status: 429, Silent: true},
			AtCapacity: {Status: 503, Silent: true}, // of --max-num-queued-reqs: QueueOverflowError, v0.29.0
		},
		reset: exactly, body: openaiBody, headers: noHeaders,
	},
}

// Refuses is what the provider answers for a reason.
func (d Dialect) Refuses(why Reason) Refusal {
	if r := dialects[d].refusals[why]; r.Status != 0 || why != NoCredit {
		return r
	}
	return dialects[d].refusals[Spent]
}

// MessageHasWait reports whether the message of a refusal contains the wait.
func (d Dialect) MessageHasWait() bool { return dialects[d].waitInMessage }

// Shows reports whether the headers report a resource.
func (d Dialect) Shows(quota int) bool { return dialects[d].shows[quota] }

// Read is a quota as a client can read it from the headers of a reply that leaves
// now: rounded and dated as this provider does.
func (d Dialect) Read(quota int, now time.Duration, q wire.Quota) wire.Quota {
	row := &dialects[d]
	if row.roundTo > 1 && quota != wire.RequestQuota {
		q.Remaining = (q.Remaining + row.roundTo/2) / row.roundTo * row.roundTo
	}
	q.Reset = row.reset(now, q.Reset)
	return q
}

func exactly(_, reset time.Duration) time.Duration { return reset }

func inMilliseconds(_, reset time.Duration) time.Duration { return upTo(reset, time.Millisecond) }

func inSeconds(_, reset time.Duration) time.Duration { return upTo(reset, time.Second) }

// asDate is a reset sent as an instant of whole seconds: the next one.
func asDate(now, reset time.Duration) time.Duration { return upTo(now+reset, time.Second) - now }

// upTo rounds up to a multiple of the unit.
func upTo(d, unit time.Duration) time.Duration { return (d + unit - 1) / unit * unit }
