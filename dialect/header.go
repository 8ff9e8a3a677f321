package dialect

import (
	"fmt"
	"strconv"
	"time"

	"stampede/wire"
)

// quotaLines are the header lines that report how much of a limit is left. In the names of the lines %s
// is that of the resource; a line without a name is not sent.
type quotaLines struct {
	names                   [wire.QuotaKinds]string // of the resources that are reported
	limit, remaining, reset string
	timeless                [wire.QuotaKinds]bool // of which no reset is sent
	// write writes the reset; nil stands for whole seconds.
	write func(w *writer, reset time.Duration) string
	// round is the time until a reset as the client reads it; nil does not round.
	round func(now, reset time.Duration) time.Duration
	// thousands rounds the remaining tokens to the next 1,000.
	thousands bool
	sum       bool // all tokens are reported as the sum of input and output, without a limit of their own
	more      func(w *writer, q wire.Quota)
}

// Read is a quota as a client can read it from the headers of a reply that leaves now: rounded and
// dated as this provider does. What no header says is as if nothing were used.
func (d Dialect) Read(quota int, now time.Duration, q wire.Quota) wire.Quota {
	lines := &formats[d].quotas
	if lines.thousands && quota != wire.RequestQuota {
		q.Remaining = (q.Remaining + 500) / 1000 * 1000
	}
	if lines.remaining == "" && lines.more == nil {
		q.Remaining = q.Limit
	}
	switch {
	case lines.reset == "" && lines.more == nil || lines.timeless[quota]:
		q.Reset = 0
	case lines.round != nil:
		q.Reset = lines.round(now, q.Reset)
	}
	return q
}

// send writes the lines.
func (l *quotaLines) send(w *writer, quotas wire.Quotas) {
	if in, out := quotas[wire.InputQuota], quotas[wire.OutputQuota]; l.sum && in.Limit > 0 && out.Limit > 0 &&
		quotas[wire.TokenQuota].Limit == 0 {
		quotas[wire.TokenQuota] = wire.Quota{
			Limit:     in.Limit + out.Limit,
			Remaining: in.Remaining + out.Remaining,
			Reset:     max(in.Reset, out.Reset),
		}
	}
	for i, q := range quotas {
		if q.Limit == 0 || l.names[i] == "" {
			continue
		}
		line := func(name, value string) {
			if name != "" {
				w.add(fmt.Sprintf(name, l.names[i]), value)
			}
		}
		line(l.limit, decimal(q.Limit))
		line(l.remaining, decimal(q.Remaining))
		switch {
		case l.timeless[i]:
		case l.write != nil:
			line(l.reset, l.write(w, q.Reset))
		default:
			line(l.reset, decimal(int64(q.Reset/time.Second)))
		}
		if l.more != nil {
			l.more(w, q)
		}
	}
}

// requestsAndTokens names the resources of most providers.
var requestsAndTokens = [wire.QuotaKinds]string{wire.RequestQuota: "requests", wire.TokenQuota: "tokens"}

// allQuotas names all resources.
var allQuotas = [wire.QuotaKinds]string{"requests", "tokens", "input-tokens", "output-tokens"}

// openaiQuotas: x-ratelimit-limit-requests: 500, -remaining-requests: 499, -reset-requests: 120ms; and so
// for tokens.
func openaiQuotas(names [wire.QuotaKinds]string, round func(now, reset time.Duration) time.Duration) quotaLines {
	return quotaLines{
		names: names,
		limit: "x-ratelimit-limit-%s", remaining: "x-ratelimit-remaining-%s", reset: "x-ratelimit-reset-%s",
		write: asDuration, round: round,
	}
}

func asDuration(_ *writer, reset time.Duration) string { return reset.String() }

func asInstant(w *writer, reset time.Duration) string {
	return w.start.Add(w.now + reset).UTC().Format(time.RFC3339)
}

func asFraction(_ *writer, reset time.Duration) string {
	return strconv.FormatFloat(reset.Seconds(), 'f', -1, 64)
}

func inMilliseconds(_, reset time.Duration) time.Duration { return upTo(reset, time.Millisecond) }

func inSeconds(_, reset time.Duration) time.Duration { return upTo(reset, time.Second) }

// atSecond is a reset sent as an instant of whole seconds: the next one.
func atSecond(now, reset time.Duration) time.Duration { return upTo(now+reset, time.Second) - now }

// upTo rounds up to a multiple of the unit.
func upTo(d, unit time.Duration) time.Duration { return (d + unit - 1) / unit * unit }

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
