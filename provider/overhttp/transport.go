// Package overhttp puts a simulated provider behind an [http.RoundTripper], so that
// any Go program can test its own retry code against it: real statuses, headers and
// bodies in the provider's dialect, and the waits that belong to them. In a
// testing/synctest bubble those waits are virtual:
//
//	synctest.Test(t, func(t *testing.T) {
//		api, err := overhttp.New(config, 1)
//		...
//		client := openai.NewClient(option.WithHTTPClient(&http.Client{Transport: api}))
//		... // 40 workers, two hours, in a fraction of a second
//	})
//
// The provider is a [backend.Backend], the very one that a simulated fleet calls, played on the wall
// clock. What reads requests and writes answers is here:
//
//   - A request is sized as real APIs size it: max_tokens as declared, the prompt by an estimate of four
//     bytes a token. [Transport.Output] and [Transport.Size] say what a request does not show.
//   - Its key (Authorization: Bearer, x-api-key, x-goog-api-key, api-key or ?key=) and its model (of the
//     body, or of the path for Gemini and Azure) are those of a tenant of the provider. The first tenant
//     that has both is meant, where one without a key or a model takes any; without such a tenant the
//     first of all.
//   - Idempotency-Key is the key under which a provider that replays keys finds work that was done.
//   - x-stampede-call is the number of the call that it belongs to, and x-stainless-retry-count, which
//     many SDKs send, the number of the attempt less one. With the seed of a simulation they give it the
//     luck of that attempt in its first replication. A request without x-stampede-call is a call of its
//     own, counted from 0: send it with every request or with none.
package overhttp

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"time"

	"stampede/backend"
	"stampede/cost"
	"stampede/provider"
	"stampede/sim"
	"stampede/wire"
)

// Transport is a provider that answers HTTP requests. Use New. It is safe for
// concurrent use; its fields are set before that.
type Transport struct {
	// Output is the number of tokens of the answer to call k, counted from 0; nil means 16 each. An answer
	// ends at max_tokens.
	Output func(k uint64) int
	// Size completes a request that is about to be sent with what it does not show: cached tokens of its
	// prompt, reasoning, or terms of its own, such as the price of its model. It may be nil.
	Size func(*backend.Request)
	// Terms are those of all requests: the price, which limits on dollars need, and the cache of prompts. A
	// request says itself whether its answer is a stream.
	Terms backend.Terms
	// Seen is called once for each request, when its reply is complete or its client disconnects: one
	// after the other, in the order of time. It must not use the transport. It may be nil.
	Seen func(Exchange)

	config  provider.Config
	clock   clock
	backend *backend.Backend
	pending map[uint32]*exchange // by their numbers at the backend
	calls   uint64
	warm    map[uint64]sim.Time // when the first request of a numbered call was sent, where prompts cool down
}

// Exchange is one request and what became of it.
type Exchange struct {
	Request provider.Request
	Sent    time.Duration // since New
	Arrived time.Duration // at the provider; -1 when it never got there
	Ended   time.Duration // the reply was complete, or its client went
	backend.Result
}

// New makes a transport whose provider starts now. It reports a configuration that makes no sense.
func New(c provider.Config, seed uint64) (*Transport, error) {
	t := &Transport{config: c, pending: map[uint32]*exchange{}, warm: map[uint64]sim.Time{}}
	t.clock.start, t.clock.handle = time.Now(), t.handle
	var err error
	t.backend, err = backend.New(&t.config, sim.NewKey(seed, 0).For(backend.ForProvider), &t.clock.loop, 0)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	ask, err := read(req)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	x := t.send(&ask)
	stop := context.AfterFunc(ctx, func() { t.leave(x) })
	select {
	case <-x.began:
		return t.respond(req, x.head, x.left, &stream{Transport: t, exchange: x, ctx: ctx, stop: stop}), nil
	case <-x.over:
	}
	reply := &x.result.Reply
	switch {
	case x.abandoned:
		return nil, context.Cause(ctx)
	case ask.stream && (reply.Failure == wire.InStream || reply.Failure == wire.None && reply.Status < 300):
		return t.respond(req, x.head, x.left, &stream{Transport: t, exchange: x, ctx: ctx, stop: stop}), nil
	}
	stop()
	switch {
	case reply.Failure == wire.Connection && x.result.Received < 0:
		return nil, unconnected(req, x.send.Reach())
	case reply.Failure == wire.InStream: // the error stands in place of the answer
		body := io.NopCloser(strings.NewReader(ask.shape.failed(reply.Code)))
		return t.respond(req, *reply, x.left, body), nil
	case reply.Failure != wire.None: // an answer in one piece breaks before anything of it is sent
		return nil, syscall.ECONNRESET
	case reply.Status < 300:
		return t.respond(req, *reply, x.left, io.NopCloser(strings.NewReader(ask.shape.whole(&x.answer)))), nil
	}
	return t.respond(req, *reply, x.left, nil), nil
}

// unconnected is the error of a request that never got to the provider.
func unconnected(req *http.Request, reach provider.Reachability) error {
	switch reach {
	case provider.NoName:
		return &net.DNSError{Err: "server misbehaving", Name: req.URL.Hostname(), IsTemporary: true}
	case provider.NoTLS:
		return tls.AlertError(40) // handshake_failure (RFC 8446)
	case provider.ResetConn:
		return syscall.ECONNRESET
	}
	return syscall.ECONNREFUSED
}

