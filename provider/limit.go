package provider

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"stampede/dialect"
	"stampede/sim"
	"stampede/wire"
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
	Cached   Cached        // whether cached tokens of the prompt count
	Estimate float64       // of the charges that estimate the prompt: estimate over truth; 0 means 1
	Rejected Rejected      // whether requests that are refused count
	Keys     []string      // only requests under these keys count; empty means all
	Models   []string      // only requests to these models count; empty means all
	Hidden   bool          // no header speaks of it
}

// Kind is how a limit counts over time.
type Kind uint8

const (
	TokenBucket   Kind = iota // refills continuously
	FixedWindow               // counts anew at every multiple of the period
	SlidingWindow             // over any span of the period
	RampLimit                 // growth of the rate; over a short span, a limit on acceleration
	LeakyBucket               // drains continuously; admits any request while it is not over the brim
)

// String is the word for a kind.
func (k Kind) String() string {
	return [...]string{"token bucket", "fixed window", "sliding window", "ramp", "leaky bucket"}[k]
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
)

// String is the word for a resource.
func (r Resource) String() string {
	return [...]string{"requests", "tokens", "input_tokens", "output_tokens", "dollars", "concurrency"}[r]
}

// tokens reports whether the resource is tokens of some kind.
func (r Resource) tokens() bool { return r == Tokens || r == InputTokens || r == OutputTokens }

// Cached says whether tokens that come from a cache count.
type Cached uint8

const (
	CacheFree     Cached = iota // they do not
	CacheCounts                 // like the others
	CacheReleased               // at admission, and are given back in the end
)

// String is the word for a rule.
func (c Cached) String() string { return [...]string{"free", "count", "released"}[c] }

// Used is what a request used in the end.
type Used struct {
	Output int   // tokens generated
	Nano   int64 // billed for it, in nano-dollars
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
	case l.Resource == Concurrency:
		if l.Amount <= 0 || l.Period != 0 {
			return fmt.Errorf("a limit of %d requests at once per %v; allowed is a positive number without a period", l.Amount, l.Period)
		}
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
	case l.Burst == 0 || (l.Kind != TokenBucket && l.Kind != LeakyBucket):
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
	if l.Resource == Concurrency {
		return fmt.Sprintf("%d requests at once", l.Amount)
	}
	s := fmt.Sprintf("%v of %d %v per %v", l.Kind, l.Amount, l.Resource, l.Period)
	if b := l.burst(); b != l.Amount {
		s += fmt.Sprintf(", burst %d", b)
	}
	if l.Resource.tokens() {
		s += fmt.Sprintf(", charged %v, settlement %v", l.Charge, l.Settle)
	}
	return s
}

// Counts is what a request counts at admission.
func (l Limit) Counts(r Request) int64 { return (&limiter{Limit: l}).charge(&r) }

// Ends is what a request counts in the end.
func (l Limit) Ends(r Request, used Used) int64 { return (&limiter{Limit: l}).final(&r, used) }

// limiter is a limit at work.
type limiter struct {
	Limit
	meter  meter
	bucket *Bucket // the meter when it is one, called directly since most are
	of     uint64  // the tenants whose requests count, by bit
	quota  int     // what the headers call the resource; negative when they do not
}

func newLimiter(l Limit, c Config) limiter {
	out := limiter{Limit: l, of: l.tenants(c.Tenants), quota: l.header()}
	if out.quota >= 0 && !c.Dialect.Shows(out.quota) {
		out.quota = -1
	}
	switch {
	case l.Resource == Concurrency:
		out.meter = &places{amount: l.Amount}
	case l.Kind == FixedWindow:
		w := NewWindow(l.Amount, l.Period, l.Offset)
		if l.Quantum > 0 {
			w = NewWindow(l.slice(), l.Quantum, l.Offset)
		}
		out.meter = &w
	case l.Kind == SlidingWindow:
		s := NewSliding(l.Amount, l.Period)
		if l.Quantum > 0 {
			s = NewSliding(l.slice(), l.Quantum)
		}
		out.meter = &s
	case l.Kind == RampLimit:
		r := NewRamp(l.Amount, l.Period, l.Growth, l.Every)
		out.meter = &r
	default:
		b := NewBucket(l.Amount, l.Period, l.burst())
		out.meter, out.bucket = &b, &b
	}
	if l.Used > 0 {
		out.meter.Take(l.Used)
	}
	return out
}

// tenants are those whose requests count, by bit. Without tenants there is one.
func (l Limit) tenants(tenants []Tenant) uint64 {
	if len(tenants) == 0 {
		tenants = []Tenant{{}}
	}
	of := uint64(0)
	for i, t := range tenants {
		if l.Covers(t) {
			of |= 1 << i
		}
	}
	return of
}

