package policy

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stampede/wire"
)

// desk drives an instance as its fleet would, without a model.
type desk struct {
	*Instance
	now      time.Duration
	requests [26]Request
	granted  [26]Admission
}

// do takes one step: a time that passes ("3s"), or an act of the call of that letter:
//
//	admit a [0.4]  asks, at that uniform number; expire a asks at the instant it is given up
//	retry a        asks for a retry
//	hedge a        asks for an attempt beside it
//	done a, fail a its attempt ends, with a place given back; drop a: cut off by its client
//	leave a        it leaves the queue at the gate
//	pace           those in line at the pacer are let go
//
// The answer is that to the request, or the calls that may ask again.
func (d *desk) do(t *testing.T, step string) string {
	t.Helper()
	if span, err := time.ParseDuration(step); err == nil {
		d.now += span
		return ""
	}
	var verb, who string
	u := 0.5
	if fmt.Sscan(step, &verb, &who, &u); verb == "pace" {
		return d.paced()
	}
	i := uint32(who[0] - 'a')
	r := &d.requests[i]
	if r.Role = FirstTry; verb == "retry" {
		r.Role = Retried
	}
	r.Caller, r.Need, r.U, r.Expired = Waiter{ID: i}, Need{1}, u, verb == "expire"
	switch verb {
	case "admit", "expire", "retry":
		d.granted[i] = d.Admit(d.now, r)
		a := d.granted[i]
		if (a.Action == Refuse || a.Action == PassOn) && a.By != ByExpiry {
			return a.text() + " " + a.Outcome().String()
		}
		return a.text()
	case "hedge":
		beside := *r
		beside.Role = Hedged
		return d.AdmitHedge(d.now, &beside).text()
	case "leave":
		d.CancelAtGate()
		r.Caller.Ticket = 1
		return ""
	case "done", "fail", "drop":
		reply := wire.Reply{Status: 200}
		if verb == "fail" {
			reply.Status = 500
		}
		a := d.granted[i]
		d.Done(d.now, &Ended{Generation: a.Generation, Reply: &reply, Cancelled: verb == "drop"})
	default:
		t.Fatalf("no step %q", step)
	}
	var next []string
	name := func(w Waiter) string { return string(rune('a' + w.ID)) }
	for w, ok := d.NextBlocked(0); ok; w, ok = d.NextBlocked(0) {
		next = append(next, name(w))
	}
	if r.Placed {
		d.Release()
		for w, ok := d.NextAtGate(); ok; w, ok = d.NextAtGate() {
			if d.requests[w.ID].Caller.Ticket != w.Ticket {
				d.SkipCancelled()
				continue
			}
			d.requests[w.ID].Placed = true
			next = append(next, name(w))
		}
	}
	*r = Request{}
	return strings.Join(next, " ")
}

// paced lets those in line at the pacer go for whom there is room, and names them.
func (d *desk) paced() string {
	var next []string
	for w, wait, ok := d.FirstAtPacer(d.now); ok && wait == 0; w, wait, ok = d.FirstAtPacer(d.now) {
		d.NextAtPacer()
		d.requests[w.ID].Paced = true
		next = append(next, string(rune('a'+w.ID)))
	}
	return strings.Join(next, " ")
}

// text is an admission in words.
func (a Admission) text() string {
	s := a.Action.String()
	if a.Action == Go {
		return s
	}
	s += " " + a.By.String()
	if a.Action == Wait {
		s += " " + a.Wait.String()
	}
	return s
}