// exchange is a request under way. What is below the channels is written before they are closed.
type exchange struct {
	ask    asked
	send   *backend.Flight
	terms  backend.Terms
	sent   sim.Time
	ended  bool
	result backend.Result

	began, over chan struct{} // closed when the client has the first token of a stream, and at the end
	answer      answer
	head        wire.Reply // of a stream
	left        sim.Time   // when the reply left, or its head
	first       sim.Time   // at the client
	span        time.Duration
	abandoned   bool // by the client
	silent      bool // its end never comes
}

// send starts the life of a request.
func (t *Transport) send(ask *asked) *exchange {
	x := &exchange{ask: *ask, began: make(chan struct{}), over: make(chan struct{})}
	t.clock.do(func() {
		x.sent = t.clock.loop.Now()
		x.send = t.backend.New(&x.result)
		t.pending[x.send.Number()] = x
		t.fill(x)
		t.backend.Send(x.send)
	})
	return x
}

// fill says what is sent.
func (t *Transport) fill(x *exchange) {
	r, ask := x.send, &x.ask
	x.terms = t.Terms
	x.terms.Stream, x.terms.Watched = ask.stream, ask.stream
	r.Owner, r.Terms, r.Key = r.Number(), &x.terms, ask.idempotency
	r.Attempt, r.Prompt, r.MaxTokens, r.Tenant = ask.attempt, ask.prompt, ask.maxTokens, t.tenant(ask)
	if r.Call = ask.call; !ask.numbered {
		r.Call = t.calls
		t.calls++
	}
	r.Output = 16
	if t.Output != nil {
		r.Output = int32(t.Output(r.Call))
	}
	if t.Size != nil {
		t.Size(&r.Request)
	}
	if r.MaxTokens > 0 {
		r.Output = min(r.Output, int32(r.MaxTokens))
	}
	r.Reasoning = min(r.Reasoning, r.Output)
	r.Warm = t.warmSince(x)
}

// warmSince is when the call of a request arrived, as far as that is known: its prompt is in the cache then.
func (t *Transport) warmSince(x *exchange) sim.Time {
	if !x.ask.numbered || x.terms.Lifetime == 0 {
		return x.sent
	}
	since, known := t.warm[x.ask.call]
	if !known {
		since = x.sent
		t.warm[x.ask.call] = since
	}
	return since
}

// tenant is the one that a request belongs to.
func (t *Transport) tenant(ask *asked) int {
	return max(0, slices.IndexFunc(t.config.Tenants, func(c provider.Tenant) bool {
		return (c.Key == "" || c.Key == ask.key) && (c.Model == "" || c.Model == ask.model)
	}))
}

// handle is an event of the backend.
func (t *Transport) handle(e backend.Event) {
	switch news, id := t.backend.Handle(e); news {
	case backend.Began:
		t.begin(t.pending[id])
	case backend.Replied:
		t.end(t.pending[id])
	}
}

// begin is the first token of a stream at its client, unless it breaks before there is anything to see.
func (t *Transport) begin(x *exchange) {
	if t.take(x); x.answer.words() > 0 || x.result.Reply.Failure == wire.None {
		close(x.began)
	}
}

// end is the end of a request, by its reply or because its client goes.
func (t *Transport) end(x *exchange) {
	x.ended = true
	select {
	case <-x.began:
	default:
		t.take(x)
	}
	if t.Seen != nil {
		t.Seen(Exchange{
			Request: x.send.Request.Request, Sent: x.sent, Arrived: x.result.Received, Ended: t.clock.loop.Now(),
			Result: x.result,
		})
	}
	delete(t.pending, x.send.Number())
	t.backend.Release(x.send)
	close(x.over)
}

// take takes note of an answer that begins now, or is there.
func (t *Transport) take(x *exchange) {
	x.first = t.clock.loop.Now()
	x.left = x.first - t.backend.RoundTrip()/2
	x.head = wire.Reply{Status: http.StatusOK, Quotas: x.result.Reply.Quotas}
	output, hidden, span := t.backend.Answer(x.send)
	x.span, x.silent = span, x.send.Silent()
	x.answer = answer{call: x.send.Call, Usage: cost.Usage{
		Prompt: x.send.Prompt, Cached: x.send.Cached, Output: int(output), Reasoning: int(hidden),
	}}
	if x.terms.Writes {
		x.answer.Written = x.answer.Prompt - x.answer.Cached
	}
}

// leave is the client going, unless the reply is there at this instant.
func (t *Transport) leave(x *exchange) {
	t.clock.do(func() {
		if x.ended {
			return
		}
		t.backend.CatchUp()
		if reply, _ := t.backend.Due(x.send); reply == t.clock.loop.Now() {
			return
		}
		x.abandoned = true
		x.result.Reply = wire.Reply{Failure: wire.Timeout}
		t.backend.Leave(x.send, false)
		t.end(x)
	})
}

// respond writes a reply that left at an instant in the provider's dialect.
func (t *Transport) respond(req *http.Request, reply wire.Reply, left sim.Time, body io.ReadCloser) *http.Response {
	m := t.config.Dialect.Write(reply, t.config.Over(&reply), t.clock.start, left)
	h := http.Header{"Content-Type": {"application/json"}}
	for _, f := range m.Header {
		h.Set(f.Name, f.Value)
	}
	if body == nil {
		body = io.NopCloser(strings.NewReader(m.Body))
	} else if _, ok := body.(*stream); ok {
		h.Set("Content-Type", "text/event-stream")
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", m.Status, http.StatusText(m.Status)), StatusCode: m.Status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: body, ContentLength: -1, Request: req,
	}
}
