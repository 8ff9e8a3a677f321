package report

import "testing"

// The knee has the largest goodput²/x. Five replications have spreads of -1, -1/2, 0, 1/2 and 1 around each mean,
// in another order at each place.
func TestKnee(t *testing.T) {
	line := func(spread float64, replications int, means []float64) (points []*PointResult) {
		for k, m := range means {
			p := &PointResult{Point: 10 + k}
			for r := range replications {
				p.objective.Replications = append(p.objective.Replications, r)
				p.objective.Values = append(p.objective.Values, m+spread*float64((r*7+k*3)%5-2)/2)
			}
			points = append(points, p)
		}
		return points
	}
	doubling := []float64{1, 2, 4, 8, 16}
	for _, c := range []struct {
		what         string
		spread       float64
		replications int
		means        []float64
		want         Knee
	}{
		// 100, 200, 400, 200, 100: a saturated server, whose knee is where it saturates.
		{"rises with x, then is flat", 0.01, 5, []float64{10, 20, 40, 40, 40}, Knee{2, 2, 2, true}},
		{"rises, then falls", 0.01, 5, []float64{10, 20, 40, 30, 5}, Knee{2, 2, 2, true}},
		// 100, 200, 400, 450, 312: half as much again for twice as many is worth it, 1.18 times as much is not.
		{"rises by half", 0.01, 5, []float64{10, 20, 40, 60, 70.7}, Knee{3, 3, 3, true}},
		{"rises with x to the end", 0.01, 5, []float64{10, 20, 40, 80, 160}, Knee{4, 4, 4, false}},
		{"flat throughout", 0.01, 5, []float64{40, 40, 40, 40, 40}, Knee{0, 0, 0, true}},
		// 100, 200, 400, 392, 49: where goodput has a standard deviation of 0.79 x 2, that of the power is up to
		// 2 x 40 x 1.58 / 4 = 32, that of a difference 45, and t(4) at 1.25 % is 3.5: differences of up to
		// 3.5 x 45 / sqrt(5) = 70 tell nothing.
		{"two are not told apart", 2, 5, []float64{10, 20, 40, 56, 28}, Knee{2, 2, 3, true}},
		{"one replication", 0, 1, []float64{10, 20, 40, 40, 40}, Knee{2, 0, 4, true}},
	} {
		if got := KneeOf(line(c.spread, c.replications, c.means), doubling); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.what, got, c.want)
		}
	}
	if got := KneeOf(line(0.01, 5, []float64{0, 10, 10}), []float64{0, 1, 2}); got.At != 1 {
		t.Errorf("from 0: %+v, want a knee at 1", got)
	}
}
