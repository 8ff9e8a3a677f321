package policy

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stampede/sim"
	"stampede/wire"
)

// drive plays a script against a breaker: f and s are results of attempts that were let
// through, digits are seconds that pass, and each attempt answers y or n.
func drive(b Breaker, script string) string {
	var state BreakerState
	now := time.Duration(0)
	out := ""
	for _, c := range script {
		switch {
		case c >= '0' && c <= '9':
			now += time.Duration(c-'0') * s
		default:
			ok, generation, _ := state.Ask(&b, now)
			if !ok {
				out += "n"
				continue
			}
			out += "y"
			state.Done(&b, now, generation, c == 'f')
		}
	}
	return out
}

func TestBreaker(t *testing.T) {
	row := Breaker{InARow: 3, Open: 5 * s}
	ratio := Breaker{Ratio: 0.5, Count: 4, Minimum: 4, Open: 5 * s}
	window := Breaker{Ratio: 0.5, Window: 4 * s, Minimum: 3, Open: 5 * s}
	probes := Breaker{InARow: 1, Open: 5 * s, Probes: 2}
	for _, c := range []struct {
		name         string
		b            Breaker
		script, want string
	}{
		{"trips on the third failure in a row", row, "fffs", "yyyn"},
		{"a success in between starts the row anew", row, "ffsff s", "yyyyyy"},
		{"still open a moment before its time", row, "fff4s", "yyyn"},
		{"half-open at the instant of expiry: one probe, whose success closes it", row, "fff5ss", "yyyyy"},
		{"a probe that fails opens it again", row, "fff5fs4s1s", "yyyynny"},
		{"half of four, but never three in a row: the ratio trips", ratio, "fsfss", "yyyyn"},
		{"half of four, never in a row: the row does not trip", row, "fsfsfsfs", "yyyyyyyy"},
		{"not before there are enough results", ratio, "fff", "yyy"},
		{"the fourth failure is the fourth result", ratio, "ffffs", "yyyyn"},
		{"the last four count, older ones do not", ratio, "sssfsfs", "yyyyyyn"},
		{"what is four seconds old no longer counts", window, "ff4sss", "yyyyy"},
		{"three within the window, two of them failures", window, "f1f1ss", "yyyn"},
		{"two probes must succeed", probes, "f5ss s", "yyyy"},
		{"a failed second probe opens", probes, "f5sfs", "yyyn"},
	} {
		if got := drive(c.b, strings.ReplaceAll(c.script, " ", "")); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// While its probe is under way a half-open breaker lets nobody else through; results
// of attempts from before it opened say nothing; an attempt that was not sent is no
// probe.
func TestBreakerGenerations(t *testing.T) {
	b := Breaker{InARow: 1, Open: 10 * s}
	var state BreakerState
	_, old, _ := state.Ask(&b, 0)
	_, first, _ := state.Ask(&b, 0)
	state.Done(&b, s, first, true)
	if ok, _, wait := state.Ask(&b, 2*s); ok || wait != 9*s {
		t.Errorf("open: %v, wait %v; want 9s more", ok, wait)
	}
	state.Done(&b, 3*s, old, false) // late, and void
	if state.OpenFor(10*s) != s || state.OpenFor(11*s) != 0 {
		t.Error("a late success must not close it, and at 11 s it is open no longer")
	}
	ok, probe, _ := state.Ask(&b, 11*s)
	if other, _, wait := state.Ask(&b, 11*s); !ok || other || wait != 0 {
		t.Errorf("probe %v, another %v, which is to wait %v; want true, false, 0 for the probe", ok, other, wait)
	}
	state.Forget(probe)
	if ok, probe, _ = state.Ask(&b, 12*s); !ok {
		t.Error("a probe that was not sent must make room for another")
	}
	state.Done(&b, 12*s, probe, false)
	if ok, _, _ := state.Ask(&b, 12*s); !ok {
		t.Error("closed after the probe succeeded")
	}
}

// retries is how many retries a budget allows in a total outage, asked so often.
func retries(b Budget, n int, reply wire.Reply) int {
	var state BudgetState
	allowed := 0
	for i := range n {
		now := time.Duration(i) * 100 * ms
		state.Sent(&b, now, FirstTry)
		state.Done(&b, FirstTry, Failure, 0)
		if cost, ok := state.Withdraw(&b, now, &reply); ok {
			allowed++
			state.Sent(&b, now, Retried)
			state.Done(&b, Retried, Failure, cost)
		}
	}
	return allowed
}

// AWS: 500 tokens pay 100 retries of 5, 50 of 10 and 35 of 14 in a total outage. gRPC:
// ten tokens, each failure takes one, retries only above five. A bucket of ten with a
// tenth of a retry for each call: 10 and then one in ten. Finagle's share: 20 % of the
// calls of 10 s and a reserve.
func TestBudgets(t *testing.T) {
	timeout, throttled := wire.Reply{Failure: wire.Timeout}, wire.Reply{Status: 429}
	for _, c := range []struct {
		name  string
		b     Budget
		reply wire.Reply
		want  int
	}{
		{"AWS, cost 5", Budget{Tokens: Tokens{Max: 500, Cost: 5}}, throttled, 100},
		{"AWS, timeouts cost 10", Budget{Tokens: Tokens{Max: 500, Cost: 5, TimeoutCost: 10}}, timeout, 50},
		{"AWS 2.1, cost 14", Budget{Tokens: Tokens{Max: 500, Cost: 14, ThrottleCost: 5}}, timeout, 35},
		{"AWS 2.1, throttles cost 5", Budget{Tokens: Tokens{Max: 500, Cost: 14, ThrottleCost: 5}}, throttled, 100},
		{"gRPC: 4 calls and the retries of the first two, then at most half",
			Budget{Tokens: Tokens{Max: 10, PerFailure: 1, PerSuccess: 0.1, Floor: 5}}, throttled, 2},
		{"a tenth for each call of 1,000, and ten", Budget{Tokens: Tokens{Max: 10, PerCall: 0.1, Cost: 1}}, throttled,
			109},
		{"20 % of the calls of ten seconds and five", Budget{Share: Share{Ratio: 0.2, Window: 10 * s, Reserve: 5}},
			throttled, 250},
		{"one at once", Budget{Share: Share{Ratio: 0.2, Reserve: 1}}, throttled, 1000},
	} {
		if got := retries(c.b, 1000, c.reply); got != c.want {
			t.Errorf("%s: %d retries of 1,000, want %d", c.name, got, c.want)
		}
	}
}

// A retry that succeeds gets its cost back, a success without one pays in what is said.
func TestBudgetRefunds(t *testing.T) {
	b := Budget{Tokens: Tokens{Max: 20, Cost: 5, PerSuccess: 1, Refund: true}}
	var state BudgetState
	for range 4 {
		state.Withdraw(&b, 0, &wire.Reply{Status: 500})
	}
	if _, ok := state.Withdraw(&b, 0, &wire.Reply{Status: 500}); ok {
		t.Fatal("the account is empty")
	}
	state.Done(&b, Retried, Success, 5)
	if cost, ok := state.Withdraw(&b, 0, &wire.Reply{Status: 500}); !ok || cost != 5 {
		t.Error("the cost of a retry that succeeded must be back")
	}
	for i := range 5 {
		if _, ok := state.Withdraw(&b, 0, &wire.Reply{Status: 500}); ok {
			t.Errorf("after %d successes a retry of 5 is paid", i)
		}
		state.Done(&b, FirstTry, Success, 0)
	}
	if _, ok := state.Withdraw(&b, 0, &wire.Reply{Status: 500}); !ok {
		t.Error("five successes pay a retry")
	}
}

// Whatever happens, the attempts of a budget of ratio f are at most (1+f) times the
// first attempts and what the account held.
func TestBudgetBoundsAttempts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64Range(0, 1).Draw(t, "ratio")
		b := Budget{Tokens: Tokens{Max: rapid.Float64Range(1, 20).Draw(t, "max"), PerCall: f, Cost: 1}}
		var state BudgetState
		first, again := 0, 0
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "call") {
				state.Sent(&b, 0, FirstTry)
				first++
			} else if _, ok := state.Withdraw(&b, 0, &wire.Reply{Status: 503}); ok {
				again++
			}
			if float64(again) > f*float64(first)+b.Tokens.Max+1e-6 {
				t.Fatalf("%d retries of %d calls at ratio %g and %g at first", again, first, f, b.Tokens.Max)
			}
		}
	})
}

