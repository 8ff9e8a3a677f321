package figures

import (
	"slices"
	"testing"

	"stampede/internal/testkit"
	"stampede/plots"
	"stampede/sweep"
)

// A call takes one second and a provider has 2 or 4 slots, so that up to as many workers answer 60 calls a minute
// each, and more cannot answer more: the power 60² w²/w rises up to 2 and 4 workers, and falls beyond. No replication
// differs from another. The goal on success is a line in its panel.
func TestKneeOfSlots(t *testing.T) {
	tpl := testkit.Template(t, `
name: slots
replications: 3
workload: {batch: {calls: 48}, prompt_tokens: 100, output_tokens: 10}
fleet: {workers: 1}
provider:
  round_trip: 0s
  limits: [{resource: concurrency, limit: 2}]
  latency: {first_token: 500ms, tokens_per_second: 20}
policy: no-retry
price: gpt-4o-mini
goals: [success_ratio>=99%]
sweep:
  provider.limits.0.limit: [2, 4]
  fleet.workers: [1, 2, 4, 8]
`)
	dir := t.TempDir() + "/s"
	plan := &sweep.Plan{Template: tpl, Reps: 3}
	if _, err := (&sweep.Sweep{Plan: plan, Dir: dir}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := &Drawing{Dir: dir, Kinds: []string{"knee"}, Format: "svg"}
	names, err := d.Draw()
	if err != nil || !slices.Equal(names, []string{"knee.svg"}) {
		t.Fatalf("drew %v, %v", names, err)
	}
	figure, err := d.knee()
	if err != nil {
		t.Fatal(err)
	}
	f := figure.(*plots.Panels)
	if want := []string{"2: knee at 2", "4: knee at 4"}; !slices.Equal(f.Series, want) {
		t.Errorf("series %q, want %q", f.Series, want)
	}
	if want := []plots.Mark{{Series: 0, X: 2}, {Series: 1, X: 4}}; !slices.Equal(f.Marks, want) {
		t.Errorf("marks %v, want %v", f.Marks, want)
	}
	if len(f.Panels) != 4 {
		t.Fatalf("%d panels, want 4", len(f.Panels))
	}
	if got := f.Panels[0].Series[0][1].Y; got < 119.9 || got > 120.1 {
		t.Errorf("2 workers answer %v calls a minute, want 120", got)
	}
	last := f.Panels[3]
	if want := []bool{false, false, true, true}; !slices.Equal(last.Ringed[0], want) {
		t.Errorf("ringed %v, want %v", last.Ringed[0], want)
	}
	if d.Y != d.metricName(d.c.Objective) || d.c.Metrics[d.c.Objective] != d.c.Metrics[d.metric("answered")] {
		t.Errorf("the knee leaves the drawing at %s", d.Y)
	}
	if names, err := (&Drawing{Dir: dir, Format: "svg"}).Draw(); err != nil || slices.Contains(names, "knee.svg") {
		t.Errorf("drew %v, %v without being asked for a knee", names, err)
	}
}
