package fleet

import (
	"reflect"

	"stampede/sim"
)

// DrawnSizes remembers the sizes that runs drew, for later runs that would draw the same: of the same laws
// under the same seed and replication, as at the points of a sweep. Those of several kinds of calls it does
// not remember. The zero DrawnSizes is empty. Runs at the same time must not share one.
type DrawnSizes struct {
	of    map[drawing][]Size // of calls 0, 1, ...
	count int
}

// drawing is all that the sizes of a fleet's calls follow from.
type drawing struct {
	sizes Drawn
	key   sim.Key
}

// mostDrawn is how many sizes are remembered, of 20 bytes each.
const mostDrawn = 1 << 19

// before gives a fleet the sizes that are known of its calls and room to remember more. When there
// is none left, all others are forgotten.
func (d *DrawnSizes) before(g *group) {
	sizes, ok := g.Workload.Sizes.(Drawn)
	if d == nil || !ok || len(g.Workload.Kinds) > 0 || !reflect.ValueOf(sizes).Comparable() {
		return
	}
	if g.drawn = d.of[drawing{sizes, g.prompts}]; g.drawn == nil && d.count >= mostDrawn {
		*d = DrawnSizes{}
	}
	g.remembers = len(g.drawn) + mostDrawn - d.count
}

// after keeps what a fleet has drawn.
func (d *DrawnSizes) after(g *group) {
	if g.remembers == 0 {
		return
	}
	if d.of == nil {
		d.of = map[drawing][]Size{}
	}
	of := drawing{g.Workload.Sizes.(Drawn), g.prompts}
	d.count += len(g.drawn) - len(d.of[of])
	d.of[of] = g.drawn
}

// size is that of call k, whose kind has such sizes. Calls come in order.
func (g *group) size(k uint64, sizes Sizes) Size {
	if k < uint64(len(g.drawn)) {
		return g.drawn[k]
	}
	s := sizes.Size(k, Luck{g.prompts.Uniform(k, 0), g.outputs.Uniform(k, 0), g.reasoning.Uniform(k, 0)})
	if len(g.drawn) < g.remembers {
		g.drawn = append(g.drawn, s)
	}
	return s
}