// Each row is a client and a script of "step: answer".
func TestAdmission(t *testing.T) {
	trips := Breaker{InARow: 1, Open: 10 * s}
	held, moves, retries := trips, trips, trips
	retries.Stops = OnlyRetries
	later := retries
	later.WhenOpen = HoldBack
	held.WhenOpen, moves.WhenOpen = HoldBack, FallBack
	bucket := Pacer{Bucket: PaceBucket{Rate: 1, Burst: 1}}
	for _, c := range []struct {
		name   string
		client Client
		script string
	}{
		{"nothing holds an attempt up", Client{}, "admit a: go; hedge a: go"},
		{"what is given up at this instant is not sent", Client{}, "expire a: refuse expiry"},
		{"a gate of one: the second waits for its turn and then asks again", Client{Gate: Gate{Semaphore: 1}},
			"admit a: go; admit b: queue gate; admit c: queue gate; done a: b; admit b: go; done b: c; admit c: go"},
		{"the last goes first", Client{Gate: Gate{Semaphore: 1, Order: LastInFirstOut}},
			"admit a: go; admit b: queue gate; admit c: queue gate; done a: c"},
		{"one that left the queue is skipped, and makes room there at once",
			Client{Gate: Gate{Semaphore: 1, Room: 1}},
			"admit a: go; admit b: queue gate; admit c: refuse gate shed; leave b; admit c: queue gate; done a: c"},
		{"no room at the gate", Client{Gate: Gate{Semaphore: 1, Room: NoRoom}},
			"admit a: go; admit b: refuse gate shed; done a; admit b: go"},
		{"a bucket of one a second: each waits in line for its own room", Client{Pacer: bucket},
			"admit a: go; admit b: queue pacer; admit c: queue pacer; pace; 1s; pace: b; admit b: go; " +
				"admit d: queue pacer; 1s; pace: c; admit c: go; 5s; pace: d; admit e: queue pacer"},
		{"the gate is asked before the pacer: a call in the queue takes no room",
			Client{Gate: Gate{Semaphore: 1}, Pacer: bucket},
			"admit a: go; admit b: queue gate; 1s; done a: b; admit b: go"},
		{"the pacer is asked before expiry: the room of one second is spent", Client{Pacer: bucket},
			"admit a: go; expire b: queue pacer; 1s; pace: b; expire b: refuse expiry; admit c: queue pacer"},
		{"an open breaker fails calls", Client{Breaker: trips},
			"admit a: go; fail a; admit b: refuse breaker breaker_open; 10s; admit b: go"},
		{"or sends them to the next target", Client{Breaker: moves},
			"admit a: go; fail a; admit b: pass_on breaker breaker_open"},
		{"or makes them wait: until it is half-open, and then for the probe", Client{Breaker: held},
			"admit a: go; fail a; 4s; admit b: wait breaker 6s; 6s; admit b: go; " +
				"admit c: queue breaker; done b: c; admit c: go"},
		{"or stops retries and hedges only; what passes it shows nothing, so it is half-open after the same time",
			Client{Breaker: retries},
			"admit a: go; fail a; admit b: go; hedge b: refuse breaker; retry a: refuse breaker breaker_open; " +
				"done b; retry a: refuse breaker breaker_open; admit c: go; fail c; 10s; " +
				"retry a: go; done a; retry b: go"},
		{"a first attempt is its probe, where one is wanted; others pass beside it", Client{Breaker: retries},
			"admit a: go; fail a; 10s; admit b: go; admit c: go; retry d: refuse breaker breaker_open; done c; " +
				"retry d: refuse breaker breaker_open; done b; retry d: go"},
		{"a first attempt passes where retries wait", Client{Breaker: later},
			"admit a: go; fail a; 4s; retry a: wait breaker 6s; admit b: go"},
		{"a probe that fails opens it again", Client{Breaker: held},
			"admit a: go; fail a; 10s; admit b: go; admit c: queue breaker; fail b: c; admit c: wait breaker 10s"},
		{"a probe that its client cuts off makes room for another", Client{Breaker: held},
			"admit a: go; fail a; 10s; admit b: go; admit c: queue breaker; drop b: c; admit c: go"},
		{"before an open breaker no room is taken at the pacer", Client{Breaker: held, Pacer: bucket},
			"admit a: go; fail a; admit b: wait breaker 10s; 10s; admit b: go"},
		{"room at the pacer is kept before a breaker that opened since", Client{Breaker: held, Pacer: bucket},
			"admit a: go; admit b: queue pacer; fail a; 1s; pace: b; admit b: wait breaker 9s; 9s; " +
				"admit b: go; admit c: queue breaker"},
		// With requests r and no accepts the share refused is r/(r+1): 0, 1/2, 2/3.
		{"the throttle refuses at random", Client{Throttle: Throttle{K: 1, Window: 60 * s}},
			"admit a 0.01: go; admit b 0.49: pass_on throttle shed; admit b 0.67: go"},
		// At 10 s the 1 request of before is out of the window of 5 s, and 3 come at once.
		{"a probe that the throttle refuses is none", Client{Breaker: held, Throttle: Throttle{K: 1, Window: 5 * s}},
			"admit a: go; fail a; 10s; admit b: go; drop b; " +
				"admit c 0.49: pass_on throttle shed; admit d 0.99: go"},
		{"a hedge takes no place that is not free, and no room that is not there",
			Client{Gate: Gate{Semaphore: 2}, Pacer: bucket},
			"admit a: go; hedge a: refuse pacer; 1s; hedge a: go; hedge a: refuse gate; admit b: queue gate"},
		{"a hedge does not queue for a probe", Client{Breaker: held},
			"admit a: go; fail a; 10s; admit b: go; hedge b: refuse breaker; done b"},
	} {
		d := desk{Instance: NewInstances(&c.client, 1, 2, nil).At(0)}
		for i, line := range strings.Split(c.script, "; ") {
			step, want, _ := strings.Cut(line, ": ")
			if got := d.do(t, step); got != want {
				t.Errorf("%s: step %d, %s: %q, want %q", c.name, i+1, step, got, want)
				break
			}
		}
	}
}

