package measure

import (
	"fmt"
	"math"
	"slices"

	"stampede/cost"
	"stampede/fleet"
	"stampede/policy"
	"stampede/provider"
	"stampede/sim"
	"stampede/wire"
)

// registry holds every metric, those asked for most often first.
var registry = slices.Concat(
	group("answers", PerCall, answers()...),
	group("throughput", PerTime, throughput...),
	group("whole run", PerRun, wholeRun...),
	group("recovery", PerTime, afterTrigger...),
	group("latency of answered calls, waits included", PerCall,
		latency("latency", "answered calls", Always, func(t *Tally) *latencies { return &t.latencyAnswered })...),
	group("time to first token of answered attempts", PerCall, firstToken()...),
	group("cost", PerCall, billed()...),
	group("attempts", PerCall, attempts()...),
	group("load on the provider", PerTime, load...),
	group("waits, mean per call", PerCall, waits()...),
	group("what clients adapt", PerTime, adapts()...),
	group("kinds of calls", PerCall, kinds()...),
	group("limits", PerTime, limits()...),
	group("deployments", PerCall, deployments()...),
	group("duplicates and side effects", PerCall, effects...),
	group("latency of all calls, whatever their outcome", PerCall,
		latency("latency_all", "all calls", OnRequest, func(t *Tally) *latencies { return &t.latencyAll })...),
	group("sizes, mean", PerCall, meanSizes...),
)

// group puts metrics under a heading.
func group(name string, of Basis, metrics ...Metric) []Metric {
	for i := range metrics {
		if metrics[i].Group = name; metrics[i].Of == PerRun {
			metrics[i].Of = of
		}
	}
	return metrics
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}

// known is the value where the run has it, else NaN.
func known(has bool, value float64) float64 {
	if !has {
		return math.NaN()
	}
	return value
}

func answers() []Metric {
	list := []Metric{
		{Name: "success_ratio", Unit: "share", Better: Higher, Show: Always,
			Meaning: "Share of calls that were answered",
			Value:   func(t *Tally) float64 { return ratio(float64(t.Answered()), float64(t.calls)) }},
		{Name: "calls", Unit: "calls", Show: Always,
			Meaning: "Calls that arrived in the measured time; in a batch, those that a worker took in it",
			Value:   func(t *Tally) float64 { return float64(t.calls) }},
	}
	for o := range policy.Outcome(policy.Outcomes) {
		m := Metric{Name: o.String(), Unit: "calls", Better: Lower, Show: IfAny, Meaning: o.Meaning(),
			Value: func(t *Tally) float64 { return float64(t.outcomes[o]) }}
		if o == policy.Answered {
			m.Better, m.Show = Higher, Always
		}
		list = append(list, m)
	}
	list = append(list, Metric{Name: "dead_letters", Unit: "calls", Better: Lower, Show: IfAny,
		Meaning: "Calls that failed in each of the deliveries that workload.redeliver allows, whatever their outcome",
		Value:   func(t *Tally) float64 { return float64(t.deadLetters) }})
	for e := fleet.Finished; e < fleet.SessionEnds; e++ {
		better := Lower
		if e == fleet.Finished {
			better = Higher
		}
		list = append(list, Metric{Name: "sessions_" + e.String(), Unit: "sessions", Better: better, Show: IfKnown,
			Meaning: "Sessions that ended because " + e.Meaning(),
			Value:   func(t *Tally) float64 { return known(t.sessions, float64(t.ends[e])) }})
	}
	list = append(list, Metric{Name: "quality_mean", Unit: "share", Better: Higher, Show: IfLess,
		Meaning: "Mean quality of the answers: 1 of the provider itself, else that of the deployment or fallback " +
			"that answered",
		Value: func(t *Tally) float64 { return ratio(t.quality, float64(t.Answered())) }})
	return append(list, Metric{Name: "fairness_jain", Unit: "share", Better: Higher,
		Meaning: "Jain's fairness index of the answers per instance; 1 when all have equally many",
		Value:   (*Tally).fairness})
}

// perSecond is a count as a rate over the measured time.
func (t *Tally) perSecond(n uint64) float64 {
	return ratio(float64(n), t.measured().Length().Seconds())
}

