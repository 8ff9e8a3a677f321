package policy

import (
	"fmt"
	"slices"

	"stampede/wire"
)

// Classifier separates errors that another attempt may cure from those it cannot.
type Classifier struct {
	Statuses    []Statuses // retried
	Timeouts    bool       // attempts cut off by the client's own timer are retried
	Connections bool       // refused and broken connections are retried
	Streams     bool       // errors inside a stream are retried
	Never       []string   // error codes that are never retried, whatever their status
	ShouldRetry bool       // the header x-should-retry, when sent, beats Statuses
}

// Statuses is a range of HTTP statuses, both ends included.
type Statuses struct{ From, To int }

// Describe writes one status or the range.
func (s Statuses) Describe() string {
	switch {
	case s.From == s.To:
		return fmt.Sprint(s.From)
	case s.From%100 == 0 && s.To == s.From+99:
		return fmt.Sprintf("%dxx", s.From/100)
	}
	return fmt.Sprintf("%d..%d", s.From, s.To)
}

// Retryable reports whether another attempt may cure the reply. An answer is
// not retryable.
func (c *Classifier) Retryable(r *wire.Reply) bool {
	switch r.Failure {
	case wire.Timeout:
		return c.Timeouts
	case wire.Connection:
		return c.Connections
	case wire.InStream:
		return c.Streams && !slices.Contains(c.Never, r.Code)
	}
	if r.Class() == wire.OK || (r.Code != "" && slices.Contains(c.Never, r.Code)) {
		return false
	}
	if c.ShouldRetry && r.ShouldRetry != wire.NoAdvice {
		return r.ShouldRetry == wire.Retry
	}
	for _, s := range c.Statuses {
		if s.From <= r.Status && r.Status <= s.To {
			return true
		}
	}
	return false
}
