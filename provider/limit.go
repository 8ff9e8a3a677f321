package provider

import (
	"fmt"
	"slices"
	"time"

	"stampede/internal/words"
	"stampede/wire"
)

// Limit bounds the use of one resource: Amount per Period.
type Limit struct {
	Name     string // see NameLimits
	Resource Resource
	Kind     Kind
	Amount   int64
	Period   time.Duration
	Burst    int64 // of a token bucket: at most so much at once; 0 means Amount
	// Quantum enforces the limit in slices of a whole number of requests or tokens: with
	// n = ceil(Amount Quantum/Period), a window passes at most n in each n Period/Amount
	// besides its Amount in a Period, and a bucket has a burst of n. 0 means not.
	Quantum  time.Duration
	Offset   time.Duration // of a fixed window: how much of it has passed at time 0
	Growth   float64       // of a ramp: the growth allowed in each Every
	Every    time.Duration // of a ramp
	Before   int64         // of a ramp: what was used in the Every before the run
	Used     int64         // counted already at time 0
	Charge   Charge        // of a limit on tokens: what is counted at admission
	Settle   Settle        // of a limit on tokens: what happens when the true usage is known
	Output   int64         // of Multiply: how often a token of output counts
	Cached   Cached        // whether cached tokens of the prompt count
	Estimate float64       // of the charges that estimate the prompt: estimate over truth; 0 means 1
	Counted  Counted       // which requests count
	Rejected Rejected      // whether requests that are refused count
	Advice   wire.Advice   // the header x-should-retry of its refusals; NoAdvice is that of the dialect
	Keys     []string      // only requests under these keys count; empty means all
	Models   []string      // only requests to these models count; empty means all
	Tiers    []SpendTier   // other shapes, by what was billed; the least spent first
	Hidden   bool          // no header speaks of it
}

// Resource is what a limit counts.
type Resource uint8

const (
	Requests Resource = iota
	Tokens            // prompt and output together
	InputTokens
	OutputTokens
	Dollars     // what was billed, in nano-dollars; it is known when a request has ended
	Concurrency // requests at the provider at once; without a period
	// What a request is charged counts from its admission to its end; without a period.
	TokensInFlight
	EnqueuedTokens // as a batch API counts the prompts that wait for their answers
)

// ResourceWords are the words of resources.
var ResourceWords = words.Table[Resource]{
	"requests",
	"tokens",
	"input_tokens",
	"output_tokens",
	"dollars",
	"concurrency",
	"tokens_in_flight",
	"enqueued_tokens",
}

// String is the word for a resource.
func (r Resource) String() string { return ResourceWords.Word(r) }

// tokens reports whether the resource is tokens of some kind.
func (r Resource) tokens() bool { return r == Tokens || r == InputTokens || r == OutputTokens }

// Held reports whether the resource is held from admission to the end, and has no period.
func (r Resource) Held() bool { return r == Concurrency || r == TokensInFlight || r == EnqueuedTokens }

// Cached says whether tokens that come from a cache count.
type Cached uint8

const (
	CacheFree     Cached = iota // they do not
	CacheCounts                 // like the others
	CacheReleased               // at admission, and are given back in the end
)

// CachedWords are the words of rules for cached tokens.
var CachedWords = words.Table[Cached]{"free", "count", "released"}

// String is the word for a rule.
func (c Cached) String() string { return CachedWords.Word(c) }

// Used is what a request used in the end.
type Used struct {
	Output   int   // tokens generated
	Nano     int64 // billed for it, in nano-dollars
	Answered bool  // its client got the answer
}

// Counted says which requests count.
type Counted uint8

const (
	CountAdmitted Counted = iota // those that are admitted
	CountAttempts                // all that arrive: also those that a fault rejects, or that find no place
	CountAnswered                // those that are answered, and only once they are
)

// CountedWords are the words of which requests count.
var CountedWords = words.Table[Counted]{"admitted", "attempts", "answered"}

// String is the word for which.
func (c Counted) String() string { return CountedWords.Word(c) }

// Charge is what a request counts at admission, where nothing of the answer's
// true length is known.
type Charge uint8

const (
	Prompt          Charge = iota // the tokens of the prompt
	PromptPlusMax                 // those and max_tokens
	EstimatedPrompt               // an estimate of the prompt
	MaxOrEstimate                 // the larger of max_tokens and that estimate
	AsProduced                    // nothing; the output counts once it is there
)

// ChargeWords are the words of charges.
var ChargeWords = words.Table[Charge]{
	"prompt",
	"prompt + max_tokens",
	"estimate",
	"max(max_tokens, estimate)",
	"as_produced",
}

