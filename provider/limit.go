package provider

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"stampede/sim"
)

// Limit is a token bucket on one resource: Amount per Period, at most Burst at
// once.
type Limit struct {
	Resource Resource
	Amount   int64
	Period   time.Duration
	Burst    int64  // 0 means Amount
	Charge   Charge // of a limit on tokens: what is taken at admission
	Settle   Settle // of a limit on tokens: what happens when the true usage is known
}

// Resource is what a limit counts.
type Resource uint8

const (
	Requests Resource = iota
	Tokens            // prompt and output together
	InputTokens
)

// String is the word for a resource.
func (r Resource) String() string { return [...]string{"requests", "tokens", "input_tokens"}[r] }

// Charge is what a request costs a limit on tokens at admission.
type Charge uint8

const (
	Prompt        Charge = iota // the tokens of the prompt
	PromptPlusMax               // those and max_tokens
)

// String is the word for a charge.
func (c Charge) String() string { return [...]string{"prompt", "prompt + max_tokens"}[c] }

// Settle is what a limit on tokens does when the true usage is known.
type Settle uint8

const (
	Keep   Settle = iota // the charge stands
	Refund               // what was reserved for output and not used is given back
)

// String is the word for a settlement.
func (s Settle) String() string { return [...]string{"none", "refund"}[s] }

// Check reports a limit that makes no sense.
func (l Limit) Check() error {
	switch {
	case l.Amount <= 0 || l.Period <= 0:
		return fmt.Errorf("a limit of %d %v per %v; allowed is a positive amount per positive period", l.Amount, l.Resource, l.Period)
	case l.Burst < 0:
		return fmt.Errorf("burst %d of the limit on %v; allowed is 1 or more", l.Burst, l.Resource)
	}
	return nil
}

func (l Limit) burst() int64 {
	if l.Burst == 0 {
		return l.Amount
	}
	return l.Burst
}

// String writes the limit with its kind, for charts.
func (l Limit) String() string {
	s := fmt.Sprintf("token bucket of %d %v per %v", l.Amount, l.Resource, l.Period)
	if l.Burst != 0 && l.Burst != l.Amount {
		s += fmt.Sprintf(", burst %d", l.Burst)
	}
	if l.Resource != Requests {
		s += fmt.Sprintf(", charged %v", l.Charge)
		if l.Settle == Refund {
			s += ", unused output refunded"
		}
	}
	return s
}

// limiter is a limit at work.
type limiter struct {
	Limit
	bucket Bucket
}

func newLimiter(l Limit) limiter { return limiter{l, NewBucket(l.Amount, l.Period, l.burst())} }

// charge is what the request is charged at admission.
func (l *limiter) charge(r Request) int64 {
	if l.Resource == Requests {
		return 1
	}
	if l.Charge == PromptPlusMax {
		return int64(r.Prompt) + int64(r.MaxTokens)
	}
	return int64(r.Prompt)
}

// refund is what is given back after so many tokens of output.
func (l *limiter) refund(r Request, output int) int64 {
	if l.Resource == Requests || l.Charge != PromptPlusMax || l.Settle != Refund {
		return 0
	}
	return max(0, int64(r.MaxTokens)-int64(output))
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
