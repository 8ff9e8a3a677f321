package settings

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"text/template"
	"time"

	"stampede/policy"
)

// page is what a template reads: what the client will do.
type page struct {
	*policy.Client
	Of *Client
}

// Retries are attempts less one.
func (p page) Retries() int { return p.Retry.Attempts - 1 }

// Attempt is the timeout of an attempt: of the first, where each has its own.
func (p page) Attempt() time.Duration { return p.Timeouts.Whole(1) }

// Connections is the size of the connection pool: its own, or the gate that it stands for. 0 is the client's own.
func (p page) Connections() int { return max(p.MaxConnections, p.Gate.Semaphore) }

// PoolWait is how long an attempt waits for a connection of the pool.
func (p page) PoolWait() time.Duration { return first(p.Timeouts.Pool, p.Gate.Wait) }

// Is reports whether the jitter has a name.
func (p page) Is(jitter string) bool { return p.Retry.Backoff.Jitter.String() == jitter }

// Statuses lists the HTTP statuses that are retried, one by one up to 599, joined by a separator.
func (p page) Statuses(between string) string {
	var all []string
	for _, s := range p.Retry.Classify.Statuses {
		for status := s.From; status <= min(s.To, 599); status++ {
			all = append(all, strconv.Itoa(status))
		}
	}
	return strings.Join(all, between)
}

// InStatuses is an expression that is true of the statuses that are retried, in a language in which and and
// or are written so.
func (p page) InStatuses(status, and, or string) string {
	var all []string
	for _, s := range p.Retry.Classify.Statuses {
		switch {
		case s.From == s.To:
			all = append(all, fmt.Sprintf("%s == %d", status, s.From))
		case s.To >= 599:
			all = append(all, fmt.Sprintf("%s >= %d", status, s.From))
		default:
			all = append(all, fmt.Sprintf("%s >= %d %s %s <= %d", status, s.From, and, status, s.To))
		}
	}
	switch {
	case len(all) > 0:
		return strings.Join(all, " "+or+" ")
	case or == "or":
		return "False"
	}
	return "false"
}

// functions write values as languages do.
var functions = template.FuncMap{
	"sec":    func(d time.Duration) string { return number(d.Seconds()) },
	"ms":     func(d time.Duration) int64 { return d.Milliseconds() },
	"goTime": goDuration,
	"proto":  func(d time.Duration) string { return number(d.Seconds()) + "s" },
	"java":   javaDuration,
	"number": number,
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// goDuration is a duration as Go code.
func goDuration(d time.Duration) string {
	switch {
	case d == 0:
		return "0"
	case d%time.Minute == 0:
		return fmt.Sprintf("%d * time.Minute", d/time.Minute)
	case d%time.Second == 0:
		return fmt.Sprintf("%d * time.Second", d/time.Second)
	case d%time.Millisecond == 0:
		return fmt.Sprintf("%d * time.Millisecond", d/time.Millisecond)
	}
	return fmt.Sprintf("%d", d.Nanoseconds())
}

// javaDuration is a duration as Spring reads it.
func javaDuration(d time.Duration) string {
	if d%time.Second == 0 {
		return fmt.Sprintf("%ds", d/time.Second)
	}
	return fmt.Sprintf("%dms", d.Milliseconds())
}

// BuiltIn reports whether the client's own backoff gives the waits, without a function of one's own.
func (p page) BuiltIn() bool {
	b := p.Retry.Backoff
	plain := b.On() && b.Min == 0
	switch p.Of.Name {
	case "cenkalti-backoff":
		return plain && b.Cap > 0 && (b.Jitter == policy.NoJitter || b.Jitter == policy.Around)
	case "go-retryablehttp":
		return plain && b.Cap > 0 && b.Jitter == policy.NoJitter && b.Factor == 2 &&
			reflect.DeepEqual(p.Retry.RetryAfter, presetOf(p.Of.Preset).Retry.RetryAfter)
	case "polly":
		return plain && (b.Jitter == policy.Smooth || b.Jitter == policy.NoJitter && (b.Factor == 1 || b.Factor == 2))
	}
	return true
}

// ClientErrors lists the statuses below 500 that are retried.
func (p page) ClientErrors() string {
	var all []string
	for _, s := range p.Retry.Classify.Statuses {
		for status := s.From; status <= min(s.To, 499); status++ {
			all = append(all, strconv.Itoa(status))
		}
	}
	return strings.Join(all, ",")
}

// EnvoyRetryOn are the conditions under which a route retries.
func (p page) EnvoyRetryOn() string {
	var all []string
	if covers(p.Retry.Classify.Statuses, 500, 599) {
		all = append(all, "5xx")
	}
	if p.Retry.Classify.Connections {
		all = append(all, "reset", "connect-failure")
	}
	if p.EnvoyStatuses() != "" {
		all = append(all, "retriable-status-codes")
	}
	return strings.Join(all, ",")
}

// EnvoyStatuses lists the statuses that 5xx does not cover.
func (p page) EnvoyStatuses() string {
	rest := policy.Client{}
	for _, s := range p.Retry.Classify.Statuses {
		if s.From > 500 || s.To < 599 {
			rest.Retry.Classify.Statuses = append(rest.Retry.Classify.Statuses, s)
		}
	}
	return page{&rest, p.Of}.Statuses(", ")
}

// EnvoyBase is the base interval of a route, whose ceilings are 1, 3, 7 times it.
func (p page) EnvoyBase() time.Duration { return p.Retry.Backoff.Base + p.Retry.Backoff.Offset }
