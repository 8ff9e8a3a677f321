package scenario

import (
	"fmt"
	"math"
	"time"

	"stampede/policy"
	"stampede/sim"
)

// pacerParts are the buckets of the client's pacer: by requests, where their rate stays, and by what a call
// takes of the tokens first and in the end.
func (s *Scenario) pacerParts(a averages) (out []part) {
	m := &s.Model
	p, pacers, where := &m.Client.Pacer, 1.0, ""
	if p.Scope == policy.PerInstance && m.Instances > 1 {
		pacers, where = float64(m.Instances), fmt.Sprintf(" in each of %d instances", m.Instances)
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
