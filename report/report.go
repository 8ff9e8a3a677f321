package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"stampede/internal/format"
	"stampede/measure"
	"stampede/scenario"
)

// Report is what `stampede run` says about one scenario.
type Report struct {
	Scenario     string        `json:"scenario"`
	Seed         uint64        `json:"seed"`
	Replications int           `json:"replications"`
	Policy       string        `json:"policy"`
	Provider     string        `json:"provider"`
	Price        string        `json:"price"`
	Metrics      []MetricValue `json:"metrics"`
	Limits       []LimitValue  `json:"limits"`
	Warnings     []string      `json:"warnings"`

	triggered bool // something happens for a time
	random    bool // luck plays a part
	few       int  // the number of the warning that cost and latency are of survivors; 0 for none
}

// MetricValue is a metric with its estimate.
type MetricValue struct {
	Name    string        `json:"name"`
	Unit    string        `json:"unit"`
	Mean    *float64      `json:"mean"` // null when no replication had a value
	CI95    [2]*float64   `json:"ci95"` // null ends when one replication gave no interval
	N       int           `json:"n"`
	Unseen  float64       `json:"unseen,omitempty"` // where all replications had the same by luck, at most this part of others differs
	Of      measure.Basis `json:"of"`               // per call, per time or per run
	Meaning string        `json:"meaning"`

	group string
	e     measure.Estimate
}

// NewReport sums up finished replications of a scenario.
func NewReport(s *scenario.Scenario, runs []measure.Run) Report {
	r := Report{
		Scenario: s.Name, Seed: s.Seed, Replications: len(runs),
		Policy: s.Model.Fleets()[max(0, s.Measured())].Client.String(), Provider: s.DescribeProvider(), Price: s.Model.Price.String(),
		Warnings: append([]string{}, s.Warnings...),
	}
	_, r.triggered = s.Trigger()
	r.random = s.Model.Random()
	for i, m := range measure.Metrics() {
		e := m.Estimate(measure.Column(runs, i), r.random, 0.95)
		r.Metrics = append(r.Metrics, MetricValue{
			Name: m.Name, Unit: m.Unit, Of: m.Of, Meaning: m.Meaning, N: e.N, Unseen: e.Unseen,
			Mean: format.Finite(e.Mean), CI95: [2]*float64{format.Finite(e.Low), format.Finite(e.High)},
			group: m.Group, e: e,
		})
	}
	r.Limits = limitValues(measure.LimitNames(&s.Model), r.get)
	r.warn(s, runs)
	return r
}

func (r *Report) warn(s *scenario.Scenario, runs []measure.Run) {
	add := func(format string, args ...any) { r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...)) }
	if len(runs) == 1 {
		add("one replication gives no interval; ask for more with --reps")
	} else if len(runs) < 10 && r.random {
		add("%d replications are few; intervals from fewer than 10 are wide and rest on normality", len(runs))
	}
	var events uint64
	for _, run := range runs {
		events = max(events, run.Summary.Events)
	}
	if e := r.get("not_started"); e.Mean > 0 {
		add("%.4g calls per replication "+notStarted, e.Mean)
	}
	if e := r.get("unfinished"); e.Mean > 0 {
		add(
			"%.4g calls per replication are unfinished: nothing could end them; their latencies are those until the end of the run",
			e.Mean,
		)
	}
	if e := r.get("abandoned"); e.Mean > 0 {
		add(
			"%.4g calls per replication were abandoned: latencies of all calls hold how long those callers waited, not how long an answer would have taken",
			e.Mean,
		)
	}
	if all, ok := r.get("attempts"), r.get("attempts_ok"); all.Mean > 0 && all.Mean == ok.Mean &&
		s.Model.Fleets()[max(0, s.Measured())].MaxAttempts() != 1 &&
		!slices.ContainsFunc(s.Warnings, func(w string) bool { return strings.HasPrefix(w, scenario.NothingFails) }) {
		add("nothing failed in any replication: attempts, backoff and jitter were never used")
	}
	var z survivors
	for _, name := range survivorMetrics {
		z = append(z, r.get(name).Mean)
	}
	if z.few() {
		add("%s", z.note())
		r.few = len(r.Warnings)
	}
	if budget := uint64(s.EventBudget); budget > 0 && events > budget/2 {
		add("a replication handled %d of %d events allowed; raise event_budget before it fails", events, budget)
	}
	if n := len(measure.LimitNames(&s.Model)); n > measure.OwnMetrics {
		add(
			"use and refusals are those of the first %d of %d limits; a file of attempts (--attempts) names every one that refuses",
			measure.OwnMetrics,
			n,
		)
	}
	for _, m := range r.Metrics {
		if m.Name == "recovery_s" && m.N > 0 && m.N < len(runs) {
			add("the mean of recovery_s is over the %d of %d replications that recover", m.N, len(runs))
		} else if m.N > 0 && m.N < len(runs) {
			add("%s has a value in only %d of %d replications", m.Name, m.N, len(runs))
		}
	}
}

func (r *Report) get(name string) measure.Estimate { return r.Metrics[measure.Index(name)].e }

