package scenario

import (
	"time"

	"stampede/policy"
	"stampede/wire"
)

func (b *builder) client(p *Policy) (out policy.Client, err error) {
	out = policy.Client{
		Name: p.Preset,
		Retry: policy.Retry{
			Attempts: int(p.Retry.Attempts),
			Deadline: time.Duration(p.Retry.Deadline),
			Classify: policy.Classifier{Never: p.Retry.NeverOn, ShouldRetry: p.Retry.XShouldRetry != "ignore"},
		},
		Timeouts: policy.Timeouts{
			Connect: time.Duration(p.Timeouts.Connect), FirstByte: time.Duration(p.Timeouts.FirstByte), Gap: time.Duration(p.Timeouts.Gap), Call: time.Duration(p.Timeouts.Call),
		},
		Gate: policy.Gate{Semaphore: int(p.Gate.Semaphore)},
	}
	if call := out.Timeouts.Call; call > 0 && (out.Retry.Deadline == 0 || call < out.Retry.Deadline) {
		out.Retry.Deadline = call // a wait that would outlast the call is not slept
	}
	if p.Timeouts.Attempt != nil && len(p.Timeouts.Attempt) == 0 {
		return out, b.errorf("policy.timeouts.attempt", "found an empty list; want a time, or one for each attempt")
	}
	for _, t := range p.Timeouts.Attempt {
		out.Timeouts.Attempt = append(out.Timeouts.Attempt, time.Duration(t))
	}
	on := p.Retry.RetryOn
	if on == nil {
		on = defaultRetryOn
	}
	for _, r := range on {
		switch r.Failure {
		case "timeout":
			out.Retry.Classify.Timeouts = true
		case "connection":
			out.Retry.Classify.Connections = true
		case "stream":
			out.Retry.Classify.Streams = true
		default:
			out.Retry.Classify.Statuses = append(out.Retry.Classify.Statuses, r.Statuses)
		}
	}
	if out.Retry.Backoff, err = b.backoff(&p.Retry.Backoff); err != nil {
		return out, err
	}
	ra := p.Retry.RetryAfter
	out.Retry.RetryAfter = policy.RetryAfter{Limit: time.Duration(ra.Limit), Plus: time.Duration(ra.Plus), Reads: wire.Reads{Millis: ra.Millis, Body: ra.Body}}
	switch ra.Obey {
	case "in_full":
		out.Retry.RetryAfter.Obey = policy.InFull
	case "up_to":
		out.Retry.RetryAfter.Obey = policy.UpTo
		if ra.Limit == 0 {
			return out, b.errorf("policy.retry.retry_after.limit", "found nothing; up_to needs a limit such as 60s")
		}
	}
	if ra.Obey != "up_to" && (ra.Limit != 0 || ra.Beyond != "") {
		return out, b.errorf("policy.retry.retry_after", "limit and beyond go with obey: up_to")
	}
	switch ra.Beyond {
	case "clip":
		out.Retry.RetryAfter.Beyond = policy.Clip
	case "give_up":
		out.Retry.RetryAfter.Beyond = policy.GiveUp
	}
	if out.Retry.Attempts == 0 && out.Retry.Deadline == 0 {
		b.warnings = append(b.warnings, "the policy retries without bound: no limit on attempts and no deadline")
	}
	return out, nil
}

var defaultRetryOn = []RetryOn{
	{Statuses: policy.Statuses{From: 408, To: 408}}, {Statuses: policy.Statuses{From: 409, To: 409}},
	{Statuses: policy.Statuses{From: 429, To: 429}}, {Statuses: policy.Statuses{From: 500, To: 599}},
	{Failure: "timeout"}, {Failure: "connection"},
}

func (b *builder) backoff(f *Backoff) (out policy.Backoff, err error) {
	switch {
	case f.Constant != nil:
		return policy.Backoff{Base: time.Duration(*f.Constant), Factor: 1}, nil
	case f.Exponential != nil:
		e := f.Exponential
		out = policy.Backoff{Base: time.Duration(e.Base), Factor: float64(e.Factor), Cap: time.Duration(e.Cap)}
		if e.Factor == 0 {
			out.Factor = 2
		}
		const path = "policy.retry.backoff.exponential"
		switch {
		case e.Base == 0:
			return out, b.errorf(path+".base", "found nothing; want a time such as 500ms")
		case out.Factor < 1 || out.Factor > 1000:
			return out, b.errorf(path+".factor", "found %v; want 1 to 1000", e.Factor)
		case e.Cap != 0 && e.Cap < e.Base:
			return out, b.errorf(path+".cap", "found %v; want at least the base, %v", e.Cap, e.Base)
		}
		switch j := e.Jitter; {
		case j.None != nil:
			out.Jitter = policy.NoJitter
		case j.Equal != nil:
			out.Jitter = policy.Equal
		case j.Decorrelated != nil:
			out.Jitter = policy.Decorrelated
		case j.Minus != nil:
			out.Jitter, out.Share = policy.MinusShare, float64(*j.Minus)
		case j.Plus != nil:
			out.Jitter, out.Plus = policy.PlusSpan, time.Duration(*j.Plus)
		default:
			out.Jitter = policy.Full
		}
	}
	return out, nil
}
