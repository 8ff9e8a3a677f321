package backend

import (
	"stampede/cost"
	"stampede/provider"
	"stampede/wire"
)

// conclude completes the result: what was charged, generated and billed.
func (b *Backend) conclude(r *request) {
	result := r.result
	now := b.loop.Now()
	if result.Usage = b.usage(r); result.Usage != (cost.Usage{}) {
		result.Bill = r.Price.Bill(result.Usage)
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

// usage is what a request is billed for, with the refusals that the gateway kept to itself.
func (b *Backend) usage(r *request) cost.Usage {
	if r.relayed == 0 {
		return b.own(r)
	}
	return r.relays.Plus(b.own(r))
}

// own is what its last try at the provider is billed for.
func (b *Backend) own(r *request) cost.Usage {
	billing, billed := &b.config.Billing, true
	switch {
	case r.state == refused:
		return r.usageOfRefusal(r.billed)
	case !r.admitted() || r.hangs || r.left || r.replayed:
		billed = false
	case r.unfinished:
		billed = !billing.AbandonedFree
	case r.breaks && r.lost:
		billed = !billing.LostFree
	case r.breaks:
		billed = !billing.CutFree
	}
	if !billed {
		return cost.Usage{}
	}
	return r.usageOf(r.output)
}

// usageOf is the usage of a request that has generated so much.
func (r *request) usageOf(output int32) cost.Usage {
	u := cost.Usage{
		Prompt:    r.Prompt,
		Cached:    r.Cached,
		Output:    int(output),
		Reasoning: int(min(r.hidden, output)),
	}
	if r.Writes {
		u.Written = u.Prompt - u.Cached
	}
	return u
}

// usageOfRefusal is the usage that a refusal is billed for.
func (r *request) usageOfRefusal(billed provider.Billed) cost.Usage {
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
func (b *Backend) used(r *request) provider.Used {
	u := provider.Used{Output: int(r.output)}
	if b.spends {
		u.Nano = int64(r.Price.Bill(b.own(r)))
	}
	return u
}
