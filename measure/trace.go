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
// overlap another one of their call, which are hedges, are on tracks beside it. What instances adapt, such as
// the limit of their gate, is a counter of theirs. It is a fleet.WaitListener and a fleet.AdaptedListener. Use
// NewTrace.
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
	from, to sim.Time
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
	open.waits = append(open.waits, wait{kind, from, to})
}

// Call implements fleet.Listener.
func (t *Trace) Call(c *fleet.Call) {
	name := callName{int(c.Fleet), c.ID}
	open := t.of(name)
	delete(t.open, name)
	pid := t.first[c.Fleet] + int(c.Instance)
	lane := tracks * t.lanes[pid].find(c)
	slice := func(beside int, name, cat string, from, to sim.Time, args map[string]any) {
		dur := micro(to - from)
		t.events = append(
			t.events,
			traceEvent{
				Name: name,
				Cat:  cat,
				Ph:   "X",
				Ts:   micro(from),
				Dur:  &dur,
				Pid:  pid,
				Tid:  lane + beside,
				Args: args,
			},
		)
	}
	slice(0, fmt.Sprintf("call %d: %v", c.ID, c.Outcome), "call", c.Began, c.Ended, map[string]any{
		"call": c.ID, "outcome": c.Outcome.String(), "attempts": c.Attempts, "prompt_tokens": c.Size.Prompt,
		"output_tokens": c.Size.Output,
		"usd_useful":    c.Useful.Dollars(), "usd_wasted": c.Waste.Total().Dollars(),
		"worker_wait_s": c.Waits[fleet.WorkerWait].Seconds(),
	})
	for _, w := range open.waits {
		if w.to > c.Began { // the track is that of its worker, so what was before is no part of it
			slice(0, w.kind.String(), "wait", w.from, w.to, nil)
		}
	}
	slices.SortFunc(open.attempts, func(a, b fleet.Attempt) int { return a.Number - b.Number })
	var ends [tracks]sim.Time
	for i := range open.attempts {
		a := &open.attempts[i]
		beside := 0
		for ends[beside] > a.Sent {
			beside++
		}
		ends[beside] = a.Ended
		if beside > 0 {
			t.hedges[track{pid, lane + beside}] = true
		}
		name, args := t.describe(a)
		slice(beside, name, "attempt", a.Sent, a.Ended, args)
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
// free from the beginning to the end of the call.
type lanes []([][2]sim.Time)

func (l *lanes) find(c *fleet.Call) int {
	for i := range *l {
		free := true
		for k := len((*l)[i]) - 1; k >= 0 && c.Began < (*l)[i][k][1]; k-- { // ends never fall
			if (*l)[i][k][0] < c.Ended {
				free = false
				break
			}
		}
		if free {
			(*l)[i] = append((*l)[i], [2]sim.Time{c.Began, c.Ended})
			return i
		}
	}
	*l = append(*l, [][2]sim.Time{{c.Began, c.Ended}})
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
		"policy": t.scenario.Model.Client.String(), "provider": t.scenario.DescribeProvider()}})
}