// AIMD as Netflix has it: 20, up by one while at least half is used, x0.9 on a drop or a
// slow answer, never below 20.
func TestAIMD(t *testing.T) {
	g := Gate{AIMD: AIMD{Start: 20, Min: 20, Max: 200, Factor: 0.9, Slow: 5 * s}}
	var state GateState
	var got []int
	for _, step := range []struct {
		inFlight int
		took     time.Duration
		dropped  bool
	}{{10, s, false}, {9, s, false}, {20, s, false}, {20, 6 * s, false}, {20, s, true}} {
		state.Limit(&g)
		state.Done(&g, 0, step.inFlight, step.took, step.dropped)
		got = append(got, state.Limit(&g))
	}
	if want := []int{21, 21, 22, 20, 20}; !slices.Equal(got, want) { // floor(22 x 0.9) = 19, held at 20
		t.Errorf("%v, want %v", got, want)
	}
}

// Gradient2 by hand. With equal answer times the gradient is 1 and the limit moves a fifth of
// the way to limit + 4: 20, 20.8, 21.6. With an answer four times as long after ten of 1 s the
// long-term mean is 1 + 3 x 2/601, the gradient 1.5 x mean/4 held at 0.5 and the limit
// 0.8 l + 0.2 (0.5 l + 4). While less than half is in flight nothing moves.
func TestGradient(t *testing.T) {
	g := Gate{Gradient: Gradient{Start: 40, Min: 20, Max: 200, Queue: 4, Smoothing: 0.2, Tolerance: 1.5, Window: 600}}
	var state GateState
	state.Limit(&g)
	want := 40.0
	for range 10 {
		state.Done(&g, 0, 40, s, false)
		want += 0.8
	}
	if math.Abs(state.limit-want) > 1e-9 {
		t.Errorf("limit %g after ten equal answers, want %g", state.limit, want)
	}
	state.Done(&g, 0, 10, s, false)
	if math.Abs(state.limit-want) > 1e-9 {
		t.Errorf("limit %g while little is in flight, want %g", state.limit, want)
	}
	state.Done(&g, 0, 40, 4*s, false)
	want = 0.8*want + 0.2*(0.5*want+4)
	if math.Abs(state.limit-want) > 1e-9 {
		t.Errorf("limit %g after a slow answer, want %g", state.limit, want)
	}
	// Netflix's update ignores the flag of a drop: its time counts like any other.
	twin := state
	state.Done(&g, 0, 40, 2*s, true)
	if twin.Done(&g, 0, 40, 2*s, false); state.limit != twin.limit || state.long != twin.long {
		t.Errorf("a drop moves the limit to %g, an answer to %g", state.limit, twin.limit)
	}
}

