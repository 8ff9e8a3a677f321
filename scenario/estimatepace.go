package scenario

import (
	"fmt"
	"math"
	"slices"
	"time"

	"stampede/fleet"
	"stampede/policy"
	"stampede/provider"
	"stampede/sim"
)

// pacerParts are the buckets of the client's pacer: by requests, where their rate stays, and by what a call
// takes of the tokens first and in the end.
func (s *Scenario) pacerParts(a averages) (out []part) {
	m := &s.Model
	p, pacers, where := &m.Client.Pacer, pacersOf(&m.Fleet), ""
	if pacers > 1 {
		where = fmt.Sprintf(" in each of %d instances", m.Instances)
	}
	bucket := func(what string, rate, burst, each, first float64) {
		if rate *= pacers / each; rate == 0 {
			return
		}
		burst = pacers * math.Floor(burst/max(each, first)*(1+1e-9))
		b := part{
			what: what + where, rate: rate, scale: time.Minute,
			most: func(from, to sim.Time) float64 { return burst + rate*(to-from).Seconds() },
			least: func(calls float64) time.Duration {
				return sim.Seconds(max(0, calls-burst) / rate)
			},
		}
		if burst > 1 {
			b.words = fmt.Sprintf(" after a burst of %s", number(burst))
		}
		out = append(out, b)
	}
	if !p.AIMD.On() {
		bucket(fmt.Sprintf("pacer of %v", PerTime(p.Bucket.Rate)), p.Bucket.Rate, p.Bucket.Burst, 1, 1)
	}
	if t := &p.Tokens; t.Rate > 0 {
		first := [...]float64{
			policy.PromptPlusMax: a.prompt + a.declared, policy.PromptAlone: a.prompt,
			policy.PromptPlusMean: a.prompt + a.output,
		}[t.Estimate]
		each := first
		if t.Settle {
			each = a.prompt + a.output
		}
		bucket(fmt.Sprintf("pacer of %.6g tokens/min", 60*t.Rate), t.Rate, t.Burst, each, first)
	}
	return out
}

// pacersOf is how many pacers a fleet has.
func pacersOf(f *fleet.Fleet) float64 {
	if f.Client.Pacer.Scope == policy.ForAll {
		return 1
	}
	return float64(f.Instances)
}

// settleNote notes a pacer that gives back tokens which a limit keeps, so that it sends more than that admits.
func settleNote(m *fleet.Model, i int, whose string) string {
	f := m.Fleets()[i]
	t := f.Client.Pacer.Tokens
	keeps := func(l provider.Limit) bool {
		return l.Resource == provider.Tokens && l.Settle == provider.Keep && l.Charge != provider.AsProduced &&
			l.Period > 0 && l.Covers(m.Provider.Tenants[i])
	}
	if !t.Settle || !slices.ContainsFunc(m.Provider.Limits, keeps) {
		return ""
	}
	a := average(m, i)
	sends := pacersOf(f) * t.Rate / (a.prompt + a.output)
	for k, l := range m.Provider.Limits {
		if admits := float64(l.Amount) / l.Period.Seconds() / a.charges[k]; keeps(l) && sends > admits {
			return fmt.Sprintf("policy.pace.settle%s gives back tokens that %s keeps: up to %s calls/min are sent, "+
				"of which it admits %s", whose, l.Name, number(60*sends), number(60*admits))
		}
	}
	return ""
}
