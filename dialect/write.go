package dialect

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"stampede/wire"
)

// Message is a reply as it goes over the wire.
type Message struct {
	Status int
	Header []Field
	Body   string // empty after status 200: the answer itself is no part of a reply
}

// Field is one line of a header.
type Field struct{ Name, Value string }

// Limit is what the message of a refusal says of the limit behind it, besides what the reply itself
// holds. The zero Limit is none.
type Limit struct {
	Resource string // requests, tokens, input tokens, output tokens; or another word for what is counted
	Period   time.Duration
	Model    string // of the request; empty when it is not known
}

// Write is the reply on the wire, with the limit that refused. Dates count from the start of the run,
// which is at the given time; the reply leaves at now.
func (d Dialect) Write(r wire.Reply, limit Limit, start time.Time, now time.Duration) Message {
	row := &formats[d]
	m := Message{Status: r.Status}
	w := &writer{header: &m.Header, start: start, now: now}
	if r.Millis.Form != wire.Absent {
		w.add("retry-after-ms", w.hint(r.Millis, 1000))
	}
	if r.RetryAfter.Form != wire.Absent {
		w.add("retry-after", w.hint(r.RetryAfter, 1))
	}
	switch r.ShouldRetry {
	case wire.Retry:
		w.add("x-should-retry", "true")
	case wire.DoNotRetry:
		w.add("x-should-retry", "false")
	}
	row.quotas.send(w, r.Quotas)
	if r.Status >= 300 {
		f := newFailure(row, r, limit, start, now)
		if row.lines != nil {
			row.lines(w, f)
		}
		m.Body = row.body(f)
	}
	return m
}

// Print writes the message as HTTP does.
func (m Message) Print(w io.Writer) error {
	fmt.Fprintf(w, "HTTP %d %s\n", m.Status, statusText(m.Status))
	for _, f := range m.Header {
		fmt.Fprintf(w, "%s: %s\n", f.Name, f.Value)
	}
	_, err := fmt.Fprintf(w, "\n%s\n", m.Body)
	return err
}

// writer collects the header of one message.
type writer struct {
	header *[]Field
	start  time.Time
	now    time.Duration
}

func (w *writer) add(name, value string) { *w.header = append(*w.header, Field{name, value}) }

// longest keeps dates within the range of durations: 63 years.
const longest = 2e9 // seconds

// hint writes a wait in a unit of which so many make a second, as the date it
// names, or as garbage.
func (w *writer) hint(h wire.Hint, perSecond float64) string {
	switch h.Form {
	case wire.Date:
		seconds := min(max(h.Value, -longest), longest)
		return w.start.Add(time.Duration(seconds * float64(time.Second))).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")
	case wire.Garbage:
		return "soon"
	}
	return strconv.FormatFloat(math.Round(h.Value*perSecond*1e9)/1e9, 'f', -1, 64)
}