// The mirror of a limit of ten requests a minute, of which replies say how much is left and
// when the rest is back. Of a bucket, one comes back each 6 s; of a fixed window all at its
// reset; of a sliding window what was sent comes back after a minute.
func TestPaceHeaders(t *testing.T) {
	p := Pacer{Headers: PaceHeaders{On: true}}
	type told struct {
		sent      time.Duration
		remaining int64
		reset     time.Duration
	}
	for _, c := range []struct {
		name  string
		told  []told // at 6 s, of two attempts sent at 0 and 5 s
		waits []time.Duration
	}{
		{"a bucket, four of its own taken and four of others", []told{{0, 5, 30 * s}, {5 * s, 2, 48 * s}},
			[]time.Duration{0, 0, 6 * s, 12 * s}},
		{"a bucket of which one reply is known", []told{{5 * s, 2, 48 * s}}, []time.Duration{0, 0, 6 * s, 12 * s}},
		{"a fixed window that ends at 40 s", []told{{0, 5, 40 * s}, {5 * s, 2, 35 * s}},
			[]time.Duration{0, 0, 34 * s, 34 * s}},
		{"a sliding window, six taken by others", []told{{0, 5, 60 * s}, {5 * s, 2, 60 * s}},
			[]time.Duration{0, 0, 54 * s, 59 * s, 59 * s}},
		{"a sliding window of its own", []told{{0, 9, 60 * s}, {5 * s, 8, 60 * s}},
			[]time.Duration{0, 0, 0, 0, 0, 0, 0, 0, 54 * s, 59 * s, 60 * s}},
	} {
		var state PacerState
		for _, at := range []time.Duration{0, 5 * s} {
			if wait := state.Reserve(&p, at, Need{1}); wait != 0 {
				t.Errorf("%s: before the first reply: wait %v", c.name, wait)
			}
		}
		for _, r := range c.told {
			var q wire.Quotas
			q[wire.RequestQuota] = wire.Quota{Limit: 10, Remaining: r.remaining, Reset: r.reset}
			state.Done(&p, 6*s, r.sent, &wire.Reply{Status: 200, Quotas: q})
		}
		var waits []time.Duration
		for range c.waits {
			waits = append(waits, state.Reserve(&p, 6*s, Need{1}))
		}
		if !slices.Equal(waits, c.waits) {
			t.Errorf("%s: %v, want %v", c.name, waits, c.waits)
		}
	}
	// A reply from before the last two were sent says more than is left: the mirror knows.
	var state PacerState
	var q wire.Quotas
	q[wire.RequestQuota] = wire.Quota{Limit: 10, Remaining: 2, Reset: 48 * s}
	state.Reserve(&p, 0, Need{1})
	state.Done(&p, 0, 0, &wire.Reply{Status: 200, Quotas: q})
	for range 4 {
		state.Reserve(&p, 0, Need{1})
	}
	state.Done(&p, s, 0, &wire.Reply{Status: 200, Quotas: q})
	if wait := state.Reserve(&p, s, Need{1}); wait != 17*s {
		t.Errorf("after a stale reply: wait %v, want 17s", wait)
	}
}

