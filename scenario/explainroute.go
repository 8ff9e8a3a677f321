package scenario

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"stampede/fleet"
	"stampede/internal/format"
	"stampede/policy"
	"stampede/provider"
	"stampede/sim"
)

// What check says of several deployments.

// alone gives, for each deployment of a model, the model with that one as its provider; the model
// itself where there is only one.
func alone(m *fleet.Model) (out []fleet.Model) {
	for _, p := range m.Providers()[:1+m.Deployed] {
		one := *m
		one.Provider, one.Deployed = *p, 0
		out = append(out, one)
	}
	return out
}

// explainDeployments lists the further deployments, each with what it is and does not have from provider.
func (s *Scenario) explainDeployments() (lines []string) {
	m := &s.Model
	for i, to := range m.Deployments {
		p := &m.Others[i]
		text := "Deployment: " + describeProvider(*p)
		slower := p.Capacity.Batching == nil && !reflect.DeepEqual(p.Latency, m.Provider.Latency)
		if p.RoundTrip != m.Provider.RoundTrip && !slower {
			text += fmt.Sprintf("; round trip %v", shortDuration(p.RoundTrip))
		}
		if to.Weight != 1 {
			text += "; weight " + number(to.Weight)
		}
		text += describeQuality(to.Quality)
		if to.Price.String() != m.Price.String() {
			text += fmt.Sprintf("; %v", to.Price)
		}
		text += "."
		if slower {
			text += " " + explainSpeed(p)
		}
		if !reflect.DeepEqual(p.Faults, m.Provider.Faults) {
			for _, f := range p.Faults {
				text += fmt.Sprintf(" Fault: %s.", f.Describe())
			}
		}
		lines = append(lines, text)
	}
	if m.Deployed > 0 {
		lines = append(lines, fmt.Sprintf("In all %d deployments; attempts are routed %s.", 1+m.Deployed,
			m.Client.Route.By.Meaning()))
	}
	return lines
}

// describeQuality says what the answers of a target are worth, where it differs.
func describeQuality(q float64) string {
	if q == 1 {
		return ""
	}
	return "; quality " + format.Percent(q)
}

// routeNotes note parts of a policy that do not do over the deployments what they seem to.
func routeNotes(m *fleet.Model, f *fleet.Fleet, whose string) (notes []string) {
	r := &f.Client.Route
	if c := r.Cooldown; c.Minimum > 0 && c.Share == 0 {
		notes = append(notes, fmt.Sprintf("route.cooldown.minimum%s has no effect without share: a number of failures "+
			"starts a cooldown whatever the number of results", whose))
	}
	if m.Deployed == 0 {
		if r.By != policy.RouteRandom || r.Retry != policy.RetryAnew {
			notes = append(notes, fmt.Sprintf("policy.route%s chooses from one deployment: "+
				"set deployments or keys", whose))
		}
		return notes
	}
	if f.Client.Pacer.Headers.On {
		notes = append(notes, fmt.Sprintf("pace.headers%s takes the counters of all deployments for those of one: "+
			"it paces to the quota of one of them", whose))
	}
	by := r.By
	limited := func(p *provider.Config) bool { return len(p.Limits) > 0 }
	if by == policy.RouteMostQuota && !slices.ContainsFunc(m.Providers()[:1+m.Deployed], limited) {
		notes = append(notes, fmt.Sprintf("no deployment has a limit, so route.by %v%s chooses at random", by, whose))
	}
	ignored := by == policy.RouteRoundRobin || by == policy.RouteMostQuota || by == policy.RouteFirst
	if ignored && slices.ContainsFunc(f.Deployments, func(to fleet.Target) bool { return to.Weight != 1 }) {
		notes = append(notes, fmt.Sprintf("the weights of deployments have no effect with route.by %v%s", by, whose))
	}
	return notes
}

// allParts are the parts that the calls meet. Those of several deployments are one part, which lets
// through what the tightest part of each lets through, all together.
func (s *Scenario) allParts(fleets []averages) []part {
	m := &s.Model
	if m.Deployed == 0 {
		return s.parts(fleets)
	}
	client := *s
	client.Model.Provider = provider.Config{}
	together := part{what: fmt.Sprintf("%d deployments together", 1+m.Deployed), scale: time.Minute}
	var each [][]part
	var last provider.Config
	for i, one := range alone(m) {
		one.Workers, one.Client.Gate.Semaphore = 0, 0
		config := one.Provider
		config.Name = ""
		if i == 0 || !reflect.DeepEqual(config, last) { // else like the one before
			own := *s
			own.Model = one
			averages := make([]averages, len(fleets))
			for k := range averages {
				averages[k] = average(&one, k)
			}
			each = append(each, own.parts(averages))
		} else {
			each = append(each, each[i-1])
		}
		last = config
		if len(each[i]) == 0 {
			return client.parts(fleets) // it bounds nothing
		}
		rate := each[i][0].rate
		for _, p := range each[i] {
			rate = min(rate, p.rate)
		}
		together.rate += rate
	}
	together.most = func(from, to sim.Time) (sum float64) {
		for _, parts := range each {
			most := parts[0].most(from, to)
			for _, p := range parts {
				most = min(most, p.most(from, to))
			}
			sum += most
		}
		return sum
	}
	together.least = func(calls float64) time.Duration {
		low, high := time.Duration(0), sim.Time(sim.End)
		if together.most(0, high) < calls {
			return sim.Never
		}
		for high-low > time.Millisecond {
			if middle := low + (high-low)/2; together.most(0, middle) >= calls {
				high = middle
			} else {
				low = middle
			}
		}
		return high
	}
	return append([]part{together}, client.parts(fleets)...)
}
