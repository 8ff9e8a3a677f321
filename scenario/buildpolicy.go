package scenario

import (
	"reflect"
	"slices"
	"time"

	"stampede/internal/strict"
	"stampede/policy"
	"stampede/wire"
)

func (b *builder) client(p *Policy) (out policy.Client, err error) {
	out = policy.Client{
		Name:     nameOf(p.Name, p.Preset, *p),
		Timeouts: timeouts(&p.Timeouts),
		Throttle: policy.Throttle{K: float64(p.Throttle.K), Window: time.Duration(p.Throttle.Window)},
		Hedge: policy.Hedge{
			After:    time.Duration(p.Hedge.After),
			Quantile: float64(p.Hedge.Quantile),
			Max:      int(p.Hedge.Max),
			Cancel:   p.Hedge.Cancel,
		},
		Fallback: policy.Fallback{
			On:        p.Fallback.On,
			Cooldown:  time.Duration(p.Fallback.Cooldown),
			SeenEvery: time.Duration(p.Fallback.SeenEvery),
		},
		Deadline: policy.Deadline{
			After: time.Duration(p.Deadline.After),
			From:  valueOf(policy.OriginWords, p.Deadline.From),
		},
		MaxConnections: int(p.Pool),
		IdempotencyKey: p.Key,
	}
	var errs strict.Errors
	out.Retry, err = b.retry("policy.retry", &p.Retry)
	errs.Add(err)
	out.Outer, err = b.layers(p.Outer)
	errs.Add(err)
	boundByCall(&out)
	for _, idle := range []struct {
		path, wants string
		set, on     bool
	}{
		{"policy.deadline.from", "policy.deadline.after", p.Deadline.From != "", p.Deadline.After != 0},
		{"policy.fallback.cooldown", "policy.fallback.on", p.Fallback.Cooldown != 0, p.Fallback.On},
		{"policy.fallback.cooldown_refresh", "policy.fallback.cooldown", p.Fallback.SeenEvery != 0,
			p.Fallback.Cooldown != 0},
		{"policy.throttle.window", "policy.throttle.k", p.Throttle.Window != 0, p.Throttle.K != 0},
		{"policy.breaker.window", "policy.breaker.ratio", p.Breaker.Over != Over{}, p.Breaker.Ratio != 0},
		{"policy.breaker.min_results", "policy.breaker.ratio", p.Breaker.Minimum != 0, p.Breaker.Ratio != 0},
		{"policy.breaker.when_open", "policy.fallback.on to fall back", p.Breaker.WhenOpen == "fall_back",
			p.Fallback.On},
	} {
		if idle.set && !idle.on {
			errs.Add(b.errorf(idle.path, "found it alone, where it has no effect; want %s as well", idle.wants))
		}
	}
	if out.Throttle.K > 0 && out.Throttle.Window == 0 {
		out.Throttle.Window = 2 * time.Minute
	}
	for _, step := range []func() error{
		func() error { out.Gate, err = b.gate(&p.Gate); return err },
		func() error { out.Pacer, err = b.pacer(&p.Pace); return err },
		func() error { out.Route, err = b.route(&p.Route); return err },
		func() error { out.Breaker, err = b.breaker(&p.Breaker); return err },
		func() error { out.Budget, err = b.budget(&p.Budget); return err },
		func() error { return b.hedge(&p.Hedge) },
	} {
		errs.Add(step())
	}
	if len(errs) > 0 {
		return out, errs.Join()
	}
	if _, bounded := out.MaxDuration(0); !bounded && out.Attempts() == 0 {
		b.warnings.add("the policy retries without limit: no limit on attempts and no deadline")
	}
	return out, nil
}

// boundByCall bounds the deadline by the timeout of the whole call: a wait that would outlast that is not slept.
func boundByCall(c *policy.Client) {
	if call := c.Timeouts.Call; call > 0 && (c.Retry.Deadline == 0 || call < c.Retry.Deadline) {
		c.Retry.Deadline = call
	}
}