// The cubic limiter of the AWS SDKs after a throttle at a measured 10/s: the rate falls to 7/s,
// is back at 10/s after K = cbrt(10 x 0.3/0.4) = 1.957 s, and grows beyond.
func TestCubic(t *testing.T) {
	var c cubic
	for i := range 51 {
		c.done(time.Duration(i)*100*ms, false)
	}
	if wait := c.take(5 * s); wait != 0 {
		t.Errorf("before the first throttle: wait %v", wait)
	}
	c.done(5100*ms, true)
	if math.Abs(c.measured-10) > 0.5 || math.Abs(c.rate-0.7*c.measured) > 1e-9 {
		t.Errorf("measured %g, rate %g; want about 10 and 0.7 of it", c.measured, c.rate)
	}
	k := math.Cbrt(c.wMax * 0.3 / 0.4)
	for _, after := range []float64{0.5, k, k + 1} {
		c.done(5100*ms+time.Duration(after*1e9), false)
		want := min(0.4*math.Pow(after-k, 3)+c.wMax, 2*c.measured)
		if math.Abs(c.rate-want) > 1e-6 {
			t.Errorf("%.3f s after the throttle: %g/s, want %g", after, c.rate, want)
		}
	}
}

// Adaptive throttling with demand 40/s before a backend that accepts 10/s sends K
// times what is accepted: 20.0/s with K = 2, and 10.8/s of which 9.8 are accepted with K =
// 1.1 (published). 600 s after a first 240 s; single draws from an equidistributed
// sequence.
func TestAdaptiveThrottle(t *testing.T) {
	for _, c := range []struct{ k, sent, accepted float64 }{{2, 20, 10}, {1.1, 10.8, 9.8}} {
		throttle := Throttle{K: c.k, Window: 120 * s}
		var state ThrottleState
		sent, accepted := 0.0, 0.0
		tokens, last := 0.0, time.Duration(0) // the backend: 10/s, ten at once
		u := 0.0
		for i := range 40 * 840 {
			now := time.Duration(i) * 25 * ms
			u = math.Mod(u+0.6180339887498949, 1)
			if !state.Ask(&throttle, now, u) {
				continue
			}
			tokens = min(10, tokens+10*(now-last).Seconds())
			last = now
			ok := tokens >= 1-1e-9
			if ok {
				tokens--
			}
			state.Done(&throttle, now, ok)
			if now >= 240*s {
				sent++
				if ok {
					accepted++
				}
			}
		}
		if math.Abs(sent/600-c.sent) > 0.5 || math.Abs(accepted/600-c.accepted) > 0.3 {
			t.Errorf("K %g: %.2f/s sent, %.2f/s accepted; want %g and %g", c.k, sent/600, accepted/600, c.sent,
				c.accepted)
		}
	}
}

// The running quantile of 20,000 exponential times of mean 1 s is within 3 % of
// 2.996 s, the 95 % quantile.
func TestRunningQuantile(t *testing.T) {
	h := Hedge{Quantile: 0.95}
	var state HedgeState
	if _, ok := state.Delay(&h); ok {
		t.Error("nothing is known before the first answers")
	}
	u := 0.0
	for range 20_000 {
		u = math.Mod(u+0.6180339887498949, 1)
		state.Add(&h, time.Duration(-math.Log(1-u)*1e9))
	}
	if d, ok := state.Delay(&h); !ok || math.Abs(d.Seconds()/2.996-1) > 0.03 {
		t.Errorf("%v, want about 2.996s", d)
	}
}

