package provider

import (
	"math"
	"time"

	"stampede/dialect"
	"stampede/sim"
	"stampede/wire"
)

// limiter is a limit at work.
type limiter struct {
	Limit
	meter  meter
	bucket *Bucket // the meter when it is one, called directly since most are
	of     uint64  // the tenants whose requests count, by bit
	quota  int     // what the headers call the resource; negative when they do not
	single bool    // every request counts 1 at admission
	// overflows is that of its kind.
	overflows bool
	spent     int64 // nano-dollars, where it has tiers by that
	account
}

func newLimiter(l Limit, c Config) limiter {
	out := limiter{
		Limit: l, of: l.tenants(c.Tenants), quota: l.header(), single: l.single(), overflows: l.Overflows(),
	}
	if out.quota >= 0 && !c.Dialect.Shows(out.quota) {
		out.quota = -1
	}
	out.meter = l.kind().meter(&l)
	out.bucket, _ = out.meter.(*Bucket)
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

// header is what headers call the resource; negative for limits without a header.
func (l Limit) header() int {
	if l.Hidden || l.kind().hidden {
		return -1
	}
	return [...]int{Requests: wire.RequestQuota, Tokens: wire.TokenQuota, InputTokens: wire.InputQuota,
		OutputTokens: wire.OutputQuota, Dollars: -1, Concurrency: -1,
		TokensInFlight: -1, EnqueuedTokens: -1}[l.Resource]
}

// reshape gives the limit another amount, period and burst from now on.
func (l *limiter) reshape(now sim.Time, to Limit) {
	l.cut(now)
	l.Limit, l.single = to, to.single()
	before := l.left
	l.meter.Reshape(to.Amount, to.Period, to.burst())
	l.left = l.level()
	l.admitted += float64(max(0, l.left-max(0, before)))
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

// wait is how long a charge has to wait for room.
func (l *limiter) wait(charge int64) time.Duration {
	if need := l.need(charge); l.bucket != nil {
		return l.bucket.Wait(need)
	} else {
		return l.meter.Wait(need)
	}
}

// need is the room that must be there for a charge: all of it, and something even
// for nothing; of a leaky bucket, that it is not over the brim.
func (l *limiter) need(charge int64) int64 {
	if l.overflows {
		return 0
	}
	return max(1, charge)
}

// advance moves the meter to now.
func (l *limiter) advance(now sim.Time) {
	if l.bucket != nil {
		l.bucket.Advance(now)
		return
	}
	l.meter.Advance(now)
	if r, ok := l.meter.(*Ramp); ok {
		l.climb(r, now)
	}
}

// take counts a charge.
func (l *limiter) take(charge int64) {
	l.counted += charge
	if l.bucket != nil {
		l.bucket.Take(charge)
	} else {
		l.meter.Take(charge)
	}
}

// prompt is the tokens of a prompt that count at admission.
func (l *Limit) prompt(r *Request) int64 {
	n := int64(r.Prompt)
	if l.Cached == CacheFree {
		n -= int64(r.Cached)
	}
	return n
}

// estimate is the provider's guess at the prompt.
func (l *Limit) estimate(r *Request) int64 {
	if l.Estimate == 0 || l.Estimate == 1 {
		return l.prompt(r)
	}
	return int64(math.Ceil(float64(l.prompt(r)) * l.Estimate))
}

// charge is that of its limit.
func (l *limiter) charge(r *Request) int64 {
	if l.single {
		return 1
	}
	return l.Limit.charge(r)
}

// single reports whether every request counts 1 at admission.
func (l *Limit) single() bool {
	return l.Counted != CountAnswered && (l.Resource == Requests || l.Resource == Concurrency)
}

// charge is what the request counts at admission.
func (l *Limit) charge(r *Request) int64 {
	switch {
	case l.Counted == CountAnswered:
		return 0
	case l.single():
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
func (l *Limit) settles() bool {
	return l.Counted == CountAnswered ||
		l.Resource != Requests && (l.Settle != Keep || l.Charge == AsProduced || !l.Resource.tokens())
}

// final is what the request counts in the end.
func (l *Limit) final(r *Request, used Used) int64 {
	switch {
	case l.Counted == CountAnswered && !used.Answered:
		return 0
	case l.Resource == Requests:
		return 1
	case l.Resource.Held():
		return 0
	case l.Resource == Dollars:
		return used.Nano
	case !l.settles():
		return l.charge(r)
	}
	total := l.usage(r, used)
	if l.Settle == Refund && l.Charge != AsProduced {
		return min(l.charge(r), total)
	}
	return total
}

// usage is what the request has used of the resource, as far as the settlement looks at it.
func (l *Limit) usage(r *Request, used Used) int64 {
	out := int64(used.Output)
	switch {
	case l.Settle == Multiply:
		out *= l.Output
	case l.Settle == Refund && l.Charge != AsProduced && !l.Charge.declaresOutput():
		out = 0
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
	switch {
	case back < 0:
		l.take(-back)
	case back > 0 && l.bucket != nil:
		l.bucket.Give(back, r.Admitted)
		l.counted -= back
	case back > 0:
		before := l.meter.Level()
		l.meter.Give(back, r.Admitted)
		l.counted -= l.meter.Level() - before // what its window no longer takes stays used
	}
	return back
}

// penalises reports whether requests that limits refuse count.
func (l *limiter) penalises() bool { return l.Rejected != Free || l.Counted == CountAttempts }

// penalise counts a request that failed and returns how much: what is there, or down to the debt
// that is allowed.
func (l *limiter) penalise(charge int64) int64 {
	floor := int64(0)
	if l.Rejected == IntoDebt {
		floor = -l.burst()
	}
	n := l.meter.Drain(charge, floor)
	l.counted += n
	return n
}

// shows is what the headers say of the limit: how much can pass at once, how much of it
// is left, and when all of it is back. Of a bucket, (Limit-Remaining)/Reset is its rate.
func (l *limiter) shows() wire.Quota {
	if b := l.bucket; b != nil {
		return wire.Quota{Limit: l.burst(), Remaining: max(0, b.Level()), Reset: b.Full()}
	}
	return wire.Quota{Limit: l.burst(), Remaining: max(0, l.meter.Level()), Reset: l.meter.Wait(l.burst())}
}

// refuses is why the limit refuses, when it asks for this wait.
func (l *limiter) refuses(wait time.Duration) dialect.Reason {
	reason := l.kind().reason
	switch {
	case l.Kind == Balance:
	case l.Resource == Dollars:
		return dialect.Spent
	case wait == sim.Never && (reason == dialect.OverLimit || reason == dialect.TooMany):
		return dialect.TooLarge
	}
	return reason
}

// over writes what a refusal of a request that would count so much says of the limit.
func (l *limiter) over(charge int64, to *wire.Over) {
	var left int64
	if b := l.bucket; b != nil {
		left = b.Level()
	} else {
		left = l.level()
	}
	to.Amount, to.Used, to.Requested = l.Amount, l.Amount-left, charge
}

// untilReset is the time until the window ends; 0 where the limit has none.
func (l *limiter) untilReset() time.Duration {
	if m, ok := l.meter.(interface{ UntilReset() time.Duration }); ok {
		return m.UntilReset()
	}
	return 0
}