// Instances share a gate or a pacer only where the policy says so; the breaker is each one's own.
func TestInstancesShare(t *testing.T) {
	for _, scope := range []Scope{PerInstance, ForAll} {
		c := Client{
			Gate:  Gate{Semaphore: 1, Scope: scope},
			Pacer: Pacer{Bucket: PaceBucket{Rate: 1, Burst: 2}, Scope: scope},
		}
		both := NewInstances(&c, 2, 1, nil)
		both.At(0).Admit(0, &Request{})
		a := both.At(1).Admit(0, &Request{})
		if got := a.Action == Queue; got != (scope == ForAll) {
			t.Errorf("one for %v: the second instance must %v", scope, a.Action)
		}
	}
	c := Client{Breaker: Breaker{InARow: 1, Open: s}}
	both := NewInstances(&c, 2, 1, nil)
	a := both.At(0).Admit(0, &Request{})
	both.At(0).Done(0, &Ended{Generation: a.Generation, Reply: &wire.Reply{Status: 500}})
	if a := both.At(1).Admit(0, &Request{}); a.Action != Go {
		t.Errorf("the breaker of another instance is open: %v", a.text())
	}
}

// A client with a retry loop alone remembers nothing: a million instances are one, which refuses what is given up
// at this very instant and lets all else go.
func TestInstancesWithoutMemory(t *testing.T) {
	c := Client{Retry: Retry{Attempts: 6}, Timeouts: Timeouts{Call: s}, Outer: []Layer{{Name: "queue"}}}
	const n = 1_000_000
	all := NewInstances(&c, n, 2, nil)
	m := all.At(n - 1)
	if all.Len() != n || m != all.At(0) {
		t.Errorf("%d instances, all the same: %v; want %d that are", all.Len(), m == all.At(0), n)
	}
	for range 2 {
		if a := m.Admit(0, &Request{}); a.Action != Go {
			t.Errorf("%v, want go", a.text())
		}
		if a := m.Admit(0, &Request{Expired: true}); a.Action != Refuse || a.By != ByExpiry {
			t.Errorf("given up at this instant: %v, want refuse expiry", a.text())
		}
		if n := m.Sent(0, FirstTry); n != 0 {
			t.Errorf("%d in flight at no gate", n)
		}
		m.Done(s, &Ended{Reply: &wire.Reply{Status: 500}})
		if cost, ok := m.GrantRetry(s, &wire.Reply{Status: 500}); cost != 0 || !ok {
			t.Errorf("a retry costs %g (%v), want 0 (true)", cost, ok)
		}
	}
	all.CheckReturned()
	for name, c := range map[string]Client{
		"gate":     {Gate: Gate{Semaphore: 1}},
		"pacer":    {Pacer: Pacer{Cubic: true}},
		"breaker":  {Breaker: Breaker{InARow: 1}},
		"throttle": {Throttle: Throttle{K: 1}},
		"budget":   {Budget: Budget{Share: Share{Ratio: 1}}},
		"hedge":    {Hedge: Hedge{After: s}},
		"fallback": {Fallback: Fallback{On: true}},
		"route":    {Route: Route{Cooldown: Cooldown{Failures: 1}}},
	} {
		if both := NewInstances(&c, 2, 1, []float64{1}); both.Len() != 2 || both.At(0) == both.At(1) {
			t.Errorf("%s: two instances are one", name)
		}
	}
}