var throughput = []Metric{
	{Name: "goodput_per_min", Unit: "calls/min", Better: Higher, Show: Always,
		Meaning: "Calls answered per minute of the measured time",
		Value:   func(t *Tally) float64 { return 60 * t.perSecond(t.measured().answers) }},
	{Name: "quality_goodput_per_min", Unit: "calls/min", Better: Higher,
		Meaning: "Quality of the answers per minute of the measured time: goodput in which an answer of quality 0.8 " +
			"counts 0.8",
		Value: func(t *Tally) float64 {
			h := t.measured()
			return ratio(60*h.quality, h.Length().Seconds())
		}},
}

var wholeRun = []Metric{
	{Name: "makespan_s", Unit: "s", Better: Lower, Show: Always,
		Meaning: "Time from the start of the run until the last call ended",
		Value:   func(t *Tally) float64 { return t.end.Seconds() }},
	{Name: "makespan_lower_bound_s", Unit: "s", Show: IfKnown,
		Meaning: "Shortest possible makespan: no policy can finish sooner under these limits",
		Value:   func(t *Tally) float64 { return t.minMakespan }},
	{Name: "regret", Unit: "ratio", Better: Lower, Show: IfKnown,
		Meaning: "Makespan beyond its lower bound, divided by the lower bound",
		Value:   (*Tally).regret},
	{Name: "not_started", Unit: "calls", Better: Lower, Show: IfAny,
		Meaning: "Calls still waiting to start when the run ended",
		Value:   func(t *Tally) float64 { return float64(t.notStarted) }},
	{Name: "max_attempts_per_call", Unit: "attempts", Fixed: true,
		Meaning: "Most attempts that one call can make, over all retry layers, hedges, targets and deliveries",
		Value: func(t *Tally) float64 {
			n := t.fleet().MaxAttempts()
			return known(n > 0, float64(n))
		}},
	{Name: "max_total_backoff_s", Unit: "s", Fixed: true,
		Meaning: "Longest possible total backoff of one call when the server sends no Retry-After",
		Value: func(t *Tally) float64 {
			span, bounded := t.fleet().Client.MaxDuration(0)
			return known(bounded, span.Seconds())
		}},
	{Name: "warmup_s", Unit: "s", Show: IfAny,
		Meaning: "Time at which the warm-up ends and the measured time begins",
		Value:   func(t *Tally) float64 { return t.warmup.Seconds() }},
	{Name: "measured_s", Unit: "s", Meaning: "Length of the measured time",
		Value: func(t *Tally) float64 { return t.measured().Length().Seconds() }},
	{Name: "random", Unit: "0 or 1", Fixed: true,
		Meaning: "1 when the scenario draws random numbers, 0 when every replication is the same",
		Value:   func(t *Tally) float64 { return Indicator(t.model.Random()) }},
}

var afterTrigger = []Metric{
	{Name: "recovery_s", Unit: "s", Better: Lower, Show: IfKnown,
		Meaning: "Time from the end of the fault or spike until answers per second are back at 90 % of the rate " +
			"before it",
		Value: func(t *Tally) float64 { s, _ := t.recoveryAfter(); return s }},
	{Name: "collapsed", Unit: "share", Better: Lower, Show: IfKnown, Indicator: true,
		Meaning: "Share of replications that never recover, or that fall below the scenario's collapse level",
		Value:   (*Tally).collapsed},
	{Name: "collapse_level", Unit: "ratio", Better: Higher, Show: IfKnown,
		Meaning: "Calls answered per call that arrived, in the time window of the scenario's collapse",
		Value: func(t *Tally) float64 {
			if t.collapse == nil {
				return math.NaN()
			}
			return t.collapse.level()
		}},
}

// latency lists the mean and the quantiles of a latency.
func latency(prefix, calls string, show Show, of func(*Tally) *latencies) []Metric {
	calls += "; in a batch the clock starts when a worker takes the call"
	list := []Metric{{Name: prefix + "_mean_s", Unit: "s", Better: Lower, Meaning: "Mean latency of " + calls,
		Value: func(t *Tally) float64 { return of(t).moments.Mean() }}}
	for _, q := range []struct {
		name, meaning string
		p             float64
		show          Show
	}{
		{"p25", "25th percentile of the latency", 0.25, OnRequest},
		{"p50", "Median latency", 0.5, show},
		{"p75", "75th percentile of the latency", 0.75, OnRequest},
		{"p90", "90th percentile of the latency", 0.9, OnRequest},
		{"p95", "95th percentile of the latency", 0.95, show},
		{"p99", "99th percentile of the latency", 0.99, show},
		{"p999", "99.9th percentile of the latency", 0.999, OnRequest},
		{"max", "Longest latency", 1, OnRequest},
	} {
		list = append(list, Metric{Name: prefix + "_" + q.name + "_s", Unit: "s", Better: Lower,
			Meaning: q.meaning + " of " + calls, Show: q.show,
			Value: func(t *Tally) float64 { return of(t).quantile(q.p) }})
	}
	return list
}

