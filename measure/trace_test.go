package measure

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"stampede/fleet"
	"stampede/scenario"
)

// A run in which calls wait for everything there is to wait for, and are hedged.
const waiting = `
name: t
workload:
  open: {rate: 4/s, calls: 120}
  prompt_tokens: 100
  output_tokens: 10
  patience: 40s
  redeliver: {after: 2s, deliveries: 3}
fleet: {instances: 2, workers: 5}
provider:
  limits: [{name: narrow, resource: requests, limit: 150/min, burst: 5}]
  capacity: {slots: 3}
  latency: {first_token: {lognormal: {p50: 600ms, p95: 3s}}}
  faults: [{share: 20%, status: 503}]
policy:
  retry: {attempts: 3, backoff: {exponential: {base: 200ms}}, retry_after: in_full}
  gate: {semaphore: 4}
  max_connections: 3
  pace: {rate: 4/s}
  breaker: {consecutive_failures: 4, open: 1s, when_open: wait}
  hedge: {after: 1s, max: 2}
`

// traced is a trace beside the sum of what calls say they waited for once they had a worker.
type traced struct {
	*Trace
	waits [fleet.Waits]time.Duration
}

func (t *traced) Call(c *fleet.Call) {
	t.Trace.Call(c)
	for k, d := range c.Waits {
		t.waits[k] += d
	}
	t.waits[fleet.WorkerWait] -= c.Began - c.Arrived
}

// Slices of one track nest or are apart, to the nanosecond; each wait is there under its own
// kind, for as long as the calls say; and refusals name their limit.
func TestTimeline(t *testing.T) { timeline(t, false) }

// The same of deliveries that overlap, several of one call at once, which retry and are hedged. What a call waited
// for between them is on no track.
func TestTimelineOfOverlappingDeliveries(t *testing.T) {
	timeline(t, true, "workload.patience=none",
		"workload.redeliver={visible_after: 1s, while_working: true, deliveries: 9}")
}

func timeline(t *testing.T, overlaps bool, set ...string) {
	s, err := scenario.Read([]byte(waiting), "f", scenario.Options{Set: set})
	if err != nil {
		t.Fatal(err)
	}
	trace := &traced{Trace: NewTrace(s)}
	if _, err := s.Model.Run(1, 0, trace); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := trace.Write(&out); err != nil {
		t.Fatal(err)
	}
	var file struct{ TraceEvents []traceEvent }
	if err := json.Unmarshal(out.Bytes(), &file); err != nil {
		t.Fatal(err)
	}
	nano := func(micro float64) int64 { return int64(math.Round(1000 * micro)) }
	type interval struct{ from, to int64 }
	slices := map[track][]interval{}
	names := map[track]string{}
	var waits [fleet.Waits]time.Duration
	refused, hedged := map[string]int{}, false
	for _, e := range file.TraceEvents {
		at := track{e.Pid, e.Tid}
		if e.Ph != "X" {
			if e.Name == "thread_name" {
				names[at] = e.Args["name"].(string)
			}
			continue
		}
		from := nano(e.Ts)
		slices[at] = append(slices[at], interval{from, from + nano(*e.Dur)})
		if e.Cat == "wait" {
			for k := range fleet.Wait(fleet.Waits) {
				if k.String() == e.Name {
					waits[k] += time.Duration(nano(*e.Dur))
				}
			}
		}
		if limit, ok := e.Args["limit"]; ok && strings.HasSuffix(e.Name, "("+limit.(string)+")") {
			refused[limit.(string)]++
		}
		hedged = hedged || strings.Contains(names[at], "hedge")
	}
	for at, all := range slices {
		if names[at] == "" {
			t.Errorf("track %v has no name", at)
		}
		for i, a := range all {
			for _, b := range all[:i] {
				apart := a.to <= b.from || b.to <= a.from
				nested := a.from <= b.from && b.to <= a.to || b.from <= a.from && a.to <= b.to
				if !apart && !nested {
					t.Errorf("%s: %v and %v overlap", names[at], a, b)
				}
			}
		}
	}
	for k := range fleet.Wait(fleet.Waits) {
		if overlaps && (k == fleet.WorkerWait || k == fleet.RedeliveryWait) {
			continue
		}
		if waits[k] != trace.waits[k] || waits[k] == 0 {
			t.Errorf("waits for %v: %v in the trace, %v by calls; want the same, and some", k, waits[k],
				trace.waits[k])
		}
	}
	if !hedged || refused["narrow"] == 0 || refused["slots"] == 0 {
		t.Errorf("hedged %v, refused %v; want hedges, and refusals by the limit and by the slots", hedged, refused)
	}
}
