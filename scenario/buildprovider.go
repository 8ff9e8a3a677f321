package scenario

import (
	"fmt"
	"time"

	"stampede/provider"
	"stampede/wire"
)

func (b *builder) provider(p *Provider, maxTokens Count) (out provider.Config, err error) {
	out = provider.Config{
		Name:       p.Preset,
		RoundTrip:  time.Duration(p.RoundTrip),
		RetryAfter: provider.RetryAfter{Round: time.Duration(p.RetryAfter.Round), Millis: p.RetryAfter.Milliseconds},
		Latency:    provider.Latency{CallShare: float64(p.Latency.CallShare)},
	}
	switch p.RetryAfter.Send {
	case "as_date":
		out.RetryAfter.As = provider.AsDate
	case "never":
		out.RetryAfter.As = provider.NotAtAll
	}
	switch p.Cancel {
	case "stops":
		out.Cancel = provider.Stops
	case "stops_streams":
		out.Cancel = provider.StopsStreams
	}
	if out.Capacity, err = b.capacity(&p.Capacity); err != nil {
		return out, err
	}
	if out.Gateway, err = b.gateway(&p.Gateway); err != nil {
		return out, err
	}
	if out.Latency.FirstToken, err = p.Latency.FirstToken.build(); err != nil {
		return out, b.d.Errorf("provider.latency.first_token", "%v", err)
	}
	if out.Latency.TokensPerSecond, err = p.Latency.TokensPerSecond.build(); err != nil {
		return out, b.d.Errorf("provider.latency.tokens_per_second", "%v", err)
	}
	if law := out.Latency.TokensPerSecond; law != nil && law.Sample(0x1p-53) <= 0 {
		return out, b.d.Errorf("provider.latency.tokens_per_second", "found a law that gives 0; want one above 0")
	}
	for i, l := range p.Limits {
		path := fmt.Sprintf("provider.limits.%d", i)
		if l.Resource == "" {
			return out, b.d.Errorf(path+".resource", "found nothing; want one of %v", l.Resource.Words())
		}
		if l.Resource == "concurrency" {
			if l.Limit.Period != 0 || l.Limit.Amount < 1 {
				return out, b.d.Errorf(path+".limit", "found %v; want a number of requests at once, such as 8", l.Limit)
			}
			if out.Concurrency > 0 {
				return out, b.d.Errorf(path, "found a second limit on concurrency; want one")
			}
			out.Concurrency = int(l.Limit.Amount)
			continue
		}
		limit, err := b.limit(path, l)
		if err != nil {
			return out, err
		}
		if limit.Charge == provider.PromptPlusMax && maxTokens == 0 {
			return out, b.d.Errorf(path+".charge", "charges max_tokens, but workload.max_tokens is not set; set it, or charge: prompt")
		}
		out.Limits = append(out.Limits, limit)
	}
	for i, f := range p.Faults {
		fault, err := b.fault(fmt.Sprintf("provider.faults.%d", i), f)
		if err != nil {
			return out, err
		}
		out.Faults = append(out.Faults, fault)
	}
	if _, err := provider.New(out, 0); err != nil {
		return out, b.d.Errorf("provider.faults", "%v", err)
	}
	return out, nil
}

func (b *builder) capacity(c *Capacity) (provider.Capacity, error) {
	out := provider.Capacity{Slots: int(c.Slots), Full: c.Full}
	if c.Queue != nil {
		if out.Queue = int(*c.Queue); *c.Queue == 0 {
			out.Queue = -1
		}
	}
	switch {
	case c.Slots == 0 && (c.Queue != nil || c.Full != 0):
		return out, b.d.Errorf("provider.capacity.slots", "found none; queue and full go with a number of slots")
	case c.Full == 0:
		out.Full = 503
	case c.Full != 503 && c.Full != 529:
		return out, b.d.Errorf("provider.capacity.full", "found %d; want 503 or 529", c.Full)
	}
	return out, nil
}

