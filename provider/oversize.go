package provider

import (
	"cmp"
	"fmt"

	"stampede/dialect"
	"stampede/internal/format"
	"stampede/wire"
)

// MaxRequest bounds the size of one request. A larger one is refused at the provider's door, before the
// fault schedule and the limits, none of which counts it.
type MaxRequest struct {
	Prompt int    // tokens of the longest prompt; 0 means no bound
	Status int    // of the refusal; 0 means that of the dialect
	Code   string // of the refusal; empty means that of the dialect
}

// Oversize is the name under which refusals for the size of a request are counted beside those of the limits.
const Oversize = "max_request"

// exceeded reports whether a request is larger than allowed.
func (m *MaxRequest) exceeded(r *Request) bool { return m.Prompt > 0 && r.Prompt > m.Prompt }

// refuseOversized refuses a request for its size.
func (p *Provider) refuseOversized(v *Verdict, reply *wire.Reply) {
	v.Kind, v.Limit = Refused, TooLong
	with := p.config.Oversized()
	reply.Status, reply.Code = with.Status, with.Code
}

// Oversized is the reply to a request that is too large.
func (c *Config) Oversized() wire.Reply {
	with := c.Dialect.Refuses(dialect.Oversize)
	return wire.Reply{
		Status: cmp.Or(c.MaxRequest.Status, with.Status),
		Code:   cmp.Or(c.MaxRequest.Code, with.Code),
	}
}

// Describe says which requests are refused; empty where all are read.
func (m MaxRequest) Describe() string {
	if m.Prompt == 0 {
		return ""
	}
	return fmt.Sprintf("prompts of up to %s tokens", format.Amount(int64(m.Prompt)))
}
