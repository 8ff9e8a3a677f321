package experiments

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"stampede/fleet"
	"stampede/policy"
	"stampede/scenario"
	"stampede/sim"
)

// Trace collects one run as a Chrome trace (the "Trace Event Format", complete
// events and metadata), which Perfetto and chrome://tracing open: a process for
// each instance, a track for each worker, and on it the calls with their
// attempts and waits as slices. It is a fleet.Listener. Use NewTrace.
type Trace struct {
	scenario *scenario.Scenario
	open     map[callName][]fleet.Attempt // attempts of calls under way
	events   []traceEvent
	first    []int   // by fleet: its first instance
	lanes    []lanes // by instance, over all fleets
}

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
	t := &Trace{scenario: s, open: map[callName][]fleet.Attempt{}}
	for _, f := range s.Model.Fleets() {
		t.first = append(t.first, len(t.lanes))
		t.lanes = append(t.lanes, make([]lanes, f.Instances)...)
	}
	return t
}

// Attempt implements fleet.Listener.
func (t *Trace) Attempt(a *fleet.Attempt) {
	name := callName{a.Fleet, a.Call}
	t.open[name] = append(t.open[name], *a)
}

// Call implements fleet.Listener.
func (t *Trace) Call(c *fleet.Call) {
	name := callName{int(c.Fleet), c.ID}
	attempts := t.open[name]
	delete(t.open, name)
	pid := t.first[c.Fleet] + int(c.Instance)
	tid := t.lanes[pid].find(c)
	slice := func(name, cat string, from, to sim.Time, args map[string]any) {
		if to < from {
			return
		}
		dur := micro(to - from)
		t.events = append(t.events, traceEvent{Name: name, Cat: cat, Ph: "X", Ts: micro(from), Dur: &dur, Pid: pid, Tid: tid, Args: args})
	}
	slice(fmt.Sprintf("call %d: %v", c.ID, c.Outcome), "call", c.Began, c.Ended, map[string]any{
		"call": c.ID, "outcome": c.Outcome.String(), "attempts": c.Attempts, "prompt_tokens": c.Size.Prompt, "output_tokens": c.Size.Output,
		"usd_useful": c.Useful.Dollars(), "usd_wasted": c.Waste.Total().Dollars(), "worker_wait_s": c.Waits[fleet.WorkerWait].Seconds(),
	})
	free := c.Began // since when the call waits for something
	for _, a := range attempts {
		if a.Sent > free {
			slice("gate", "wait", free, a.Sent, nil)
		}
		args := map[string]any{"attempt": a.Number, "class": a.Class().String(), "in_flight": a.InFlight, "usd": a.Bill.Dollars()}
		if a.Reply.Status > 0 {
			args["status"] = a.Reply.Status
		}
		if a.Cut != policy.NoTimer {
			args["cut_by"] = a.Cut.String()
		}
		slice(fmt.Sprintf("attempt %d: %v", a.Number, a.Class()), "attempt", a.Sent, a.Ended, args)
		if free = a.Ended; a.Decision.Again {
			name := "backoff"
			if a.Decision.Hinted {
				name = "retry_after"
			}
			until := min(a.Ended+a.Decision.Wait, c.Ended)
			slice(name, "wait", a.Ended, until, nil)
			free = until
		}
	}
	if len(attempts) == 0 && c.Ended > free {
		slice("gate", "wait", free, c.Ended, nil)
	}
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
		meta = append(meta, traceEvent{Name: "process_name", Ph: "M", Pid: pid, Args: map[string]any{"name": t.process(pid)}})
		for tid := range l {
			meta = append(meta, traceEvent{Name: "thread_name", Ph: "M", Pid: pid, Tid: tid, Args: map[string]any{"name": fmt.Sprintf("worker %d", tid)}})
		}
	}
	enc := json.NewEncoder(w)
	return enc.Encode(struct {
		Events []traceEvent   `json:"traceEvents"`
		Unit   string         `json:"displayTimeUnit"`
		Other  map[string]any `json:"otherData"`
	}{append(meta, t.events...), "ms", map[string]any{"scenario": t.scenario.Name, "seed": t.scenario.Seed, "policy": t.scenario.Model.Client.String(), "provider": t.scenario.DescribeProvider()}})
}