// Covers reports whether the limit counts the requests of a tenant.
func (l Limit) Covers(t Tenant) bool {
	return (len(l.Keys) == 0 || slices.Contains(l.Keys, t.Key)) && (len(l.Models) == 0 || slices.Contains(l.Models, t.Model))
}

// header is what headers call the resource; negative for limits without a header.
func (l Limit) header() int {
	if l.Hidden || l.Kind == RampLimit {
		return -1
	}
	return [...]int{Requests: wire.RequestQuota, Tokens: wire.TokenQuota, InputTokens: wire.InputQuota, OutputTokens: wire.OutputQuota, Dollars: -1, Concurrency: -1}[l.Resource]
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

// counts reports whether the limit counts this request at all.
func (l *limiter) counts(r *Request) bool { return l.of>>r.Tenant&1 != 0 }

// admits reports whether there is room for a charge.
func (l *limiter) admits(charge int64) bool {
	if need := l.need(charge); l.bucket != nil {
		return l.bucket.Has(need)
	} else {
		return l.meter.Has(need)
	}
}

// need is the room that must be there for a charge: all of it, and something even
// for nothing; of a leaky bucket, that it is not over the brim.
func (l *limiter) need(charge int64) int64 {
	if l.Kind == LeakyBucket {
		return 0
	}
	return max(1, charge)
}

// advance moves the meter to now.
func (l *limiter) advance(now sim.Time) {
	if l.bucket != nil {
		l.bucket.Advance(now)
	} else {
		l.meter.Advance(now)
	}
}

// take counts a charge.
func (l *limiter) take(charge int64) {
	if l.bucket != nil {
		l.bucket.Take(charge)
	} else {
		l.meter.Take(charge)
	}
}

// prompt is the tokens of a prompt that count at admission.
func (l *limiter) prompt(r *Request) int64 {
	n := int64(r.Prompt)
	if l.Cached == CacheFree {
		n -= int64(r.Cached)
	}
	return n
}

// estimate is the provider's guess at the prompt.
func (l *limiter) estimate(r *Request) int64 {
	if l.Estimate == 0 || l.Estimate == 1 {
		return l.prompt(r)
	}
	return int64(math.Ceil(float64(l.prompt(r)) * l.Estimate))
}

// charge is what the request counts at admission.
func (l *limiter) charge(r *Request) int64 {
	switch {
	case l.Resource == Requests || l.Resource == Concurrency:
		return 1
	case l.Resource == Dollars:
		return 0
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

// settles reports whether the limit may count something else in the end than at
// admission.
func (l *limiter) settles() bool {
	return l.Resource != Requests && (l.Settle != Keep || l.Charge == AsProduced || !l.Resource.tokens())
}

// final is what the request counts in the end.
func (l *limiter) final(r *Request, used Used) int64 {
	switch {
	case l.Resource == Requests:
		return 1
	case l.Resource == Concurrency:
		return 0
	case l.Resource == Dollars:
		return used.Nano
	case !l.settles():
		return l.charge(r)
	}
	out := int64(used.Output)
	if l.Settle == Multiply {
		out *= l.Output
	}
	in := l.prompt(r)
	if l.Cached == CacheReleased {
		in -= int64(r.Cached)
	}
	switch l.Resource {
	case InputTokens:
		return in
	case OutputTokens:
		return out
	}
	return in + out
}

// settle corrects the charge to what the request counts in the end and returns
// what was given back, negative when more was counted.
func (l *limiter) settle(now sim.Time, r *Request, used Used) int64 {
	if !l.settles() {
		return 0
	}
	l.advance(now)
	back := l.charge(r) - l.final(r, used)
	if back > 0 {
		l.meter.Give(back)
	} else if back < 0 {
		l.take(-back)
	}
	return back
}

// penalise counts a refused request as the rule says and returns how much.
func (l *limiter) penalise(charge int64) int64 {
	floor := int64(0)
	switch l.Rejected {
	case Free:
		return 0
	case IntoDebt:
		floor = -l.burst()
	}
	return l.meter.Drain(charge, floor)
}

// shows is what the headers say of the limit.
func (l *limiter) shows() wire.Quota {
	if b := l.bucket; b != nil {
		return wire.Quota{Limit: l.Amount, Remaining: max(0, b.Level()), Reset: b.Full()}
	}
	q := wire.Quota{Limit: l.Amount, Remaining: max(0, l.meter.Level()), Reset: l.meter.Wait(l.burst())}
	if l.Quantum > 0 {
		q.Limit = l.slice()
	}
	return q
}

// refuses is why the limit refuses, when it asks for this wait.
func (l *limiter) refuses(wait time.Duration) dialect.Reason {
	switch {
	case l.Resource == Concurrency:
		return dialect.TooMany
	case l.Resource == Dollars:
		return dialect.Spent
	case l.Kind == RampLimit:
		return dialect.TooSteep
	case wait == sim.Never:
		return dialect.TooLarge
	}
	return dialect.OverLimit
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
