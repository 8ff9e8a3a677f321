package backend

import (
	"stampede/cost"
	"stampede/provider"
	"stampede/wire"
)

// conclude completes the result: what was charged, generated and billed.
func (b *Backend) conclude(r *Flight) {
	result := r.result
	now := b.loop.Now()
	if r.relayed > 0 || b.bills(r) {
		own := b.own(r)
		result.Usage, result.Bill = r.relays.Plus(own), r.relayBill+r.Price.Bill(own)
	}
	result.Charged, result.Settled = r.charged+r.penalty, r.penalty
	if r.admitted() {
		settled, refunded := b.api.Settle(&r.Request.Request, b.used(r))
		result.Settled += settled
		result.Refunded = refunded
	}
	if r.Stream && r.first <= now-b.hop && !(r.breaks && r.output <= r.hidden) {
		result.First = r.first + b.hop
	} else if result.Reply.Class() == wire.OK {
		result.First = now
	}
	if result.Worked = r.works(); result.Worked {
		b.remember(r.Key)
	}
}

// own is what its last try at the provider is billed for.
func (b *Backend) own(r *Flight) cost.Usage {
	switch {
	case !b.bills(r):
		return cost.Usage{}
	case r.state == refused:
		return r.usageOfRefusal(r.billed)
	}
	return r.usageOf(r.output)
}

// bills reports whether the last try of a request is billed.
func (b *Backend) bills(r *Flight) bool {
	billing := &b.config.Billing
	switch {
	case r.state == refused:
		return r.billed != provider.Nothing
	case !r.admitted() || r.hangs || r.left || r.replayed:
		return false
	case r.unfinished:
		return !billing.AbandonedFree
	case r.breaks && r.lost:
		return !billing.LostFree
	case r.breaks:
		return !billing.CutFree
	}
	return true
}

// usageOf is the usage of a request that has generated so much.
func (r *Flight) usageOf(output int32) cost.Usage {
	u := cost.Usage{
		Prompt:    r.Prompt,
		Cached:    r.Cached,
		Output:    int(output),
		Reasoning: int(min(r.hidden, output)),
	}
	switch {
	case !r.Writes:
	case r.Entry > 0:
		u.Written = r.cached - u.Cached
	default:
		u.Written = u.Prompt - u.Cached
	}
	return u
}

// usageOfRefusal is the usage that a refusal is billed for.
func (r *Flight) usageOfRefusal(billed provider.Billed) cost.Usage {
	switch billed {
	case provider.Everything:
		return r.usageOf(r.Output)
	case provider.ItsPrompt:
		return r.usageOf(0)
	}
	return cost.Usage{}
}

// used is what a request used in the end, for the limits. They have counted what its
// refusals were billed already.
func (b *Backend) used(r *Flight) provider.Used {
	u := provider.Used{Output: int(r.output), Answered: r.answered}
	if b.spends {
		u.Nano = int64(r.Price.Bill(b.own(r)))
	}
	return u
}