func firstToken() []Metric {
	list := []Metric{{Name: "first_token_mean_s", Unit: "s", Better: Lower,
		Meaning: "Mean time from sending an attempt to its first token, when streaming",
		Value:   func(t *Tally) float64 { return t.firstToken.moments.Mean() }}}
	for _, q := range []struct {
		name, meaning string
		p             float64
		show          Show
	}{
		{"p50", "Median", 0.5, IfKnown}, {"p95", "95th percentile of the", 0.95, IfKnown},
		{"p99", "99th percentile of the", 0.99, OnRequest},
	} {
		list = append(list, Metric{Name: "first_token_" + q.name + "_s", Unit: "s", Better: Lower, Show: q.show,
			Meaning: q.meaning + " time from sending an attempt to its first token, when streaming",
			Value:   func(t *Tally) float64 { return t.firstToken.quantile(q.p) }})
	}
	return list
}

// tokens is all that was billed for the tokens of the calls, in dollars.
func (t *Tally) tokens() float64 { return (t.useful + t.waste.Total()).Dollars() }

// capacity is the price of the measured time by the hour, of which a fleet that is measured alone pays its
// share of the answers.
func (t *Tally) capacity() float64 {
	if t.hourly == 0 {
		return 0
	}
	h := t.measured()
	share := 1.0
	if t.only >= 0 {
		share = ratio(float64(h.answers), float64(h.served))
	}
	return share * t.hourly.Over(h.Length()).Dollars()
}

// perAnswer is the price of capacity for each answer in the measured time, whoever got it:
//
//	price by the hour x measured time / answers in it
func (t *Tally) perAnswer() float64 {
	if t.hourly == 0 {
		return 0
	}
	h := t.measured()
	return ratio(t.hourly.Over(h.Length()).Dollars(), float64(h.served))
}

// perHour is what an hour of the measured time costs, tokens and capacity.
func (t *Tally) perHour() float64 {
	h := t.measured()
	return ratio(h.billed.Dollars()+t.capacity(), h.Length().Hours())
}

func billed() []Metric {
	list := []Metric{
		{Name: "usd_per_1000_answers", Unit: "USD", Better: Lower, Show: Always,
			Meaning: "All that was billed, for failed calls too, per 1,000 answered calls",
			Value: func(t *Tally) float64 {
				return ratio(1000*t.tokens(), float64(t.Answered())) + 1000*t.perAnswer()
			}},
		{Name: "usd_per_1000_calls", Unit: "USD", Better: Lower, Meaning: "Cost per 1,000 calls",
			Value: func(t *Tally) float64 { return ratio(1000*(t.tokens()+t.capacity()), float64(t.calls)) }},
		{Name: "usd_total", Unit: "USD", Better: Lower, Show: Always, Meaning: "Total cost of the calls",
			Value: func(t *Tally) float64 { return t.tokens() + t.capacity() }},
		{Name: "usd_per_hour", Unit: "USD", Better: Lower, Show: IfKnown, Of: PerTime,
			Meaning: "Cost of an hour of the measured time: capacity paid by the hour, and tokens billed in it",
			Value:   func(t *Tally) float64 { return known(t.hourly > 0, t.perHour()) }},
		{Name: "usd_capacity", Unit: "USD", Better: Lower, Show: IfKnown, Of: PerTime,
			Meaning: "Cost of capacity paid by the hour, for the measured time; part of usd_total",
			Value:   func(t *Tally) float64 { return known(t.hourly > 0, t.capacity()) }},
		{Name: "usd_capacity_per_1000_answers", Unit: "USD", Better: Lower, Show: IfKnown, Of: PerTime,
			Meaning: "Price of capacity by the hour x measured time / answers in it x 1,000; " +
				"part of usd_per_1000_answers",
			Value: func(t *Tally) float64 { return known(t.hourly > 0, 1000*t.perAnswer()) }},
		{Name: "usd_wasted", Unit: "USD", Better: Lower, Show: Always,
			Meaning: "Cost of tokens that nobody used",
			Value:   func(t *Tally) float64 { return t.waste.Total().Dollars() }},
	}
	for c := range cost.Cause(cost.Causes) {
		list = append(list, Metric{Name: "usd_wasted_" + c.String(), Unit: "USD", Better: Lower, Show: IfAny,
			Meaning: "Cost of " + c.Meaning(), Value: func(t *Tally) float64 { return t.waste[c].Dollars() }})
	}
	list = append(list, Metric{Name: "cache_hit_ratio", Unit: "share", Better: Higher, Show: IfKnown,
		Meaning: "Share of the billed prompt tokens that were read from a prompt cache that calls share",
		Value: func(t *Tally) float64 {
			return known(t.shares, ratio(float64(t.cached), float64(t.prompts)))
		}})
	return append(list, Metric{Name: "billed_attempts_per_1000_answers", Unit: "attempts", Better: Lower,
		Meaning: "Attempts billed per 1,000 answered calls",
		Value:   func(t *Tally) float64 { return ratio(1000*float64(t.billed), float64(t.Answered())) }})
}

