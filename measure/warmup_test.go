package measure

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"stampede/internal/testkit"
	"stampede/sim"
)

func TestMSER(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	transient, noise := make([]float64, 2000), make([]float64, 2000)
	for i := range transient {
		noise[i] = random.NormFloat64()
		transient[i] = 50*math.Exp(-float64(i)/40) + noise[i]
	}
	// At 250 the transient has fallen to 0.1, a tenth of the noise.
	if cut := MSER(transient); cut < 100 || cut > 500 {
		t.Errorf("cut at %d, want 100 to 500", cut)
	}
	if cut := MSER(noise); cut > 500 {
		t.Errorf("cut %d of pure noise", cut)
	}
	if MSER(nil) != 0 || MSER([]float64{1, 2, 3}) != 0 {
		t.Error("nothing to cut from nothing")
	}
}

// A queue that starts empty at high load: the warm-up found is stated as a
// metric, and the mean without it is nearer to the truth, W = 2 s at lambda 9.5,
// mu 10.
func TestWarmupIsFound(t *testing.T) {
	const text = `
name: mm1
workload: {open: {rate: 9.5/s, calls: 4000}, prompt_tokens: 1, output_tokens: 1}
provider: {latency: {first_token: {exponential: {mean: 100ms}}}}
policy: {gate: {semaphore: 1}}
`
	mean := func(set ...string) (latency, warmup float64) {
		s := testkit.Template(t, text, set...).Base
		runs, err := Replicator{}.Run(context.Background(), s, 0, 30)
		if err != nil {
			t.Fatal(err)
		}
		return EstimateOf(
			Column(runs, Index("latency_mean_s")),
			0.95,
		).Mean, EstimateOf(Column(runs, Index("warmup_s")), 0.95).Mean
	}
	cold, none := mean()
	warm, found := mean("warmup=auto")
	if none != 0 || found <= 0 || math.Abs(warm-2) >= math.Abs(cold-2) {
		t.Errorf("mean %.3f s cold, %.3f s after a warm-up of %.1f s; truth 2 s", cold, warm, found)
	}
}

// The warm-up is that of the fleet that is measured, and of the latest where all are. The main
// fleet has none: each of its calls takes as long. The other one starts empty at high load.
func TestWarmupIsThatOfTheMeasuredFleet(t *testing.T) {
	const text = `
name: two
workload: {open: {rate: 2/s, calls: 800}, prompt_tokens: 1, output_tokens: 1}
fleet: {name: steady}
provider: {latency: {first_token: 100ms}}
other_fleets:
  - fleet: {name: queueing}
    workload: {open: {rate: 9.5/s, calls: 4000}, prompt_tokens: 1, output_tokens: 1}
    policy: {gate: {semaphore: 1}}
`
	found := map[string]sim.Time{}
	for _, measure := range []string{"steady", "queueing", "all"} {
		at, err := FindWarmup(t.Context(), testkit.Template(t, text, "measure="+measure).Base)
		if err != nil {
			t.Fatal(err)
		}
		found[measure] = at
	}
	if found["steady"] != 0 || found["queueing"] <= 0 || found["all"] != found["queueing"] {
		t.Errorf("found %v; want none for the steady one, some for the queueing one, and for all the same", found)
	}
}
