package report

import (
	"fmt"
	"io"
	"strings"

	"stampede/internal/format"
	"stampede/measure"
)

// shown reports whether a layout prints a metric.
func (r Report) shown(i int, l Layout) bool {
	m, known := r.Metrics[i], r.Metrics[i].e.N > 0
	if measure.InTables(m.Name) {
		return false // they have a table of their own
	}
	if m.Name == "recovery_s" && !known { // else there is no trigger, or no level before it
		return r.triggered && r.get("collapsed").Mean > 0
	}
	show := measure.Metrics()[i].Show
	if l.Wide && show != measure.Always {
		return known
	}
	switch show {
	case measure.Always:
		return true
	case measure.IfKnown:
		return known
	case measure.IfAny:
		return known && m.e.Mean > 0
	case measure.IfLess:
		return known && m.e.Mean < 1
	}
	return false
}

// WriteText writes the report for people: the mean of each metric over the
// replications with its 95 % interval, and warnings as footnotes.
func (r Report) WriteText(w io.Writer, l Layout) error {
	fmt.Fprintf(w, "%s: seed %d, %s\n", r.Scenario, r.Seed, format.Plural(r.Replications, "replication"))
	if r.Goals != nil {
		fmt.Fprintln(w)
		r.Goals.table("").text(w, l)
		fmt.Fprintln(w)
	}
	for _, part := range [][2]string{{"policy", r.Policy}, {"provider", r.Provider}, {"price", r.Price}} {
		l.wrapped(w, fmt.Sprintf("  %-10s", part[0]), part[1])
	}
	spans := r.writeMetrics(w, l) + r.writeKinds(w, l) + r.writeDeployments(w, l) + r.writeLimits(w, l)
	fmt.Fprintln(w)
	l.wrapped(w, "", "mean over replications [95 % interval: Student t, Clopper-Pearson for rare events]")
	if r.Goals != nil {
		l.wrapped(w, "", goalRule)
	}
	r.writeLegend(w, l, spans)
	if !l.Wide {
		l.wrapped(w, "", "--all prints every metric with its meaning; stampede metrics explains them")
	}
	l.notes(w, r.Warnings)
	return nil
}

// writeMetrics writes the metrics under their headings and returns the intervals in them.
func (r Report) writeMetrics(w io.Writer, l Layout) (spans string) {
	name, span := 0, 0
	for i, m := range r.Metrics {
		if r.shown(i, l) {
			name, span = max(name, len(m.Name)), max(span, len(measure.Interval(m.e, r.random)))
		}
	}
	group := ""
	for i, m := range r.Metrics {
		if !r.shown(i, l) {
			continue
		}
		latency, few := strings.HasPrefix(m.Name, "latency_"), measure.OfSurvivors(m.Name)
		if m.group != group {
			group = m.group
			fmt.Fprintf(w, "\n%s%s\n", l.paint(bold, group), r.ofFew(few && latency)) // once for all of them
		}
		mean := format.Number(m.e.Mean)
		if m.Name == "recovery_s" && m.e.N == 0 {
			mean = "never"
		}
		interval := measure.Interval(m.e, r.random)
		spans += interval + "\n"
		end := m.Unit
		if l.Wide {
			end = fmt.Sprintf("%-10s  %s", m.Unit, m.Meaning)
		}
		fmt.Fprintf(w, "  %-*s %10s  %-*s  %s%s\n", name, m.Name, mean, span, interval, end,
			r.ofFew(few && !latency))
	}
	return spans
}

// ofFew points to the warning, if there is one, that a metric is of the few calls answered.
func (r *Report) ofFew(is bool) string {
	if !is || r.few == 0 {
		return ""
	}
	return fmt.Sprintf(" [%d]", r.few)
}

// writeLegend explains the forms of intervals that the text has.
func (r Report) writeLegend(w io.Writer, l Layout, spans string) {
	n := r.Replications
	atMost, atLeast := measure.AtMostPart(measure.Unseen(n, 0.95)), measure.AtLeastPart(measure.Unseen(n, 0.95))
	for _, form := range []struct {
		used  bool
		words string
	}{
		{strings.Contains(spans, "[?]"), "[?] one replication gives no interval"},
		{strings.Contains(spans, "[=]") && !r.random,
			"[=] nothing in this scenario is random: every replication is the same"},
		{strings.Contains(spans, "[=]") && r.random, fmt.Sprintf(
			"[=] the same in all %d replications; with 95 %% confidence at most %s of further replications "+
				"differ",
			n, atMost)},
		{strings.Contains(spans, "at most"), fmt.Sprintf(
			"0 of %d, at most %s: no replication has any; with 95 %% confidence at most %s of further replications do",
			n, atMost, atMost)},
		{strings.Contains(spans, "at least"), fmt.Sprintf(
			"%d of %d, at least %s: so in every replication; with 95 %% confidence in at least %s of further "+
				"replications",
			n, n, atLeast, atLeast)},
		{r.random && n > 1 && !l.Wide, fmt.Sprintf("outcomes, failures and waits that are not listed are 0 in all %d "+
			"replications; with 95 %% confidence each is above 0 in at most %s of further replications", n, atMost)},
	} {
		if form.used {
			l.wrapped(w, "", form.words)
		}
	}
}
