package scenario

import (
	"time"

	"stampede/fleet"
	"stampede/internal/strict"
	"stampede/policy"
)

// pacer builds what spaces the attempts of an instance: buckets of requests, of tokens or both, or one
// of the other kinds.
func (b *builder) pacer(p *Pace) (out policy.Pacer, err error) {
	kinds := 0
	if p.Rate > 0 || p.Tokens.Amount > 0 || p.AIMD != nil {
		kinds++
	}
	if p.Headers {
		kinds++
		out.Headers = policy.PaceHeaders{On: true, Reserve: float64(p.Reserve)}
	}
	if p.Cubic {
		kinds++
		out.Cubic = true
	}
	out.Scope, out.Wait = valueOf(policy.ScopeWords, p.Scope), time.Duration(p.Wait)
	if kinds > 1 {
		return out, b.errorf("policy.pace", "found %d kinds; want one of rate or tokens, headers, cubic", kinds)
	}
	var errs strict.Errors
	for _, idle := range []struct {
		path, wants string
		set, on     bool
	}{
		{"burst", "rate or tokens", p.Burst > 0, p.Rate > 0 || p.Tokens.Amount > 0 || p.AIMD != nil},
		{"tokens_burst", "tokens", p.TokensBurst > 0, p.Tokens.Amount > 0},
		{"estimate", "tokens", p.Estimate != "", p.Tokens.Amount > 0},
		{"settle", "tokens", p.Settle, p.Tokens.Amount > 0},
		{"reserve", "headers", p.Reserve > 0, p.Headers},
		{"scope", "one of rate, aimd, tokens, headers, cubic", p.Scope != "", kinds > 0},
		{"wait", "one of rate, aimd, tokens, headers, cubic", p.Wait > 0, kinds > 0},
	} {
		if idle.set && !idle.on {
			errs.Add(b.errorf("policy.pace."+idle.path, "found it alone, where it has no effect; want %s as well",
				idle.wants))
		}
	}
	errs.Add(b.paceRequests(p, &out))
	errs.Add(b.paceTokens(p, &out.Tokens))
	return out, errs.Join()
}

// paceRequests builds the bucket of requests and what changes its rate.
func (b *builder) paceRequests(p *Pace, out *policy.Pacer) error {
	rate := float64(p.Rate)
	if a := p.AIMD; a != nil {
		if rate > 0 && a.Start > 0 {
			return b.errorf("policy.pace.aimd.start", "found %v and policy.pace.rate %v; want one of them",
				a.Start, p.Rate)
		}
		rate = max(rate, float64(a.Start))
		out.AIMD = policy.PaceAIMD{
			Min: float64(a.Min), Max: float64(a.Max), Add: float64(a.Add), Every: time.Duration(a.Every),
			Cut: float64(a.Cut), Cooldown: time.Duration(a.Cooldown),
		}
		if a.Min == 0 {
			out.AIMD.Min = rate / 10
		}
		switch c := out.AIMD; {
		case rate == 0:
			return b.errorf("policy.pace.aimd.start", "found nothing; want a rate such as 5/s")
		case c.Add == 0:
			return b.errorf("policy.pace.aimd.add", "found nothing; want what is added, such as 0.5/s")
		case rate < c.Min || c.Max > 0 && c.Max < rate:
			return b.errorf("policy.pace.aimd", "found start %v between min %v and max %v; want min <= start <= max",
				PerTime(rate), PerTime(c.Min), a.Max)
		case c.Cut >= 1:
			return b.errorf("policy.pace.aimd.cut", "found %v; want a share below 100%%, such as 50%%", a.Cut)
		}
	}
	if rate > 0 {
		out.Bucket = policy.PaceBucket{Rate: rate, Burst: max(1, float64(p.Burst))}
	}
	return nil
}

// paceTokens builds the bucket of tokens.
func (b *builder) paceTokens(p *Pace, out *policy.PaceTokens) error {
	if p.Tokens.Amount == 0 {
		return nil
	}
	if p.Tokens.Dollars || p.Tokens.Period == 0 {
		return b.errorf("policy.pace.tokens", "found %v; want tokens per time, such as 150k/min", p.Tokens)
	}
	*out = policy.PaceTokens{
		Rate:     float64(p.Tokens.Amount) / p.Tokens.Period.Seconds(),
		Burst:    float64(p.Tokens.Amount),
		Estimate: valueOf(policy.EstimateWords, p.Estimate),
		Settle:   p.Settle,
	}
	alone := p.Rate == 0 && p.AIMD == nil
	switch {
	case alone && p.Burst > 0 && p.TokensBurst > 0:
		return b.errorf("policy.pace.tokens_burst",
			"found %v and burst %v, of which both are of tokens; want one of them", p.TokensBurst, p.Burst)
	case alone && p.Burst > 0:
		out.Burst = float64(p.Burst)
	case p.TokensBurst > 0:
		out.Burst = float64(p.TokensBurst)
	}
	return nil
}

// paceDeclares checks a fleet that does not set max_tokens: it cannot pace by that.
func (b *builder) paceDeclares(index int, f *fleet.Fleet) error {
	t := f.Client.Pacer.Tokens
	if t.Rate == 0 || t.Estimate != policy.PromptPlusMax {
		return nil
	}
	whose := ""
	if index > 0 {
		whose = " of fleet " + f.Name
	}
	return b.errorf("policy.pace.estimate", "counts max_tokens, but workload.max_tokens%s is not set; set it, or "+
		"estimate: %v", whose, policy.PromptPlusMean)
}
