// The page shows no such trace, and its engine goes without a library for JSON.

//go:build !js

package measure

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"stampede/fleet"
	"stampede/policy"
	"stampede/scenario"
	"stampede/sim"
)

// Trace collects one run as a Chrome trace (the "Trace Event Format", complete
// events and metadata), which Perfetto and chrome://tracing open: a process for
// each instance, a track for each worker, and on it the calls with their
// attempts and waits as slices. Slices of one track nest or are apart; attempts that
// overlap another one of their call, which are hedges, are on tracks beside it. Deliveries that may overlap
// have a track each, at their own worker. What instances adapt, such as the limit of their gate, is a counter
// of theirs. It is a fleet.WaitListener and a fleet.AdaptedListener. Use NewTrace.
type Trace struct {
	scenario *scenario.Scenario
	open     map[callName]*openCall // calls under way
	events   []traceEvent
	first    []int          // by fleet: its first instance
	lanes    []lanes        // by instance, over all fleets
	hedges   map[track]bool // tracks beside those of workers
}

// openCall is what has ended of a call so far.
type openCall struct {
	attempts []fleet.Attempt
	waits    []wait
}

type wait struct {
	kind     fleet.Wait
	delivery int32
	span
}

// track is a thread of a process in the trace.
type track struct{ pid, tid int }

// tracks is how many each worker has: for its calls, and for hedges.
const tracks = 1 + policy.MaxHedges

type traceEvent struct {
	Name string         `json:"name"`
	Cat  string         `json:"cat,omitempty"`
	Ph   string         `json:"ph"`
	Ts   float64        `json:"ts"` // microseconds
	Dur  *float64       `json:"dur,omitempty"`
	Pid  int            `json:"pid"`
	Tid  int            `json:"tid"`
	Args map[string]any `json:"args,omitempty"`
}

// callName tells calls of several fleets apart.
type callName struct {
	fleet int
	call  uint64
}

// NewTrace makes an empty trace of the scenario.
func NewTrace(s *scenario.Scenario) *Trace {
	t := &Trace{scenario: s, open: map[callName]*openCall{}, hedges: map[track]bool{}}
	for _, f := range s.Model.Fleets() {
		t.first = append(t.first, len(t.lanes))
		t.lanes = append(t.lanes, make([]lanes, f.Instances)...)
	}
	for i, f := range s.Model.Fleets() {
		for what := range fleet.Adapted(fleet.Adapteds) {
			n, start := f.Adapts(what)
			for instance := range n {
				t.Adapted(what, i, instance, 0, start)
			}
		}
	}
	return t
}

// Adapted implements fleet.AdaptedListener.
func (t *Trace) Adapted(what fleet.Adapted, of, instance int, at sim.Time, value float64) {
	f := t.scenario.Model.Fleets()[of]
	name := what.String()
	if n, _ := f.Adapts(what); n < f.Instances {
		name += " of all instances"
	}
	t.events = append(t.events, traceEvent{
		Name: name, Ph: "C", Ts: micro(at), Pid: t.first[of] + instance, Args: map[string]any{"value": value},
	})
}

// of is what is known of a call under way.
func (t *Trace) of(name callName) *openCall {
	if t.open[name] == nil {
		t.open[name] = &openCall{}
	}
	return t.open[name]
}

// Attempt implements fleet.Listener.
func (t *Trace) Attempt(a *fleet.Attempt) {
	c := t.of(callName{a.Fleet, a.Call})
	c.attempts = append(c.attempts, *a)
}

// Wait implements fleet.WaitListener.
func (t *Trace) Wait(c *fleet.Call, kind fleet.Wait, from, to sim.Time) {
	open := t.of(callName{int(c.Fleet), c.ID})
	open.waits = append(open.waits, wait{kind, c.Deliveries, span{from, to}})
}

// Call implements fleet.Listener.
func (t *Trace) Call(c *fleet.Call) {
	name := callName{int(c.Fleet), c.ID}
	open := t.of(name)
	delete(t.open, name)
	slices.SortFunc(open.attempts, func(a, b fleet.Attempt) int { return a.Number - b.Number })
	title := fmt.Sprintf("call %d: %v", c.ID, c.Outcome)
	args := map[string]any{
		"call": c.ID, "outcome": c.Outcome.String(), "attempts": c.Attempts, "prompt_tokens": c.Size.Prompt,
		"output_tokens": c.Size.Output,
		"usd_useful":    c.Useful.Dollars(), "usd_wasted": c.Waste.Total().Dollars(),
		"worker_wait_s": c.Waits[fleet.WorkerWait].Seconds(),
	}
	if !t.scenario.Model.Fleets()[c.Fleet].Workload.Redelivery.WhileWorking {
		t.add(t.first[c.Fleet]+int(c.Instance), span{c.Began, c.Ended}, title, args, open)
		return
	}
	for d := range c.Deliveries {
		if part, instance, at := open.delivery(d + 1); at.to > at.from {
			t.add(t.first[c.Fleet]+instance, at, fmt.Sprintf("%s, delivery %d", title, d+1), args, part)
		}
	}
}

