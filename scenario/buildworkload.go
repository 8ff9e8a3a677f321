package scenario

import (
	"fmt"
	"slices"
	"time"

	"stampede/fleet"
	"stampede/internal/trace"
	"stampede/law"
	"stampede/sim"
)

func (b *builder) workload(w *Workload, workers Bound, horizon Span) (out fleet.Workload, err error) {
	var chosen []string
	for name, set := range map[string]bool{"batch": w.Batch != nil, "open": w.Open != nil, "burst": w.Burst != nil,
		"closed": w.Closed != nil, "trace": w.Trace != nil, "uniform": w.Uniform != nil,
		"sessions": w.Sessions != nil} {
		if set {
			chosen = append(chosen, name)
		}
	}
	slices.Sort(chosen)
	if len(chosen) != 1 {
		return out, b.errorf("workload",
			"found %d kinds of arrival %v; want exactly one of batch, burst, closed, open, sessions, trace, uniform; "+
				"null unsets one", len(chosen), chosen)
	}
	out = fleet.Workload{
		Stream: w.Stream,
		Acts:   w.Acts,
		Cache:  fleet.Cache{Lifetime: time.Duration(w.CacheLife), Writes: w.CacheWrites},
	}
	if w.CacheLife > 0 && w.CachedShare == 0 {
		return out, b.errorf("workload.cache_lifetime",
			"found %v without cached_share; want the part of the prompt that is cached", w.CacheLife)
	}
	sizes := fleet.Drawn{CachedShare: float64(w.CachedShare), MaxTokens: int32(w.MaxTokens)}
	if w.MaxTokens > 1e8 {
		return out, b.errorf("workload.max_tokens", "found %d; want at most 100M", w.MaxTokens)
	}
	if sizes.Prompt, err = w.PromptTokens.build(); err != nil {
		return out, b.errorf("workload.prompt_tokens", "%v", err)
	}
	if sizes.Prompt, err = b.inputs(w, sizes.Prompt); err != nil {
		return out, err
	}
	if sizes.Output, err = w.OutputTokens.build(); err != nil {
		return out, b.errorf("workload.output_tokens", "%v", err)
	}
	if sizes.Reasoning, err = w.Reasoning.build(); err != nil {
		return out, b.errorf("workload.reasoning_tokens", "%v", err)
	}
	if sizes.CachedPrefix, err = b.cache(w, &out.Cache); err != nil {
		return out, err
	}
	if w.Sessions != nil {
		if err = b.sessions(w, horizon, &out, &sizes); err != nil {
			return out, err
		}
	}
	out.Sizes = sizes
	pulled := false
	switch {
	case w.Batch != nil:
		pulled, out.Calls = true, uint64(w.Batch.Calls)
		err = b.positive("workload.batch.calls", w.Batch.Calls)
	case w.Burst != nil:
		out.Arrivals, out.Calls, err = b.burst(w.Burst, horizon)
	case w.Uniform != nil:
		out.Arrivals = fleet.Uniform{Calls: uint64(w.Uniform.Calls), Over: time.Duration(w.Uniform.Over)}
		out.Calls = uint64(w.Uniform.Calls)
		if err = b.positive("workload.uniform.calls", w.Uniform.Calls); err == nil && w.Uniform.Over == 0 {
			err = b.errorf("workload.uniform.over",
				"found nothing; want the time in which the calls arrive, such as 20s")
		}
	case w.Closed != nil:
		pulled, out.Calls = true, uint64(w.Closed.Calls)
		out.Think, out.Every, err = b.closed(w.Closed, horizon)
	case w.Open != nil:
		out.Calls = uint64(w.Open.Calls)
		if out.Arrivals, err = b.open(w.Open); err == nil {
			err = b.bounded("workload.open", w.Open.Calls, horizon)
		}
	case w.Trace != nil:
		var calls *fleet.Trace
		if calls, err = b.trace(w); err != nil {
			return out, err
		}
		calls.Missing = sizes
		drawn := w.Trace.NoOutput == "draw"
		out.Arrivals, out.Sizes, out.Calls = calls, calls, uint64(len(calls.At))
		if sizes.Prompt, err = b.recorded("prompt_tokens", calls.Prompt, sizes.Prompt, drawn); err != nil {
			return out, err
		}
		if sizes.Output, err = b.recorded("output_tokens", calls.Output, sizes.Output, drawn); err != nil {
			return out, err
		}
	}
	if err != nil {
		return out, err
	}
	if sizes.Prompt == nil && len(w.Mix) == 0 {
		return out, b.errorf("workload.prompt_tokens", "%s; want a number of tokens or a law, such as "+
			"{lognormal: {p50: 1200, p95: 4000}}", notFound(w.Trace, "prompt_tokens"))
	}
	if sizes.Output == nil && len(w.Mix) == 0 {
		return out, b.errorf("workload.output_tokens", "%s; want a number of tokens or a law, such as "+
			"{lognormal: {p50: 250, p95: 900}}", notFound(w.Trace, "output_tokens"))
	}
	if pulled && workers == 0 {
		return out, b.errorf("fleet.workers", "found none; want the number of workers that make the calls")
	}
	if out.Patience, err = w.Patience.build(); err != nil {
		return out, b.errorf("workload.patience", "%v", err)
	}
	if r := w.Redeliver; r != nil {
		if workers == 0 || w.Closed != nil {
			return out, b.errorf("workload.redeliver",
				"only a queue before workers can deliver again; want batch, or arrivals with fleet.workers set")
		}
		if r.After > 0 && r.Visible > 0 {
			return out, b.errorf("workload.redeliver", "found after and visible_after; want one of them")
		}
		switch {
		case r.Working && r.Visible == 0:
			return out, b.errorf("workload.redeliver.while_working",
				"found it alone; want visible_after as well, such as 30s")
		case r.Working && out.Patience != nil:
			return out, b.errorf("workload.redeliver.while_working",
				"found it beside workload.patience; a caller that leaves has one delivery at a time; want one of them")
		case r.Working && w.Sessions != nil:
			return out, b.errorf("workload.redeliver.while_working",
				"found it beside workload.sessions, whose turns follow each other; want one of them")
		case !r.Working && !r.Failed:
			return out, b.errorf("workload.redeliver.failed",
				"found false, so that nothing is delivered again; want while_working: true as well")
		}
		out.Redelivery = fleet.Redelivery{
			Deliveries:   int(r.Deliveries),
			After:        time.Duration(r.After),
			Visible:      time.Duration(r.Visible),
			WhileWorking: r.Working,
			DropFailed:   !r.Failed,
		}
		if r.Deliveries == 0 {
			out.Redelivery.Deliveries = -1
		}
	}
	return out, nil
}

