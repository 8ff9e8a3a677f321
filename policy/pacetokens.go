package policy

import (
	"fmt"
	"time"

	"stampede/internal/words"
	"stampede/wire"
)

// PaceTokens is a token bucket on the client's side whose tokens are those of the model: Rate a
// second, Burst at once. An attempt takes what it is estimated to use before it is sent. With
// calls of n tokens each, the first T seconds therefore see
//
//	floor((Burst + Rate T) / n)    attempts sent at most
//
// Settle corrects the estimate when the reply is there: an answer has used what it says, an error
// nothing. Without a reply, after a timeout or a broken connection, the estimate stands.
type PaceTokens struct {
	Rate     float64 // 0 means none
	Burst    float64
	Estimate Estimate
	Settle   bool
}

// Estimate is what a client takes a request for before it knows the answer.
type Estimate uint8

const (
	PromptPlusMax  Estimate = iota // the prompt and max_tokens
	PromptPlusMean                 // the prompt and the mean output of the answers so far, at first max_tokens
	PromptAlone                    // the prompt alone
)

// EstimateWords are the words of estimates.
var EstimateWords = words.Table[Estimate]{"prompt + max_tokens", "prompt + mean_output", "prompt"}

// String is the word for an estimate.
func (e Estimate) String() string { return EstimateWords.Word(e) }

// Describe names the bucket with its parameters.
func (p PaceTokens) Describe() string {
	s := fmt.Sprintf("%.6g tokens/min, burst %g, estimate %v", 60*p.Rate, p.Burst, p.Estimate)
	if p.Settle {
		s += ", settled"
	}
	return s
}

// paceTokens is such a bucket at work.
type paceTokens struct {
	level
	answers, outputs float64 // how many, and their output tokens
}

// estimate is the tokens that an attempt takes.
func (s *paceTokens) estimate(p *PaceTokens, need *Need) float64 {
	prompt, declared := need[wire.InputQuota], need[wire.OutputQuota]
	switch {
	case p.Estimate == PromptAlone:
		return prompt
	case p.Estimate == PromptPlusMean && s.answers > 0:
		return prompt + s.outputs/s.answers
	}
	return prompt + declared
}

// done takes note of the end of an attempt that took so many tokens.
func (s *paceTokens) done(p *PaceTokens, now time.Duration, took float64, reply *wire.Reply, used Usage) {
	if reply.Class() == wire.OK {
		s.answers++
		s.outputs += float64(used.Output)
	}
	if p.Settle && reply.Failure == wire.None {
		s.give(now, took-float64(used.Prompt+used.Output))
	}
}
