package provider

import (
	"fmt"
	"strings"
	"time"

	"stampede/internal/format"
	"stampede/wire"
)

// Gateway is a relay in front of the provider: it adds latency, tries again by
// itself, passes refusals on as it likes, and has errors of its own. The zero Gateway does
// nothing.
type Gateway struct {
	Latency         time.Duration // there and back, on top of the round trip
	Retries         int           // of refused requests, by the gateway itself
	Wait            time.Duration // before each of them
	StripRetryAfter bool          // and retry-after-ms; what stands in the body stays
	StripQuotas     bool          // the headers that say how much is left
	RetryAfter      time.Duration // replaces every wait that the provider asks for; 0 passes it on
	Rewrite         []Rewrite     // of statuses
	StripCodes      bool          // replaces the bodies of errors: their code and a wait in them are lost
	StripAdvice     bool          // the header x-should-retry
	Errors          []GatewayError
}

// Rewrite turns one status into another.
type Rewrite struct {
	From, To int
	Code     string // in place of the provider's; empty passes that on
}

// GatewayError is an error of the gateway's own, with which it answers a share of the attempts. They never reach
// the provider: it neither counts nor bills them, and the gateway does not try them again.
type GatewayError struct {
	Share  float64
	Status int
	Code   string
	Wait   time.Duration // that it asks for by Retry-After; 0 means none
	After  time.Duration // until it leaves
	Advice wire.Advice   // the header x-should-retry
}

// GatewayFails reports whether the gateway answers an attempt that comes to it with an error of its own, which it
// writes, and how long it takes for that.
func (p *Provider) GatewayFails(r *Request, reply *wire.Reply) (after time.Duration, fails bool) {
	if r.Relay > 0 {
		return 0, false
	}
	for i := range p.config.Gateway.Errors {
		e := &p.config.Gateway.Errors[i]
		if e.Share < 1 && p.relaying.For(uint64(i)).Uniform(r.Call, uint64(r.Attempt)) >= e.Share {
			continue
		}
		*reply = wire.Reply{Status: e.Status, Code: e.Code, ShouldRetry: e.Advice}
		if e.Wait > 0 {
			reply.RetryAfter = wire.After(e.Wait)
		}
		return e.After, true
	}
	return 0, false
}

// Pass turns a reply into what the client gets.
func (g *Gateway) Pass(r *wire.Reply) {
	asked := r.RetryAfter.Form != wire.Absent || r.Millis.Form != wire.Absent || r.Delay.Form != wire.Absent
	if g.StripRetryAfter || g.RetryAfter > 0 {
		r.RetryAfter, r.Millis = wire.Hint{}, wire.Hint{}
	}
	if g.RetryAfter > 0 && asked {
		r.RetryAfter = wire.After(g.RetryAfter)
	}
	if g.StripQuotas {
		r.Quotas = wire.Quotas{}
	}
	if g.StripAdvice {
		r.ShouldRetry = wire.NoAdvice
	}
	if g.StripCodes && r.Failure == wire.None {
		r.Code, r.Delay = "", wire.Hint{}
	}
	for _, w := range g.Rewrite {
		if r.Status == w.From {
			r.Status = w.To
			if w.Code != "" {
				r.Code = w.Code
			}
			break
		}
	}
}

// Describe says what the gateway does; empty when nothing.
func (g *Gateway) Describe() string {
	var parts []string
	if g.Latency > 0 {
		parts = append(parts, fmt.Sprintf("adds %v", g.Latency))
	}
	if g.Retries > 0 {
		parts = append(parts, fmt.Sprintf("retries %d times after %v", g.Retries, g.Wait))
	}
	if g.StripRetryAfter {
		parts = append(parts, "strips Retry-After")
	}
	if g.StripQuotas {
		parts = append(parts, "strips the counters")
	}
	if g.RetryAfter > 0 {
		parts = append(parts, fmt.Sprintf("says Retry-After %v", g.RetryAfter))
	}
	if g.StripCodes {
		parts = append(parts, "strips error codes")
	}
	if g.StripAdvice {
		parts = append(parts, "strips x-should-retry")
	}
	for _, w := range g.Rewrite {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("turns %d into %d %s", w.From, w.To, w.Code)))
	}
	for _, e := range g.Errors {
		part := strings.TrimSpace(fmt.Sprintf("answers %s of attempts with its own %d %s", format.Percent(e.Share),
			e.Status, e.Code))
		if e.Wait > 0 {
			part += fmt.Sprintf(" that asks to wait %v", e.Wait)
		}
		if e.Advice != wire.NoAdvice {
			part += fmt.Sprintf(" with x-should-retry %v", e.Advice)
		}
		if e.After > 0 {
			part += fmt.Sprintf(" after %v", e.After)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}
