// Package draw draws random providers for the tests of several packages.
package draw

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"stampede/dialect"
	"stampede/law"
	"stampede/provider"
	"stampede/sim"
	"stampede/wire"
)

const s, ms = time.Second, time.Millisecond

// Span draws a time from a nanosecond to the longest.
func Span(t *rapid.T, name string, longest time.Duration) time.Duration {
	return time.Duration(rapid.Int64Range(1, int64(longest)).Draw(t, name))
}

// Law draws a law with that mean, or one near it.
func Law(t *rapid.T, name string, mean float64) law.Law {
	return rapid.SampledFrom([]law.Law{
		law.Constant(mean),
		law.Exponential{Beta: mean},
		law.LognormalFromMean(mean, 1.5),
		law.Uniform{Min: 0, Max: 2 * mean},
		law.Mixture{{Weight: 0.9, Law: law.Constant(mean)}, {Weight: 0.1, Law: law.Exponential{Beta: 10 * mean}}},
	}).Draw(t, name)
}

// Provider draws a provider with everything in it. Its calls are those of [Limit].
func Provider(t *rapid.T, tenants []provider.Tenant) provider.Config {
	sometimes := func(name string) bool { return rapid.Bool().Draw(t, name) }
	c := provider.Config{
		Dialect: dialect.Dialect(rapid.IntRange(0, len(dialect.Names())-1).Draw(t, "dialect")),
		Tenants: tenants,
		Latency: provider.Latency{
			FirstToken:      Law(t, "first", 0.5),
			TokensPerSecond: law.Uniform{Min: 20, Max: 100},
			CallShare:       rapid.SampledFrom([]float64{0, 0.4, 1}).Draw(t, "share"),
		},
		RoundTrip: rapid.SampledFrom([]time.Duration{0, 1, 50 * ms, 3 * s}).Draw(t, "trip"),
		Cancel:    provider.CancelRule(rapid.IntRange(0, 2).Draw(t, "cancel")),
		Billing: provider.Billing{
			AbandonedFree: sometimes("abandoned free"),
			CutFree:       sometimes("cut free"),
			LostFree:      sometimes("lost free"),
			TimeoutBilled: sometimes("408 billed"),
			FilterBilled:  sometimes("filter billed"),
		},
	}
	if rapid.IntRange(0, 2).Draw(t, "per prompt") == 2 {
		c.Latency.PerThousand = 700 * ms
	}
	if sometimes("limits") {
		for range rapid.IntRange(1, 6).Draw(t, "number of limits") {
			c.Limits = append(c.Limits, Limit(t))
		}
	}
	c.ReplaysKeys = sometimes("replays keys")
	if sometimes("gateway") {
		c.Gateway = provider.Gateway{
			Latency:         20 * ms,
			Retries:         rapid.IntRange(0, 3).Draw(t, "relayed"),
			Wait:            300 * ms,
			StripRetryAfter: sometimes("strip"),
			RetryAfter:      time.Duration(rapid.IntRange(0, 2).Draw(t, "said")) * s,
			Rewrite:         []provider.Rewrite{{From: 503, To: 500}},
			StripCodes:      sometimes("codes"),
		}
		if rapid.IntRange(0, 2).Draw(t, "its own errors") == 2 {
			c.Gateway.Errors = []provider.GatewayError{{Share: 0.3, Status: 502, After: 40 * ms}}
		}
	}
	if sometimes("capacity") {
		c.Capacity = provider.Capacity{
			Slots: rapid.IntRange(1, 3).Draw(t, "capacity slots"),
			Queue: rapid.IntRange(-1, 4).Draw(t, "room"),
			Full:  529,
		}
		if sometimes("batching") {
			c.Capacity.Batching = &provider.Batching{
				Step:      20 * ms,
				PerStream: 10 * ms,
				PerStep:   rapid.IntRange(0, 50).Draw(t, "per step"),
			}
		}
	}
	if sometimes("concurrency") {
		c.Limits = append(c.Limits, provider.Limit{
			Resource: provider.Concurrency, Amount: rapid.Int64Range(1, 4).Draw(t, "slots"),
		})
	}
	if rapid.IntRange(0, 3).Draw(t, "held") == 3 {
		c.Limits = append(c.Limits, provider.Limit{
			Resource: rapid.SampledFrom([]provider.Resource{provider.TokensInFlight, provider.EnqueuedTokens}).
				Draw(t, "held tokens"),
			Amount: rapid.Int64Range(100, 1000).Draw(t, "tokens at once"),
			Charge: provider.Charge(rapid.IntRange(int(provider.Prompt), int(provider.MaxOrEstimate)).
				Draw(t, "held charge")),
			Cached: provider.Cached(rapid.IntRange(0, 2).Draw(t, "held cached")),
		})
	}
	if len(c.Limits) > 0 && rapid.IntRange(0, 3).Draw(t, "by use") == 3 {
		c.Latency.ByUse = provider.ByUse{Limit: len(c.Limits) - 1, Full: 3}
	}
	c.Faults = faults(t, c.Limits)
	return c
}