// inputs is the law of the prompt of a request that carries several.
func (b *builder) inputs(w *Workload, one law.Law) (law.Law, error) {
	const path = "workload.inputs_per_request"
	switch n := float64(w.Inputs); {
	case n == 1:
		return one, nil
	case n > 1e6:
		return nil, b.errorf(path, "found %v; want 1 to 1M", w.Inputs)
	case one == nil && len(w.Mix) > 0:
		return nil, nil
	case one == nil:
		return nil, b.errorf(path, "found %v without prompt_tokens; want the length of an input", w.Inputs)
	case w.Sessions != nil:
		return nil, b.errorf(path, "found %v, but the turns of a session are one input each", w.Inputs)
	default:
		if c, ok := one.(law.Constant); ok {
			return law.Constant(n * float64(c)), nil
		}
		return law.Times{N: n, Law: one}, nil
	}
}

func (b *builder) positive(path string, n Count) error {
	if n < 1 || n > 1e9 {
		return b.errorf(path, "found %d; want 1 to 1G", n)
	}
	return nil
}

func (b *builder) bounded(path string, calls Count, horizon Span) error {
	if calls == 0 && horizon == 0 {
		return b.errorf(path, "found neither calls nor a horizon; want one, or the run would never end")
	}
	return nil
}

// burst is the arrivals of a burst, and how many there are in all; 0 means until the horizon.
func (b *builder) burst(u *Burst, horizon Span) (fleet.Process, uint64, error) {
	if err := b.positive("workload.burst.calls", u.Calls); err != nil {
		return nil, 0, err
	}
	switch {
	case u.Every == 0 && u.Times > 0:
		return nil, 0, b.errorf("workload.burst.times", "found %v without every; want the time from burst to burst",
			u.Times)
	case u.Every == 0:
		return fleet.Burst{}, uint64(u.Calls), nil
	case u.Times == 0 && horizon == 0:
		return nil, 0, b.errorf("workload.burst",
			"found neither times nor a horizon; want one, or the run would never end")
	case u.Times > 1e9/Bound(u.Calls):
		return nil, 0, b.errorf("workload.burst.times", "found %d x %d calls; want at most 1G", u.Times, u.Calls)
	}
	return fleet.Bursts{Calls: uint64(u.Calls), Every: time.Duration(u.Every)}, uint64(u.Calls) * uint64(u.Times), nil
}

