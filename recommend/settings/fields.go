package settings

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"stampede/internal/format"
	"stampede/policy"
)

// Paths that rules look at.
const (
	attemptsPath  = "policy.retry.attempts"
	deadlinePath  = "policy.retry.deadline"
	retryOnPath   = "policy.retry.retry_on"
	neverOnPath   = "policy.retry.never_on"
	backoffPath   = "policy.retry.backoff"
	basePath      = "policy.retry.backoff.exponential.base"
	factorPath    = "policy.retry.backoff.exponential.factor"
	capPath       = "policy.retry.backoff.exponential.cap"
	minPath       = "policy.retry.backoff.exponential.min"
	jitterPath    = "policy.retry.backoff.exponential.jitter"
	hintPath      = "policy.retry.retry_after"
	connectPath   = "policy.timeouts.connect"
	writePath     = "policy.timeouts.write"
	firstBytePath = "policy.timeouts.first_byte"
	gapPath       = "policy.timeouts.gap"
	attemptPath   = "policy.timeouts.attempt"
	callPath      = "policy.timeouts.call"
	gatePath      = "policy.gate.semaphore"
	gateWaitPath  = "policy.gate.wait"
	pacePath      = "policy.pace"
	ratePath      = "policy.pace.rate"
	cubicPath     = "policy.pace.cubic"
	poolPath      = "policy.max_connections"
	poolWaitPath  = "policy.timeouts.pool"
)

// field is a part of a policy that a client sets or does not set.
type field struct {
	path, name string
	// of are the places of the field in a policy, as pointers.
	of func(c *policy.Client) []any
	// text is its value in words.
	text func(c *policy.Client) string
}

// values are the places of a field.
func values(all ...any) []any { return all }

