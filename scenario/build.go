package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"stampede/cost"
	"stampede/dist"
	"stampede/fleet"
	"stampede/policy"
	"stampede/provider"
	"stampede/scenario/strict"
	"stampede/sim"
	"stampede/wire"
)

// builder turns a file into a model and checks what only the whole can tell.
type builder struct {
	d        *strict.Decoder
	dir      string
	prices   cost.Book
	startsAt TimeOfDay
	warnings []string
	files    []string
}

func (b *builder) build(f *File) (m fleet.Model, err error) {
	b.startsAt = f.StartsAt
	if f.Replications < 1 || f.Replications > 100_000 {
		return m, b.d.Errorf("replications", "found %d; want 1 to 100,000", f.Replications)
	}
	if f.Fleet.Instances < 1 || f.Fleet.Instances > 1_000_000 {
		return m, b.d.Errorf("fleet.instances", "found %d; want 1 to 1,000,000", f.Fleet.Instances)
	}
	if f.Fleet.Workers > 10_000_000/Bound(f.Fleet.Instances) {
		return m, b.d.Errorf("fleet.workers", "found %d x %d workers; want at most 10,000,000", f.Fleet.Instances, f.Fleet.Workers)
	}
	m = fleet.Model{
		Instances: f.Fleet.Instances,
		Workers:   int(f.Fleet.Workers),
		Horizon:   time.Duration(f.Horizon),
		Budget:    uint64(f.EventBudget),
	}
	for _, step := range []func() error{
		func() error { m.Workload, err = b.workload(f); return err },
		func() error { m.Provider, err = b.provider(&f.Provider, f.Workload.MaxTokens); return err },
		func() error { m.Client, err = b.client(&f.Policy); return err },
		func() error { m.Price, err = b.price(&f.Price); return err },
	} {
		if err := step(); err != nil {
			return m, err
		}
	}
	if err := m.Check(); err != nil {
		return m, b.d.Errorf("", "%v", err)
	}
	b.warn(&m)
	return m, nil
}

// warn notes what is allowed and probably not meant.
func (b *builder) warn(m *fleet.Model) {
	note := func(format string, args ...any) { b.warnings = append(b.warnings, fmt.Sprintf(format, args...)) }
	sizes := measure(m.Workload.Sizes)
	for _, l := range m.Provider.Limits {
		if charge, holds := l.Counts(sizes.request()), l.Most(); charge > holds {
			note("a mean request counts %d %v, more than the limit ever lets through at once (%d): such a request is refused for ever", charge, strings.ReplaceAll(l.Resource.String(), "_", " "), holds)
		}
	}
	t := m.Client.Timeouts
	if timer, _ := t.BeforeFirstByte(1, true); timer == policy.NoTimer && m.Workload.Patience == nil {
		for _, f := range m.Provider.Faults {
			if _, hangs := f.Effect.(provider.Hang); hangs {
				note("requests hang and no timeout and no patience ends them: a call that hangs holds its worker for ever")
				break
			}
		}
	}
}

