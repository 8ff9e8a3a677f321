package measure

import (
	"fmt"
	"io"
	"strings"

	"stampede/internal/format"
)

//go:generate go run ../cmd/stampede metrics --markdown --out ../docs/metrics.md

// Described lists the metrics that documentation describes one by one: all but those of the second
// and of further limits, deployments and kinds of calls, which are like those of the first.
func Described() (list []Metric) {
	for _, m := range registry {
		if !strings.HasPrefix(m.Name, "limit_") && !OfDeployments(m.Name) && !OfKinds(m.Name) ||
			strings.HasPrefix(m.Name, LimitMetric(0, "")) || strings.HasPrefix(m.Name, DeploymentMetric(0, "")) ||
			strings.HasPrefix(m.Name, KindMetric(0, "")) {
			list = append(list, m)
		}
	}
	return list
}

// ManyLimits, ManyDeployments and ManyKinds say which metrics Described leaves out.
var (
	ManyLimits = fmt.Sprintf(
		"limit_1 is the first limit in the scenario; limit_2 to limit_%d have the same metrics", OwnMetrics)
	ManyDeployments = fmt.Sprintf("deployment_1 is the provider itself, then come its further keys and the "+
		"deployments; deployment_2 to deployment_%d have the same metrics", OwnDeployments)
	ManyKinds = fmt.Sprintf("kind_1 is the first kind of workload.mix; kind_2 to kind_%d have the same metrics",
		OwnKinds)
)

// Reference writes the documentation of all metrics in Markdown.
func Reference(w io.Writer) {
	fmt.Fprint(w, `# Metrics

Every run has one value of each metric. Tables print its mean over the replications with a 95 %
confidence interval; `+"`results.csv`"+` holds the value of each replication, and an empty field where a
run does not have the metric. `+"`stampede metrics NAME`"+` prints the same in a terminal. The page is
generated: `+"`go generate ./measure`"+`.

What a metric covers:

`)
	for _, b := range []Basis{PerCall, PerTime, PerRun} {
		fmt.Fprintf(w, "- %s: %s\n", b, b.Meaning())
	}
	fmt.Fprintf(w, "\nOf the limits, %s. Of deployments, %s. Of kinds of\ncalls, %s.\n", ManyLimits, ManyDeployments,
		ManyKinds)
	group := ""
	for _, m := range Described() {
		if m.Group != group {
			group = m.Group
			fmt.Fprintf(w, "\n## %s\n\n| Metric | Unit | Better | Covers | Meaning |\n|---|---|---|---|---|\n",
				strings.ToUpper(group[:1])+group[1:])
		}
		fmt.Fprintf(w, "| `%s` | %s | %s | %s | %s |\n", m.Name, m.Unit, m.Better, m.Of, format.Markdown(m.Meaning))
	}
}