// fields are those of a policy, in the order of the scenario file. Parts of a backoff are fields of
// their own.
var fields = []field{
	{attemptsPath, "attempts", func(c *policy.Client) []any { return values(&c.Retry.Attempts) },
		func(c *policy.Client) string {
			if c.Retry.Attempts == 0 {
				return "unlimited"
			}
			return fmt.Sprint(c.Retry.Attempts)
		}},
	{deadlinePath, "deadline", func(c *policy.Client) []any { return values(&c.Retry.Deadline) },
		func(c *policy.Client) string { return span(c.Retry.Deadline) }},
	{retryOnPath, "retry_on", func(c *policy.Client) []any {
		k := &c.Retry.Classify
		return values(&k.Statuses, &k.Timeouts, &k.Connections, &k.Streams)
	}, retryOn},
	{neverOnPath, "never_on", func(c *policy.Client) []any { return values(&c.Retry.Classify.Never) },
		func(c *policy.Client) string { return orNone(strings.Join(c.Retry.Classify.Never, ", ")) }},
	{"policy.retry.x_should_retry", "x_should_retry", func(c *policy.Client) []any {
		return values(&c.Retry.Classify.ShouldRetry)
	}, func(c *policy.Client) string {
		if c.Retry.Classify.ShouldRetry {
			return "obey"
		}
		return "ignore"
	}},
	{basePath, "backoff base", func(c *policy.Client) []any { return values(&c.Retry.Backoff.Base) },
		func(c *policy.Client) string { return span(c.Retry.Backoff.Base) }},
	{factorPath, "backoff factor", func(c *policy.Client) []any { return values(&c.Retry.Backoff.Factor) },
		func(c *policy.Client) string { return number(c.Retry.Backoff.Factor) }},
	{capPath, "backoff cap", func(c *policy.Client) []any { return values(&c.Retry.Backoff.Cap) },
		func(c *policy.Client) string { return span(c.Retry.Backoff.Cap) }},
	{minPath, "backoff min", func(c *policy.Client) []any { return values(&c.Retry.Backoff.Min) },
		func(c *policy.Client) string { return span(c.Retry.Backoff.Min) }},
	{jitterPath, "jitter", func(c *policy.Client) []any {
		b := &c.Retry.Backoff
		return values(&b.Jitter, &b.Share, &b.Plus)
	}, jitter},
	{backoffPath, "backoff", func(c *policy.Client) []any { return values(&c.Retry.Backoff) },
		func(c *policy.Client) string { return c.Retry.Backoff.Describe() }},
	{"policy.retry.throttled_backoff", "throttled_backoff", func(c *policy.Client) []any {
		return values(&c.Retry.Throttled)
	}, func(c *policy.Client) string {
		if c.Retry.Throttled == nil {
			return "none"
		}
		return c.Retry.Throttled.Describe()
	}},
	{"policy.retry.broken_stream", "broken_stream", func(c *policy.Client) []any { return values(&c.Retry.Broken) },
		func(c *policy.Client) string { return c.Retry.Broken.String() }},
	{hintPath, "retry_after", func(c *policy.Client) []any { return values(&c.Retry.RetryAfter) },
		func(c *policy.Client) string {
			return strings.TrimPrefix(c.Retry.RetryAfter.Describe(), "Retry-After ")
		}},
	{"policy.outer_layers", "outer_layers", func(c *policy.Client) []any { return values(&c.Outer) },
		func(c *policy.Client) string {
			var all []string
			for _, l := range c.Outer {
				all = append(all, l.Name+" ("+l.Retry.Describe()+")")
			}
			return orNone(strings.Join(all, ", "))
		}},
	timer(connectPath, "connect timeout", func(t *policy.Timeouts) *time.Duration { return &t.Connect }),
	timer(writePath, "write timeout", func(t *policy.Timeouts) *time.Duration { return &t.Write }),
	timer(firstBytePath, "first_byte timeout", func(t *policy.Timeouts) *time.Duration { return &t.FirstByte }),
	timer(gapPath, "gap timeout", func(t *policy.Timeouts) *time.Duration { return &t.Gap }),
	timer(poolWaitPath, "pool timeout", func(t *policy.Timeouts) *time.Duration { return &t.Pool }),
	timer("policy.timeouts.os", "os timeout", func(t *policy.Timeouts) *time.Duration { return &t.OS }),
	{attemptPath, "attempt timeout", func(c *policy.Client) []any { return values(&c.Timeouts.Attempt) },
		func(c *policy.Client) string {
			var all []string
			for _, d := range c.Timeouts.Attempt {
				all = append(all, span(d))
			}
			return orNone(strings.Join(all, " then "))
		}},
	timer(callPath, "call timeout", func(t *policy.Timeouts) *time.Duration { return &t.Call }),
	{"policy.deadline", "deadline of the call", func(c *policy.Client) []any { return values(&c.Deadline) },
		func(c *policy.Client) string { return orNone(strings.TrimPrefix(c.Deadline.Describe(), "deadline ")) }},
	{poolPath, "max_connections", func(c *policy.Client) []any { return values(&c.MaxConnections) },
		func(c *policy.Client) string {
			if c.MaxConnections == 0 {
				return "none"
			}
			return fmt.Sprint(c.MaxConnections)
		}},
	{gatePath, "gate", func(c *policy.Client) []any { return values(&c.Gate.Semaphore) },
		func(c *policy.Client) string {
			if c.Gate.Semaphore == 0 {
				return "none"
			}
			return fmt.Sprint(c.Gate.Semaphore)
		}},
	{gateWaitPath, "wait at the gate", func(c *policy.Client) []any {
		return values(&c.Gate.Wait, &c.Gate.Retriable)
	}, func(c *policy.Client) string { return span(c.Gate.Wait) }},
	{"policy.gate.held", "gate held", func(c *policy.Client) []any { return values(&c.Gate.Held) },
		func(c *policy.Client) string { return "by the " + c.Gate.Held.String() }},
	{"policy.gate", "gate", func(c *policy.Client) []any { // what is left of it
		g := &c.Gate
		return values(&g.AIMD, &g.Gradient, &g.Scope, &g.Order, &g.Room)
	}, func(c *policy.Client) string { return orNone(strings.TrimPrefix(c.Gate.Describe(), "gate ")) }},
	{ratePath, "pace", func(c *policy.Client) []any { return values(&c.Pacer.Bucket) },
		func(c *policy.Client) string { return orNone(strings.TrimPrefix(c.Pacer.Describe(), "paced ")) }},
	{cubicPath, "pace", func(c *policy.Client) []any { return values(&c.Pacer.Cubic) },
		func(c *policy.Client) string { return orNone(strings.TrimPrefix(c.Pacer.Describe(), "paced ")) }},
	{pacePath, "pace", func(c *policy.Client) []any { // what is left of it
		p := &c.Pacer
		return values(&p.AIMD, &p.Tokens, &p.Headers, &p.Scope, &p.Wait)
	}, func(c *policy.Client) string { return orNone(strings.TrimPrefix(c.Pacer.Describe(), "paced ")) }},
	whole("policy.breaker", "breaker", func(c *policy.Client) describer { return &c.Breaker }),
	whole("policy.throttle", "throttle", func(c *policy.Client) describer { return &c.Throttle }),
	whole("policy.budget", "retry budget", func(c *policy.Client) describer { return &c.Budget }),
	whole("policy.hedge", "hedge", func(c *policy.Client) describer { return &c.Hedge }),
	{"policy.fallback", "fallback", func(c *policy.Client) []any { return values(&c.Fallback) },
		func(c *policy.Client) string {
			if !c.Fallback.On {
				return "none"
			}
			return c.Fallback.Describe()
		}},
	whole("policy.route", "route", func(c *policy.Client) describer { return &c.Route }),
	{"policy.idempotency_key", "idempotency_key", func(c *policy.Client) []any { return values(&c.IdempotencyKey) },
		func(c *policy.Client) string { return fmt.Sprint(c.IdempotencyKey) }},
}

