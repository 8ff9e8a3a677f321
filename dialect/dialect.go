// Package dialect holds the wire format of each provider: the status and the error code of a
// refusal, the headers that report how much of a limit is left, and the error body.
//
// A dialect is one row, a [format], in a file of its own: what it refuses with, its header lines,
// its body as a template, and where the wait stands. A provider asks it what to refuse with and
// what its headers show; [Dialect.Write] turns a reply into status, header lines and body. What a
// provider does not document it does not send. The package knows no provider and keeps no clock.
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
	GeminiFree
	Vertex
	Bedrock
	XAI
	DeepSeek
	Mistral
	Cohere
	CohereTrial
	Kimi
	Together
	Fireworks
	Cerebras
	OpenRouter
	Cloudflare
	HuggingFace
	VLLM
	SGLang
	count
)

// formats are the rows, each in the file of its provider or of those like it.
var formats = [count]format{
	Plain:       plain,
	OpenAI:      openai,
	Anthropic:   anthropic,
	Azure:       azure,
	Groq:        groq,
	Gemini:      gemini,
	GeminiFree:  geminiFree,
	Vertex:      vertex,
	Bedrock:     bedrock,
	XAI:         xai,
	DeepSeek:    deepseek,
	Mistral:     mistral,
	Cohere:      cohere,
	CohereTrial: cohereTrial,
	Kimi:        kimi,
	Together:    together,
	Fireworks:   fireworks,
	Cerebras:    cerebras,
	OpenRouter:  openrouter,
	Cloudflare:  cloudflare,
	HuggingFace: huggingface,
	VLLM:        vllm,
	SGLang:      sglang,
}

// format is how one provider writes refusals.
type format struct {
	name     string
	refusals [reasons]Refusal
	quotas   quotaLines // the header lines on limits; the zero value sends none
	// Header lines of an error besides; may be nil.
	lines func(w *writer, f *failure)
	body  func(f *failure) string // of an error
	// kindOf is the error type that goes with a status, where the refusal names none; nil means OpenAI's.
	kindOf func(f *failure) string
	// hint is what the message says of the wait where there is one, at its {hint}: a template.
	hint          string
	waitInMessage bool // that is there whatever the headers say
	// printed is the wait as a client reads it in the body; nil prints it exactly.
	printed func(wait time.Duration) time.Duration
	// within is the window whose end is printed for a longer one, too; 0 prints the end of each.
	within time.Duration
}

// String is the word for a dialect.
func (d Dialect) String() string { return formats[d].name }

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
	ByFault    Reason = iota // by no limit
	OverLimit                // the limit has no room now
	TooLarge                 // the request is larger than the limit ever admits
	TooSteep                 // traffic grows faster than a ramp allows
	Spent                    // a limit on dollars
	NoCredit                 // a balance that is gone
	TooMany                  // a limit on requests at once
	AtCapacity               // the capacity is full
	Oversize                 // the request is larger than the provider reads
	reasons
)

// Refusal is what a provider answers for a reason.
type Refusal struct {
	Status int
	Code   string
	Tokens string // the code of a limit on tokens, where it is another
	Daily  string // the code of a limit per day or longer, where it is another
	Silent bool   // without Retry-After in any form
	// UntilReset: a request that never fits is asked to wait until the window ends.
	UntilReset bool
	Advice     wire.Advice
	kind       string // the error type of the body, a template; empty means that of the status
	text       string // the message, a template; empty means that of the class
	daily      string // the message of a limit per day or longer, where it is another
	ofTokens   string // the message of a limit on tokens, where it is another
}

// CodeOf is the code of a limit on tokens or on something else, over a period.
func (r *Refusal) CodeOf(tokens bool, period time.Duration) string {
	switch {
	case r.Tokens != "" && tokens:
		return r.Tokens
	case r.Daily != "" && period >= day:
		return r.Daily
	}
	return r.Code
}

const day = 24 * time.Hour

// Refuses is what the provider answers for a reason. It is not to be written to.
func (d Dialect) Refuses(why Reason) *Refusal { return formats[d].refuses(why) }

// oversized is what a provider answers that does not say what it answers.
var oversized = Refusal{Status: 413, Silent: true}

func (f *format) refuses(why Reason) *Refusal {
	if f.refusals[why].Status == 0 {
		switch why {
		case NoCredit:
			why = Spent
		case Oversize:
			return &oversized
		}
	}
	return &f.refusals[why]
}

// MessageHasWait reports whether the message of a refusal contains the wait, whatever its headers say.
func (d Dialect) MessageHasWait() bool { return formats[d].waitInMessage }

// Asked is the wait that a refusal asks for, in whatever form, where the request would fit after a wait.
func (d Dialect) Asked(wait time.Duration) time.Duration {
	if within := formats[d].within; within > 0 {
		return (wait-1)%within + 1
	}
	return wait
}

// Printed is a wait as the body has it.
func (d Dialect) Printed(wait time.Duration) time.Duration {
	if printed := formats[d].printed; printed != nil {
		return printed(wait)
	}
	return wait
}

// Shows reports whether the headers report a resource.
func (d Dialect) Shows(quota int) bool { return formats[d].quotas.names[quota] != "" }