func timeouts(t *Timeouts) policy.Timeouts {
	out := policy.Timeouts{
		Connect: time.Duration(t.Connect), Write: time.Duration(t.Write), FirstByte: time.Duration(t.FirstByte),
		Gap: time.Duration(t.Gap), Pool: time.Duration(t.Pool), Call: time.Duration(t.Call), OS: time.Duration(t.OS),
	}
	limited := slices.ContainsFunc(t.Attempt, func(t Timer) bool { return t > 0 })
	for _, t := range t.Attempt {
		if limited { // else none, as if it were not set
			out.Attempt = append(out.Attempt, time.Duration(t))
		}
	}
	return out
}

func (b *builder) retry(path string, p *Retry) (out policy.Retry, err error) {
	out = policy.Retry{
		Attempts: int(p.Attempts),
		Deadline: time.Duration(p.Deadline),
		Classify: policy.Classifier{Never: p.NeverOn, ShouldRetry: p.XShouldRetry != "ignore"},
	}
	out.Broken = valueOf(policy.BrokenWords, p.BrokenStream)
	for _, r := range p.RetryOn {
		switch r.Failure {
		case "timeout":
			out.Classify.Timeouts = true
		case "connection":
			out.Classify.Connections = true
		case "stream":
			out.Classify.Streams = true
		default:
			out.Classify.Statuses = append(out.Classify.Statuses, r.Statuses)
		}
	}
	if out.Backoff, err = b.backoff(path+".backoff", &p.Backoff); err != nil {
		return out, err
	}
	if p.Throttled != nil {
		throttled, err := b.backoff(path+".throttled_backoff", p.Throttled)
		if err != nil {
			return out, err
		}
		out.Throttled = &throttled
	}
	out.RetryAfter, err = b.retryAfter(path+".retry_after", &p.RetryAfter)
	return out, err
}

func (b *builder) retryAfter(path string, ra *RetryAfter) (out policy.RetryAfter, err error) {
	out = policy.RetryAfter{
		Obey: valueOf(policy.ObedienceWords, ra.Obey), Beyond: valueOf(policy.BeyondWords, ra.Beyond),
		Limit: time.Duration(ra.Limit), Below: ra.Exclusive,
		Plus: time.Duration(ra.Plus.Max), PlusShare: float64(ra.Plus.Share),
		AtLeastBackoff: ra.AtLeastBackoff, GiveUpFirst: ra.First, Required: ra.Required,
		Reads:    wire.Reads{Millis: ra.Millis, Body: ra.Body},
		Zero:     valueOf(policy.ReactionWords, ra.Zero),
		Negative: valueOf(policy.ReactionWords, ra.Negative),
		Past:     valueOf(policy.ReactionWords, ra.Past),
		Garbage:  valueOf(policy.ReactionWords, ra.Malformed),
		Overflow: valueOf(policy.ReactionWords, ra.Overflow),
		Largest:  time.Duration(ra.Largest),
		Skips:    policy.Skips{ZeroMillis: ra.SkipsZeroMs, Negative: ra.SkipsNegative},
	}
	if out.Obey == policy.UpTo && ra.Limit == 0 {
		return out, b.errorf(path+".limit", "found nothing; up_to needs a limit such as 60s")
	}
	if ra.Obey != "up_to" && (ra.Limit != 0 || ra.Beyond != "" || ra.Exclusive) {
		return out, b.errorf(path, "limit, limit_exclusive and beyond require obey: up_to")
	}
	if ra.First && ra.Beyond != "give_up" {
		return out, b.errorf(path+".overrides_status", "requires beyond: give_up")
	}
	if ra.Required && out.Obey == policy.Ignore {
		return out, b.errorf(path+".required", "requires obey: in_full or up_to")
	}
	return out, nil
}

