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
// A request is sized as real APIs size it: max_tokens as declared, the prompt by an
// estimate of four bytes a token. Output determines the length of the answer.
package overhttp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"stampede/provider"
	"stampede/sim"
	"stampede/wire"
)

// Transport is a provider that answers HTTP requests. Use New. It is safe for
// concurrent use.
type Transport struct {
	// Output is the number of tokens of the answer to request k, counted from 0; nil
	// means 16 each.
	Output func(k uint64) int
	// Seen is called once for each request, when its reply leaves or its client disconnects;
	// it may be nil.
	Seen func(Exchange)

	config provider.Config
	start  time.Time
	hop    time.Duration

	mu    sync.Mutex
	api   *provider.Provider
	calls uint64
	turns map[uint32]chan struct{} // requests that wait for a slot
	token uint32
}

// Exchange is one request and what became of it.
type Exchange struct {
	Request  provider.Request
	Arrived  time.Duration // at the provider, since New
	InFlight int           // requests at the provider then
	Reply    wire.Reply    // without a status when the client went first
}

// New makes a transport whose provider starts now. It reports invalid
// limits, and a batching server, which is not supported over HTTP.
func New(c provider.Config, seed uint64) (*Transport, error) {
	if c.Capacity.Batching != nil {
		return nil, errors.New("a batching server cannot be served over HTTP")
	}
	api, err := provider.New(c, sim.NewKey(seed, 0))
	if err != nil {
		return nil, err
	}
	return &Transport{
		config: c,
		start:  time.Now(),
		hop:    (c.RoundTrip + c.Gateway.Latency) / 2,
		api:    api,
		turns:  map[uint32]chan struct{}{},
	}, nil
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	ask, err := read(req)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	r := provider.Request{Call: t.calls, Attempt: 1, Prompt: ask.prompt, MaxTokens: ask.maxTokens}
	t.calls++
	reach := t.api.Reach(t.now(), &r)
	t.mu.Unlock()
	switch reach {
	case provider.RefusedConn:
		if err := sleep(ctx, 2*t.hop); err != nil {
			return nil, err
		}
		return nil, syscall.ECONNREFUSED
	case provider.Unreachable:
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	if err := sleep(ctx, t.hop); err != nil {
		return nil, err
	}
	for relayed := 0; ; relayed++ {
		x := t.arrive(&r)
		if x.verdict.Kind == provider.Refused {
			if relayed < t.config.Gateway.Retries {
				if err := sleep(ctx, x.verdict.After+t.config.Gateway.Wait); err != nil {
					t.saw(x, wire.Reply{})
					return nil, err
				}
				r.Relay++
				continue
			}
			reply := x.verdict.Reply
			t.config.Gateway.Pass(&reply)
			if err := sleep(ctx, x.verdict.After+t.hop); err != nil {
				t.saw(x, wire.Reply{})
				return nil, err
			}
			t.saw(x, reply)
			return t.respond(req, reply, x.left, nil), nil
		}
		return t.serve(req, ask, x)
	}
}

// exchange is an Exchange under way.
type exchange struct {
	request  provider.Request
	verdict  provider.Verdict
	arrived  sim.Time
	left     sim.Time // when the reply leaves
	inFlight int
	token    uint32
	turn     chan struct{}
	seen     bool
}

func (t *Transport) now() sim.Time { return time.Since(t.start) }

// arrive is the provider's turn.
func (t *Transport) arrive(r *provider.Request) *exchange {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.token++
	now := t.now()
	r.Admitted = now
	x := &exchange{request: *r, arrived: now, left: now, token: t.token}
	t.api.Receive(now, &x.request, t.token, &x.verdict)
	x.inFlight = t.api.InFlight()
	if x.verdict.Kind == provider.Waiting {
		x.turn = make(chan struct{})
		t.turns[t.token] = x.turn
	}
	return x
}

// serve generates the answer to an admitted request.
func (t *Transport) serve(req *http.Request, ask asked, x *exchange) (*http.Response, error) {
	ctx := req.Context()
	if x.turn != nil {
		select {
		case <-x.turn:
		case <-ctx.Done():
			t.leaveQueue(ask, x)
			t.saw(x, wire.Reply{})
			return nil, context.Cause(ctx)
		}
	}
	if x.verdict.Hangs {
		<-ctx.Done()
		time.AfterFunc(t.hop, func() { t.finish(x, 0) })
		t.saw(x, wire.Reply{})
		return nil, context.Cause(ctx)
	}
	now := t.now()
	output, begins, first, last, end := t.generate(ask, x)
	gone := func() { // the client has left
		t.saw(x, wire.Reply{})
		if stop := t.now() + t.hop; t.stops(ask) && stop < last && end.Stop() {
			part := 0
			if stop > begins {
				part = int(float64(output) * float64(stop-begins) / float64(last-begins))
			}
			time.AfterFunc(t.hop, func() { t.finish(x, part) })
		}
	}
	reply := x.verdict.Reply
	t.config.Gateway.Pass(&reply)
	x.left = last
	if ask.stream && reply.Failure != wire.Connection || ask.stream && output > 0 {
		if err := sleep(ctx, first-now+t.hop); err != nil {
			gone()
			return nil, err
		}
		t.saw(x, reply)
		return t.respond(req, wire.Reply{Status: 200, Quotas: reply.Quotas}, x.left,
			t.stream(ctx, ask, reply, output, last-first, gone)), nil
	}
	if err := sleep(ctx, last-now+t.hop); err != nil {
		gone()
		return nil, err
	}
	t.saw(x, reply)
	if reply.Failure != wire.None { // an answer in one piece breaks before anything of it is sent
		return nil, syscall.ECONNRESET
	}
	return t.respond(req, reply, x.left, io.NopCloser(strings.NewReader(ask.shape.answer(x.request, output)))), nil
}

// generate begins the answer, of so many tokens, and ends it when its time is over.
func (t *Transport) generate(ask asked, x *exchange) (output int, begins, first, last sim.Time, end *time.Timer) {
	output = 16
	if t.Output != nil {
		output = t.Output(x.request.Call)
	}
	if ask.maxTokens > 0 {
		output = min(output, ask.maxTokens)
	}
	if x.verdict.Breaks {
		output = int(x.verdict.Part * float64(output))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	begins, first, last = t.api.Generate(now, &x.request, x.verdict.Slow, 0, output)
	return output, begins, first, last, time.AfterFunc(last-now, func() { t.finish(x, output) })
}

// stops reports whether the provider stops when its client goes.
func (t *Transport) stops(ask asked) bool {
	return t.config.Cancel == provider.Stops || (t.config.Cancel == provider.StopsStreams && ask.stream)
}

// leaveQueue is a client that goes before its turn: the provider forgets the request, or
// answers it for nobody when its turn comes.
func (t *Transport) leaveQueue(ask asked, x *exchange) {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-x.turn:
		go t.generate(ask, x) // its turn and its end came at once
		return
	default:
	}
	if t.stops(ask) {
		t.api.Leave(t.now(), &x.request, provider.Used{})
		delete(t.turns, x.token)
		return
	}
	go func() {
		<-x.turn
		if x.verdict.Hangs {
			t.finish(x, 0)
			return
		}
		t.generate(ask, x)
	}()
}

// finish settles a request and wakes the one whose turn has come, if it is still there.
func (t *Transport) finish(x *exchange, output int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	next, started := t.api.Finish(t.now(), &x.request, provider.Used{Output: output})
	for started {
		if turn, waits := t.turns[next]; waits {
			close(turn)
			delete(t.turns, next)
			return
		}
		next, started = t.api.SkipCancelled()
	}
}

// saw calls Seen once for a request; for a stream, when it begins.
func (t *Transport) saw(x *exchange, reply wire.Reply) {
	if x.seen {
		return
	}
	x.seen = true
	if t.Seen != nil {
		t.Seen(Exchange{Request: x.request, Arrived: x.arrived, InFlight: x.inFlight, Reply: reply})
	}
}

// respond writes a reply in the provider's dialect.
func (t *Transport) respond(req *http.Request, reply wire.Reply, left sim.Time, body io.ReadCloser) *http.Response {
	m := t.config.Dialect.Write(reply, t.start, left)
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
		Status: fmt.Sprintf("%d %s", m.Status,
			http.StatusText(m.Status)), StatusCode: m.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: body, ContentLength: -1, Request: req,
	}
}