// WriteJSON writes the report for machines.
func (r Report) WriteJSON(w io.Writer) error {
	r.Metrics = slices.DeleteFunc(
		slices.Clone(r.Metrics),
		func(m MetricValue) bool { return measure.OfLimits(m.Name) },
	)
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// optionalMissing are the metrics that are left out when the scenario does not
// have them.
var optionalMissing = map[string]bool{
	"makespan_lower_bound_s":                true,
	"regret":                                true,
	"collapsed":                             true,
	"quota_used_ratio":                      true,
	"fairness_jain":                         true,
	"max_attempts_per_call":                 true,
	"max_total_backoff_s":                   true,
	"first_token_mean_s":                    true,
	"first_token_p50_s":                     true,
	"first_token_p95_s":                     true,
	"first_token_p99_s":                     true,
	"side_effects_duplicated":               true,
	"fallback_answers":                      true,
	"hedges":                                true,
	"collapse_level":                        true,
	"peak_in_flight_after_trigger":          true,
	"peak_arrivals_after_trigger_per_s":     true,
	"peak_arrivals_after_trigger_per_100ms": true,
}

// optional are the metrics that are left out of the text when they are zero in
// every replication.
func optional(name string) bool {
	for _, prefix := range []string{"gave_up_", "terminal_error", "abandoned", "unfinished", "not_started", "stream_broken", "breaker_open", "shed", "attempts_", "refusals_per_s", "repeated_tokens", "pacer_wait", "breaker_wait", "worker_wait", "gate_wait", "backoff_wait", "retry_after_wait", "redelivery_wait", "usd_wasted_"} {
		if strings.HasPrefix(name, prefix) && name != "attempts_per_call" && name != "attempts_per_s" &&
			name != "attempts_ok" {
			return true
		}
	}
	return false
}

// shown reports whether people see a metric: it is no detail, the scenario has it, and it is not
// one of the many that are mostly zero.
func (r Report) shown(i int) bool {
	m := r.Metrics[i]
	switch {
	case strings.HasPrefix(m.Name, "latency_all") && r.get("success_ratio").Mean == 1:
		return false // the same as that of answered calls
	case measure.Metrics()[i].Detail || measure.OfLimits(m.Name) || (m.e.N == 0 && optionalMissing[m.Name]) || (m.Name == "warmup_s" && m.e.Mean == 0):
		return false
	case m.Name == "recovery_s" && m.e.N == 0:
		return r.triggered && r.get("collapsed").Mean > 0 // else there is no trigger, or no level before it
	}
	return !(optional(m.Name) && m.e.Mean == 0)
}

// WriteText writes the report for people: the mean of each metric over the
// replications with its 95 % interval, and warnings as footnotes.
func (r Report) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s: seed %d, %s\n", r.Scenario, r.Seed, format.Plural(r.Replications, "replication"))
	fmt.Fprintf(w, "  policy    %s\n  provider  %s\n  price     %s\n", r.Policy, r.Provider, r.Price)
	width := 20
	for i, m := range r.Metrics {
		if r.shown(i) {
			width = max(width, len(measure.Interval(m.e, r.random)))
		}
	}
	group, spans := "", ""
	for i, m := range r.Metrics {
		if !r.shown(i) {
			continue
		}
		if m.group != group {
			group = m.group
			fmt.Fprintf(w, "\n%s%s\n", group,
				r.ofFew(strings.HasPrefix(m.Name, "latency_") && !strings.HasPrefix(m.Name, "latency_all_")))
		}
		mean, span := format.Number(m.e.Mean), measure.Interval(m.e, r.random)
		if m.Name == "recovery_s" && m.e.N == 0 {
			mean = "never"
		}
		spans += span + "\n"
		fmt.Fprintf(w, "  %-33s%10s  %-*s  %-10s  %s\n", m.Name, mean, width, span, m.Unit,
			m.Meaning+r.ofFew(m.Name == "usd_per_1000_answers"))
	}
	spans += r.writeLimits(w)
	fmt.Fprintf(w, "\nmean over replications [95 %% interval: Student t, Clopper-Pearson for rare events]\n")
	r.writeLegend(w, spans)
	for i, text := range r.Warnings {
		fmt.Fprintf(w, "[%d] %s\n", i+1, text)
	}
	return nil
}

// ofFew points to the warning, if there is one, that a metric is of survivors.
func (r *Report) ofFew(is bool) string {
	if !is || r.few == 0 {
		return ""
	}
	return fmt.Sprintf(" [%d]", r.few)
}

// writeLegend explains the forms of intervals that the text has.
func (r Report) writeLegend(w io.Writer, spans string) {
	n := r.Replications
	most, least := measure.AtMostPart(measure.Unseen(n, 0.95)), measure.AtLeastPart(measure.Unseen(n, 0.95))
	for _, form := range []struct {
		used  bool
		words string
	}{
		{strings.Contains(spans, "[?]"), "[?] one replication gives no interval"},
		{strings.Contains(spans, "[=]") && !r.random, "[=] nothing in this scenario is random: every replication is the same"},
		{strings.Contains(spans, "[=]") && r.random, fmt.Sprintf("[=] the same in all %d replications; with 95 %% confidence at most %s of others differ", n, most)},
		{strings.Contains(spans, "at most"), fmt.Sprintf("0 of %d, at most %s: no replication has any; with 95 %% confidence at most %s of others do", n, most, most)},
		{strings.Contains(spans, "at least"), fmt.Sprintf("%d of %d, at least %s: so in every replication; with 95 %% confidence in at least %s of others", n, n, least, least)},
		{r.random && n > 1, fmt.Sprintf("metrics not listed are 0 in all %d replications; with 95 %% confidence each is above 0 in at most %s of others", n, most)},
	} {
		if form.used {
			fmt.Fprintln(w, form.words)
		}
	}
}