// timer is the field of a timer.
func timer(path, name string, of func(t *policy.Timeouts) *time.Duration) field {
	return field{path, name, func(c *policy.Client) []any { return values(of(&c.Timeouts)) },
		func(c *policy.Client) string { return span(*of(&c.Timeouts)) }}
}

// describer is a part of a policy that writes itself for readers.
type describer interface{ Describe() string }

// whole is a field that describes itself.
func whole(path, name string, of func(c *policy.Client) describer) field {
	return field{path, name, func(c *policy.Client) []any { return values(of(c)) },
		func(c *policy.Client) string { return orNone(of(c).Describe()) }}
}

// copy gives a policy the field of another.
func (f field) copy(to, from *policy.Client) {
	for i, place := range f.of(to) {
		reflect.ValueOf(place).Elem().Set(reflect.ValueOf(f.of(from)[i]).Elem())
	}
}

// same reports whether two policies agree in the field.
func (f field) same(a, b *policy.Client) bool { return reflect.DeepEqual(f.of(a), f.of(b)) }

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func span(d time.Duration) string {
	if d == 0 {
		return "none"
	}
	return format.Duration(d)
}

// retryOn lists what is retried.
func retryOn(c *policy.Client) string {
	k := &c.Retry.Classify
	var all []string
	for _, s := range k.Statuses {
		all = append(all, s.Describe())
	}
	for _, failure := range []struct {
		name string
		on   bool
	}{{"timeout", k.Timeouts}, {"connection", k.Connections}, {"stream", k.Streams}} {
		if failure.on {
			all = append(all, failure.name)
		}
	}
	return orNone(strings.Join(all, ", "))
}

// jitter is a jitter with its parameter.
func jitter(c *policy.Client) string {
	b := &c.Retry.Backoff
	switch b.Jitter.Takes() {
	case policy.TakesShare:
		return b.Jitter.String() + " " + format.Percent(b.Share)
	case policy.TakesSpan:
		return b.Jitter.String() + " " + span(b.Plus)
	}
	return b.Jitter.String()
}
