package report

import "slices"

// Knee is where more workers, or more load, begin to bring less than they take: the place on a line of points
// with the largest power, goodput²/x (L. Kleinrock, "Power and deterministic rules of thumb for probabilistic
// problems in computer communications", ICC 1979: throughput over response time, which by Little's law is
// goodput²/workers in a closed fleet). There the goodput that a further worker adds falls below half of what
// a worker has on average. From and To bound the knee with 95 % confidence: they are the first and the last of
// the places whose power cannot be told from the largest, by [BestSet]. A knee of curvature, or Kneedle's
// (V. Satopää and others, 2011), would move with the scale of the axis and with how far it goes.
type Knee struct {
	At, From, To int  // places of the line
	Reached      bool // power falls before the end of the line
}

// KneeOf finds the knee of the objective along points, which are at rising values x of an axis.
func KneeOf(line []*PointResult, x []float64) Knee {
	var powers []BestCandidate
	for i, p := range line {
		power := BestCandidate{Point: i, Replications: p.objective.Replications}
		for _, goodput := range p.objective.Values {
			power.Values = append(power.Values, goodput*goodput/x[i])
		}
		if x[i] > 0 {
			powers = append(powers, power)
		}
	}
	best := BestSet(powers, true, 0.95)
	if len(best) == 0 {
		return Knee{}
	}
	return Knee{At: best[0], From: slices.Min(best), To: slices.Max(best), Reached: best[0] < len(line)-1}
}
