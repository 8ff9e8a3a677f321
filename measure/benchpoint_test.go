package measure

import (
	"testing"

	"stampede/fleet"
	"stampede/internal/testkit"
)

// BenchmarkPoint is one replication of 1,000 calls with all its metrics.
func BenchmarkPoint(b *testing.B) {
	s := testkit.Embedded(b, "workload.batch.calls=1000")
	b.ReportAllocs()
	for i := range b.N {
		tally := NewTally(s, 0)
		summary, err := s.Model.Run(1, i, fleet.Listeners{tally})
		if err != nil {
			b.Fatal(err)
		}
		tally.finish(&summary)
		tally.Values()
	}
}
