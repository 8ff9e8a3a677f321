package scenario

import (
	"fmt"
	"slices"
	"time"

	"stampede/dialect"
	"stampede/internal/nearest"
	"stampede/internal/strict"
	"stampede/provider"
)

// maxLimits is how many limits a provider can have.
const maxLimits = 100

func (b *builder) provider(at string, p *Provider, tenants []provider.Tenant) (out provider.Config, err error) {
	speech, _ := dialect.Find(string(p.Dialect)) // empty is plain
	out = provider.Config{
		Name:        nameOf(p.Name, p.Preset, *p),
		Dialect:     speech,
		Tenants:     tenants,
		Billing:     billing(p.Bills),
		RoundTrip:   time.Duration(p.RoundTrip),
		ReplaysKeys: p.Replays,
		RetryAfter:  provider.RetryAfter{Round: time.Duration(p.RetryAfter.Round), Millis: p.RetryAfter.Milliseconds},
		Latency: provider.Latency{
			CallShare:   float64(p.Latency.CallShare),
			PerInFlight: time.Duration(p.Latency.PerInFlight),
			PerThousand: time.Duration(p.Latency.PerPrompt),
		},
	}
	out.RetryAfter.As = valueOf(provider.WritingWords, p.RetryAfter.Send)
	out.Cancel = valueOf(provider.CancelRuleWords, p.Cancel)
	if p.Preset != "" {
		if preset, err := FindPreset("provider", p.Preset); err == nil {
			for _, note := range presetNotes(preset, p, at) {
				b.warnings.once(note)
			}
		}
	}
	var errs strict.Errors
	out.MaxRequest, err = b.maxRequest(at, &p.MaxRequest)
	errs.Add(err)
	out.Capacity, err = b.capacity(at, &p.Capacity)
	errs.Add(err)
	out.Gateway, err = b.gateway(at, &p.Gateway)
	errs.Add(err)
	if out.Latency.FirstToken, err = p.Latency.FirstToken.build(); err != nil {
		errs.Add(b.errorf(at+".latency.first_token", "%v", err))
	}
	if out.Latency.TokensPerSecond, err = p.Latency.TokensPerSecond.build(); err != nil {
		errs.Add(b.errorf(at+".latency.tokens_per_second", "%v", err))
	}
	if law := out.Latency.TokensPerSecond; law != nil && law.Sample(0x1p-53) <= 0 {
		errs.Add(
			b.errorf(at+".latency.tokens_per_second", "found a distribution that can give 0; want values above 0"))
	}
	if out.Capacity.Batching != nil && (out.Latency.FirstToken != nil || out.Latency.TokensPerSecond != nil) {
		errs.Add(b.errorf(at+".latency", "found latency and capacity.batching; want one of them"))
	} else if out.Capacity.Batching != nil && (out.Latency.PerThousand > 0 || p.Latency.ByUse != nil) {
		errs.Add(b.errorf(at+".latency",
			"found first_token_per_1k_prompt or by_use and capacity.batching; want one of them"))
	}
	if n := len(p.Limits); n > maxLimits {
		return out, b.errorf(at+".limits", "found %d limits; want at most %d", n, maxLimits)
	}
	for i, l := range p.Limits {
		path := fmt.Sprintf("%s.limits.%d", at, i)
		if l.Resource == "" {
			errs.Add(b.errorf(path+".resource", "found nothing; want one of %v", l.Resource.Words()))
			continue
		}
		limit, err := b.limit(path, l)
		errs.Add(err)
		if err != nil {
			continue
		}
		if !b.partial {
			errs.Add(b.scope(path, l, tenants))
		}
		if limit.Charge == provider.PromptPlusMax &&
			slices.ContainsFunc(b.undeclared, func(i int) bool { return limit.Covers(tenants[i]) }) {
			errs.Add(
				b.errorf(path+".charge",
					"charges max_tokens, but workload.max_tokens is not set; set it, or charge: prompt"),
			)
		}
		out.Limits = append(out.Limits, limit)
	}
	if err := provider.NameLimits(out.Limits); err != nil {
		errs.Add(b.errorf(at+".limits", "%v", err))
	}
	if u := p.Latency.ByUse; u != nil && len(errs) == 0 {
		var names []string
		for _, l := range out.Limits {
			names = append(names, l.Name)
		}
		out.Latency.ByUse = provider.ByUse{Limit: slices.Index(names, u.Limit), Full: float64(u.Full)}
		switch {
		case out.Latency.ByUse.Limit < 0:
			errs.Add(b.errorf(at+".latency.by_use.limit", "found %q; no limit has this name; %s", u.Limit,
				nearest.Unknown(u.Limit, names)))
		case u.Full < 1 || u.Full > maxFactor:
			errs.Add(b.errorf(at+".latency.by_use.full", "found %v; want a factor from 1 to %d", u.Full, maxFactor))
		}
	}
	for i, f := range p.Faults {
		fault, err := b.fault(fmt.Sprintf("%s.faults.%d", at, i), f)
		errs.Add(err)
		out.Faults = append(out.Faults, fault)
	}
	if len(errs) > 0 {
		return out, errs.Join()
	}
	if _, err := provider.New(out, 0); err != nil {
		return out, b.errorf(at+".faults", "%v", err)
	}
	return out, nil
}

