package scenario

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"stampede/internal/nearest"
	"stampede/provider"
	"stampede/sim"
)

// maxFactor bounds what a token counts at a limit, so that sums of billions of tokens stay exact.
const maxFactor = 1000

func (b *builder) limit(path string, l Limit) (provider.Limit, error) {
	advice := l.XShouldRetry.advice()
	l.XShouldRetry = "" // which every kind of limit may have
	out, err := b.limitOn(path, l)
	out.Advice = advice
	return out, err
}

func (b *builder) limitOn(path string, l Limit) (out provider.Limit, err error) {
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
