package provider

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"stampede/sim"
)

// Limit bounds the use of one resource: Amount per Period.
type Limit struct {
	Resource Resource
	Kind     Kind
	Amount   int64
	Period   time.Duration
	Burst    int64 // of a token bucket: at most so much at once; 0 means Amount
	// Quantum enforces the limit in slices: of a window, one of Amount
	// Quantum/Period in each Quantum; of a token bucket, a burst of that. 0 means
	// not.
	Quantum  time.Duration
	Offset   time.Duration // of a fixed window: how much of it has passed at time 0
	Growth   float64       // of a ramp: the growth allowed in each Every
	Every    time.Duration // of a ramp
	Used     int64         // counted already at time 0
	Charge   Charge        // of a limit on tokens: what is counted at admission
	Settle   Settle        // of a limit on tokens: what happens when the true usage is known
	Output   int64         // of Multiply: how often a token of output counts
	Cached   bool          // whether cached tokens of the prompt count
	Estimate float64       // of the charges that estimate the prompt: estimate over truth; 0 means 1
	Rejected Rejected      // whether requests that are refused count
}

// Kind is how a limit counts over time.
type Kind uint8

const (
	TokenBucket   Kind = iota // refills continuously
	FixedWindow               // counts anew at every multiple of the period
	SlidingWindow             // over any span of the period
	RampLimit                 // growth of the rate
)

// String is the word for a kind.
func (k Kind) String() string {
	return [...]string{"token bucket", "fixed window", "sliding window", "ramp"}[k]
}

// Resource is what a limit counts.
type Resource uint8

const (
	Requests Resource = iota
	Tokens            // prompt and output together
	InputTokens
	OutputTokens
)

// String is the word for a resource.
func (r Resource) String() string {
	return [...]string{"requests", "tokens", "input_tokens", "output_tokens"}[r]
}

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

// String is the word for a charge.
func (c Charge) String() string {
	return [...]string{"prompt", "prompt + max_tokens", "estimate", "max(max_tokens, estimate)", "as_produced"}[c]
}

// Settle is what a limit on tokens does when the true usage is known.
type Settle uint8

const (
	Keep     Settle = iota // the charge stands
	Refund                 // what was not used is given back, what was used beyond is counted
	Multiply               // like Refund, with each token of output counted Output times
)

// String is the word for a settlement.
func (s Settle) String() string { return [...]string{"none", "refund", "multiply_output"}[s] }

// Rejected says whether a request that is refused counts all the same.
type Rejected uint8

const (
	Free     Rejected = iota // it does not
	ToZero                   // it takes what is there and no more
	IntoDebt                 // it counts in full, down to minus the burst
)

// String is the word for a rule.
func (r Rejected) String() string { return [...]string{"free", "to_zero", "into_debt"}[r] }

// Check reports a limit that makes no sense.
func (l Limit) Check() error {
	switch {
	case l.Amount <= 0 || l.Period <= 0:
		return fmt.Errorf("a limit of %d %v per %v; allowed is a positive amount per positive period", l.Amount, l.Resource, l.Period)
	case l.Burst < 0 || l.Used < 0 || l.Offset < 0 || l.Quantum < 0 || l.Growth < 0 || l.Estimate < 0 || l.Output < 0:
		return fmt.Errorf("a negative parameter of the limit on %v; allowed is 0 or more", l.Resource)
	case l.Quantum > l.Period:
		return fmt.Errorf("the limit on %v is enforced every %v, longer than its period %v", l.Resource, l.Quantum, l.Period)
	case l.Kind == RampLimit && l.Every < l.Period:
		return fmt.Errorf("the ramp on %v grows every %v; allowed is at least its period %v", l.Resource, l.Every, l.Period)
	case l.Settle == Multiply && l.Output < 1:
		return fmt.Errorf("the limit on %v multiplies output by %d; allowed is 1 or more", l.Resource, l.Output)
	}
	return nil
}

// burst is how much can pass at once.
func (l Limit) burst() int64 {
	switch {
	case l.Quantum > 0:
		return l.slice()
	case l.Burst == 0 || l.Kind != TokenBucket:
		return l.Amount
	}
	return l.Burst
}

// slice is the share of the amount that falls in one quantum, at least 1.
func (l Limit) slice() int64 {
	return max(1, int64(math.Round(float64(l.Amount)*float64(l.Quantum)/float64(l.Period))))
}

// Most is the most that can pass at once: a request that counts more is refused
// for ever.
func (l Limit) Most() int64 { return l.burst() }

// String writes the limit with its kind, for charts.
func (l Limit) String() string {
	s := fmt.Sprintf("%v of %d %v per %v", l.Kind, l.Amount, l.Resource, l.Period)
	if b := l.burst(); b != l.Amount {
		s += fmt.Sprintf(", burst %d", b)
	}
	if l.Resource != Requests {
		s += fmt.Sprintf(", charged %v, settlement %v", l.Charge, l.Settle)
	}
	return s
}

// Counts is what a request counts at admission.
func (l Limit) Counts(r Request) int64 { return (&limiter{Limit: l}).charge(r) }

// Ends is what a request counts in the end, with so many tokens of output.
func (l Limit) Ends(r Request, output int) int64 { return (&limiter{Limit: l}).final(r, output) }

