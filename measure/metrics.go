package measure

import (
	"math"
	"strings"

	"stampede/cost"
	"stampede/fleet"
	"stampede/policy"
	"stampede/sim"
	"stampede/wire"
)

// Metric is one number that a run gives.
type Metric struct {
	Name    string
	Unit    string
	Group   string // the heading it stands under
	Of      Basis  // which calls or which time it is of
	Better  Direction
	Meaning string // one line
	Detail  bool   // left out of tables for people

	Value func(*Tally) float64
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

var registry = register()

func register() []Metric {
	var out []Metric
	group, of := "", PerCall
	add := func(name, unit string, better Direction, meaning string, value func(*Tally) float64) {
		out = append(out,
			Metric{Name: name, Unit: unit, Group: group, Of: of, Better: better, Meaning: meaning, Value: value})
	}
	ratio := func(a, b float64) float64 {
		if b == 0 {
			return math.NaN()
		}
		return a / b
	}
	count := func(n uint64) float64 { return float64(n) }

	group = "answers"
	add(
		"calls",
		"calls",
		Neither,
		"calls that arrived in the measured time",
		func(t *Tally) float64 { return count(t.calls) },
	)
	add("answered", "calls", Higher, "calls that got an answer", func(t *Tally) float64 { return count(t.Answered()) })
	for o := policy.Outcome(1); o < policy.Outcomes; o++ {
		add(o.String(), "calls", Lower, outcomeMeaning[o], func(t *Tally) float64 { return count(t.outcomes[o]) })
	}
	of = PerRun
	add(
		"not_started",
		"calls",
		Lower,
		"of a given number of calls, those that the end of the run came before",
		func(t *Tally) float64 { return count(t.notStarted) },
	)
	of = PerCall
	add(
		"success_ratio",
		"share",
		Higher,
		"answered calls of all calls",
		func(t *Tally) float64 { return ratio(count(t.Answered()), count(t.calls)) },
	)
	of = PerTime
	perSecond := func(t *Tally, n uint64) float64 { return ratio(count(n), t.measured().Length().Seconds()) }
	add(
		"goodput_per_min",
		"calls/min",
		Higher,
		"calls answered per minute of the measured time",
		func(t *Tally) float64 {
			return 60 * perSecond(t, t.measured().answers)
		},
	)
	of = PerRun
	add(
		"makespan_s",
		"s",
		Lower,
		"until the last call ended, or the run",
		func(t *Tally) float64 { return t.end.Seconds() },
	)
	add("makespan_lower_bound_s", "s", Neither, "no policy can finish these answers sooner", (*Tally).lowerBound)
	add("regret", "ratio", Lower, "makespan beyond that bound, relative to it", (*Tally).regret)
	add(
		"max_attempts_per_call",
		"attempts",
		Neither,
		"that one call can make, over all layers, hedges, targets and deliveries",
		func(t *Tally) float64 {
			if n := t.fleet().MaxAttempts(); n > 0 {
				return float64(n)
			}
			return math.NaN()
		},
	)
	add("max_total_backoff_s", "s", Neither, "the longest that a call's waits can last without a hint", func(t *Tally) float64 {
		if span, ok := t.fleet().Client.Horizon(0); ok {
			return span.Seconds()
		}
		return math.NaN()
	})
	add(
		"warmup_s",
		"s",
		Neither,
		"end of the warm-up, where the measured time begins",
		func(t *Tally) float64 { return t.warmup.Seconds() },
	)
	add(
		"measured_s",
		"s",
		Neither,
		"length of the measured time",
		func(t *Tally) float64 { return t.measured().Length().Seconds() },
	)
	out[len(out)-1].Detail = true
	add(
		"random",
		"0 or 1",
		Neither,
		"1 where luck plays a part, 0 where every replication must be the same",
		func(t *Tally) float64 {
			return Indicator(t.model.Random())
		},
	)
	out[len(out)-1].Detail = true
	of = PerTime
	add(
		"recovery_s",
		"s",
		Lower,
		"from the trigger's end to 90 % of the answers per second before it; none if down before",
		func(t *Tally) float64 { s, _ := t.recoveryAfter(); return s },
	)
	add("collapsed", "share", Lower,
		"share of replications below the scenario's level of collapse; without one, that never recover",
		(*Tally).collapsed)
	add(
		"collapse_level",
		"ratio",
		Higher,
		"calls answered per call that arrives, in the window of collapse",
		func(t *Tally) float64 {
			if t.collapse == nil {
				return math.NaN()
			}
			return t.collapse.level()
		},
	)

	of = PerCall
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
		}{{"p25", 0.25, "25 % quantile"}, {"p50", 0.5, "median"}, {"p75", 0.75, "75 % quantile"}, {"p90", 0.9, "90 % quantile"},
			{"p95", 0.95, "95 % quantile"}, {"p99", 0.99, "99 % quantile"}, {"p999", 0.999, "99.9 % quantile"}, {"max", 1, "longest"}} {
			add(
				which.prefix+"_"+q.name+"_s",
				"s",
				Lower,
				q.words,
				func(t *Tally) float64 { return which.of(t).quantile(q.p) },
			)
			out[len(out)-1].Detail = q.name == "p25" || q.name == "p75" || q.name == "p90" || q.name == "p999"
		}
	}

	group = "first token of answered attempts, from sending"
	add(
		"first_token_mean_s",
		"s",
		Lower,
		"mean, of streams",
		func(t *Tally) float64 { return t.firstToken.moments.Mean() },
	)
	for _, q := range []struct {
		name string
		p    float64
	}{{"p50", 0.5}, {"p95", 0.95}, {"p99", 0.99}} {
		add(
			"first_token_"+q.name+"_s",
			"s",
			Lower,
			map[string]string{"p50": "median", "p95": "95 % quantile", "p99": "99 % quantile"}[q.name],
			func(t *Tally) float64 { return t.firstToken.quantile(q.p) },
		)
		out[len(out)-1].Detail = q.name == "p99"
	}

	group = "attempts"
	add(
		"attempts",
		"attempts",
		Lower,
		"HTTP requests sent for these calls",
		func(t *Tally) float64 { return count(t.attempts()) },
	)
	add(
		"attempts_per_call",
		"attempts",
		Lower,
		"attempts per call",
		func(t *Tally) float64 { return ratio(count(t.attempts()), count(t.calls)) },
	)
	for c := range wire.Class(wire.Classes) {
		better := Lower
		if c == wire.OK {
			better = Neither
		}
		add(
			"attempts_"+c.String(),
			"attempts",
			better,
			classMeaning[c],
			func(t *Tally) float64 { return count(t.classes[c]) },
		)
	}
	add(
		"throttled_ratio",
		"share",
		Lower,
		"attempts refused with 429 of all attempts",
		func(t *Tally) float64 { return ratio(count(t.classes[wire.Throttled]), count(t.attempts())) },
	)
	of = PerTime
	add(
		"attempts_per_s",
		"attempts/s",
		Neither,
		"HTTP requests sent per second of the measured time",
		func(t *Tally) float64 {
			return perSecond(t, t.measured().attempts)
		},
	)
	add(
		"refusals_per_s",
		"attempts/s",
		Lower,
		"429, 503 and 529 per second of the measured time",
		func(t *Tally) float64 {
			return perSecond(t, t.measured().refusals)
		},
	)
	for _, p := range []struct {
		name, meaning string
		of            func(happened) peak
	}{
		{"peak_in_flight", "most requests at the provider at once", func(h happened) peak { return h.inFlight }},
		{"peak_arrivals_per_s", "most requests that reached the provider in one whole second", func(h happened) peak { return h.perSecond }},
		{"peak_arrivals_per_100ms", "most requests that reached the provider in one tenth of a second", func(h happened) peak { return h.per100 }},
	} {
		add(p.name, "requests", Lower, p.meaning, func(t *Tally) float64 { return float64(p.of(t.measured()).ever) })
		stem, width, _ := strings.Cut(p.name, "_per_")
		if width != "" {
			width = "_per_" + width
		}
		add(
			stem+"_after_trigger"+width,
			"requests",
			Lower,
			"the same since the trigger ended",
			func(t *Tally) float64 {
				if t.recovery == nil {
					return math.NaN()
				}
				return float64(p.of(t.measured()).after)
			},
		)
	}

	add(
		"quota_used_ratio",
		"share",
		Higher,
		"share used of the fullest limit",
		func(t *Tally) float64 { return t.limits.fullest() },
	)
	addLimits(add)
	of = PerCall
	add("fairness_jain", "share", Higher, "Jain's index of the instances' answers", (*Tally).fairness)

	group = "what the world saw"
	add(
		"repeated_tokens",
		"tokens",
		Lower,
		"of answers shown more than once",
		func(t *Tally) float64 { return count(t.repeated) },
	)
	add("side_effects_duplicated", "effects", Lower, "of calls that act, beyond one each", func(t *Tally) float64 {
		if !t.acts {
			return math.NaN()
		}
		return count(t.duplicated)
	})
	add("fallback_answers", "calls", Neither, "answered by another target than the first", func(t *Tally) float64 {
		if len(t.model.Others) == 0 {
			return math.NaN()
		}
		return count(t.elsewhere)
	})
	add("hedges", "attempts", Neither, "sent beside another", func(t *Tally) float64 {
		if !t.hedged {
			return math.NaN()
		}
		return count(t.hedges)
	})

	group = "sizes, mean"
	for _, z := range []struct {
		name, of string
		mean     func(*sizes) *sim.Moments
	}{
		{"prompt_tokens_mean", "prompts of all calls", func(z *sizes) *sim.Moments { return &z.prompt }},
		{"prompt_tokens_answered_mean", "prompts of answered calls", func(z *sizes) *sim.Moments { return &z.promptAnswered }},
		{"output_tokens_mean", "answers of all calls, as they are or would have been", func(z *sizes) *sim.Moments { return &z.output }},
		{"output_tokens_answered_mean", "answers of answered calls", func(z *sizes) *sim.Moments { return &z.outputAnswered }},
	} {
		add(z.name, "tokens", Neither, z.of, func(t *Tally) float64 { return z.mean(&t.sizes).Mean() })
		out[len(out)-1].Detail = true
	}

	group = "waits, mean per call"
	for w := range fleet.Wait(fleet.Waits) {
		add(
			w.String()+"_wait_s",
			"s",
			Lower,
			waitMeaning[w],
			func(t *Tally) float64 { return ratio(t.waits[w]/1e9, count(t.calls)) },
		)
	}

	group = "money"
	add(
		"usd_total",
		"USD",
		Lower,
		"billed for these calls",
		func(t *Tally) float64 { return (t.useful + t.waste.Total()).Dollars() },
	)
	add("usd_per_1000_answers", "USD", Lower, "billed, per 1,000 answered calls", func(t *Tally) float64 {
		return ratio(1000*(t.useful+t.waste.Total()).Dollars(), count(t.Answered()))
	})
	add("usd_per_1000_calls", "USD", Lower, "billed, per 1,000 calls", func(t *Tally) float64 {
		return ratio(1000*(t.useful+t.waste.Total()).Dollars(), count(t.calls))
	})
	add(
		"usd_wasted",
		"USD",
		Lower,
		"billed for tokens that nobody used",
		func(t *Tally) float64 { return t.waste.Total().Dollars() },
	)
	for c := range cost.Cause(cost.Causes) {
		add(
			"usd_wasted_"+c.String(),
			"USD",
			Lower,
			wasteMeaning[c],
			func(t *Tally) float64 { return t.waste[c].Dollars() },
		)
	}
	add(
		"billed_attempts_per_1000_answers",
		"attempts",
		Lower,
		"attempts with a bill, per 1,000 answered calls",
		func(t *Tally) float64 {
			return ratio(1000*count(t.billed), count(t.Answered()))
		},
	)
	return out
}

