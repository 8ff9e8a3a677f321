package scenario

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"stampede/dialect"
	"stampede/internal/nearest"
	"stampede/internal/strict"
	"stampede/provider"
	"stampede/sim"
	"stampede/wire"
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
	var errs strict.Errors
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

// scope checks that someone calls under each key and to each model that a limit
// names.
func (b *builder) scope(path string, l Limit, tenants []provider.Tenant) error {
	var keys, models []string
	for _, t := range tenants {
		keys, models = append(keys, t.Key), append(models, t.Model)
	}
	for _, k := range l.Keys {
		if !slices.Contains(keys, k) {
			return b.errorf(path+".keys", "found %q; no fleet uses this key; %s", k, nearest.Unknown(k, keys))
		}
	}
	if len(l.Models) > 0 && !slices.ContainsFunc(l.Models, func(m string) bool { return slices.Contains(models, m) }) {
		return b.errorf(path+".models", "found %v; no fleet calls any of them; the models called are %v", l.Models,
			models)
	}
	return nil
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
		out.Rewrite = append(out.Rewrite, provider.Rewrite{From: r.From, To: r.To})
	}
	return out, nil
}

// maxFactor bounds what a token counts at a limit, so that sums of billions of tokens stay exact.
const maxFactor = 1000

func (b *builder) limit(path string, l Limit) (out provider.Limit, err error) {
	switch {
	case l.Resource == "concurrency":
		if l.Limit.Period != 0 || l.Limit.Amount < 1 || l.Limit.Dollars {
			return out, b.errorf(path+".limit", "found %v; want a number of requests at once, such as 8", l.Limit)
		}
		if only := (Limit{Name: l.Name, Resource: l.Resource, Limit: l.Limit, Keys: l.Keys,
			Models: l.Models}); !reflect.DeepEqual(
			l,
			only,
		) {
			return out, b.errorf(path,
				"a limit on concurrency has a number and, where wanted, a name, keys and models")
		}
		return provider.Limit{
			Name:     l.Name,
			Resource: provider.Concurrency,
			Amount:   l.Limit.Amount,
			Keys:     l.Keys,
			Models:   l.Models,
		}, nil
	case l.Resource == "tokens_in_flight" || l.Resource == "enqueued_tokens":
		return b.heldTokens(path, l)
	case l.Balance.Amount != 0:
		return b.balance(path, l)
	case l.Limit.Amount < 1 || l.Limit.Period == 0:
		return out, b.errorf(path+".limit", "found %v; %s", l.Limit, rateAllowed)
	case l.Burst.Amount > 0 && l.Burst.Dollars != (l.Resource == "dollars"):
		return out, b.errorf(path+".burst", "found %v of %s; dollars, and only they, are written such as $5", l.Burst,
			l.Resource)
	case l.Used.Amount > 0 && l.Used.Dollars != (l.Resource == "dollars"):
		return out, b.errorf(path+".used", "found %v of %s; dollars, and only they, are written such as $5", l.Used,
			l.Resource)
	case l.Limit.Dollars != (l.Resource == "dollars"):
		return out, b.errorf(path+".limit", "found %v of %s; dollars, and only they, are written such as $10/10m",
			l.Limit, l.Resource)
	}
	out = provider.Limit{
		Name: l.Name, Resource: valueOf(provider.ResourceWords, l.Resource), Amount: l.Limit.Amount,
		Period: l.Limit.Period, Burst: l.Burst.Amount, Keys: l.Keys, Models: l.Models, Hidden: l.Hidden,
		Kind: valueOf(provider.KindWords, l.Kind), Quantum: time.Duration(l.EnforcedEvery), Used: l.Used.Amount,
		Rejected: valueOf(provider.RejectedWords, l.Rejected), Counted: valueOf(provider.CountedWords, l.Counts),
		Cached: provider.CacheCounts, Estimate: float64(l.Estimate), Output: int64(l.OutputFactor),
	}
	if out.Counted == provider.CountAttempts && l.Rejected == "free" {
		return out, b.errorf(path+".rejected", "found free and counts: attempts; want to_zero or into_debt")
	}
	if l.Cached != "" {
		out.Cached = valueOf(provider.CachedWords, l.Cached)
	}
	for i, t := range l.Tiers {
		at := fmt.Sprintf("%s.tiers.%d", path, i)
		if !t.Spent.Dollars {
			return out, b.errorf(at+".spent", "found %v; want dollars, such as $5", t.Spent)
		}
		if t.Limit.Period != l.Limit.Period || t.Limit.Dollars != l.Limit.Dollars {
			return out, b.errorf(at+".limit", "found %v; want an amount in the time of the limit, %v", t.Limit, l.Limit)
		}
		if i > 0 && t.Spent.Amount <= l.Tiers[i-1].Spent.Amount {
			return out, b.errorf(at+".spent", "found %v; want more than the %v before it", t.Spent, l.Tiers[i-1].Spent)
		}
		out.Tiers = append(out.Tiers, provider.SpendTier{
			Spent: t.Spent.Amount, Amount: t.Limit.Amount, Burst: t.Burst.Amount,
		})
	}
	if out.Counted == provider.CountAnswered && l.Resource != "requests" && l.Resource != "dollars" {
		out.Charge = provider.AsProduced
	}
	if err := b.limitKind(path, l, &out); err != nil {
		return out, err
	}
	if out.Resource == provider.Requests || out.Resource == provider.Dollars {
		if l.Charge != "" || l.Settle != "" || l.Cached != "" || l.Estimate != 0 || l.OutputFactor != 0 {
			return out, b.errorf(
				path,
				"a limit on requests counts one each, one on dollars what is billed; charge, settle, cached, "+
					"estimate and output_factor are for limits on tokens",
			)
		}
		return out, nil
	}
	switch {
	case l.Charge != "":
		out.Charge = valueOf(provider.ChargeWords, l.Charge)
	case out.Counted == provider.CountAnswered:
	case out.Resource == provider.Tokens:
		out.Charge = provider.PromptPlusMax
	case out.Resource == provider.OutputTokens:
		out.Charge = provider.AsProduced
	}
	if out.Resource == provider.OutputTokens && out.Charge != provider.AsProduced {
		return out, b.errorf(path+".charge", "found %q; a limit on output tokens counts as_produced", l.Charge)
	}
	if out.Settle = provider.Refund; l.Settle != "" {
		out.Settle = valueOf(provider.SettleWords, l.Settle)
	}
	if l.OutputFactor > maxFactor || l.Estimate > maxFactor {
		return out, b.errorf(path, "found output_factor %d and estimate %v; want at most %d", l.OutputFactor,
			l.Estimate, maxFactor)
	}
	if (out.Settle == provider.Multiply) != (l.OutputFactor != 0) {
		return out, b.errorf(path+".output_factor", "output_factor and settle: multiply_output require each other")
	}
	if err := out.Check(); err != nil {
		return out, b.errorf(path, "%v", err)
	}
	return out, nil
}

