package measure

import (
	"context"

	"stampede/fleet"
	"stampede/scenario"
	"stampede/sim"
)

// pilotRuns is how many replications the warm-up is found from.
const pilotRuns = 5

// FindWarmup finds the warm-up of a scenario from pilot replications, for the fleet
// that is measured or for all: the latencies of a fleet, averaged call by call in the
// order of arrival, are cut where [MSER] says, and its warm-up ends at the mean instant
// at which that call arrived. The latest of the measured fleets counts, at the latest
// half-way to the trigger.
func FindWarmup(ctx context.Context, s *scenario.Scenario) (sim.Time, error) {
	var pilots [pilotRuns]pilot
	fleets := len(s.Model.Fleets())
	for i := range pilots {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		pilots[i] = make(pilot, fleets)
		if _, err := s.Model.Run(s.Seed, i, pilots[i]); err != nil {
			return 0, err
		}
	}
	var at sim.Time
	for f := range fleets {
		if only := s.Measured(); only < 0 || only == f {
			at = max(at, warmupOfFleet(&pilots, f))
		}
	}
	if w, ok := s.Trigger(); ok { // what the trigger does is no transient of the start
		at = min(at, w.Start/2)
	}
	return at, nil
}

// warmupOfFleet is the warm-up that the calls of one fleet show.
func warmupOfFleet(pilots *[pilotRuns]pilot, f int) (at sim.Time) {
	n := len(pilots[0][f])
	for _, p := range pilots {
		n = min(n, len(p[f]))
	}
	mean := make([]float64, n)
	for i := range mean {
		for _, p := range pilots {
			mean[i] += p[f][i].latency / pilotRuns
		}
	}
	if cut := MSER(mean); cut > 0 {
		for _, p := range pilots {
			at += p[f][cut].arrived / pilotRuns
		}
	}
	return at
}

// pilot keeps the latency, in seconds, and the arrival of each call, by fleet and number.
type pilot [][]pilotCall

type pilotCall struct {
	latency float64
	arrived sim.Time
}

func (p pilot) Attempt(*fleet.Attempt) {}

func (p pilot) Call(c *fleet.Call) {
	calls := &p[c.Fleet]
	for uint64(len(*calls)) <= c.ID {
		*calls = append(*calls, pilotCall{})
	}
	(*calls)[c.ID] = pilotCall{c.Latency().Seconds(), c.Arrived}
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