func attempts() []Metric {
	list := []Metric{
		{Name: "attempts", Unit: "attempts", Better: Lower, Meaning: "HTTP requests sent for the calls",
			Value: func(t *Tally) float64 { return float64(t.attempts()) }},
		{Name: "attempts_per_call", Unit: "attempts", Better: Lower, Show: Always,
			Meaning: "Attempts per call, the first one included",
			Value:   func(t *Tally) float64 { return ratio(float64(t.attempts()), float64(t.calls)) }},
		{Name: "throttled_ratio", Unit: "share", Better: Lower, Show: Always,
			Meaning: "Share of attempts refused with status 429",
			Value: func(t *Tally) float64 {
				return ratio(float64(t.classes[wire.Throttled]), float64(t.attempts()))
			}},
	}
	for c := range wire.Class(wire.Classes) {
		m := Metric{Name: "attempts_" + c.String(), Unit: "attempts", Better: Lower, Show: IfAny,
			Meaning: c.Meaning(), Value: func(t *Tally) float64 { return float64(t.classes[c]) }}
		if c == wire.OK {
			m.Better, m.Show = Neither, OnRequest
		}
		list = append(list, m)
	}
	for _, kind := range []struct {
		as   provider.Reachability
		text string
	}{
		{provider.NoName, "whose name lookup failed"},
		{provider.NoTLS, "whose TLS handshake failed"},
		{provider.RefusedConn, "whose connection was refused"},
		{provider.ResetConn, "whose connection was reset before the provider had the request"},
	} {
		list = append(list, Metric{Name: "connection_" + kind.as.String(), Unit: "attempts", Better: Lower, Show: IfAny,
			Meaning: "Attempts " + kind.text, Value: func(t *Tally) float64 {
				return known(t.unreachable[kind.as], float64(t.connections[kind.as]))
			}})
	}
	for r := range provider.Refusal(provider.Refusals) {
		show := IfAny
		if r == provider.ByRate || r == provider.ByLoad { // near the classes throttled and overloaded
			show = OnRequest
		}
		list = append(list, Metric{Name: "refused_" + r.String(), Unit: "attempts", Better: Lower, Show: show,
			Meaning: "Attempts " + r.Meaning(), Value: func(t *Tally) float64 { return float64(t.refused[r]) }})
	}
	return append(list, Metric{Name: "hedges", Unit: "attempts", Show: IfKnown,
		Meaning: "Hedged attempts: sent while another attempt of the same call was under way",
		Value:   func(t *Tally) float64 { return known(t.hedged, float64(t.hedges)) }})
}

var load = slices.Concat(
	[]Metric{
		{Name: "attempts_per_s", Unit: "attempts/s", Meaning: "HTTP requests sent per second of the measured time",
			Value: func(t *Tally) float64 { return t.perSecond(t.measured().attempts) }},
		{Name: "refusals_per_s", Unit: "attempts/s", Better: Lower,
			Meaning: "Replies with status 429, 503 or 529 per second of the measured time",
			Value:   func(t *Tally) float64 { return t.perSecond(t.measured().refusals) }},
	},
	peaks("peak_in_flight", "", "Highest number of requests at the provider at once",
		func(h happened) peak { return h.inFlight }),
	peaks("peak_arrivals", "_per_s", "Most requests to reach the provider within one second",
		func(h happened) peak { return h.perSecond }),
	peaks("peak_arrivals", "_per_100ms", "Most requests to reach the provider within 100 ms",
		func(h happened) peak { return h.per100 }),
)

