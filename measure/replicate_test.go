package measure

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"stampede/fleet"
	"stampede/internal/testkit"
)

func TestFailedReplicationIsNamed(t *testing.T) {
	s := testkit.Embedded(t, "event_budget=100")
	_, err := Replicator{Jobs: 1}.Run(context.Background(), s, 0, 3)
	if err == nil || !strings.Contains(err.Error(), "replication 0: event budget spent: 100 events") {
		t.Errorf("got %v", err)
	}
}

func TestInterruptKeepsWhatFinished(t *testing.T) {
	s := testkit.Embedded(t, "workload.batch.calls=50")
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	runs, err := Replicator{Jobs: 2, Done: func(Run) {
		if n++; n == 5 {
			cancel()
		}
	}}.Run(ctx, s, 0, 1000)
	if !errors.Is(err, context.Canceled) || len(runs) < 5 || len(runs) > 7 {
		t.Errorf("%d runs kept, %v; want those that finished and a cancelled context", len(runs), err)
	}
	whole, err := Replicator{}.Run(context.Background(), s, 0, len(runs))
	if err != nil {
		t.Fatal(err)
	}
	for i, run := range runs {
		if run.Replication != whole[i].Replication || !equalValues(run.Values, whole[i].Values) {
			t.Errorf("replication %d differs from that of a whole run", run.Replication)
		}
	}
}

func equalValues(a, b []float64) bool {
	for i := range a {
		if a[i] != b[i] && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) {
			return false
		}
	}
	return true
}

// The panic of a listener, which is called while the model runs, is the error of its replication.
func TestPanicNamesItsReplication(t *testing.T) {
	_, err := Replicator{Jobs: 1, Listen: func(replication int) fleet.Listener {
		if replication == 1 {
			return nil // so that the first record panics
		}
		return fleet.Listeners{}
	}}.Run(t.Context(), testkit.Template(t, testkit.Small).Base, 0, 2)
	if err == nil || !strings.HasPrefix(err.Error(), "replication 1: panic: runtime error: ") ||
		!strings.Contains(err.Error(), "(fleet/") {
		t.Error(err)
	}
}
