package report

import (
	"fmt"
	"io"
	"strings"

	"stampede/internal/format"
	"stampede/measure"
	"stampede/provider"
)

// LimitValue is the use and the refusals of one limit.
type LimitValue struct {
	Name    string
	Metric  string            // the beginning of the names of its metrics
	Used    *measure.Estimate // nil for slots, max_request and errors of a gateway
	Refused measure.Estimate
}

// MarshalJSON implements json.Marshaler.
func (l LimitValue) MarshalJSON() ([]byte, error) {
	out := struct {
		Name    string     `json:"name"`
		Metric  string     `json:"metric"`
		Used    *jsonValue `json:"used_ratio,omitempty"`
		Refused jsonValue  `json:"refused"`
	}{Name: l.Name, Metric: l.Metric, Refused: jsonOf(l.Refused)}
	if l.Used != nil {
		used := jsonOf(*l.Used)
		out.Used = &used
	}
	return format.JSON(out)
}

// limitValues are those of limits by name, from the estimates of metrics.
func limitValues(names []string, get func(metric string) measure.Estimate) []LimitValue {
	var out []LimitValue
	for k, name := range names {
		if k == measure.OwnMetrics {
			break
		}
		used := get(measure.LimitMetric(k, "used_ratio"))
		out = append(out,
			LimitValue{name, fmt.Sprintf("limit_%d", k+1), &used, get(measure.LimitMetric(k, "refused"))})
	}
	if e := get("slots_refused"); e.N > 0 {
		out = append(out, LimitValue{provider.Slots, provider.Slots, nil, e})
	}
	if e := get("max_request_refused"); e.N > 0 {
		out = append(out, LimitValue{provider.Oversize, provider.Oversize, nil, e})
	}
	if e := get("gateway_refused"); e.N > 0 {
		out = append(out, LimitValue{provider.GatewayErrors, "gateway", nil, e})
	}
	return out
}

// mostRefused is the limit that refused most, nil when none did.
func mostRefused(limits []LimitValue) *LimitValue {
	var out *LimitValue
	for i := range limits {
		if l := &limits[i]; l.Refused.Mean > 0 && (out == nil || l.Refused.Mean > out.Refused.Mean) {
			out = l
		}
	}
	return out
}

func nameOf(l *LimitValue) string {
	if l == nil {
		return ""
	}
	return l.Name
}

func namesOf(limits []LimitValue) []string {
	var names []string
	for _, l := range limits {
		if l.Used != nil {
			names = append(names, l.Name)
		}
	}
	return names
}

// refusedMost names the limit that refused most, with how many attempts, for a table.
func refusedMost(limits []LimitValue) string {
	if l := mostRefused(limits); l != nil {
		return fmt.Sprintf("%s (%s)", l.Name, format.Number(l.Refused.Mean))
	}
	return "none"
}

// writeLimits writes the table of limits and returns the intervals in it.
func (r Report) writeLimits(w io.Writer, l Layout) (spans string) {
	if len(r.Limits) == 0 {
		return ""
	}
	cell := r.cells(&spans)
	t := table{head: []string{"limit", "share used", "attempts refused"}, left: 3}
	for _, limit := range r.Limits {
		used := ""
		if limit.Used != nil {
			used = cell(*limit.Used)
		}
		t.add(limit.Name, used, cell(limit.Refused))
	}
	t.ofNames(w, l)
	return spans
}

// cells writes estimates as cells of a table and adds their intervals to spans.
func (r Report) cells(spans *string) func(measure.Estimate) string {
	return func(e measure.Estimate) string {
		span := measure.Interval(e, r.random)
		*spans += span + "\n"
		return strings.TrimRight(format.Number(e.Mean)+"  "+span, " ")
	}
}
