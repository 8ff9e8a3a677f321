package fleet

import (
	"slices"

	"stampede/backend"
	"stampede/law"
	"stampede/policy"
)

// Kind is one of several kinds of calls of a workload, such as classifications and summaries. They come in one
// stream and share instances and workers; each has sizes and timeouts of its own.
type Kind struct {
	Name     string
	Share    float64 // of the calls; those of all kinds add up to 1
	Sizes    Sizes
	Patience law.Law // seconds from arrival after which the caller leaves; nil means never
	Priority int     // at a gate by priority, in place of that of the fleet
	// Client is what is done for a call of the kind: Fleet.Client with other Timeouts, and a Retry.Deadline that
	// follows from them. What the instances remember is that of Fleet.Client.
	Client policy.Client
}

// MaxKinds is how many kinds of calls a workload may have.
const MaxKinds = 8

// KindOf is the kind of a call with a uniform number of its own: number i where that is among the shares of the
// first i + 1 kinds and not of the first i. A share that grows takes calls from its neighbours only.
func (w *Workload) KindOf(u float64) int {
	last := len(w.Kinds) - 1
	for i := range last {
		if u -= w.Kinds[i].Share; u < 0 {
			return i
		}
	}
	return max(0, last)
}

// KindName is the name of a kind; empty where there are none.
func (w *Workload) KindName(kind int32) string {
	if len(w.Kinds) == 0 {
		return ""
	}
	return w.Kinds[kind].Name
}

// HasKinds reports whether any fleet has several kinds of calls.
func (m *Model) HasKinds() bool {
	for _, f := range m.Fleets() {
		if len(f.Workload.Kinds) > 0 {
			return true
		}
	}
	return false
}

// Leaves reports whether callers have a patience.
func (w *Workload) Leaves() bool {
	return w.Patience != nil || slices.ContainsFunc(w.Kinds, func(k Kind) bool { return k.Patience != nil })
}

// Alone is the fleet with calls of one of its kinds only.
func (f *Fleet) Alone(k Kind) Fleet {
	one := *f
	one.Workload.Kinds, one.Workload.Sizes, one.Workload.Patience, one.Client = nil, k.Sizes, k.Patience, k.Client
	return one
}

// kind is a kind of calls at work; a workload without kinds has one.
type kind struct {
	sizes    Sizes
	patience law.Law
	client   *policy.Client
	rank     uint16          // at a gate by priority
	terms    []backend.Terms // by target
}

// newKinds are those of a fleet.
func newKinds(f *Fleet) []kind {
	kinds := []kind{{sizes: f.Workload.Sizes, patience: f.Workload.Patience, client: &f.Client}}
	if n := len(f.Workload.Kinds); n > 0 {
		kinds = make([]kind, n)
		for i := range kinds {
			k := &f.Workload.Kinds[i]
			kinds[i] = kind{sizes: k.Sizes, patience: k.Patience, client: &k.Client}
		}
	}
	for i := range kinds {
		t := &kinds[i].client.Timeouts
		for to := range f.Targets() {
			kinds[i].terms = append(kinds[i].terms, backend.Terms{
				Price: f.target(uint8(to)).Price, Connect: t.Connect, Stream: f.Workload.Stream,
				Watched:  f.Workload.Stream && (t.FirstByte > 0 || t.Gap > 0),
				Lifetime: f.Workload.Cache.Lifetime, Writes: f.Workload.Cache.Writes,
			})
		}
	}
	return kinds
}

// kind is that of a call.
func (g *group) kind(c *call) *kind { return &g.kinds[c.kind] }