// closed is how workers pause before they fetch a call.
func (b *builder) closed(c *Closed, horizon Span) (think, every law.Law, err error) {
	if c.Think.set() && c.Every.set() {
		return nil, nil, b.errorf("workload.closed",
			"found think and every; want one of them: every counts from the start of the last call, think from its end")
	}
	if think, err = c.Think.build(); err == nil {
		every, err = c.Every.build()
	}
	if err == nil {
		err = b.bounded("workload.closed", c.Calls, horizon)
	}
	return think, every, err
}

func (b *builder) open(o *Open) (fleet.Process, error) {
	gap := law.Law(law.Exponential{Beta: 1})
	switch {
	case o.Gaps.Constant != nil:
		gap = law.Constant(1)
	case o.Gaps.Gamma != nil:
		if err := spread("gamma", 1, float64(o.Gaps.Gamma.CV)); err != nil {
			return nil, b.errorf("workload.open.gaps.gamma", "%v", err)
		}
		gap = law.GammaFromMean(1, float64(o.Gaps.Gamma.CV))
	case o.Gaps.Weibull != nil:
		if err := spread("Weibull", 1, float64(o.Gaps.Weibull.CV)); err != nil {
			return nil, b.errorf("workload.open.gaps.weibull", "%v", err)
		}
		gap = law.WeibullFromMean(1, float64(o.Gaps.Weibull.CV))
	}
	if len(o.ByHour) > 0 || len(o.ByDay) > 0 {
		rate, err := b.cycle(o)
		return fleet.Renewal{Gap: gap, Rate: rate}, err
	}
	p := fleet.Profile{{From: float64(o.Rate), To: float64(o.Rate)}}
	highest := float64(o.Rate)
	for i, step := range o.Profile {
		path := fmt.Sprintf("workload.open.profile.%d", i)
		at, rate := time.Duration(step.At), float64(step.Rate)
		last := &p[len(p)-1]
		if at < last.Start || (at == last.Start && len(p) > 1) {
			return nil, b.errorf(path+".at", "found %v; want a time after %v, when the change before it ends", step.At,
				Span(last.Start))
		}
		if step.For > 0 && step.Over > step.For {
			return nil, b.errorf(path+".over", "found %v; want at most the %v that the change lasts", step.Over,
				step.For)
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
		return nil, b.errorf("workload.open.rate", "found a rate that stays 0; want a rate such as 5/s")
	}
	return fleet.Renewal{Gap: gap, Rate: p}, nil
}

func (b *builder) trace(w *Workload) (*fleet.Trace, error) {
	t := w.Trace
	if (t.File == "") == (t.Rows == nil) {
		return nil, b.errorf("workload.trace", "want either the name of a file or rows")
	}
	if t.speed() <= 0 {
		return nil, b.errorf("workload.trace.speed", "found %v; want a number above 0", *t.Speed)
	}
	if t.Rows != nil {
		return b.rows(t)
	}
	return b.traceFile(w)
}

// recorded is the law of a size where it was not recorded; there must be one where it is needed, and
// none where it is not.
func (b *builder) recorded(size string, recorded []int32, given law.Law, drawn bool) (law.Law, error) {
	all := len(recorded) > 0 && slices.Min(recorded) >= 0
	if all && given != nil && !drawn {
		return nil, b.errorf("workload."+size, "found %v, but the trace records the %s of its calls; want one of them",
			given, size)
	}
	if all {
		return law.Constant(0), nil
	}
	return given, nil
}

// maxTokens is the largest size of a call.
const maxTokens = 1e9

// sizeOf is a size of a row, negative when it is to be drawn.
func sizeOf(tokens *Count) int32 {
	if tokens == nil {
		return -1
	}
	return int32(min(*tokens, maxTokens))
}

// rows is a trace written in the scenario itself.
func (b *builder) rows(t *Trace) (*fleet.Trace, error) {
	if t.Columns != (Columns{}) || t.TimeUnit != "" || t.NoOutput != "" || t.Format != "" || t.TimeZone != "" ||
		t.Where != nil || t.From != "" || t.To != "" || t.BadRows != "" {
		return nil, b.errorf("workload.trace", "columns, format, time_unit, time_zone, where, from, to, bad_rows and "+
			"no_output are for a file; want none of them with rows")
	}
	out := &fleet.Trace{Name: "the scenario"}
	last := Span(0)
	for i, row := range t.Rows {
		if t.Calls > 0 && i == int(t.Calls) {
			break
		}
		if row.At < last {
			return nil, b.errorf(fmt.Sprintf("workload.trace.rows.%d.at", i),
				"found %v, earlier than the row before; want times that do not fall", row.At)
		}
		last = row.At
		out.At = append(out.At, time.Duration(row.At))
		out.Prompt = append(out.Prompt, sizeOf(row.Prompt))
		out.Output = append(out.Output, sizeOf(row.Output))
	}
	if len(out.At) == 0 {
		return nil, b.errorf("workload.trace.rows", "found an empty list; want a row for each call")
	}
	if err := t.repeat(out, 0); err != nil {
		return nil, b.errorf("workload.trace.repeat", "%v", err)
	}
	for i, at := range out.At {
		out.At[i] = t.replayed(at)
	}
	return out, nil
}

// repeat runs the calls several times, one after the other. The next begins a window after the one
// before, that is the time between from and to, or without one a mean gap after its last call.
func (t *Trace) repeat(out *fleet.Trace, window time.Duration) error {
	n := len(out.At)
	if t.Repeat <= 1 {
		return nil
	}
	if int64(t.Repeat) > trace.MaxCalls/int64(n) {
		return fmt.Errorf("%d calls, repeated %d times, are more than %d", n, t.Repeat, trace.MaxCalls)
	}
	span := out.At[n-1] - out.At[0]
	period := span + span/time.Duration(max(1, n-1))
	if window > 0 {
		period = window
	}
	if period == 0 {
		return fmt.Errorf("all calls come at one time; want calls at two times at least to repeat them")
	}
	out.At = slices.Grow(out.At, n*int(t.Repeat-1))
	for turn := range time.Duration(t.Repeat - 1) {
		for _, at := range out.At[:n] {
			out.At = append(out.At, sim.Plus(at, (turn+1)*period))
		}
	}
	for _, values := range []*[]int32{&out.Prompt, &out.Output, &out.MaxTokens, &out.Cached, &out.Reasoning} {
		*values = slices.Repeat(*values, int(t.Repeat))
	}
	return nil
}

// notFound says where a size was looked for.
func notFound(t *Trace, size string) string {
	switch {
	case t == nil || t.File == "":
		return "found nothing"
	case t.Format != "":
		return fmt.Sprintf("found nothing, and in the file no column that the format %s has for it "+
			"(workload.trace.columns.%s names another)", t.Format, size)
	}
	return "found nothing, and no column for it in the file (workload.trace.columns." + size + " names one)"
}
