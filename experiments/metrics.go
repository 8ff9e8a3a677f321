package experiments

import (
	"math"
	"slices"
	"time"

	"stampede/cost"
	"stampede/fleet"
	"stampede/policy"
	"stampede/wire"
)

// Metric is one number that a run gives.
type Metric struct {
	Name    string
	Unit    string
	Group   string // the heading it stands under
	Better  Direction
	Meaning string // one line

	of func(*Tally) float64
}

// Direction says which values of a metric are better.
type Direction int8

const (
	Neither Direction = 0
	Lower   Direction = -1
	Higher  Direction = 1
)

// most is the largest value that the metric can have; the least is 0.
func (m Metric) most() float64 {
	if m.Unit == "share" {
		return 1
	}
	return math.Inf(1)
}

// Metrics is the registry, in the order of tables. A metric that a run does not
// have, such as a latency without an answer, is NaN.
func Metrics() []Metric { return registry }

// MetricNames lists the names in order.
func MetricNames() []string {
	var names []string
	for _, m := range registry {
		names = append(names, m.Name)
	}
	return names
}

// Index is the place of a metric in the registry, -1 for an unknown name.
func Index(name string) int {
	return slices.IndexFunc(registry, func(m Metric) bool { return m.Name == name })
}

var registry = register()

func register() []Metric {
	var out []Metric
	group := ""
	add := func(name, unit string, better Direction, meaning string, of func(*Tally) float64) {
		out = append(out, Metric{name, unit, group, better, meaning, of})
	}
	ratio := func(a, b float64) float64 {
		if b == 0 {
			return math.NaN()
		}
		return a / b
	}
	count := func(n uint64) float64 { return float64(n) }

	group = "answers"
	add("calls", "calls", Neither, "calls that came", func(t *Tally) float64 { return count(t.calls) })
	add("answered", "calls", Higher, "calls that got an answer", func(t *Tally) float64 { return count(t.answered()) })
	for o := policy.Outcome(1); o < policy.Outcomes; o++ {
		add(o.String(), "calls", Lower, outcomeMeaning[o], func(t *Tally) float64 { return count(t.outcomes[o]) })
	}
	add("success_ratio", "share", Higher, "answered calls of all calls", func(t *Tally) float64 { return ratio(count(t.answered()), count(t.calls)) })
	add("goodput_per_min", "calls/min", Higher, "answered calls per minute until the last call ended", func(t *Tally) float64 { return ratio(count(t.answered()), t.end.Minutes()) })
	add("makespan_s", "s", Lower, "until the last call ended, or the run", func(t *Tally) float64 { return t.end.Seconds() })

	for _, which := range []struct {
		prefix, group string
		of            func(*Tally) *latencies
	}{
		{"latency", "latency of answered calls, waits included", func(t *Tally) *latencies { return &t.latencyAnswered }},
		{"latency_all", "latency of all calls, however they ended", func(t *Tally) *latencies { return &t.latencyAll }},
	} {
		group = which.group
		add(which.prefix+"_mean_s", "s", Lower, "mean", func(t *Tally) float64 { return which.of(t).moments.Mean() })
		for _, q := range []struct {
			name  string
			p     float64
			words string
		}{{"p50", 0.5, "median"}, {"p95", 0.95, "95 % quantile"}, {"p99", 0.99, "99 % quantile"}, {"max", 1, "longest"}} {
			add(which.prefix+"_"+q.name+"_s", "s", Lower, q.words, func(t *Tally) float64 { return which.of(t).quantile(q.p) })
		}
	}

	group = "attempts"
	add("attempts", "attempts", Lower, "HTTP requests sent", func(t *Tally) float64 { return count(t.attempts()) })
	add("attempts_per_call", "attempts", Lower, "per call that came", func(t *Tally) float64 { return ratio(count(t.attempts()), count(t.calls)) })
	for c := range wire.Class(wire.Classes) {
		better := Lower
		if c == wire.OK {
			better = Neither
		}
		add("attempts_"+c.String(), "attempts", better, classMeaning[c], func(t *Tally) float64 { return count(t.classes[c]) })
	}
	add("throttled_ratio", "share", Lower, "attempts refused with 429 of all attempts", func(t *Tally) float64 { return ratio(count(t.classes[wire.Throttled]), count(t.attempts())) })
	add("peak_in_flight", "requests", Lower, "most requests at the provider at once", func(t *Tally) float64 { return float64(t.peakInFlight) })
	add("peak_arrivals_per_s", "requests", Lower, "most requests that reached the provider in one whole second", func(t *Tally) float64 { return float64(t.peakPerSecond) })

	group = "waits, mean per call"
	for w := range fleet.Wait(fleet.Waits) {
		add(w.String()+"_wait_s", "s", Lower, waitMeaning[w], func(t *Tally) float64 { return ratio(t.waits[w].Seconds(), count(t.calls)) })
	}

	group = "money"
	add("usd_total", "USD", Lower, "all that was billed", func(t *Tally) float64 { return (t.useful + t.waste.Total()).Dollars() })
	add("usd_per_1000_answers", "USD", Lower, "all that was billed, per 1,000 answered calls", func(t *Tally) float64 {
		return ratio(1000*(t.useful+t.waste.Total()).Dollars(), count(t.answered()))
	})
	add("usd_per_1000_calls", "USD", Lower, "all that was billed, per 1,000 calls", func(t *Tally) float64 {
		return ratio(1000*(t.useful+t.waste.Total()).Dollars(), count(t.calls))
	})
	add("usd_wasted", "USD", Lower, "billed for tokens that nobody used", func(t *Tally) float64 { return t.waste.Total().Dollars() })
	for c := range cost.Cause(cost.Causes) {
		add("usd_wasted_"+c.String(), "USD", Lower, wasteMeaning[c], func(t *Tally) float64 { return t.waste[c].Dollars() })
	}
	add("billed_attempts_per_1000_answers", "attempts", Lower, "attempts with a bill, per 1,000 answered calls", func(t *Tally) float64 {
		return ratio(1000*count(t.billed), count(t.answered()))
	})
	return out
}

var outcomeMeaning = [policy.Outcomes]string{
	policy.GaveUpAttempts:   "calls whose last allowed attempt failed",
	policy.GaveUpDeadline:   "calls whose next wait would have passed the deadline",
	policy.GaveUpRetryAfter: "calls told to wait longer than the policy accepts",
	policy.TerminalError:    "calls with an error that no retry cures",
	policy.Abandoned:        "calls whose caller left",
	policy.Unfinished:       "calls that nothing could end",
}

var classMeaning = [wire.Classes]string{
	wire.OK: "answered", wire.Throttled: "429", wire.Overloaded: "503 and 529", wire.ServerError: "other 5xx",
	wire.TimedOut: "cut off by the client or the caller, or never answered", wire.Disconnected: "no connection", wire.Terminal: "other errors",
}

var waitMeaning = [fleet.Waits]string{
	fleet.WorkerWait: "for a free worker", fleet.GateWait: "for the gate", fleet.BackoffWait: "the client's own backoff",
	fleet.RetryAfterWait: "asked for by the server", fleet.RedeliveryWait: "for the queue to deliver again",
}

var wasteMeaning = [cost.Causes]string{
	cost.ByTimeout: "for attempts the client cut off", cost.ByAbandoned: "for attempts whose caller left", cost.ByError: "for replies that were no answer",
}

// seconds is a span for a metric.
func seconds(d time.Duration) float64 { return d.Seconds() }
