package recommend

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"stampede/internal/format"
	"stampede/scenario"
	"stampede/sweep"
)

// DefaultAxes is the space of a scenario that names none: what a client decides about retries, timeouts and load, with
// values that fit how long an answer takes and what the limits admit.
func DefaultAxes(t *scenario.Template) ([]scenario.Axis, error) {
	m := &t.Base.Model
	_, p95 := t.Base.AnswerTimes()
	texts := []string{"policy.retry.attempts=1,2,3,4,6,8,10"}
	if m.Client.Retry.Attempts != 1 && t.Base.Policy.Retry.Backoff.Exponential != nil {
		texts = append(texts,
			"policy.retry.backoff.exponential.base=100ms,250ms,500ms,1s,2s,5s",
			"policy.retry.backoff.exponential.cap=5s,10s,20s,60s",
			"policy.retry.backoff.exponential.jitter=none,equal,full,decorrelated")
	} else {
		var waits []string
		for _, base := range []string{"250ms", "500ms", "1s", "2s"} {
			for _, jitter := range []string{"none", "full"} {
				waits = append(waits,
					fmt.Sprintf("{exponential: {base: %s, factor: 2, cap: 20s, jitter: %s}}", base, jitter))
			}
		}
		texts = append(texts, "policy.retry.backoff="+strings.Join(waits, ","))
	}
	texts = append(texts,
		"policy.retry.retry_after=ignore,in_full,{obey: up_to, limit: 60s, beyond: give_up}",
		"policy.retry.deadline="+times(p95, 2, 4, 8, 16),
		"policy.timeouts.attempt="+times(p95, 1, 2, 4, 8),
		"policy.gate.semaphore="+gates(t.Base),
	)
	if paces := paces(t.Base); paces != "" {
		texts = append(texts, "policy.pace="+paces)
	}
	var axes []scenario.Axis
	for _, text := range texts {
		axis, err := scenario.ParseAxis(text)
		if err != nil {
			return nil, err
		}
		if t.CheckPath(axis) == nil { // a client may have no place for it
			axes = append(axes, axis)
		}
	}
	return axes, nil
}

// typed are the seconds that people type.
var typed = []float64{1, 2, 3, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600, 900, 1200, 1800, 3600}

// times are multiples of some seconds, rounded up to what people type, and none.
func times(seconds float64, multiples ...float64) string {
	var out []string
	for _, m := range multiples {
		i, _ := slices.BinarySearch(typed, seconds*m)
		x := typed[min(i, len(typed)-1)]
		text := fmt.Sprintf("%gs", x)
		if x > 90 {
			text = format.Duration(time.Duration(x) * time.Second)
		}
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return strings.Join(append(out, "none"), ",")
}

// gates are limits of what an instance has under way: powers of two below its workers, its share of the provider's
// slots, and none.
func gates(s *scenario.Scenario) string {
	m := &s.Model
	workers := m.Workers
	if workers == 0 {
		workers = 128
	}
	var out []int
	for n := 1; n < workers; n *= 2 {
		if n*64 >= workers { // what is less starves most workers
			out = append(out, n)
		}
	}
	slots := int64(m.Provider.Capacity.Slots)
	for _, l := range m.Provider.Limits {
		if l.Resource.String() == "concurrency" && (slots == 0 || l.Amount < slots) {
			slots = l.Amount
		}
	}
	if share := int(slots) / max(1, m.Instances); share > 0 && share < workers {
		out = append(out, share)
	}
	slices.Sort(out)
	var texts []string
	for _, n := range slices.Compact(out) {
		texts = append(texts, strconv.Itoa(n))
	}
	return strings.Join(append(texts, "none"), ",")
}

// paces are no pacing and paces at what the tightest limit on requests admits, shared by all instances; empty where
// nothing limits requests.
func paces(s *scenario.Scenario) string {
	perSecond := math.Inf(1)
	for _, l := range s.Model.Provider.Limits {
		if l.Resource.String() == "requests" && l.Period > 0 && l.Period <= time.Minute {
			perSecond = min(perSecond, float64(l.Amount)/l.Period.Seconds())
		}
	}
	if math.IsInf(perSecond, 1) {
		return ""
	}
	own := perSecond / float64(max(1, s.Model.Instances))
	return fmt.Sprintf("none,{rate: %s/s},{rate: %s/s}", format.Number(own), format.Number(0.8*own))
}

// WithStart adds to each axis the value that the scenario has, where it is missing, and returns the point of the
// scenario as it stands.
func WithStart(t *scenario.Template, axes []scenario.Axis) ([]scenario.Axis, Point, error) {
	resolved, err := t.Base.Resolved()
	if err != nil {
		return nil, nil, err
	}
	out := slices.Clone(axes)
	start := make(Point, len(axes))
	for k, a := range axes {
		is := func(v scenario.Value) bool {
			s, err := t.With([]scenario.Axis{a}, []scenario.Value{v})
			if err != nil {
				return false
			}
			s.Model.Client.Name = t.Base.Model.Client.Name // which says whether a preset was changed
			same, err := sweep.Same(s, t.Base, resolved)
			return err == nil && same
		}
		at := slices.IndexFunc(a.Values, is)
		if at < 0 {
			value, err := presentValue(t, a.Path, is)
			if err != nil {
				return nil, nil, err
			}
			at = place(a.Values, value)
			out[k].Values = slices.Insert(slices.Clone(a.Values), at, value)
		}
		start[k] = at
	}
	return out, start, nil
}

// presentValue is the value that the scenario has at a path, as it is written, or that which leaves it.
func presentValue(t *scenario.Template, path string, is func(scenario.Value) bool) (scenario.Value, error) {
	var texts []string
	const longest = 60 // of what can be read in a table
	if text, err := t.Base.ValueAt(path); err == nil && len(text) <= longest {
		if item, ok := strings.CutPrefix(text, "["); ok { // a list of one
			texts = append(texts, strings.TrimSuffix(item, "]"))
		}
		texts = append(texts, text)
	}
	if field, err := scenario.FindField(path); err == nil && field.Default != "" {
		texts = append(texts, field.Default)
	}
	for _, text := range append(texts, "none", scenario.AsAbove) {
		axis, err := scenario.ParseAxis(path + "=" + text)
		if err == nil && len(axis.Values) == 1 && (text == scenario.AsAbove || is(axis.Values[0])) {
			return axis.Values[0], nil
		}
	}
	return scenario.Value{}, fmt.Errorf("%s: cannot write the value that the scenario has", path)
}

// place is where a value belongs among others: by its number; behind them if it is none.
func place(values []scenario.Value, v scenario.Value) int {
	x, ok := scenario.NumberOf(v.Label)
	if !ok {
		return len(values)
	}
	at, _ := slices.BinarySearchFunc(values, x, func(w scenario.Value, x float64) int {
		if y, ok := scenario.NumberOf(w.Label); ok {
			return cmp.Compare(y, x)
		}
		return 1 // none and unlimited stand behind the numbers
	})
	return at
}