// delivery is what ended of one delivery of a call whose deliveries may overlap, the instance that it was at, and
// the time of it. What the call waited for before is no part of it.
func (o *openCall) delivery(n int32) (part *openCall, instance int, at span) {
	part, at = &openCall{}, span{sim.Never, 0}
	for _, a := range o.attempts {
		if a.Delivery == int(n) {
			part.attempts = append(part.attempts, a)
			instance, at = a.Instance, span{min(at.from, a.Sent), max(at.to, a.Ended)}
		}
	}
	for _, w := range o.waits {
		if w.delivery == n && w.kind != fleet.WorkerWait && w.kind != fleet.RedeliveryWait {
			part.waits = append(part.waits, w)
			at = span{min(at.from, w.from), max(at.to, w.to)}
		}
	}
	return part, instance, at
}

// span is a time from one instant to another.
type span struct{ from, to sim.Time }

// add adds a call, or a delivery of one, with its waits and attempts to the lowest free track of an instance.
func (t *Trace) add(pid int, at span, title string, args map[string]any, of *openCall) {
	lane := tracks * t.lanes[pid].find(at)
	slice := func(beside int, name, cat string, at span, args map[string]any) {
		dur := micro(at.to - at.from)
		t.events = append(t.events, traceEvent{
			Name: name, Cat: cat, Ph: "X", Ts: micro(at.from), Dur: &dur, Pid: pid, Tid: lane + beside, Args: args,
		})
	}
	slice(0, title, "call", at, args)
	for _, w := range of.waits {
		if w.to > at.from { // the track is that of its worker, so what was before is no part of it
			slice(0, w.kind.String(), "wait", w.span, nil)
		}
	}
	var ends [tracks]sim.Time
	for i := range of.attempts {
		a := &of.attempts[i]
		beside := 0
		for ends[beside] > a.Sent {
			beside++
		}
		ends[beside] = a.Ended
		if beside > 0 {
			t.hedges[track{pid, lane + beside}] = true
		}
		name, args := t.describe(a)
		slice(beside, name, "attempt", span{a.Sent, a.Ended}, args)
	}
}

// describe names an attempt and says what a viewer shows beside it.
func (t *Trace) describe(a *fleet.Attempt) (name string, args map[string]any) {
	name = fmt.Sprintf("attempt %d: %v", a.Number, a.Class())
	args = map[string]any{
		"call":      a.Call,
		"attempt":   a.Number,
		"class":     a.Class().String(),
		"in_flight": a.InFlight,
		"usd":       a.Bill.Dollars(),
	}
	if a.Reply.Status > 0 {
		args["status"] = a.Reply.Status
	}
	if by := t.scenario.Model.RefusedBy(a); by != "" {
		name += " (" + by + ")"
		args["limit"] = by
	}
	if a.Cut != policy.NoTimer {
		args["cut_by"] = a.Cut.String()
	}
	return name, args
}

func micro(d time.Duration) float64 { return float64(d) / 1000 }

// lanes are tracks that calls take one after the other: the lowest one that is
// free from the beginning to the end of the call. The spans of each are in order of their ends.
type lanes [][]span

func (l *lanes) find(at span) int {
	for i, taken := range *l {
		free := true
		k := len(taken)
		for ; k > 0 && at.from < taken[k-1].to && free; k-- {
			free = at.to <= taken[k-1].from
		}
		if free {
			(*l)[i] = slices.Insert(taken, k, at)
			return i
		}
	}
	*l = append(*l, []span{at})
	return len(*l) - 1
}

// process names an instance: of which fleet, where there are several.
func (t *Trace) process(pid int) string {
	fleets := t.scenario.Model.Fleets()
	i := len(t.first) - 1
	for t.first[i] > pid {
		i--
	}
	name := t.scenario.Name
	if len(fleets) > 1 {
		name += ", " + fleets[i].Name
	}
	return fmt.Sprintf("%s, instance %d", name, pid-t.first[i])
}

// Write writes the trace as one JSON object.
func (t *Trace) Write(w io.Writer) error {
	var meta []traceEvent
	for pid, l := range t.lanes {
		meta = append(meta,
			traceEvent{Name: "process_name", Ph: "M", Pid: pid, Args: map[string]any{"name": t.process(pid)}})
		for tid := range l {
			for beside := range tracks {
				name := fmt.Sprintf("worker %d", tid)
				if at := (track{pid, tracks*tid + beside}); beside > 0 {
					if name += fmt.Sprintf(", hedge %d", beside); !t.hedges[at] {
						continue
					}
				}
				meta = append(
					meta,
					traceEvent{
						Name: "thread_name",
						Ph:   "M",
						Pid:  pid,
						Tid:  tracks*tid + beside,
						Args: map[string]any{"name": name},
					},
				)
			}
		}
	}
	enc := json.NewEncoder(w)
	return enc.Encode(struct {
		Events []traceEvent   `json:"traceEvents"`
		Unit   string         `json:"displayTimeUnit"`
		Other  map[string]any `json:"otherData"`
	}{append(meta, t.events...), "ms", map[string]any{"scenario": t.scenario.Name, "seed": t.scenario.Seed,
		"policy": t.scenario.Model.Client.Describe(), "provider": t.scenario.DescribeProvider()}})
}
