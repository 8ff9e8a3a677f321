package fleet

import (
	"stampede/internal/words"
	"stampede/policy"
	"stampede/sim"
)

// Adapted is what a client adapts to how its attempts end. Each gate and each pacer has its own.
type Adapted uint8

const (
	GateLimit Adapted = iota // attempts in flight
	PaceRate                 // requests a second
	Adapteds  = iota
)

// AdaptedWords are the words for what is adapted.
var AdaptedWords = words.Table[Adapted]{"gate limit", "pace rate"}

// String is the word for what is adapted.
func (a Adapted) String() string { return AdaptedWords.Word(a) }

// AdaptedListener is a Listener that also hears of each change of what clients adapt: by a fleet, at its
// instance of that number, or at instance 0 for all of them.
type AdaptedListener interface {
	Listener
	Adapted(what Adapted, fleet, instance int, at sim.Time, value float64)
}

// Adapted implements AdaptedListener for those that are.
func (l Listeners) Adapted(what Adapted, fleet, instance int, at sim.Time, value float64) {
	for _, to := range l {
		if to, ok := to.(AdaptedListener); ok {
			to.Adapted(what, fleet, instance, at, value)
		}
	}
}

// Adapts is how many of the instances of a fleet adapt something of their own, 1 when all share it and 0 when
// it stays as it is, and its value at the start.
func (f *Fleet) Adapts(what Adapted) (n int, start float64) {
	on, scope := f.Client.Gate.Adaptive(), f.Client.Gate.Scope
	start = float64(f.Client.Gate.Start())
	if what == PaceRate {
		on, scope, start = f.Client.Pacer.AIMD.On(), f.Client.Pacer.Scope, f.Client.Pacer.Bucket.Rate
	}
	switch {
	case !on:
		return 0, 0
	case scope == policy.ForAll:
		return 1, start
	}
	return f.Instances, start
}

// adapted is what an instance has adapted of what its fleet adapts.
type adapted [Adapteds]float64

func (g *group) adapted(m *policy.Instance) (now adapted) {
	if g.adapts {
		now[GateLimit], now[PaceRate] = float64(m.Limit()), m.Rate()
	}
	return now
}

// tell tells the listener what an instance has adapted since.
func (r *run) tell(g *group, instance int32, before adapted) {
	if !g.adapts || r.accounting.adapted == nil {
		return
	}
	now := g.adapted(g.instances.At(instance))
	for what := range now {
		if n, _ := g.Adapts(Adapted(what)); n > 0 && now[what] != before[what] {
			r.accounting.adapted.Adapted(Adapted(what), g.index, int(instance)%n, r.loop.Now(), now[what])
		}
	}
}
