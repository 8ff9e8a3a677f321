// Package decisions holds what a real client decides against what its preset decides: for a list of replies, how
// many requests a call sends and how long it waits between them.
package decisions

import (
	"fmt"
	"time"

	"stampede/conformance/clients/measure"
	"stampede/dialect"
	"stampede/wire"
)

// Reply is a reply that clients are held against.
type Reply struct {
	Name string
	wire.Reply
	Ahead time.Duration // not 0: Retry-After is a date so far ahead of the reply
}

// At is the reply that leaves at an instant.
func (r Reply) At(now time.Duration) wire.Reply {
	if r.Ahead != 0 {
		r.RetryAfter = wire.At(now + r.Ahead)
	}
	return r.Reply
}

// Sent is the reply as a scripted server of a provider sends it.
func (r Reply) Sent(d dialect.Dialect) measure.Reply {
	out := measure.Reply{Name: r.Name, Status: r.Status, Header: map[string]string{}, Ahead: r.Ahead.Seconds()}
	if r.Failure != wire.None {
		return out
	}
	m := d.Write(r.Reply, dialect.Limit{}, time.Time{}, 0)
	for _, f := range m.Header {
		out.Header[f.Name] = f.Value
	}
	out.Body = m.Body
	return out
}

// Replies are every form of Retry-After, x-should-retry, the statuses that some client retries and those that none
// does, and a refused connection.
var Replies = replies()

func replies() (out []Reply) {
	add := func(name string, r wire.Reply) { out = append(out, Reply{Name: name, Reply: r}) }
	seconds := func(v float64) wire.Hint { return wire.Hint{Form: wire.Seconds, Value: v} }
	for _, status := range []int{400, 401, 403, 404, 408, 409, 413, 422, 425, 429, 500, 501, 502, 503, 504, 520, 529} {
		add(fmt.Sprint(status), wire.Reply{Status: status})
	}
	add("connection refused", wire.Reply{Failure: wire.Connection})
	for _, v := range []float64{0, 1, 1.5, 5, 30, 59, 60, 61, 120, 121, 3600, 86400, 1e12, -1} {
		add(fmt.Sprintf("Retry-After %.10g", v), wire.Reply{Status: 429, RetryAfter: seconds(v)})
	}
	add("Retry-After soon", wire.Reply{Status: 429, RetryAfter: wire.Hint{Form: wire.Garbage}})
	for _, d := range []struct {
		name  string
		ahead time.Duration
	}{{"date in 30 s", 30 * time.Second}, {"date in 1 h", time.Hour}, {"date 30 s ago", -30 * time.Second}} {
		out = append(out, Reply{Name: d.name, Reply: wire.Reply{Status: 429}, Ahead: d.ahead})
	}
	for _, ms := range []float64{250, 0, -5} {
		add(fmt.Sprintf("retry-after-ms %g, Retry-After 5", ms),
			wire.Reply{Status: 429, Millis: seconds(ms / 1000), RetryAfter: seconds(5)})
	}
	add("retry-after-ms 1500", wire.Reply{Status: 429, Millis: seconds(1.5)})
	add("503, Retry-After 7", wire.Reply{Status: 503, RetryAfter: seconds(7)})
	add("429, x-should-retry false", wire.Reply{Status: 429, ShouldRetry: wire.DoNotRetry})
	add("400, x-should-retry true", wire.Reply{Status: 400, ShouldRetry: wire.Retry})
	add("Retry-After 121, x-should-retry true",
		wire.Reply{Status: 429, ShouldRetry: wire.Retry, RetryAfter: seconds(121)})
	add("429 insufficient_quota", wire.Reply{Status: 429, Code: "insufficient_quota"})
	add("429, 20 s in the body", wire.Reply{Status: 429, Delay: seconds(20)})
	return out
}
