package backend

import (
	"time"

	"stampede/cost"
	"stampede/provider"
	"stampede/sim"
	"stampede/wire"
)

// Request is what a client sends, and all that the life of a request needs.
type Request struct {
	provider.Request          // what it declares; of its prompt, Cached tokens can come from a cache
	*Terms                    // of its client
	Owner            uint32   // the owner's number of it
	Output           int32    // tokens of the whole answer
	Reasoning        int32    // of them, generated first and seen by nobody
	Key              uint64   // its idempotency key; 0 means none
	Warm             sim.Time // when the prompt was last known to be in the cache
	Entry            uint64   // of the cache that it shares with other calls; 0 means that its call has one of its own
}

// Terms are what the requests of a client have in common.
type Terms struct {
	Price    cost.Price
	Connect  time.Duration // a handshake that takes longer never ends; 0 means none is too long
	Stream   bool          // the answer arrives token by token, else all at once
	Watched  bool          // the owner hears when the first token is at the client
	Lifetime time.Duration // of the prompt in the provider's cache; 0 means forever
	Writes   bool          // what is not read from the cache is written, at the price of writing
}

// Result is what became of a request, as far as its client was there. It is complete with the
// news Replied or after Leave.
type Result struct {
	Reply    wire.Reply
	Received sim.Time // at the provider; -1 when it never got there
	First    sim.Time // the first token at the client; -1 when it never got there
	Never    bool     // no wait makes room at the limit that refused it
	Limit    int8     // that refused it: of its provider, or provider.NoLimit, NoSlot, TooLong or OfGateway

	InFlight int // requests at the provider when this one arrived, itself included if admitted
	Ordinal  int // place among the requests that arrived at the provider in the same whole second, from 1
	Tenth    int // the same within a tenth of a second

	Charged, Settled, Refunded int64 // tokens, over the provider's limits on tokens

	Usage  cost.Usage // as billed
	Bill   cost.Money
	Worked bool // its work is done, or will be
}

// Flight is a request under way. Its owner fills in the Request before it is sent.
type Flight struct {
	Request
	self       uint32 // its number here
	reach      provider.Reachability
	silent     bool    // it breaks, and its client does not hear of it
	result     *Result // of its owner; nil once that has let it go
	state      state
	billed     provider.Billed // of a refused one
	gone       bool            // its client is
	unfinished bool            // and left before the provider was done
	batched    bool            // in the batch, under a name
	left       bool            // the queue, before its turn
	hangs      bool
	breaks     bool
	lost       bool // it breaks at its end
	replayed   bool // it is answered from memory
	replied    bool // its owner has heard of it
	answered   bool // its answer is complete and on its way
	relayed    int32
	output     int32 // tokens that will have been generated
	hidden     int32 // of them, by reasoning
	cached     int   // tokens of the prompt that can be in the cache
	name       uint32
	slow       float64
	begins     sim.Time   // the first token is generated
	first      sim.Time   // the first token that is seen leaves the provider
	last       sim.Time   // the last token leaves the provider
	replyAt    sim.Time   // at the client, once known
	charged    int64      // at admission
	penalty    int64      // for being refused
	ends       sim.Timer  // ends
	watch      sim.Timer  // starts
	relays     cost.Usage // of refusals that the gateway kept to itself
	relayBill  cost.Money // for them: each has a price of its own, by the length of its prompt
}

// Number tells the request from others of its backend that are under way.
func (r *Flight) Number() uint32 { return r.self }

type state uint8

const (
	sending state = iota
	refused
	waiting // for a slot
	generating
	hung
	stalled // in the middle of its answer
	done
)

// New gives out a request to be filled in and sent; its result goes where the owner says.
func (b *Backend) New(result *Result) *Flight {
	id, r := b.requests.Alloc()
	*r = Flight{}
	r.self, r.result, r.Admitted, r.first, r.last, r.replyAt = id, result, -1, sim.Never, sim.Never, sim.Never
	result.Received, result.First, result.Limit = -1, -1, provider.NoLimit
	return r
}

// Silent reports whether an answer that has begun, or was generated, breaks without a word to its client.
func (r *Flight) Silent() bool { return r.silent }

// hushed reports whether no event will come for it any more, though its client waits.
func (r *Flight) hushed() bool {
	return r.state == hung && r.Admitted < 0 || r.state == done && r.silent
}

// admitted reports whether the provider took the request in.
func (r *Flight) admitted() bool { return r.Admitted >= 0 && r.state != sending && r.state != refused }

// works reports whether its work is done, or will be.
func (r *Flight) works() bool {
	return r.admitted() && !r.hangs && !r.left && !r.replayed && r.output == r.Output
}
