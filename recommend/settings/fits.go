package settings

import (
	"time"

	"stampede/policy"
)

const callDeadlinePath = "policy.deadline"

// first is the first time that is set.
func first(all ...time.Duration) time.Duration {
	for _, d := range all {
		if d > 0 {
			return d
		}
	}
	return 0
}

// silence gives clients whose only timer is one of silence that of an attempt: an answer that is not
// streamed arrives in one piece, so that it is the same there.
func silence(w, d *policy.Client) {
	d.Timeouts.Gap = first(w.Timeouts.Gap, w.Timeouts.Whole(1), w.Timeouts.FirstByte)
	d.Timeouts.Attempt, d.Timeouts.FirstByte = nil, 0
	d.Gate.Retriable = d.Gate.Wait > 0                // the timeout of the pool is retried
	if d.Gate.Semaphore > 0 && d.MaxConnections > 0 { // one pool can be only one of them
		d.MaxConnections, d.Gate = min(d.Gate.Semaphore, d.MaxConnections), policy.Gate{}
	}
}

// wholeAttempt gives clients whose only timer is one of an attempt that of silence. Without any they keep
// their own.
func wholeAttempt(w, d *policy.Client) {
	if t := first(w.Timeouts.Whole(1), w.Timeouts.Gap, w.Timeouts.FirstByte); t > 0 {
		d.Timeouts.Attempt = []time.Duration{t}
	}
}

// untilHeaders gives clients whose timer ends when the headers arrive that of an attempt.
func untilHeaders(w, d *policy.Client) {
	if t := first(w.Timeouts.FirstByte, w.Timeouts.Whole(1), w.Timeouts.Gap); t > 0 {
		d.Timeouts.FirstByte, d.Timeouts.Attempt = t, nil
	}
}

// ownLoop bounds what the printed loop does: it reads Retry-After alone, and has one timeout for all attempts.
func ownLoop(w, d *policy.Client) {
	if h := &d.Retry.RetryAfter; h.Obey != policy.Ignore {
		*h = policy.RetryAfter{Obey: h.Obey, Limit: h.Limit, Beyond: h.Beyond}
	}
	if t := first(w.Timeouts.Whole(1), w.Timeouts.Gap, w.Timeouts.FirstByte); t > 0 {
		d.Timeouts.Attempt = []time.Duration{t}
	} else {
		d.Timeouts.Attempt = nil
	}
	d.Timeouts.Gap, d.Timeouts.FirstByte = 0, 0
}

// goLoop bounds what the printed loop in Go does: it ends when the headers are there, and may retry at once
// when asked for a wait of 0.
func goLoop(w, d *policy.Client) {
	h := d.Retry.RetryAfter
	ownLoop(w, d)
	d.Retry.Classify.Streams = false
	if h.Obey != policy.Ignore {
		d.Retry.RetryAfter.Zero, d.Retry.RetryAfter.Past = h.Zero, h.Past
	}
}

// heldByCalls makes a gate one that a call holds while it waits to retry.
func heldByCalls(d *policy.Client) {
	if d.Gate.Semaphore > 0 {
		d.Gate.Held = policy.ByCall
	}
}

// keepTimers gives timers that would be none what they are at the start.
func keepTimers(does, start *policy.Timeouts) {
	for _, t := range []struct{ does, start *time.Duration }{
		{&does.Connect, &start.Connect}, {&does.FirstByte, &start.FirstByte}, {&does.Gap, &start.Gap},
	} {
		if *t.does == 0 {
			*t.does = *t.start
		}
	}
	if len(does.Attempt) == 0 {
		does.Attempt = start.Attempt
	}
}

// wholeSeconds rounds the timeout of an attempt up.
func wholeSeconds(d *policy.Client) {
	for i, t := range d.Timeouts.Attempt {
		d.Timeouts.Attempt[i] = (t + time.Second - 1).Truncate(time.Second)
	}
}

// needsCap bounds a backoff of clients that need a cap.
func needsCap(d *policy.Client) {
	if b := &d.Retry.Backoff; b.Cap == 0 {
		b.Cap = time.Hour
	}
}

// needsDeadline bounds the retries of clients that have no other bound.
func needsDeadline(d *policy.Client) {
	if d.Retry.Deadline == 0 {
		d.Retry.Deadline = time.Hour
	}
}

// seen are the statuses of errors that providers send. A list of statuses holds those of a range.
var seen = []int{408, 409, 425, 429, 499, 500, 502, 503, 504, 520, 522, 524, 529}

// listStatuses bounds what is retried to statuses that can be listed one by one; an empty list would mean
// the default.
func listStatuses(d *policy.Client) {
	var list []policy.Statuses
	for _, s := range d.Retry.Classify.Statuses {
		if s.From == s.To {
			list = append(list, s)
			continue
		}
		for _, status := range seen {
			if s.From <= status && status <= s.To {
				list = append(list, policy.Statuses{From: status, To: status})
			}
		}
	}
	if len(list) == 0 {
		list = []policy.Statuses{{From: 429, To: 429}}
	}
	d.Retry.Classify.Statuses = list
}

// genaiPython bounds what google-genai does: its retries of failures cannot be set.
func genaiPython(w, d *policy.Client) {
	silence(w, d)
	d.Retry.Classify.Timeouts, d.Retry.Classify.Connections, d.Retry.Classify.Streams = true, true, false
	listStatuses(d)
	needsCap(d)
}

// llamaIndex makes as many requests as the policy has attempts, or fewer: max_retries n means n retries of
// the SDK in each of n attempts of the loop around it.
func llamaIndex(w, d *policy.Client) {
	wholeAttempt(w, d)
	heldByCalls(d)
	n := 0
	for w.Attempts() >= (n+1)*(n+2) {
		n++
	}
	d.Retry.Attempts = n + 1
	if len(d.Outer) == 0 {
		return
	}
	outer := d.Outer[0]
	outer.Retry.Attempts = max(1, n)
	d.Outer = []policy.Layer{outer}
}
