package measure

import (
	"fmt"
	"math"
	"strings"

	"stampede/fleet"
	"stampede/wire"
)

// Deployments as metrics, in the shape of those of limits: metrics for each place in the list of
// deployments, the provider itself the first.

// OwnDeployments is how many deployments have metrics of their own, in the order of [DeploymentNames].
const OwnDeployments = 12

// DeploymentNames lists the deployments of a model, the provider itself first; none where it is the
// only one.
func DeploymentNames(m *fleet.Model) []string {
	if m.Deployed == 0 {
		return nil
	}
	var names []string
	for i, p := range m.Providers()[:1+m.Deployed] {
		name := p.Name
		if name == "" {
			name = fmt.Sprintf("provider %d", i+1)
		}
		names = append(names, name)
	}
	return names
}

// deploymentTally counts what the measured fleets sent to a deployment.
type deploymentTally struct{ attempts, refused, answered uint64 }

func (d *deploymentTally) add(class wire.Class) {
	d.attempts++
	if class == wire.Throttled || class == wire.Overloaded {
		d.refused++
	}
}

// deployment is the value of the deployment in place k; NaN where there is none.
func (t *Tally) deployment(k int, of func(deploymentTally) float64) float64 {
	if k >= len(t.deployments) {
		return math.NaN()
	}
	return of(t.deployments[k])
}

// deployments lists the metrics of each deployment.
func deployments() (list []Metric) {
	for k := range OwnDeployments {
		add := func(what, unit, meaning string, better Direction, of func(deploymentTally) float64) {
			list = append(list, Metric{Name: DeploymentMetric(k, what), Unit: unit, Better: better,
				Meaning: fmt.Sprintf(meaning, k+1), Value: func(t *Tally) float64 { return t.deployment(k, of) }})
		}
		add("answered", "calls", "Calls answered by deployment %d", Neither,
			func(d deploymentTally) float64 { return float64(d.answered) })
		add("attempts", "attempts", "Attempts sent to deployment %d", Neither,
			func(d deploymentTally) float64 { return float64(d.attempts) })
		add("refused_ratio", "share", "Share of the attempts at deployment %d that got status 429, 503 or 529", Lower,
			func(d deploymentTally) float64 { return ratio(float64(d.refused), float64(d.attempts)) })
	}
	return list
}

// DeploymentMetric names a metric of the deployment in place k, from 0.
func DeploymentMetric(k int, what string) string { return fmt.Sprintf("deployment_%d_%s", k+1, what) }

// OfDeployments reports whether a metric is one that the table of deployments shows.
func OfDeployments(name string) bool { return strings.HasPrefix(name, "deployment_") }