// An SDK of 3 tries in a framework of 3 in a queue of 3 makes 27 requests where all
// fail, and each layer waits as it does.
func TestLayers(t *testing.T) {
	three := func(wait time.Duration) Retry {
		return Retry{
			Attempts: 3,
			Classify: Classifier{Statuses: []Statuses{{500, 599}}},
			Backoff:  Backoff{Base: wait, Factor: 1},
		}
	}
	c := Client{
		Retry: three(s),
		Outer: []Layer{{Name: "framework", Retry: three(10 * s)}, {Name: "queue", Retry: three(100 * s)}},
	}
	if c.Attempts() != 27 {
		t.Errorf("%d attempts, want 27", c.Attempts())
	}
	if horizon, ok := c.MaxDuration(0); !ok || horizon != 3*(3*2*s+2*10*s)+2*100*s { // 278 s
		t.Errorf("horizon %v, want 4m38s", horizon)
	}
	once := Client{Retry: three(s), Outer: []Layer{{Name: "wrapper", Retry: Retry{Attempts: 1}}}}
	if d, _ := once.Decide(&Facts{Attempt: 3, Reply: &wire.Reply{Status: 500}}, []Tries{{Made: 1}},
		0); d.Outcome != GaveUpAttempts {
		t.Errorf("within a layer that sends once: %v, want the reason of the layer that retried", d.Outcome)
	}
	outer := []Tries{{Made: 1}, {Made: 1}}
	made, waits := 1, map[int]int{}
	for tries := 1; ; {
		d, layer := c.Decide(&Facts{Attempt: tries, Reply: &wire.Reply{Status: 500}}, outer, 0)
		if !d.Again {
			if d.Outcome != GaveUpAttempts || layer != 2 {
				t.Errorf("ended with %v by layer %d", d.Outcome, layer)
			}
			break
		}
		made++
		waits[layer]++
		if tries++; layer > 0 {
			tries = 1
			outer[layer-1].Made++
			for i := range outer[:layer-1] {
				outer[i] = Tries{Made: 1}
			}
		}
	}
	if got := fmt.Sprint(made, waits); got != "27 map[0:18 1:6 2:2]" {
		t.Errorf("%s, want 27 attempts with 18, 6 and 2 waits", got)
	}
}

// Whatever comes back and when, a pacer, a breaker, a gate and a budget never ask for a
// negative wait or one that overflows, and a breaker's probes never go astray.
func TestStatesAreAlwaysSane(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.Float64(),
			rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 1e300}))
		pacer := rapid.SampledFrom([]Pacer{{Cubic: true}, {Headers: PaceHeaders{On: true, Reserve: 0.5}},
			{Bucket: PaceBucket{Rate: 1e-9, Burst: 1}}, {Bucket: PaceBucket{Rate: 1e9, Burst: 1e9}},
			{Tokens: PaceTokens{Rate: 1, Burst: 1e9, Settle: true}}}).
			Draw(t, "pacer")
		breaker := Breaker{
			InARow:  rapid.IntRange(0, 2).Draw(t, "row"),
			Ratio:   0.5,
			Window:  3 * s,
			Minimum: 1,
			Open:    time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "open")),
			Probes:  rapid.IntRange(0, 3).Draw(t, "probes"),
		}
		gate := rapid.SampledFrom([]Gate{{AIMD: AIMD{Start: 2, Min: 1, Max: 9, Factor: 0.1, Slow: 1}},
			{Gradient: Gradient{Start: 2, Min: 1, Max: 9, Queue: 1, Smoothing: 1, Tolerance: 1, Window: 1}}}).
			Draw(t, "gate")
		var p PacerState
		var b BreakerState
		var g GateState
		now := time.Duration(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now += time.Duration(rapid.Int64Range(0, int64(10*s)).Draw(t, "gap"))
			wait := p.Reserve(&pacer, now, Need{1, 1e9, 1, 1})
			if pacer.Lines() {
				if wait = p.until(&pacer, now, 1e9); wait == 0 {
					p.takeRoom(&pacer, 1e9)
				}
			}
			if wait < 0 || wait > sim.End {
				t.Fatalf("%v waits %v", pacer.Describe(), wait)
			}
			var q wire.Quotas
			q[rapid.IntRange(0, 3).Draw(t, "kind")] = wire.Quota{
				Limit:     rapid.Int64Range(0, 10).Draw(t, "limit"),
				Remaining: rapid.Int64Range(-5, 10).Draw(t, "remaining"),
				Reset:     time.Duration(rapid.Int64Range(-5, int64(time.Hour)).Draw(t, "reset")),
			}
			status := rapid.SampledFrom([]int{200, 429, 500}).Draw(t, "status")
			sent := now - time.Duration(rapid.Int64Range(0, int64(now)).Draw(t, "age"))
			p.Done(
				&pacer,
				now,
				sent,
				&wire.Reply{
					Status:     status,
					Quotas:     q,
					RetryAfter: wire.Hint{Form: wire.Seconds, Value: value.Draw(t, "hint")},
				},
			)
			ok, generation, wait := b.Ask(&breaker, now)
			if wait < 0 || wait > breaker.Open {
				t.Fatalf("the breaker waits %v of %v", wait, breaker.Open)
			}
			if ok {
				switch rapid.IntRange(0, 2).Draw(t, "end") {
				case 0:
					b.Forget(generation)
				case 1:
					b.Done(&breaker, now, generation, status != 200)
				}
			}
			if b.probing < 0 || b.passed < 0 || b.Probing() > breaker.probes() {
				t.Fatalf("%d probes under way, %d passed", b.probing, b.passed)
			}
			g.Done(&gate, now, rapid.IntRange(0, 9).Draw(t, "in flight"),
				time.Duration(rapid.Int64Range(0, int64(s)).Draw(t, "took")), status != 200)
			if n := g.Limit(&gate); n < 1 || n > 9 {
				t.Fatalf("a limit of %d", n)
			}
		}
	})
}