func (b *builder) workload(f *File) (out fleet.Workload, err error) {
	w := &f.Workload
	var chosen []string
	for name, set := range map[string]bool{"batch": w.Batch != nil, "open": w.Open != nil, "burst": w.Burst != nil, "closed": w.Closed != nil, "trace": w.Trace != nil} {
		if set {
			chosen = append(chosen, name)
		}
	}
	slices.Sort(chosen)
	if len(chosen) != 1 {
		return out, b.d.Errorf("workload", "found %d kinds of arrival %v; want exactly one of batch, burst, closed, open, trace", len(chosen), chosen)
	}
	out = fleet.Workload{Stream: w.Stream}
	sizes := fleet.Drawn{CachedShare: float64(w.CachedShare), MaxTokens: int32(w.MaxTokens)}
	if w.MaxTokens > 1e8 {
		return out, b.d.Errorf("workload.max_tokens", "found %d; want at most 100M", w.MaxTokens)
	}
	if sizes.Prompt, err = w.PromptTokens.build(); err != nil {
		return out, b.d.Errorf("workload.prompt_tokens", "%v", err)
	}
	if sizes.Output, err = w.OutputTokens.build(); err != nil {
		return out, b.d.Errorf("workload.output_tokens", "%v", err)
	}
	out.Sizes = sizes
	pulled := false
	switch {
	case w.Batch != nil:
		pulled, out.Calls = true, uint64(w.Batch.Calls)
		err = b.positive("workload.batch.calls", w.Batch.Calls)
	case w.Burst != nil:
		out.Arrivals, out.Calls = fleet.Burst{}, uint64(w.Burst.Calls)
		err = b.positive("workload.burst.calls", w.Burst.Calls)
	case w.Closed != nil:
		pulled, out.Calls = true, uint64(w.Closed.Calls)
		if out.Think, err = w.Closed.Think.build(); err == nil {
			err = b.bounded("workload.closed", w.Closed.Calls, f.Horizon)
		}
	case w.Open != nil:
		out.Calls = uint64(w.Open.Calls)
		if out.Arrivals, err = b.open(w.Open); err == nil {
			err = b.bounded("workload.open", w.Open.Calls, f.Horizon)
		}
	case w.Trace != nil:
		var trace *fleet.Trace
		if trace, err = b.trace(w.Trace); err != nil {
			return out, err
		}
		trace.Missing = sizes
		out.Arrivals, out.Sizes, out.Calls = trace, trace, uint64(len(trace.At))
		if len(trace.Prompt) > 0 {
			sizes.Prompt = dist.Constant(0)
		}
		if len(trace.Output) > 0 {
			sizes.Output = dist.Constant(0)
		}
	}
	if err != nil {
		return out, err
	}
	if sizes.Prompt == nil {
		return out, b.d.Errorf("workload.prompt_tokens", "found nothing; want a number of tokens or a law, such as {lognormal: {p50: 1200, p95: 4000}}")
	}
	if sizes.Output == nil {
		return out, b.d.Errorf("workload.output_tokens", "found nothing; want a number of tokens or a law, such as {lognormal: {p50: 250, p95: 900}}")
	}
	if pulled && f.Fleet.Workers == 0 {
		return out, b.d.Errorf("fleet.workers", "found none; want the number of workers that fetch the calls")
	}
	if out.Patience, err = w.Patience.build(); err != nil {
		return out, b.d.Errorf("workload.patience", "%v", err)
	}
	if r := w.Redeliver; r != nil {
		if f.Fleet.Workers == 0 || w.Closed != nil {
			return out, b.d.Errorf("workload.redeliver", "only a queue before workers can deliver again; want batch, or arrivals with fleet.workers set")
		}
		out.Redelivery = fleet.Redelivery{Deliveries: int(r.Deliveries), After: time.Duration(r.After)}
		if r.Deliveries == 0 {
			out.Redelivery.Deliveries = -1
		}
	}
	return out, nil
}

func (b *builder) positive(path string, n Count) error {
	if n < 1 || n > 1e9 {
		return b.d.Errorf(path, "found %d; want 1 to 1G", n)
	}
	return nil
}

func (b *builder) bounded(path string, calls Count, horizon Span) error {
	if calls == 0 && horizon == 0 {
		return b.d.Errorf(path, "found neither calls nor a horizon; want one, or the run would never end")
	}
	return nil
}

func (b *builder) open(o *Open) (fleet.Process, error) {
	gap := dist.Law(dist.Exponential{Beta: 1})
	switch {
	case o.Gaps.Constant != nil:
		gap = dist.Constant(1)
	case o.Gaps.Gamma != nil:
		if err := spread("gamma", 1, float64(o.Gaps.Gamma.CV)); err != nil {
			return nil, b.d.Errorf("workload.open.gaps.gamma", "%v", err)
		}
		gap = dist.GammaFromMean(1, float64(o.Gaps.Gamma.CV))
	case o.Gaps.Weibull != nil:
		if err := spread("Weibull", 1, float64(o.Gaps.Weibull.CV)); err != nil {
			return nil, b.d.Errorf("workload.open.gaps.weibull", "%v", err)
		}
		gap = dist.WeibullFromMean(1, float64(o.Gaps.Weibull.CV))
	}
	p := fleet.Profile{{From: float64(o.Rate), To: float64(o.Rate)}}
	highest := float64(o.Rate)
	for i, step := range o.Profile {
		path := fmt.Sprintf("workload.open.profile.%d", i)
		at, rate := time.Duration(step.At), float64(step.Rate)
		last := &p[len(p)-1]
		if at < last.Start || (at == last.Start && len(p) > 1) {
			return nil, b.d.Errorf(path+".at", "found %v; want a time after %v, when the change before it ends", step.At, Span(last.Start))
		}
		if step.For > 0 && step.Over > step.For {
			return nil, b.d.Errorf(path+".over", "found %v; want at most the %v that the change lasts", step.Over, step.For)
		}
		before := last.From
		last.To = before
		push := func(start sim.Time, from, to float64) {
			if p[len(p)-1].Start == start {
				p = p[:len(p)-1]
			}
			p = append(p, fleet.Piece{Start: start, From: from, To: to})
		}
		if step.Over > 0 {
			push(at, before, rate)
			at += time.Duration(step.Over)
		}
		push(at, rate, rate)
		if step.For > 0 {
			push(time.Duration(step.At+step.For), before, before)
		}
		highest = max(highest, rate)
	}
	if highest == 0 {
		return nil, b.d.Errorf("workload.open.rate", "found a rate of 0 for ever; want a rate such as 5/s")
	}
	return fleet.Renewal{Gap: gap, Rate: p}, nil
}