// faults draws a fault schedule for a provider with these limits.
func faults(t *rapid.T, limits []provider.Limit) (out []provider.Fault) {
	effects := []provider.Effect{
		provider.Reject{Reply: wire.Reply{Status: 503}, After: 100 * ms},
		provider.Hang{},
		provider.Reject{Reply: wire.Reply{Status: 400}},
		provider.Reject{Reply: wire.Reply{Status: 408}, After: 2 * s},
		provider.Reject{Reply: wire.Reply{Status: 400, Code: "content_filter"}},
		provider.Break{Part: 0.3, Code: "overloaded_error"},
		provider.Break{Part: 0.4},
		provider.Break{Part: 1},
		provider.Break{Part: 0.2, Silent: true},
		provider.Break{Part: 1, Silent: true},
		provider.Slow{Factor: 5},
		provider.NoConnection{As: provider.RefusedConn},
		provider.NoConnection{As: provider.Unreachable},
		provider.NoConnection{As: provider.NoName, After: law.Exponential{Beta: 1}},
		provider.NoConnection{As: provider.NoTLS},
		provider.NoConnection{As: provider.ResetConn},
		provider.Reject{Reply: wire.Reply{Status: 200, Code: "overloaded_error"}},
	}
	for i, l := range limits {
		first := slices.IndexFunc(limits, func(other provider.Limit) bool { return other.Resource == l.Resource })
		if l.Period > 0 && len(l.Keys) == 0 && first == i && len(l.Tiers) == 0 && l.Kind != provider.Balance {
			effects = append(effects, provider.ChangeLimit{
				Resource: l.Resource, Amount: max(1, l.Amount/3), Period: l.Period, Burst: l.Burst / 3,
			})
		}
	}
	for range rapid.IntRange(0, 3).Draw(t, "faults") {
		out = append(out, provider.Fault{
			At: Span(t, "at", 20*s), For: Span(t, "for", 20*s),
			Share:  rapid.SampledFrom([]float64{0.1, 1}).Draw(t, "of"),
			Effect: effects[evenly(t, "effect", len(effects))],
		})
	}
	for i := range out {
		if rapid.IntRange(0, 3).Draw(t, "slow start") == 3 {
			out[i].Start = provider.SlowStart{For: Span(t, "until it is usual", 10*s), Factor: 4}
		}
		if _, rejects := out[i].Effect.(provider.Reject); rejects {
			out[i].Counted = provider.FaultCounted(rapid.IntRange(0, 2).Draw(t, "counted"))
		}
	}
	if len(out) > 0 && rapid.IntRange(0, 2).Draw(t, "first") == 2 {
		if _, changes := out[0].Effect.(provider.ChangeLimit); !changes {
			out[0].First = rapid.IntRange(1, 3).Draw(t, "first attempts")
			out[0].Of = provider.FirstOf(rapid.IntRange(0, 1).Draw(t, "of whom"))
		}
	}
	if len(out) > 0 && rapid.Bool().Draw(t, "spells") {
		if _, changes := out[0].Effect.(provider.ChangeLimit); !changes {
			out[0].Gap, out[0].Length = Law(t, "gap", 3), Law(t, "length", 3)
		}
	}
	return out
}

// evenly draws one of n numbers, none more often than another: rapid prefers the first.
func evenly(t *rapid.T, name string, n int) int {
	const golden = 0x9e3779b97f4a7c15 // spreads what is drawn over all bits
	return int(rapid.Uint64().Draw(t, name) * golden >> 33 % uint64(n))
}