func (b *builder) gate(g *Gate) (out policy.Gate, err error) {
	out = policy.Gate{
		Semaphore: int(g.Semaphore),
		Scope:     valueOf(policy.ScopeWords, g.Scope),
		Order:     valueOf(policy.OrderWords, g.Order),
		Room:      roomOf(g.Waiting),
		Held:      valueOf(policy.HeldWords, g.Held),
		Wait:      time.Duration(g.Wait),
		Retriable: g.Retriable,
	}
	or := func(n Number, standard float64) float64 {
		if n == 0 {
			return standard
		}
		return float64(n)
	}
	kinds := 0
	if g.Semaphore > 0 {
		kinds++
	}
	if a := g.AIMD; a != nil {
		kinds++
		out.AIMD = policy.AIMD{
			Start:  or(a.Start, 20),
			Min:    or(a.Min, 20),
			Max:    or(a.Max, 200),
			Factor: or(a.Factor, 0.9),
			Slow:   time.Duration(a.Slow),

			Cooldown: time.Duration(a.Cooldown), GrowAfter: int(a.GrowAfter), SlowStart: a.SlowStart,
		}
		if a.SlowStart && a.GrowAfter < 2 {
			return out, b.errorf("policy.gate.aimd.slow_start",
				"found it alone, where it has no effect; want grow_after from 2 as well")
		}
		if out.AIMD.Factor >= 1 {
			return out, b.errorf("policy.gate.aimd.factor", "found %v; want a number below 1, such as 0.9", a.Factor)
		}
		if err := b.span("policy.gate.aimd", out.AIMD.Start, out.AIMD.Min, out.AIMD.Max); err != nil {
			return out, err
		}
	}
	if a := g.Gradient; a != nil {
		kinds++
		out.Gradient = policy.Gradient{
			Start:     or(a.Start, 20),
			Min:       or(a.Min, 20),
			Max:       or(a.Max, 200),
			Queue:     or(a.Queue, 4),
			Smoothing: or(a.Smoothing, 0.2),
			Tolerance: or(a.Tolerance, 1.5),
			Window:    600,
		}
		if a.Window > 0 {
			out.Gradient.Window = int(a.Window)
		}
		if out.Gradient.Smoothing > 1 || out.Gradient.Tolerance < 1 {
			return out, b.errorf("policy.gate.gradient",
				"found smoothing %g and tolerance %g; want smoothing up to 1 and tolerance from 1",
				out.Gradient.Smoothing, out.Gradient.Tolerance)
		}
		if err := b.span("policy.gate.gradient", out.Gradient.Start, out.Gradient.Min, out.Gradient.Max); err != nil {
			return out, err
		}
	}
	if kinds > 1 {
		return out, b.errorf("policy.gate", "found %d kinds of gate; want one of semaphore, aimd, gradient", kinds)
	}
	for _, idle := range []struct {
		path string
		set  bool
	}{
		{"scope", g.Scope != ""}, {"order", g.Order != ""}, {"max_waiting", g.Waiting != unlimitedPlaces},
		{"wait", g.Wait != 0}, {"held", g.Held != ""},
	} {
		if kinds == 0 && idle.set {
			return out, b.errorf("policy.gate."+idle.path, "found it without a gate; "+
				"want one of semaphore, aimd, gradient as well")
		}
	}
	if out.Scope == policy.ForFleets && kinds > 0 && g.Semaphore == 0 {
		return out, b.errorf("policy.gate.scope", "found fleets with an adaptive limit; want a semaphore")
	}
	if g.Retriable && g.Wait == 0 {
		return out, b.errorf("policy.gate.wait_retriable",
			"found it alone, where it has no effect; want policy.gate.wait as well")
	}
	return out, nil
}

// roomOf is how many calls may wait at a gate, in the words of the policy.
func roomOf(p Places) int {
	switch p {
	case unlimitedPlaces:
		return 0
	case 0:
		return policy.NoRoom
	}
	return int(p)
}