func (b *builder) trace(t *Trace) (*fleet.Trace, error) {
	if (t.File == "") == (t.Rows == nil) {
		return nil, b.d.Errorf("workload.trace", "want either the name of a CSV file or rows")
	}
	if t.Rows != nil {
		return b.rows(t)
	}
	path := t.File
	if !filepath.IsAbs(path) {
		path = filepath.Join(b.dir, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, b.d.Errorf("workload.trace.file", "%v", err)
	}
	defer f.Close()
	b.files = append(b.files, path)
	speed := float64(t.Speed)
	if speed == 0 {
		speed = 1
	}
	trace, err := ReadTrace(f, t.File, t.Columns, speed, int(t.Calls))
	if err != nil {
		return nil, b.d.Errorf("workload.trace", "%v", err)
	}
	return trace, nil
}

// rows is a trace written in the scenario itself.
func (b *builder) rows(t *Trace) (*fleet.Trace, error) {
	out := &fleet.Trace{Name: "the scenario"}
	for i, row := range t.Rows {
		path := fmt.Sprintf("workload.trace.rows.%d", i)
		if len(out.At) > 0 && time.Duration(row.At) < out.At[len(out.At)-1] {
			return nil, b.d.Errorf(path+".at", "found %v, earlier than the row before; want times that do not fall", row.At)
		}
		out.At = append(out.At, time.Duration(row.At))
		out.Prompt = append(out.Prompt, int32(min(row.Prompt, 1e9)))
		out.Output = append(out.Output, int32(min(row.Output, 1e9)))
	}
	if len(out.At) == 0 {
		return nil, b.d.Errorf("workload.trace.rows", "found an empty list; want a row for each call")
	}
	return out, nil
}

func (b *builder) provider(p *Provider, maxTokens Count) (out provider.Config, err error) {
	out = provider.Config{
		Name:       p.Preset,
		RoundTrip:  time.Duration(p.RoundTrip),
		RetryAfter: provider.RetryAfter{Omit: p.RetryAfter.Send == "never", Round: time.Duration(p.RetryAfter.Round)},
		Latency:    provider.Latency{CallShare: float64(p.Latency.CallShare)},
	}
	switch p.Cancel {
	case "stops":
		out.Cancel = provider.Stops
	case "stops_streams":
		out.Cancel = provider.StopsStreams
	}
	if out.Capacity, err = b.capacity(&p.Capacity); err != nil {
		return out, err
	}
	if out.Gateway, err = b.gateway(&p.Gateway); err != nil {
		return out, err
	}
	if out.Latency.FirstToken, err = p.Latency.FirstToken.build(); err != nil {
		return out, b.d.Errorf("provider.latency.first_token", "%v", err)
	}
	if out.Latency.TokensPerSecond, err = p.Latency.TokensPerSecond.build(); err != nil {
		return out, b.d.Errorf("provider.latency.tokens_per_second", "%v", err)
	}
	if law := out.Latency.TokensPerSecond; law != nil && law.Sample(0x1p-53) <= 0 {
		return out, b.d.Errorf("provider.latency.tokens_per_second", "found a law that gives 0; want one above 0")
	}
	for i, l := range p.Limits {
		path := fmt.Sprintf("provider.limits.%d", i)
		if l.Resource == "" {
			return out, b.d.Errorf(path+".resource", "found nothing; want one of %v", l.Resource.Words())
		}
		if l.Resource == "concurrency" {
			if l.Limit.Period != 0 || l.Limit.Amount < 1 {
				return out, b.d.Errorf(path+".limit", "found %v; want a number of requests at once, such as 8", l.Limit)
			}
			if out.Concurrency > 0 {
				return out, b.d.Errorf(path, "found a second limit on concurrency; want one")
			}
			out.Concurrency = int(l.Limit.Amount)
			continue
		}
		limit, err := b.limit(path, l)
		if err != nil {
			return out, err
		}
		if (limit.Charge == provider.PromptPlusMax || limit.Charge == provider.MaxOrEstimate) && maxTokens == 0 {
			return out, b.d.Errorf(path+".charge", "charges max_tokens, but workload.max_tokens is not set; set it, or charge: prompt")
		}
		out.Limits = append(out.Limits, limit)
	}
	for i, f := range p.Faults {
		fault, err := b.fault(fmt.Sprintf("provider.faults.%d", i), f)
		if err != nil {
			return out, err
		}
		out.Faults = append(out.Faults, fault)
	}
	if _, err := provider.New(out, 0); err != nil {
		return out, b.d.Errorf("provider.faults", "%v", err)
	}
	return out, nil
}

func (b *builder) capacity(c *Capacity) (provider.Capacity, error) {
	out := provider.Capacity{Slots: int(c.Slots), Full: c.Full}
	if c.Queue != nil {
		if out.Queue = int(*c.Queue); *c.Queue == 0 {
			out.Queue = -1
		}
	}
	switch {
	case c.Slots == 0 && (c.Queue != nil || c.Full != 0):
		return out, b.d.Errorf("provider.capacity.slots", "found none; queue and full go with a number of slots")
	case c.Full == 0:
		out.Full = 503
	case c.Full != 503 && c.Full != 529:
		return out, b.d.Errorf("provider.capacity.full", "found %d; want 503 or 529", c.Full)
	}
	return out, nil
}

func (b *builder) gateway(g *Gateway) (provider.Gateway, error) {
	out := provider.Gateway{Latency: time.Duration(g.Latency), Retries: g.Retries, Wait: time.Duration(g.Wait), StripRetryAfter: g.StripRetryAfter}
	if g.Retries < 0 || g.Retries > 100 {
		return out, b.d.Errorf("provider.gateway.retries", "found %d; want 0 to 100", g.Retries)
	}
	for i, r := range g.Rewrite {
		if r.From < 300 || r.From > 599 || r.To < 300 || r.To > 599 {
			return out, b.d.Errorf(fmt.Sprintf("provider.gateway.rewrite.%d", i), "found %d to %d; want error statuses from 300 to 599", r.From, r.To)
		}
		out.Rewrite = append(out.Rewrite, provider.Rewrite{From: r.From, To: r.To})
	}
	return out, nil
}

func (b *builder) limit(path string, l Limit) (out provider.Limit, err error) {
	if l.Limit.Amount < 1 || l.Limit.Period == 0 {
		return out, b.d.Errorf(path+".limit", "found %v; %s", l.Limit, rateAllowed)
	}
	out = provider.Limit{
		Resource: resourceOf(l.Resource), Amount: l.Limit.Amount, Period: l.Limit.Period, Burst: int64(l.Burst),
		Kind: kindOf[l.Kind], Quantum: time.Duration(l.EnforcedEvery), Used: int64(l.Used), Rejected: rejectedOf[l.Rejected],
		Cached: l.Cached != "free", Estimate: float64(l.Estimate), Output: int64(l.OutputFactor),
	}
	if err := b.limitKind(path, l, &out); err != nil {
		return out, err
	}
	if out.Resource == provider.Requests {
		if l.Charge != "" || l.Settle != "" || l.Cached != "" || l.Estimate != 0 || l.OutputFactor != 0 {
			return out, b.d.Errorf(path, "a limit on requests counts one each; charge, settle, cached, estimate and output_factor are for limits on tokens")
		}
		return out, nil
	}
	switch {
	case l.Charge != "":
		out.Charge = chargeOf[l.Charge]
	case out.Resource == provider.Tokens:
		out.Charge = provider.PromptPlusMax
	case out.Resource == provider.OutputTokens:
		out.Charge = provider.AsProduced
	}
	if out.Resource == provider.OutputTokens && out.Charge != provider.AsProduced {
		return out, b.d.Errorf(path+".charge", "found %q; a limit on output tokens counts as_produced", l.Charge)
	}
	switch out.Settle = provider.Refund; l.Settle {
	case "none":
		out.Settle = provider.Keep
	case "multiply_output":
		out.Settle = provider.Multiply
	}
	if (out.Settle == provider.Multiply) != (l.OutputFactor != 0) {
		return out, b.d.Errorf(path+".output_factor", "output_factor and settle: multiply_output go together")
	}
	if err := out.Check(); err != nil {
		return out, b.d.Errorf(path, "%v", err)
	}
	return out, nil
}

// limitKind reads the parameters that belong to one kind of limit.
func (b *builder) limitKind(path string, l Limit, out *provider.Limit) error {
	if l.Burst != 0 && (out.Kind != provider.TokenBucket || l.EnforcedEvery != 0) {
		return b.d.Errorf(path+".burst", "only a token bucket that is not enforced in slices has a burst of its own")
	}
	if l.ResetsAt != 0 && out.Kind != provider.FixedWindow {
		return b.d.Errorf(path+".resets_at", "only a fixed window resets")
	}
	if out.Kind == provider.FixedWindow {
		out.Offset = (time.Duration(b.startsAt) - time.Duration(l.ResetsAt) + 24*time.Hour) % (24 * time.Hour)
	}
	if out.Kind == provider.RampLimit {
		if out.Growth, out.Every = 0.5, 15*time.Minute; l.Growth != 0 {
			out.Growth = float64(l.Growth)
		}
		if l.Every != 0 {
			out.Every = time.Duration(l.Every)
		}
		if l.EnforcedEvery != 0 {
			return b.d.Errorf(path+".enforced_every", "a ramp is enforced over its period")
		}
	} else if l.Growth != 0 || l.Every != 0 {
		return b.d.Errorf(path, "growth and every go with kind: ramp")
	}
	if err := out.Check(); err != nil && out.Settle != provider.Multiply {
		return b.d.Errorf(path, "%v", err)
	}
	return nil
}

var (
	kindOf     = map[Kind]provider.Kind{"fixed_window": provider.FixedWindow, "sliding_window": provider.SlidingWindow, "ramp": provider.RampLimit}
	rejectedOf = map[Rejected]provider.Rejected{"to_zero": provider.ToZero, "into_debt": provider.IntoDebt}
	chargeOf   = map[Charge]provider.Charge{"prompt": provider.Prompt, "prompt + max_tokens": provider.PromptPlusMax, "estimate": provider.EstimatedPrompt,
		"max(max_tokens, estimate)": provider.MaxOrEstimate, "as_produced": provider.AsProduced}
)

func resourceOf(r Resource) provider.Resource {
	switch r {
	case "tokens":
		return provider.Tokens
	case "input_tokens":
		return provider.InputTokens
	case "output_tokens":
		return provider.OutputTokens
	}
	return provider.Requests
}

func (b *builder) fault(path string, f Fault) (out provider.Fault, err error) {
	out = provider.Fault{At: time.Duration(f.At), For: time.Duration(f.For), Share: float64(f.Share)}
	if f.Gap.set() != f.Length.set() || (f.Gap.set() && f.For != 0) {
		return out, b.d.Errorf(path, "a fault that comes and goes has gap and length and no for")
	}
	if out.Gap, err = f.Gap.build(); err != nil {
		return out, b.d.Errorf(path+".gap", "%v", err)
	}
	if out.Length, err = f.Length.build(); err != nil {
		return out, b.d.Errorf(path+".length", "%v", err)
	}
	if out.Gap != nil && out.Gap.Mean()+out.Length.Mean() < 0.001 {
		return out, b.d.Errorf(path, "found a fault that comes more than a thousand times a second; want longer gaps or lengths")
	}
	var effects []provider.Effect
	if f.Status != 0 {
		if f.Status < 300 || f.Status > 599 {
			return out, b.d.Errorf(path+".status", "found %d; want an error status from 300 to 599", f.Status)
		}
		reply := wire.Reply{Status: f.Status, Code: f.Code}
		if f.RetryAfter > 0 {
			reply.RetryAfter = wire.After(time.Duration(f.RetryAfter))
		}
		effects = append(effects, provider.Reject{Reply: reply, After: time.Duration(f.After)})
	} else if f.Code != "" || f.RetryAfter != 0 || f.After != 0 {
		return out, b.d.Errorf(path, "code, retry_after and after go with a status; want status")
	}
	if f.Slow != 0 {
		effects = append(effects, provider.Slow{Factor: float64(f.Slow)})
	}
	if f.Hang {
		effects = append(effects, provider.Hang{})
	}
	if f.LoseReply {
		effects = append(effects, provider.Break{Part: 1})
	}
	if f.CutAt != nil {
		effects = append(effects, provider.Break{Part: float64(*f.CutAt)})
	}
	switch f.Connection {
	case "refused":
		effects = append(effects, provider.NoConnection{As: provider.RefusedConn})
	case "unreachable":
		effects = append(effects, provider.NoConnection{As: provider.Unreachable})
	}
	if c := f.Limit; c != nil {
		if c.Resource == "concurrency" || c.Resource == "" || c.Limit.Period == 0 {
			return out, b.d.Errorf(path+".limit", "want the resource requests, tokens or input_tokens and an amount per time")
		}
		if f.Gap.set() {
			return out, b.d.Errorf(path+".gap", "a limit changes at given times; want at and for")
		}
		if f.Share < 1 {
			return out, b.d.Errorf(path+".share", "found %v; a limit changes for all attempts", f.Share)
		}
		effects = append(effects, provider.ChangeLimit{Resource: resourceOf(c.Resource), Amount: c.Limit.Amount, Period: c.Limit.Period, Burst: int64(c.Burst)})
	}
	if len(effects) != 1 {
		return out, b.d.Errorf(path, "found %d effects; want exactly one of connection, cut_at, hang, limit, lose_reply, slow, status", len(effects))
	}
	out.Effect = effects[0]
	return out, nil
}

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
		return out, b.d.Errorf("policy.timeouts.attempt", "found an empty list; want a time, or one for each attempt")
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
		default:
			out.Retry.Classify.Statuses = append(out.Retry.Classify.Statuses, r.Statuses)
		}
	}
	if out.Retry.Backoff, err = b.backoff(&p.Retry.Backoff); err != nil {
		return out, err
	}
	ra := p.Retry.RetryAfter
	out.Retry.RetryAfter = policy.RetryAfter{Limit: time.Duration(ra.Limit), Plus: time.Duration(ra.Plus)}
	switch ra.Obey {
	case "in_full":
		out.Retry.RetryAfter.Obey = policy.InFull
	case "up_to":
		out.Retry.RetryAfter.Obey = policy.UpTo
		if ra.Limit == 0 {
			return out, b.d.Errorf("policy.retry.retry_after.limit", "found nothing; up_to needs a limit such as 60s")
		}
	}
	if ra.Obey != "up_to" && (ra.Limit != 0 || ra.Beyond != "") {
		return out, b.d.Errorf("policy.retry.retry_after", "limit and beyond go with obey: up_to")
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
			return out, b.d.Errorf(path+".base", "found nothing; want a time such as 500ms")
		case out.Factor < 1 || out.Factor > 1000:
			return out, b.d.Errorf(path+".factor", "found %v; want 1 to 1000", e.Factor)
		case e.Cap != 0 && e.Cap < e.Base:
			return out, b.d.Errorf(path+".cap", "found %v; want at least the base, %v", e.Cap, e.Base)
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

func (b *builder) price(p *Price) (out cost.Price, err error) {
	if p.Input != nil || p.Output != nil || p.Cached != nil {
		if p.Input == nil || p.Output == nil {
			return out, b.d.Errorf("price", "found a part of a price; want input and output, in dollars per million tokens")
		}
		if p.File != "" {
			return out, b.d.Errorf("price", "found a file and a price; want one of them")
		}
		cached := *p.Input
		if p.Cached != nil {
			cached = *p.Cached
		}
		name := p.Model
		if name == "" {
			name = "own price"
		}
		return cost.PerMillion(name, float64(*p.Input), float64(cached), float64(*p.Output)), nil
	}
	if p.Model == "" {
		if p.File != "" {
			return out, b.d.Errorf("price.model", "found nothing; want a model of the file")
		}
		b.warnings = append(b.warnings, "no price is set: every attempt costs nothing")
		return cost.Price{Model: "no price"}, nil
	}
	book := b.prices
	if p.File != "" {
		path := p.File
		if !filepath.IsAbs(path) {
			path = filepath.Join(b.dir, path)
		}
		f, err := os.Open(path)
		if err != nil {
			return out, b.d.Errorf("price.file", "%v", err)
		}
		defer f.Close()
		b.files = append(b.files, path)
		if book, err = cost.Read(f, p.File); err != nil {
			return out, b.d.Errorf("price.file", "%v", err)
		}
	}
	if out, err = book.Price(p.Model); err != nil {
		return out, b.d.Errorf("price", "%v", err)
	}
	return out, nil
}