// balance is a limit on dollars that are paid in advance.
func (b *builder) balance(path string, l Limit) (out provider.Limit, err error) {
	only := Limit{Name: l.Name, Resource: l.Resource, Balance: l.Balance, Keys: l.Keys, Models: l.Models, Used: l.Used}
	switch {
	case l.Resource != "dollars" || !l.Balance.Dollars || l.Used.Amount > 0 && !l.Used.Dollars:
		return out, b.errorf(path+".balance", "found %v of %s; want dollars, such as {resource: dollars, balance: $20}",
			l.Balance, l.Resource)
	case !reflect.DeepEqual(l, only):
		return out, b.errorf(path, "a balance has an amount and, where wanted, a name, keys, models and used")
	}
	out = provider.Limit{
		Name: l.Name, Resource: provider.Dollars, Kind: provider.Balance, Amount: l.Balance.Amount, Period: sim.End,
		Used: l.Used.Amount, Keys: l.Keys, Models: l.Models,
	}
	if err := out.Check(); err != nil {
		return out, b.errorf(path, "%v", err)
	}
	return out, nil
}

// heldTokens is a limit on the tokens of requests that are at the provider at once.
func (b *builder) heldTokens(path string, l Limit) (out provider.Limit, err error) {
	if l.Limit.Period != 0 || l.Limit.Amount < 1 || l.Limit.Dollars {
		return out, b.errorf(path+".limit", "found %v; want a number of tokens at once, such as 200k", l.Limit)
	}
	only := Limit{Name: l.Name, Resource: l.Resource, Limit: l.Limit, Keys: l.Keys, Models: l.Models, Charge: l.Charge,
		Cached: l.Cached, Estimate: l.Estimate}
	if !reflect.DeepEqual(l, only) {
		return out, b.errorf(path, "a limit on %s has a number and, where wanted, a name, keys, models, charge, "+
			"cached and estimate", l.Resource)
	}
	out = provider.Limit{
		Name: l.Name, Resource: valueOf(provider.ResourceWords, l.Resource), Amount: l.Limit.Amount, Keys: l.Keys,
		Models: l.Models, Charge: provider.PromptPlusMax, Cached: provider.CacheCounts, Estimate: float64(l.Estimate),
	}
	if l.Resource == "enqueued_tokens" {
		out.Charge = provider.Prompt
	}
	if l.Charge != "" {
		out.Charge = valueOf(provider.ChargeWords, l.Charge)
	}
	if l.Cached != "" {
		out.Cached = valueOf(provider.CachedWords, l.Cached)
	}
	if err := out.Check(); err != nil {
		return out, b.errorf(path, "%v", err)
	}
	return out, nil
}

