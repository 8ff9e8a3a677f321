package provider

import (
	"fmt"
	"time"

	"stampede/sim"
)

// What makes a provider slow for a time: the use of a limit, and a start after an outage.

// ByUse makes a provider slower as one of its limits is used up:
//
//	T x (1 + (Full - 1) u)
//
// with u the used share of what can pass at once, 0..1, when the request begins. The zero ByUse is none.
type ByUse struct {
	Limit int     // an index into Config.Limits
	Full  float64 // the factor where nothing is left, at least 1
}

// byUse is the factor now.
func (p *Provider) byUse(now sim.Time) float64 {
	u := p.config.Latency.ByUse
	if u.Full <= 1 {
		return 1
	}
	l := &p.limits[u.Limit]
	l.advance(now)
	return 1 + (u.Full-1)*(1-min(1, max(0, float64(l.level())/float64(l.burst()))))
}

// Describe says how much slower a provider is that has no room left in a limit of that name.
func (u ByUse) Describe(limit string) string {
	return fmt.Sprintf("up to %g times as long as %q is used up", u.Full, limit)
}

// SlowStart follows each time at which a fault held: latency begins Factor times as long and falls
// to the usual one in equal steps over For. The zero SlowStart is none.
type SlowStart struct {
	For    time.Duration
	Factor float64 // at least 1
}

// after is the factor so long after the fault ended.
func (s *SlowStart) after(since time.Duration) float64 {
	if since < 0 || since >= s.For {
		return 1
	}
	return s.Factor - (s.Factor-1)*float64(since)/float64(s.For)
}

// starting is the factor of all slow starts that are under way. The faults are asked in order of time.
func (p *Provider) starting(now sim.Time) float64 {
	factor := 1.0
	for _, i := range p.starts {
		f := &p.config.Faults[i]
		switch {
		case p.holds(i, now):
		case f.Gap != nil && p.spells[i].ended > 0:
			factor *= f.Start.after(now - p.spells[i].ended)
		case f.Gap == nil && f.For > 0:
			factor *= f.Start.after(now - f.At - f.For)
		}
	}
	return factor
}
