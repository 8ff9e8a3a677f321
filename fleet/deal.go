package fleet

import (
	"stampede/internal/words"
	"stampede/sim"
)

// Dealing decides which instance a call that arrives by itself goes to.
type Dealing uint8

const (
	// AtRandom deals each call by a lot of its own: of Poisson arrivals each instance sees
	// Poisson arrivals, independent of those of the others.
	AtRandom Dealing = iota
	// InTurn deals call k to instance k mod Instances: the gaps that an instance sees are
	// sums of as many gaps, and more even.
	InTurn
)

// DealingWords are the words of dealing.
var DealingWords = words.Table[Dealing]{"random", "round_robin"}

// String is the word for a rule.
func (d Dealing) String() string { return DealingWords.Word(d) }

// Queueing decides which workers take a call that arrives by itself.
type Queueing uint8

const (
	Shared      Queueing = iota // those of all instances, from one queue
	PerInstance                 // those of the instance that it was dealt to
)

// QueueingWords are the words of queueing.
var QueueingWords = words.Table[Queueing]{"shared", "per_instance"}

// String is the word for a rule.
func (q Queueing) String() string { return QueueingWords.Word(q) }

// dealt reports whether calls are dealt to instances, before any worker takes them.
func (f *Fleet) dealt() bool {
	return f.Workload.Arrivals != nil && f.Instances > 1 && (f.Workers == 0 || f.Queue == PerInstance)
}

// deal is the instance that a new call goes to.
func (g *group) deal(k uint64) int32 {
	if n := uint64(g.Instances); g.Dealt == InTurn {
		return int32(k % n)
	} else {
		return int32(g.dealing.Uniform(k, 0) * float64(n))
	}
}

// line is a queue of calls that wait for workers, and of workers that wait for calls.
type line struct {
	calls   sim.Ring[waiter] // those that left before their turn included
	idle    sim.Ring[uint32] // those that are to go included
	waiting int              // calls
	busy    int              // workers at a call
}

// newLines gives each instance a queue of its own, or all of them one.
func newLines(f *Fleet) []line {
	if f.Queue == PerInstance {
		return make([]line, f.Instances)
	}
	return make([]line, 1)
}

// lineOf is the queue of an instance.
func (g *group) lineOf(instance int32) *line {
	if g.Queue == PerInstance {
		return &g.lines[instance]
	}
	return &g.lines[0]
}

// instanceOf is the instance of a worker.
func (g *group) instanceOf(worker uint32) int32 { return int32(int(worker) / g.Workers) }