// sleep waits, or less when the context ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// asked is what a request declares.
type asked struct {
	shape             shape
	prompt, maxTokens int
	stream            bool
}

// read sizes a request.
func read(req *http.Request) (asked, error) {
	var a asked
	a.shape, a.stream = shapeOf(req.URL)
	if req.Body == nil {
		return a, nil
	}
	defer req.Body.Close()
	data, err := io.ReadAll(req.Body)
	if err != nil {
		return a, err
	}
	const bytesPerToken = 4
	a.prompt = (len(data) + bytesPerToken - 1) / bytesPerToken
	var body struct {
		MaxTokens           int  `json:"max_tokens"`
		MaxCompletionTokens int  `json:"max_completion_tokens"`
		MaxOutputTokens     int  `json:"max_output_tokens"`
		Stream              bool `json:"stream"`
		GenerationConfig    struct {
			MaxOutputTokens int `json:"maxOutputTokens"`
		} `json:"generationConfig"`
	}
	if json.Unmarshal(data, &body) == nil { // what cannot be read declares nothing
		a.maxTokens = max(body.MaxTokens, body.MaxCompletionTokens, body.MaxOutputTokens,
			body.GenerationConfig.MaxOutputTokens)
		a.stream = a.stream || body.Stream && a.shape != gemini && a.shape != geminiArray
	}
	return a, nil
}