// span checks that a bound starts between its least and its most.
func (b *builder) span(path string, start, least, most float64) error {
	if least < 1 || start < least || most < start {
		return b.errorf(path, "found start %g between min %g and max %g; want 1 <= min <= start <= max", start, least,
			most)
	}
	return nil
}

func (b *builder) breaker(p *Breaker) (out policy.Breaker, err error) {
	if p.InARow == 0 && p.Ratio == 0 {
		if !reflect.ValueOf(*p).IsZero() {
			return out, b.errorf("policy.breaker", "found no rule; want consecutive_failures or ratio")
		}
		return out, nil
	}
	if p.InARow < 0 {
		return out, b.errorf("policy.breaker.consecutive_failures", "found %d; want a number from 1", p.InARow)
	}
	out = policy.Breaker{
		InARow:  p.InARow,
		Ratio:   float64(p.Ratio),
		Count:   int(p.Over.Count),
		Window:  time.Duration(p.Over.Window),
		Minimum: int(p.Minimum),
		Open:    time.Duration(p.Open),
		Probes:  int(p.Probes),
	}
	if p.Counts != nil && len(p.Counts) == 0 {
		return out, b.errorf("policy.breaker.counts_as_failure", "found an empty list; want at least one class")
	}
	for _, c := range p.Counts {
		out.Counts |= policy.ClassesOf(valueOf(wire.ClassWords.Table(), c))
	}
	if out.Count == 0 && out.Window == 0 {
		out.Count = 100
	}
	if out.Minimum == 0 {
		out.Minimum = max(1, out.Count)
	}
	if out.Count > 0 && out.Minimum > out.Count {
		return out, b.errorf("policy.breaker.min_results", "found %d; want at most the %d results it looks at",
			out.Minimum, out.Count)
	}
	if out.Open == 0 {
		out.Open = 30 * time.Second
	}
	out.WhenOpen = valueOf(policy.WhenOpenWords, p.WhenOpen)
	out.Stops = valueOf(policy.StopsWords, p.Stops)
	return out, nil
}

func (b *builder) budget(p *Budget) (out policy.Budget, err error) {
	if t := p.Tokens; t != nil {
		if t.Max == 0 {
			return out, b.errorf("policy.budget.tokens.max", "found nothing; want what the account holds, such as 500")
		}
		out.Tokens = policy.Tokens{
			Max:          float64(t.Max),
			PerCall:      float64(t.PerCall),
			PerSuccess:   float64(t.PerSuccess),
			PerFailure:   float64(t.PerFailure),
			Cost:         float64(t.Retry),
			TimeoutCost:  float64(t.TimeoutRetry),
			ThrottleCost: float64(t.ThrottleRetry),
			Refund:       t.Refund,
			Floor:        float64(t.Floor),
		}
		if t.Start != nil {
			out.Tokens.Start, out.Tokens.Empty = float64(*t.Start), *t.Start == 0
		}
		if t.Retry == 0 && t.PerFailure == 0 {
			return out, b.errorf("policy.budget.tokens",
				"found an account that nothing is taken from; want retry, or per_failure")
		}
	}
	if s := p.Share; s != nil {
		if s.Ratio == 0 {
			return out, b.errorf("policy.budget.share.ratio", "found nothing; want a share such as 20%%")
		}
		out.Share = policy.Share{Ratio: float64(s.Ratio), Window: time.Duration(s.Window), Reserve: int(s.Reserve)}
	}
	return out, nil
}

func (b *builder) hedge(h *Hedge) error {
	switch {
	case h.After > 0 && h.Quantile > 0:
		return b.errorf("policy.hedge", "found after and quantile; want one of them")
	case h.After == 0 && h.Quantile == 0 && (h.Max != 0 || h.Cancel):
		return b.errorf("policy.hedge", "found neither after nor quantile; want one of them")
	case h.Max > policy.MaxHedges:
		return b.errorf("policy.hedge.max", "found %d; want 1 to %d", h.Max, policy.MaxHedges)
	case h.Quantile >= 1:
		return b.errorf("policy.hedge.quantile", "found %v; want a share below 100%%", h.Quantile)
	}
	return nil
}