// peaks lists a peak over the measured time and the same since the trigger ended.
func peaks(name, per, meaning string, of func(happened) peak) []Metric {
	return []Metric{
		{Name: name + per, Unit: "requests", Better: Lower, Meaning: meaning,
			Value: func(t *Tally) float64 { return float64(of(t.measured()).ever) }},
		{Name: name + "_after_trigger" + per, Unit: "requests", Better: Lower,
			Meaning: meaning + ", after the fault or spike ended",
			Value: func(t *Tally) float64 {
				return known(t.recovery != nil, float64(of(t.measured()).after))
			}},
	}
}

func waits() (list []Metric) {
	for w := range fleet.Wait(fleet.Waits) {
		list = append(list, Metric{Name: w.String() + "_wait_s", Unit: "s", Better: Lower, Show: IfAny,
			Meaning: "Time per call spent waiting " + w.Meaning(),
			Value:   func(t *Tally) float64 { return ratio(t.waits[w]/1e9, float64(t.calls)) }})
	}
	return list
}

// limits lists the use of the fullest limit, then use and refusals of each.
func limits() []Metric {
	list := []Metric{{Name: "quota_used_ratio", Unit: "share", Better: Higher,
		Meaning: "Share of the most used limit that was used",
		Value:   func(t *Tally) float64 { return t.limits.fullest() }}}
	for k := range OwnMetrics {
		list = append(list,
			Metric{Name: LimitMetric(k, "used_ratio"), Unit: "share",
				Meaning: fmt.Sprintf("Share of limit %d that was used in the measured time", k+1),
				Value:   func(t *Tally) float64 { return t.limits.usedOf(k) }},
			Metric{Name: LimitMetric(k, "refused"), Unit: "attempts", Better: Lower,
				Meaning: fmt.Sprintf("Attempts of all fleets refused by limit %d", k+1),
				Value:   func(t *Tally) float64 { return t.limits.refusedBy(k) }})
	}
	return append(list, Metric{Name: "slots_refused", Unit: "attempts", Better: Lower,
		Meaning: "Attempts of all fleets refused because every slot and queue place was taken",
		Value:   func(t *Tally) float64 { return t.limits.refusedBySlots() }}, Metric{
		Name: "max_request_refused", Unit: "attempts", Better: Lower,
		Meaning: "Attempts of all fleets refused because they were larger than provider.max_request",
		Value:   func(t *Tally) float64 { return t.limits.refusedBySize() }}, Metric{
		Name: "gateway_refused", Unit: "attempts", Better: Lower,
		Meaning: "Attempts of all fleets that failed with an error of a gateway's own and never reached the provider",
		Value:   func(t *Tally) float64 { return t.limits.refusedByGateway() }})
}

var effects = []Metric{
	{Name: "repeated_tokens", Unit: "tokens", Better: Lower, Show: IfAny,
		Meaning: "Output tokens shown to the user more than once",
		Value:   func(t *Tally) float64 { return float64(t.repeated) }},
	{Name: "side_effects_duplicated", Unit: "effects", Better: Lower, Show: IfKnown,
		Meaning: "Side effects beyond one per call, of calls that have side effects",
		Value:   func(t *Tally) float64 { return known(t.acts, float64(t.duplicated)) }},
	{Name: "fallback_answers", Unit: "calls", Show: IfKnown,
		Meaning: "Calls answered by a fallback target",
		Value: func(t *Tally) float64 {
			return known(len(t.model.Others) > t.model.Deployed, float64(t.elsewhere))
		}},
}

var meanSizes = []Metric{
	meanSize("prompt_tokens_mean", "Mean prompt size of all calls",
		func(z *sizes) *sim.Moments { return &z.prompt }),
	meanSize("prompt_tokens_answered_mean", "Mean prompt size of answered calls",
		func(z *sizes) *sim.Moments { return &z.promptAnswered }),
	meanSize("output_tokens_mean", "Mean output size of all calls, had every one been answered",
		func(z *sizes) *sim.Moments { return &z.output }),
	meanSize("output_tokens_answered_mean", "Mean output size of answered calls",
		func(z *sizes) *sim.Moments { return &z.outputAnswered }),
}

func meanSize(name, meaning string, of func(*sizes) *sim.Moments) Metric {
	return Metric{Name: name, Unit: "tokens", Meaning: meaning,
		Value: func(t *Tally) float64 { return of(&t.sizes).Mean() }}
}
