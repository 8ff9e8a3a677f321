package report

import (
	"fmt"
	"io"

	"stampede/internal/format"
	"stampede/measure"
)

// DeploymentValue is what one deployment did.
type DeploymentValue struct {
	Name                        string
	Metric                      string // the beginning of the names of its metrics
	Answered, Attempts, Refused measure.Estimate
}

// MarshalJSON implements json.Marshaler.
func (d DeploymentValue) MarshalJSON() ([]byte, error) {
	return format.JSON(struct {
		Name     string    `json:"name"`
		Metric   string    `json:"metric"`
		Answered jsonValue `json:"answered"`
		Attempts jsonValue `json:"attempts"`
		Refused  jsonValue `json:"refused_ratio"`
	}{d.Name, d.Metric, jsonOf(d.Answered), jsonOf(d.Attempts), jsonOf(d.Refused)})
}

// jsonValue is an estimate as JSON.
type jsonValue struct {
	Mean *float64    `json:"mean"`
	CI95 [2]*float64 `json:"ci95"`
}

func jsonOf(e measure.Estimate) jsonValue {
	return jsonValue{format.Finite(e.Mean), [2]*float64{format.Finite(e.Low), format.Finite(e.High)}}
}

// deploymentValues are those of deployments by name, from the estimates of metrics.
func deploymentValues(names []string, get func(metric string) measure.Estimate) (out []DeploymentValue) {
	for k, name := range names[:min(len(names), measure.OwnDeployments)] {
		of := func(what string) measure.Estimate { return get(measure.DeploymentMetric(k, what)) }
		out = append(out, DeploymentValue{
			name, fmt.Sprintf("deployment_%d", k+1), of("answered"), of("attempts"), of("refused_ratio")})
	}
	return out
}

// writeDeployments writes the table of deployments and returns the intervals in it.
func (r Report) writeDeployments(w io.Writer, l Layout) (spans string) {
	if len(r.Deployments) == 0 {
		return ""
	}
	cell := r.cells(&spans)
	t := table{head: []string{"deployment", "answered", "attempts", "share refused"}, left: 4}
	for _, d := range r.Deployments {
		t.add(d.Name, cell(d.Answered), cell(d.Attempts), cell(d.Refused))
	}
	t.ofNames(w, l)
	return spans
}

// ofNames writes the table below an empty line, with its names cut where the layout is too narrow.
func (t *table) ofNames(w io.Writer, l Layout) {
	if l.Width > 0 && !l.Wide {
		t.cut(0, 1, l.Width)
	}
	fmt.Fprintln(w)
	t.text(w, l)
}