// A cooldown of 15 s, seen at once and every 10 s. Seen at once, it begins with the failure and
// ends with its instant; seen every 10 s, what counts is what stood there when the cycle began.
func TestCooldown(t *testing.T) {
	for _, c := range []struct {
		every time.Duration
		fails []time.Duration
		at    map[time.Duration]bool // away
	}{
		{0, []time.Duration{2 * s}, map[time.Duration]bool{2 * s: true, 17*s - 1: true, 17 * s: false}},
		{0, []time.Duration{2 * s, 12 * s}, map[time.Duration]bool{26 * s: true, 27 * s: false}},
		{10 * s, nil, map[time.Duration]bool{0: false, 15 * s: false}},
		{10 * s, []time.Duration{2 * s}, map[time.Duration]bool{2 * s: false, 10*s - 1: false, 10 * s: true,
			20*s - 1: true, 20 * s: false}},
		// until 20 s, when the new state holds
		{10 * s, []time.Duration{5 * s}, map[time.Duration]bool{10 * s: true, 19 * s: true, 20 * s: false,
			25 * s: false}},
		// until 24 s
		{10 * s, []time.Duration{0, 5 * s, 9 * s},
			map[time.Duration]bool{9 * s: false, 10 * s: true, 29 * s: true, 30 * s: false}},
		// seen in its cycle: the first
		{10 * s, []time.Duration{2 * s, 12 * s}, map[time.Duration]bool{12 * s: true, 19 * s: true, 20 * s: true,
			30 * s: false}},
	} {
		f := Fallback{On: true, Cooldown: 15 * s, SeenEvery: c.every}
		var state CooldownState
		for _, at := range c.fails {
			state.Fail(&f, at)
		}
		for at, want := range c.at {
			if got := state.Away(&f, at); got != want {
				t.Errorf("seen every %v, failures at %v: away %v at %v, want %v", c.every, c.fails, got, at, want)
			}
		}
	}
}

// Trap 8: a throttle that counts requests when their replies come lets a burst through whole.
// Of requests sent at one instant, before any reply, the n-th is refused with probability
// (n-1)/n.
func TestThrottleCountsWhenSending(t *testing.T) {
	throttle := Throttle{K: 2, Window: 120 * s}
	var state ThrottleState
	for n := 1; n <= 50; n++ {
		before := state
		refused := float64(n-1) / float64(n)
		if ok := before.Ask(&throttle, 0, refused+1e-9); !ok {
			t.Errorf("request %d is refused with probability above %g", n, refused)
		}
		if ok := state.Ask(&throttle, 0, refused-1e-9); ok && n > 1 {
			t.Errorf("request %d is refused with probability below %g", n, refused)
		}
	}
}
