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

// Quantiles of the Azure traces: exact up to 16,384 values, within the stated
// error beyond.
func TestQuantilesOfTheAzureTraces(t *testing.T) {
	for _, name := range []string{"code", "conv"} {
		path := filepath.Join("..", "..", "shared", "traces", "azure2023", "AzureLLMInferenceTrace_"+name+".csv")
		f, err := os.Open(path)
		if os.IsNotExist(err) {
			t.Skipf("%s is not beside this checkout", path)
		}
		trace, _, err := scenario.ReadTrace(f, name,
			scenario.Trace{Columns: scenario.Columns{PromptTokens: "ContextTokens"}})
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		var q sim.Quantiles
		gaps := []float64{}
		for i := range trace.At[1:] {
			gap := trace.At[i+1] - trace.At[i]
			q.Add(gap)
			gaps = append(gaps, gap.Seconds())
		}
		slices.Sort(gaps)
		for _, p := range []float64{0.25, 0.5, 0.9, 0.99, 0.999} {
			want := gaps[int(math.Ceil(p*float64(len(gaps))))-1]
			if got := q.Quantile(p).Seconds(); math.Abs(got-want) > sim.QuantileError*want+1e-6 {
				t.Errorf("%s p%g: %v, exact %v", name, 100*p, got, want)
			}
		}
	}
}