// limitKind reads the parameters that belong to one kind of limit.
func (b *builder) limitKind(path string, l Limit, out *provider.Limit) error {
	if l.Burst.Amount != 0 &&
		(!out.HasBurst() || l.EnforcedEvery != 0) {
		return b.errorf(path+".burst", "requires a bucket without enforced_every")
	}
	if l.ResetsAt != nil && out.Kind != provider.FixedWindow {
		return b.errorf(path+".resets_at", "requires kind: fixed_window")
	}
	if l.ResetsAt != nil {
		out.Offset = (time.Duration(b.startsAt) - time.Duration(*l.ResetsAt) + 24*time.Hour) % (24 * time.Hour)
	}
	if out.Kind == provider.RampLimit {
		if out.Growth, out.Every = 0.5, 15*time.Minute; l.Growth != 0 {
			out.Growth = float64(l.Growth)
		}
		if l.Every != 0 {
			out.Every = time.Duration(l.Every)
		}
		if l.EnforcedEvery != 0 {
			return b.errorf(path+".enforced_every", "a ramp is enforced over its period")
		}
		if l.Used.Amount != 0 {
			return b.errorf(path+".used", "a ramp starts from a rate; want prior_rate")
		}
		if l.Prior.Amount != 0 && (l.Prior.Period == 0 || l.Prior.Dollars != l.Limit.Dollars) {
			return b.errorf(path+".prior_rate", "found %v; want a rate such as 500k/min", l.Prior)
		}
		if l.Prior.Amount != 0 {
			out.Before = int64(
				math.Ceil(min(float64(l.Prior.Amount)*float64(out.Every)/float64(l.Prior.Period), 1e18)))
		}
	} else if l.Growth != 0 || l.Every != 0 || l.Prior.Amount != 0 {
		return b.errorf(path, "growth, every and prior_rate require kind: ramp")
	}
	if err := out.Check(); err != nil && out.Settle != provider.Multiply {
		return b.errorf(path, "%v", err)
	}
	return nil
}

// header is what a client finds in a Retry-After of these words. A run has no date, so that
// every date is one before it.
func header(text string) wire.Hint {
	text = strings.TrimSpace(text)
	if x, err := strconv.ParseFloat(text, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return wire.Hint{Form: wire.Seconds, Value: x}
	}
	if _, err := http.ParseTime(text); err == nil {
		return wire.Hint{Form: wire.Date, Value: -1}
	}
	return wire.Hint{Form: wire.Garbage}
}