func (b *builder) backoff(path string, f *Backoff) (out policy.Backoff, err error) {
	switch {
	case f.Constant != nil:
		return policy.Backoff{Base: time.Duration(*f.Constant), Factor: 1}, nil
	case f.Window != nil:
		if *f.Window == 0 {
			return out, b.errorf(path+".window", "found none; want a time such as 20s")
		}
		return policy.Backoff{Window: time.Duration(*f.Window)}, nil
	case f.Exponential != nil:
		e := f.Exponential
		out = policy.Backoff{Base: time.Duration(e.Base), Factor: float64(e.Factor), Cap: time.Duration(e.Cap)}
		if e.Factor == 0 {
			out.Factor = 2
		}
		path += ".exponential"
		switch {
		case e.Base == 0:
			return out, b.errorf(path+".base", "found nothing; want a time such as 500ms")
		case out.Factor < 1 || out.Factor > 1000:
			return out, b.errorf(path+".factor", "found %v; want 1 to 1000", e.Factor)
		case e.Cap != 0 && e.Cap < e.Base:
			return out, b.errorf(path+".cap", "found %v; want at least the base, %v", e.Cap, e.Base)
		}
		if out.Offset, out.Min = -time.Duration(e.Minus), time.Duration(e.Min); e.Minus > e.Base {
			return out, b.errorf(path+".minus", "found %v; want at most the base, %v", e.Minus, e.Base)
		}
		jitter(&e.Jitter, &out)
	case f.Power != nil:
		p := f.Power
		out = policy.Backoff{
			Base:     time.Duration(p.Base),
			Growth:   policy.PowerLaw,
			Exponent: float64(p.Exponent),
			Offset:   time.Duration(p.Plus),
			Cap:      time.Duration(p.Cap),
		}
		if p.Base == 0 || p.Exponent == 0 || p.Exponent > 10 {
			return out, b.errorf(path+".power",
				"found base %v and exponent %v; want a time such as 500ms and an exponent up to 10", p.Base,
				p.Exponent)
		}
		jitter(&p.Jitter, &out)
	case f.List != nil:
		out = policy.Backoff{Growth: policy.Listed}
		for _, d := range f.List.Waits {
			out.List = append(out.List, time.Duration(d))
		}
		if len(out.List) == 0 {
			return out, b.errorf(path+".list", "found no wait; want one for each retry, such as [4s, 8s, 16s]")
		}
		if f.List.Jitter != (Jitter{}) {
			jitter(&f.List.Jitter, &out)
		}
		if out.Jitter == policy.Decorrelated || out.Jitter == policy.Smooth {
			return out, b.errorf(path+".list.jitter", "found %v, which makes waits of its own; want another jitter",
				out.Jitter)
		}
	case f.Law != nil:
		drawn, err := f.Law.build()
		if err != nil {
			return out, b.errorf(path+".law", "%v", err)
		}
		return policy.Backoff{Law: drawn}, nil
	}
	return out, nil
}

// jitter reads how a wait is spread: the field that is set is the word of the jitter, and its
// value the parameter.
func jitter(j *Jitter, out *policy.Backoff) {
	out.Jitter = policy.Full
	v := reflect.ValueOf(j).Elem()
	for i := range v.NumField() {
		if v.Field(i).IsNil() {
			continue
		}
		out.Jitter, _ = policy.JitterWords.Parse(v.Type().Field(i).Tag.Get("yaml"))
		switch parameter := v.Field(i).Interface().(type) {
		case *Share:
			out.Share = float64(*parameter)
		case *Span:
			out.Plus = time.Duration(*parameter)
		}
	}
}
