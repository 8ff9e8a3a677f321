// Package replay holds one replication in arrays from which a picture of any instant can be drawn: each call,
// each attempt, and what the limits had left.
//
// A [Recorder] listens to a run and makes a [Replay] of what it heard. A run takes less time than two frames of
// an animation, so a picture plays what has been recorded; it never steps the simulation. Times are seconds since
// the start of the run.
package replay

import (
	"stampede/policy"
	"stampede/wire"
)

// Bounds of a replay. What lies beyond is left out, and Clipped says so.
const (
	MaxCalls    = 5_000   // those that arrived first
	MaxAttempts = 200_000 // of these calls: where they have more, calls are left out from the end
	MaxLevels   = 2_000   // of a limit
)

// Never is the time of what did not happen.
const Never = -1

// Replay is one replication.
type Replay struct {
	Calls    []Call    // in order of arrival
	Attempts []Attempt // by call; those of one in the order in which they were sent
	Levels   []Level   // in order of time
	Limits   []Limit   // of all providers
	Slots    int       // of the first provider, for requests at once; 0 where they are not counted
	End      float64   // of the last event
	Until    float64   // when the first call arrives that is left out; else End. Before it nothing is missing
	Clipped  bool      // calls are left out
}

// Call is one call.
type Call struct {
	Arrived, Ended float64
	Outcome        policy.Outcome
	Useful, Waste  float64 // dollars
}

// Attempt is one attempt.
type Attempt struct {
	Call                  int // index into Calls
	Sent, Received, Ended float64
	Class                 wire.Class
	Limit                 int // index into Limits of the limit that refused it; -1 means none
	Number                int // of its call, from 1
}

// Refused reports whether the provider refused it.
func (a *Attempt) Refused() bool { return a.Class == wire.Throttled || a.Class == wire.Overloaded }

// Limit is a limit of a provider.
type Limit struct {
	Name   string
	Amount int64  // the most that can be left; nano-dollars where the unit is dollars
	Unit   string // what it counts: requests, tokens, concurrency, ...

	// What comes back between two requests:
	Rate   float64 // of a bucket: so much of its amount in a second; else 0
	Window float64 // of a fixed window: all of it at every multiple of so many seconds; else 0
	Offset float64 // of a fixed window: the seconds of it that had passed at time 0
}

// Level is what a limit had left after a request.
type Level struct {
	At    float64
	Limit int     // index into Limits
	Left  float64 // share of its amount; negative when overdrawn
}

// State is what a call is doing.
type State uint8

const (
	Idle       State = iota // it has not arrived
	Waiting                 // for a worker, a gate, a backoff or the server's hint
	AtProvider              // an attempt is under way
	Refused                 // its last attempt was refused a moment ago
	Answered
	GaveUp
	States = iota
)

// String is the word for a state.
func (s State) String() string {
	return [States]string{"idle", "waiting", "at the provider", "refused", "answered", "gave up"}[s]
}