func (b *builder) gateway(g *Gateway) (provider.Gateway, error) {
	out := provider.Gateway{Latency: time.Duration(g.Latency), Retries: g.Retries, Wait: time.Duration(g.Wait), StripRetryAfter: g.StripRetryAfter, RetryAfter: time.Duration(g.RetryAfter)}
	if g.Retries < 0 || g.Retries > 100 {
		return out, b.d.Errorf("provider.gateway.retries", "found %d; want 0 to 100", g.Retries)
	}
	if g.StripRetryAfter && g.RetryAfter > 0 {
		return out, b.d.Errorf("provider.gateway.retry_after", "found %v beside strip_retry_after; want one of them", time.Duration(g.RetryAfter))
	}
	for i, r := range g.Rewrite {
		if r.From < 300 || r.From > 599 || r.To < 300 || r.To > 599 {
			return out, b.d.Errorf(fmt.Sprintf("provider.gateway.rewrite.%d", i), "found %d to %d; want error statuses from 300 to 599", r.From, r.To)
		}
		out.Rewrite = append(out.Rewrite, provider.Rewrite{From: r.From, To: r.To})
	}
	return out, nil
}

func (b *builder) limit(path string, l Limit) (out provider.Limit, err error) {
	if l.Limit.Amount < 1 || l.Limit.Period == 0 {
		return out, b.d.Errorf(path+".limit", "found %v; %s", l.Limit, rateAllowed)
	}
	out = provider.Limit{
		Resource: resourceOf(l.Resource), Amount: l.Limit.Amount, Period: l.Limit.Period, Burst: int64(l.Burst),
		Kind: kindOf[l.Kind], Quantum: time.Duration(l.EnforcedEvery), Used: int64(l.Used), Rejected: rejectedOf[l.Rejected],
		Cached: l.Cached != "free", Estimate: float64(l.Estimate), Output: int64(l.OutputFactor),
	}
	if err := b.limitKind(path, l, &out); err != nil {
		return out, err
	}
	if out.Resource == provider.Requests {
		if l.Charge != "" || l.Settle != "" || l.Cached != "" || l.Estimate != 0 || l.OutputFactor != 0 {
			return out, b.d.Errorf(path, "a limit on requests counts one each; charge, settle, cached, estimate and output_factor are for limits on tokens")
		}
		return out, nil
	}
	switch {
	case l.Charge != "":
		out.Charge = chargeOf[l.Charge]
	case out.Resource == provider.Tokens:
		out.Charge = provider.PromptPlusMax
	case out.Resource == provider.OutputTokens:
		out.Charge = provider.AsProduced
	}
	if out.Resource == provider.OutputTokens && out.Charge != provider.AsProduced {
		return out, b.d.Errorf(path+".charge", "found %q; a limit on output tokens counts as_produced", l.Charge)
	}
	switch out.Settle = provider.Refund; l.Settle {
	case "none":
		out.Settle = provider.Keep
	case "multiply_output":
		out.Settle = provider.Multiply
	}
	if (out.Settle == provider.Multiply) != (l.OutputFactor != 0) {
		return out, b.d.Errorf(path+".output_factor", "output_factor and settle: multiply_output go together")
	}
	if err := out.Check(); err != nil {
		return out, b.d.Errorf(path, "%v", err)
	}
	return out, nil
}

// limitKind reads the parameters that belong to one kind of limit.
func (b *builder) limitKind(path string, l Limit, out *provider.Limit) error {
	if l.Burst != 0 && (out.Kind != provider.TokenBucket || l.EnforcedEvery != 0) {
		return b.d.Errorf(path+".burst", "only a token bucket that is not enforced in slices has a burst of its own")
	}
	if l.ResetsAt != 0 && out.Kind != provider.FixedWindow {
		return b.d.Errorf(path+".resets_at", "only a fixed window resets")
	}
	if out.Kind == provider.FixedWindow {
		out.Offset = (time.Duration(b.startsAt) - time.Duration(l.ResetsAt) + 24*time.Hour) % (24 * time.Hour)
	}
	if out.Kind == provider.RampLimit {
		if out.Growth, out.Every = 0.5, 15*time.Minute; l.Growth != 0 {
			out.Growth = float64(l.Growth)
		}
		if l.Every != 0 {
			out.Every = time.Duration(l.Every)
		}
		if l.EnforcedEvery != 0 {
			return b.d.Errorf(path+".enforced_every", "a ramp is enforced over its period")
		}
	} else if l.Growth != 0 || l.Every != 0 {
		return b.d.Errorf(path, "growth and every go with kind: ramp")
	}
	if err := out.Check(); err != nil && out.Settle != provider.Multiply {
		return b.d.Errorf(path, "%v", err)
	}
	return nil
}

