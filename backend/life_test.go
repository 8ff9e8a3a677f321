package backend

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"stampede/cost"
	"stampede/law"
	"stampede/provider"
	"stampede/sim"
	"stampede/wire"
)

const s, ms = time.Second, time.Millisecond

// sent is a request: 100 tokens of prompt, 20 of answer, max_tokens 50, unless said otherwise.
type sent struct {
	at     sim.Time
	leaves sim.Time // when its client goes; 0 means that it waits for the reply
	stays  bool     // it goes, but keeps the connection
	terms  Terms
	Request
}

// The owner's kinds of events.
const (
	sends = iota + Kinds
	leaves
)

// owner sends requests to a backend and writes down what it hears.
type owner struct {
	loop     sim.Loop[Event]
	backend  *Backend
	requests []sent
	sent     []*Flight
	results  []Result
	heard    []string // of each request
	over     []bool
}

// live runs the lives of requests at a provider and says of each what became of it.
func live(t *testing.T, c provider.Config, requests []sent) []string {
	t.Helper()
	o := &owner{requests: requests}
	b, err := New(&c, 1, &o.loop, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := len(requests)
	o.backend, o.sent, o.results = b, make([]*Flight, n), make([]Result, n)
	o.heard, o.over = make([]string, n), make([]bool, n)
	for i, r := range requests {
		o.loop.At(r.at, Event{Kind: sends, ID: uint32(i)})
		if r.leaves > 0 {
			o.loop.At(r.leaves, Event{Kind: leaves, ID: uint32(i)})
		}
	}
	for e, ok := o.loop.Next(); ok; e, ok = o.loop.Next() {
		o.handle(e)
	}
	o.reconcile(t)
	return o.heard
}

func (o *owner) handle(e Event) {
	switch e.Kind {
	case sends:
		o.send(e.ID)
	case leaves:
		if !o.over[e.ID] {
			o.results[e.ID].Reply = wire.Reply{Failure: wire.Timeout}
			o.backend.Leave(o.sent[e.ID], o.requests[e.ID].stays)
			o.end(e.ID)
		}
	default:
		switch news, i := o.backend.Handle(e); news {
		case Began:
			o.heard[i] += fmt.Sprintf("began %v, ", o.loop.Now())
		case Hushed:
			o.heard[i] += fmt.Sprintf("silent %v, ", o.loop.Now())
		case Replied:
			o.end(i)
		}
	}
}

func (o *owner) send(i uint32) {
	r := o.backend.New(&o.results[i])
	of := &o.requests[i]
	r.Request, o.sent[i] = of.Request, r
	of.terms.Price = cost.PerMillion("m", 1, 0.5, 2)
	// Prompts of more than 150 tokens cost ten times as much: none is, though several refusals together are.
	of.terms.Price.Bands = []cost.Band{{Above: 150, Rates: cost.PerMillion("m", 10, 5, 20).Rates}}
	r.Terms, r.Owner, r.Attempt, r.Admitted = &of.terms, i, 1, -1
	r.Prompt, r.MaxTokens, r.Output = 100, 50, 20
	o.backend.Send(r)
}

// end writes down the result of a request: when it was received and ended, with what, the tokens charged,
// settled and refunded, those billed for prompt and answer, and the bill in thousands of nano-dollars.
func (o *owner) end(i uint32) {
	r := &o.results[i]
	what := fmt.Sprint(r.Reply.Status)
	if f := r.Reply.Failure; f != wire.None {
		what = map[wire.Failure]string{wire.Timeout: "gone", wire.Connection: "broken", wire.InStream: "error"}[f]
	}
	o.heard[i] += fmt.Sprintf("received %v, %s %v, charged %d = %d + %d, billed %d + %d = %d", r.Received, what,
		o.loop.Now(), r.Charged, r.Settled, r.Refunded, r.Usage.Prompt, r.Usage.Output, r.Bill/1000)
	if r.Worked {
		o.heard[i] += ", worked"
	}
	if cached := r.Usage.Cached; cached > 0 {
		o.heard[i] += fmt.Sprintf(", %d cached", cached)
	}
	if written := r.Usage.Written; written > 0 {
		o.heard[i] += fmt.Sprintf(", %d written", written)
	}
	o.over[i] = true
	o.backend.Release(o.sent[i])
}

// reconcile checks that nothing is left: neither at the provider, nor in the arena, nor of its
// counts of tokens.
func (o *owner) reconcile(t *testing.T) {
	t.Helper()
	for i, over := range o.over {
		if !over {
			t.Errorf("request %d has no end", i)
		}
	}
	settled := int64(0)
	for _, r := range o.results {
		settled += r.Settled
	}
	api := o.backend.Provider()
	if l := api.Ledger(); api.InFlight() != 0 || l.Taken-l.Given != settled {
		t.Errorf("%d in flight, %d tokens taken, %d given back, %d settled", api.InFlight(), l.Taken, l.Given, settled)
	}
	last := o.backend.requests.Last()
	for range last { // all of them are free
		o.backend.New(&Result{})
	}
	if now := o.backend.requests.Last(); now > last {
		t.Errorf("%d requests were never let go", now-last)
	}
}

// usual is a provider half a round trip of 50 ms away: the first token of an answer is generated after 1 s, its
// last of 20 at 10 a second after 3 s. It charges prompt and max_tokens, 150, and settles at the truth, 120.
func usual(change ...func(*provider.Config)) provider.Config {
	c := provider.Config{
		RoundTrip: 100 * ms,
		Latency:   provider.Latency{FirstToken: law.Constant(1), TokensPerSecond: law.Constant(10)},
		Limits: []provider.Limit{{
			Resource: provider.Tokens, Amount: 10_000, Period: 60 * s,
			Charge: provider.PromptPlusMax, Settle: provider.TrueUsage,
		}},
	}
	for _, f := range change {
		f(&c)
	}
	return c
}

// At $1 and $2 per million tokens the whole is billed 100 x 1 + 20 x 2 = 140 thousands of nano-dollars.
const whole = "charged 150 = 120 + 30, billed 100 + 20 = 140, worked"

// fault strikes everything that comes in the first 100 ms.
func fault(effect provider.Effect) func(*provider.Config) {
	return func(c *provider.Config) {
		c.Faults = []provider.Fault{{For: 100 * ms, Share: 1, Effect: effect}}
	}
}

func oneSlot(c *provider.Config) { c.Capacity = provider.Capacity{Slots: 1, Queue: 2} }

func stops(c *provider.Config) { c.Cancel = provider.Stops }

var watched = Terms{Stream: true, Watched: true}

func TestLives(t *testing.T) {
	for _, c := range []struct {
		name     string
		config   provider.Config
		requests []sent
		want     []string
	}{
		{"an answer in one piece: at the provider after 50 ms, generated 3 s later, back 50 ms later",
			usual(), []sent{{}}, []string{"received 50ms, 200 3.1s, " + whole}},
		{"a stream begins 2 s before it ends", usual(), []sent{{terms: watched}},
			[]string{"began 1.1s, received 50ms, 200 3.1s, " + whole}},
		{"reasoning of 5 tokens, 0.5 s, is seen by nobody", usual(),
			[]sent{{terms: watched, Request: Request{Reasoning: 5}}},
			[]string{"began 1.6s, received 50ms, 200 3.1s, " + whole}},

		{"one request a minute: the second is refused at the door", usual(func(c *provider.Config) {
			c.Limits = []provider.Limit{{Resource: provider.Requests, Amount: 1, Period: 60 * s}}
		}), []sent{{}, {at: 1 * s}}, []string{
			"received 50ms, 200 3.1s, charged 0 = 0 + 0, billed 100 + 20 = 140, worked",
			"received 1.05s, 429 1.1s, charged 0 = 0 + 0, billed 0 + 0 = 0",
		}},
		{"200 tokens a minute: the second is refused and counts all the same", usual(func(c *provider.Config) {
			c.Limits[0].Amount, c.Limits[0].Rejected = 200, provider.IntoDebt
		}), []sent{{}, {at: 1 * s}}, []string{
			"received 50ms, 200 3.1s, " + whole,
			"received 1.05s, 429 1.1s, charged 150 = 150 + 0, billed 0 + 0 = 0",
		}},
		{"an error that takes 2 s", usual(fault(provider.Reject{Reply: wire.Reply{Status: 503}, After: 2 * s})),
			[]sent{{}}, []string{"received 50ms, 503 2.1s, charged 0 = 0 + 0, billed 0 + 0 = 0"}},
		{"a filter that bills the prompt", usual(fault(provider.Reject{
			Reply: wire.Reply{Status: 400, Code: "content_filter"},
		}), func(c *provider.Config) { c.Billing.FilterBilled = true }), []sent{{}},
			[]string{"received 50ms, 400 100ms, charged 0 = 0 + 0, billed 100 + 0 = 100"}},

		{"an error 408 that bills everything", usual(fault(provider.Reject{Reply: wire.Reply{Status: 408}}),
			func(c *provider.Config) { c.Billing.TimeoutBilled = true }), []sent{{}},
			[]string{"received 50ms, 408 100ms, charged 0 = 0 + 0, billed 100 + 20 = 140"}},
		{"a limit of 130 thousands of nano-dollars an hour knows of the first answer at 3.05 s",
			usual(func(c *provider.Config) {
				c.Limits = []provider.Limit{{Resource: provider.Dollars, Amount: 130_000, Period: 3600 * s}}
			}), []sent{{}, {at: 2900 * ms}, {at: 3100 * ms}}, []string{
				"received 50ms, 200 3.1s, charged 0 = 0 + 0, billed 100 + 20 = 140, worked",
				"received 2.95s, 200 6s, charged 0 = 0 + 0, billed 100 + 20 = 140, worked",
				"received 3.15s, 429 3.2s, charged 0 = 0 + 0, billed 0 + 0 = 0",
			}},

		{"one slot: the second waits until 3.05 s, the fourth finds no place", usual(oneSlot), []sent{
			{}, {at: 1 * s}, {at: 2 * s}, {at: 2500 * ms},
		}, []string{
			"received 50ms, 200 3.1s, " + whole,
			"received 1.05s, 200 6.1s, " + whole,
			"received 2.05s, 200 9.1s, " + whole,
			"received 2.55s, 503 2.6s, charged 0 = 0 + 0, billed 0 + 0 = 0",
		}},
		{"a slot gets free at the instant at which the second arrives, though that was on its way 1 s before",
			usual(oneSlot, func(c *provider.Config) { c.RoundTrip, c.Capacity.Queue = 8*s, 0 }),
			[]sent{{}, {at: 3 * s}},
			[]string{"received 4s, 200 11s, " + whole, "received 7s, 200 14s, " + whole}},

		{"a hang holds its slot until its client's leaving at 10 s arrives; it generates nothing",
			usual(oneSlot, fault(provider.Hang{})), []sent{{leaves: 10 * s}, {at: 1 * s}}, []string{
				"received 50ms, gone 10s, charged 150 = 100 + 50, billed 0 + 0 = 0",
				"received 1.05s, 200 13.1s, " + whole,
			}},
		{"nobody answers the connection", usual(fault(provider.NoConnection{As: provider.Unreachable})),
			[]sent{{leaves: 10 * s}}, []string{"received -1ns, gone 10s, charged 0 = 0 + 0, billed 0 + 0 = 0"}},
		{"a handshake of 100 ms is too long", usual(), []sent{{leaves: 60 * ms, terms: Terms{Connect: 60 * ms}}},
			[]string{"received -1ns, gone 60ms, charged 0 = 0 + 0, billed 0 + 0 = 0"}},
		{"a refused connection is known after a round trip",
			usual(fault(provider.NoConnection{As: provider.RefusedConn})),
			[]sent{{}}, []string{"received -1ns, broken 100ms, charged 0 = 0 + 0, billed 0 + 0 = 0"}},

		{"a reset in answer to the request as well", usual(fault(provider.NoConnection{As: provider.ResetConn})),
			[]sent{{}}, []string{"received -1ns, broken 100ms, charged 0 = 0 + 0, billed 0 + 0 = 0"}},
		{"a TLS handshake fails after two, one for TCP", usual(fault(provider.NoConnection{As: provider.NoTLS})),
			[]sent{{}}, []string{"received -1ns, broken 200ms, charged 0 = 0 + 0, billed 0 + 0 = 0"}},
		{"a name is not found at once, whatever the round trip",
			usual(fault(provider.NoConnection{As: provider.NoName})), []sent{{terms: Terms{Connect: 60 * ms}}},
			[]string{"received -1ns, broken 0s, charged 0 = 0 + 0, billed 0 + 0 = 0"}},
		{"or after the resolver's timeouts, unless its client goes first",
			usual(fault(provider.NoConnection{As: provider.NoName, After: law.Constant(10)})),
			[]sent{{}, {leaves: 4 * s}}, []string{
				"received -1ns, broken 10s, charged 0 = 0 + 0, billed 0 + 0 = 0",
				"received -1ns, gone 4s, charged 0 = 0 + 0, billed 0 + 0 = 0",
			}},

		{"cut in the middle: half of the 20 tokens, a second earlier", usual(fault(provider.Break{Part: 0.5})),
			[]sent{{terms: watched}},
			[]string{"began 1.1s, received 50ms, broken 2.1s, charged 150 = 110 + 40, billed 100 + 10 = 120"}},
		{"and free where that is the rule", usual(fault(provider.Break{Part: 0.5}), func(c *provider.Config) {
			c.Billing.CutFree = true
		}), []sent{{}}, []string{"received 50ms, broken 2.1s, charged 150 = 110 + 40, billed 0 + 0 = 0"}},
		{"cut after 2 tokens, before any is seen: all 5 of reasoning were to come first",
			usual(fault(provider.Break{Part: 0.1})), []sent{{terms: watched, Request: Request{Reasoning: 5}}},
			[]string{"began 1.3s, received 50ms, broken 1.3s, charged 150 = 102 + 48, billed 100 + 2 = 104"}},
		{"an error in the body of status 200 is sent at once, and the limits do not see it",
			usual(fault(provider.Reject{Reply: wire.Reply{Status: 200, Code: "rate_limit_exceeded"}})), []sent{{}},
			[]string{"received 50ms, error 100ms, charged 0 = 0 + 0, billed 0 + 0 = 0"}},
		{"nor does a gateway that retries by the status",
			usual(fault(provider.Reject{Reply: wire.Reply{Status: 200, Code: "rate_limit_exceeded"}}),
				func(c *provider.Config) { c.Gateway = provider.Gateway{Retries: 3, Wait: 100 * ms} }), []sent{{}},
			[]string{"received 50ms, error 100ms, charged 0 = 0 + 0, billed 0 + 0 = 0"}},
		{"an error inside the stream", usual(fault(provider.Break{Part: 0.5, Code: "overloaded_error"})),
			[]sent{{terms: watched}},
			[]string{"began 1.1s, received 50ms, error 2.1s, charged 150 = 110 + 40, billed 100 + 10 = 120"}},
		{"lost at the end, after the work", usual(fault(provider.Break{Part: 1})), []sent{{}},
			[]string{"received 50ms, broken 3.1s, " + whole}},

		{"which is not cut in the middle", usual(fault(provider.Break{Part: 1}), func(c *provider.Config) {
			c.Billing.CutFree = true
		}), []sent{{}}, []string{"received 50ms, broken 3.1s, " + whole}},
		{"but has a rule of its own", usual(fault(provider.Break{Part: 1}), func(c *provider.Config) {
			c.Billing.LostFree = true
		}), []sent{{}}, []string{"received 50ms, broken 3.1s, charged 150 = 120 + 30, billed 0 + 0 = 0, worked"}},

		{"stalled in the middle: half of the 20 tokens are billed, and the slot is free when the leaving arrives",
			usual(oneSlot, fault(provider.Break{Part: 0.5, Silent: true})),
			[]sent{{leaves: 10 * s, terms: watched}, {at: 1 * s}}, []string{
				"began 1.1s, silent 2.1s, received 50ms, gone 10s, charged 150 = 110 + 40, billed 100 + 10 = 120",
				"received 1.05s, 200 13.1s, " + whole,
			}},
		{"in one piece, where what is cut is free", usual(fault(provider.Break{Part: 0.5, Silent: true}),
			func(c *provider.Config) { c.Billing.CutFree = true }), []sent{{leaves: 10 * s}},
			[]string{"received 50ms, gone 10s, charged 150 = 110 + 40, billed 0 + 0 = 0"}},
		{"stalled before any token is seen, of which 5 were to be reasoning",
			usual(fault(provider.Break{Part: 0.1, Silent: true})),
			[]sent{{leaves: 10 * s, terms: watched, Request: Request{Reasoning: 5}}},
			[]string{"received 50ms, gone 10s, charged 150 = 102 + 48, billed 100 + 2 = 104"}},
		{"gone at 1.6 s, before it stalls, where the provider stops: 6 of 10 tokens",
			usual(stops, fault(provider.Break{Part: 0.5, Silent: true})), []sent{{leaves: 1600 * ms, terms: watched}},
			[]string{"began 1.1s, received 50ms, gone 1.6s, charged 150 = 106 + 44, billed 100 + 6 = 112"}},
		{"gone at 2.08 s, while the last token before the stall is on its way",
			usual(fault(provider.Break{Part: 0.5, Silent: true})), []sent{{leaves: 2080 * ms, terms: watched}},
			[]string{"began 1.1s, received 50ms, gone 2.08s, charged 150 = 110 + 40, billed 100 + 10 = 120"}},
		{"lost without a reset: the work is done and its slot is free at 3.05 s",
			usual(oneSlot, fault(provider.Break{Part: 1, Silent: true})),
			[]sent{{leaves: 10 * s}, {at: 1 * s}},
			[]string{"received 50ms, gone 10s, " + whole, "received 1.05s, 200 6.1s, " + whole}},
		{"of two breaks in one answer the first is seen", usual(func(c *provider.Config) {
			c.Faults = []provider.Fault{{Share: 1, Effect: provider.Break{Part: 0.5}},
				{Share: 1, Effect: provider.Break{Part: 0.8, Silent: true}}}
		}), []sent{{}}, []string{"received 50ms, broken 2.1s, charged 150 = 110 + 40, billed 100 + 10 = 120"}},

		{"gone while sending: dropped unread", usual(), []sent{{leaves: 20 * ms}},
			[]string{"received -1ns, gone 20ms, charged 0 = 0 + 0, billed 0 + 0 = 0"}},
		{"gone before the first token, where the provider stops", usual(stops), []sent{{leaves: 500 * ms}},
			[]string{"received 50ms, gone 500ms, charged 150 = 100 + 50, billed 100 + 0 = 100"}},
		{"gone at 2 s, heard of at 2.05 s, after half of the tokens", usual(stops), []sent{{leaves: 2 * s}},
			[]string{"received 50ms, gone 2s, charged 150 = 110 + 40, billed 100 + 10 = 120"}},
		{"gone, but the connection stands", usual(stops), []sent{{leaves: 2 * s, stays: true}},
			[]string{"received 50ms, gone 2s, " + whole}},
		{"gone, where the provider keeps generating", usual(), []sent{{leaves: 2 * s}},
			[]string{"received 50ms, gone 2s, " + whole}},
		{"gone, where it stops streams alone: not this", usual(func(c *provider.Config) {
			c.Cancel = provider.StopsStreams
		}), []sent{{leaves: 2 * s}, {leaves: 2 * s, terms: watched}}, []string{
			"received 50ms, gone 2s, " + whole,
			"began 1.1s, received 50ms, gone 2s, charged 150 = 110 + 40, billed 100 + 10 = 120",
		}},
		{"gone at 3.02 s, heard of after the last token: the slot is free at 3.05 s", usual(oneSlot, stops),
			[]sent{{leaves: 3020 * ms}, {at: 1 * s}},
			[]string{"received 50ms, gone 3.02s, " + whole, "received 1.05s, 200 6.1s, " + whole}},
		{"gone while the reply is on its way", usual(stops), []sent{{leaves: 3070 * ms}},
			[]string{"received 50ms, gone 3.07s, " + whole}},
		{"what is left behind may be free", usual(func(c *provider.Config) { c.Billing.AbandonedFree = true }),
			[]sent{{leaves: 2 * s}},
			[]string{"received 50ms, gone 2s, charged 150 = 120 + 30, billed 0 + 0 = 0, worked"}},

		{"gone in the queue, where the provider stops: the third moves up", usual(oneSlot, stops), []sent{
			{}, {at: 1 * s, leaves: 2 * s}, {at: 1500 * ms},
		}, []string{
			"received 50ms, 200 3.1s, " + whole,
			"received 1.05s, gone 2s, charged 150 = 100 + 50, billed 0 + 0 = 0",
			"received 1.55s, 200 6.1s, " + whole,
		}},
		{"gone before it hangs at its turn: the third has the slot at once", usual(oneSlot, func(c *provider.Config) {
			c.Faults = []provider.Fault{{At: 1 * s, For: 100 * ms, Share: 1, Effect: provider.Hang{}}}
		}), []sent{{}, {at: 1 * s, leaves: 2 * s}, {at: 1500 * ms}}, []string{
			"received 50ms, 200 3.1s, " + whole,
			"received 1.05s, gone 2s, charged 150 = 100 + 50, billed 0 + 0 = 0",
			"received 1.55s, 200 6.1s, " + whole,
		}},
		{"gone in the queue, where it keeps: answered for nobody when its turn comes", usual(oneSlot), []sent{
			{}, {at: 1 * s, leaves: 2 * s}, {at: 1500 * ms},
		}, []string{
			"received 50ms, 200 3.1s, " + whole,
			"received 1.05s, gone 2s, " + whole,
			"received 1.55s, 200 9.1s, " + whole,
		}},

		{"a gateway 50 ms away tries again 300 ms after the fault", usual(gateway, fault(provider.Reject{
			Reply: wire.Reply{Status: 503},
		})), []sent{{}}, []string{"received 375ms, 200 3.45s, " + whole}},
		{"an error of the gateway's own takes 40 ms and never gets to the provider", usual(gateway,
			func(c *provider.Config) {
				c.Gateway.Errors = []provider.GatewayError{{Share: 1, Status: 502, After: 40 * ms}}
			}), []sent{{}}, []string{"received -1ns, 502 190ms, charged 0 = 0 + 0, billed 0 + 0 = 0"}},
		{"and after an error that takes 200 ms", usual(gateway, fault(provider.Reject{
			Reply: wire.Reply{Status: 503}, After: 200 * ms,
		})), []sent{{}}, []string{"received 575ms, 200 3.65s, " + whole}},
		{"a gateway gives up, and three refusals are billed", usual(gateway, func(c *provider.Config) {
			c.Faults = []provider.Fault{{Share: 1, Effect: provider.Reject{
				Reply: wire.Reply{Status: 400, Code: "content_filter"}},
			}}
			c.Billing.FilterBilled = true
		}), []sent{{}}, []string{"received 675ms, 400 750ms, charged 0 = 0 + 0, billed 300 + 0 = 300"}},
		{"gone while the gateway waits", usual(gateway, fault(provider.Reject{Reply: wire.Reply{Status: 503}})),
			[]sent{{leaves: 200 * ms}}, []string{"received 75ms, gone 200ms, charged 0 = 0 + 0, billed 0 + 0 = 0"}},

		{"done again under its key: at once, and unbilled", usual(func(c *provider.Config) { c.ReplaysKeys = true }),
			[]sent{{Request: Request{Key: 7}}, {at: 4 * s, Request: Request{Key: 7}}}, []string{
				"received 50ms, 200 3.1s, " + whole,
				"received 4.05s, 200 4.1s, charged 150 = 100 + 50, billed 0 + 0 = 0",
			}},

		{"60 tokens are in the cache for 5 s from the start of the request before: they cost half",
			usual(), []sent{{terms: cooling, Request: cached}, {at: 4 * s, terms: cooling, Request: cached},
				{at: 10 * s, terms: cooling, Request: cached}}, []string{
				"received 50ms, 200 3.1s, charged 90 = 60 + 30, billed 100 + 20 = 110, worked, 60 cached",
				"received 4.05s, 200 7.1s, charged 90 = 60 + 30, billed 100 + 20 = 110, worked, 60 cached",
				"received 10.05s, 200 13.1s, " + whole,
			}},
		{"the start is when a request was received, at 1.05 s, not when its turn came, at 3.05 s", usual(oneSlot),
			[]sent{{}, {at: 1 * s, terms: cooling, Request: cached}, {at: 6100 * ms, terms: cooling, Request: cached}},
			[]string{
				"received 50ms, 200 3.1s, " + whole,
				"received 1.05s, 200 6.1s, charged 90 = 60 + 30, billed 100 + 20 = 110, worked, 60 cached",
				"received 6.15s, 200 9.2s, " + whole,
			}},
		{"a request that stops before its first token keeps nothing there", usual(stops), []sent{
			{at: 4 * s, leaves: 4500 * ms, terms: cooling, Request: cached},
			{at: 6 * s, terms: cooling, Request: cached},
		}, []string{
			"received 4.05s, gone 4.5s, charged 90 = 40 + 50, billed 100 + 0 = 70, 60 cached",
			"received 6.05s, 200 9.1s, " + whole,
		}},

		{"60 tokens that calls share: two write them before either has begun, at 1.05 s, when the third reads them",
			usual(), []sent{{terms: sharing, Request: shared}, {at: 500 * ms, terms: sharing, Request: shared},
				{at: 1 * s, terms: sharing, Request: shared}}, []string{
				"received 50ms, 200 3.1s, " + whole + ", 60 written",
				"received 550ms, 200 3.6s, " + whole + ", 60 written",
				"received 1.05s, 200 4.1s, " + hit,
			}},
		{"they live for 5 s from 1.05 s, when the second was received: the third comes a nanosecond before their end",
			usual(), []sent{{terms: sharing, Request: shared}, {at: 1 * s, terms: sharing, Request: shared},
				{at: 6*s - 1, terms: sharing, Request: shared}, {at: 6 * s, terms: sharing, Request: shared}}, []string{
				"received 50ms, 200 3.1s, " + whole + ", 60 written",
				"received 1.05s, 200 4.1s, " + hit,
				"received 6.049999999s, 200 9.099999999s, " + hit,
				"received 6.05s, 200 9.1s, " + whole + ", 60 written",
			}},
		{"another entry is not shared, nor one of a call of its own", usual(), []sent{
			{terms: sharing, Request: shared},
			{at: 2 * s, terms: sharing, Request: other},
			{at: 3 * s, terms: sharing, Request: shared},
		}, []string{
			"received 50ms, 200 3.1s, " + whole + ", 60 written",
			"received 2.05s, 200 5.1s, " + whole + ", 60 written",
			"received 3.05s, 200 6.1s, " + hit,
		}},
		{"an entry of 60 tokens is read by one who could read 80, who writes the other 20", usual(), []sent{
			{terms: sharing, Request: shared},
			{at: 2 * s, terms: sharing, Request: longer},
			{at: 4 * s, terms: sharing, Request: longer},
		}, []string{
			"received 50ms, 200 3.1s, " + whole + ", 60 written",
			"received 2.05s, 200 5.1s, " + hit + ", 20 written",
			"received 4.05s, 200 7.1s, charged 70 = 40 + 30, billed 100 + 20 = 100, worked, 80 cached",
		}},
		{"who stops before its first token has written nothing that others can read, but pays for it", usual(stops),
			[]sent{{leaves: 500 * ms, terms: sharing, Request: shared}, {at: 2 * s, terms: sharing, Request: shared}},
			[]string{
				"received 50ms, gone 500ms, charged 150 = 100 + 50, billed 100 + 0 = 100, 60 written",
				"received 2.05s, 200 5.1s, " + whole + ", 60 written",
			}},
		{"who goes while the provider goes on has written them", usual(),
			[]sent{{leaves: 500 * ms, terms: sharing, Request: shared}, {at: 2 * s, terms: sharing, Request: shared}},
			[]string{
				"received 50ms, gone 500ms, charged 150 = 120 + 30, billed 100 + 20 = 140, worked, 60 written",
				"received 2.05s, 200 5.1s, " + hit,
			}},
		{"the same where it waited for its slot, until 3.05 s, when it went", usual(oneSlot), []sent{
			{},
			{at: 1 * s, leaves: 2 * s, terms: sharing, Request: shared},
			{at: 3500 * ms, terms: sharing, Request: shared},
			{at: 4 * s, terms: sharing, Request: shared},
		}, []string{
			"received 50ms, 200 3.1s, " + whole,
			"received 1.05s, gone 2s, charged 150 = 120 + 30, billed 100 + 20 = 140, worked, 60 written",
			"received 3.55s, 200 9.1s, " + whole + ", 60 written", // at 4.05 s the answer before has begun
			"received 4.05s, 200 12.1s, " + hit,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			compare(t, live(t, c.config, c.requests), c.want)
		})
	}
}

// 60 of 100 tokens come from the cache at half the price.
const hit = "charged 90 = 60 + 30, billed 100 + 20 = 110, worked, 60 cached"

var (
	sharing = Terms{Lifetime: 5 * s, Writes: true}
	shared  = Request{Request: provider.Request{Cached: 60}, Entry: 1}
	longer  = Request{Request: provider.Request{Cached: 80}, Entry: 1}
	other   = Request{Request: provider.Request{Cached: 60}, Entry: 2}
	cooling = Terms{Lifetime: 5 * s}
	cached  = Request{Request: provider.Request{Cached: 60}}
)

// gateway adds 50 ms there and back: a hop of 75 ms.
func gateway(c *provider.Config) {
	c.Gateway = provider.Gateway{Latency: 50 * ms, Retries: 2, Wait: 300 * ms}
}

// A batch of two: a step takes 100 ms and 100 ms for each stream, and makes a token of each. The first stream
// begins at 50 ms and has 5 tokens when the second comes at 1.05 s; both make one every 300 ms then.
func TestLivesInABatch(t *testing.T) {
	batch := func(c *provider.Config) {
		c.Capacity = provider.Capacity{Slots: 2, Batching: &provider.Batching{Step: 100 * ms, PerStream: 100 * ms}}
	}
	for _, c := range []struct {
		name     string
		config   provider.Config
		requests []sent
		want     []string
	}{
		{"the first has 15 tokens to go, until 5.55 s; the second the last 5 alone, until 6.55 s", usual(batch),
			[]sent{{terms: watched}, {at: 1 * s, terms: watched}}, []string{
				"began 300ms, received 50ms, 200 5.6s, " + whole,
				"began 1.4s, received 1.05s, 200 6.6s, " + whole,
			}},
		{"the first stops at 2.7 s, after 5 + 5.5 steps; the second takes its other 14.5 alone, until 5.6 s",
			usual(batch, stops), []sent{{leaves: 2650 * ms}, {at: 1 * s}}, []string{
				"received 50ms, gone 2.65s, charged 150 = 110 + 40, billed 100 + 10 = 120",
				"received 1.05s, 200 5.65s, " + whole,
			}},
		{"the first stalls after 10 tokens, at 2.55 s; the second has 5 by then and takes its other 15 alone",
			usual(batch, fault(provider.Break{Part: 0.5, Silent: true})),
			[]sent{{leaves: 10 * s, terms: watched}, {at: 1 * s}}, []string{
				"began 300ms, silent 2.6s, received 50ms, gone 10s, charged 150 = 110 + 40, billed 100 + 10 = 120",
				"received 1.05s, 200 5.6s, " + whole,
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			compare(t, live(t, c.config, c.requests), c.want)
		})
	}
}

// A stream of 20 tokens, 5 of them reasoning, that breaks after 10: its first token is seen 1.6 s after it was sent
// and its last 0.5 s later, five tokens in all, 100 ms from one to the next.
func TestWhatAClientSees(t *testing.T) {
	c := usual(fault(provider.Break{Part: 0.5}))
	var loop sim.Loop[Event]
	b, err := New(&c, 1, &loop, 0)
	if err != nil {
		t.Fatal(err)
	}
	var result Result
	r := b.New(&result)
	r.Terms, r.Prompt, r.Output, r.Reasoning = &watched, 100, 20, 5
	b.Send(r)
	until := func(want News) {
		for news := Nothing; news != want; {
			e, _ := loop.Next()
			news, _ = b.Handle(e)
		}
	}
	due := func(reply, first sim.Time) {
		t.Helper()
		if at, f := b.Due(r); at != reply || f != first {
			t.Errorf("at %v reply and first token are due at %v and %v, want %v and %v", loop.Now(), at, f, reply,
				first)
		}
	}
	due(sim.Never, sim.Never)
	until(Taken)
	due(2100*ms, 1600*ms)
	until(Began)
	due(2100*ms, sim.Never)
	between, constant := b.Between(r)
	output, hidden, span := b.Answer(r)
	if loop.Now() != 1600*ms || between != 100*ms || !constant || output != 10 || hidden != 5 || span != 500*ms {
		t.Errorf("at %v %d tokens, %d of them hidden, over %v, %v apart; want at 1.6s 10 and 5 over 500ms, 100ms apart",
			loop.Now(), output, hidden, span, between)
	}
	until(Replied)
	for at, want := range map[sim.Time]int{1600 * ms: 0, 1850 * ms: 2, 2100 * ms: 5} {
		if got := b.Shown(r, at); got != want {
			t.Errorf("%d tokens shown by %v, want %d", got, at, want)
		}
	}
}

func compare(t *testing.T, got, want []string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