// billing is where a provider that bills these departs from billing all the work
// that was done and nothing else.
func billing(bills []Billed) provider.Billing {
	return provider.Billing{
		AbandonedFree: !slices.Contains(
			bills,
			"abandoned",
		), CutFree: !slices.Contains(bills, "cut_stream"), LostFree: !slices.Contains(bills, "lost_reply"),
		TimeoutBilled: slices.Contains(bills, "timeout_408"), FilterBilled: slices.Contains(bills, "content_filter"),
	}
}

func (b *builder) capacity(at string, c *Capacity) (provider.Capacity, error) {
	out := provider.Capacity{Slots: int(c.Slots), Full: c.Full, Asks: time.Duration(c.RetryAfter)}
	if t := c.Batching; t != nil {
		if t.Step == 0 || t.PromptPerStep > 1e9 {
			return out, b.errorf(at+".capacity.batching", "found a step of %v; want a time such as 12ms", t.Step)
		}
		out.Batching = &provider.Batching{
			Step:      time.Duration(t.Step),
			PerStream: time.Duration(t.PerStream),
			PerStep:   int(t.PromptPerStep),
		}
	}
	out.Queue = int(c.Queue)
	switch {
	case c.Slots == 0 && (c.Queue != 0 || c.Full != 0 || c.Batching != nil || c.RetryAfter != 0):
		return out, b.errorf(at+".capacity.slots",
			"found none; queue, full_status and batching require a number of slots")
	case c.Full != 0 && c.Full != 429 && c.Full != 503 && c.Full != 529:
		return out, b.errorf(at+".capacity.full_status", "found %d; want 429, 503 or 529", c.Full)
	}
	return out, nil
}

func (b *builder) gateway(at string, g *Gateway) (provider.Gateway, error) {
	out := provider.Gateway{
		Latency:         time.Duration(g.Latency),
		Retries:         g.Retries,
		Wait:            time.Duration(g.Wait),
		StripRetryAfter: g.StripRetryAfter,
		StripQuotas:     g.StripQuotas,
		RetryAfter:      time.Duration(g.RetryAfter),
		StripCodes:      g.StripCodes,
		StripAdvice:     g.StripAdvice,
	}
	if g.Retries < 0 || g.Retries > 100 {
		return out, b.errorf(at+".gateway.retries", "found %d; want 0 to 100", g.Retries)
	}
	if g.StripRetryAfter && g.RetryAfter > 0 {
		return out, b.errorf(at+".gateway.retry_after", "found %v and strip_retry_after; want one of them",
			time.Duration(g.RetryAfter))
	}
	for i, r := range g.Rewrite {
		if r.From < 300 || r.From > 599 || r.To < 300 || r.To > 599 {
			return out, b.errorf(fmt.Sprintf("%s.gateway.rewrite.%d", at, i),
				"found %d to %d; want error statuses from 300 to 599", r.From, r.To)
		}
		out.Rewrite = append(out.Rewrite, provider.Rewrite{From: r.From, To: r.To, Code: r.Code})
	}
	for i, e := range g.Errors {
		if e.Status < 300 || e.Status > 599 {
			found := fmt.Sprint(e.Status)
			if e.Status == 0 {
				found = "none"
			}
			return out, b.errorf(fmt.Sprintf("%s.gateway.errors.%d.status", at, i),
				"found %s; want an error status from 300 to 599", found)
		}
		out.Errors = append(out.Errors, provider.GatewayError{
			Share: float64(e.Share), Status: e.Status, Code: e.Code,
			Wait: time.Duration(e.RetryAfter), After: time.Duration(e.After),
			Advice: e.Advice.advice(),
		})
	}
	return out, nil
}
