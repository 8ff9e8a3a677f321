package measure

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"stampede/internal/testkit"
)

// docs/validation.md tells how much narrower the interval of a policy difference is for
// being paired by seed, on the embedded scenario: its timeout of 60 s against
// one of 30 s, 30 replications each.
func TestPairedFactorOfTheDocument(t *testing.T) {
	replicate := func(seed, timeout string) []float64 {
		s := testkit.Embedded(t, "seed="+seed, "policy.timeouts.attempt="+timeout)
		runs, err := Replicator{}.Run(context.Background(), s, 0, 30)
		if err != nil {
			t.Fatal(err)
		}
		return Column(runs, Index("usd_per_1000_answers"))
	}
	half := func(a, b []float64) float64 {
		d := make([]float64, len(a))
		for i := range a {
			d[i] = a[i] - b[i]
		}
		return EstimateOf(d, 0.95).Half()
	}
	base := replicate("1", "60s")
	paired, unpaired := half(base, replicate("1", "30s")), half(base, replicate("2", "30s"))
	want := fmt.Sprintf("%.0f times narrower", unpaired/paired)
	text, err := os.ReadFile("../docs/validation.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), want) {
		t.Errorf("paired half-width %.3g USD, unpaired %.3g: docs/validation.md must say %q", paired, unpaired, want)
	}
}