func (b *builder) fault(path string, f Fault) (out provider.Fault, err error) {
	out = provider.Fault{At: time.Duration(f.At), For: time.Duration(f.For), Share: float64(f.Share), First: f.First,
		Of: valueOf(provider.FirstOfWords, f.Of)}
	switch {
	case f.First < 0 || f.First > 1e9:
		return out, b.errorf(path+".first", "found %d; want a number of attempts from 1", f.First)
	case f.Of != "" && f.First == 0:
		return out, b.errorf(path+".of", "says whose first attempts are affected; want first as well")
	}
	if f.Gap.set() != f.Length.set() || (f.Gap.set() && f.For != 0) {
		return out, b.errorf(path, "a recurring fault needs gap and length, and no for")
	}
	if out.Gap, err = f.Gap.build(); err != nil {
		return out, b.errorf(path+".gap", "%v", err)
	}
	if out.Length, err = f.Length.build(); err != nil {
		return out, b.errorf(path+".length", "%v", err)
	}
	if out.Gap != nil && out.Gap.Mean()+out.Length.Mean() < 0.001 {
		return out, b.errorf(path,
			"found a fault that comes more than a thousand times a second; want longer gaps or lengths")
	}
	if f.Counts != "" {
		if f.Status == 0 {
			return out, b.errorf(path+".counts", "requires status; other faults strike requests that count")
		}
		// What the fault rejects is neither admitted nor answered.
		if out.Counted = provider.NoLimits; f.Counts == "true" || f.Counts == "attempts" {
			out.Counted = provider.AllLimits
		}
	}
	if s := f.Start; s != nil {
		switch {
		case f.For == 0 && !f.Gap.set():
			return out, b.errorf(path+".slow_start", "requires a fault that ends; want for, or gap and length")
		case s.For == 0 || s.Slow < 1 || s.Slow > maxFactor:
			return out, b.errorf(path+".slow_start", "found %v times for %v; want a factor from 1 to %d and a time",
				s.Slow, s.For, maxFactor)
		}
		out.Start = provider.SlowStart{For: time.Duration(s.For), Factor: float64(s.Slow)}
	}
	var effects []provider.Effect
	if f.Status != 0 {
		switch {
		case f.Status == 200 && f.Code == "":
			return out, b.errorf(path+".code", "found none; an error in the body of status 200 requires a code")
		case f.Status != 200 && (f.Status < 300 || f.Status > 599):
			return out, b.errorf(path+".status", "found %d; want an error status from 300 to 599, or 200 with a code",
				f.Status)
		}
		reply := wire.Reply{Status: f.Status, Code: f.Code}
		if f.Header != "" {
			if f.RetryAfter > 0 {
				return out, b.errorf(path+".retry_after_header", "found both it and retry_after; want one of them")
			}
			reply.RetryAfter = header(f.Header)
		}
		effects = append(effects,
			provider.Reject{Reply: reply, Wait: time.Duration(f.RetryAfter), After: time.Duration(f.After)})
	} else if (f.Code != "" && f.CutAt == nil) || f.RetryAfter != 0 || f.Header != "" || f.After != 0 {
		return out, b.errorf(path, "code, retry_after, retry_after_header and after require status")
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
		effects = append(effects, provider.Break{Part: float64(*f.CutAt), Code: f.Code})
	}
	if f.Connection != "" {
		effects = append(effects, provider.NoConnection{As: valueOf(provider.ReachabilityWords, f.Connection)})
	}
	if c := f.Limit; c != nil {
		if valueOf(provider.ResourceWords, c.Resource).Held() || c.Resource == "" || c.Limit.Period == 0 ||
			c.Limit.Dollars != (c.Resource == "dollars") ||
			(c.Burst.Amount > 0 && c.Burst.Dollars != (c.Resource == "dollars")) {
			return out, b.errorf(path+".limit", "want a resource with a period and an amount per time")
		}
		if f.Gap.set() {
			return out, b.errorf(path+".gap", "a limit changes at given times; want at and for")
		}
		if f.Share < 1 {
			return out, b.errorf(path+".share", "found %v; a limit changes for all attempts", f.Share)
		}
		if f.First > 0 {
			return out, b.errorf(path+".first", "found %d; a limit changes for all attempts", f.First)
		}
		effects = append(
			effects,
			provider.ChangeLimit{
				Resource: valueOf(provider.ResourceWords, c.Resource),
				Amount:   c.Limit.Amount,
				Period:   c.Limit.Period,
				Burst:    c.Burst.Amount,
				Name:     c.Name,
				Keys:     c.Keys,
				Models:   c.Models,
			},
		)
	}
	if len(effects) != 1 {
		return out, b.errorf(path,
			"found %d effects; want exactly one of connection, cut_at, hang, limit, lose_reply, slow, status",
			len(effects))
	}
	out.Effect = effects[0]
	return out, nil
}