// limiter is a limit at work.
type limiter struct {
	Limit
	meter meter
}

func newLimiter(l Limit) limiter {
	out := limiter{Limit: l}
	switch l.Kind {
	case FixedWindow:
		w := NewWindow(l.Amount, l.Period, l.Offset)
		if l.Quantum > 0 {
			w = NewWindow(l.slice(), l.Quantum, l.Offset)
		}
		out.meter = &w
	case SlidingWindow:
		s := NewSliding(l.Amount, l.Period)
		if l.Quantum > 0 {
			s = NewSliding(l.slice(), l.Quantum)
		}
		out.meter = &s
	case RampLimit:
		r := NewRamp(l.Amount, l.Period, l.Growth, l.Every)
		out.meter = &r
	default:
		b := NewBucket(l.Amount, l.Period, l.burst())
		out.meter = &b
	}
	if l.Used > 0 {
		out.meter.Take(l.Used)
	}
	return out
}

// reshape gives the limit another amount, period and burst from now on.
func (l *limiter) reshape(to Limit) {
	l.Limit = to
	amount, period := to.Amount, to.Period
	if to.Quantum > 0 && to.Kind != TokenBucket {
		amount, period = to.slice(), to.Quantum
	}
	l.meter.Reshape(amount, period, to.burst())
}

// prompt is the tokens of a prompt that count.
func (l *limiter) prompt(r Request) int64 {
	n := int64(r.Prompt)
	if !l.Cached {
		n -= int64(r.Cached)
	}
	return n
}

// estimate is the provider's guess at the prompt.
func (l *limiter) estimate(r Request) int64 {
	if l.Estimate == 0 {
		return l.prompt(r)
	}
	return int64(math.Ceil(float64(l.prompt(r)) * l.Estimate))
}

// charge is what the request counts at admission.
func (l *limiter) charge(r Request) int64 {
	if l.Resource == Requests {
		return 1
	}
	switch l.Charge {
	case PromptPlusMax:
		return l.estimate(r) + int64(r.MaxTokens)
	case EstimatedPrompt:
		return l.estimate(r)
	case MaxOrEstimate:
		return max(l.estimate(r), int64(r.MaxTokens))
	case AsProduced:
		return 0
	}
	return l.prompt(r)
}

// final is what the request counts once it has used so many tokens of output.
func (l *limiter) final(r Request, output int) int64 {
	out := int64(output)
	if l.Settle == Multiply {
		out *= l.Output
	}
	switch {
	case l.Resource == Requests:
		return 1
	case l.Resource == OutputTokens:
		return out
	case l.Settle == Keep && l.Charge != AsProduced:
		return l.charge(r)
	case l.Resource == InputTokens:
		return l.prompt(r)
	}
	return l.prompt(r) + out
}

// settle corrects the charge to what the request counts in the end and returns
// what was given back, negative when more was counted.
func (l *limiter) settle(r Request, output int) int64 {
	if l.Resource == Requests {
		return 0
	}
	back := l.charge(r) - l.final(r, output)
	if back > 0 {
		l.meter.Give(back)
	} else if back < 0 {
		l.meter.Take(-back)
	}
	return back
}

// penalise counts a refused request as the rule says and returns how much.
func (l *limiter) penalise(r Request) int64 {
	floor := int64(0)
	switch l.Rejected {
	case Free:
		return 0
	case IntoDebt:
		floor = -l.burst()
	}
	return l.meter.Drain(l.charge(r), floor)
}

// change is a limit that takes another shape during the run.
type change struct {
	at    sim.Time
	index int
	limit Limit
}

// changesOf lays out the changes of limits that the fault schedule makes: at
// each instant at which one begins or ends, the limit is that of the change
// which began last among those that hold, else what the configuration says. The
// changed limit is the first on the same resource.
func changesOf(c Config) ([]change, error) {
	var changes []change
	for i, l := range c.Limits {
		var at []sim.Time
		var holding []Fault
		for _, f := range c.Faults {
			if to, ok := f.Effect.(ChangeLimit); ok && to.Resource == l.Resource && firstOn(c, l.Resource) == i {
				holding = append(holding, f)
				if at = append(at, f.At); f.For > 0 {
					at = append(at, f.At+f.For)
				}
			}
		}
		slices.Sort(at)
		for _, t := range slices.Compact(at) {
			limit, since := l, sim.Time(-1)
			for _, f := range holding {
				if f.in(t) && f.At >= since {
					to := f.Effect.(ChangeLimit)
					limit.Amount, limit.Period, limit.Burst, since = to.Amount, to.Period, to.Burst, f.At
				}
			}
			if err := limit.Check(); err != nil {
				return nil, err
			}
			changes = append(changes, change{t, i, limit})
		}
	}
	for _, f := range c.Faults {
		if to, ok := f.Effect.(ChangeLimit); ok && firstOn(c, to.Resource) < 0 {
			return nil, fmt.Errorf("a fault changes the limit on %v, but there is none", to.Resource)
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	return changes, nil
}

func firstOn(c Config, r Resource) int {
	return slices.IndexFunc(c.Limits, func(l Limit) bool { return l.Resource == r })
}
