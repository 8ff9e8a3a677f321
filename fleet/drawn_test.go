package fleet

import (
	"slices"
	"testing"

	"stampede/law"
)

// drawsCounted is a law that counts its draws.
type drawsCounted struct {
	law.Lognormal
	draws int
}

func (c *drawsCounted) Sample(u float64) float64 {
	c.draws++
	return c.Lognormal.Sample(u)
}

// A run that remembers sizes meets those that it would have drawn: it draws them once for each replication,
// whatever else the models differ in, and anew where the laws differ.
func TestDrawnSizes(t *testing.T) {
	prompt := &drawsCounted{Lognormal: law.Lognormal{Mu: 5, Sigma: 1}}
	output := law.Lognormal{Mu: 3, Sigma: 1}
	sizes := func(m Model, replication int) []Size {
		t.Helper()
		out := make([]Size, m.Workload.Calls)
		if _, err := m.Run(1, replication, each{call: func(c *Call) { out[c.ID] = c.Size }}); err != nil {
			t.Fatal(err)
		}
		return out
	}
	plain := herd(1000)
	plain.Workload.Sizes = Drawn{Prompt: prompt, Output: output, MaxTokens: 100}
	want := [][]Size{sizes(plain, 0), sizes(plain, 1)}
	remembering := plain
	remembering.Drawn = new(DrawnSizes)
	prompt.draws = 0
	for range 3 {
		for replication := range want {
			if got := sizes(remembering, replication); !slices.Equal(got, want[replication]) {
				t.Errorf("replication %d: other sizes than without remembering them", replication)
			}
		}
		remembering.Client.Retry.Attempts += 2 // another policy
	}
	if prompt.draws != 2*1000 {
		t.Errorf("%d prompts were drawn for 2 replications of 1,000 calls; want 2,000", prompt.draws)
	}
	shorter := remembering
	shorter.Workload.Sizes = Drawn{Prompt: prompt, Output: output, MaxTokens: 10}
	if got := sizes(shorter, 0); slices.Equal(got, want[0]) {
		t.Error("calls of another max_tokens have the sizes of the first")
	}
	mixed := func(share float64) Model {
		m := remembering
		long, short := m.Workload.Sizes, shorter.Workload.Sizes
		m.Workload.Kinds = []Kind{
			{Share: share, Sizes: long, Client: m.Client},
			{Share: 1 - share, Sizes: short, Client: m.Client},
		}
		return m
	}
	if slices.Equal(sizes(mixed(0.9), 0), sizes(mixed(0.1), 0)) {
		t.Error("workloads of other shares of two kinds have the same sizes")
	}
	prompt.draws = 2*1000 + 1000
	// Longer runs draw what the first did not get to, and beyond the bound nothing is remembered.
	longer := remembering
	longer.Workload.Calls = 1500
	if got := sizes(longer, 1); got[1499].Prompt == 0 || prompt.draws != 2*1000+1000+500 {
		t.Errorf("a run of 1,500 calls after one of 1,000: %d draws in all; want 3,500", prompt.draws)
	}
	remembering.Drawn.count = mostDrawn
	if sizes(remembering, 2); remembering.Drawn.count != 1000 || len(remembering.Drawn.of) != 1 {
		t.Errorf("%d sizes of %d replications are remembered after there was no room; want 1,000 of 1",
			remembering.Drawn.count, len(remembering.Drawn.of))
	}
}
