// Package backend is the life of one request at a provider, written once for every clock.
//
// A [Backend] is a provider at work on a [sim.Loop] that it is handed. Its owner fills in a
// [Request] and sends it; the backend takes it over half a round trip to the gateway, the
// faults, the limits and the capacity, generates an answer by itself or in a batch, sends the
// reply back, and says in the [Result] what was charged, generated and billed. A request
// carries all that its life needs; the backend asks nobody.
//
//	sending --> waiting --> generating --> done --> the reply
//	   |           |                                   ^
//	   +--> hung <-+                                   |
//	   +--> refused -----------------------------------+
//
// The owner drives the loop: of an [Event] whose kind is below [Kinds] it asks [Backend.Handle],
// and hears by [News] what has reached the client. It may let a request go at any time
// ([Backend.Leave]): what the provider does with it then goes on without an owner.
package backend

import (
	"slices"
	"time"

	"stampede/internal/arena"
	"stampede/provider"
	"stampede/sim"
)

// Event is what the loop carries: a kind, of which thing, and its number. The owner of a loop
// adds kinds of its own from Kinds on. Of those below, Of is the number of the backend.
type Event struct {
	Kind Kind
	Of   uint16
	ID   uint32
}

// Kind is a kind of event.
type Kind uint16

const (
	arrives  Kind = iota // a request reaches the provider
	received             // the provider looks at it
	starts               // the first token of a stream reaches the client
	ends                 // the provider is done with a request
	marks                // the batch gets to a first or a last token
	replies              // a reply reaches the client
	departs              // a request that waited at its client is sent
	hushes               // a stream that will not end falls silent at the client
	Kinds                // the first that is not a backend's
)

// ForProvider is the purpose of the random numbers of a run's provider: under the key of a seed and
// a replication, [sim.Key.For] of it gives a request the same luck whoever drives the backend.
const ForProvider = 0

// News is what an owner hears when an event has been handled.
type News uint8

const (
	Nothing  News = iota
	Taken         // the provider has taken the request in or refused it: Due says when the reply comes, if it is known
	Began         // the first token of a stream is at the client, which watches for it
	Replied       // the reply is: the Result is complete, and the owner lets the request go
	Departed      // a request that waited at its client is on its way
	Hushed        // the last token that will come of a stream is at the client, which watches for it
)

// Backend is a provider at work. Use New.
type Backend struct {
	api       *provider.Provider
	config    *provider.Config
	loop      *sim.Loop[Event]
	index     uint16
	hop       time.Duration // half a round trip
	roomFrees bool          // a completion can make room for a request
	spends    bool          // it has a limit on dollars
	fails     bool          // its gateway has errors of its own
	requests  arena.Arena[Flight]
	second    bin       // of requests, a second wide
	tenth     bin       // and a tenth of one
	mark      sim.Timer // marks
	memory    memory
}

// New makes a backend of that number on a loop that stands at time 0. It reports a
// configuration that makes no sense.
func New(c *provider.Config, key sim.Key, loop *sim.Loop[Event], index int) (*Backend, error) {
	api, err := provider.New(*c, key)
	if err != nil {
		return nil, err
	}
	makesRoom := func(l provider.Limit) bool { return l.Settle != provider.Keep || l.Resource.Held() }
	return &Backend{
		api: api, config: c, loop: loop, index: uint16(index),
		hop:       (c.RoundTrip + c.Gateway.Latency) / 2,
		roomFrees: c.Capacity.Slots > 0 || slices.ContainsFunc(c.Limits, makesRoom),
		spends:    api.Spends(),
		fails:     len(c.Gateway.Errors) > 0,
	}, nil
}

// Provider is the provider that is at work.
func (b *Backend) Provider() *provider.Provider { return b.api }

// RoundTrip is the network time there and back, with that through the gateway.
func (b *Backend) RoundTrip() time.Duration { return 2 * b.hop }

// Handle does what an event of this backend asks for. Of news it returns the owner's number of
// the request.
func (b *Backend) Handle(e Event) (News, uint32) {
	if e.Kind == marks {
		b.CatchUp()
		return Nothing, 0
	}
	r := b.requests.At(e.ID)
	switch e.Kind {
	case arrives:
		return b.arrive(r)
	case received:
		return b.receive(r)
	case ends:
		b.end(r)
	case replies:
		return b.reply(r)
	case departs:
		return b.depart(r)
	case starts:
		r.watch = sim.Timer{}
		return Began, r.Owner
	case hushes:
		return Hushed, r.Owner
	}
	return Nothing, 0
}

// Touch reads a word of each line of memory that a request lies in, and returns their sum and the
// owner's number of it; see [sim.Loop.Ahead].
func (b *Backend) Touch(id uint32) (owner uint32, word uint64) {
	r := b.requests.At(id)
	return r.Owner, r.Call + uint64(r.state) + uint64(r.first) + uint64(r.relays.Prompt)
}

func (b *Backend) event(kind Kind, r *Flight) Event { return Event{kind, b.index, r.self} }

// bin counts what arrives within one stretch of time.
type bin struct {
	end sim.Time // of the stretch
	n   int
}

// place is the place of what arrives now among all that arrived within the same stretch, from 1.
func (b *bin) place(now sim.Time, width time.Duration) int {
	if now >= b.end {
		*b = bin{end: now - now%width + width}
	}
	b.n++
	return b.n
}