var outcomeMeaning = [policy.Outcomes]string{
	policy.GaveUpAttempts:   "calls whose last allowed attempt failed, after retries",
	policy.GaveUpDeadline:   "calls that reached their deadline or timeout, or whose next wait would have passed it",
	policy.GaveUpRetryAfter: "calls told to wait longer than the policy accepts",
	policy.TerminalError:    "calls with an error that the policy does not retry",
	policy.Abandoned:        "calls whose caller left",
	policy.Unfinished:       "calls that nothing could end",
	policy.StreamBroken:     "calls whose stream broke after its first token",
	policy.GaveUpBudget:     "calls that the retry budget let down",
	policy.BreakerOpen:      "calls that met an open breaker",
	policy.Shed:             "calls that a full gate, the client's own throttle or the cooldown of all targets refused",
}

var classMeaning = [wire.Classes]string{
	wire.OK: "answered", wire.Throttled: "429", wire.Overloaded: "503 and 529", wire.ServerError: "other 5xx",
	wire.TimedOut: "cut off by the client or the caller, or never answered", wire.Disconnected: "no connection", wire.Terminal: "other errors",
	wire.Cancelled: "hedges that another attempt outran",
}

var waitMeaning = [fleet.Waits]string{
	fleet.WorkerWait: "for a free worker", fleet.GateWait: "for the gate", fleet.PacerWait: "for the pacer", fleet.BreakerWait: "for the breaker", fleet.BackoffWait: "the client's own backoff",
	fleet.RetryAfterWait: "asked for by the server", fleet.RedeliveryWait: "for the queue to deliver again",
}

var wasteMeaning = [cost.Causes]string{
	cost.ByTimeout: "for attempts the client cut off", cost.ByAbandoned: "for attempts whose caller left", cost.ByError: "for replies that were no answer", cost.ByHedge: "for hedges that lost",
}

// recoveryAfter is the time to recovery and whether there was a collapse, as 0
// or 1; both NaN without a trigger.
func (t *Tally) recoveryAfter() (seconds, collapsed float64) {
	if t.recovery == nil {
		return math.NaN(), math.NaN()
	}
	return t.recovery.after()
}

// collapsed is 1 for a run that has collapsed, by the level that the scenario
// states or else by what became of it after its trigger.
func (t *Tally) collapsed() float64 {
	if t.collapse != nil {
		return t.collapse.collapsed()
	}
	_, c := t.recoveryAfter()
	return c
}
