package report

import (
	"fmt"
	"io"

	"stampede/internal/format"
	"stampede/measure"
)

// KindValue is what became of one kind of calls.
type KindValue struct {
	Name                                  string
	Metric                                string // the beginning of the names of its metrics
	Calls, Answered, Success, Median, P95 measure.Estimate
}

// MarshalJSON implements json.Marshaler.
func (k KindValue) MarshalJSON() ([]byte, error) {
	return format.JSON(struct {
		Name     string    `json:"name"`
		Metric   string    `json:"metric"`
		Calls    jsonValue `json:"calls"`
		Answered jsonValue `json:"answered"`
		Success  jsonValue `json:"success_ratio"`
		Median   jsonValue `json:"latency_p50_s"`
		P95      jsonValue `json:"latency_p95_s"`
	}{k.Name, k.Metric, jsonOf(k.Calls), jsonOf(k.Answered), jsonOf(k.Success), jsonOf(k.Median), jsonOf(k.P95)})
}

// kindValues are those of kinds by name, from the estimates of metrics.
func kindValues(names []string, get func(metric string) measure.Estimate) (out []KindValue) {
	for k, name := range names[:min(len(names), measure.OwnKinds)] {
		of := func(what string) measure.Estimate { return get(measure.KindMetric(k, what)) }
		out = append(out, KindValue{name, fmt.Sprintf("kind_%d", k+1), of("calls"), of("answered"),
			of("success_ratio"), of("latency_p50_s"), of("latency_p95_s")})
	}
	return out
}

// writeKinds writes the table of kinds of calls and returns the intervals in it.
func (r Report) writeKinds(w io.Writer, l Layout) (spans string) {
	if len(r.Kinds) == 0 {
		return ""
	}
	cell := r.cells(&spans)
	t := table{head: []string{"kind", "calls", "answered", "p95 s"}, left: 4}
	for _, k := range r.Kinds {
		t.add(k.Name, cell(k.Calls), cell(k.Answered), cell(k.P95))
	}
	t.ofNames(w, l)
	return spans
}
