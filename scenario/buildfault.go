package scenario

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"stampede/provider"
	"stampede/wire"
)

// header is what a client finds in a Retry-After of these words. A run has no date, so that
// every date is one before it.
func header(text string) wire.Hint {
	text = strings.TrimSpace(text)
	if x, err := strconv.ParseFloat(text, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return wire.Hint{Form: wire.Seconds, Value: x}
	}
	if isDate(text) {
		return wire.Hint{Form: wire.Date, Value: -1}
	}
	return wire.Hint{Form: wire.Garbage}
}

// isDate reports whether a text is a date of HTTP, in one of its three forms (RFC 9110, section 5.6.7). It
// accepts what net/http.ParseTime does, which would bring all of net/http into every user of this package.
func isDate(text string) bool {
	forms := []string{"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC850, time.ANSIC}
	return slices.ContainsFunc(forms, func(form string) bool {
		_, err := time.Parse(form, text)
		return err == nil
	})
}

// advice is the header x-should-retry of that value.
func (a Advice) advice() wire.Advice {
	switch a {
	case "true":
		return wire.Retry
	case "false":
		return wire.DoNotRetry
	}
	return wire.NoAdvice
}

// losesReply reports whether the reply is lost after the work.
func (f *Fault) losesReply() bool { return f.LoseReply != "" && f.LoseReply != "false" }

func (b *builder) fault(path string, f Fault) (out provider.Fault, err error) {
	out = provider.Fault{At: time.Duration(f.At), For: time.Duration(f.For), Share: float64(f.Share), First: f.First,
		Of: valueOf(provider.FirstOfWords, f.Of)}
	switch {
	case f.First < 0 || f.First > 1e9:
		return out, b.errorf(path+".first", "found %d; want a number of attempts from 1", f.First)
	case f.Of != "" && f.First == 0:
		return out, b.errorf(path+".of", "says whose first attempts are affected; want first as well")
	}
	if f.Gap.set() != f.Length.set() || (f.Gap.set() && f.For != 0) {
		return out, b.errorf(path, "a recurring fault needs gap and length, and no for")
	}
	if out.Gap, err = f.Gap.build(); err != nil {
		return out, b.errorf(path+".gap", "%v", err)
	}
	if out.Length, err = f.Length.build(); err != nil {
		return out, b.errorf(path+".length", "%v", err)
	}
	if out.Gap != nil && out.Gap.Mean()+out.Length.Mean() < 0.001 {
		return out, b.errorf(path,
			"found a fault that comes more than a thousand times a second; want longer gaps or lengths")
	}
	if f.Counts != "" {
		if f.Status == 0 {
			return out, b.errorf(path+".counts", "requires status; other faults strike requests that count")
		}
		// What the fault rejects is neither admitted nor answered.
		if out.Counted = provider.NoLimits; f.Counts == "true" || f.Counts == "attempts" {
			out.Counted = provider.AllLimits
		}
	}
	if s := f.Start; s != nil {
		switch {
		case f.For == 0 && !f.Gap.set():
			return out, b.errorf(path+".slow_start", "requires a fault that ends; want for, or gap and length")
		case s.For == 0 || s.Slow < 1 || s.Slow > maxFactor:
			return out, b.errorf(path+".slow_start", "found %v times for %v; want a factor from 1 to %d and a time",
				s.Slow, s.For, maxFactor)
		}
		out.Start = provider.SlowStart{For: time.Duration(s.For), Factor: float64(s.Slow)}
	}
	var effects []provider.Effect
	if f.Status != 0 {
		switch {
		case f.Status == 200 && f.Code == "":
			return out, b.errorf(path+".code", "found none; an error in the body of status 200 requires a code")
		case f.Status != 200 && (f.Status < 300 || f.Status > 599):
			return out, b.errorf(path+".status", "found %d; want an error status from 300 to 599, or 200 with a code",
				f.Status)
		}
		reply := wire.Reply{Status: f.Status, Code: f.Code, ShouldRetry: f.Advice.advice()}
		if f.Header != "" {
			if f.RetryAfter > 0 {
				return out, b.errorf(path+".retry_after_header", "found both it and retry_after; want one of them")
			}
			reply.RetryAfter = header(f.Header)
		}
		effects = append(effects,
			provider.Reject{Reply: reply, Wait: time.Duration(f.RetryAfter), After: time.Duration(f.After)})
	} else if (f.Code != "" && f.CutAt == nil) || f.RetryAfter != 0 || f.Header != "" || f.After != 0 ||
		f.Advice != "" {
		return out, b.errorf(path, "code, retry_after, retry_after_header, x_should_retry and after require status")
	}
	if f.Slow != 0 {
		effects = append(effects, provider.Slow{Factor: float64(f.Slow)})
	}
	if f.Hang {
		effects = append(effects, provider.Hang{})
	}
	if f.losesReply() {
		effects = append(effects, provider.Break{Part: 1, Silent: f.LoseReply == "silent"})
	}
	if f.StallAt != nil {
		effects = append(effects, provider.Break{Part: float64(*f.StallAt), Silent: true})
	}
	if f.CutAt != nil {
		effects = append(effects, provider.Break{Part: float64(*f.CutAt), Code: f.Code})
	}
	if f.Connection.Kind != "" || f.Connection.After.set() {
		e := provider.NoConnection{As: valueOf(provider.ReachabilityWords, f.Connection.Kind)}
		switch {
		case f.Connection.Kind == "":
			return out, b.errorf(path+".connection.kind",
				"found none; want one of dns, refused, reset, tls, unreachable")
		case e.As == provider.Unreachable && f.Connection.After.set():
			return out, b.errorf(path+".connection.after",
				"found it of unreachable, which has no reply; timeouts of the client end it")
		}
		if e.After, err = f.Connection.After.build(); err != nil {
			return out, b.errorf(path+".connection.after", "%v", err)
		}
		effects = append(effects, e)
	}
	if c := f.Limit; c != nil {
		if valueOf(provider.ResourceWords, c.Resource).Held() || c.Resource == "" || c.Limit.Period == 0 ||
			c.Limit.Dollars != (c.Resource == "dollars") ||
			(c.Burst.Amount > 0 && c.Burst.Dollars != (c.Resource == "dollars")) {
			return out, b.errorf(path+".limit", "want a resource with a period and an amount per time")
		}
		if f.Gap.set() {
			return out, b.errorf(path+".gap", "a limit changes at given times; want at and for")
		}
		if f.Share < 1 {
			return out, b.errorf(path+".share", "found %v; a limit changes for all attempts", f.Share)
		}
		if f.First > 0 {
			return out, b.errorf(path+".first", "found %d; a limit changes for all attempts", f.First)
		}
		effects = append(
			effects,
			provider.ChangeLimit{
				Resource: valueOf(provider.ResourceWords, c.Resource),
				Amount:   c.Limit.Amount,
				Period:   c.Limit.Period,
				Burst:    c.Burst.Amount,
				Name:     c.Name,
				Keys:     c.Keys,
				Models:   c.Models,
			},
		)
	}
	if len(effects) != 1 {
		return out, b.errorf(path,
			"found %d effects; want exactly one of connection, cut_at, hang, limit, lose_reply, slow, "+
				"stall_at, status",
			len(effects))
	}
	out.Effect = effects[0]
	return out, nil
}
