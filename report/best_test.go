package report

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestBestSetDirection(t *testing.T) {
	three := []int{0, 1, 2}
	all := []BestCandidate{
		{0, three, []float64{1, 2, 3}},
		{1, three, []float64{11, 12, 13}},
		{2, []int{0}, []float64{math.NaN()}},
	}
	if got := BestSet(all, true, 0.95); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("higher is better: %v", got)
	}
	if got := BestSet(all[:2], false, 0.95); !slices.Equal(got, []int{0}) {
		t.Errorf("lower is better: %v", got)
	}
}

// The best set holds the truly best of twelve points in at least 95 % of 500
// repeats, in the hardest case, where the others are as good or a hair worse,
// and it still tells a clearly worse one off.
func TestBestSetHoldsTheBest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	held, cleared := 0, 0
	for range 500 {
		var all []BestCandidate
		common := make([]float64, 30) // what the points of one seed share
		for r := range common {
			common[r] = random.NormFloat64()
		}
		for p := range 12 {
			mean := 0.0
			switch {
			case p == 0:
				mean = 0.001
			case p == 11:
				mean = -2
			}
			c := BestCandidate{Point: p}
			for r := range 30 {
				c.Replications = append(c.Replications, r)
				c.Values = append(c.Values, mean+common[r]+random.NormFloat64())
			}
			all = append(all, c)
		}
		best := BestSet(all, true, 0.95)
		if slices.Contains(best, 0) {
			held++
		}
		if !slices.Contains(best, 11) {
			cleared++
		}
	}
	if held < 475 || cleared < 475 {
		t.Errorf("held the best in %d and cleared the worst in %d of 500, want 475 each", held, cleared)
	}
}

// Pairs are of one replication. The first is better than the second by 1, 0.8 and 1.1 where both have
// a value: mean 0.967, t(2, 95 %) s/sqrt(3) = 2.92 x 0.153 / 1.73 = 0.258, so the second is out, though it lacks
// replication 1 and its mean is higher for that (25.7 against 25). The third has one replication in
// common with the first and stays.
func TestBestSetPairsReplications(t *testing.T) {
	all := []BestCandidate{
		{
			1,
			[]int{0, 2, 3},
			[]float64{9, 29.2, 38.9},
		}, {0, []int{0, 1, 2, 3}, []float64{10, 20, 30, 40}}, {2, []int{3, 4, 5}, []float64{1, 2, 3}},
	}
	if got := BestSet(all[:2], true, 0.95); !slices.Equal(got, []int{0}) {
		t.Errorf("two: %v, want the point 0", got)
	}
	if got := BestSet(all, true, 0.95); !slices.Contains(got, 0) || !slices.Contains(got, 2) {
		t.Errorf("three: %v, want the points 0 and 2", got)
	}
}
