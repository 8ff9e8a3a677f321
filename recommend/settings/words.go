package settings

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"text/template"
	"time"

	"stampede/policy"
)

// page is what a template reads: what the client will do.
type page struct {
	policy.Client
	Of *Client
}

// Retries are attempts less one.
func (p page) Retries() int { return p.Retry.Attempts - 1 }

// Attempt is the timeout of an attempt: of the first, where each has its own.
func (p page) Attempt() time.Duration { return p.Timeouts.Whole(1) }

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
	return strings.Join(all, " "+or+" ")
}

// functions write values as languages do.
var functions = template.FuncMap{
	"sec":     func(d time.Duration) string { return number(d.Seconds()) },
	"ms":      func(d time.Duration) int64 { return d.Milliseconds() },
	"goTime":  goDuration,
	"proto":   func(d time.Duration) string { return number(d.Seconds()) + "s" },
	"java":    javaDuration,
	"number":  number,
	"percent": func(x float64) string { return number(100 * x) },
	"json":    func(v any) (string, error) { b, err := json.Marshal(v); return string(b), err },
	"add":     func(a, b int) int { return a + b },
	"share":   func(a, b float64) string { return number(a + b) },
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
