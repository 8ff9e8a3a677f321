package measure

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"stampede/scenario"
	"stampede/sim"
)

// Quantiles of the gaps between recorded arrivals: exact up to 16,384 values, within the stated error
// beyond. The 455 gaps of the recording are taken once, and then at forty speeds, 18,200 values.
func TestQuantilesOfARecording(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "examples", "azure2023", "conv-2min.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	trace, _, err := scenario.ReadTrace(f, "conv-2min.csv",
		scenario.Trace{Columns: scenario.Columns{PromptTokens: "ContextTokens"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, speeds := range []int{1, 40} {
		var q sim.Quantiles
		gaps := []float64{}
		for speed := 1; speed <= speeds; speed++ {
			for i := range trace.At[1:] {
				gap := (trace.At[i+1] - trace.At[i]) / sim.Time(speed)
				q.Add(gap)
				gaps = append(gaps, gap.Seconds())
			}
		}
		allowed := 1e-9
		if len(gaps) > sim.ExactQuantiles {
			allowed = sim.QuantileError
		}
		slices.Sort(gaps)
		for _, p := range []float64{0.25, 0.5, 0.9, 0.99, 0.999} {
			want := gaps[int(math.Ceil(p*float64(len(gaps))))-1]
			if got := q.Quantile(p).Seconds(); math.Abs(got-want) > allowed*want+1e-9 {
				t.Errorf("%d values, p%g: %v, exact %v", len(gaps), 100*p, got, want)
			}
		}
	}
}
