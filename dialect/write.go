package dialect

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
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

// Write is the reply on the wire. Dates count from the start of the run, which is
// at the given time; the reply leaves at now.
func (d Dialect) Write(r wire.Reply, start time.Time, now time.Duration) Message {
	row := &dialects[d]
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
	row.headers(w, r)
	if r.Status >= 300 {
		text, err := json.Marshal(row.body(r, message(d, r, now)))
		if err != nil {
			panic(err) // maps of strings and numbers
		}
		m.Body = string(text)
	}
	return m
}

// Print writes the message as HTTP does.
func (m Message) Print(w io.Writer) error {
	fmt.Fprintf(w, "HTTP %d %s\n", m.Status, http.StatusText(m.Status))
	for _, f := range m.Header {
		fmt.Fprintf(w, "%s: %s\n", f.Name, f.Value)
	}
	_, err := fmt.Fprintf(w, "\n%s\n", m.Body)
	return err
}

// message is the text of an error for people, with the wait where the format has it.
func message(d Dialect, r wire.Reply, now time.Duration) string {
	text := map[wire.Class]string{
		wire.Throttled:   "Rate limit reached",
		wire.Overloaded:  "The server is overloaded",
		wire.ServerError: "The server had an error",
		wire.Terminal:    "The request cannot be served",
	}[r.Class()]
	wait, ok := r.Delay.Wait(now)
	switch {
	case !ok || wait <= 0:
		return text + "."
	case d == Azure: // in whole seconds
		return fmt.Sprintf("%s. Please retry after %d seconds.", text, int64(upTo(wait, time.Second)/time.Second))
	}
	return fmt.Sprintf("%s. Please try again in %v.", text, wait)
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

// each calls for the quotas that are sent, with their names.
func each(r wire.Reply, names [wire.QuotaKinds]string, do func(name string, q wire.Quota)) {
	for i, q := range r.Quotas {
		if q.Limit > 0 && names[i] != "" {
			do(names[i], q)
		}
	}
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// x-ratelimit-limit-requests: 500, -remaining-requests: 499, -reset-requests: 120ms;
// and so for tokens.
func openaiHeaders(w *writer, r wire.Reply) {
	each(
		r,
		[wire.QuotaKinds]string{"requests", "tokens", "input-tokens", "output-tokens"},
		func(name string, q wire.Quota) {
			w.add("x-ratelimit-limit-"+name, decimal(q.Limit))
			w.add("x-ratelimit-remaining-"+name, decimal(q.Remaining))
			w.add("x-ratelimit-reset-"+name, q.Reset.String())
		},
	)
}

// anthropic-ratelimit-requests-limit: 50, -remaining: 49, -reset:
// 2026-02-25T20:02:32Z; and so for tokens, input-tokens and output-tokens, where
// tokens is the sum of the other two unless a limit on all tokens is in force.
func anthropicHeaders(w *writer, r wire.Reply) {
	if in, out := r.Quotas[wire.InputQuota], r.Quotas[wire.OutputQuota]; in.Limit > 0 && out.Limit > 0 &&
		r.Quotas[wire.TokenQuota].Limit == 0 {
		r.Quotas[wire.TokenQuota] = wire.Quota{
			Limit:     in.Limit + out.Limit,
			Remaining: in.Remaining + out.Remaining,
			Reset:     max(in.Reset, out.Reset),
		}
	}
	each(
		r,
		[wire.QuotaKinds]string{"requests", "tokens", "input-tokens", "output-tokens"},
		func(name string, q wire.Quota) {
			w.add("anthropic-ratelimit-"+name+"-limit", decimal(q.Limit))
			w.add("anthropic-ratelimit-"+name+"-remaining", decimal(q.Remaining))
			w.add("anthropic-ratelimit-"+name+"-reset", w.start.Add(w.now+q.Reset).UTC().Format(time.RFC3339))
		},
	)
}

// x-ratelimit-limit-requests: 20, -remaining-requests: 19, -reset-requests: 10, in
// whole seconds; and so for tokens.
func azureHeaders(w *writer, r wire.Reply) {
	each(
		r,
		[wire.QuotaKinds]string{wire.RequestQuota: "requests", wire.TokenQuota: "tokens"},
		func(name string, q wire.Quota) {
			w.add("x-ratelimit-limit-"+name, decimal(q.Limit))
			w.add("x-ratelimit-remaining-"+name, decimal(q.Remaining))
			w.add("x-ratelimit-reset-"+name, decimal(int64(q.Reset/time.Second)))
		},
	)
}

func bedrockHeaders(w *writer, r wire.Reply) {
	if r.Code != "" {
		w.add("x-amzn-errortype", r.Code)
	}
}

func noHeaders(*writer, wire.Reply) {}

// {"error": {"message", "type", "param", "code"}}
func openaiBody(r wire.Reply, message string) map[string]any {
	kind := "invalid_request_error"
	switch {
	case slices.Contains(outOfQuota, r.Code):
		kind = "insufficient_quota"
	case r.Status == 429:
		kind = "rate_limit_error"
	case r.Status == 503:
		kind = "service_unavailable_error"
	case r.Status >= 500 || r.Status == 408 || r.Status == 409:
		kind = "server_error"
	}
	return map[string]any{
		"error": map[string]any{"message": message, "type": kind, "param": nil, "code": orNull(r.Code)},
	}
}

// outOfQuota are OpenAI's codes of type insufficient_quota: no wait cures them.
var outOfQuota = []string{"insufficient_quota", "credit_balance_exhausted", "organization_spend_limit_exceeded",
	"project_spend_limit_exceeded", "organization_usage_limit_exceeded"}

// {"type": "error", "error": {"type", "message", "details"?}}
func anthropicBody(r wire.Reply, message string) map[string]any {
	kind := map[int]string{
		400: "invalid_request_error", 401: "authentication_error", 402: "billing_error", 403: "permission_error",
		404: "not_found_error", 409: "conflict_error", 413: "request_too_large", 429: "rate_limit_error",
		504: "timeout_error", 529: "overloaded_error",
	}[r.Status]
	if kind == "" {
		kind = "api_error"
	}
	e := map[string]any{"type": kind, "message": message}
	if r.Code != "" && r.Code != kind {
		e["details"] = map[string]any{"error_code": r.Code}
	}
	return map[string]any{"type": "error", "error": e}
}

// {"error": {"code", "message"}}
func azureBody(r wire.Reply, message string) map[string]any {
	code := r.Code
	if code == "" {
		code = strconv.Itoa(r.Status)
	}
	return map[string]any{"error": map[string]any{"code": code, "message": message}}
}

// {"error": {"code", "message", "status", "details": [RetryInfo]}}
func geminiBody(r wire.Reply, message string) map[string]any {
	e := map[string]any{"code": r.Status, "message": message, "status": r.Code}
	if r.Delay.Form == wire.Seconds {
		delay := strconv.FormatFloat(r.Delay.Value, 'f', -1, 64) + "s"
		e["details"] = []any{map[string]any{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}}
	}
	return map[string]any{"error": e}
}

// {"message"}; the exception is in a header.
func bedrockBody(_ wire.Reply, message string) map[string]any {
	return map[string]any{"message": message}
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