// Whatever the policy and the order of events: a wait is at least a nanosecond; after a wait at
// the pacer no other is asked for there; and when every attempt has ended nothing is held.
func TestAdmissionIsAlwaysSane(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Client{
			Gate: Gate{Semaphore: rapid.IntRange(0, 3).Draw(t, "gate"), Room: rapid.IntRange(-1, 2).Draw(t, "room")},
			Pacer: Pacer{Bucket: PaceBucket{
				Rate:  rapid.SampledFrom([]float64{0, 0.3, 7, 1e9}).Draw(t, "rate"),
				Burst: rapid.Float64Range(0, 3).Draw(t, "burst"),
			}},
			Breaker: Breaker{
				InARow: rapid.IntRange(0, 2).
					Draw(t, "in a row"),
				Open: s, Probes: rapid.IntRange(0, 2).Draw(t, "probes"),
				WhenOpen: WhenOpen(rapid.IntRange(0, 2).Draw(t, "when open")),
			},
			Throttle: Throttle{K: rapid.SampledFrom([]float64{0, 1.5}).Draw(t, "k"), Window: 10 * s},
		}
		m := NewInstances(&c, 1, 1, nil).At(0)
		var now time.Duration
		var requests [8]Request
		var flying [8]*Admission
		waiting := [8]bool{} // in a queue
		next := func() {
			for w, ok := m.NextBlocked(0); ok; w, ok = m.NextBlocked(0) {
				waiting[w.ID] = false
			}
			for w, wait, ok := m.FirstAtPacer(now); ok && wait == 0; w, wait, ok = m.FirstAtPacer(now) {
				m.NextAtPacer()
				waiting[w.ID], requests[w.ID].Paced = false, true
			}
		}
		release := func(i int) {
			if requests[i].Placed {
				m.Release()
				for w, ok := m.NextAtGate(); ok; w, ok = m.NextAtGate() {
					waiting[w.ID], requests[w.ID].Placed = false, true
				}
			}
			requests[i] = Request{}
		}
		end := func(i int, status int) {
			m.Done(now, &Ended{Generation: flying[i].Generation, Reply: &wire.Reply{Status: status}})
			next()
			flying[i] = nil
			release(i)
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now += time.Duration(rapid.IntRange(0, int(s)).Draw(t, "passes"))
			next()
			i := rapid.IntRange(0, len(requests)-1).Draw(t, "call")
			switch r := &requests[i]; {
			case waiting[i]:
			case flying[i] != nil:
				end(i, rapid.SampledFrom([]int{200, 500}).Draw(t, "status"))
			default:
				r.Caller.ID, r.U = uint32(i), rapid.Float64Range(0, 1).Draw(t, "u")
				paced := r.Paced
				a := m.Admit(now, r)
				switch a.Action {
				case Go:
					flying[i] = &a
				case Wait:
					if a.Wait < 1 || a.By == ByPacer && paced {
						t.Fatalf("%s, paced before %v", a.text(), paced)
					}
				case Queue:
					waiting[i] = true
				case Refuse:
					next()
					release(i)
				}
			}
		}
		for range requests {
			now += time.Minute
			next() // room at the pacer for all that wait there
			for i := range requests {
				if flying[i] != nil {
					end(i, 200)
				}
				if !waiting[i] {
					release(i)
				}
			}
		}
		m.checkReturned()
	})
}