var (
	kindOf     = map[Kind]provider.Kind{"fixed_window": provider.FixedWindow, "sliding_window": provider.SlidingWindow, "ramp": provider.RampLimit}
	rejectedOf = map[Rejected]provider.Rejected{"to_zero": provider.ToZero, "into_debt": provider.IntoDebt}
	chargeOf   = map[Charge]provider.Charge{"prompt": provider.Prompt, "prompt + max_tokens": provider.PromptPlusMax, "estimate": provider.EstimatedPrompt,
		"max(max_tokens, estimate)": provider.MaxOrEstimate, "as_produced": provider.AsProduced}
)

func resourceOf(r Resource) provider.Resource {
	switch r {
	case "tokens":
		return provider.Tokens
	case "input_tokens":
		return provider.InputTokens
	case "output_tokens":
		return provider.OutputTokens
	}
	return provider.Requests
}

func (b *builder) fault(path string, f Fault) (out provider.Fault, err error) {
	out = provider.Fault{At: time.Duration(f.At), For: time.Duration(f.For), Share: float64(f.Share)}
	if f.Gap.set() != f.Length.set() || (f.Gap.set() && f.For != 0) {
		return out, b.d.Errorf(path, "a fault that comes and goes has gap and length and no for")
	}
	if out.Gap, err = f.Gap.build(); err != nil {
		return out, b.d.Errorf(path+".gap", "%v", err)
	}
	if out.Length, err = f.Length.build(); err != nil {
		return out, b.d.Errorf(path+".length", "%v", err)
	}
	if out.Gap != nil && out.Gap.Mean()+out.Length.Mean() < 0.001 {
		return out, b.d.Errorf(path, "found a fault that comes more than a thousand times a second; want longer gaps or lengths")
	}
	var effects []provider.Effect
	if f.Status != 0 {
		if f.Status < 300 || f.Status > 599 {
			return out, b.d.Errorf(path+".status", "found %d; want an error status from 300 to 599", f.Status)
		}
		reply := wire.Reply{Status: f.Status, Code: f.Code}
		if f.RetryAfter > 0 {
			reply.RetryAfter = wire.After(time.Duration(f.RetryAfter))
		}
		effects = append(effects, provider.Reject{Reply: reply, After: time.Duration(f.After)})
	} else if f.Code != "" || f.RetryAfter != 0 || f.After != 0 {
		return out, b.d.Errorf(path, "code, retry_after and after go with a status; want status")
	}
	if f.Slow != 0 {
		effects = append(effects, provider.Slow{Factor: float64(f.Slow)})
	}
	if f.Hang {
		effects = append(effects, provider.Hang{})
	}
	if f.LoseReply {
		effects = append(effects, provider.Break{Part: 1})
	}
	if f.CutAt != nil {
		effects = append(effects, provider.Break{Part: float64(*f.CutAt)})
	}
	switch f.Connection {
	case "refused":
		effects = append(effects, provider.NoConnection{As: provider.RefusedConn})
	case "unreachable":
		effects = append(effects, provider.NoConnection{As: provider.Unreachable})
	}
	if c := f.Limit; c != nil {
		if c.Resource == "concurrency" || c.Resource == "" || c.Limit.Period == 0 {
			return out, b.d.Errorf(path+".limit", "want the resource requests, tokens or input_tokens and an amount per time")
		}
		if f.Gap.set() {
			return out, b.d.Errorf(path+".gap", "a limit changes at given times; want at and for")
		}
		if f.Share < 1 {
			return out, b.d.Errorf(path+".share", "found %v; a limit changes for all attempts", f.Share)
		}
		effects = append(effects, provider.ChangeLimit{Resource: resourceOf(c.Resource), Amount: c.Limit.Amount, Period: c.Limit.Period, Burst: int64(c.Burst)})
	}
	if len(effects) != 1 {
		return out, b.d.Errorf(path, "found %d effects; want exactly one of connection, cut_at, hang, limit, lose_reply, slow, status", len(effects))
	}
	out.Effect = effects[0]
	return out, nil
}