// Limit draws a limit of any kind on any resource but concurrency. The amounts are such
// that the calls of a random fleet meet them: some 100 tokens in and 50 out, some ten a minute.
func Limit(t *rapid.T) provider.Limit {
	l := provider.Limit{
		Resource: provider.Resource(rapid.IntRange(int(provider.Requests), int(provider.Dollars)).Draw(t, "resource")),
		Kind: rapid.SampledFrom([]provider.Kind{provider.TokenBucket, provider.FixedWindow, provider.SlidingWindow,
			provider.RampLimit, provider.RampLimit, provider.LeakyBucket}).Draw(t, "kind"),
		Period:   rapid.SampledFrom([]time.Duration{s, 7 * s, 60 * s, 3600 * s}).Draw(t, "period"),
		Rejected: provider.Rejected(rapid.IntRange(0, 2).Draw(t, "rejected")),
	}
	per := map[provider.Resource]int64{
		provider.Requests: 10, provider.Tokens: 3_000, provider.InputTokens: 2_000, provider.OutputTokens: 1_000,
		provider.Dollars: 800_000,
	}[l.Resource]
	times := rapid.SampledFrom([]float64{0.2, 1, 1, 5}).Draw(t, "amount")
	l.Amount = max(2, int64(float64(per)*times*min(max(0.3, l.Period.Minutes()), 3)))
	if rapid.IntRange(0, 3).Draw(t, "for some") == 0 {
		l.Keys = []string{"main"}
	}
	if rapid.IntRange(0, 3).Draw(t, "used before") == 0 {
		l.Used = rapid.Int64Range(1, l.Amount).Draw(t, "used")
	}
	switch l.Resource {
	case provider.Tokens, provider.InputTokens:
		l.Charge = provider.Charge(rapid.IntRange(int(provider.Prompt), int(provider.AsProduced)).Draw(t, "charge"))
		l.Settle = provider.Settle(rapid.IntRange(int(provider.Keep), int(provider.TrueUsage)).Draw(t, "settle"))
		l.Output, l.Estimate = 5, rapid.SampledFrom([]float64{0, 0.7, 1.3}).Draw(t, "estimate")
		l.Cached = provider.Cached(rapid.IntRange(0, 2).Draw(t, "cached"))
	case provider.OutputTokens:
		l.Charge, l.Settle = provider.AsProduced, provider.Refund
	}
	switch l.Kind {
	case provider.FixedWindow:
		l.Offset = rapid.SampledFrom([]time.Duration{0, 3 * s, 40 * s}).Draw(t, "offset")
		l.Quantum = quantum(t, l.Period)
	case provider.SlidingWindow:
		l.Quantum = quantum(t, l.Period)
	case provider.RampLimit:
		l.Growth = rapid.SampledFrom([]float64{0, 0.5, 3}).Draw(t, "growth")
		l.Every = l.Period * time.Duration(rapid.IntRange(2, 6).Draw(t, "every")) / 2
		l.Before = rapid.SampledFrom([]int64{0, 2 * l.Amount, 5 * l.Amount}).Draw(t, "before")
	case provider.TokenBucket:
		if l.Quantum = quantum(t, l.Period); l.Quantum == 0 {
			l.Burst = rapid.SampledFrom([]int64{0, max(1, l.Amount/5), 2 * l.Amount}).Draw(t, "burst")
		}
	}
	l.Counted = rapid.SampledFrom([]provider.Counted{provider.CountAdmitted, provider.CountAdmitted,
		provider.CountAttempts, provider.CountAnswered}).Draw(t, "counted")
	switch rapid.IntRange(0, 4).Draw(t, "spending") {
	case 3:
		if l.Quantum == 0 && l.Kind != provider.RampLimit {
			l.Tiers = []provider.SpendTier{
				{Spent: 100_000, Amount: max(1, l.Amount/2), Burst: l.Burst},
				{Spent: 400_000, Amount: 3 * l.Amount},
			}
		}
	case 4:
		if l.Resource == provider.Dollars {
			l.Kind, l.Period, l.Quantum, l.Burst = provider.Balance, sim.End, 0, 0
		}
	}
	if l.Counted == provider.CountAnswered && l.Resource != provider.Requests && l.Resource != provider.Dollars {
		l.Charge = provider.AsProduced
	}
	return l
}

func quantum(t *rapid.T, period time.Duration) time.Duration {
	return rapid.SampledFrom([]time.Duration{0, 0, period, period / 6, period / 60}).Draw(t, "quantum")
}
