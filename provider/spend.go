package provider

import (
	"fmt"
	"slices"
	"time"

	"stampede/sim"
)

// SpendTier is another shape of a limit once so much was billed to those whom it counts.
type SpendTier struct {
	Spent  int64 // nano-dollars since the start of the run
	Amount int64 // per period
	Burst  int64 // as of the limit
}

// checkTiers reports tiers that make no sense.
func (l *Limit) checkTiers() error {
	if len(l.Tiers) == 0 {
		return nil
	}
	if l.Quantum > 0 || l.kind().remembers || l.Kind == Balance {
		return fmt.Errorf("the limit %s has tiers by spend; allowed is a bucket or a window without slices", l.label())
	}
	for i, t := range l.Tiers {
		if t.Amount <= 0 || t.Burst < 0 || t.Spent <= 0 || i > 0 && t.Spent <= l.Tiers[i-1].Spent {
			return fmt.Errorf("tier %d of the limit %s: %d after %d nano-dollars; allowed are positive amounts, each "+
				"after more than the one before", i, l.label(), t.Amount, t.Spent)
		}
	}
	return nil
}

// Largest is the limit with the largest amount and burst of its tiers.
func (l Limit) Largest() Limit {
	amount, burst := l.Amount, l.burst()
	for _, t := range l.Tiers {
		to := l
		to.Amount, to.Burst = t.Amount, t.Burst
		amount, burst = max(amount, t.Amount), max(burst, to.burst())
	}
	if l.Amount = amount; len(l.Tiers) > 0 && l.HasBurst() {
		l.Burst = burst
	}
	return l
}

// spend takes note of a bill, and gives the limit the shape of the tier that is reached by it.
func (l *limiter) spend(now sim.Time, nano int64) {
	l.spent += nano
	for len(l.Tiers) > 0 && l.Tiers[0].Spent <= l.spent {
		to := l.Limit
		to.Amount, to.Burst, to.Tiers = to.Tiers[0].Amount, to.Tiers[0].Burst, to.Tiers[1:]
		l.reshape(now, to)
	}
}

// prepaid is the counting of a balance: it is there at the start, and what is spent is gone.
type prepaid struct{}

func (prepaid) meter(l *Limit) meter { return &balance{NewWindow(l.Amount, sim.End, 0)} }

func (prepaid) within(l *Limit, _, _ sim.Time, used, slack int64, _ traffic) int64 {
	return plus(max(0, l.Amount-used), slack)
}

func (prepaid) refilled(*limiter, sim.Time) float64 { return 0 }

// balance is a window that never begins anew.
type balance struct{ Window }

// Wait implements meter: what is spent does not come back.
func (b *balance) Wait(n int64) time.Duration {
	if b.Has(n) {
		return 0
	}
	return sim.Never
}

// spending reports whether a limit looks at what was billed.
func (l *Limit) spending() bool { return l.Resource == Dollars || len(l.Tiers) > 0 }

// Spends reports whether a limit looks at what was billed: others do not look at Used.Nano.
func (p *Provider) Spends() bool {
	return slices.ContainsFunc(p.config.Limits, func(l Limit) bool { return l.spending() })
}

// Spend counts what a refused request is billed for at the limits on dollars.
func (p *Provider) Spend(now sim.Time, r *Request, nano int64) {
	for i := range p.limits {
		l := &p.limits[i]
		if !l.counts(r) {
			continue
		}
		if l.Resource == Dollars && l.Counted != CountAnswered {
			l.advance(now)
			l.take(nano)
		}
		if len(l.Tiers) > 0 {
			l.spend(now, nano)
		}
	}
}
