package provider

import (
	"fmt"
	"strings"
	"time"

	"stampede/wire"
)

// Gateway is a relay in front of the provider: it adds latency, tries again by
// itself, and passes refusals on as it likes. The zero Gateway does nothing.
type Gateway struct {
	Latency         time.Duration // there and back, on top of the round trip
	Retries         int           // of refused requests, by the gateway itself
	Wait            time.Duration // before each of them
	StripRetryAfter bool          // and retry-after-ms; what stands in the body stays
	StripQuotas     bool          // the headers that say how much is left
	RetryAfter      time.Duration // replaces every wait that the provider asks for; 0 passes it on
	Rewrite         []Rewrite     // of statuses
}

// Rewrite turns one status into another.
type Rewrite struct{ From, To int }

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
	for _, w := range g.Rewrite {
		if r.Status == w.From {
			r.Status = w.To
			break
		}
	}
}

// String says what the gateway does; empty when nothing.
func (g *Gateway) String() string {
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
	for _, w := range g.Rewrite {
		parts = append(parts, fmt.Sprintf("turns %d into %d", w.From, w.To))
	}
	return strings.Join(parts, ", ")
}
