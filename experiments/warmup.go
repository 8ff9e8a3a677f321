package experiments

import (
	"context"

	"stampede/fleet"
	"stampede/scenario"
	"stampede/sim"
)

// pilotRuns is how many replications the warm-up is found from.
const pilotRuns = 5

// FindWarmup finds the warm-up of a scenario from pilot replications: their
// latencies, averaged call by call in the order of arrival, are cut where
// [MSER] says, and the warm-up ends at the mean instant at which that call
// arrived, at the latest half-way to the trigger.
func FindWarmup(ctx context.Context, s *scenario.Scenario) (sim.Time, error) {
	var pilots [pilotRuns]pilot
	for i := range pilots {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if _, err := s.Model.Run(s.Seed, i, &pilots[i]); err != nil {
			return 0, err
		}
	}
	n := len(pilots[0].latency)
	for _, p := range pilots {
		n = min(n, len(p.latency))
	}
	mean := make([]float64, n)
	for i := range mean {
		for _, p := range pilots {
			mean[i] += p.latency[i] / pilotRuns
		}
	}
	cut := MSER(mean)
	var at sim.Time
	if cut > 0 {
		for _, p := range pilots {
			at += p.arrived[cut] / pilotRuns
		}
	}
	if w, ok := s.Trigger(); ok { // what the trigger does is no transient of the start
		at = min(at, w.Start/2)
	}
	return at, nil
}

// pilot keeps the latency and the arrival of each call by its number.
type pilot struct {
	only    int // the fleet that is measured; negative means the main one
	latency []float64
	arrived []sim.Time
}

func (p *pilot) Attempt(*fleet.Attempt) {}

func (p *pilot) Call(c *fleet.Call) {
	if int(c.Fleet) != max(0, p.only) {
		return
	}
	for uint64(len(p.latency)) <= c.ID {
		p.latency, p.arrived = append(p.latency, 0), append(p.arrived, 0)
	}
	p.latency[c.ID], p.arrived[c.ID] = c.Latency().Seconds(), c.Arrived
}

// MSER is how many observations to drop from the front of a series by MSER-5
// (White, Cobb and Spratt, "A comparison of five steady-state truncation
// heuristics for simulation", WSC 2000): over means of five, the d that makes
// the estimated variance of the mean of the rest,
//
//	sum over i > d of (x_i - mean_d)^2 / (n-d)^2,
//
// least, d at most half of the series.
func MSER(series []float64) int {
	const batch = 5
	var x []float64
	for i := 0; i+batch <= len(series); i += batch {
		sum := 0.0
		for _, v := range series[i : i+batch] {
			sum += v
		}
		x = append(x, sum/batch)
	}
	best, least := 0, 0.0
	var tail sim.Moments // grows from the back
	for d := len(x) - 1; d >= 0; d-- {
		tail.Add(x[d])
		if n := float64(tail.Count()); d <= len(x)/2 && n > 1 {
			if z := tail.Variance() * (n - 1) / (n * n); d == len(x)/2 || z <= least {
				best, least = d, z
			}
		}
	}
	return best * batch
}
