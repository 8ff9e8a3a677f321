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

// Report is what `stampede run` prints about one scenario.
type Report struct {
	Scenario     string            `json:"scenario"`
	Seed         uint64            `json:"seed"`
	Replications int               `json:"replications"`
	Goals        *Goals            `json:"goals,omitempty"`
	Verdict      *measure.Verdict  `json:"verdict,omitempty"` // of all goals
	Policy       string            `json:"policy"`
	Provider     string            `json:"provider"`
	Price        string            `json:"price"`
	Metrics      []MetricValue     `json:"metrics"`
	Limits       []LimitValue      `json:"limits"`
	Deployments  []DeploymentValue `json:"deployments,omitempty"`
	Kinds        []KindValue       `json:"kinds,omitempty"`
	Warnings     []string          `json:"warnings"`

	triggered bool // something happens for a time
	random    bool // randomness affects it
	few       int  // the number of the warning that cost and latency cover only the calls answered; 0 for none
}

// MetricValue is a metric with its estimate.
type MetricValue struct {
	Name    string        `json:"name"`
	Unit    string        `json:"unit"`
	Mean    *float64      `json:"mean"` // null when no replication had a value
	CI95    [2]*float64   `json:"ci95"` // null ends when one replication gave no interval
	N       int           `json:"n"`
	Unseen  float64       `json:"unseen,omitempty"` // largest share of others that differ, where all had the same
	Of      measure.Basis `json:"of"`               // per call, per time or per run
	Meaning string        `json:"meaning"`

	group string
	e     measure.Estimate
}

// NewReport sums up finished replications of a scenario.
func NewReport(s *scenario.Scenario, runs []measure.Run) Report {
	r := Report{
		Scenario: s.Name, Seed: s.Seed, Replications: len(runs),
		Policy: s.Model.Fleets()[max(0, s.Measured())].Client.Describe(), Provider: s.DescribeProvider(),
		Price:    s.Model.Price.String(),
		Warnings: append([]string{}, s.Warnings()...),
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
	r.Deployments = deploymentValues(measure.DeploymentNames(&s.Model), r.get)
	r.Kinds = kindValues(measure.KindNames(s), r.get)
	r.Limits = limitValues(measure.LimitNames(&s.Model), r.get)
	r.warn(s, runs)
	return r
}

func (r *Report) warn(s *scenario.Scenario, runs []measure.Run) {
	add := func(format string, args ...any) { r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...)) }
	if len(runs) == 1 {
		add("one replication gives no interval; ask for more with --reps")
	} else if len(runs) < 10 && r.random {
		add("only %d replications; intervals from fewer than 10 are wide and assume a normal distribution", len(runs))
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
			"%.4g calls per replication are unfinished: they were hanging when the run ended, and their latencies are "+
				"counted up to then",
			e.Mean,
		)
	}
	if e := r.get("abandoned"); e.Mean > 0 {
		add(
			"%.4g calls per replication were abandoned: in the latencies of all calls they count with the time "+
				"that their callers waited",
			e.Mean,
		)
	}
	if all, ok := r.get("attempts"), r.get("attempts_ok"); all.Mean > 0 && all.Mean == ok.Mean &&
		s.Model.Fleets()[max(0, s.Measured())].MaxAttempts() != 1 &&
		!slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.HasPrefix(w, scenario.NothingFails) }) {
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
			"metrics cover the first %d of %d limits; the file of --attempts names the limit "+
				"behind every refusal",
			measure.OwnMetrics,
			n,
		)
	}
	if n := len(measure.DeploymentNames(&s.Model)); n > measure.OwnDeployments {
		add("metrics cover the first %d of %d deployments; the file of --attempts has the target of every attempt",
			measure.OwnDeployments, n)
	}
	for _, m := range r.Metrics {
		if m.Name == "recovery_s" && m.N > 0 && m.N < len(runs) {
			add("recovery_s is the mean of the %d of %d replications that recover", m.N, len(runs))
		} else if m.N > 0 && m.N < len(runs) && !measure.OfDeployments(m.Name) && !measure.OfKinds(m.Name) {
			add("%s has a value in only %d of %d replications", m.Name, m.N, len(runs))
		}
	}
}

func (r *Report) get(name string) measure.Estimate { return r.Metrics[measure.Index(name)].e }

// WriteJSON writes the report for machines.
func (r Report) WriteJSON(w io.Writer) error {
	r.Metrics = slices.DeleteFunc(
		slices.Clone(r.Metrics),
		func(m MetricValue) bool { return measure.InTables(m.Name) },
	)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}
