package replay_test

import (
	"slices"
	"strings"
	"testing"

	"stampede/explore/replay"
	"stampede/policy"
	"stampede/scenario"
	"stampede/wire"
)

// Three calls at once at a bucket of two a second: two are answered after 1 s, the third is refused at once, waits
// one second and is answered at 2 s. The round trip takes no time.
const three = `
name: three
workload: {burst: {calls: 3}, prompt_tokens: 10, output_tokens: 10}
provider:
  limits: [{resource: requests, limit: 2/s, burst: 2}]
  latency: {first_token: 1s}
policy:
  retry: {attempts: 2, backoff: {constant: 1s}}
price: {input: 1, output: 1}
`

func recorded(t *testing.T, document string) *replay.Replay {
	t.Helper()
	s, err := scenario.Read([]byte(document), "test", scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := replay.Of(&s.Model, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestReplayOfThreeCalls(t *testing.T) {
	p := recorded(t, three)
	var ended []float64
	for i := range p.Calls {
		c := &p.Calls[i]
		if c.Arrived != 0 || c.Outcome != policy.Answered {
			t.Errorf("call %d arrives at %v and is %v; want 0, answered", i, c.Arrived, c.Outcome)
		}
		ended = append(ended, c.Ended)
	}
	if !slices.Equal(ended, []float64{1, 1, 2}) {
		t.Errorf("calls end at %v; want 1, 1, 2", ended)
	}
	type line struct {
		call        int
		sent, ended float64
		class       wire.Class
		limit       int
	}
	var lines []line
	for _, a := range p.Attempts {
		lines = append(lines, line{a.Call, a.Sent, a.Ended, a.Class, a.Limit})
	}
	want := []line{{0, 0, 1, wire.OK, -1}, {1, 0, 1, wire.OK, -1}, {2, 0, 0, wire.Throttled, 0}, {2, 1, 2, wire.OK, -1}}
	if !slices.Equal(lines, want) {
		t.Errorf("attempts are %v; want %v", lines, want)
	}
	var left []float64
	for _, l := range p.Levels {
		left = append(left, l.Left)
	}
	// of two: one left, none, none at the refusal, and after a second's refill of two and one request one
	limit := p.Limits[0]
	if !slices.Equal(left, []float64{0.5, 0, 0, 0.5}) || limit.Amount != 2 || limit.Unit != "requests" {
		t.Errorf("levels are %v of %d %s; want 0.5, 0, 0, 0.5 of 2 requests", left, limit.Amount, limit.Unit)
	}
	if limit.Rate != 2 || limit.Window != 0 {
		t.Errorf("%v a second come back, window %v; want 2, none", limit.Rate, limit.Window)
	}
	if p.End != 2 || p.Clipped {
		t.Errorf("it ends at %v, clipped %v; want 2, not", p.End, p.Clipped)
	}
}

// Of a fixed window its length is kept, and how much of it had passed; places for requests at once have neither.
func TestWhatComesBack(t *testing.T) {
	p := recorded(t, `
starts_at: 01:30
workload: {burst: {calls: 1}, prompt_tokens: 10, output_tokens: 10}
provider:
  limits:
    - {resource: requests, kind: fixed_window, limit: 100/day, resets_at: 01:00}
    - {resource: concurrency, limit: 8}
`)
	for i, want := range []replay.Limit{{Window: 86400, Offset: 1800}, {}} {
		l := p.Limits[i]
		if found := (replay.Limit{Rate: l.Rate, Window: l.Window, Offset: l.Offset}); found != want {
			t.Errorf("%s: %+v; want %+v", l.Name, found, want)
		}
	}
}

// A bucket goes on refilling while requests come that it does not count: here the retry of the third call, which
// meets an outage.
func TestLevelInAnOutage(t *testing.T) {
	document := strings.Replace(three, "  latency:", "  faults: [{at: 500ms, for: 1s, status: 503}]\n  latency:", 1)
	var left []float64
	for _, l := range recorded(t, document).Levels {
		left = append(left, l.Left)
	}
	if !slices.Equal(left, []float64{0.5, 0, 0, 1}) {
		t.Errorf("levels are %v; want 0.5, 0, 0, and 1 after a second's refill of two", left)
	}
}

func TestStateAt(t *testing.T) {
	p := recorded(t, three)
	third := p.Attempts[2:]
	for _, row := range []struct {
		t    float64
		want replay.State
	}{
		{-0.1, replay.Idle}, {0, replay.Refused}, {0.24, replay.Refused}, {0.25, replay.Waiting},
		{0.99, replay.Waiting}, {1, replay.AtProvider}, {1.99, replay.AtProvider}, {2, replay.Answered},
	} {
		if got := p.Calls[2].StateAt(row.t, 0.25, third); got != row.want {
			t.Errorf("at %v s the third call is %v; want %v", row.t, got, row.want)
		}
	}
}

// A replay keeps the calls that arrived first, with their attempts, and says that it left some out.
func TestReplayIsClipped(t *testing.T) {
	p := recorded(t, `
workload: {open: {rate: 1000/s, calls: 6000}, prompt_tokens: 10, output_tokens: 10}
provider: {latency: {first_token: 1s}}
`)
	if last := p.Calls[replay.MaxCalls-1].Arrived; p.Until != last || p.Until >= p.End {
		t.Errorf("it is of all calls until %v of %v; want %v, when the last that is kept arrives", p.Until, p.End, last)
	}
	if len(p.Calls) != replay.MaxCalls || len(p.Attempts) != replay.MaxCalls || !p.Clipped {
		t.Errorf("%d calls, %d attempts, clipped %v; want %d, one each, clipped",
			len(p.Calls), len(p.Attempts), p.Clipped, replay.MaxCalls)
	}
	if !slices.IsSortedFunc(p.Calls, func(a, b replay.Call) int {
		if a.Arrived < b.Arrived {
			return -1
		}
		return 1
	}) {
		t.Error("calls are not in order of arrival")
	}
}

// Where calls have more attempts than are kept, the last calls are left out with all of theirs. Here each of 1,100
// calls has 200 attempts, so 1,000 are kept.
func TestReplayOfManyAttempts(t *testing.T) {
	p := recorded(t, `
workload: {burst: {calls: 1100}, prompt_tokens: 10, output_tokens: 10}
provider: {faults: [{at: 0s, for: 1h, status: 503}], latency: {first_token: 1s}}
policy: {retry: {attempts: 200, backoff: {constant: 1s}}}
`)
	if len(p.Calls) != 1000 || len(p.Attempts) != replay.MaxAttempts || !p.Clipped || p.Until != p.End {
		t.Errorf("%d calls with %d attempts, clipped %v, until %v of %v; want 1,000 with 200 each, to the end",
			len(p.Calls), len(p.Attempts), p.Clipped, p.Until, p.End)
	}
	for i := range p.Attempts {
		if a := &p.Attempts[i]; a.Call != i/200 || a.Number != i%200+1 {
			t.Fatalf("attempt %d is number %d of call %d; want %d of %d", i, a.Number, a.Call, i%200+1, i/200)
		}
	}
}

// Of one call with more attempts than are kept, the first are. Attempts that are refused at once and sent again after
// 1 ms end every millisecond.
func TestReplayOfACallThatTriesTooOften(t *testing.T) {
	p := recorded(t, `
workload: {burst: {calls: 2}, prompt_tokens: 10, output_tokens: 10}
provider: {round_trip: 0s, faults: [{at: 0s, for: 1h, status: 503}], latency: {first_token: 1s}}
policy: {retry: {attempts: 200_010, backoff: {constant: 1ms}}}
`)
	if len(p.Calls) != 1 || len(p.Attempts) != replay.MaxAttempts || !p.Clipped || p.Until != 200 {
		t.Errorf("%d calls with %d attempts, clipped %v, until %v s; want one with 200,000, clipped, until 200 s",
			len(p.Calls), len(p.Attempts), p.Clipped, p.Until)
	}
}
