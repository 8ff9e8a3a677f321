package fleet

import (
	"time"

	"stampede/backend"
	"stampede/cost"
	"stampede/internal/words"
	"stampede/policy"
	"stampede/provider"
	"stampede/sim"
	"stampede/wire"
)

// Listener receives the records of a run, each once, when it is closed. A
// record is only valid during the call; a listener copies what it keeps.
type Listener interface {
	Attempt(*Attempt)
	Call(*Call)
}

// WaitListener is a Listener that also gets each wait of a call when it ends, under
// the kind by which Call.Waits counts it. The call is not closed yet.
type WaitListener interface {
	Listener
	Wait(c *Call, kind Wait, from, to sim.Time)
}

// LevelListener is a Listener that also sees a provider of that number, of [Model.Providers], each time it has
// taken a request in or refused it. It may ask the provider what its limits have left.
type LevelListener interface {
	Listener
	Levels(at sim.Time, number int, p *provider.Provider)
}

// levelListeners are those among the listeners of a run.
func levelListeners(to Listener) (all []LevelListener) {
	switch to := to.(type) {
	case Listeners:
		for _, one := range to {
			all = append(all, levelListeners(one)...)
		}
	case LevelListener:
		all = append(all, to)
	}
	return all
}

// Listeners passes every record on to each of them in order.
type Listeners []Listener

func (l Listeners) Attempt(a *Attempt) {
	for _, to := range l {
		to.Attempt(a)
	}
}

func (l Listeners) Call(c *Call) {
	for _, to := range l {
		to.Call(c)
	}
}

// Call is the record of one logical request.
type Call struct {
	ID         uint64 // counts in its fleet
	Fleet      int32  // 0 is the main one
	Kind       int32  // of its workload, from 0
	Instance   int32
	Attempts   int32
	Deliveries int32
	Size       Size
	Waits      [Waits]time.Duration
	Outcome    policy.Outcome
	Arrived    sim.Time // when the caller asked; for fetched calls, when a worker took it up
	Began      sim.Time // when a worker first took it up
	Ended      sim.Time
	Target     int32      // that answered, from 0
	Session    uint64     // it is a turn of, counted in its fleet
	Turn       int32      // from 1; 0 where there are no sessions
	SessionEnd SessionEnd // where the session ended with it
	Acts       int32      // how often it did what it was to do, of workloads that act
	Repeated   int64      // tokens of the answer that were shown more than once
	Useful     cost.Money // for the attempt that answered
	Waste      cost.Waste
}

// Latency is from arrival to outcome, waits included.
func (c *Call) Latency() time.Duration { return c.Ended - c.Arrived }

// Wait is a kind of waiting in the life of a call. Its words are those of
// tables, CSV and JSON.
type Wait uint8

const (
	WorkerWait Wait = iota
	GateWait
	PacerWait
	BreakerWait
	BackoffWait
	RetryAfterWait
	RedeliveryWait
	PoolWait
	Waits = iota
)

// WaitWords are the words of waits and what a call waits for.
var WaitWords = words.Glossary[Wait]{
	WorkerWait:     {"worker", "for a free worker"},
	GateWait:       {"gate", "for the instance's concurrency gate"},
	PacerWait:      {"pacer", "for the instance's pacer"},
	BreakerWait:    {"breaker", "for the circuit breaker to close or a cooldown to end"},
	BackoffWait:    {"backoff", "in the client's own backoff"},
	RetryAfterWait: {"retry_after", "as the server's Retry-After asked"},
	RedeliveryWait: {"redelivery", "for the queue to deliver the call again"},
	PoolWait:       {"pool", "for a connection of the instance's pool"},
}

// String is the word for a wait.
func (w Wait) String() string { return WaitWords.Word(w) }

// Meaning is what a call waits for.
func (w Wait) Meaning() string { return WaitWords.Meaning(w) }

// Attempt is the record of one HTTP request.
type Attempt struct {
	Call     uint64
	Fleet    int
	Number   int // from 1, over all deliveries of the call
	Delivery int // from 1
	Instance int
	Target   int      // from 0
	Hedge    bool     // sent beside another
	Arrived  sim.Time // of its call
	Sent     sim.Time // by its client, whose process may take time for it (see Fleet.PerRequest)
	Ended    sim.Time // the reply arrived, or the client gave the attempt up

	backend.Result // of the provider

	Cut   policy.Timer // what cut the attempt off, if anything
	Cause cost.Cause   // of the waste, when Bill was not for an answer
	Waste bool
	Shown int // tokens of a stream that broke and is asked again, as its client saw them

	Decision policy.Decision // what the client does next
}

// Class sorts the reply.
func (a *Attempt) Class() wire.Class { return a.Reply.Class() }

// Summary is what a run reports besides its records.
type Summary struct {
	Events     uint64
	End        sim.Time   // of the last event
	MeasuredTo sim.Time   // the end of the measured time of all fleets
	Last       []sim.Time // by fleet: the end of its last call, with all its deliveries
	NotStarted []uint64   // by fleet: of a bounded number of calls, those that never started
	// SessionsCut are, by fleet, of a bounded number of sessions those that the horizon cut short or kept from
	// starting.
	SessionsCut []uint64
	Uses        [][]provider.Use // by provider and limit, in the measured time; nil where that never began
}