// String is the word for a charge.
func (c Charge) String() string { return ChargeWords.Word(c) }

// Settle is what a limit on tokens does when the true usage is known. What it counts in
// the end, of a charge made at admission, is
//
//	Keep        the charge
//	Refund      min(charge, prompt), or min(charge, prompt + output) of charges that
//	            declare the output: it gives back and never takes
//	TrueUsage   prompt + output, whatever the charge
//	Multiply    prompt + Output x output, whatever the charge
//
// of a limit on input or output tokens that part alone. AsProduced charges nothing at
// admission, and counts as TrueUsage or Multiply.
type Settle uint8

const (
	Keep Settle = iota
	Refund
	TrueUsage
	Multiply
)

// SettleWords are the words of settlements.
var SettleWords = words.Table[Settle]{"none", "refund", "true_usage", "multiply_output"}

// String is the word for a settlement.
func (s Settle) String() string { return SettleWords.Word(s) }

// declaresOutput reports whether a charge includes what the answer may hold.
func (c Charge) declaresOutput() bool { return c == PromptPlusMax || c == MaxOrEstimate }

// Rejected says whether a request that is refused counts all the same.
type Rejected uint8

const (
	Free     Rejected = iota // it does not
	ToZero                   // it takes what is there and no more
	IntoDebt                 // it counts in full, down to minus the burst
)

// RejectedWords are the words of rules for refused requests.
var RejectedWords = words.Table[Rejected]{"free", "to_zero", "into_debt"}

// String is the word for a rule.
func (r Rejected) String() string { return RejectedWords.Word(r) }

// Check reports a limit that makes no sense.
func (l Limit) Check() error {
	switch {
	case l.Resource.Held():
		if l.Amount <= 0 || l.Period != 0 {
			return fmt.Errorf("a limit of %d %v at once per %v; allowed is a positive number without a period",
				l.Amount, l.Resource, l.Period)
		}
		if l.Counted != CountAdmitted || l.Rejected != Free || l.Charge == AsProduced {
			return fmt.Errorf("the limit %s counts what is at the provider; allowed are charges at admission alone",
				l.label())
		}
	case l.Amount <= 0 || l.Period <= 0:
		return fmt.Errorf("a limit of %d %v per %v; allowed is a positive amount per positive period", l.Amount,
			l.Resource, l.Period)
	case l.Burst < 0 || l.Used < 0 || l.Offset < 0 || l.Quantum < 0 || l.Growth < 0 || l.Estimate < 0 ||
		l.Output < 0 || l.Before < 0:
		return fmt.Errorf("a negative parameter of the limit %s; allowed is 0 or more", l.label())
	case l.Quantum > l.Period:
		return fmt.Errorf("the limit %s is enforced every %v, longer than its period %v", l.label(), l.Quantum,
			l.Period)
	case l.Counted == CountAnswered && l.Resource.tokens() && l.Charge != AsProduced:
		return fmt.Errorf("the limit %s counts answers and charges %v at admission; allowed is %v", l.label(),
			l.Charge, AsProduced)
	case l.Settle == Multiply && l.Output < 1:
		return fmt.Errorf("the limit %s multiplies output by %d; allowed is 1 or more", l.label(), l.Output)
	}
	if l.Kind == Balance && l.Resource != Dollars {
		return fmt.Errorf("a balance of %d %v; allowed are dollars", l.Amount, l.Resource)
	}
	if err := l.checkTiers(); err != nil {
		return err
	}
	if c, ok := l.kind().counting.(checker); ok {
		return c.check(&l)
	}
	return nil
}

// burst is how much can pass at once.
func (l Limit) burst() int64 {
	switch {
	case l.Quantum > 0:
		n, _ := sliceOf(l.Amount, l.Period, l.Quantum)
		return n
	case l.Burst == 0 || !l.HasBurst():
		return l.Amount
	}
	return l.Burst
}

// MaxAtOnce is the maximum that can pass at once: a request that counts more is refused
// forever.
func (l Limit) MaxAtOnce() int64 { return l.burst() }

// Counts is what a request counts at admission.
func (l *Limit) Counts(r Request) int64 { return l.charge(&r) }

// Ends is what a request counts in the end.
func (l *Limit) Ends(r Request, used Used) int64 { return l.final(&r, used) }

// Covers reports whether the limit counts the requests of a tenant.
func (l *Limit) Covers(t Tenant) bool {
	return (len(l.Keys) == 0 || slices.Contains(l.Keys, t.Key)) &&
		(len(l.Models) == 0 || slices.Contains(l.Models, t.Model))
}
